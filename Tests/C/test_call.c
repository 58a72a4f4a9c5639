/* Calls: results, the number of callbacks, and the limits of each request. */
#include "components.h"

#include <stdlib.h>

static ctie_bus *bus;

static void new_bus(void) {
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
}

static void close_bus(void) {
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* ---- What a call gives back ------------------------------------------------------------------------ */

static void fail_with_all(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_fail(request, 12, ctie_value_int(3), CTIE_STR("no")), CTIE_OK);
}

static void a_failure_gives_a_response_and_an_error(void) {
    ctie_response *response = NULL;
    ctie_error *error = NULL;
    int64_t number = 0;
    new_bus();
    add_action(bus, "a", "go", fail_with_all, NULL, 0);
    CHECK_STATUS(ctie_component_call(bus, CTIE_TARGET("a", "go"), NULL, NULL, &response, &error), CTIE_E_HANDLER);
    CHECK_STATUS(ctie_response_status(response), CTIE_E_HANDLER);
    CHECK(ctie_response_code(response) == 12 && text_is(ctie_response_message(response), "no"));
    CHECK_STATUS(ctie_value_get_int(ctie_response_value(response), &number), CTIE_OK);
    CHECK(number == 3);
    CHECK_STATUS(ctie_error_status(error), CTIE_E_HANDLER);
    CHECK(text_is(ctie_error_message(error), "no"));
    ctie_error_release(error);
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
    close_bus();
}

static void a_refused_call_has_no_response(void) {
    ctie_response *response = (ctie_response *)8;
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    ctie_value *number = ctie_value_int(1);
    new_bus();
    add_action(bus, "a", "go", reply_null, NULL, 0);
    CHECK_STATUS(ctie_component_call(bus, CTIE_TARGET("a", "go"), number, NULL, &response, NULL), CTIE_E_TYPE);
    CHECK(response == NULL);
    response = (ctie_response *)8;
    CHECK_STATUS(ctie_component_call(NULL, CTIE_TARGET("a", "go"), NULL, NULL, &response, NULL), CTIE_E_HANDLE);
    CHECK(response == NULL);
    options.flags = CTIE_REQUEST_RELEASE;
    CHECK_STATUS(ctie_component_call(bus, CTIE_TARGET("a", "go"), NULL, &options, NULL, NULL), CTIE_E_INVALID);
    options.flags = 1 << 30;
    CHECK_STATUS(ctie_component_call(bus, CTIE_TARGET("a", "go"), NULL, &options, NULL, NULL), CTIE_E_INVALID);
    ctie_value_release(number);
    close_bus();
}

/* ---- Foreign values cross untouched ------------------------------------------------------------------ */

static int held;

static void hold_object(void *object) {
    (void)object;
    held++;
}

static void drop_object(void *object) {
    (void)object;
    held--;
}

static ctie_status to_map(void *object, ctie_value **out) {
    (void)object;
    ctie_pair pair = {CTIE_STR("plain"), ctie_value_bool(true)};
    *out = ctie_value_map(&pair, 1);
    return CTIE_OK;
}

static _Alignas(16) int object[4];

static ctie_foreign_id object_type;

static ctie_value *foreign_object(void) {
    ctie_foreign_type type = {CTIE_FOREIGN_TYPE_INIT};
    type.tag = CTIE_STR("test_call");
    type.retain = hold_object;
    type.release = drop_object;
    type.materialize = to_map;
    CHECK_STATUS(ctie_foreign_register(&type, &object_type, NULL), CTIE_OK);
    return ctie_value_foreign(object_type, object);
}

static void *object_of(const ctie_value *value) {
    void *found = NULL;
    CHECK_STATUS(ctie_value_foreign_object(value, object_type, &found), CTIE_OK);
    return found;
}

/* Sees the object itself and its plain form, and replies the object. */
static void look_at_both(ctie_request *request, void *user_data) {
    const ctie_value *raw = NULL;
    ctie_value *plain = NULL;
    CHECK_STATUS(ctie_request_arguments(request, &raw), CTIE_OK);
    CHECK(object_of(raw) == object);
    CHECK_STATUS(ctie_request_params(request, &plain), CTIE_OK);
    CHECK(ctie_value_kind(plain) == CTIE_KIND_MAP && ctie_value_get(plain, CTIE_STR("plain")) != NULL);
    ctie_value_release(plain);
    CHECK_STATUS(ctie_request_raw_user_info(request, &raw), CTIE_OK);
    CHECK(object_of(raw) == object);
    latch_add(user_data);
    CHECK_STATUS(ctie_request_reply(request, ctie_value_retain(raw)), CTIE_OK);
}

