/* Dispatching: threads apart, priorities, full queues, cancelling all, nested waits. */
#include "dispatching.h"

static ctie_request_options options_with(const char *dispatcher, int32_t priority) {
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.dispatcher = ctie_str_from(dispatcher);
    options.priority = priority;
    return options;
}

/* ---- Order ------------------------------------------------------------------------------------------- */

static char order[8];
static latch ran = LATCH_INIT;

static void note(ctie_request *request, void *letter) {
    order[latch_count(&ran)] = *(const char *)letter;
    latch_add(&ran);
    reply_null(request, NULL);
}

/* The order of requests behind one busy worker: urgent ones first, and of equal ones the earliest. */
static void requests_run_by_priority_then_in_their_order(void) {
    ctie_bus *bus = bus_with(1, 0);
    gate blocked = GATE_INIT;
    const char *letters = "abcdef";
    const int32_t priorities[] = {CTIE_PRIORITY_LOW, CTIE_PRIORITY_NORMAL, CTIE_PRIORITY_HIGH,
                                  CTIE_PRIORITY_NORMAL, CTIE_PRIORITY_HIGH, CTIE_PRIORITY_LOW};
    component_add(bus, "gate", gate_pass, &blocked, 0, NULL);
    CHECK_STATUS(start(bus, "gate", without_end(), NULL, NULL), CTIE_OK);
    latch_wait(&blocked.entered, 1);
    for (int i = 0; i < 6; i++) {
        ctie_request_options options = options_with("", priorities[i]);
        char name[] = {'c', letters[i], 0};
        component_add(bus, name, note, (void *)&letters[i], 0, NULL);
        CHECK_STATUS(start(bus, name, &options, NULL, NULL), CTIE_OK);
    }
    latch_add(&blocked.open);
    latch_wait(&ran, 6);
    CHECK(strcmp(order, "cebdaf") == 0);
    ctie_request_options none = options_with("", 2);
    CHECK_STATUS(start(bus, "ca", &none, NULL, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* ---- Apart --------------------------------------------------------------------------------------------- */

/* The default dispatcher's one worker is blocked; requests with a dispatcher of their own are not affected. */
static void a_named_dispatcher_has_threads_of_its_own(void) {
    ctie_bus *bus = bus_with(1, 0);
    gate blocked = GATE_INIT;
    outcome chosen = OUTCOME_INIT, owned = OUTCOME_INIT, waiting = OUTCOME_INIT;
    ctie_request_options fast = options_with("fast", 0), gate_too = options_with("other", 0);
    dispatcher_add(bus, "fast", 1, 0);
    dispatcher_add(bus, "other", 1, 0);
    component_add(bus, "gate", gate_pass, &blocked, 0, NULL);
    component_add(bus, "plain", reply_null, NULL, 0, NULL);
    component_add(bus, "own", reply_null, NULL, 0, "other");
    CHECK_STATUS(start(bus, "gate", without_end(), NULL, NULL), CTIE_OK);
    latch_wait(&blocked.entered, 1);
    CHECK_STATUS(start(bus, "plain", without_end(), &waiting, NULL), CTIE_OK);
    CHECK_STATUS(start(bus, "plain", &fast, &chosen, NULL), CTIE_OK);
    CHECK_STATUS(start(bus, "own", without_end(), &owned, NULL), CTIE_OK);
    latch_wait(&chosen.completed, 1);
    latch_wait(&owned.completed, 1);
    /* The caller's word counts for more than the component's. */
    CHECK_STATUS(start(bus, "gate", &gate_too, NULL, NULL), CTIE_OK);
    latch_wait(&blocked.entered, 2);
    CHECK_STATUS(start(bus, "own", &fast, &owned, NULL), CTIE_OK);
    latch_wait(&owned.completed, 2);
    CHECK(latch_count(&waiting.completed) == 0);
    latch_add(&blocked.open);
    latch_wait(&waiting.completed, 1);
    CHECK(chosen.status == CTIE_OK && owned.status == CTIE_OK && waiting.status == CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void a_name_leads_to_one_dispatcher(void) {
    ctie_bus *bus = bus_with(0, 0);
    ctie_dispatcher_options options = CTIE_DISPATCHER_OPTIONS_INIT;
    ctie_request_options nowhere = options_with("nowhere", 0);
    ctie_component_options component = CTIE_COMPONENT_OPTIONS_INIT;
    ctie_action action = {CTIE_STR("run"), reply_null, NULL, 0, {NULL, 0}};
    ctie_error *error = NULL;
    char name[8] = "d";
    dispatcher_add(bus, "fast", 0, 0);
    component_add(bus, "plain", reply_null, NULL, 0, NULL);
    CHECK_STATUS(ctie_dispatcher_add(bus, CTIE_STR("fast"), NULL, &error), CTIE_E_CONFLICT);
    CHECK_STATUS(ctie_error_status(error), CTIE_E_CONFLICT);
    ctie_error_release(error);
    CHECK_STATUS(ctie_dispatcher_add(bus, CTIE_STR("1st"), NULL, NULL), CTIE_E_IDENTIFIER);
    CHECK_STATUS(ctie_dispatcher_add(bus, CTIE_STR(""), NULL, NULL), CTIE_E_IDENTIFIER);
    options.max_workers = 1025;
    CHECK_STATUS(ctie_dispatcher_add(bus, CTIE_STR("d"), &options, NULL), CTIE_E_INVALID);
    options.max_workers = 1;
    options.max_queued = 1048577;
    CHECK_STATUS(ctie_dispatcher_add(bus, CTIE_STR("d"), &options, NULL), CTIE_E_INVALID);
    CHECK_STATUS(start(bus, "plain", &nowhere, NULL, NULL), CTIE_E_NOT_FOUND);
    CHECK_STATUS(call_run(bus, "plain", &nowhere), CTIE_E_NOT_FOUND);
    component.dispatcher = CTIE_STR("nowhere");
    CHECK_STATUS(ctie_component_add(bus, CTIE_STR("lost"), (ctie_action_list){&action, 1}, CTIE_INSTANCE(NULL),
                                    &component, NULL, NULL), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_dispatcher_cancel_all(bus, CTIE_STR("nowhere"), NULL, NULL), CTIE_E_NOT_FOUND);
    for (int i = 1; i < 63; i++) {
        snprintf(name, sizeof name, "d%d", i);
        CHECK_STATUS(ctie_dispatcher_add(bus, ctie_str_from(name), NULL, NULL), CTIE_OK);
    }
    CHECK_STATUS(ctie_dispatcher_add(bus, CTIE_STR("d63"), NULL, NULL), CTIE_E_LIMIT);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void each_queue_is_full_for_itself(void) {
    ctie_bus *bus = bus_with(1, 1);
    gate blocked = GATE_INIT;
    outcome refused = OUTCOME_INIT;
    ctie_request_options fast = options_with("fast", CTIE_PRIORITY_HIGH);
    dispatcher_add(bus, "fast", 1, 1);
    component_add(bus, "gate", gate_pass, &blocked, 0, NULL);
    CHECK_STATUS(start(bus, "gate", &fast, NULL, NULL), CTIE_OK);
    latch_wait(&blocked.entered, 1);
    CHECK_STATUS(start(bus, "gate", &fast, NULL, NULL), CTIE_OK);
    CHECK_STATUS(start(bus, "gate", &fast, &refused, NULL), CTIE_E_BUSY);
    CHECK(latch_count(&refused.completed) == 0 && latch_count(&refused.destroyed) == 1);
    CHECK_STATUS(start(bus, "gate", without_end(), NULL, NULL), CTIE_OK);
    latch_wait(&blocked.entered, 2);
    latch_add(&blocked.open);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static pthread_t ran_on;

static void note_thread(ctie_request *request, void *user_data) {
    ran_on = pthread_self();
    reply_null(request, user_data);
}

static void call_the_other_bus(ctie_request *request, void *other) {
    CHECK_STATUS(call_run(other, "own", without_end()), CTIE_OK);
    CHECK(!pthread_equal(ran_on, pthread_self()));
    reply_null(request, NULL);
}

/* A worker of another bus is none. */
static void each_bus_has_workers_of_its_own(void) {
    ctie_bus *bus = bus_with(1, 0), *other = bus_with(1, 0);
    outcome own = OUTCOME_INIT;
    component_add(other, "own", note_thread, NULL, CTIE_ACTION_WORKER_ONLY, NULL);
    component_add(bus, "calls", call_the_other_bus, other, 0, NULL);
    CHECK_STATUS(start(bus, "calls", without_end(), &own, NULL), CTIE_OK);
    latch_wait(&own.destroyed, 1);
    CHECK_STATUS(own.status, CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(other), CTIE_OK);
}

/* ---- Cancelling all -------------------------------------------------------------------------------------- */

static void everything_of_one_dispatcher_is_cancelled(void) {
    ctie_bus *bus = bus_with(2, 0);
    gate blocked = GATE_INIT;
    latch taken = LATCH_INIT, never = LATCH_INIT;
    outcome running = OUTCOME_INIT, held = OUTCOME_INIT, queued = OUTCOME_INIT, apart = OUTCOME_INIT;
    ctie_request_options fast = options_with("fast", 0);
    size_t count = 0;
    bool cancelled = false;
    dispatcher_add(bus, "fast", 1, 0);
    component_add(bus, "gate", gate_pass, &blocked, 0, NULL);
    component_add(bus, "keep", keep, &taken, 0, NULL);
    component_add(bus, "count", count_run, &never, 0, NULL);
    CHECK_STATUS(start(bus, "keep", &fast, &held, NULL), CTIE_OK);
    latch_wait(&taken, 1);
    CHECK_STATUS(start(bus, "gate", &fast, &running, NULL), CTIE_OK);
    CHECK_STATUS(start(bus, "gate", without_end(), &apart, NULL), CTIE_OK);
    latch_wait(&blocked.entered, 2);
    for (int i = 0; i < 3; i++) { CHECK_STATUS(start(bus, "count", &fast, &queued, NULL), CTIE_OK); }
    CHECK_STATUS(ctie_dispatcher_cancel_all(bus, CTIE_STR("fast"), &count, NULL), CTIE_OK);
    CHECK(count == 5);
    /* At once, though the dispatcher's one worker waits at the gate. */
    latch_wait(&running.destroyed, 1);
    latch_wait(&held.destroyed, 1);
    latch_wait(&queued.destroyed, 3);
    CHECK(running.status == CTIE_E_CANCELLED && held.status == CTIE_E_CANCELLED && queued.status == CTIE_E_CANCELLED);
    CHECK_STATUS(ctie_request_is_cancelled(kept, &cancelled), CTIE_OK);
    CHECK(cancelled && latch_count(&apart.completed) == 0);
    CHECK_STATUS(ctie_request_reply(kept, ctie_value_null()), CTIE_E_ALREADY);
    CHECK_STATUS(ctie_request_release(kept), CTIE_OK);
    CHECK_STATUS(ctie_dispatcher_cancel_all(bus, CTIE_STR("fast"), &count, NULL), CTIE_OK);
    CHECK(count == 0);
    CHECK_STATUS(ctie_dispatcher_cancel_all(bus, CTIE_STR(""), &count, NULL), CTIE_OK);
    CHECK(count == 1);
    latch_wait(&apart.completed, 1);
    latch_add(&blocked.open);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(latch_count(&never) == 0 && latch_count(&queued.completed) == 3);
}

/* Handlers that go on for nothing do not keep the others from their turn. */
static void the_next_does_not_wait_for_a_cancelled_one(void) {
    ctie_bus *bus = bus_with(1, 0);
    gate blocked = GATE_INIT;
    outcome next = OUTCOME_INIT;
    ctie_call *call = NULL;
    component_add(bus, "gate", gate_pass, &blocked, 0, NULL);
    component_add(bus, "plain", reply_null, NULL, 0, NULL);
    for (int i = 1; i <= 20; i++) {
        CHECK_STATUS(start(bus, "gate", without_end(), NULL, &call), CTIE_OK);
        latch_wait(&blocked.entered, i);
        CHECK_STATUS(start(bus, "plain", without_end(), &next, NULL), CTIE_OK);
        CHECK_STATUS(ctie_call_cancel(call), CTIE_OK);
        CHECK_STATUS(ctie_call_release(call), CTIE_OK);
        latch_wait(&next.completed, i);
    }
    latch_add(&blocked.open);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* ---- Waiting ----------------------------------------------------------------------------------------------- */

typedef struct ladder {
    ctie_bus *bus;
    const char *next;
    pthread_t thread;
} ladder;

static latch rungs = LATCH_INIT;

static void climb(ctie_request *request, void *user_data) {
    ladder *own = user_data;
    own->thread = pthread_self();
    latch_add(&rungs);
    if (latch_count(&rungs) < 40) { CHECK_STATUS(call_run(own->bus, own->next, without_end()), CTIE_OK); }
    reply_null(request, NULL);
}

/* Two dispatchers with one worker each, whose handlers wait for each other in turn. */
static void nested_full_dispatchers_do_not_wait_for_themselves(void) {
    ctie_bus *bus = bus_with(1, 1);
    ladder left = {bus, "right", 0}, right = {bus, "left", 0};
    outcome own = OUTCOME_INIT;
    dispatcher_add(bus, "l", 1, 1);
    dispatcher_add(bus, "r", 1, 1);
    component_add(bus, "left", climb, &left, CTIE_ACTION_WORKER_ONLY, "l");
    component_add(bus, "right", climb, &right, CTIE_ACTION_WORKER_ONLY, "r");
    CHECK_STATUS(start(bus, "left", without_end(), &own, NULL), CTIE_OK);
    latch_wait(&own.completed, 1);
    CHECK(own.status == CTIE_OK && latch_count(&rungs) == 40);
    CHECK(!pthread_equal(left.thread, right.thread));
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

typedef struct depth {
    ctie_bus *bus;
    latch reached;
    ctie_status waited, submitted;
} depth;

static void descend(ctie_request *request, void *user_data) {
    depth *own = user_data;
    ctie_call *call = NULL;
    latch_add(&own->reached);
    ctie_status status = start(own->bus, "deep", without_end(), NULL, &call);
    if (status == CTIE_OK) {
        status = ctie_call_wait(call, -1, NULL);
        if (status != CTIE_OK) {
            own->waited = status;
            CHECK_STATUS(ctie_call_cancel(call), CTIE_OK);
        }
        CHECK_STATUS(ctie_call_release(call), CTIE_OK);
    } else {
        own->submitted = status;
    }
    reply_null(request, NULL);
}

/*
 * One worker and 256 that wait: the last one gets an error, because no worker is left to run the request it waits for.
 */
static void the_last_of_all_workers_does_not_wait(void) {
    depth own = {bus_with(1, 0), LATCH_INIT, CTIE_OK, CTIE_OK};
    outcome reported = OUTCOME_INIT;
    component_add(own.bus, "deep", descend, &own, 0, NULL);
    CHECK_STATUS(start(own.bus, "deep", without_end(), &reported, NULL), CTIE_OK);
    latch_wait(&reported.completed, 1);
    CHECK_STATUS(reported.status, CTIE_OK);
    CHECK_STATUS(own.waited, CTIE_E_DEADLOCK);
    CHECK_STATUS(own.submitted, CTIE_OK);
    CHECK(latch_count(&own.reached) == 257);
    CHECK_STATUS(ctie_bus_close(own.bus), CTIE_OK);
}

/* ---- Many -------------------------------------------------------------------------------------------------- */

static void every_worker_is_used_while_handlers_block(void) {
    ctie_bus *bus = bus_with(16, 0);
    gate all = GATE_INIT;
    component_add(bus, "gate", gate_pass, &all, 0, NULL);
    for (int i = 0; i < 32; i++) { CHECK_STATUS(start(bus, "gate", without_end(), NULL, NULL), CTIE_OK); }
    latch_wait(&all.entered, 16);
    CHECK(latch_count(&all.entered) == 16);
    latch_add(&all.open);
    latch_wait(&all.entered, 32);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void no_thread_is_left_after_the_close(void) {
    int before = thread_count();
    ctie_bus *bus = bus_with(4, 0);
    outcome own = OUTCOME_INIT;
    ctie_request_options fast = options_with("fast", 0);
    dispatcher_add(bus, "fast", 4, 0);
    component_add(bus, "plain", reply_null, NULL, 0, NULL);
    CHECK(thread_count() == before);
    for (int i = 0; i < 200; i++) { CHECK_STATUS(start(bus, "plain", i % 2 ? &fast : NULL, &own, NULL), CTIE_OK); }
    latch_wait(&own.completed, 200);
    CHECK(thread_count() > before);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(threads_end(before));
}

int main(void) {
    requests_run_by_priority_then_in_their_order();
    a_named_dispatcher_has_threads_of_its_own();
    a_name_leads_to_one_dispatcher();
    each_queue_is_full_for_itself();
    each_bus_has_workers_of_its_own();
    everything_of_one_dispatcher_is_cancelled();
    the_next_does_not_wait_for_a_cancelled_one();
    nested_full_dispatchers_do_not_wait_for_themselves();
    the_last_of_all_workers_does_not_wait();
    every_worker_is_used_while_handlers_block();
    no_thread_is_left_after_the_close();
    return check_end();
}
