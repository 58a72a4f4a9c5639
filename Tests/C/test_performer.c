/* The performer: functions of the process by their names, and who owns what is set. */
#include "components.h"

static ctie_bus *bus;
static latch destroyed = LATCH_INIT;

static void new_bus(void) {
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
}

static void close_bus(void) {
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static ctie_status perform(const char *target, const char *selector) {
    return ctie_perform(bus, ctie_str_from(target), ctie_str_from(selector), NULL, NULL, NULL, NULL);
}

/* Found by its name: the program is linked so that its symbols are seen. */
__attribute__((visibility("default"))) void test_performed(ctie_request *request, void *user_data) {
    ctie_door door = -1;
    ctie_str target, selector;
    CHECK(user_data == NULL);
    CHECK_STATUS(ctie_request_door(request, &door), CTIE_OK);
    CHECK(door == CTIE_DOOR_PERFORM);
    CHECK_STATUS(ctie_request_target(request, &target), CTIE_OK);
    CHECK(text_is(target, "c:test_performed"));
    CHECK_STATUS(ctie_request_action(request, &selector), CTIE_OK);
    if (text_is(selector, "unknown")) {
        CHECK_STATUS(ctie_request_refuse(request, CTIE_E_NO_ACTION, CTIE_STR("")), CTIE_OK);
    } else {
        CHECK_STATUS(ctie_request_reply(request, ctie_value_string(selector)), CTIE_OK);
    }
}

static void a_function_of_the_process_is_performed_if_it_is_allowed(void) {
    ctie_response *response = NULL;
    ctie_str text;
    ctie_call *call = NULL;
    new_bus();
    CHECK_STATUS(perform("c:test_performed", "go"), CTIE_E_DENIED);
    CHECK_STATUS(ctie_performer_allow(bus, CTIE_STR("c:test_performed"), NULL), CTIE_OK);
    CHECK_STATUS(ctie_perform(bus, CTIE_STR("c:test_performed"), CTIE_STR("go"), NULL, NULL, &response, NULL), CTIE_OK);
    CHECK_STATUS(ctie_value_get_string(ctie_response_value(response), &text), CTIE_OK);
    CHECK(text_is(text, "go"));
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
    CHECK_STATUS(ctie_perform_async(bus, CTIE_STR("c:test_performed"), CTIE_STR("go"), NULL, NULL, NULL, NULL, NULL,
                                    &call, NULL), CTIE_OK);
    CHECK_STATUS(call_end(call), CTIE_OK);
    CHECK_STATUS(perform("c:test_performed", "unknown"), CTIE_E_NO_ACTION);
    CHECK_STATUS(perform("c:system", "go"), CTIE_E_DENIED);
    CHECK_STATUS(perform("c:test_performed:more", "go"), CTIE_E_DENIED); /* of c: each symbol by itself */
    CHECK_STATUS(ctie_performer_allow(bus, CTIE_STR("c:no_such_symbol_anywhere"), NULL), CTIE_OK);
    CHECK_STATUS(perform("c:no_such_symbol_anywhere", "go"), CTIE_E_NO_TARGET);
    CHECK_STATUS(ctie_performer_release(bus, CTIE_STR("c:test_performed")), CTIE_E_NOT_FOUND);
    close_bus();
}

static void what_comes_from_outside_performs_nothing(void) {
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.flags = CTIE_REQUEST_REMOTE;
    new_bus();
    CHECK_STATUS(ctie_performer_allow(bus, CTIE_STR("c:test_performed"), NULL), CTIE_OK);
    CHECK_STATUS(ctie_perform(bus, CTIE_STR("c:test_performed"), CTIE_STR("go"), NULL, &options, NULL, NULL),
                 CTIE_E_DENIED);
    close_bus();
}

static ctie_status set_resolver(const char *prefix, ctie_handler_fn fn, const ctie_handler_options *options) {
    return ctie_performer_set_resolver(bus, ctie_str_from(prefix), fn, &destroyed, latch_destroy, options, NULL);
}

static void resolvers_and_fallbacks_are_destroyed_once(void) {
    ctie_handler_options future = CTIE_HANDLER_OPTIONS_INIT;
    int before = latch_count(&destroyed);
    future.size = SIZE_MAX;
    new_bus();
    CHECK_STATUS(set_resolver("x", reply_null, NULL), CTIE_OK);
    CHECK_STATUS(set_resolver("x", reply_null, NULL), CTIE_OK);
    CHECK(latch_count(&destroyed) == before + 1);
    CHECK_STATUS(set_resolver("x", NULL, NULL), CTIE_OK);
    CHECK(latch_count(&destroyed) >= before + 2);
    before = latch_count(&destroyed);
    CHECK_STATUS(set_resolver("c", reply_null, NULL), CTIE_E_CONFLICT);
    CHECK_STATUS(set_resolver("9", reply_null, NULL), CTIE_E_IDENTIFIER);
    CHECK_STATUS(set_resolver("x", reply_null, &future), CTIE_E_ABI);
    CHECK(latch_count(&destroyed) == before + 3);
    CHECK_STATUS(ctie_performer_set_fallback(bus, reply_null, &destroyed, latch_destroy, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_performer_set_fallback(bus, reply_null, &destroyed, latch_destroy, NULL, NULL), CTIE_OK);
    CHECK(latch_count(&destroyed) == before + 4);
    CHECK_STATUS(ctie_performer_set_fallback(bus, reply_null, &destroyed, latch_destroy, &future, NULL), CTIE_E_ABI);
    CHECK(latch_count(&destroyed) == before + 5);
    CHECK_STATUS(set_resolver("y", reply_null, NULL), CTIE_OK);
    close_bus();
    CHECK(latch_count(&destroyed) == before + 7);
}

static void replace_itself(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(set_resolver("x", reply_null, NULL), CTIE_PENDING);
    reply_null(request, NULL);
}

static void a_resolver_may_replace_itself(void) {
    new_bus();
    CHECK_STATUS(ctie_performer_allow(bus, CTIE_STR("x:y"), NULL), CTIE_OK);
    CHECK_STATUS(set_resolver("x", replace_itself, NULL), CTIE_OK);
    int before = latch_count(&destroyed);
    CHECK_STATUS(perform("x:y", "go"), CTIE_OK);
    CHECK(latch_count(&destroyed) == before + 1);
    CHECK_STATUS(perform("x:y", "go"), CTIE_OK);
    CHECK(latch_count(&destroyed) == before + 1);
    close_bus();
}

static void there_are_at_most_64_resolvers_and_4096_entries(void) {
    char text[16];
    new_bus();
    int resolvers = 0, entries = 0;
    for (int i = 0; i < 70; i++) {
        snprintf(text, sizeof text, "x%d", i);
        resolvers += set_resolver(text, reply_null, NULL) == CTIE_OK;
    }
    CHECK(resolvers == 64 || resolvers == 63); /* the library's own may be one of them */
    CHECK_STATUS(set_resolver("last", reply_null, NULL), CTIE_E_LIMIT);
    for (int i = 0; i < 4100; i++) {
        snprintf(text, sizeof text, "x0:%d", i);
        entries += ctie_performer_allow(bus, ctie_str_from(text), NULL) == CTIE_OK;
    }
    CHECK(entries == 4096);
    CHECK_STATUS(perform("x0:4095", "go"), CTIE_OK);
    CHECK_STATUS(perform("x0:4096", "go"), CTIE_E_DENIED);
    close_bus();
}

int main(void) {
    a_function_of_the_process_is_performed_if_it_is_allowed();
    what_comes_from_outside_performs_nothing();
    resolvers_and_fallbacks_are_destroyed_once();
    a_resolver_may_replace_itself();
    there_are_at_most_64_resolvers_and_4096_entries();
    return check_end();
}