static void a_foreign_object_crosses_a_call_as_itself(void) {
    latch looked = LATCH_INIT;
    ctie_value *foreign = foreign_object();
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    ctie_response *response = NULL;
    options.user_info = foreign;
    new_bus();
    int before = held;
    add_action(bus, "a", "go", look_at_both, &looked, 0);
    CHECK_STATUS(ctie_component_call(bus, CTIE_TARGET("a", "go"), foreign, &options, &response, NULL), CTIE_OK);
    CHECK(object_of(ctie_response_raw_value(response)) == object);
    CHECK(ctie_value_kind(ctie_response_value(response)) == CTIE_KIND_MAP);
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
    ctie_call *call = NULL;
    CHECK_STATUS(ctie_component_call_async(bus, CTIE_TARGET("a", "go"), foreign, CTIE_COMPLETION(NULL, NULL), &options,
                                           &call, NULL), CTIE_OK);
    CHECK_STATUS(call_end(call), CTIE_OK);
    CHECK(latch_count(&looked) == 2);
    close_bus();
    CHECK(held == before);
    ctie_value_release(foreign);
    CHECK(held == 0);
}

/* ---- How far a call has come --------------------------------------------------------------------------- */

static ctie_request *kept;

static void keep(ctie_request *request, void *user_data) {
    CHECK_STATUS(ctie_request_retain(request), CTIE_OK);
    kept = request;
    latch_add(user_data);
}

static void a_call_says_how_far_it_has_come(void) {
    latch taken = LATCH_INIT;
    ctie_status state = CTIE_E_INVALID;
    ctie_request_options hurried = CTIE_REQUEST_OPTIONS_INIT;
    hurried.timeout_ms = 1;
    new_bus();
    add_action(bus, "a", "keep", keep, &taken, 0);
    add_action(bus, "b", "fail", fail_with_all, NULL, 0);
    ctie_call *call = call_later(bus, "a", "keep", NULL);
    latch_wait(&taken, 1);
    CHECK_STATUS(ctie_call_state(call, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_call_state(call, &state), CTIE_OK);
    CHECK(state == CTIE_PENDING);
    CHECK_STATUS(ctie_call_cancel(call), CTIE_OK);
    CHECK_STATUS(ctie_call_state(call, &state), CTIE_OK);
    CHECK(state == CTIE_E_CANCELLED);
    CHECK_STATUS(call_end(call), CTIE_E_CANCELLED);
    CHECK_STATUS(ctie_request_release(kept), CTIE_OK);
    call = call_later(bus, "a", "keep", &hurried);
    CHECK_STATUS(ctie_call_wait(call, -1, NULL), CTIE_OK);
    CHECK_STATUS(ctie_call_state(call, &state), CTIE_OK);
    CHECK(state == CTIE_E_TIMEOUT);
    CHECK_STATUS(call_end(call), CTIE_E_TIMEOUT);
    CHECK_STATUS(call_end(call_later(bus, "b", "fail", NULL)), CTIE_E_HANDLER);
    close_bus();
}

/* ---- Deadlines ---------------------------------------------------------------------------------------------- */

static int64_t time_left;

static void read_time(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_time_left(request, &time_left), CTIE_OK);
    reply_null(request, NULL);
}

