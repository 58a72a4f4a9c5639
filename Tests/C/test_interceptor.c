/* Interceptors: ownership, removal while they run, nesting. */
#include "components.h"

#include <sched.h>
#include <stdatomic.h>

static ctie_bus *bus;
static ctie_request *kept;

static void new_bus(void) {
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
}

static void reply_one(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_reply(request, ctie_value_int(1)), CTIE_OK);
}

static void let_go_on(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_proceed(request), CTIE_OK);
}

static void hold(ctie_request *request, void *user_data) {
    CHECK_STATUS(ctie_request_retain(request), CTIE_OK);
    kept = request;
    latch_add(user_data);
}

static ctie_status open_local(const char *url) {
    return ctie_open(bus, ctie_str_from(url), CTIE_ORIGIN_LOCAL, without_end(), NULL, NULL);
}

static ctie_status add_with(const char *pattern, const ctie_handler *interceptors, size_t count, uint32_t flags,
                            ctie_registration **out) {
    ctie_route_options options = CTIE_ROUTE_OPTIONS_INIT;
    options.flags = flags;
    options.interceptors = interceptors;
    options.interceptor_count = count;
    return ctie_route_add(bus, ctie_str_from(pattern), CTIE_HANDLER(reply_one, NULL), &options, out, NULL);
}

/* ---- Ownership ---------------------------------------------------------------------------------- */

