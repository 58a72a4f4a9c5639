/* Dispatchers: their numbers of threads, and the buses and components that share them. */
#include "components.h"

static ctie_bus *bus;

static void new_bus(uint32_t workers) {
    ctie_bus_options options = CTIE_BUS_OPTIONS_INIT;
    options.max_workers = workers;
    CHECK_STATUS(ctie_bus_new(&options, &bus, NULL), CTIE_OK);
}

static void add_dispatcher(const char *name, uint32_t workers) {
    ctie_dispatcher_options options = CTIE_DISPATCHER_OPTIONS_INIT;
    options.max_workers = workers;
    CHECK_STATUS(ctie_dispatcher_add(bus, ctie_str_from(name), &options, NULL), CTIE_OK);
}

static ctie_request_options on(const char *dispatcher) {
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.dispatcher = ctie_str_from(dispatcher);
    return options;
}

static void threads_come_with_requests_and_go_with_the_bus(void) {
    int before = thread_count();
    new_bus(0);
    add_dispatcher("one", 0);
    add_dispatcher("two", 8);
    add_action(bus, "a", "go", reply_null, NULL, 0);
    CHECK_STATUS(call_now(bus, "a", "go"), CTIE_OK);
    CHECK(thread_count() == before);
    ctie_request_options one = on("one"), two = on("two");
    CHECK_STATUS(call_end(call_later(bus, "a", "go", NULL)), CTIE_OK);
    CHECK_STATUS(call_end(call_later(bus, "a", "go", &one)), CTIE_OK);
    CHECK_STATUS(call_end(call_later(bus, "a", "go", &two)), CTIE_OK);
    CHECK(thread_count() > before);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(threads_end(before));
}

