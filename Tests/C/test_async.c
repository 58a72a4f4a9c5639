/* Asynchronous requests: one completion each, waiting, cancelling, full queues, closing. */
#include "check.h"
#include "latch.h"

/* The results that one test's completions have reported. */
typedef struct outcome {
    latch completed, destroyed;
    ctie_status status;
    int32_t code;
    int64_t value;
} outcome;

#define OUTCOME_INIT {LATCH_INIT, LATCH_INIT, 1000, 0, 0}

static void complete(ctie_response *response, void *user_data) {
    outcome *own = user_data;
    own->status = ctie_response_status(response);
    own->code = ctie_response_code(response);
    ctie_value_get_int(ctie_response_value(response), &own->value);
    latch_add(&own->completed);
}

static void outcome_destroy(void *user_data) {
    latch_add(&((outcome *)user_data)->destroyed);
}

static ctie_bus *small_bus(uint32_t workers, uint32_t queued) {
    ctie_bus_options options = CTIE_BUS_OPTIONS_INIT;
    ctie_bus *bus = NULL;
    options.max_workers = workers;
    options.max_queued = queued;
    CHECK_STATUS(ctie_bus_new(&options, &bus, NULL), CTIE_OK);
    return bus;
}

static void add(ctie_bus *bus, const char *pattern, ctie_handler_fn handler, void *user_data) {
    CHECK_STATUS(ctie_route_add(bus, ctie_str_from(pattern), CTIE_HANDLER(handler, user_data), NULL, NULL, NULL),
                 CTIE_OK);
}

static ctie_status start(ctie_bus *bus, const char *url, outcome *own, ctie_call **call) {
    return ctie_open_async(bus, ctie_str_from(url), CTIE_ORIGIN_LOCAL,
                           CTIE_COMPLETION_OWNED(complete, own, outcome_destroy), NULL, call, NULL);
}

static void reply_id(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_str text;
    CHECK_STATUS(ctie_request_param(request, CTIE_STR("id"), &text), CTIE_OK);
    CHECK_STATUS(ctie_request_reply(request, ctie_value_int(text.data[0] - '0')), CTIE_OK);
}

/* Blocks a worker until it is released. */
typedef struct gate {
    latch entered, open;
} gate;

#define GATE_INIT {LATCH_INIT, LATCH_INIT}

static void pass_gate(ctie_request *request, void *user_data) {
    (void)request;
    gate *own = user_data;
    latch_add(&own->entered);
    latch_wait(&own->open, 1);
}

static ctie_request *kept;

static void keep(ctie_request *request, void *user_data) {
    CHECK_STATUS(ctie_request_retain(request), CTIE_OK);
    kept = request;
    latch_add(user_data);
}

static void a_completion_runs_once_then_its_data_is_destroyed(void) {
    ctie_bus *bus = small_bus(0, 0);
    outcome own = OUTCOME_INIT;
    add(bus, "app://a/:id", reply_id, NULL);
    CHECK_STATUS(start(bus, "app://a/7", &own, NULL), CTIE_OK);
    latch_wait(&own.destroyed, 1);
    CHECK(latch_count(&own.completed) == 1);
    CHECK(own.status == CTIE_OK && own.code == 1 && own.value == 7);
    CHECK_STATUS(start(bus, "app://b", &own, NULL), CTIE_OK);
    latch_wait(&own.destroyed, 2);
    CHECK(latch_count(&own.completed) == 2 && own.status == CTIE_E_NO_ROUTE);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(latch_count(&own.completed) == 2 && latch_count(&own.destroyed) == 2);
}

static void a_refused_request_completes_never(void) {
    ctie_bus *bus = small_bus(0, 0);
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    outcome own = OUTCOME_INIT;
    ctie_call *call = NULL;
    ctie_error *error = NULL;
    add(bus, "app://a/:id", reply_id, NULL);
    CHECK_STATUS(start(bus, "app://a b", &own, &call), CTIE_E_URL);
    CHECK_STATUS(start(bus, "app://a/..", &own, &call), CTIE_E_PATH);
    CHECK_STATUS(start(bus, "app://a/\xFF", &own, &call), CTIE_E_UTF8);
    CHECK_STATUS(start(NULL, "app://a/1", &own, &call), CTIE_E_HANDLE);
    options.size = 3;
    CHECK_STATUS(ctie_open_async(bus, CTIE_STR("app://a/1"), 1, CTIE_COMPLETION_OWNED(complete, &own, outcome_destroy),
                                 &options, &call, &error), CTIE_E_INVALID);
    CHECK_STATUS(ctie_error_status(error), CTIE_E_INVALID);
    ctie_error_release(error);
    CHECK(call == NULL && latch_count(&own.completed) == 0 && latch_count(&own.destroyed) == 5);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(latch_count(&own.completed) == 0 && latch_count(&own.destroyed) == 5);
}

