/* Routes: registering, removing, ownership of what they are given; opening and generating by bad arguments. */
#include "check.h"
#include "latch.h"

#include <sched.h>

static ctie_bus *new_bus(void) {
    ctie_bus *bus = NULL;
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    return bus;
}

static void reply_one(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_reply(request, ctie_value_int(1)), CTIE_OK);
}

static ctie_status open_local(ctie_bus *bus, const char *url) {
    return ctie_open(bus, ctie_str_from(url), CTIE_ORIGIN_LOCAL, without_end(), NULL, NULL);
}

/* ---- Registering -------------------------------------------------------------------------------- */

/* Tries to register; whether it is refused or not, the user data has to be destroyed exactly once. */
static void expect_refused(ctie_bus *bus, ctie_str pattern, ctie_handler_fn fn, const ctie_route_options *options,
                           ctie_status expected) {
    latch destroyed = LATCH_INIT;
    ctie_registration *registration = NULL;
    ctie_error *error = NULL;
    CHECK_STATUS(ctie_route_add(bus, pattern, CTIE_HANDLER_OWNED(fn, &destroyed, latch_destroy), options, &registration,
                                &error), expected);
    CHECK(latch_count(&destroyed) == 1 && registration == NULL);
    CHECK_STATUS(ctie_error_status(error), expected);
    CHECK(ctie_error_message(error).size > 0);
    ctie_error_release(error);
}

static void expect_conflict_to_name(ctie_bus *bus, const char *second, const char *first) {
    char text[256] = "";
    ctie_error *error = NULL;
    ctie_route_add(bus, ctie_str_from(second), CTIE_HANDLER(reply_one, NULL), NULL, NULL, &error);
    ctie_str message = ctie_error_message(error);
    snprintf(text, sizeof text, "%.*s", (int)message.size, message.data);
    CHECK(strstr(text, first) != NULL);
    ctie_error_release(error);
}

static void a_refused_handler_is_destroyed_once(void) {
    static char big[8193];
    memset(big, 'b', sizeof big);
    memcpy(big, "app://", 6);
    ctie_bus *bus = new_bus();
    ctie_route_options options = CTIE_ROUTE_OPTIONS_INIT;
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://a/:x"), CTIE_HANDLER(reply_one, NULL), NULL, NULL, NULL), CTIE_OK);
    expect_refused(bus, CTIE_STR("app://a/:y"), reply_one, NULL, CTIE_E_CONFLICT);
    expect_conflict_to_name(bus, "app://a/:y", "app://a/:x");
    expect_refused(bus, CTIE_STR("app://a/:"), reply_one, NULL, CTIE_E_PATTERN);
    expect_refused(bus, CTIE_STR(""), reply_one, NULL, CTIE_E_PATTERN);
    expect_refused(bus, CTIE_STR("app://a/\xFF"), reply_one, NULL, CTIE_E_UTF8);
    expect_refused(bus, (ctie_str){big, sizeof big}, reply_one, NULL, CTIE_E_LIMIT);
    expect_refused(bus, (ctie_str){NULL, 5}, reply_one, NULL, CTIE_E_INVALID);
    expect_refused(bus, CTIE_STR("app://b"), NULL, NULL, CTIE_E_INVALID);
    expect_refused(NULL, CTIE_STR("app://b"), reply_one, NULL, CTIE_E_HANDLE);
    options.flags = 1u << 31;
    expect_refused(bus, CTIE_STR("app://b"), reply_one, &options, CTIE_E_INVALID);
    options.flags = 0;
    options.size = 1;
    expect_refused(bus, CTIE_STR("app://b"), reply_one, &options, CTIE_E_INVALID);
    options.size = sizeof options;
    options.remark = (ctie_str){big, 1025};
    expect_refused(bus, CTIE_STR("app://b"), reply_one, &options, CTIE_E_LIMIT);
    options.remark = CTIE_STR("\x80");
    expect_refused(bus, CTIE_STR("app://b"), reply_one, &options, CTIE_E_UTF8);
    CHECK_STATUS(open_local(bus, "app://b"), CTIE_E_NO_ROUTE);
    CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
}