static void a_routes_interceptors_are_destroyed_once(void) {
    latch first = LATCH_INIT, second = LATCH_INIT;
    ctie_handler two[2] = {{let_go_on, &first, latch_destroy}, {let_go_on, &second, latch_destroy}};
    ctie_registration *registration = NULL;
    new_bus();
    CHECK_STATUS(add_with("app://a", two, 2, 0, &registration), CTIE_OK);
    CHECK_STATUS(open_local("app://a"), CTIE_OK);
    CHECK(latch_count(&first) == 0 && latch_count(&second) == 0);
    CHECK_STATUS(add_with("app://a", two, 2, 0, NULL), CTIE_E_CONFLICT);
    CHECK(latch_count(&first) == 1 && latch_count(&second) == 1);
    CHECK_STATUS(add_with("app://a", two, 2, CTIE_ROUTE_REPLACE, NULL), CTIE_OK);
    CHECK(latch_count(&first) == 2 && latch_count(&second) == 2);
    CHECK_STATUS(ctie_registration_release(registration), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_route_clear(bus), CTIE_OK);
    CHECK(latch_count(&first) == 3 && latch_count(&second) == 3);
    CHECK_STATUS(add_with("app://a", two, 2, 0, NULL), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(latch_count(&first) == 4 && latch_count(&second) == 4);
}

static void refused_interceptors_are_destroyed_once(void) {
    latch destroyed = LATCH_INIT;
    ctie_handler many[65], halves[2] = {{let_go_on, &destroyed, latch_destroy}, {NULL, &destroyed, latch_destroy}};
    for (int i = 0; i < 65; i++) { many[i] = halves[0]; }
    new_bus();
    CHECK_STATUS(add_with("app://a", many, 65, 0, NULL), CTIE_E_LIMIT);
    CHECK_STATUS(add_with("app://a", halves, 2, 0, NULL), CTIE_E_INVALID);
    CHECK_STATUS(add_with("app://a", NULL, 1, 0, NULL), CTIE_E_INVALID);
    CHECK_STATUS(open_local("app://a"), CTIE_E_BLOCKED);
    int before = latch_count(&destroyed);
    CHECK_STATUS(add_with("app://a/:", many, 64, 0, NULL), CTIE_E_PATTERN);
    CHECK_STATUS(add_with("app://a", many, 64, 0, NULL), CTIE_OK);
    CHECK(latch_count(&destroyed) == before + 64);
    CHECK_STATUS(ctie_interceptor_add(bus, CTIE_HANDLER_OWNED(NULL, &destroyed, latch_destroy), NULL, NULL, NULL),
                 CTIE_E_INVALID);
    CHECK_STATUS(ctie_interceptor_add(NULL, CTIE_HANDLER_OWNED(let_go_on, &destroyed, latch_destroy), NULL, NULL, NULL),
                 CTIE_E_HANDLE);
    CHECK(latch_count(&destroyed) == before + 66);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(latch_count(&destroyed) == before + 130);
}

static ctie_status add_component(const char *name, const ctie_handler *interceptors, uint32_t flags) {
    ctie_component_options options = CTIE_COMPONENT_OPTIONS_INIT;
    ctie_action receives = action_of("receives", reply_one, NULL, CTIE_ACTION_EVENT);
    options.flags = flags;
    options.interceptors = interceptors;
    options.interceptor_count = 2;
    return ctie_component_add(bus, ctie_str_from(name), (ctie_action_list){&receives, 1}, CTIE_INSTANCE(NULL), &options,
                              NULL, NULL);
}

static void a_components_interceptors_are_destroyed_once(void) {
    latch destroyed = LATCH_INIT;
    ctie_handler two[2] = {{let_go_on, &destroyed, latch_destroy}, {let_go_on, &destroyed, latch_destroy}};
    new_bus();
    CHECK_STATUS(add_component("a", two, 0), CTIE_OK);
    CHECK_STATUS(call_now(bus, "a", "receives"), CTIE_OK);
    CHECK(latch_count(&destroyed) == 0);
    CHECK_STATUS(add_component("a", two, 0), CTIE_E_CONFLICT);
    CHECK(latch_count(&destroyed) == 2);
    CHECK_STATUS(add_component("a", two, CTIE_COMPONENT_REPLACE), CTIE_OK);
    CHECK(latch_count(&destroyed) == 4);
    CHECK_STATUS(ctie_component_remove(bus, CTIE_STR("a"), NULL), CTIE_OK);
    CHECK(latch_count(&destroyed) == 6);
    CHECK_STATUS(add_component("a", two, 0), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(latch_count(&destroyed) == 8);
}

/* However many components handle it. */
static void a_broadcasts_interceptors_are_destroyed_once(void) {
    static const char *const NAMES[] = {"a", "b", "c"};
    latch destroyed = LATCH_INIT;
    ctie_handler two[2] = {{let_go_on, &destroyed, latch_destroy}, {let_go_on, &destroyed, latch_destroy}};
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.interceptors = two;
    options.interceptor_count = 2;
    new_bus();
    for (int i = 0; i <= 3; i++) {
        CHECK_STATUS(ctie_component_broadcast(bus, CTIE_STR("receives"), NULL, &options, NULL, NULL), CTIE_OK);
        CHECK(latch_count(&destroyed) == 2 * i + 2);
        if (i < 3) { add_action(bus, NAMES[i], "receives", reply_one, NULL, CTIE_ACTION_EVENT); }
    }
    CHECK_STATUS(ctie_component_broadcast(bus, CTIE_STR("no name"), NULL, &options, NULL, NULL), CTIE_E_IDENTIFIER);
    CHECK(latch_count(&destroyed) == 10);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(latch_count(&destroyed) == 10);
}

static void a_requests_interceptors_are_destroyed_once(void) {
    latch destroyed = LATCH_INIT, taken = LATCH_INIT;
    ctie_handler one = {let_go_on, &destroyed, latch_destroy};
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    ctie_value *number = ctie_value_int(1);
    ctie_call *call = NULL;
    options.interceptors = &one;
    options.interceptor_count = 1;
    new_bus();
    CHECK_STATUS(add_with("app://a", NULL, 0, 0, NULL), CTIE_OK);
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://hold"), CTIE_HANDLER(hold, &taken), NULL, NULL, NULL), CTIE_OK);
    const char *urls[] = {"app://a", "app://b", "app://a b", "other://a"};
    for (int i = 0; i < 4; i++) {
        ctie_open(bus, ctie_str_from(urls[i]), CTIE_ORIGIN_LOCAL, &options, NULL, NULL);
        CHECK(latch_count(&destroyed) == i + 1);
    }
    CHECK_STATUS(ctie_open(NULL, CTIE_STR("app://a"), CTIE_ORIGIN_LOCAL, &options, NULL, NULL), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_open_async(bus, CTIE_STR("app://a b"), 1, CTIE_COMPLETION(NULL, NULL), &options, NULL, NULL),
                 CTIE_E_URL);
    CHECK_STATUS(ctie_open(bus, (ctie_str){NULL, 5}, CTIE_ORIGIN_LOCAL, &options, NULL, NULL), CTIE_E_INVALID);
    options.user_info = number;
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://a"), CTIE_ORIGIN_LOCAL, &options, NULL, NULL), CTIE_E_TYPE);
    CHECK_STATUS(ctie_open_async(bus, CTIE_STR("app://a"), 1, CTIE_COMPLETION(NULL, NULL), &options, NULL, NULL),
                 CTIE_E_TYPE);
    options.user_info = NULL;
    options.parent = (ctie_request *)bus;
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://a"), CTIE_ORIGIN_LOCAL, &options, NULL, NULL), CTIE_E_HANDLE);
    options.parent = NULL;
    CHECK(latch_count(&destroyed) == 10);
    CHECK_STATUS(ctie_open_async(bus, CTIE_STR("app://hold"), 1, CTIE_COMPLETION(NULL, NULL), &options, &call, NULL),
                 CTIE_OK);
    latch_wait(&taken, 1);
    CHECK_STATUS(ctie_request_reply(kept, ctie_value_null()), CTIE_OK);
    CHECK_STATUS(ctie_request_release(kept), CTIE_OK);
    CHECK_STATUS(ctie_call_release(call), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(latch_count(&destroyed) == 11);
    ctie_value_release(number);
}

static void a_bus_has_so_many_interceptors(void) {
    enum { MOST = 1024 };
    latch destroyed = LATCH_INIT;
    int added = 0;
    new_bus();
    while (added < MOST && ctie_interceptor_add(bus, CTIE_HANDLER_OWNED(let_go_on, &destroyed, latch_destroy), NULL,
                                                NULL, NULL) == CTIE_OK) { added++; }
    CHECK(added == MOST && latch_count(&destroyed) == 0);
    CHECK_STATUS(ctie_interceptor_add(bus, CTIE_HANDLER_OWNED(let_go_on, &destroyed, latch_destroy), NULL, NULL, NULL),
                 CTIE_E_LIMIT);
    CHECK(latch_count(&destroyed) == 1);
    CHECK_STATUS(add_with("app://a", NULL, 0, 0, NULL), CTIE_OK);
    CHECK_STATUS(open_local("app://a"), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(latch_count(&destroyed) == 1 + MOST);
}

/* ---- Removing ----------------------------------------------------------------------------------- */

typedef struct visit {
    ctie_registration *registration;
    latch entered, leave, destroyed;
    atomic_bool left;
} visit;

#define VISIT_INIT {NULL, LATCH_INIT, LATCH_INIT, LATCH_INIT, false}

static void stay(ctie_request *request, void *user_data) {
    visit *own = user_data;
    CHECK_STATUS(ctie_request_proceed(request), CTIE_OK);
    latch_add(&own->entered);
    latch_wait(&own->leave, 1);
    for (int i = 0; i < 100; i++) { sched_yield(); }
    own->left = true;
}

static void visit_destroy(void *user_data) {
    visit *own = user_data;
    CHECK(own->left);
    latch_add(&own->destroyed);
}

static void *open_a(void *status) {
    *(ctie_status *)status = open_local("app://a");
    return NULL;
}

static void *let_leave(void *user_data) {
    for (int i = 0; i < 100; i++) { sched_yield(); }
    latch_add(&((visit *)user_data)->leave);
    return NULL;
}

static void removing_waits_for_an_interceptor_that_runs(void) {
    visit own = VISIT_INIT;
    ctie_status status = CTIE_E_INVALID;
    pthread_t opener, helper;
    new_bus();
    CHECK_STATUS(ctie_interceptor_add(bus, CTIE_HANDLER_OWNED(stay, &own, visit_destroy), NULL, &own.registration,
                                      NULL), CTIE_OK);
    CHECK_STATUS(add_with("app://a", NULL, 0, 0, NULL), CTIE_OK);
    pthread_create(&opener, NULL, open_a, &status);
    latch_wait(&own.entered, 1);
    pthread_create(&helper, NULL, let_leave, &own);
    CHECK_STATUS(ctie_registration_release(own.registration), CTIE_OK);
    CHECK(own.left && latch_count(&own.destroyed) == 1);
    pthread_join(opener, NULL);
    pthread_join(helper, NULL);
    CHECK_STATUS(status, CTIE_OK);
    CHECK_STATUS(open_local("app://a"), CTIE_OK);
    CHECK(latch_count(&own.entered) == 1);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* A route that goes while its interceptor runs takes the interceptor's data with it only afterwards. */
static void a_route_is_removed_while_its_interceptor_runs(void) {
    visit own = VISIT_INIT;
    ctie_handler one = {stay, &own, visit_destroy};
    ctie_status status = CTIE_E_INVALID;
    pthread_t opener, helper;
    new_bus();
    CHECK_STATUS(add_with("app://a", &one, 1, 0, NULL), CTIE_OK);
    pthread_create(&opener, NULL, open_a, &status);
    latch_wait(&own.entered, 1);
    pthread_create(&helper, NULL, let_leave, &own);
    CHECK_STATUS(ctie_route_remove(bus, CTIE_STR("app://a"), NULL), CTIE_OK);
    CHECK(own.left && latch_count(&own.destroyed) == 1);
    pthread_join(opener, NULL);
    pthread_join(helper, NULL);
    CHECK(status == CTIE_OK || status == CTIE_E_NO_ROUTE || status == CTIE_E_BLOCKED);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(latch_count(&own.destroyed) == 1);
}

/* ---- Depth -------------------------------------------------------------------------------------- */

static atomic_int deepest;

/* Each request opens the next inside its interceptor, until the library says that it is enough. */
static void open_deeper(ctie_request *request, void *user_data) {
    (void)user_data;
    atomic_fetch_add(&deepest, 1);
    ctie_status status = open_local("app://a");
    CHECK(status == CTIE_OK || status == CTIE_E_DEPTH);
    CHECK_STATUS(ctie_request_proceed(request), CTIE_OK);
}

static void interceptors_nest_so_deep(void) {
    new_bus();
    CHECK_STATUS(ctie_interceptor_add(bus, CTIE_HANDLER(open_deeper, NULL), NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(add_with("app://a", NULL, 0, 0, NULL), CTIE_OK);
    CHECK_STATUS(open_local("app://a"), CTIE_OK);
    CHECK(deepest == 64);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

int main(void) {
    a_routes_interceptors_are_destroyed_once();
    refused_interceptors_are_destroyed_once();
    a_components_interceptors_are_destroyed_once();
    a_broadcasts_interceptors_are_destroyed_once();
    a_requests_interceptors_are_destroyed_once();
    a_bus_has_so_many_interceptors();
    removing_waits_for_an_interceptor_that_runs();
    a_route_is_removed_while_its_interceptor_runs();
    interceptors_nest_so_deep();
    return check_end();
}
