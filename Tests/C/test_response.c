/* The way back: callbacks that see and change a response, and what interceptors replace on the way there. */
#include "components.h"

static ctie_bus *bus;
static latch destroyed = LATCH_INIT;

static void new_bus(void) {
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
}

static void close_bus(void) {
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void intercept(ctie_handler_fn fn, void *user_data) {
    CHECK_STATUS(ctie_interceptor_add(bus, CTIE_HANDLER(fn, user_data), NULL, NULL, NULL), CTIE_OK);
}

/* ---- on_return ---------------------------------------------------------------------------------------- */

static void add_one(ctie_response *response, void *user_data) {
    (void)user_data;
    int64_t number = 0;
    ctie_value_get_int(ctie_response_value(response), &number);
    CHECK_STATUS(ctie_response_replace(response, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_response_fail(response, 1, NULL, (ctie_str){"\xff", 1}), CTIE_E_UTF8);
    CHECK_STATUS(ctie_response_replace(response, ctie_value_int(number + 1)), CTIE_OK);
}

static void ask_64_times(ctie_request *request, void *user_data) {
    (void)user_data;
    for (int i = 0; i < 64; i++) {
        CHECK_STATUS(ctie_request_on_return(request, CTIE_COMPLETION_OWNED(add_one, &destroyed, latch_destroy)),
                     CTIE_OK);
    }
    CHECK_STATUS(ctie_request_on_return(request, CTIE_COMPLETION_OWNED(add_one, &destroyed, latch_destroy)),
                 CTIE_E_LIMIT);
    CHECK_STATUS(ctie_request_on_return(request, CTIE_COMPLETION_OWNED(NULL, &destroyed, latch_destroy)),
                 CTIE_E_INVALID);
    CHECK_STATUS(ctie_request_proceed(request), CTIE_OK);
}

static void a_request_has_at_most_64(void) {
    ctie_response *response = NULL;
    int64_t number = 0;
    new_bus();
    intercept(ask_64_times, NULL);
    add_action(bus, "a", "go", reply_null, NULL, 0);
    CHECK_STATUS(ctie_component_call(bus, CTIE_TARGET("a", "go"), NULL, NULL, &response, NULL), CTIE_OK);
    CHECK_STATUS(ctie_value_get_int(ctie_response_value(response), &number), CTIE_OK);
    CHECK(number == 64);
    CHECK(latch_count(&destroyed) == 66);
    CHECK_STATUS(ctie_response_replace(response, ctie_value_null()), CTIE_E_INVALID);
    CHECK_STATUS(ctie_response_fail(response, 1, NULL, CTIE_STR("")), CTIE_E_INVALID);
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
    close_bus();
}

static ctie_response *remembered;

static void remember(ctie_response *response, void *user_data) {
    (void)user_data;
    remembered = response;
}

static void ask_and_go_on(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_on_return(request, CTIE_COMPLETION(remember, NULL)), CTIE_OK);
    CHECK_STATUS(ctie_request_proceed(request), CTIE_OK);
}

static void a_response_cannot_be_changed_afterwards(void) {
    new_bus();
    intercept(ask_and_go_on, NULL);
    add_action(bus, "a", "go", reply_null, NULL, 0);
    CHECK_STATUS(call_now(bus, "a", "go"), CTIE_OK);
    CHECK(remembered != NULL);
    CHECK(ctie_response_replace(remembered, ctie_value_int(1)) < 0);
    CHECK_STATUS(call_end(call_later(bus, "a", "go", NULL)), CTIE_OK);
    CHECK(ctie_response_fail(remembered, 1, NULL, CTIE_STR("late")) < 0);
    close_bus();
}

static void use_the_bus(ctie_response *response, void *user_data) {
    CHECK_STATUS(call_now(bus, "b", "go"), CTIE_OK);
    CHECK_STATUS(ctie_response_status(response), CTIE_OK);
    latch_add(user_data);
}

static void ask_to_use_the_bus(ctie_request *request, void *user_data) {
    CHECK_STATUS(ctie_request_on_return(request, CTIE_COMPLETION(use_the_bus, user_data)), CTIE_OK);
    CHECK_STATUS(ctie_request_proceed(request), CTIE_OK);
}

static void a_callback_may_use_the_bus(void) {
    latch used = LATCH_INIT;
    ctie_handler one = {ask_to_use_the_bus, &used, NULL};
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.interceptors = &one;
    options.interceptor_count = 1;
    new_bus();
    add_action(bus, "a", "go", reply_null, NULL, 0);
    add_action(bus, "b", "go", reply_null, NULL, 0);
    CHECK_STATUS(ctie_component_call(bus, CTIE_TARGET("a", "go"), NULL, &options, NULL, NULL), CTIE_OK);
    CHECK_STATUS(call_end(call_later(bus, "a", "go", &options)), CTIE_OK);
    CHECK(latch_count(&used) == 2);
    close_bus();
}

/* ---- set_params ------------------------------------------------------------------------------------------ */

static ctie_value *numbered(int64_t number) {
    ctie_pair pair = {CTIE_STR("n"), ctie_value_int(number)};
    return ctie_value_map(&pair, 1);
}

static void set_64_times(ctie_request *request, void *user_data) {
    (void)user_data;
    const ctie_value *before = NULL, *after = NULL;
    CHECK_STATUS(ctie_request_arguments(request, &before), CTIE_OK);
    for (int i = 0; i < 64; i++) { CHECK_STATUS(ctie_request_set_params(request, numbered(i)), CTIE_OK); }
    CHECK_STATUS(ctie_request_set_params(request, numbered(64)), CTIE_E_LIMIT);
    CHECK_STATUS(ctie_request_arguments(request, &after), CTIE_OK);
    int64_t number = 0;
    CHECK_STATUS(ctie_value_get_int(ctie_value_get(after, CTIE_STR("n")), &number), CTIE_OK);
    CHECK(number == 63);
    CHECK_STATUS(ctie_value_get_int(ctie_value_get(before, CTIE_STR("n")), &number), CTIE_OK); /* lives still */
    CHECK(number == 1000);
    CHECK_STATUS(ctie_request_set_params(request, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_request_set_user_info(request, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_request_proceed(request), CTIE_OK);
}

static void see_63(ctie_request *request, void *user_data) {
    ctie_value *params = NULL;
    int64_t number = 0;
    CHECK_STATUS(ctie_request_params(request, &params), CTIE_OK);
    CHECK_STATUS(ctie_value_get_int(ctie_value_get(params, CTIE_STR("n")), &number), CTIE_OK);
    CHECK(number == 63);
    ctie_value_release(params);
    reply_null(request, user_data);
}

static void parameters_are_replaced_at_most_64_times(void) {
    ctie_value *params = numbered(1000);
    ctie_call *call = NULL;
    new_bus();
    intercept(set_64_times, NULL);
    add_action(bus, "a", "go", see_63, NULL, 0);
    CHECK_STATUS(ctie_component_call(bus, CTIE_TARGET("a", "go"), params, NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_component_call_async(bus, CTIE_TARGET("a", "go"), params, CTIE_COMPLETION(NULL, NULL), NULL,
                                           &call, NULL), CTIE_OK);
    CHECK_STATUS(call_end(call), CTIE_OK);
    close_bus();
    ctie_value_release(params);
}

/* ---- Kinds ------------------------------------------------------------------------------------------------- */

static void unknown_interceptor_kinds_are_refused(void) {
    ctie_interceptor_options options = CTIE_INTERCEPTOR_OPTIONS_INIT;
    new_bus();
    for (uint32_t kinds = 0; kinds < 1024; kinds++) {
        ctie_registration *registration = NULL;
        options.kinds = kinds;
        ctie_status status = ctie_interceptor_add(bus, CTIE_HANDLER_OWNED(reply_null, &destroyed, latch_destroy),
                                                  &options, &registration, NULL);
        CHECK(status == (kinds < 256 ? CTIE_OK : CTIE_E_INVALID));
        CHECK_STATUS(ctie_registration_release(registration), CTIE_OK);
    }
    close_bus();
}

int main(void) {
    a_request_has_at_most_64();
    a_response_cannot_be_changed_afterwards();
    a_callback_may_use_the_bus();
    parameters_are_replaced_at_most_64_times();
    unknown_interceptor_kinds_are_refused();
    return check_end();
}