static void a_route_without_owner_lives_as_long_as_its_bus(void) {
    ctie_bus *bus = new_bus();
    latch destroyed = LATCH_INIT;
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://a"), CTIE_HANDLER_OWNED(reply_one, &destroyed, latch_destroy),
                                NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(open_local(bus, "app://a"), CTIE_OK);
    CHECK(latch_count(&destroyed) == 0);
    CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
    CHECK(latch_count(&destroyed) == 1);
}

static void arguments_are_copied(void) {
    char pattern[] = "app://a/:name", remark[] = "remark", url[] = "app://a/text";
    ctie_bus *bus = new_bus();
    ctie_route_options options = CTIE_ROUTE_OPTIONS_INIT;
    options.remark = ctie_str_from(remark);
    CHECK_STATUS(ctie_route_add(bus, ctie_str_from(pattern), CTIE_HANDLER(reply_one, NULL), &options, NULL, NULL),
                 CTIE_OK);
    memset(pattern, 'x', sizeof pattern);
    memset(remark, 'x', sizeof remark);
    ctie_value *routes = NULL;
    ctie_str text;
    CHECK_STATUS(ctie_route_list(bus, &routes), CTIE_OK);
    CHECK(ctie_value_count(routes) == 1);
    CHECK_STATUS(ctie_value_get_string(ctie_value_get(ctie_value_at(routes, 0), CTIE_STR("pattern")), &text), CTIE_OK);
    CHECK(text_is(text, "app://a/:name"));
    CHECK_STATUS(ctie_value_get_string(ctie_value_get(ctie_value_at(routes, 0), CTIE_STR("remark")), &text), CTIE_OK);
    CHECK(text_is(text, "remark"));
    ctie_value_release(routes);
    CHECK_STATUS(open_local(bus, url), CTIE_OK);
    CHECK_STATUS(ctie_route_list(bus, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_route_list(NULL, &routes), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
}

/* ---- Removing ----------------------------------------------------------------------------------- */

static void a_removed_route_is_destroyed_once(void) {
    ctie_bus *bus = new_bus();
    latch destroyed = LATCH_INIT;
    ctie_registration *registration = NULL;
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://a"), CTIE_HANDLER_OWNED(reply_one, &destroyed, latch_destroy),
                                NULL, &registration, NULL), CTIE_OK);
    CHECK_STATUS(ctie_registration_release(registration), CTIE_OK);
    CHECK(latch_count(&destroyed) == 1);
    CHECK_STATUS(ctie_registration_release(registration), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_route_remove(bus, CTIE_STR("app://a"), NULL), CTIE_E_NOT_FOUND);

    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://a/:x"), CTIE_HANDLER_OWNED(reply_one, &destroyed, latch_destroy),
                                NULL, &registration, NULL), CTIE_OK);
    CHECK_STATUS(ctie_route_remove(bus, CTIE_STR("app://a/:y"), NULL), CTIE_OK);
    CHECK(latch_count(&destroyed) == 2);
    CHECK_STATUS(ctie_registration_release(registration), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_route_remove(NULL, CTIE_STR("app://a"), NULL), CTIE_E_HANDLE);
    ctie_error *error = NULL;
    CHECK_STATUS(ctie_route_remove(bus, CTIE_STR("app://a/:"), &error), CTIE_E_PATTERN);
    CHECK_STATUS(ctie_error_status(error), CTIE_E_PATTERN);
    ctie_error_release(error);
    CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
    CHECK(latch_count(&destroyed) == 2);
}

static void a_replaced_route_is_destroyed_once(void) {
    ctie_bus *bus = new_bus();
    latch first = LATCH_INIT, second = LATCH_INIT;
    ctie_registration *old = NULL, *new = NULL;
    ctie_route_options options = CTIE_ROUTE_OPTIONS_INIT;
    options.flags = CTIE_ROUTE_REPLACE;
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://a/:x"), CTIE_HANDLER_OWNED(reply_one, &first, latch_destroy), NULL,
                                &old, NULL), CTIE_OK);
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://a/:y"), CTIE_HANDLER_OWNED(reply_one, &second, latch_destroy),
                                &options, &new, NULL), CTIE_OK);
    CHECK(latch_count(&first) == 1 && latch_count(&second) == 0);
    CHECK_STATUS(ctie_registration_release(old), CTIE_E_HANDLE);
    CHECK_STATUS(open_local(bus, "app://a/1"), CTIE_OK);
    CHECK_STATUS(ctie_registration_release(new), CTIE_OK);
    CHECK(latch_count(&second) == 1);
    CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
}

