/* Requests and responses: asking, answering, keeping, and ending from elsewhere. */
#include "check.h"
#include "latch.h"

#include <stdlib.h>

static ctie_bus *bus;

static void add(const char *pattern, ctie_handler_fn handler, void *user_data) {
    ctie_route_options options = CTIE_ROUTE_OPTIONS_INIT;
    options.flags = CTIE_ROUTE_PUBLIC | CTIE_ROUTE_REPLACE;
    CHECK_STATUS(ctie_route_add(bus, ctie_str_from(pattern), CTIE_HANDLER(handler, user_data), &options, NULL, NULL),
                 CTIE_OK);
}

static ctie_status open_local(const char *url, ctie_response **response) {
    return ctie_open(bus, ctie_str_from(url), CTIE_ORIGIN_LOCAL, without_end(), response, NULL);
}

/* ---- Asking ------------------------------------------------------------------------------------- */

/* A missing item leaves the caller's default; a present one replaces it. */
static void ask_with_defaults(const ctie_request *request) {
    ctie_str name = CTIE_STR("a name"), text = CTIE_STR("you");
    const ctie_value *value = (const ctie_value *)&bus;
    CHECK_STATUS(ctie_request_param(request, CTIE_STR("none"), &text), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_request_param(request, CTIE_STR("twice"), &text), CTIE_E_DUPLICATE);
    CHECK_STATUS(ctie_request_path_param_at(request, 2, &name, &text), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_request_query_at(request, 99, &name, &text), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_request_url(request, CTIE_URL_FRAGMENT + 1, &text), CTIE_E_INVALID);
    CHECK_STATUS(ctie_request_rule(request, &value), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_request_arguments(request, &value), CTIE_E_NOT_FOUND);
    CHECK(text_is(name, "a name") && text_is(text, "you") && value == (const ctie_value *)&bus);
    CHECK_STATUS(ctie_request_param(request, CTIE_STR("id"), &text), CTIE_OK);
    CHECK(text_is(text, "4 2"));
    CHECK_STATUS(ctie_request_query_at(request, 0, &name, &text), CTIE_OK);
    CHECK(text_is(name, "tab") && text_is(text, "posts"));
}