static void a_deadline_is_the_callers_or_the_default(void) {
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    new_bus();
    add_action(bus, "a", "go", read_time, NULL, 0);
    CHECK_STATUS(call_now(bus, "a", "go"), CTIE_OK);
    CHECK(time_left > 0 && time_left <= CTIE_SYNC_TIMEOUT_MS);
    CHECK_STATUS(call_end(call_later(bus, "a", "go", NULL)), CTIE_OK);
    CHECK(time_left > CTIE_SYNC_TIMEOUT_MS && time_left <= CTIE_ASYNC_TIMEOUT_MS);
    options.timeout_ms = 1000000;
    CHECK_STATUS(ctie_component_call(bus, CTIE_TARGET("a", "go"), NULL, &options, NULL, NULL), CTIE_OK);
    CHECK(time_left > CTIE_ASYNC_TIMEOUT_MS && time_left <= 1000000);
    options.timeout_ms = -1;
    CHECK_STATUS(ctie_component_call(bus, CTIE_TARGET("a", "go"), NULL, &options, NULL, NULL), CTIE_OK);
    CHECK(time_left == -1);
    options.timeout_ms = INT64_MAX;
    CHECK_STATUS(ctie_component_call(bus, CTIE_TARGET("a", "go"), NULL, &options, NULL, NULL), CTIE_OK);
    CHECK(time_left == -1 || time_left > 1000000);
    close_bus();
}

static void a_named_parent_hands_its_deadline_down(void) {
    latch taken = LATCH_INIT;
    ctie_request_options outer = CTIE_REQUEST_OPTIONS_INIT, inner = CTIE_REQUEST_OPTIONS_INIT;
    outer.timeout_ms = 50000;
    inner.timeout_ms = -1;
    new_bus();
    add_action(bus, "a", "keep", keep, &taken, 0);
    add_action(bus, "b", "go", read_time, NULL, 0);
    ctie_call *call = call_later(bus, "a", "keep", &outer);
    latch_wait(&taken, 1);
    inner.parent = kept;
    CHECK_STATUS(ctie_component_call(bus, CTIE_TARGET("b", "go"), NULL, &inner, NULL, NULL), CTIE_OK);
    CHECK(time_left > 0 && time_left <= 50000);
    CHECK_STATUS(ctie_request_reply(kept, ctie_value_null()), CTIE_OK);
    CHECK_STATUS(call_end(call), CTIE_OK);
    CHECK_STATUS(ctie_request_release(kept), CTIE_OK);
    close_bus();
}

/* ---- Callbacks of a request -------------------------------------------------------------------------------------- */

static latch notified = LATCH_INIT, freed = LATCH_INIT;

static void notify(void *user_data) {
    (void)user_data;
    latch_add(&notified);
}

static void notify_destroy(void *user_data) {
    (void)user_data;
    latch_add(&freed);
}

static void ask_64_times(ctie_request *request, void *user_data) {
    for (int i = 0; i < 64; i++) {
        CHECK_STATUS(ctie_request_on_cancel(request, CTIE_NOTICE_OWNED(notify, NULL, notify_destroy)), CTIE_OK);
    }
    CHECK_STATUS(ctie_request_on_cancel(request, CTIE_NOTICE_OWNED(notify, NULL, notify_destroy)), CTIE_E_LIMIT);
    CHECK_STATUS(ctie_request_on_cancel(request, CTIE_NOTICE_OWNED(NULL, NULL, notify_destroy)), CTIE_E_INVALID);
    keep(request, user_data);
}

static void on_cancel_is_called_and_destroyed_once(bool cancelled) {
    latch taken = LATCH_INIT;
    int reported_before = latch_count(&notified), freed_before = latch_count(&freed);
    new_bus();
    add_action(bus, "a", "go", ask_64_times, &taken, 0);
    ctie_call *call = call_later(bus, "a", "go", NULL);
    latch_wait(&taken, 1);
    CHECK(latch_count(&freed) == freed_before + 2);
    if (cancelled) {
        CHECK_STATUS(ctie_call_cancel(call), CTIE_OK);
        CHECK_STATUS(call_end(call), CTIE_E_CANCELLED);
    } else {
        CHECK_STATUS(ctie_request_reply(kept, ctie_value_null()), CTIE_OK);
        CHECK_STATUS(call_end(call), CTIE_OK);
    }
    CHECK(latch_count(&notified) == reported_before + (cancelled ? 64 : 0));
    CHECK(latch_count(&freed) == freed_before + 66);
    ctie_status late = ctie_request_on_cancel(kept, CTIE_NOTICE_OWNED(notify, NULL, notify_destroy));
    CHECK(late == (cancelled ? CTIE_OK : CTIE_E_ALREADY) && latch_count(&freed) == freed_before + 67);
    CHECK_STATUS(ctie_request_release(kept), CTIE_OK);
    close_bus();
}

