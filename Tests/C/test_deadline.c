/* Deadlines: wherever a request is, it ends with CTIE_E_TIMEOUT; and what is answered later is dropped. */
#include "dispatching.h"

#include <sched.h>

static ctie_request_options options_within(int64_t milliseconds) {
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.timeout_ms = milliseconds;
    return options;
}

static void wait_until_late(ctie_request *request) {
    int64_t left = 1;
    while (left != 0 && ctie_request_time_left(request, &left) == CTIE_OK) { sched_yield(); }
    CHECK(left == 0);
}

/** The coarse clock may be late, too: a deadline is over when the request says so. */
static void wait_until_cancelled(ctie_request *request) {
    bool cancelled = false;
    wait_until_late(request);
    while (!cancelled && ctie_request_is_cancelled(request, &cancelled) == CTIE_OK) { sched_yield(); }
    CHECK(cancelled);
}

/* ---- Asynchronous requests --------------------------------------------------------------------------- */

static void one_that_is_queued_never_starts(void) {
    ctie_bus *bus = bus_with(1, 0);
    gate blocked = GATE_INIT;
    latch ran = LATCH_INIT;
    outcome own = OUTCOME_INIT;
    ctie_call *call = NULL;
    ctie_response *response = NULL;
    ctie_request_options soon = options_within(2);
    component_add(bus, "gate", gate_pass, &blocked, 0, NULL);
    component_add(bus, "count", count_run, &ran, 0, NULL);
    CHECK_STATUS(start(bus, "gate", NULL, NULL, NULL), CTIE_OK);
    latch_wait(&blocked.entered, 1);
    CHECK_STATUS(start(bus, "count", &soon, &own, &call), CTIE_OK);
    CHECK_STATUS(ctie_call_wait(call, -1, &response), CTIE_OK);
    CHECK_STATUS(ctie_response_status(response), CTIE_E_TIMEOUT);
    CHECK(ctie_response_code(response) == 10002);
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
    CHECK_STATUS(ctie_call_release(call), CTIE_OK);
    latch_add(&blocked.open);
    latch_wait(&own.destroyed, 1);
    CHECK(own.status == CTIE_E_TIMEOUT && latch_count(&own.completed) == 1);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(latch_count(&ran) == 0);
}

static ctie_status late_answer;

static void answer_late(ctie_request *request, void *user_data) {
    bool cancelled = false;
    gate_pass(request, user_data);
    CHECK_STATUS(ctie_request_is_cancelled(request, &cancelled), CTIE_OK);
    CHECK(cancelled);
    late_answer = ctie_request_reply(request, ctie_value_int(1));
}

/* The completion does not wait for the handler, nor for its worker, though that is the only one. */
static void one_that_runs_completes_at_once(void) {
    ctie_bus *bus = bus_with(1, 0);
    gate blocked = GATE_INIT;
    outcome own = OUTCOME_INIT;
    ctie_call *call = NULL;
    ctie_status state = CTIE_OK;
    ctie_request_options soon = options_within(20);
    component_add(bus, "gate", answer_late, &blocked, 0, NULL);
    CHECK_STATUS(start(bus, "gate", &soon, &own, &call), CTIE_OK);
    latch_wait(&own.destroyed, 1);
    CHECK(own.status == CTIE_E_TIMEOUT);
    CHECK_STATUS(ctie_call_state(call, &state), CTIE_OK);
    CHECK_STATUS(state, CTIE_E_TIMEOUT);
    CHECK_STATUS(ctie_call_release(call), CTIE_OK);
    latch_add(&blocked.open);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(latch_count(&own.completed) == 1);
    if (latch_count(&blocked.entered) != 0) { CHECK_STATUS(late_answer, CTIE_E_ALREADY); }
}

