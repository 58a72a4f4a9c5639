/* Asynchronous calls of actions that do not block: they run on the calling thread, and end as all others do. */
#include "dispatching.h"

/* ---- The thread ------------------------------------------------------------------------------------ */

/** A handler's or a completion's thread, and the number of its calls. */
typedef struct sighting {
    latch seen;
    pthread_t thread;
} sighting;

#define SIGHTING_INIT {LATCH_INIT, 0}

static void see(sighting *own) {
    own->thread = pthread_self();
    latch_add(&own->seen);
}

static void see_request(ctie_request *request, void *user_data) {
    see(user_data);
    CHECK_STATUS(ctie_request_reply(request, ctie_value_int(7)), CTIE_OK);
}

static void see_response(ctie_response *response, void *user_data) {
    CHECK_STATUS(ctie_response_status(response), CTIE_OK);
    see(user_data);
}

static bool ran_here(sighting *own) {
    return pthread_equal(own->thread, pthread_self()) != 0;
}

static ctie_status start_seen(ctie_bus *bus, const char *component, const ctie_request_options *options, sighting *end) {
    return ctie_component_call_async(bus, (ctie_target){ctie_str_from(component), CTIE_STR("run")}, NULL,
                                     CTIE_COMPLETION(see_response, end), options, NULL, NULL);
}

