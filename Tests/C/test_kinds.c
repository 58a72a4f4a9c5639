/* Interceptors at the kinds that they are for, and what they change for the stages after them; statistics. */
#include "check.h"
#include "latch.h"

#include <stdatomic.h>

static ctie_bus *bus;
static char trail[256];

/* ---- Helpers ------------------------------------------------------------------------------------ */

static void leave(const char *step) {
    snprintf(trail + strlen(trail), sizeof trail - strlen(trail), "%s ", step);
}

static bool trail_is(const char *expected) {
    bool is = strcmp(trail, expected) == 0;
    if (!is) { fprintf(stderr, "    the trail is %s\n", trail); }
    trail[0] = 0;
    return is;
}

static void pass(ctie_request *request, void *user_data) {
    leave(user_data);
    CHECK_STATUS(ctie_request_proceed(request), CTIE_OK);
}

static void reply(ctie_request *request, void *user_data) {
    leave(user_data);
    CHECK_STATUS(ctie_request_reply(request, ctie_value_null()), CTIE_OK);
}

static void add_route(const char *pattern, ctie_handler_fn handler, void *user_data) {
    CHECK_STATUS(ctie_route_add(bus, ctie_str_from(pattern), CTIE_HANDLER(handler, user_data), NULL, NULL, NULL),
                 CTIE_OK);
}

static ctie_status add_interceptor(ctie_handler_fn fn, void *user_data, int32_t order, uint32_t kinds,
                                   ctie_registration **out) {
    ctie_interceptor_options options = CTIE_INTERCEPTOR_OPTIONS_INIT;
    options.order = order;
    options.kinds = kinds;
    return ctie_interceptor_add(bus, CTIE_HANDLER(fn, user_data), &options, out, NULL);
}

static void new_bus(uint32_t flags) {
    ctie_bus_options options = CTIE_BUS_OPTIONS_INIT;
    options.flags = flags;
    CHECK_STATUS(ctie_bus_new(&options, &bus, NULL), CTIE_OK);
}

static void add_home(ctie_handler_fn fn, void *user_data, const ctie_handler *interceptors, size_t count) {
    ctie_action greet = {CTIE_STR("greet"), fn, user_data, 0, {NULL, 0}};
    ctie_component_options options = CTIE_COMPONENT_OPTIONS_INIT;
    options.interceptors = interceptors;
    options.interceptor_count = count;
    CHECK_STATUS(ctie_component_add(bus, CTIE_STR("home"), (ctie_action_list){&greet, 1}, CTIE_INSTANCE(NULL), &options,
                                    NULL, NULL), CTIE_OK);
}

static ctie_status call(const char *action, const ctie_value *params, ctie_response **response) {
    return ctie_component_call(bus, (ctie_target){CTIE_STR("home"), ctie_str_from(action)}, params, NULL, response,
                               NULL);
}

static ctie_status open_x(void) {
    return ctie_open(bus, CTIE_STR("app://x"), CTIE_ORIGIN_LOCAL, NULL, NULL, NULL);
}

/* ---- Kinds -------------------------------------------------------------------------------------- */