static void one_that_is_kept_ends(void) {
    ctie_bus *bus = bus_with(1, 0);
    latch taken = LATCH_INIT;
    outcome own = OUTCOME_INIT;
    int64_t left = 1;
    ctie_request_options soon = options_within(50);
    component_add(bus, "keep", keep, &taken, 0, NULL);
    CHECK_STATUS(start(bus, "keep", &soon, &own, NULL), CTIE_OK);
    latch_wait(&own.destroyed, 1);
    CHECK(own.status == CTIE_E_TIMEOUT);
    if (latch_count(&taken) != 0) {
        CHECK_STATUS(ctie_request_time_left(kept, &left), CTIE_OK);
        CHECK(left == 0);
        CHECK_STATUS(ctie_request_fail(kept, 1, NULL, CTIE_STR("late")), CTIE_E_ALREADY);
        CHECK_STATUS(ctie_request_release(kept), CTIE_OK);
    }
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void keep_silently(ctie_request *request, void *user_data) {
    CHECK_STATUS(ctie_request_retain(request), CTIE_OK);
    ((ctie_request **)user_data)[0] = request;
}

/* In many slots, out of order, and with others that have no deadline or end before it. */
static void each_of_many_ends(void) {
    enum { MANY = 600 };
    static ctie_request *requests[MANY];
    ctie_bus *bus = bus_with(0, 0);
    outcome timed = OUTCOME_INIT, endless = OUTCOME_INIT;
    char name[16];
    for (int i = 0; i < MANY; i++) {
        ctie_request_options soon = options_within(i % 3 == 2 ? -1 : 1 + (i * 37) % 90);
        snprintf(name, sizeof name, "k%d", i);
        component_add(bus, name, keep_silently, &requests[i], 0, NULL);
        CHECK_STATUS(start(bus, name, &soon, i % 3 == 2 ? &endless : &timed, NULL), CTIE_OK);
    }
    latch_wait(&timed.destroyed, MANY / 3 * 2);
    CHECK(timed.status == CTIE_E_TIMEOUT && latch_count(&endless.completed) == 0);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(endless.status == CTIE_E_CLOSED && latch_count(&endless.completed) == MANY / 3);
    for (int i = 0; i < MANY; i++) {
        if (requests[i] != NULL) { CHECK_STATUS(ctie_request_release(requests[i]), CTIE_OK); }
    }
}

/* A deadline before the one that the watcher sleeps for. */
static void an_earlier_deadline_comes_first(void) {
    ctie_bus *bus = bus_with(0, 0);
    latch taken = LATCH_INIT;
    outcome later = OUTCOME_INIT, sooner = OUTCOME_INIT;
    ctie_request_options in_an_hour = options_within(3600000), soon = options_within(5);
    component_add(bus, "keep", keep, &taken, 0, NULL);
    CHECK_STATUS(start(bus, "keep", &in_an_hour, &later, NULL), CTIE_OK);
    latch_wait(&taken, 1);
    CHECK_STATUS(ctie_request_release(kept), CTIE_OK);
    latch_wait(&later.completed, 1);
    CHECK_STATUS(later.status, CTIE_E_NO_REPLY);
    CHECK_STATUS(start(bus, "keep", &in_an_hour, &later, NULL), CTIE_OK);
    CHECK_STATUS(start(bus, "keep", &soon, &sooner, NULL), CTIE_OK);
    latch_wait(&sooner.completed, 1);
    CHECK(sooner.status == CTIE_E_TIMEOUT && latch_count(&later.completed) == 1);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(latch_count(&later.completed) == 2 && later.status == CTIE_E_CLOSED);
}

/* Deadlines a whole number of turns of the wheel apart are in one list; so are some of those that are close. */
static void a_later_deadline_does_not_come_with_an_earlier_one(void) {
    enum { TURNS = 4294967, MANY = 20 }; /* a thousand turns, in milliseconds */
    ctie_bus *bus = bus_with(0, 0);
    outcome later = OUTCOME_INIT, sooner = OUTCOME_INIT;
    ctie_request *requests[2 * MANY];
    char name[16];
    ctie_request_options long_after = options_within(TURNS + 5), soon = options_within(5);
    for (int i = 0; i < 2 * MANY; i++) {
        snprintf(name, sizeof name, "k%d", i);
        requests[i] = NULL;
        component_add(bus, name, keep_silently, &requests[i], 0, NULL);
        CHECK_STATUS(start(bus, name, i % 2 == 0 ? &long_after : &soon, i % 2 == 0 ? &later : &sooner, NULL), CTIE_OK);
        if (i % 2 == 1) { latch_wait(&sooner.completed, i / 2 + 1); }
    }
    CHECK(sooner.status == CTIE_E_TIMEOUT && latch_count(&later.completed) == 0);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(later.status == CTIE_E_CLOSED && latch_count(&later.completed) == MANY);
    for (int i = 0; i < 2 * MANY; i++) {
        if (requests[i] != NULL) { CHECK_STATUS(ctie_request_release(requests[i]), CTIE_OK); }
    }
}

/* ---- Synchronous ones ----------------------------------------------------------------------------------- */

static void reply_late(ctie_request *request, void *user_data) {
    wait_until_cancelled(request);
    *(ctie_status *)user_data = ctie_request_reply(request, ctie_value_int(1));
}

static void return_late(ctie_request *request, void *user_data) {
    (void)user_data;
    wait_until_cancelled(request);
}

/* Nobody can interrupt it: the answer comes late, but as a timeout. */
static void on_the_callers_thread_it_comes_late(void) {
    ctie_bus *bus = bus_with(1, 0);
    ctie_status answered = CTIE_OK;
    ctie_request_options soon = options_within(SOON_MS);
    component_add(bus, "reply", reply_late, &answered, 0, NULL);
    component_add(bus, "return", return_late, NULL, 0, NULL);
    CHECK_STATUS(call_run(bus, "reply", &soon), CTIE_E_TIMEOUT);
    CHECK_STATUS(answered, CTIE_E_ALREADY);
    CHECK_STATUS(call_run(bus, "return", &soon), CTIE_E_TIMEOUT);
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://late"), CTIE_HANDLER(return_late, NULL), NULL, NULL, NULL),
                 CTIE_OK);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://late"), CTIE_ORIGIN_LOCAL, &soon, NULL, NULL), CTIE_E_TIMEOUT);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void a_caller_does_not_wait_beyond_it(void) {
    ctie_bus *bus = bus_with(1, 0);
    gate blocked = GATE_INIT;
    latch taken = LATCH_INIT;
    ctie_request_options soon = options_within(SOON_MS);
    component_add(bus, "keep", keep, &taken, 0, NULL);
    component_add(bus, "gate", gate_pass, &blocked, CTIE_ACTION_WORKER_ONLY, NULL);
    CHECK_STATUS(call_run(bus, "keep", &soon), CTIE_E_TIMEOUT);
    CHECK_STATUS(ctie_request_reply(kept, ctie_value_null()), CTIE_E_ALREADY);
    CHECK_STATUS(ctie_request_release(kept), CTIE_OK);
    CHECK_STATUS(call_run(bus, "gate", &soon), CTIE_E_TIMEOUT);
    latch_add(&blocked.open);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* ---- Nested ones ------------------------------------------------------------------------------------------ */

static ctie_bus *nest;
static int64_t left_outside, left_inside;

static void note_time_left(ctie_request *request, void *user_data) {
    CHECK_STATUS(ctie_request_time_left(request, user_data), CTIE_OK);
    reply_null(request, NULL);
}

static void call_inner(ctie_request *request, void *user_data) {
    ctie_request_options options = options_within(*(int64_t *)user_data);
    CHECK_STATUS(ctie_request_time_left(request, &left_outside), CTIE_OK);
    CHECK_STATUS(call_run(nest, "inner", &options), CTIE_OK);
    reply_null(request, NULL);
}

static void one_inside_another_ends_with_that_at_the_latest(void) {
    int64_t timeout = 100000;
    ctie_request_options endless = options_within(-1), minute = options_within(60000);
    nest = bus_with(1, 0);
    component_add(nest, "outer", call_inner, &timeout, 0, NULL);
    component_add(nest, "inner", note_time_left, &left_inside, 0, NULL);
    CHECK_STATUS(call_run(nest, "outer", &minute), CTIE_OK);
    CHECK(left_outside > 0 && left_outside <= 60000 && left_inside > 0 && left_inside <= left_outside);
    CHECK_STATUS(call_run(nest, "outer", &endless), CTIE_OK);
    CHECK(left_outside == -1 && left_inside > 60000 && left_inside <= 100000);
    timeout = -1;
    CHECK_STATUS(call_run(nest, "outer", &minute), CTIE_OK);
    CHECK(left_inside > 0 && left_inside <= 60000);
    CHECK_STATUS(call_run(nest, "outer", &endless), CTIE_OK);
    CHECK(left_inside == -1);
    timeout = 1;
    CHECK_STATUS(call_run(nest, "inner", NULL), CTIE_OK);
    CHECK(left_inside > 0 && left_inside <= CTIE_SYNC_TIMEOUT_MS);
    CHECK_STATUS(ctie_bus_close(nest), CTIE_OK);
}

static bool is_late_inside;

static void note_lateness(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_time_left(request, &left_inside), CTIE_OK);
    CHECK_STATUS(ctie_request_is_cancelled(request, &is_late_inside), CTIE_OK);
}