static void count_progress(const ctie_value *value, void *user_data) {
    (void)value;
    latch_add(user_data);
}

static void report_three_times(ctie_request *request, void *user_data) {
    (void)user_data;
    for (int i = 0; i < 3; i++) { CHECK_STATUS(ctie_request_progress(request, ctie_value_int(i)), CTIE_OK); }
    CHECK_STATUS(ctie_request_progress(request, NULL), CTIE_E_INVALID);
    reply_null(request, NULL);
}

static void progress_data_is_destroyed_once(void) {
    latch reported = LATCH_INIT;
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.progress = CTIE_PROGRESS_OWNED(count_progress, &reported, latch_destroy);
    new_bus();
    add_action(bus, "a", "go", report_three_times, NULL, 0);
    CHECK_STATUS(ctie_component_call(bus, CTIE_TARGET("a", "go"), NULL, &options, NULL, NULL), CTIE_OK);
    CHECK(latch_count(&reported) == 4);
    CHECK_STATUS(call_end(call_later(bus, "a", "go", &options)), CTIE_OK);
    latch_wait(&reported, 8);
    CHECK_STATUS(ctie_component_call(bus, CTIE_TARGET("", "go"), NULL, &options, NULL, NULL), CTIE_E_NO_NAME);
    CHECK(latch_count(&reported) == 9);
    CHECK_STATUS(ctie_component_call_async(NULL, CTIE_TARGET("", "go"), NULL, CTIE_COMPLETION(NULL, NULL), &options,
                                           NULL, NULL), CTIE_E_HANDLE);
    CHECK(latch_count(&reported) == 10);
    CHECK_STATUS(ctie_component_call(NULL, CTIE_TARGET("a", "go"), NULL, &options, NULL, NULL), CTIE_E_HANDLE);
    CHECK(latch_count(&reported) == 11);
    close_bus();
}

/* ---- Statuses of the header that are in no other test ----------------------------------------------------------- */

static void what_is_asked_of_a_call(ctie_request *request, void *user_data) {
    (void)user_data;
    int32_t kind = -1;
    uint32_t flags = 0;
    bool cancelled = true;
    ctie_str text;
    CHECK_STATUS(ctie_request_kind(request, &kind), CTIE_OK);
    CHECK(kind == CTIE_REQUEST_KIND_CALL);
    CHECK_STATUS(ctie_request_kind(request, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_request_target(request, &text), CTIE_OK);
    CHECK(text_is(text, "a"));
    CHECK_STATUS(ctie_request_action(request, &text), CTIE_OK);
    CHECK(text_is(text, "go"));
    CHECK_STATUS(ctie_request_flags(request, &flags), CTIE_OK);
    CHECK(flags == CTIE_REQUEST_REMOTE);
    CHECK_STATUS(ctie_request_is_cancelled(request, &cancelled), CTIE_OK);
    CHECK(!cancelled);
    CHECK_STATUS(ctie_request_url(request, CTIE_URL_WHOLE, &text), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_request_path_param_at(request, 0, NULL, &text), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_request_query_at(request, 0, NULL, &text), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_request_target(request, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_request_time_left(request, NULL), CTIE_E_INVALID);
    reply_null(request, NULL);
}

static void a_handler_asks(void) {
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.flags = CTIE_REQUEST_REMOTE;
    new_bus();
    add_action(bus, "a", "go", what_is_asked_of_a_call, NULL, 0);
    CHECK_STATUS(ctie_component_call(bus, CTIE_TARGET("a", "go"), NULL, &options, NULL, NULL), CTIE_OK);
    close_bus();
}

int main(void) {
    a_failure_gives_a_response_and_an_error();
    a_refused_call_has_no_response();
    a_foreign_object_crosses_a_call_as_itself();
    a_call_says_how_far_it_has_come();
    a_deadline_is_the_callers_or_the_default();
    a_named_parent_hands_its_deadline_down();
    on_cancel_is_called_and_destroyed_once(true);
    on_cancel_is_called_and_destroyed_once(false);
    progress_data_is_destroyed_once();
    a_handler_asks();
    return check_end();
}