static void a_registration_dies_with_its_bus(void) {
    ctie_bus *bus = new_bus();
    ctie_registration *registration = NULL;
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://a"), CTIE_HANDLER(reply_one, NULL), NULL, &registration, NULL),
                 CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK_STATUS(ctie_registration_release(registration), CTIE_E_HANDLE);
}

/* A handler that waits until it is released, and records when it leaves. */
typedef struct visit {
    ctie_bus *bus;
    ctie_registration *registration;
    latch entered, leave, destroyed;
    int left;
} visit;

#define VISIT_INIT(bus) {bus, NULL, LATCH_INIT, LATCH_INIT, LATCH_INIT, 0}

static void stay(ctie_request *request, void *user_data) {
    (void)request;
    visit *own = user_data;
    latch_add(&own->entered);
    latch_wait(&own->leave, 1);
    for (int i = 0; i < 100; i++) { sched_yield(); }
    __atomic_store_n(&own->left, 1, __ATOMIC_SEQ_CST);
}

static void visit_destroy(void *user_data) {
    latch_add(&((visit *)user_data)->destroyed);
}

static void *open_stay(void *user_data) {
    CHECK_STATUS(open_local(((visit *)user_data)->bus, "app://stay"), CTIE_OK);
    return NULL;
}

static void *let_leave(void *user_data) {
    for (int i = 0; i < 100; i++) { sched_yield(); }
    latch_add(&((visit *)user_data)->leave);
    return NULL;
}

static void begin_visit(visit *own, pthread_t *visitor) {
    CHECK_STATUS(ctie_route_add(own->bus, CTIE_STR("app://stay"), CTIE_HANDLER_OWNED(stay, own, visit_destroy), NULL,
                                &own->registration, NULL), CTIE_OK);
    pthread_create(visitor, NULL, open_stay, own);
    latch_wait(&own->entered, 1);
}

static void removing_from_outside_waits(bool by_pattern) {
    visit own = VISIT_INIT(new_bus());
    pthread_t visitor, helper;
    begin_visit(&own, &visitor);
    pthread_create(&helper, NULL, let_leave, &own);
    CHECK_STATUS(by_pattern ? ctie_route_remove(own.bus, CTIE_STR("app://stay"), NULL)
                            : ctie_registration_release(own.registration), CTIE_OK);
    CHECK(__atomic_load_n(&own.left, __ATOMIC_SEQ_CST) == 1 && latch_count(&own.destroyed) == 1);
    pthread_join(helper, NULL);
    pthread_join(visitor, NULL);
    CHECK_STATUS(open_local(own.bus, "app://stay"), CTIE_E_BLOCKED);
    CHECK_STATUS(ctie_bus_release(own.bus), CTIE_OK);
    CHECK(latch_count(&own.destroyed) == 1);
}

static void remove_other(ctie_request *request, void *user_data) {
    (void)request;
    visit *own = user_data;
    CHECK_STATUS(ctie_registration_release(own->registration), CTIE_PENDING);
    CHECK_STATUS(open_local(own->bus, "app://stay"), CTIE_E_NO_ROUTE);
    CHECK(latch_count(&own->destroyed) == 0);
}

static void removing_inside_a_callback_never_waits(void) {
    visit own = VISIT_INIT(new_bus());
    pthread_t visitor;
    begin_visit(&own, &visitor);
    CHECK_STATUS(ctie_route_add(own.bus, CTIE_STR("app://other"), CTIE_HANDLER(remove_other, &own), NULL, NULL, NULL),
                 CTIE_OK);
    CHECK_STATUS(open_local(own.bus, "app://other"), CTIE_OK);
    CHECK(latch_count(&own.destroyed) == 0);
    latch_add(&own.leave);
    latch_wait(&own.destroyed, 1);
    pthread_join(visitor, NULL);
    CHECK_STATUS(ctie_bus_release(own.bus), CTIE_OK);
    CHECK(latch_count(&own.destroyed) == 1);
}