static void as_many_run_at_once_as_there_may_be_workers(uint32_t given, int expected) {
    static turnstile gate;
    gate = (turnstile)TURNSTILE_INIT;
    ctie_call *calls[80];
    new_bus(given);
    add_action(bus, "a", "stand", wait_there, &gate, 0);
    for (int i = 0; i < expected + 4; i++) { calls[i] = call_later(bus, "a", "stand", NULL); }
    latch_wait(&gate.waiting, expected);
    CHECK_STATUS(ctie_call_wait(calls[0], 50, NULL), CTIE_E_TIMEOUT);
    CHECK(latch_count(&gate.waiting) == expected);
    latch_add(&gate.opened);
    for (int i = 0; i < expected + 4; i++) { CHECK_STATUS(call_end(calls[i]), CTIE_OK); }
    CHECK(latch_count(&gate.waiting) == expected + 4);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* ---- Workers that wait do not count ------------------------------------------------------------------ */

static void call_deeper(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(call_now(bus, "inner", "go"), CTIE_OK);
    reply_null(request, NULL);
}

static void a_full_pool_of_nested_callers_goes_on(void) {
    ctie_call *calls[32];
    new_bus(2);
    add_action(bus, "outer", "go", call_deeper, NULL, 0);
    add_action(bus, "inner", "go", reply_null, NULL, CTIE_ACTION_WORKER_ONLY);
    for (int i = 0; i < 32; i++) { calls[i] = call_later(bus, "outer", "go", NULL); }
    for (int i = 0; i < 32; i++) { CHECK_STATUS(call_end(calls[i]), CTIE_OK); }
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static ctie_call *awaited;

static void wait_for_it(ctie_request *request, void *user_data) {
    latch_add(user_data);
    CHECK_STATUS(ctie_call_wait(awaited, 60000, NULL), CTIE_OK);
    reply_null(request, NULL);
}

/* More than the workers and the 256 more wait: the next is refused, and all end when the one they wait for ends. */
static void waiting_workers_have_a_limit(void) {
    static turnstile gate;
    gate = (turnstile)TURNSTILE_INIT;
    latch waiting = LATCH_INIT;
    ctie_call *calls[400];
    int started = 0;
    ctie_status status = CTIE_OK;
    ctie_request_options other = on("other");
    new_bus(1);
    add_dispatcher("other", 1);
    add_action(bus, "a", "stand", wait_there, &gate, 0);
    add_action(bus, "b", "wait", wait_for_it, &waiting, 0);
    awaited = call_later(bus, "a", "stand", &other);
    latch_wait(&gate.waiting, 1);
    while (started < 400 && status == CTIE_OK) {
        status = ctie_component_call_async(bus, CTIE_TARGET("b", "wait"), NULL, CTIE_COMPLETION(NULL, NULL), NULL,
                                           &calls[started], NULL);
        if (status != CTIE_OK) { break; }
        started++;
        if (started <= 257) { latch_wait(&waiting, started); }
        if (started >= 257) { usleep(20000); } /* the last one is about to wait */
    }
    CHECK_STATUS(status, CTIE_E_BUSY);
    CHECK(started >= 257);
    latch_add(&gate.opened);
    for (int i = 0; i < started; i++) { CHECK_STATUS(call_end(calls[i]), CTIE_OK); }
    CHECK_STATUS(call_end(awaited), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* ---- Priorities ----------------------------------------------------------------------------------------- */

static void there_are_three_priorities(void) {
    static const int32_t OTHERS[] = {2, -2, 100, INT32_MAX, INT32_MIN};
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    new_bus(1);
    add_action(bus, "a", "go", reply_null, NULL, 0);
    for (options.priority = CTIE_PRIORITY_LOW; options.priority <= CTIE_PRIORITY_HIGH; options.priority++) {
        CHECK_STATUS(call_end(call_later(bus, "a", "go", &options)), CTIE_OK);
    }
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++) {
        options.priority = OTHERS[i];
        CHECK_STATUS(ctie_component_call_async(bus, CTIE_TARGET("a", "go"), NULL, CTIE_COMPLETION(NULL, NULL), &options,
                                               NULL, NULL), CTIE_E_INVALID);
    }
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* ---- Cancelling within -------------------------------------------------------------------------------- */

static void cancel_everything(ctie_request *request, void *user_data) {
    size_t count = 0;
    latch_wait(user_data, 1);
    CHECK_STATUS(ctie_dispatcher_cancel_all(bus, CTIE_STR(""), &count, NULL), CTIE_OK);
    CHECK(count == 2);
    CHECK_STATUS(ctie_request_reply(request, ctie_value_null()), CTIE_E_ALREADY);
}

static void a_handler_may_cancel_all_itself_among_them(void) {
    latch queued = LATCH_INIT;
    new_bus(1);
    add_action(bus, "a", "cancel", cancel_everything, &queued, 0);
    add_action(bus, "b", "go", reply_null, NULL, 0);
    ctie_call *first = call_later(bus, "a", "cancel", NULL), *second = call_later(bus, "b", "go", NULL);
    latch_add(&queued);
    CHECK_STATUS(call_end(first), CTIE_E_CANCELLED);
    CHECK_STATUS(call_end(second), CTIE_E_CANCELLED);
    CHECK_STATUS(call_end(call_later(bus, "b", "go", NULL)), CTIE_OK);
    CHECK_STATUS(ctie_dispatcher_cancel_all(bus, CTIE_STR(""), NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_dispatcher_cancel_all(bus, CTIE_STR("none"), NULL, NULL), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* The state that a request finds while it is cancelled, when another one has waited for the same worker. */
typedef struct race {
    latch entered, leave, asked;
    ctie_call *waiting;
    ctie_status state;
} race;

static void ask_for_the_other(void *user_data) {
    race *own = user_data;
    CHECK_STATUS(ctie_call_state(own->waiting, &own->state), CTIE_OK);
    latch_add(&own->asked);
}

static void stay(ctie_request *request, void *user_data) {
    race *own = user_data;
    CHECK_STATUS(ctie_request_on_cancel(request, CTIE_NOTICE(ask_for_the_other, own)), CTIE_OK);
    latch_add(&own->entered);
    latch_wait(&own->leave, 1);
}

static void stay_first(ctie_request *request, void *user_data) {
    (void)request;
    latch_add(&((race *)user_data)->entered);
    latch_wait(&((race *)user_data)->leave, 1);
}

/*
 * Queued requests end before running ones, whichever came first: ending a running one may make room, and none that is
 * to end starts then.
 */
static void those_that_wait_end_first(bool came_before) {
    race own = {LATCH_INIT, LATCH_INIT, LATCH_INIT, NULL, CTIE_PENDING}, blocker = own;
    ctie_request_options endless = CTIE_REQUEST_OPTIONS_INIT, low;
    endless.timeout_ms = -1; /* so that all of them are in one list */
    low = endless;
    low.priority = CTIE_PRIORITY_LOW;
    new_bus(1);
    add_action(bus, "a", "block", stay_first, &blocker, 0);
    add_action(bus, "b", "stay", stay, &own, 0);
    add_action(bus, "c", "go", reply_null, NULL, 0);
    ctie_call *first = call_later(bus, "a", "block", &endless), *running = NULL;
    latch_wait(&blocker.entered, 1);
    if (came_before) { own.waiting = call_later(bus, "c", "go", &low); }
    running = call_later(bus, "b", "stay", &endless);
    if (!came_before) { own.waiting = call_later(bus, "c", "go", &low); }
    latch_add(&blocker.leave);
    CHECK_STATUS(call_end(first), CTIE_E_NO_REPLY);
    latch_wait(&own.entered, 1);
    CHECK_STATUS(ctie_dispatcher_cancel_all(bus, CTIE_STR(""), NULL, NULL), CTIE_OK);
    CHECK(latch_count(&own.asked) == 1);
    CHECK_STATUS(own.state, CTIE_E_CANCELLED);
    latch_add(&own.leave);
    CHECK_STATUS(call_end(running), CTIE_E_CANCELLED);
    CHECK_STATUS(call_end(own.waiting), CTIE_E_CANCELLED);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* ---- Completions of a full pool ------------------------------------------------------------------------ */

static void completed(ctie_response *response, void *user_data) {
    CHECK_STATUS(ctie_response_status(response), CTIE_E_CANCELLED);
    latch_add(user_data);
}

static void a_cancelled_call_completes_while_all_workers_are_busy(void) {
    static turnstile gate;
    gate = (turnstile)TURNSTILE_INIT;
    latch done = LATCH_INIT;
    ctie_call *queued = NULL;
    new_bus(1);
    add_action(bus, "a", "stand", wait_there, &gate, 0);
    ctie_call *running = call_later(bus, "a", "stand", NULL);
    latch_wait(&gate.waiting, 1);
    CHECK_STATUS(ctie_component_call_async(bus, CTIE_TARGET("a", "stand"), NULL, CTIE_COMPLETION(completed, &done),
                                           NULL, &queued, NULL), CTIE_OK);
    CHECK_STATUS(ctie_call_cancel(queued), CTIE_OK);
    latch_wait(&done, 1);
    latch_add(&gate.opened);
    CHECK_STATUS(call_end(queued), CTIE_E_CANCELLED);
    CHECK_STATUS(call_end(running), CTIE_OK);
    CHECK(latch_count(&gate.waiting) == 1);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

int main(void) {
    threads_come_with_requests_and_go_with_the_bus();
    as_many_run_at_once_as_there_may_be_workers(1, 1);
    as_many_run_at_once_as_there_may_be_workers(3, 3);
    as_many_run_at_once_as_there_may_be_workers(0, 64);
    a_full_pool_of_nested_callers_goes_on();
    waiting_workers_have_a_limit();
    there_are_three_priorities();
    a_handler_may_cancel_all_itself_among_them();
    those_that_wait_end_first(true);
    those_that_wait_end_first(false);
    a_cancelled_call_completes_while_all_workers_are_busy();
    return check_end();
}
