/* Events that no caller waits for: delivery, cancelling, and their end. */
#include "components.h"

static ctie_bus *bus;

static void new_bus(uint32_t workers) {
    ctie_bus_options options = CTIE_BUS_OPTIONS_INIT;
    options.max_workers = workers;
    CHECK_STATUS(ctie_bus_new(&options, &bus, NULL), CTIE_OK);
}

/* ---- Starting one ------------------------------------------------------------------------------------------------ */

typedef struct ending {
    latch reported, destroyed;
    ctie_status status;
    int64_t count;
    bool any;
    size_t failures;
} ending;

#define COMPLETION_INIT {LATCH_INIT, LATCH_INIT, CTIE_PENDING, -1, false, 99}

static void read_result(const ctie_value *result, ending *out) {
    if (ctie_value_kind(result) != CTIE_KIND_MAP) { return; }
    CHECK(ctie_value_count(result) == 3);
    CHECK_STATUS(ctie_value_get_int(ctie_value_get(result, CTIE_STR("count")), &out->count), CTIE_OK);
    CHECK_STATUS(ctie_value_get_bool(ctie_value_get(result, CTIE_STR("any")), &out->any), CTIE_OK);
    out->failures = ctie_value_count(ctie_value_get(result, CTIE_STR("failures")));
}

static void note(ctie_response *response, void *user_data) {
    ending *own = user_data;
    own->status = ctie_response_status(response);
    read_result(ctie_response_value(response), own);
    latch_add(&own->reported);
}

static void note_destroyed(void *user_data) {
    latch_add(&((ending *)user_data)->destroyed);
}

static ctie_status start_with(const char *event, ending *own, const ctie_request_options *options, ctie_call **call) {
    return ctie_component_broadcast_async(bus, ctie_str_from(event), NULL,
                                          CTIE_COMPLETION_OWNED(note, own, note_destroyed), options, call, NULL);
}

static void start(const char *event, ending *own, const ctie_request_options *options, ctie_call **call) {
    CHECK_STATUS(start_with(event, own, options, call), CTIE_OK);
}

/* ---- What comes of it -------------------------------------------------------------------------------------------- */

static void say_yes(ctie_request *request, void *user_data) {
    if (user_data != NULL) { latch_add(user_data); }
    CHECK_STATUS(ctie_request_reply(request, ctie_value_bool(true)), CTIE_OK);
}

static void fail_loudly(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_fail(request, 77, NULL, CTIE_STR("out of order")), CTIE_OK);
}

static void decline(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_decline(request), CTIE_OK);
}