static void the_handler_runs_here_and_the_completion_does_not(void) {
    ctie_bus *bus = bus_with(1, 0);
    sighting run = SIGHTING_INIT, end = SIGHTING_INIT;
    component_add(bus, "c", see_request, &run, CTIE_ACTION_NONBLOCKING, NULL);
    CHECK_STATUS(start_seen(bus, "c", without_end(), &end), CTIE_OK);
    CHECK(latch_count(&run.seen) == 1 && ran_here(&run));
    latch_wait(&end.seen, 1);
    CHECK(!ran_here(&end));
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* A host that holds its lock around the call, and takes it in the completion, does not wait for itself. */
static void the_caller_may_hold_a_lock_of_the_completion(void) {
    ctie_bus *bus = bus_with(1, 0);
    outcome own = OUTCOME_INIT;
    component_add(bus, "c", reply_null, NULL, CTIE_ACTION_NONBLOCKING, NULL);
    pthread_mutex_lock(&own.completed.lock);
    CHECK_STATUS(start(bus, "c", without_end(), &own, NULL), CTIE_OK);
    pthread_mutex_unlock(&own.completed.lock);
    latch_wait(&own.completed, 1);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* The completion comes to the loop, and no thread is started. */
static void a_loop_needs_no_worker(void) {
    ctie_bus *bus = bus_with(1, 0);
    ctie_loop *loop = NULL;
    outcome own = OUTCOME_INIT;
    int threads = thread_count();
    component_add(bus, "c", reply_null, NULL, CTIE_ACTION_NONBLOCKING, NULL);
    CHECK_STATUS(ctie_loop_new(&loop, NULL), CTIE_OK);
    ctie_request_options options = *without_end();
    options.loop = loop;
    for (int i = 1; i <= 100; i++) {
        CHECK_STATUS(start(bus, "c", &options, &own, NULL), CTIE_OK);
        CHECK(latch_count(&own.completed) == i - 1);
        CHECK_STATUS(ctie_loop_dispatch(loop, NULL), CTIE_OK);
        CHECK(latch_count(&own.completed) == i && own.status == CTIE_OK);
    }
    CHECK(thread_count() == threads);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK_STATUS(ctie_loop_release(loop), CTIE_OK);
}

/* ---- Workers all the same ------------------------------------------------------------------------------ */

static void pass(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_proceed(request), CTIE_OK);
}

static bool runs_here(ctie_bus *bus, const char *component, const ctie_request_options *options, sighting *run) {
    sighting end = SIGHTING_INIT;
    int before = latch_count(&run->seen);
    CHECK_STATUS(start_seen(bus, component, options, &end), CTIE_OK);
    latch_wait(&end.seen, 1);
    CHECK(latch_count(&run->seen) == before + 1);
    return ran_here(run);
}

static void interceptors_and_dispatchers_need_a_worker(void) {
    ctie_bus *bus = bus_with(2, 0);
    sighting run = SIGHTING_INIT;
    ctie_registration *interceptor = NULL;
    dispatcher_add(bus, "own", 1, 0);
    component_add(bus, "plain", see_request, &run, CTIE_ACTION_NONBLOCKING, NULL);
    component_add(bus, "blocking", see_request, &run, 0, NULL);
    component_add(bus, "apart", see_request, &run, CTIE_ACTION_NONBLOCKING, "own");
    CHECK(runs_here(bus, "plain", without_end(), &run));
    CHECK(!runs_here(bus, "blocking", without_end(), &run));
    CHECK(!runs_here(bus, "apart", without_end(), &run));
    ctie_request_options options = *without_end();
    options.dispatcher = CTIE_STR("own");
    CHECK(!runs_here(bus, "plain", &options, &run));
    ctie_handler own = CTIE_HANDLER(pass, NULL);
    options = *without_end();
    options.interceptors = &own;
    options.interceptor_count = 1;
    CHECK(!runs_here(bus, "plain", &options, &run));
    CHECK_STATUS(ctie_interceptor_add(bus, CTIE_HANDLER(pass, NULL), NULL, &interceptor, NULL), CTIE_OK);
    CHECK(!runs_here(bus, "plain", without_end(), &run));
    CHECK_STATUS(ctie_registration_release(interceptor), CTIE_OK);
    CHECK(runs_here(bus, "plain", without_end(), &run));
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* ---- Answers that come later ----------------------------------------------------------------------- */

static void *answer_kept(void *unused) {
    (void)unused;
    CHECK_STATUS(ctie_request_reply(kept, ctie_value_null()), CTIE_OK);
    CHECK_STATUS(ctie_request_release(kept), CTIE_OK);
    return NULL;
}

static void a_kept_request_ends_once(void) {
    ctie_bus *bus = bus_with(1, 0);
    latch keeping = LATCH_INIT;
    pthread_t thread;
    component_add(bus, "c", keep, &keeping, CTIE_ACTION_NONBLOCKING, NULL);
    for (int i = 1; i <= test_rounds(200); i++) {
        outcome own = OUTCOME_INIT;
        CHECK_STATUS(start(bus, "c", without_end(), &own, NULL), CTIE_OK);
        CHECK(latch_count(&keeping) == i);
        if (i % 2 == 0) {
            answer_kept(NULL);
        } else {
            CHECK(pthread_create(&thread, NULL, answer_kept, NULL) == 0);
            pthread_join(thread, NULL);
        }
        latch_wait(&own.destroyed, 1);
        CHECK(own.status == CTIE_OK && latch_count(&own.completed) == 1);
    }
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void a_kept_request_has_its_deadline_and_can_be_cancelled(void) {
    ctie_bus *bus = bus_with(1, 0);
    latch keeping = LATCH_INIT;
    outcome late = OUTCOME_INIT, cancelled = OUTCOME_INIT, closed = OUTCOME_INIT;
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    ctie_call *call = NULL;
    component_add(bus, "c", keep, &keeping, CTIE_ACTION_NONBLOCKING, NULL);
    options.timeout_ms = 20;
    CHECK_STATUS(start(bus, "c", &options, &late, NULL), CTIE_OK);
    latch_wait(&late.destroyed, 1);
    CHECK(late.status == CTIE_E_TIMEOUT);
    CHECK_STATUS(ctie_request_release(kept), CTIE_OK);
    CHECK_STATUS(start(bus, "c", without_end(), &cancelled, &call), CTIE_OK);
    CHECK_STATUS(ctie_call_cancel(call), CTIE_OK);
    CHECK_STATUS(ctie_call_release(call), CTIE_OK);
    latch_wait(&cancelled.destroyed, 1);
    CHECK(cancelled.status == CTIE_E_CANCELLED);
    CHECK_STATUS(ctie_request_release(kept), CTIE_OK);
    CHECK_STATUS(start(bus, "c", without_end(), &closed, NULL), CTIE_OK);
    ctie_request *last = kept;
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(latch_count(&closed.destroyed) == 1 && closed.status == CTIE_E_CLOSED);
    CHECK_STATUS(ctie_request_release(last), CTIE_OK);
    CHECK_STATUS(start(bus, "c", without_end(), NULL, NULL), CTIE_E_HANDLE);
}

/* ---- Nesting and closing --------------------------------------------------------------------------- */

typedef struct descent {
    ctie_bus *bus;
    latch arrived;
    int left;
} descent;

/* Each handler calls the next one, deeper than a thread's stack of requests. */
static void descend(ctie_request *request, void *user_data) {
    descent *own = user_data;
    if (own->left-- > 0) CHECK_STATUS(start(own->bus, "c", without_end(), NULL, NULL), CTIE_OK);
    latch_add(&own->arrived);
    CHECK_STATUS(ctie_request_reply(request, ctie_value_null()), CTIE_OK);
}

static void calls_too_deep_go_to_a_worker(void) {
    enum { DEPTH = 300 };
    descent own = {bus_with(1, 0), LATCH_INIT, DEPTH};
    component_add(own.bus, "c", descend, &own, CTIE_ACTION_NONBLOCKING, NULL);
    CHECK_STATUS(start(own.bus, "c", without_end(), NULL, NULL), CTIE_OK);
    latch_wait(&own.arrived, DEPTH + 1);
    CHECK_STATUS(ctie_bus_close(own.bus), CTIE_OK);
}

static void close_inside(ctie_request *request, void *user_data) {
    CHECK_STATUS(ctie_bus_close(user_data), CTIE_PENDING);
    (void)ctie_request_reply(request, ctie_value_null());
}

static void a_handler_may_close_its_bus(void) {
    ctie_bus *bus = bus_with(1, 0);
    outcome own = OUTCOME_INIT;
    component_add(bus, "c", close_inside, bus, CTIE_ACTION_NONBLOCKING, NULL);
    CHECK_STATUS(start(bus, "c", without_end(), &own, NULL), CTIE_OK);
    latch_wait(&own.destroyed, 1);
    CHECK(latch_count(&own.completed) == 1);
}

typedef struct caller {
    ctie_bus *bus;
    atomic_int accepted, ended;
} caller;

static void note_end(ctie_response *response, void *user_data) {
    (void)ctie_response_status(response);
    ((caller *)user_data)->ended++;
}

static void *call_until_closed(void *user_data) {
    caller *own = user_data;
    ctie_status status;
    while ((status = ctie_component_call_async(own->bus, CTIE_TARGET("c", "run"), NULL, CTIE_COMPLETION(note_end, own),
                                               without_end(), NULL, NULL)) == CTIE_OK) {
        own->accepted++;
    }
    CHECK(status == CTIE_E_HANDLE || status == CTIE_E_CLOSED);
    return NULL;
}

/* Closing waits for handlers that run on their callers' threads, and every accepted call ends. */
static void closing_meets_callers(void) {
    for (int round = 0; round < test_rounds(200); round++) {
        caller own = {.bus = bus_with(2, 0)};
        pthread_t threads[2];
        component_add(own.bus, "c", reply_null, NULL, CTIE_ACTION_NONBLOCKING, NULL);
        for (int i = 0; i < 2; i++) CHECK(pthread_create(&threads[i], NULL, call_until_closed, &own) == 0);
        while (own.accepted < 10) sched_yield();
        CHECK_STATUS(ctie_bus_close(own.bus), CTIE_OK);
        int ended = own.ended;
        for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
        CHECK(own.ended == own.accepted && ended == own.ended);
    }
}

/* ---- Refusals -------------------------------------------------------------------------------------- */

static void the_flag_excludes_workers(void) {
    ctie_bus *bus = bus_with(1, 0);
    ctie_action action = {CTIE_STR("run"), reply_null, NULL, CTIE_ACTION_NONBLOCKING | CTIE_ACTION_WORKER_ONLY, {NULL, 0}};
    ctie_error *error = NULL;
    CHECK_STATUS(ctie_component_add(bus, CTIE_STR("c"), (ctie_action_list){&action, 1}, CTIE_INSTANCE(NULL), NULL, NULL,
                                    &error), CTIE_E_INVALID);
    CHECK(text_is(ctie_error_location(error), "actions[0].flags"));
    ctie_error_release(error);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

int main(void) {
    the_handler_runs_here_and_the_completion_does_not();
    the_caller_may_hold_a_lock_of_the_completion();
    a_loop_needs_no_worker();
    interceptors_and_dispatchers_need_a_worker();
    a_kept_request_ends_once();
    a_kept_request_has_its_deadline_and_can_be_cancelled();
    calls_too_deep_go_to_a_worker();
    a_handler_may_close_its_bus();
    closing_meets_callers();
    the_flag_excludes_workers();
    return check_end();
}