static void remove_self(ctie_request *request, void *user_data) {
    (void)request;
    visit *own = user_data;
    CHECK_STATUS(ctie_registration_release(own->registration), CTIE_PENDING);
    CHECK_STATUS(ctie_registration_release(own->registration), CTIE_E_HANDLE);
    CHECK(latch_count(&own->destroyed) == 0);
}

static void a_handler_may_remove_itself(void) {
    visit own = VISIT_INIT(new_bus());
    CHECK_STATUS(ctie_route_add(own.bus, CTIE_STR("app://self"), CTIE_HANDLER_OWNED(remove_self, &own, visit_destroy),
                                NULL, &own.registration, NULL), CTIE_OK);
    CHECK_STATUS(open_local(own.bus, "app://self"), CTIE_OK);
    CHECK(latch_count(&own.destroyed) == 1);
    CHECK_STATUS(open_local(own.bus, "app://self"), CTIE_E_BLOCKED);
    CHECK_STATUS(ctie_bus_release(own.bus), CTIE_OK);
}

/* ---- Opening, asking, generating by bad arguments ------------------------------------------------ */

static void opening_checks_its_arguments(void) {
    ctie_bus *bus = new_bus();
    ctie_value *text = ctie_value_string(CTIE_STR("no map"));
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    ctie_response *response = (ctie_response *)8;
    ctie_error *error = NULL;
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://a"), CTIE_HANDLER(reply_one, NULL), NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_open(NULL, CTIE_STR("app://a"), 1, NULL, &response, &error), CTIE_E_HANDLE);
    CHECK(response == NULL);
    ctie_error_release(error);
    options.user_info = text;
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://a"), 1, &options, NULL, NULL), CTIE_E_TYPE);
    CHECK_STATUS(ctie_open_async(bus, CTIE_STR("app://a"), 1, CTIE_COMPLETION(NULL, NULL), &options, NULL, NULL),
                 CTIE_E_TYPE);
    options.user_info = NULL;
    options.size = 8;
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://a"), 1, &options, NULL, NULL), CTIE_E_INVALID);
    options.size = sizeof options;
    options.parent = (ctie_request *)bus;
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://a"), 1, &options, NULL, NULL), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_open(bus, (ctie_str){NULL, 7}, 1, NULL, NULL, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://a/\xC3("), 1, NULL, NULL, NULL), CTIE_E_UTF8);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://a"), 2, NULL, NULL, NULL), CTIE_E_DENIED);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://a"), -1, NULL, NULL, NULL), CTIE_E_DENIED);
    ctie_value_release(text);
    CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
}

static void a_failure_has_response_and_error(void) {
    ctie_bus *bus = new_bus();
    ctie_response *response = NULL;
    ctie_error *error = NULL;
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://a b"), 1, NULL, &response, &error), CTIE_E_URL);
    CHECK_STATUS(ctie_response_status(response), CTIE_E_URL);
    CHECK(ctie_response_code(response) == ctie_status_code(CTIE_E_URL));
    CHECK(ctie_value_kind(ctie_response_value(response)) == CTIE_KIND_NULL);
    CHECK(text_is(ctie_error_location(error), "byte 7"));
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
    ctie_error_release(error);
    CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
}

static void asking_checks_its_arguments(void) {
    ctie_bus *bus = new_bus();
    ctie_opened_by opener = -1;
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://a"), CTIE_HANDLER(reply_one, NULL), NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_can_open(bus, CTIE_STR("app://a"), 1, CTIE_MATCH_DEFAULT, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_can_open(NULL, CTIE_STR("app://a"), 1, CTIE_MATCH_DEFAULT, &opener), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_can_open(bus, CTIE_STR("app://a"), 1, CTIE_MATCH_DEFAULT, &opener), CTIE_OK);
    CHECK(opener == CTIE_OPENED_BY_ROUTE);
    CHECK_STATUS(ctie_can_open(bus, CTIE_STR("\xFF"), 1, CTIE_MATCH_DEFAULT, &opener), CTIE_OK);
    CHECK(opener == CTIE_OPENED_BY_NONE);
    CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
}