static void ask_parameters(ctie_request *request) {
    ask_with_defaults(request);
    ctie_str name, text;
    CHECK_STATUS(ctie_request_param(request, CTIE_STR("id"), &text), CTIE_OK);
    CHECK(text_is(text, "4 2"));
    CHECK_STATUS(ctie_request_param(request, CTIE_STR("tab"), &text), CTIE_OK);
    CHECK(text_is(text, "posts"));
    CHECK_STATUS(ctie_request_param(request, CTIE_STR("twice"), &text), CTIE_E_DUPLICATE);
    CHECK_STATUS(ctie_request_param(request, CTIE_STR("none"), &text), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_request_param(request, CTIE_STR(""), &text), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_request_param(request, CTIE_STR("id"), NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_request_path_param_at(request, 0, &name, &text), CTIE_OK);
    CHECK(text_is(name, "id") && text_is(text, "4 2"));
    CHECK_STATUS(ctie_request_path_param_at(request, 1, NULL, &text), CTIE_OK);
    CHECK(text_is(text, "a/b"));
    CHECK_STATUS(ctie_request_path_param_at(request, 2, &name, &text), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_request_path_param_at(request, SIZE_MAX, &name, &text), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_request_path_param_at(request, 0, &name, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_request_query_at(request, 1, &name, &text), CTIE_OK);
    CHECK(text_is(name, "twice") && text_is(text, "1"));
    CHECK_STATUS(ctie_request_query_at(request, 2, NULL, &text), CTIE_OK);
    CHECK(text_is(text, "2"));
    CHECK_STATUS(ctie_request_query_at(request, 3, &name, &text), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_request_query_at(request, SIZE_MAX, &name, &text), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_request_query_at(request, 0, &name, NULL), CTIE_E_INVALID);
}

static void ask_url(ctie_request *request) {
    static const char *const PARTS[] = {"app://users/4%202/a/b?tab=posts&twice=1&twice=2#top", "app", "users",
                                        "/4%202/a/b", "tab=posts&twice=1&twice=2", "top"};
    ctie_str text;
    for (ctie_url_part part = CTIE_URL_WHOLE; part <= CTIE_URL_FRAGMENT; part++) {
        CHECK_STATUS(ctie_request_url(request, part, &text), CTIE_OK);
        CHECK(text_is(text, PARTS[part]));
    }
    CHECK_STATUS(ctie_request_url(request, -1, &text), CTIE_E_INVALID);
    CHECK_STATUS(ctie_request_url(request, CTIE_URL_FRAGMENT + 1, &text), CTIE_E_INVALID);
    CHECK_STATUS(ctie_request_url(request, CTIE_URL_HOST, NULL), CTIE_E_INVALID);
}

static void ask_circumstances(ctie_request *request) {
    ctie_str text;
    ctie_origin origin = -1;
    const ctie_value *info = NULL;
    ctie_bus *found = NULL;
    bool ended = true;
    CHECK_STATUS(ctie_request_pattern(request, &text), CTIE_OK);
    CHECK(text_is(text, "app://users/:id/*rest"));
    CHECK_STATUS(ctie_request_pattern(request, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_request_origin(request, &origin), CTIE_OK);
    CHECK(origin == CTIE_ORIGIN_LOCAL);
    CHECK_STATUS(ctie_request_origin(request, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_request_user_info(request, &info), CTIE_OK);
    CHECK(ctie_value_kind(info) == CTIE_KIND_NULL);
    CHECK_STATUS(ctie_request_user_info(request, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_request_bus(request, &found), CTIE_OK);
    CHECK(found == bus);
    CHECK_STATUS(ctie_request_bus(request, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_request_is_ended(request, &ended), CTIE_OK);
    CHECK(!ended);
    CHECK_STATUS(ctie_request_is_ended(request, NULL), CTIE_E_INVALID);
}

static ctie_request *remembered;

static void ask_everything(ctie_request *request, void *user_data) {
    (void)user_data;
    remembered = request;
    ask_parameters(request);
    ask_url(request);
    ask_circumstances(request);
}

/* Each asking function on something that is no request (any more). */
static void ask_nobody(ctie_request *none) {
    ctie_str text;
    ctie_origin origin;
    const ctie_value *info;
    ctie_bus *found;
    bool ended;
    CHECK_STATUS(ctie_request_param(none, CTIE_STR("id"), &text), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_request_path_param_at(none, 0, NULL, &text), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_request_query_at(none, 0, NULL, &text), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_request_url(none, CTIE_URL_WHOLE, &text), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_request_pattern(none, &text), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_request_origin(none, &origin), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_request_user_info(none, &info), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_request_bus(none, &found), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_request_is_ended(none, &ended), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_request_reply(none, ctie_value_string(CTIE_STR("taken all the same"))), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_request_fail(none, 1, ctie_value_string(CTIE_STR("this too")), CTIE_STR("")), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_request_decline(none), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_request_retain(none), CTIE_E_HANDLE);
    if (none != NULL) { CHECK_STATUS(ctie_request_release(none), CTIE_E_HANDLE); }
}

static void a_request_answers_questions_while_it_lives(void) {
    add("app://users/:id/*rest", ask_everything, NULL);
    CHECK_STATUS(open_local("APP://Users/4%202/a/b?tab=posts&twice=1&twice=2#top", NULL), CTIE_OK);
    ask_nobody(remembered);
    ask_nobody(NULL);
    ask_nobody((ctie_request *)bus);
    ask_nobody((ctie_request *)(uintptr_t)0xFFFFFFF8);
    CHECK_STATUS(ctie_request_release(NULL), CTIE_OK);
}

static void ask_bare(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_str text;
    CHECK_STATUS(ctie_request_url(request, CTIE_URL_QUERY, &text), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_request_url(request, CTIE_URL_FRAGMENT, &text), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_request_url(request, CTIE_URL_HOST, &text), CTIE_OK);
    CHECK(text.size == 0);
    CHECK_STATUS(ctie_request_path_param_at(request, 0, NULL, &text), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_request_query_at(request, 0, NULL, &text), CTIE_E_NOT_FOUND);
}

static void missing_url_parts_are_not_found(void) {
    add("app:///bare", ask_bare, NULL);
    CHECK_STATUS(open_local("app:/bare", NULL), CTIE_OK);
}

/* ---- Answering ---------------------------------------------------------------------------------- */

static void answer_badly_first(ctie_request *request, void *user_data) {
    (void)user_data;
    char *big = calloc(65537, 1);
    memset(big, 'm', 65537);
    CHECK_STATUS(ctie_request_reply(request, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_request_fail(request, 1, ctie_value_string(CTIE_STR("value")), CTIE_STR("\xFF")), CTIE_E_UTF8);
    CHECK_STATUS(ctie_request_fail(request, 1, ctie_value_string(CTIE_STR("value")), (ctie_str){big, 65537}),
                 CTIE_E_LIMIT);
    CHECK_STATUS(ctie_request_fail(request, 1, NULL, (ctie_str){NULL, 3}), CTIE_E_INVALID);
    CHECK_STATUS(ctie_request_release(request), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_request_fail(request, 77, ctie_value_string(CTIE_STR("value")), (ctie_str){big, 65536}), CTIE_OK);
    CHECK_STATUS(ctie_request_reply(request, ctie_value_string(CTIE_STR("too late"))), CTIE_E_ALREADY);
    CHECK_STATUS(ctie_request_fail(request, 78, NULL, CTIE_STR("")), CTIE_E_ALREADY);
    CHECK_STATUS(ctie_request_decline(request), CTIE_E_ALREADY);
    bool ended = false;
    CHECK_STATUS(ctie_request_is_ended(request, &ended), CTIE_OK);
    CHECK(ended);
    free(big);
}

static void a_refused_answer_leaves_the_request_open(void) {
    ctie_response *response = NULL;
    ctie_str value;
    add("app://badly", answer_badly_first, NULL);
    CHECK_STATUS(open_local("app://badly", &response), CTIE_E_HANDLER);
    CHECK_STATUS(ctie_response_status(response), CTIE_E_HANDLER);
    CHECK(ctie_response_code(response) == 77 && ctie_response_message(response).size == 65536);
    CHECK_STATUS(ctie_value_get_string(ctie_response_value(response), &value), CTIE_OK);
    CHECK(text_is(value, "value"));
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
}

static void a_released_response_is_empty(void) {
    ctie_response *response = NULL;
    CHECK_STATUS(open_local("app://nowhere", &response), CTIE_E_NO_ROUTE);
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
    ctie_response *const none[] = {response, NULL, (ctie_response *)bus, (ctie_response *)16};
    for (size_t i = 0; i < 4; i++) {
        CHECK_STATUS(ctie_response_status(none[i]), CTIE_E_HANDLE);
        CHECK(ctie_response_code(none[i]) == 0 && ctie_response_value(none[i]) == NULL);
        CHECK(ctie_response_message(none[i]).size == 0);
        if (none[i] != NULL) { CHECK_STATUS(ctie_response_release(none[i]), CTIE_E_HANDLE); }
    }
    CHECK_STATUS(ctie_response_release(NULL), CTIE_OK);
}

/* ---- Keeping ------------------------------------------------------------------------------------ */

static void keep(ctie_request *request, void *user_data) {
    CHECK_STATUS(ctie_request_retain(request), CTIE_OK);
    CHECK_STATUS(ctie_request_decline(request), CTIE_E_ALREADY);
    remembered = request;
    latch_add(user_data);
}

static void *decline_from_elsewhere(void *request) {
    CHECK_STATUS(ctie_request_decline(request), CTIE_E_INVALID);
    return NULL;
}

static void decline_on_another_thread(ctie_request *request, void *user_data) {
    (void)user_data;
    pthread_t other;
    pthread_create(&other, NULL, decline_from_elsewhere, request);
    pthread_join(other, NULL);
}

static void declining_is_for_the_handlers_thread(void) {
    add("app://elsewhere", decline_on_another_thread, NULL);
    CHECK_STATUS(open_local("app://elsewhere", NULL), CTIE_OK);
}

static void *answer_kept(void *user_data) {
    latch_wait(user_data, 1);
    ctie_str text;
    CHECK_STATUS(ctie_request_param(remembered, CTIE_STR("id"), &text), CTIE_OK);
    CHECK(text_is(text, "kept"));
    CHECK_STATUS(ctie_request_reply(remembered, ctie_value_string(text)), CTIE_OK);
    CHECK_STATUS(ctie_request_release(remembered), CTIE_OK);
    return NULL;
}

static void a_kept_request_is_answered_by_another_thread(void) {
    latch kept = LATCH_INIT;
    pthread_t other;
    ctie_response *response = NULL;
    ctie_str value;
    add("app://keep/:id", keep, &kept);
    pthread_create(&other, NULL, answer_kept, &kept);
    CHECK_STATUS(open_local("app://keep/kept", &response), CTIE_OK);
    pthread_join(other, NULL);
    CHECK_STATUS(ctie_value_get_string(ctie_response_value(response), &value), CTIE_OK);
    CHECK(text_is(value, "kept"));
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
    ask_nobody(remembered);
}

static void a_late_answer_gets_already(void) {
    latch kept = LATCH_INIT;
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    char url[] = "app://keep/late";
    ctie_str text;
    bool ended = false;
    options.timeout_ms = SOON_MS;
    add("app://keep/:id", keep, &kept);
    CHECK_STATUS(ctie_open(bus, ctie_str_from(url), CTIE_ORIGIN_LOCAL, &options, NULL, NULL), CTIE_E_TIMEOUT);
    memset(url, 'x', sizeof url);
    CHECK_STATUS(ctie_request_is_ended(remembered, &ended), CTIE_OK);
    CHECK(ended);
    CHECK_STATUS(ctie_request_param(remembered, CTIE_STR("id"), &text), CTIE_OK);
    CHECK(text_is(text, "late"));
    CHECK_STATUS(ctie_request_reply(remembered, ctie_value_string(text)), CTIE_E_ALREADY);
    CHECK_STATUS(ctie_request_fail(remembered, 1, NULL, text), CTIE_E_ALREADY);
    CHECK_STATUS(ctie_request_release(remembered), CTIE_OK);
    CHECK_STATUS(ctie_request_release(remembered), CTIE_E_HANDLE);
}

static void retain_to_the_limit(ctie_request *request, void *user_data) {
    (void)user_data;
    int kept = 0;
    ctie_status status;
    while ((status = ctie_request_retain(request)) == CTIE_OK) { kept++; }
    CHECK_STATUS(status, CTIE_E_LIMIT);
    CHECK(kept > 65000 && kept <= 65535);
    for (int i = 1; i < kept; i++) {
        if (ctie_request_release(request) != CTIE_OK) { kept = 0; }
    }
    CHECK(kept > 0);
    CHECK_STATUS(ctie_request_reply(request, ctie_value_int(1)), CTIE_OK);
    CHECK_STATUS(ctie_request_release(request), CTIE_OK);
    CHECK_STATUS(ctie_request_release(request), CTIE_E_HANDLE);
}

static void references_have_a_limit(void) {
    add("app://limit", retain_to_the_limit, NULL);
    CHECK_STATUS(open_local("app://limit", NULL), CTIE_OK);
}

/* ---- Parents ------------------------------------------------------------------------------------ */

static void see_origin(ctie_request *request, void *user_data) {
    CHECK_STATUS(ctie_request_origin(request, user_data), CTIE_OK);
}

static void a_named_parent_hands_its_origin_down(void) {
    latch kept = LATCH_INIT;
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    ctie_origin seen = -1;
    ctie_call *call = NULL;
    add("app://keep/:id", keep, &kept);
    add("app://see", see_origin, &seen);
    CHECK_STATUS(ctie_open_async(bus, CTIE_STR("app://keep/1"), CTIE_ORIGIN_REMOTE, CTIE_COMPLETION(NULL, NULL), NULL,
                                 &call, NULL), CTIE_OK);
    latch_wait(&kept, 1);
    options.parent = remembered;
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://see"), CTIE_ORIGIN_LOCAL, &options, NULL, NULL), CTIE_OK);
    CHECK(seen == CTIE_ORIGIN_REMOTE);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://see"), CTIE_ORIGIN_LOCAL, NULL, NULL, NULL), CTIE_OK);
    CHECK(seen == CTIE_ORIGIN_LOCAL);
    CHECK_STATUS(ctie_request_release(remembered), CTIE_OK);
    CHECK_STATUS(ctie_call_wait(call, -1, NULL), CTIE_OK);
    CHECK_STATUS(ctie_call_release(call), CTIE_OK);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://see"), CTIE_ORIGIN_LOCAL, &options, NULL, NULL), CTIE_E_HANDLE);
}

int main(void) {
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    a_request_answers_questions_while_it_lives();
    missing_url_parts_are_not_found();
    a_refused_answer_leaves_the_request_open();
    a_released_response_is_empty();
    declining_is_for_the_handlers_thread();
    a_kept_request_is_answered_by_another_thread();
    a_late_answer_gets_already();
    references_have_a_limit();
    a_named_parent_hands_its_origin_down();
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    return check_end();
}
