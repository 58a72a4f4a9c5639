/*
 * Closing a bus waits for the completions of ended requests, whichever thread runs them; completions for a host's loop
 * are then in that loop.
 */
#include "check.h"
#include "latch.h"

#include <unistd.h>

static ctie_bus *bus;

static void new_bus(void) {
    ctie_bus_options options = CTIE_BUS_OPTIONS_INIT;
    options.max_workers = 2;
    CHECK_STATUS(ctie_bus_new(&options, &bus, NULL), CTIE_OK);
}

static void add(ctie_str pattern, ctie_handler_fn handler, void *user_data) {
    CHECK_STATUS(ctie_route_add(bus, pattern, CTIE_HANDLER(handler, user_data), NULL, NULL, NULL), CTIE_OK);
}

/* ---- A request that is kept, and ended by another thread ------------------------------------------------------- */

typedef struct keeper {
    ctie_request *request;
    latch kept;
} keeper;

static void keep(ctie_request *request, void *user_data) {
    keeper *own = user_data;
    CHECK_STATUS(ctie_request_retain(request), CTIE_OK);
    own->request = request;
    latch_add(&own->kept);
}

/** Closing may have ended it before. */
static void *answer(void *request) {
    ctie_status status = ctie_request_reply(request, ctie_value_int(1));
    CHECK(status == CTIE_OK || status == CTIE_E_ALREADY);
    CHECK_STATUS(ctie_request_release(request), CTIE_OK);
    return NULL;
}

/** Counts completions in one latch, what is destroyed in the next. */
static void note(ctie_response *response, void *user_data) {
    (void)response;
    latch_add(user_data);
}

static void note_destroyed(void *user_data) {
    latch_add((latch *)user_data + 1);
}

static ctie_call *start(const ctie_request_options *options, ctie_completion_fn fn, latch reported[2]) {
    ctie_call *call = NULL;
    CHECK_STATUS(ctie_open_async(bus, CTIE_STR("app://go"), CTIE_ORIGIN_LOCAL,
                                 CTIE_COMPLETION_OWNED(fn, reported, note_destroyed), options, &call, NULL), CTIE_OK);
    return call;
}

static void end_call(ctie_call *call) {
    CHECK_STATUS(ctie_call_wait(call, -1, NULL), CTIE_OK);
    CHECK_STATUS(ctie_call_release(call), CTIE_OK);
}

/* A reported completion must not be reported again later. */
static void check_reported(latch reported[2], int count) {
    CHECK(latch_count(&reported[0]) == count);
    CHECK(latch_count(&reported[1]) == count);
}

static void completion_of_another_threads_answer(void) {
    for (int round = 0; round < test_rounds(2000); round++) {
        keeper own = {NULL, LATCH_INIT};
        latch reported[2] = {LATCH_INIT, LATCH_INIT};
        pthread_t other;
        new_bus();
        add(CTIE_STR("app://go"), keep, &own);
        ctie_call *call = start(NULL, note, reported);
        latch_wait(&own.kept, 1);
        pthread_create(&other, NULL, answer, own.request);
        end_call(call);
        CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
        check_reported(reported, 1);
        pthread_join(other, NULL);
    }
}

static void *cancel(void *call) {
    ctie_status status = ctie_call_cancel(call);
    CHECK(status == CTIE_OK || status == CTIE_E_ALREADY);
    return NULL;
}

static void *cancel_all(void *unused) {
    (void)unused;
    (void)ctie_dispatcher_cancel_all(bus, CTIE_STR(""), NULL, NULL);
    return NULL;
}

/* Answer, cancel, a cancel of all, the deadline and closing race. */
static void one_completion_of_many_racing_answers(void) {
    for (int round = 0; round < test_rounds(1000); round++) {
        keeper own = {NULL, LATCH_INIT};
        latch reported[2] = {LATCH_INIT, LATCH_INIT};
        pthread_t others[3];
        ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
        options.timeout_ms = 1 + round % 3;
        new_bus();
        add(CTIE_STR("app://go"), keep, &own);
        ctie_call *call = start(&options, note, reported);
        (void)ctie_call_wait(call, round % 2, NULL);
        pthread_create(&others[0], NULL, cancel, call);
        pthread_create(&others[1], NULL, cancel_all, NULL);
        CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
        check_reported(reported, 1);
        for (int i = 0; i < 2; i++) { pthread_join(others[i], NULL); }
        if (own.request != NULL) { CHECK_STATUS(ctie_request_release(own.request), CTIE_OK); }
        CHECK_STATUS(ctie_call_release(call), CTIE_OK);
    }
}

/* ---- What a thread is in the middle of ---------------------------------------------------------------------------- */

typedef struct gate {
    latch reached, open, passed;
} gate;

#define GATE_INIT {LATCH_INIT, LATCH_INIT, LATCH_INIT}

static void pass(gate *own) {
    latch_add(&own->reached);
    latch_wait(&own->open, 1);
    latch_add(&own->passed);
}

static void *open_later(void *gate_latch) {
    usleep(20000); /* closing that does not wait is over by then */
    latch_add(gate_latch);
    return NULL;
}