static void a_call_can_be_waited_for(void) {
    ctie_bus *bus = small_bus(0, 0);
    latch taken = LATCH_INIT;
    ctie_call *call = NULL;
    ctie_response *first = NULL, *second = NULL;
    add(bus, "app://keep", keep, &taken);
    CHECK_STATUS(ctie_open_async(bus, CTIE_STR("app://keep"), 1, CTIE_COMPLETION(NULL, NULL), NULL, &call, NULL),
                 CTIE_OK);
    CHECK_STATUS(ctie_call_wait(call, 0, &first), CTIE_E_TIMEOUT);
    CHECK_STATUS(ctie_call_wait(call, 1, NULL), CTIE_E_TIMEOUT);
    CHECK(first == NULL);
    latch_wait(&taken, 1);
    CHECK_STATUS(ctie_request_reply(kept, ctie_value_int(5)), CTIE_OK);
    CHECK_STATUS(ctie_request_release(kept), CTIE_OK);
    CHECK_STATUS(ctie_call_wait(call, -1, &first), CTIE_OK);
    CHECK_STATUS(ctie_call_wait(call, 0, &second), CTIE_OK);
    CHECK_STATUS(ctie_response_status(first), CTIE_OK);
    CHECK_STATUS(ctie_response_status(second), CTIE_OK);
    CHECK_STATUS(ctie_call_cancel(call), CTIE_E_ALREADY);
    CHECK_STATUS(ctie_call_release(call), CTIE_OK);
    CHECK_STATUS(ctie_response_release(first), CTIE_OK);
    int64_t value = 0;
    CHECK_STATUS(ctie_value_get_int(ctie_response_value(second), &value), CTIE_OK);
    CHECK(value == 5);
    CHECK_STATUS(ctie_response_release(second), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void a_call_gives_so_many_responses(void) {
    enum { MOST = 65535 };
    ctie_bus *bus = small_bus(0, 0);
    ctie_call *call = NULL;
    ctie_response *response = NULL, *none = NULL;
    int given = 0, released = 0;
    add(bus, "app://a/:id", reply_id, NULL);
    CHECK_STATUS(ctie_open_async(bus, CTIE_STR("app://a/1"), 1, CTIE_COMPLETION(NULL, NULL), NULL, &call, NULL),
                 CTIE_OK);
    while (given < MOST && ctie_call_wait(call, -1, &response) == CTIE_OK) { given++; }
    CHECK(given == MOST);
    CHECK_STATUS(ctie_call_wait(call, -1, &none), CTIE_E_LIMIT);
    CHECK(none == NULL);
    CHECK_STATUS(ctie_call_wait(call, -1, NULL), CTIE_OK);
    while (released < MOST && ctie_response_release(response) == CTIE_OK) { released++; }
    CHECK(released == MOST);
    CHECK_STATUS(ctie_response_release(response), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_call_release(call), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void a_released_call_is_invalid(void) {
    ctie_bus *bus = small_bus(0, 0);
    ctie_call *call = NULL;
    add(bus, "app://a/:id", reply_id, NULL);
    CHECK_STATUS(ctie_open_async(bus, CTIE_STR("app://a/1"), 1, CTIE_COMPLETION(NULL, NULL), NULL, &call, NULL),
                 CTIE_OK);
    CHECK_STATUS(ctie_call_release(call), CTIE_OK);
    ctie_call *const none[] = {call, NULL, (ctie_call *)bus, (ctie_call *)40};
    for (size_t i = 0; i < 4; i++) {
        CHECK_STATUS(ctie_call_wait(none[i], 0, NULL), CTIE_E_HANDLE);
        CHECK_STATUS(ctie_call_cancel(none[i]), CTIE_E_HANDLE);
        if (none[i] != NULL) { CHECK_STATUS(ctie_call_release(none[i]), CTIE_E_HANDLE); }
    }
    CHECK_STATUS(ctie_call_release(NULL), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void a_cancelled_call_ends_at_once(void) {
    ctie_bus *bus = small_bus(0, 0);
    gate own = GATE_INIT;
    outcome reported = OUTCOME_INIT;
    ctie_call *call = NULL;
    ctie_response *response = NULL;
    add(bus, "app://gate", pass_gate, &own);
    CHECK_STATUS(start(bus, "app://gate", &reported, &call), CTIE_OK);
    latch_wait(&own.entered, 1);
    CHECK_STATUS(ctie_call_cancel(call), CTIE_OK);
    CHECK_STATUS(ctie_call_cancel(call), CTIE_E_ALREADY);
    CHECK_STATUS(ctie_call_wait(call, -1, &response), CTIE_OK);
    CHECK_STATUS(ctie_response_status(response), CTIE_E_CANCELLED);
    CHECK(ctie_response_code(response) == 10004);
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
    latch_add(&own.open);
    latch_wait(&reported.destroyed, 1);
    CHECK(latch_count(&reported.completed) == 1 && reported.status == CTIE_E_CANCELLED);
    CHECK_STATUS(ctie_call_release(call), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void count_run(ctie_request *request, void *user_data) {
    (void)request;
    latch_add(user_data);
}

/* One worker is busy: queued requests can be cancelled before they start, and a full queue is reported. */
static void a_queue_is_bounded_and_can_be_cancelled(void) {
    ctie_bus *bus = small_bus(1, 1);
    gate own = GATE_INIT;
    latch ran = LATCH_INIT;
    outcome blocking = OUTCOME_INIT, waiting = OUTCOME_INIT, refused = OUTCOME_INIT;
    ctie_call *call = NULL, *none = NULL;
    add(bus, "app://gate", pass_gate, &own);
    add(bus, "app://count", count_run, &ran);
    CHECK_STATUS(start(bus, "app://gate", &blocking, NULL), CTIE_OK);
    latch_wait(&own.entered, 1);
    CHECK_STATUS(start(bus, "app://count", &waiting, &call), CTIE_OK);
    CHECK_STATUS(start(bus, "app://count", &refused, &none), CTIE_E_BUSY);
    CHECK(none == NULL && latch_count(&refused.completed) == 0 && latch_count(&refused.destroyed) == 1);
    CHECK_STATUS(ctie_call_cancel(call), CTIE_OK);
    CHECK_STATUS(ctie_call_wait(call, -1, NULL), CTIE_OK);
    latch_add(&own.open);
    latch_wait(&waiting.destroyed, 1);
    latch_wait(&blocking.destroyed, 1);
    CHECK(waiting.status == CTIE_E_CANCELLED && blocking.status == CTIE_OK);
    CHECK_STATUS(ctie_call_release(call), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(latch_count(&ran) == 0);
}

/* ---- Trust ----------------------------------------------------------------------------------------- */

typedef struct confidence {
    ctie_bus *bus;
    latch done;
    ctie_status of_request, in_completion;
} confidence;

static void open_private(ctie_response *response, void *user_data) {
    confidence *own = user_data;
    own->of_request = ctie_response_status(response);
    own->in_completion = ctie_open(own->bus, CTIE_STR("app://a/1"), CTIE_ORIGIN_LOCAL, NULL, NULL, NULL);
    latch_add(&own->done);
}

/* The host's own thread works for a remote request that it names: requests made there are remote, too. */
static void the_completion_of_a_remote_requests_child_is_remote(void) {
    confidence own = {small_bus(0, 0), LATCH_INIT, CTIE_OK, CTIE_OK};
    latch taken = LATCH_INIT;
    ctie_route_options public = CTIE_ROUTE_OPTIONS_INIT;
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    public.flags = CTIE_ROUTE_PUBLIC;
    add(own.bus, "app://a/:id", reply_id, NULL);
    CHECK_STATUS(ctie_route_add(own.bus, CTIE_STR("app://keep"), CTIE_HANDLER(keep, &taken), &public, NULL, NULL),
                 CTIE_OK);
    CHECK_STATUS(ctie_open_async(own.bus, CTIE_STR("app://keep"), CTIE_ORIGIN_REMOTE, CTIE_COMPLETION(NULL, NULL), NULL,
                                 NULL, NULL), CTIE_OK);
    latch_wait(&taken, 1);
    options.parent = kept;
    CHECK_STATUS(ctie_open_async(own.bus, CTIE_STR("app://a/1"), CTIE_ORIGIN_LOCAL, CTIE_COMPLETION(open_private, &own),
                                 &options, NULL, NULL), CTIE_OK);
    latch_wait(&own.done, 1);
    CHECK_STATUS(own.of_request, CTIE_E_DENIED);
    CHECK_STATUS(own.in_completion, CTIE_E_DENIED);
    CHECK_STATUS(ctie_request_release(kept), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(own.bus), CTIE_OK);
}

/* ---- Waiting for oneself ------------------------------------------------------------------------- */

typedef struct knot {
    latch published;
    ctie_call *call;
    ctie_status in_handler, in_completion;
    latch done;
} knot;

static void wait_for_self(ctie_request *request, void *user_data) {
    (void)request;
    knot *own = user_data;
    latch_wait(&own->published, 1);
    own->in_handler = ctie_call_wait(own->call, -1, NULL);
}

static void complete_waiting(ctie_response *response, void *user_data) {
    (void)response;
    knot *own = user_data;
    own->in_completion = ctie_call_wait(own->call, -1, NULL);
    latch_add(&own->done);
}

static void nobody_waits_for_himself(void) {
    ctie_bus *bus = small_bus(0, 0);
    knot own = {LATCH_INIT, NULL, CTIE_OK, CTIE_OK, LATCH_INIT};
    add(bus, "app://knot", wait_for_self, &own);
    CHECK_STATUS(ctie_open_async(bus, CTIE_STR("app://knot"), 1, CTIE_COMPLETION(complete_waiting, &own), NULL,
                                 &own.call, NULL), CTIE_OK);
    latch_add(&own.published);
    latch_wait(&own.done, 1);
    CHECK_STATUS(own.in_handler, CTIE_E_DEADLOCK);
    CHECK_STATUS(own.in_completion, CTIE_OK); /* it has ended by then */
    CHECK_STATUS(ctie_call_release(own.call), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* ---- Closing ------------------------------------------------------------------------------------- */

static void closing_ends_what_is_open(void) {
    ctie_bus *bus = small_bus(0, 0);
    latch taken = LATCH_INIT;
    outcome own = OUTCOME_INIT;
    ctie_call *call = NULL;
    ctie_response *response = NULL;
    bool ended = false;
    add(bus, "app://keep", keep, &taken);
    CHECK_STATUS(start(bus, "app://keep", &own, &call), CTIE_OK);
    latch_wait(&taken, 1);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(latch_count(&own.completed) == 1 && latch_count(&own.destroyed) == 1 && own.status == CTIE_E_CLOSED);
    CHECK_STATUS(ctie_request_is_ended(kept, &ended), CTIE_OK);
    CHECK(ended);
    CHECK_STATUS(ctie_request_reply(kept, ctie_value_int(1)), CTIE_E_ALREADY);
    CHECK_STATUS(ctie_request_release(kept), CTIE_OK);
    CHECK_STATUS(ctie_call_wait(call, -1, &response), CTIE_OK);
    CHECK_STATUS(ctie_response_status(response), CTIE_E_CLOSED);
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
    CHECK_STATUS(ctie_call_release(call), CTIE_OK);
}

typedef struct chain {
    ctie_bus *bus;
    latch done;
    int left;
} chain;

static void start_next(ctie_response *response, void *user_data) {
    chain *own = user_data;
    CHECK_STATUS(ctie_response_status(response), CTIE_OK);
    if (--own->left > 0) {
        CHECK_STATUS(ctie_open_async(own->bus, CTIE_STR("app://a/1"), 1, CTIE_COMPLETION(start_next, own), NULL, NULL,
                                     NULL), CTIE_OK);
    } else {
        latch_add(&own->done);
    }
}

static void a_completion_may_start_the_next(void) {
    chain own = {small_bus(1, 4), LATCH_INIT, test_rounds(1000)};
    add(own.bus, "app://a/:id", reply_id, NULL);
    CHECK_STATUS(ctie_open_async(own.bus, CTIE_STR("app://a/1"), 1, CTIE_COMPLETION(start_next, &own), NULL, NULL,
                                 NULL), CTIE_OK);
    latch_wait(&own.done, 1);
    CHECK_STATUS(ctie_bus_close(own.bus), CTIE_OK);
}

int main(void) {
    a_completion_runs_once_then_its_data_is_destroyed();
    a_refused_request_completes_never();
    a_call_can_be_waited_for();
    a_call_gives_so_many_responses();
    a_released_call_is_invalid();
    a_cancelled_call_ends_at_once();
    a_queue_is_bounded_and_can_be_cancelled();
    the_completion_of_a_remote_requests_child_is_remote();
    nobody_waits_for_himself();
    closing_ends_what_is_open();
    a_completion_may_start_the_next();
    return check_end();
}