static void generating_checks_its_arguments(void) {
    ctie_value *url = NULL, *number = ctie_value_int(1);
    ctie_error *error = NULL;
    CHECK_STATUS(ctie_generate(NULL, CTIE_STR("app://a"), NULL, NULL, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_generate((ctie_bus *)24, CTIE_STR("app://a"), NULL, &url, NULL), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_generate(NULL, (ctie_str){NULL, 1}, NULL, &url, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_generate(NULL, CTIE_STR("/a"), NULL, &url, NULL), CTIE_E_PATTERN);
    CHECK_STATUS(ctie_generate(NULL, CTIE_STR("app://a"), number, &url, NULL), CTIE_E_TYPE);
    CHECK_STATUS(ctie_generate(NULL, CTIE_STR("app://a/:id"), NULL, &url, &error), CTIE_E_PARAM);
    CHECK(text_is(ctie_error_location(error), "id") && url == NULL);
    ctie_error_release(error);
    ctie_value_release(number);
    CHECK_STATUS(ctie_generate(NULL, CTIE_STR("app://a"), NULL, &url, NULL), CTIE_OK);
    CHECK(ctie_value_kind(url) == CTIE_KIND_STRING);
    ctie_value_release(url);
}

/* ---- Matching ----------------------------------------------------------------------------------- */

/* A growing table keeps all of its texts: those too long to be in an entry, and suffixes. */
static void long_names_are_found_in_a_table_that_grows(void) {
    enum { ROUTES = 500 };
    ctie_bus *bus = new_bus();
    char text[128];
    for (int i = 0; i < ROUTES; i++) {
        snprintf(text, sizeof text, "app://host/a-segment-that-is-long-%d/:x.suffix%d", i, i);
        CHECK_STATUS(ctie_route_add(bus, ctie_str_from(text), CTIE_HANDLER(reply_one, NULL), NULL, NULL, NULL),
                     CTIE_OK);
    }
    for (int i = 0; i < ROUTES; i++) {
        snprintf(text, sizeof text, "app://host/a-segment-that-is-long-%d/name.suffix%d", i, i);
        CHECK_STATUS(open_local(bus, text), CTIE_OK);
        text[strlen(text) - 1] = 'x';
        CHECK_STATUS(open_local(bus, text), CTIE_E_NO_ROUTE);
    }
    CHECK_STATUS(open_local(bus, "app://host/a-segment-that-is-long-500/name.suffix500"), CTIE_E_NO_ROUTE);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* Every way down a tree of 2^LEVELS ways ends one segment early. A search of all of them would take the longer the more
   levels there are; it is given up, and what matches by the first way is found for all that. */
static void a_search_has_an_end(void) {
    enum { LEVELS = 13 };
    ctie_bus *bus = new_bus();
    char pattern[256], url[128] = "app://h";
    for (int mask = 0; mask < 1 << LEVELS; mask++) {
        strcpy(pattern, "app://h");
        for (int i = 0; i < LEVELS; i++) {
            sprintf(pattern + strlen(pattern), (mask >> i & 1) != 0 ? "/:p%d" : "/a", i);
        }
        strcat(pattern, "/end");
        CHECK_STATUS(ctie_route_add(bus, ctie_str_from(pattern), CTIE_HANDLER(reply_one, NULL), NULL, NULL, NULL),
                     CTIE_OK);
    }
    for (int i = 0; i < LEVELS; i++) { strcat(url, "/a"); }
    size_t size = strlen(url);
    strcpy(url + size, "/end");
    CHECK_STATUS(open_local(bus, url), CTIE_OK);
    strcpy(url + size, "/dead");
    CHECK_STATUS(open_local(bus, url), CTIE_E_LIMIT);
    CHECK_STATUS(open_local(bus, "app://h/b/b/b"), CTIE_E_NO_ROUTE);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

int main(void) {
    a_refused_handler_is_destroyed_once();
    a_route_without_owner_lives_as_long_as_its_bus();
    arguments_are_copied();
    a_removed_route_is_destroyed_once();
    a_replaced_route_is_destroyed_once();
    a_registration_dies_with_its_bus();
    removing_from_outside_waits(false);
    removing_from_outside_waits(true);
    removing_inside_a_callback_never_waits();
    a_handler_may_remove_itself();
    opening_checks_its_arguments();
    a_failure_has_response_and_error();
    asking_checks_its_arguments();
    generating_checks_its_arguments();
    long_names_are_found_in_a_table_that_grows();
    a_search_has_an_end();
    return check_end();
}