/** Closes the bus while a thread waits at the gate, which opens a little later. */
static void close_at(gate *own) {
    pthread_t opener;
    latch_wait(&own->reached, 1);
    pthread_create(&opener, NULL, open_later, &own->open);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(latch_count(&own->passed) == 1);
    pthread_join(opener, NULL);
}

static void receive_at_gate(const ctie_value *value, void *user_data) {
    (void)value;
    pass(user_data);
}

static void *report_progress(void *request) {
    CHECK_STATUS(ctie_request_progress(request, ctie_value_int(1)), CTIE_OK);
    return NULL;
}

/* The completion comes after the progress, and so does the end of closing. */
static void completion_after_progress(void) {
    keeper own = {NULL, LATCH_INIT};
    gate received = GATE_INIT;
    latch reported[2] = {LATCH_INIT, LATCH_INIT};
    pthread_t reporter, other;
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.progress = CTIE_PROGRESS(receive_at_gate, &received);
    new_bus();
    add(CTIE_STR("app://go"), keep, &own);
    ctie_call *call = start(&options, note, reported);
    latch_wait(&own.kept, 1);
    pthread_create(&reporter, NULL, report_progress, own.request);
    latch_wait(&received.reached, 1);
    pthread_create(&other, NULL, answer, own.request);
    end_call(call);
    close_at(&received);
    check_reported(reported, 1);
    pthread_join(reporter, NULL);
    pthread_join(other, NULL);
}

static void complete_at_gate(ctie_response *response, void *user_data) {
    (void)response;
    latch *reported = user_data;
    pass((gate *)(void *)(reported + 2));
    latch_add(reported);
}

static void a_completion_that_runs_is_waited_for(void) {
    struct {
        latch reported[2];
        gate at;
    } seen = {{LATCH_INIT, LATCH_INIT}, GATE_INIT};
    keeper own = {NULL, LATCH_INIT};
    pthread_t other;
    new_bus();
    add(CTIE_STR("app://go"), keep, &own);
    ctie_call *call = start(NULL, complete_at_gate, seen.reported);
    latch_wait(&own.kept, 1);
    pthread_create(&other, NULL, answer, own.request);
    end_call(call);
    close_at(&seen.at);
    check_reported(seen.reported, 1);
    pthread_join(other, NULL);
}

static void receive_cancel(void *user_data) {
    pass(user_data);
}

static void keep_and_listen(ctie_request *request, void *user_data) {
    keeper *own = user_data;
    gate *cancelled = (gate *)(void *)(own + 1);
    CHECK_STATUS(ctie_request_on_cancel(request, CTIE_NOTICE(receive_cancel, cancelled)), CTIE_OK);
    keep(request, own);
}

/* A callback on the request's end is over as well. */
static void closing_waits_for_cancel_callbacks(void) {
    struct {
        keeper own;
        gate cancelled;
    } seen = {{NULL, LATCH_INIT}, GATE_INIT};
    latch reported[2] = {LATCH_INIT, LATCH_INIT};
    pthread_t other;
    new_bus();
    add(CTIE_STR("app://go"), keep_and_listen, &seen.own);
    ctie_call *call = start(NULL, note, reported);
    latch_wait(&seen.own.kept, 1);
    pthread_create(&other, NULL, cancel, call);
    close_at(&seen.cancelled);
    check_reported(reported, 1);
    pthread_join(other, NULL);
    CHECK_STATUS(ctie_request_release(seen.own.request), CTIE_OK);
    CHECK_STATUS(ctie_call_release(call), CTIE_OK);
}

/* A completion that closes its bus is not waited for, nor does it wait for itself. */
static void close_inside(ctie_response *response, void *user_data) {
    (void)response;
    CHECK_STATUS(ctie_bus_close(bus), CTIE_PENDING);
    latch_add(user_data);
}

static void a_completion_may_close_its_bus(void) {
    keeper own = {NULL, LATCH_INIT};
    latch reported[2] = {LATCH_INIT, LATCH_INIT};
    new_bus();
    add(CTIE_STR("app://go"), keep, &own);
    ctie_call *call = start(NULL, close_inside, reported);
    latch_wait(&own.kept, 1);
    answer(own.request);
    latch_wait(&reported[1], 1);
    end_call(call);
}

/* ---- Loops --------------------------------------------------------------------------------------------------------- */

static void count_progress(const ctie_value *value, void *user_data) {
    (void)value;
    latch_add(user_data);
}

static size_t dispatch(ctie_loop *loop) {
    size_t count = 0;
    CHECK_STATUS(ctie_loop_dispatch(loop, &count), CTIE_OK);
    return count;
}