static void the_response_has_the_map(void) {
    ending none = COMPLETION_INIT, some = COMPLETION_INIT;
    ctie_response *response = NULL;
    ctie_call *call = NULL;
    new_bus(2);
    start("receives", &none, NULL, NULL);
    latch_wait(&none.destroyed, 1);
    CHECK(none.status == CTIE_OK && none.count == 0 && !none.any && none.failures == 0);
    add_action(bus, "a", "receives", say_yes, NULL, CTIE_ACTION_EVENT);
    add_action(bus, "b", "receives", fail_loudly, NULL, CTIE_ACTION_EVENT);
    add_action(bus, "c", "receives", decline, NULL, CTIE_ACTION_EVENT);
    add_action(bus, "d", "receives", say_yes, NULL, CTIE_ACTION_EVENT | CTIE_ACTION_WORKER_ONLY);
    start("receives", &some, NULL, &call);
    CHECK_STATUS(ctie_call_wait(call, -1, &response), CTIE_OK);
    ending seen = COMPLETION_INIT;
    read_result(ctie_response_value(response), &seen);
    CHECK(seen.count == 3 && seen.any && seen.failures == 1);
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
    CHECK_STATUS(ctie_call_release(call), CTIE_OK);
    latch_wait(&some.destroyed, 1);
    CHECK(latch_count(&some.reported) == 1 && some.status == CTIE_OK && some.count == 3);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void malformed_events_never_start(void) {
    ending own = COMPLETION_INIT;
    ctie_request_options elsewhere = CTIE_REQUEST_OPTIONS_INIT;
    ctie_call *call = (ctie_call *)&own;
    elsewhere.dispatcher = CTIE_STR("nowhere");
    new_bus(1);
    CHECK_STATUS(start_with("", &own, NULL, &call), CTIE_E_NO_NAME);
    CHECK_STATUS(start_with("not a name", &own, NULL, NULL), CTIE_E_IDENTIFIER);
    CHECK_STATUS(start_with("receives", &own, &elsewhere, &call), CTIE_E_NOT_FOUND);
    CHECK(call == NULL && latch_count(&own.reported) == 0 && latch_count(&own.destroyed) == 3);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK_STATUS(start_with("receives", &own, NULL, NULL), CTIE_E_HANDLE);
    CHECK(latch_count(&own.reported) == 0 && latch_count(&own.destroyed) == 4);
}

/* ---- One after the other ------------------------------------------------------------------------------------------ */

static ctie_request *kept;

static void keep(ctie_request *request, void *user_data) {
    CHECK_STATUS(ctie_request_retain(request), CTIE_OK);
    kept = request;
    latch_add(user_data);
}

static void end_kept(void) {
    (void)ctie_request_reply(kept, ctie_value_null());
    CHECK_STATUS(ctie_request_release(kept), CTIE_OK);
}

static void say_yes_after_it(ctie_request *request, void *user_data) {
    bool is_ended = false;
    CHECK_STATUS(ctie_request_is_ended(kept, &is_ended), CTIE_OK);
    CHECK(is_ended);
    say_yes(request, user_data);
}

/* The first one answers later; the one behind it waits for that. */
static void add_two(latch *first, latch *second) {
    add_action(bus, "a", "receives", keep, first, CTIE_ACTION_EVENT);
    add_action(bus, "b", "receives", say_yes_after_it, second, CTIE_ACTION_EVENT);
}

static void the_next_waits_for_the_one_before(void) {
    ending own = COMPLETION_INIT;
    latch first = LATCH_INIT, second = LATCH_INIT;
    new_bus(1);
    add_two(&first, &second);
    start("receives", &own, NULL, NULL);
    latch_wait(&first, 1);
    CHECK(latch_count(&second) == 0 && latch_count(&own.reported) == 0);
    CHECK_STATUS(ctie_request_reply(kept, ctie_value_null()), CTIE_OK);
    latch_wait(&own.destroyed, 1);
    CHECK(latch_count(&second) == 1 && own.count == 2);
    CHECK_STATUS(ctie_request_release(kept), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void a_cancel_stops_before_the_next(void) {
    ending own = COMPLETION_INIT;
    latch first = LATCH_INIT, second = LATCH_INIT;
    ctie_call *call = NULL;
    bool is_ended = true;
    new_bus(1);
    add_two(&first, &second);
    start("receives", &own, NULL, &call);
    latch_wait(&first, 1);
    CHECK_STATUS(ctie_call_cancel(call), CTIE_OK);
    latch_wait(&own.destroyed, 1);
    CHECK(own.status == CTIE_E_CANCELLED && own.count == -1);
    CHECK_STATUS(ctie_request_is_ended(kept, &is_ended), CTIE_OK);
    CHECK(!is_ended);
    end_kept();
    CHECK_STATUS(ctie_call_release(call), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(latch_count(&second) == 0);
}

/* The deadline is one for all: no listener has a time of its own. */
static void the_deadline_is_for_the_whole(void) {
    ending own = COMPLETION_INIT;
    latch first = LATCH_INIT, second = LATCH_INIT;
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.timeout_ms = 30;
    new_bus(1);
    add_two(&first, &second);
    start("receives", &own, &options, NULL);
    latch_wait(&own.destroyed, 1);
    CHECK(own.status == CTIE_E_TIMEOUT);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(latch_count(&second) == 0);
    if (latch_count(&first) > 0) { end_kept(); }
}

static void ask_time_left(ctie_request *request, void *user_data) {
    CHECK_STATUS(ctie_request_time_left(request, user_data), CTIE_OK);
}

static void a_listener_has_the_time_of_the_whole(void) {
    ending own = COMPLETION_INIT;
    int64_t left = 0;
    new_bus(1);
    add_action(bus, "a", "receives", ask_time_left, &left, CTIE_ACTION_EVENT);
    start("receives", &own, NULL, NULL);
    latch_wait(&own.destroyed, 1);
    CHECK(own.count == 1 && own.failures == 0);
    CHECK(left > 2 * CTIE_SYNC_TIMEOUT_MS && left <= CTIE_ASYNC_TIMEOUT_MS);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void closing_ends_it(void) {
    ending own = COMPLETION_INIT;
    latch first = LATCH_INIT, second = LATCH_INIT;
    new_bus(1);
    add_two(&first, &second);
    start("receives", &own, NULL, NULL);
    latch_wait(&first, 1);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(latch_count(&own.reported) == 1 && latch_count(&own.destroyed) == 1 && latch_count(&second) == 0);
    CHECK(own.status == CTIE_E_CLOSED);
    end_kept();
}

/* A bus that is full of them does not wait for itself. */
static void one_worker_is_enough_for_many(void) {
    ending own = COMPLETION_INIT;
    new_bus(1);
    add_action(bus, "a", "receives", say_yes, NULL, CTIE_ACTION_EVENT | CTIE_ACTION_WORKER_ONLY);
    add_action(bus, "b", "receives", say_yes, NULL, CTIE_ACTION_EVENT);
    for (int i = 0; i < 200; i++) { start("receives", &own, NULL, NULL); }
    latch_wait(&own.destroyed, 200);
    CHECK(latch_count(&own.reported) == 200 && own.status == CTIE_OK && own.count == 2);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* ---- Who asks ----------------------------------------------------------------------------------------------------- */

static void note_origin(ctie_request *request, void *user_data) {
    CHECK_STATUS(ctie_request_origin(request, user_data), CTIE_OK);
}

static void start_within(ctie_request *request, void *user_data) {
    (void)request;
    start("receives", user_data, NULL, NULL);
}

static void it_is_no_more_trusted_than_where_it_is_made(void) {
    ending own = COMPLETION_INIT;
    ctie_origin origin = CTIE_ORIGIN_LOCAL;
    ctie_route_options public = CTIE_ROUTE_OPTIONS_INIT;
    public.flags = CTIE_ROUTE_PUBLIC;
    new_bus(1);
    add_action(bus, "a", "receives", note_origin, &origin, CTIE_ACTION_EVENT);
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://tell"), CTIE_HANDLER(start_within, &own), &public, NULL, NULL),
                 CTIE_OK);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://tell"), CTIE_ORIGIN_REMOTE, NULL, NULL, NULL), CTIE_OK);
    latch_wait(&own.destroyed, 1);
    CHECK(own.count == 1 && origin == CTIE_ORIGIN_REMOTE);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://tell"), CTIE_ORIGIN_LOCAL, NULL, NULL, NULL), CTIE_OK);
    latch_wait(&own.destroyed, 2);
    CHECK(origin == CTIE_ORIGIN_LOCAL);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void see(ctie_request *request, void *user_data) {
    latch_add(user_data);
    CHECK_STATUS(ctie_request_proceed(request), CTIE_OK);
}

static void interceptors_see_each_listener(void) {
    ending own = COMPLETION_INIT;
    latch seen = LATCH_INIT, seen_by_bus = LATCH_INIT, destroyed = LATCH_INIT;
    ctie_handler one = {see, &seen, NULL}, two = {see, &destroyed, latch_destroy};
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.interceptors = (ctie_handler[]){one, two};
    options.interceptor_count = 2;
    new_bus(1);
    CHECK_STATUS(ctie_interceptor_add(bus, CTIE_HANDLER(see, &seen_by_bus), NULL, NULL, NULL), CTIE_OK);
    add_action(bus, "a", "receives", say_yes, NULL, CTIE_ACTION_EVENT);
    add_action(bus, "b", "receives", say_yes, NULL, CTIE_ACTION_EVENT);
    start("receives", &own, &options, NULL);
    latch_wait(&own.destroyed, 1);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(latch_count(&seen) == 2 && latch_count(&seen_by_bus) == 2 && latch_count(&destroyed) == 3);
}

/* ---- Where it is heard of ----------------------------------------------------------------------------------------- */

static void report_twice(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_progress(request, ctie_value_int(1)), CTIE_OK);
    CHECK_STATUS(ctie_request_progress(request, ctie_value_int(2)), CTIE_OK);
}

typedef struct here {
    ending own;
    pthread_t thread;
    int received;
} here;

static void receive(const ctie_value *value, void *user_data) {
    (void)value;
    here *it = user_data;
    CHECK(pthread_equal(it->thread, pthread_self()) && latch_count(&it->own.reported) == 0);
    it->received++;
}

static void a_loop_has_progress_and_completion(void) {
    here it = {COMPLETION_INIT, pthread_self(), 0};
    ctie_loop *loop = NULL;
    ctie_call *call = NULL;
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    CHECK_STATUS(ctie_loop_new(&loop, NULL), CTIE_OK);
    options.loop = loop;
    options.progress = CTIE_PROGRESS(receive, &it);
    new_bus(1);
    add_action(bus, "a", "receives", report_twice, NULL, CTIE_ACTION_EVENT);
    add_action(bus, "b", "receives", report_twice, NULL, CTIE_ACTION_EVENT);
    start("receives", &it.own, &options, &call);
    CHECK_STATUS(ctie_call_wait(call, -1, NULL), CTIE_OK);
    CHECK_STATUS(ctie_call_release(call), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(it.received == 0 && latch_count(&it.own.reported) == 0);
    CHECK_STATUS(ctie_loop_dispatch(loop, NULL), CTIE_OK);
    CHECK(it.received == 4 && latch_count(&it.own.destroyed) == 1 && it.own.count == 2);
    CHECK_STATUS(ctie_loop_release(loop), CTIE_OK);
}

static void statistics_count_the_listeners_alone(void) {
    ending own = COMPLETION_INIT;
    ctie_value *lines = NULL;
    ctie_bus_options options = CTIE_BUS_OPTIONS_INIT;
    options.flags = CTIE_BUS_STATS;
    CHECK_STATUS(ctie_bus_new(&options, &bus, NULL), CTIE_OK);
    add_action(bus, "a", "receives", say_yes, NULL, CTIE_ACTION_EVENT);
    add_action(bus, "b", "receives", say_yes, NULL, CTIE_ACTION_EVENT);
    start("receives", &own, NULL, NULL);
    latch_wait(&own.destroyed, 1);
    CHECK_STATUS(ctie_bus_stats(bus, &lines, NULL), CTIE_OK);
    CHECK(ctie_value_count(lines) == 2);
    ctie_value_release(lines);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

int main(void) {
    the_response_has_the_map();
    malformed_events_never_start();
    the_next_waits_for_the_one_before();
    a_cancel_stops_before_the_next();
    the_deadline_is_for_the_whole();
    a_listener_has_the_time_of_the_whole();
    closing_ends_it();
    one_worker_is_enough_for_many();
    it_is_no_more_trusted_than_where_it_is_made();
    interceptors_see_each_listener();
    a_loop_has_progress_and_completion();
    statistics_count_the_listeners_alone();
    return check_end();
}