static void call_inner_late(ctie_request *request, void *with_options) {
    ctie_request_options usual = CTIE_REQUEST_OPTIONS_INIT;
    wait_until_late(request);
    CHECK_STATUS(call_run(nest, "inner", with_options != NULL ? &usual : NULL), CTIE_E_TIMEOUT);
}

/* Also where nothing is said about the one inside. */
static void one_inside_has_the_outer_deadline_without_options_too(void) {
    ctie_request_options soon = options_within(2);
    nest = bus_with(1, 0);
    component_add(nest, "plain", call_inner_late, NULL, 0, NULL);
    component_add(nest, "usual", call_inner_late, nest, 0, NULL);
    component_add(nest, "inner", note_lateness, NULL, 0, NULL);
    const char *const outer[] = {"plain", "usual"};
    for (int i = 0; i < 2; i++) {
        left_inside = -1;
        is_late_inside = false;
        CHECK_STATUS(call_run(nest, outer[i], &soon), CTIE_E_TIMEOUT);
        CHECK(left_inside == 0 && is_late_inside);
    }
    CHECK_STATUS(ctie_bus_close(nest), CTIE_OK);
}

/* ---- Looking at a call ------------------------------------------------------------------------------------- */

static void a_calls_state_is_known_without_waiting(void) {
    ctie_bus *bus = bus_with(1, 0);
    latch taken = LATCH_INIT;
    ctie_call *call = NULL;
    ctie_status state = CTIE_OK;
    component_add(bus, "keep", keep, &taken, 0, NULL);
    CHECK_STATUS(start(bus, "keep", NULL, NULL, &call), CTIE_OK);
    CHECK_STATUS(ctie_call_state(call, &state), CTIE_OK);
    CHECK_STATUS(state, CTIE_PENDING);
    latch_wait(&taken, 1);
    CHECK_STATUS(ctie_request_fail(kept, 7, NULL, CTIE_STR("no")), CTIE_OK);
    CHECK_STATUS(ctie_request_release(kept), CTIE_OK);
    CHECK_STATUS(ctie_call_state(call, &state), CTIE_OK);
    CHECK_STATUS(state, CTIE_E_HANDLER);
    CHECK_STATUS(ctie_call_state(call, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_call_release(call), CTIE_OK);
    CHECK_STATUS(ctie_call_state(call, &state), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

int main(void) {
    one_that_is_queued_never_starts();
    one_that_runs_completes_at_once();
    one_that_is_kept_ends();
    each_of_many_ends();
    an_earlier_deadline_comes_first();
    a_later_deadline_does_not_come_with_an_earlier_one();
    on_the_callers_thread_it_comes_late();
    a_caller_does_not_wait_beyond_it();
    one_inside_another_ends_with_that_at_the_latest();
    one_inside_has_the_outer_deadline_without_options_too();
    a_calls_state_is_known_without_waiting();
    return check_end();
}
