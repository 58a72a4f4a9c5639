/* Handlers on workers that start what only workers can run, and wait for it: a pool grows for them up to its limit, and
 * never waits for itself. Where no worker is left, the request or the wait for it is refused. */
#include "components.h"

#include <stdatomic.h>

enum { MORE = 256 /* threads above the maximum, for those that wait */, TREES = 8, LEVELS = 6 };

static ctie_bus *bus;
static atomic_int running, refused;

static void new_bus(uint32_t workers) {
    ctie_bus_options options = CTIE_BUS_OPTIONS_INIT;
    options.max_workers = workers;
    CHECK_STATUS(ctie_bus_new(&options, &bus, NULL), CTIE_OK);
    atomic_store(&running, 0);
    atomic_store(&refused, 0);
}

/* Closes it under the latches' watchdog. */
static void *close_bus(void *closed) {
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    latch_add(closed);
    return NULL;
}

static void end_bus(void) {
    latch closed = LATCH_INIT;
    pthread_t thread;
    pthread_create(&thread, NULL, close_bus, &closed);
    latch_wait(&closed, 1);
    pthread_join(thread, NULL);
}

/* The call of an action without a deadline, or NULL where it was refused at once. */
static ctie_call *start(const char *action) {
    ctie_call *call = NULL;
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.timeout_ms = -1;
    ctie_status status = ctie_component_call_async(bus, (ctie_target){CTIE_STR("a"), ctie_str_from(action)}, NULL,
                                                   CTIE_COMPLETION(NULL, NULL), &options, &call, NULL);
    /* A request that is not awaited may still run when the bus closes. */
    CHECK(status == CTIE_OK || status == CTIE_E_BUSY || status == CTIE_E_HANDLE || status == CTIE_E_CLOSED);
    if (status == CTIE_E_BUSY) { atomic_fetch_add(&refused, 1); }
    return call;
}

/* Waits for a call without end, unless nobody would be left to run it. */
static void end_of(ctie_call *call) {
    if (call == NULL) { return; }
    ctie_status ended = CTIE_OK, waited = ctie_call_wait(call, -1, NULL);
    CHECK_STATUS(ctie_call_state(call, &ended), CTIE_OK);
    CHECK(waited == CTIE_OK || waited == CTIE_E_DEADLOCK);
    if (waited == CTIE_OK && ended != CTIE_E_BUSY && ended != CTIE_E_CLOSED) { CHECK_STATUS(ended, CTIE_OK); }
    if (waited != CTIE_OK || ended == CTIE_E_BUSY) { atomic_fetch_add(&refused, 1); }
    CHECK_STATUS(ctie_call_release(call), CTIE_OK);
}

/* One that is refused may just have been started. */
static void reply(ctie_request *request) {
    ctie_status status = ctie_request_reply(request, ctie_value_null());
    CHECK(status == CTIE_OK || status == CTIE_E_ALREADY);
}

/* ---- One in the other ------------------------------------------------------------------------------- */

static void go_deeper(ctie_request *request, void *user_data) {
    (void)user_data;
    atomic_fetch_add(&running, 1);
    if (atomic_load(&refused) == 0) { end_of(start("deeper")); }
    reply(request);
}

static void go_deeper_here(ctie_request *request, void *user_data) {
    (void)user_data;
    atomic_fetch_add(&running, 1);
    ctie_status status = call_now(bus, "a", "here");
    CHECK(status == CTIE_OK || status == CTIE_E_DEPTH);
    if (status == CTIE_E_DEPTH) { atomic_fetch_add(&refused, 1); }
    reply(request);
}

static void a_chain_ends_where_no_worker_is_left(uint32_t workers) {
    latch done = LATCH_INIT;
    new_bus(workers);
    add_action(bus, "a", "deeper", go_deeper, NULL, 0);
    ctie_status status = ctie_component_call_async(bus, CTIE_TARGET("a", "deeper"), NULL,
                                                   CTIE_COMPLETION_OWNED(NULL, &done, latch_destroy), NULL, NULL, NULL);
    CHECK_STATUS(status, CTIE_OK);
    latch_wait(&done, 1);
    CHECK(atomic_load(&running) >= (int)workers + MORE); /* what was not waited for may run later */
    CHECK(atomic_load(&refused) == 1);
    end_bus();
}

/* Synchronous calls of what only workers may run stay on the worker they come from, up to the depth of one thread. */
static void a_worker_calls_itself(void) {
    new_bus(1);
    add_action(bus, "a", "here", go_deeper_here, NULL, CTIE_ACTION_WORKER_ONLY);
    CHECK_STATUS(call_now(bus, "a", "here"), CTIE_OK);
    CHECK(atomic_load(&running) == 64 && atomic_load(&refused) == 1);
    end_bus();
}

/* ---- Many at once ----------------------------------------------------------------------------------- */

static const char *const BRANCHES[] = {"root", "one", "two", "three", "four", "five", "leaf"};

static void branch(ctie_request *request, void *user_data) {
    const char *const *level = user_data;
    if (level < BRANCHES + LEVELS) {
        ctie_call *left = start(level[1]), *right = start(level[1]);
        end_of(left);
        end_of(right);
    }
    atomic_fetch_add(&running, 1);
    reply(request);
}

static void trees_of_calls_end(uint32_t workers) {
    ctie_action actions[LEVELS + 1];
    ctie_call *calls[TREES];
    new_bus(workers);
    for (int i = 0; i <= LEVELS; i++) { actions[i] = action_of(BRANCHES[i], branch, (void *)&BRANCHES[i], 0); }
    CHECK_STATUS(ctie_component_add(bus, CTIE_STR("a"), (ctie_action_list){actions, LEVELS + 1}, CTIE_INSTANCE(NULL),
                                    NULL, NULL, NULL), CTIE_OK);
    for (int i = 0; i < TREES; i++) { calls[i] = start("root"); }
    for (int i = 0; i < TREES; i++) {
        ctie_status status = call_end(calls[i]);
        CHECK(status == CTIE_OK || status == CTIE_E_BUSY);
        if (status == CTIE_E_BUSY) { atomic_fetch_add(&refused, 1); }
    }
    CHECK(atomic_load(&running) > 0);
    end_bus();
}

int main(void) {
    a_chain_ends_where_no_worker_is_left(1);
    a_chain_ends_where_no_worker_is_left(64);
    a_worker_calls_itself();
    for (int i = test_rounds(9); i > 0; i--) {
        trees_of_calls_end(1);
        trees_of_calls_end(64);
    }
    return check_end();
}