/* Nobody dispatches the loop while the bus closes; all of it is there for the next dispatch. */
static void what_is_due_stays_in_a_loop(bool reports) {
    for (int round = 0; round < test_rounds(reports ? 1000 : 500); round++) {
        keeper own = {NULL, LATCH_INIT};
        latch reported[2] = {LATCH_INIT, LATCH_INIT}, received = LATCH_INIT;
        pthread_t other;
        ctie_loop *loop = NULL;
        ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
        CHECK_STATUS(ctie_loop_new(&loop, NULL), CTIE_OK);
        options.loop = loop;
        options.progress = CTIE_PROGRESS(count_progress, &received);
        new_bus();
        add(CTIE_STR("app://go"), keep, &own);
        ctie_call *call = start(&options, note, reported);
        latch_wait(&own.kept, 1);
        if (reports) { report_progress(own.request); }
        pthread_create(&other, NULL, answer, own.request);
        if (round % 2 == 0) {
            end_call(call);
        } else {
            CHECK_STATUS(ctie_call_release(call), CTIE_OK);
        }
        CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
        check_reported(reported, 0);
        CHECK(latch_count(&received) == 0);
        CHECK(dispatch(loop) == (reports ? 2 : 1));
        check_reported(reported, 1);
        CHECK(latch_count(&received) == (reports ? 1 : 0));
        pthread_join(other, NULL);
        CHECK_STATUS(ctie_loop_release(loop), CTIE_OK);
    }
}

/* A loop that is released runs what a closed bus has left in it. */
static void releasing_a_loop_runs_what_is_due(void) {
    keeper own = {NULL, LATCH_INIT};
    latch reported[2] = {LATCH_INIT, LATCH_INIT};
    ctie_loop *loop = NULL;
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    CHECK_STATUS(ctie_loop_new(&loop, NULL), CTIE_OK);
    options.loop = loop;
    new_bus();
    add(CTIE_STR("app://go"), keep, &own);
    ctie_call *call = start(&options, note, reported);
    latch_wait(&own.kept, 1);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    check_reported(reported, 0);
    CHECK_STATUS(ctie_loop_release(loop), CTIE_OK);
    check_reported(reported, 1);
    CHECK_STATUS(ctie_request_release(own.request), CTIE_OK);
    CHECK_STATUS(ctie_call_release(call), CTIE_OK);
}

static void *dispatch_once(void *unused) {
    size_t count = 0;
    ctie_loop *own = NULL;
    (void)unused;
    CHECK_STATUS(ctie_bus_loop(bus, &own), CTIE_OK);
    for (ctie_status status = CTIE_OK; count == 0 && status == CTIE_OK;) { status = ctie_loop_dispatch(own, &count); }
    return NULL;
}

/* The bus's own loop ends with the bus: closing waits for its callbacks on another thread. */
static void the_own_loop_is_waited_for(void) {
    struct {
        latch reported[2];
        gate at;
    } seen = {{LATCH_INIT, LATCH_INIT}, GATE_INIT};
    keeper own = {NULL, LATCH_INIT};
    pthread_t dispatcher;
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    new_bus();
    CHECK_STATUS(ctie_bus_loop(bus, &options.loop), CTIE_OK);
    add(CTIE_STR("app://go"), keep, &own);
    ctie_call *call = start(&options, complete_at_gate, seen.reported);
    latch_wait(&own.kept, 1);
    pthread_create(&dispatcher, NULL, dispatch_once, NULL);
    answer(own.request);
    end_call(call);
    close_at(&seen.at);
    check_reported(seen.reported, 1);
    pthread_join(dispatcher, NULL);
}

typedef struct inner {
    ctie_loop *loop;
    latch reported[2];
    int depth;
} inner;

static void dispatch_inside(const ctie_value *value, void *user_data) {
    (void)value;
    inner *own = user_data;
    CHECK(own->depth++ == 0);
    CHECK(dispatch(own->loop) == 0 || latch_count(&own->reported[0]) == 0);
    CHECK(latch_count(&own->reported[0]) == 0);
    own->depth--;
}

/* A listener that dispatches its own loop does not get the completion before it has returned. */
static void a_completion_comes_after_a_listener_that_dispatches(void) {
    keeper own = {NULL, LATCH_INIT};
    inner in = {NULL, {LATCH_INIT, LATCH_INIT}, 0};
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    CHECK_STATUS(ctie_loop_new(&in.loop, NULL), CTIE_OK);
    options.loop = in.loop;
    options.progress = CTIE_PROGRESS(dispatch_inside, &in);
    new_bus();
    add(CTIE_STR("app://go"), keep, &own);
    ctie_call *call = start(&options, note, in.reported);
    latch_wait(&own.kept, 1);
    report_progress(own.request);
    answer(own.request);
    end_call(call);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    (void)dispatch(in.loop);
    (void)dispatch(in.loop);
    check_reported(in.reported, 1);
    CHECK_STATUS(ctie_loop_release(in.loop), CTIE_OK);
}

int main(void) {
    completion_after_progress();
    a_completion_that_runs_is_waited_for();
    closing_waits_for_cancel_callbacks();
    a_completion_may_close_its_bus();
    the_own_loop_is_waited_for();
    releasing_a_loop_runs_what_is_due();
    a_completion_comes_after_a_listener_that_dispatches();
    what_is_due_stays_in_a_loop(false);
    what_is_due_stays_in_a_loop(true);
    completion_of_another_threads_answer();
    one_completion_of_many_racing_answers();
    return check_end();
}
