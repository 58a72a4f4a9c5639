/* Events: what a broadcast gives, and what its components may do meanwhile. */
#include "components.h"

static ctie_bus *bus;

static void new_bus(void) {
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
}

static ctie_status broadcast(const char *event, ctie_value **out) {
    return ctie_component_broadcast(bus, ctie_str_from(event), NULL, NULL, out, NULL);
}

static int64_t count_of(const ctie_value *result) {
    int64_t count = -1;
    CHECK_STATUS(ctie_value_get_int(ctie_value_get(result, CTIE_STR("count")), &count), CTIE_OK);
    return count;
}

static bool any_of(const ctie_value *result) {
    bool any = false;
    CHECK_STATUS(ctie_value_get_bool(ctie_value_get(result, CTIE_STR("any")), &any), CTIE_OK);
    return any;
}

static void say_yes(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_reply(request, ctie_value_bool(true)), CTIE_OK);
}

static void fail_loudly(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_fail(request, 77, NULL, CTIE_STR("out of order")), CTIE_OK);
}

static void a_broadcast_gives_a_map(void) {
    ctie_value *result = NULL;
    new_bus();
    CHECK_STATUS(broadcast("receives", &result), CTIE_OK);
    CHECK(count_of(result) == 0 && !any_of(result));
    CHECK(ctie_value_count(ctie_value_get(result, CTIE_STR("failures"))) == 0);
    CHECK(ctie_value_count(result) == 3);
    ctie_value_release(result);
    add_action(bus, "a", "receives", say_yes, NULL, CTIE_ACTION_EVENT);
    add_action(bus, "b", "receives", fail_loudly, NULL, CTIE_ACTION_EVENT);
    CHECK_STATUS(broadcast("receives", &result), CTIE_OK);
    CHECK(count_of(result) == 2 && any_of(result));
    const ctie_value *failure = ctie_value_at(ctie_value_get(result, CTIE_STR("failures")), 0);
    int64_t status = 0, code = 0;
    ctie_str component, message;
    CHECK_STATUS(ctie_value_get_string(ctie_value_get(failure, CTIE_STR("component")), &component), CTIE_OK);
    CHECK_STATUS(ctie_value_get_string(ctie_value_get(failure, CTIE_STR("message")), &message), CTIE_OK);
    CHECK_STATUS(ctie_value_get_int(ctie_value_get(failure, CTIE_STR("status")), &status), CTIE_OK);
    CHECK_STATUS(ctie_value_get_int(ctie_value_get(failure, CTIE_STR("code")), &code), CTIE_OK);
    CHECK(text_is(component, "b") && text_is(message, "out of order") && status == CTIE_E_HANDLER && code == 77);
    ctie_value_release(result);
    CHECK_STATUS(broadcast("receives", NULL), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void adding_within(ctie_request *request, void *user_data) {
    (void)request;
    latch_add(user_data);
    add_action(bus, "zz", "receives", say_yes, NULL, CTIE_ACTION_EVENT);
}

static void an_added_component_gets_the_next_event(void) {
    latch received = LATCH_INIT;
    ctie_value *result = NULL;
    new_bus();
    add_action(bus, "a", "receives", adding_within, &received, CTIE_ACTION_EVENT);
    CHECK_STATUS(broadcast("receives", &result), CTIE_OK);
    CHECK(latch_count(&received) == 1 && count_of(result) <= 2);
    ctie_value_release(result);
    CHECK_STATUS(ctie_component_remove(bus, CTIE_STR("a"), NULL), CTIE_OK);
    CHECK_STATUS(broadcast("receives", &result), CTIE_OK);
    CHECK(count_of(result) == 1 && any_of(result));
    ctie_value_release(result);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void close_within(ctie_request *request, void *user_data) {
    (void)request, (void)user_data;
    CHECK_STATUS(ctie_bus_close(bus), CTIE_PENDING);
}

static void a_component_may_close_the_bus_that_notifies_it(void) {
    new_bus();
    add_action(bus, "a", CTIE_EVENT_WILL_TERMINATE, close_within, NULL, CTIE_ACTION_EVENT);
    add_action(bus, "b", CTIE_EVENT_WILL_TERMINATE, say_yes, NULL, CTIE_ACTION_EVENT);
    broadcast(CTIE_EVENT_WILL_TERMINATE, NULL);
    CHECK_STATUS(broadcast(CTIE_EVENT_WILL_TERMINATE, NULL), CTIE_E_HANDLE);
}

/* ---- created and destroyed ------------------------------------------------------------------------- */

static const char *order[8];
static int reported;

static void report(ctie_request *request, void *user_data) {
    (void)request;
    if (reported < 8) { order[reported++] = user_data; }
}

static void report_destroy(void *user_data) {
    (void)user_data;
    if (reported < 8) { order[reported++] = "destroy"; }
}

static void *create_notified(void *user_data) {
    report(NULL, "create");
    return user_data;
}

static void end_notified(void *object) {
    (void)object;
    report(NULL, "end");
}

static void a_component_lives_from_created_to_destroyed(void) {
    static const char *const EXPECTED[] = {"create", "created", "destroyed", "end", "destroy"};
    ctie_action two[2] = {action_of("created", report, "created", CTIE_ACTION_EVENT),
                          action_of("destroyed", report, "destroyed", CTIE_ACTION_EVENT)};
    ctie_component_options options = CTIE_COMPONENT_OPTIONS_INIT;
    new_bus();
    for (int closing = 0; closing < 2; closing++) {
        reported = 0;
        CHECK_STATUS(ctie_component_add(bus, CTIE_STR("a"), CTIE_ACTIONS(two),
                                        (ctie_factory){create_notified, &reported, report_destroy, end_notified}, &options, NULL, NULL), CTIE_OK);
        CHECK(reported == 2);
        CHECK_STATUS(closing ? ctie_bus_close(bus) : ctie_component_remove(bus, CTIE_STR("a"), NULL), CTIE_OK);
        CHECK(reported == 5);
        for (int i = 0; i < 5; i++) { CHECK(order[i] != NULL && strcmp(order[i], EXPECTED[i]) == 0); }
    }
}

static void no_lifecycle_events_without_an_instance(void) {
    ctie_action two[2] = {action_of("created", report, "created", CTIE_ACTION_EVENT),
                          action_of("destroyed", report, "destroyed", CTIE_ACTION_EVENT)};
    new_bus();
    add_action(bus, "a", "go", reply_null, NULL, 0);
    reported = 0;
    CHECK_STATUS(ctie_component_add(bus, CTIE_STR("a"), CTIE_ACTIONS(two),
                                    CTIE_INSTANCE_OWNED(&reported, report_destroy), NULL, NULL, NULL), CTIE_E_CONFLICT);
    CHECK(reported == 1 && strcmp(order[0], "destroy") == 0);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

int main(void) {
    a_broadcast_gives_a_map();
    an_added_component_gets_the_next_event();
    a_component_may_close_the_bus_that_notifies_it();
    a_component_lives_from_created_to_destroyed();
    no_lifecycle_events_without_an_instance();
    return check_end();
}