static void an_interceptor_sees_its_kinds(void) {
    ctie_registration *both = NULL;
    new_bus(0);
    add_route("app://x", reply, "route");
    add_home(reply, "action", NULL, 0);
    CHECK_STATUS(add_interceptor(pass, "calls", 2, CTIE_INTERCEPT_CALL, NULL), CTIE_OK);
    CHECK_STATUS(add_interceptor(pass, "opens", 1, CTIE_INTERCEPT_OPEN, NULL), CTIE_OK);
    CHECK_STATUS(open_x(), CTIE_OK);
    CHECK(trail_is("opens route "));
    CHECK_STATUS(call("greet", NULL, NULL), CTIE_OK);
    CHECK(trail_is("calls action "));
    CHECK_STATUS(add_interceptor(pass, "both", 0, CTIE_INTERCEPT_OPEN | CTIE_INTERCEPT_CALL, &both), CTIE_OK);
    CHECK_STATUS(add_interceptor(pass, "all", 3, 0, NULL), CTIE_OK);
    CHECK_STATUS(add_interceptor(pass, "events", 4, CTIE_INTERCEPT_EVENT | CTIE_INTERCEPT_PERFORM, NULL), CTIE_OK);
    CHECK_STATUS(add_interceptor(pass, "no", 3, 1 << 8, NULL), CTIE_E_INVALID);
    CHECK_STATUS(open_x(), CTIE_OK);
    CHECK(trail_is("both opens all route "));
    CHECK_STATUS(ctie_registration_release(both), CTIE_OK);
    CHECK_STATUS(call("greet", NULL, NULL), CTIE_OK);
    CHECK(trail_is("calls all action "));
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void a_components_own_come_last(void) {
    ctie_handler of_component[2] = {{pass, "first", NULL}, {pass, "second", NULL}}, own = {pass, "own", NULL};
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.interceptors = &own;
    options.interceptor_count = 1;
    new_bus(0);
    add_home(reply, "action", of_component, 2);
    CHECK_STATUS(add_interceptor(pass, "bus", 0, 0, NULL), CTIE_OK);
    CHECK_STATUS(ctie_component_call(bus, CTIE_TARGET("home", "greet"), NULL, &options, NULL, NULL), CTIE_OK);
    CHECK(trail_is("own bus first second action "));
    CHECK_STATUS(call("none", NULL, NULL), CTIE_E_NO_ACTION);
    CHECK(trail_is("bus "));
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void rewrite(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_rewrite(request, CTIE_STR("app://x"), NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_request_proceed(request), CTIE_OK);
}

static void a_call_has_no_url_to_rewrite(void) {
    new_bus(0);
    add_home(reply, "action", NULL, 0);
    CHECK_STATUS(add_interceptor(rewrite, NULL, 0, 0, NULL), CTIE_OK);
    CHECK_STATUS(call("greet", NULL, NULL), CTIE_OK);
    CHECK(trail_is("action "));
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* ---- What is changed on the way ----------------------------------------------------------------- */

static ctie_value *map_of(const char *key, ctie_value *value) {
    ctie_pair pair = {ctie_str_from(key), value};
    return ctie_value_map(&pair, 1);
}

static void change(ctie_request *request, void *user_data) {
    ctie_str before = {NULL, 0}, after = {NULL, 0};
    const ctie_value *info = NULL;
    (void)user_data;
    CHECK_STATUS(ctie_request_param(request, CTIE_STR("who"), &before), CTIE_OK);
    CHECK_STATUS(ctie_request_set_params(request, ctie_value_int(1)), CTIE_E_TYPE);
    CHECK_STATUS(ctie_request_set_params(request, NULL), CTIE_E_INVALID);
    ctie_value *other = ctie_value_string(CTIE_STR("somebody with a long name"));
    CHECK_STATUS(ctie_request_set_params(request, map_of("who", other)), CTIE_OK);
    CHECK_STATUS(ctie_request_set_user_info(request, map_of("by", ctie_value_int(5))), CTIE_OK);
    CHECK_STATUS(ctie_request_param(request, CTIE_STR("who"), &after), CTIE_OK);
    CHECK_STATUS(ctie_request_user_info(request, &info), CTIE_OK);
    CHECK(text_is(before, "the caller, who has a long name") && text_is(after, "somebody with a long name"));
    CHECK_STATUS(ctie_request_proceed(request), CTIE_OK);
    CHECK_STATUS(ctie_request_set_params(request, ctie_value_null()), CTIE_E_ALREADY);
}

static void expect_changed(ctie_request *request, void *user_data) {
    ctie_str who = {NULL, 0};
    const ctie_value *info = NULL, *raw = NULL;
    int64_t by = 0;
    CHECK_STATUS(ctie_request_param(request, CTIE_STR("who"), &who), CTIE_OK);
    CHECK(text_is(who, "somebody with a long name"));
    CHECK_STATUS(ctie_request_user_info(request, &info), CTIE_OK);
    CHECK_STATUS(ctie_value_get_int(ctie_value_get(info, CTIE_STR("by")), &by), CTIE_OK);
    CHECK(by == 5);
    CHECK_STATUS(ctie_request_arguments(request, &raw), CTIE_OK);
    CHECK_STATUS(ctie_request_set_user_info(request, ctie_value_null()), *(ctie_status *)user_data);
    CHECK_STATUS(ctie_request_reply(request, ctie_value_null()), CTIE_OK);
}

static void the_stages_after_see_what_was_set(void) {
    ctie_status status = CTIE_E_ALREADY;
    ctie_value *params = map_of("who", ctie_value_string(CTIE_STR("the caller, who has a long name")));
    new_bus(0);
    add_home(expect_changed, &status, NULL, 0);
    CHECK_STATUS(add_interceptor(change, NULL, 0, 0, NULL), CTIE_OK);
    CHECK_STATUS(call("greet", params, NULL), CTIE_OK);
    ctie_value_release(params);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void set_beside(ctie_request *request, void *user_data) {
    const ctie_value *raw = NULL;
    (void)user_data;
    CHECK_STATUS(ctie_request_arguments(request, &raw), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_request_set_params(request, map_of("id", ctie_value_int(9))), CTIE_OK);
    CHECK_STATUS(ctie_request_proceed(request), CTIE_OK);
}

static void expect_beside(ctie_request *request, void *user_data) {
    const ctie_value *raw = NULL;
    ctie_str id = {NULL, 0};
    int64_t number = 0;
    (void)user_data;
    CHECK_STATUS(ctie_request_param(request, CTIE_STR("id"), &id), CTIE_OK);
    CHECK_STATUS(ctie_request_arguments(request, &raw), CTIE_OK);
    CHECK_STATUS(ctie_value_get_int(ctie_value_get(raw, CTIE_STR("id")), &number), CTIE_OK);
    CHECK(text_is(id, "7") && number == 9);
}

static void arguments_of_an_open_request(void) {
    new_bus(0);
    add_route("app://users/:id", expect_beside, NULL);
    CHECK_STATUS(add_interceptor(set_beside, NULL, 0, 0, NULL), CTIE_OK);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://users/7"), 1, NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void set_often(ctie_request *request, void *user_data) {
    (void)user_data;
    for (int i = 0; i < 64; i++) {
        CHECK_STATUS(ctie_request_set_params(request, map_of("i", ctie_value_int(i))), CTIE_OK);
        CHECK_STATUS(ctie_request_set_user_info(request, map_of("i", ctie_value_int(i))), CTIE_OK);
    }
    CHECK_STATUS(ctie_request_set_params(request, ctie_value_null()), CTIE_E_LIMIT);
    CHECK_STATUS(ctie_request_set_user_info(request, ctie_value_null()), CTIE_E_LIMIT);
    CHECK_STATUS(ctie_request_proceed(request), CTIE_OK);
}

static void set_too_late(ctie_request *request, void *user_data) {
    CHECK_STATUS(ctie_request_set_params(request, ctie_value_null()), *(ctie_status *)user_data);
    CHECK_STATUS(ctie_request_reply(request, ctie_value_null()), CTIE_OK);
}

static void only_an_interceptor_sets_and_not_for_ever(void) {
    ctie_status status = CTIE_E_INVALID;
    new_bus(0);
    add_home(set_too_late, &status, NULL, 0);
    CHECK_STATUS(call("greet", NULL, NULL), CTIE_OK);
    CHECK_STATUS(add_interceptor(set_often, NULL, 0, 0, NULL), CTIE_OK);
    status = CTIE_E_ALREADY;
    CHECK_STATUS(call("greet", NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* ---- Statistics --------------------------------------------------------------------------------- */

/* Checks one line of the statistics. */
static void expect_line(const ctie_value *line, const char *kind, const char *name, int64_t count, int64_t failures) {
    ctie_str text = {NULL, 0};
    int64_t number = -1, longest = -1, nanoseconds = -1;
    CHECK_STATUS(ctie_value_get_string(ctie_value_get(line, CTIE_STR("kind")), &text), CTIE_OK);
    CHECK(text_is(text, kind));
    CHECK_STATUS(ctie_value_get_string(ctie_value_get(line, CTIE_STR("name")), &text), CTIE_OK);
    CHECK(text_is(text, name));
    CHECK_STATUS(ctie_value_get_int(ctie_value_get(line, CTIE_STR("count")), &number), CTIE_OK);
    CHECK(number == count);
    CHECK_STATUS(ctie_value_get_int(ctie_value_get(line, CTIE_STR("failures")), &number), CTIE_OK);
    CHECK(number == failures);
    CHECK_STATUS(ctie_value_get_int(ctie_value_get(line, CTIE_STR("nanoseconds")), &nanoseconds), CTIE_OK);
    CHECK_STATUS(ctie_value_get_int(ctie_value_get(line, CTIE_STR("longest")), &longest), CTIE_OK);
    CHECK(longest >= 0 && longest <= nanoseconds && (name[0] == 0 ? nanoseconds == 0 : nanoseconds > 0));
}

static void fail_once(ctie_request *request, void *user_data) {
    atomic_int *left = user_data;
    if (atomic_fetch_sub(left, 1) > 0) {
        CHECK_STATUS(ctie_request_fail(request, -1, NULL, CTIE_STR("")), CTIE_OK);
    } else {
        CHECK_STATUS(ctie_request_reply(request, ctie_value_null()), CTIE_OK);
    }
}

static void decline(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_decline(request), CTIE_OK);
}

static void a_bus_counts_and_times_by_kind_and_name(void) {
    atomic_int failures = 1;
    ctie_call *asynchronous = NULL;
    ctie_value *lines = NULL;
    new_bus(CTIE_BUS_STATS);
    add_route("app://x", reply, "x");
    add_route("app://:any", reply, "any");
    add_route("app://decline", decline, NULL);
    add_home(fail_once, &failures, NULL, 0);
    CHECK_STATUS(ctie_bus_stats(bus, &lines, NULL), CTIE_OK);
    CHECK(ctie_value_count(lines) == 0);
    ctie_value_release(lines);
    CHECK_STATUS(open_x(), CTIE_OK);
    CHECK_STATUS(open_x(), CTIE_OK);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://decline"), 1, NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://a/b/c"), 1, NULL, NULL, NULL), CTIE_E_NO_ROUTE);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://x"), 0, NULL, NULL, NULL), CTIE_E_DENIED);
    CHECK_STATUS(call("greet", NULL, NULL), CTIE_E_HANDLER);
    CHECK_STATUS(ctie_component_call_async(bus, CTIE_TARGET("home", "greet"), NULL, CTIE_COMPLETION(NULL, NULL), NULL,
                                           &asynchronous, NULL), CTIE_OK);
    CHECK_STATUS(ctie_call_wait(asynchronous, -1, NULL), CTIE_OK);
    CHECK_STATUS(ctie_call_release(asynchronous), CTIE_OK);
    CHECK_STATUS(ctie_bus_stats(bus, &lines, NULL), CTIE_OK);
    CHECK(ctie_value_count(lines) == 5);
    expect_line(ctie_value_at(lines, 0), "call", "home.greet", 2, 1);
    expect_line(ctie_value_at(lines, 1), "open", "", 2, 2);
    expect_line(ctie_value_at(lines, 2), "open", "app://:any", 1, 0);
    expect_line(ctie_value_at(lines, 4), "open", "app://x", 2, 0);
    ctie_value_release(lines);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void another_bus_counts_nothing(void) {
    ctie_value *lines = ctie_value_null(); /* the binding has been removed */
    new_bus(0);
    CHECK_STATUS(ctie_bus_stats(bus, &lines, NULL), CTIE_E_INVALID);
    CHECK(lines == NULL);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK_STATUS(ctie_bus_stats(bus, &lines, NULL), CTIE_E_HANDLE);
}

int main(void) {
    an_interceptor_sees_its_kinds();
    a_components_own_come_last();
    a_call_has_no_url_to_rewrite();
    the_stages_after_see_what_was_set();
    arguments_of_an_open_request();
    only_an_interceptor_sets_and_not_for_ever();
    a_bus_counts_and_times_by_kind_and_name();
    another_bus_counts_nothing();
    return check_end();
}
