/* Requests that an interceptor holds: they go on later, from whatever thread, once. */
#include "check.h"
#include "latch.h"

#include <sched.h>
#include <stdatomic.h>

static ctie_bus *bus;
static ctie_request *kept;

static void new_bus(void) {
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
}

static void reply_one(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_reply(request, ctie_value_int(1)), CTIE_OK);
}

static void hold(ctie_request *request, void *user_data) {
    CHECK_STATUS(ctie_request_retain(request), CTIE_OK);
    kept = request;
    latch_add(user_data);
}

static ctie_status add_with(const char *pattern, const ctie_handler *interceptors, size_t count, uint32_t flags,
                            ctie_registration **out) {
    ctie_route_options options = CTIE_ROUTE_OPTIONS_INIT;
    options.flags = flags;
    options.interceptors = interceptors;
    options.interceptor_count = count;
    return ctie_route_add(bus, ctie_str_from(pattern), CTIE_HANDLER(reply_one, NULL), &options, out, NULL);
}

/* ---- Going on later ----------------------------------------------------------------------------- */

enum { HELD = 16 };

typedef struct lot {
    latch taken, ran;
    ctie_request *requests[HELD];
} lot;

static void hold_numbered(ctie_request *request, void *user_data) {
    lot *own = user_data;
    ctie_str number;
    CHECK_STATUS(ctie_request_retain(request), CTIE_OK);
    CHECK_STATUS(ctie_request_param(request, CTIE_STR("n"), &number), CTIE_OK);
    own->requests[number.data[0] - 'a'] = request;
    latch_add(&own->taken);
}

static void reply_number(ctie_request *request, void *user_data) {
    ctie_str number;
    CHECK_STATUS(ctie_request_param(request, CTIE_STR("n"), &number), CTIE_OK);
    CHECK_STATUS(ctie_request_reply(request, ctie_value_string(number)), CTIE_OK);
    latch_add(&((lot *)user_data)->ran);
}

static void *let_half_go_on(void *argument) {
    ctie_request **requests = argument;
    for (int i = HELD - 2; i >= 0; i -= 2) {
        CHECK_STATUS(ctie_request_proceed(requests[i]), CTIE_OK);
        CHECK_STATUS(ctie_request_proceed(requests[i]), CTIE_E_ALREADY);
        CHECK_STATUS(ctie_request_release(requests[i]), CTIE_OK);
    }
    return NULL;
}

/* All are held at once, and go on in another order on two other threads: each gets its own answer. */
static void held_requests_go_on_from_other_threads(void) {
    lot own = {LATCH_INIT, LATCH_INIT, {NULL}};
    ctie_call *calls[HELD];
    pthread_t threads[2];
    char url[] = "app://a?n=a";
    new_bus();
    CHECK_STATUS(ctie_interceptor_add(bus, CTIE_HANDLER(hold_numbered, &own), NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://a"), CTIE_HANDLER(reply_number, &own), NULL, NULL, NULL), CTIE_OK);
    for (int i = 0; i < HELD; i++) {
        url[sizeof url - 2] = (char)('a' + i);
        CHECK_STATUS(ctie_open_async(bus, ctie_str_from(url), 1, CTIE_COMPLETION(NULL, NULL), NULL, &calls[i], NULL),
                     CTIE_OK);
    }
    latch_wait(&own.taken, HELD);
    CHECK(latch_count(&own.ran) == 0);
    for (int i = 0; i < 2; i++) { pthread_create(&threads[i], NULL, let_half_go_on, own.requests + i); }
    for (int i = 0; i < HELD; i++) {
        ctie_response *response = NULL;
        ctie_str text = {NULL, 0};
        CHECK_STATUS(ctie_call_wait(calls[i], -1, &response), CTIE_OK);
        CHECK_STATUS(ctie_value_get_string(ctie_response_value(response), &text), CTIE_OK);
        CHECK(text.size == 1 && text.data[0] == 'a' + i);
        ctie_response_release(response);
        ctie_call_release(calls[i]);
    }
    for (int i = 0; i < 2; i++) { pthread_join(threads[i], NULL); }
    /* A handler counts itself after its answer, and may run on the worker that its interceptor has not left yet. */
    latch_wait(&own.ran, HELD);
    CHECK(latch_count(&own.ran) == HELD);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void *go_on_elsewhere(void *request) {
    CHECK_STATUS(ctie_request_proceed(request), CTIE_OK);
    CHECK_STATUS(ctie_request_release(request), CTIE_OK);
    return NULL;
}

static pthread_t helpers[64];
static atomic_int helper_count;

static void hand_to_a_thread(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_retain(request), CTIE_OK);
    pthread_create(&helpers[atomic_fetch_add(&helper_count, 1)], NULL, go_on_elsewhere, request);
}

/* As many as a route may have, each of which hands on to a thread of its own. */
static void a_request_goes_from_thread_to_thread(void) {
    ctie_handler all[64];
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.timeout_ms = -1; /* so many threads take their time */
    for (int i = 0; i < 64; i++) { all[i] = (ctie_handler){hand_to_a_thread, NULL, NULL}; }
    new_bus();
    CHECK_STATUS(add_with("app://a", all, 64, 0, NULL), CTIE_OK);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://a"), CTIE_ORIGIN_LOCAL, &options, NULL, NULL), CTIE_OK);
    CHECK(helper_count == 64);
    for (int i = 0; i < helper_count; i++) { pthread_join(helpers[i], NULL); }
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* ---- Races of one request ----------------------------------------------------------------------- */

static latch started = LATCH_INIT;
static atomic_int went_on, runs;

static void count_run(ctie_request *request, void *user_data) {
    (void)request, (void)user_data;
    atomic_fetch_add(&runs, 1);
}

static void *race_to_proceed(void *arrived) {
    latch_add(arrived);
    while (latch_count(arrived) < 2) { sched_yield(); }
    ctie_status status = ctie_request_proceed(kept);
    if (status == CTIE_OK) { atomic_fetch_add(&went_on, 1); }
    CHECK(status == CTIE_OK || status == CTIE_E_ALREADY);
    return NULL;
}

static void of_two_that_proceed_one_does(void) {
    new_bus();
    CHECK_STATUS(ctie_interceptor_add(bus, CTIE_HANDLER(hold, &started), NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://a"), CTIE_HANDLER(count_run, NULL), NULL, NULL, NULL), CTIE_OK);
    int rounds = test_rounds(500);
    for (int i = 0; i < rounds; i++) {
        latch arrived = LATCH_INIT;
        ctie_call *call = NULL;
        pthread_t other;
        CHECK_STATUS(ctie_open_async(bus, CTIE_STR("app://a"), 1, CTIE_COMPLETION(NULL, NULL), NULL, &call, NULL),
                     CTIE_OK);
        latch_wait(&started, i + 1);
        pthread_create(&other, NULL, race_to_proceed, &arrived);
        race_to_proceed(&arrived);
        pthread_join(other, NULL);
        CHECK_STATUS(ctie_call_wait(call, -1, NULL), CTIE_OK);
        CHECK_STATUS(ctie_request_release(kept), CTIE_OK);
        CHECK_STATUS(ctie_call_release(call), CTIE_OK);
    }
    CHECK(went_on == rounds && runs == rounds);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void a_held_request_outlives_its_interceptor(void) {
    latch taken = LATCH_INIT;
    ctie_registration *registration = NULL;
    ctie_call *call = NULL;
    ctie_response *response = NULL;
    new_bus();
    CHECK_STATUS(ctie_interceptor_add(bus, CTIE_HANDLER(hold, &taken), NULL, &registration, NULL), CTIE_OK);
    CHECK_STATUS(add_with("app://a", NULL, 0, 0, NULL), CTIE_OK);
    CHECK_STATUS(ctie_open_async(bus, CTIE_STR("app://a"), 1, CTIE_COMPLETION(NULL, NULL), NULL, &call, NULL), CTIE_OK);
    latch_wait(&taken, 1);
    CHECK_STATUS(ctie_registration_release(registration), CTIE_OK);
    CHECK_STATUS(ctie_request_proceed(kept), CTIE_OK);
    CHECK_STATUS(ctie_request_release(kept), CTIE_OK);
    CHECK_STATUS(ctie_call_wait(call, -1, &response), CTIE_OK);
    CHECK_STATUS(ctie_response_status(response), CTIE_OK);
    ctie_response_release(response);
    ctie_call_release(call);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* ---- Ends --------------------------------------------------------------------------------------- */

static void ended_requests_cannot_proceed(void) {
    latch taken = LATCH_INIT;
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    ctie_call *call = NULL;
    new_bus();
    CHECK_STATUS(ctie_interceptor_add(bus, CTIE_HANDLER(hold, &taken), NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://a"), CTIE_HANDLER(count_run, NULL), NULL, NULL, NULL), CTIE_OK);
    runs = 0;
    options.timeout_ms = SOON_MS;
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://a"), 1, &options, NULL, NULL), CTIE_E_TIMEOUT);
    CHECK_STATUS(ctie_request_proceed(kept), CTIE_E_ALREADY);
    CHECK_STATUS(ctie_request_rewrite(kept, CTIE_STR("app://a"), NULL), CTIE_E_ALREADY);
    CHECK_STATUS(ctie_request_deny(kept, CTIE_STR("")), CTIE_E_ALREADY);
    CHECK_STATUS(ctie_request_release(kept), CTIE_OK);
    CHECK_STATUS(ctie_request_proceed(kept), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_open_async(bus, CTIE_STR("app://a"), 1, CTIE_COMPLETION(NULL, NULL), NULL, &call, NULL), CTIE_OK);
    latch_wait(&taken, 2);
    CHECK_STATUS(ctie_call_cancel(call), CTIE_OK);
    CHECK_STATUS(ctie_request_proceed(kept), CTIE_E_ALREADY);
    CHECK_STATUS(ctie_request_release(kept), CTIE_OK);
    CHECK_STATUS(ctie_call_release(call), CTIE_OK);
    CHECK_STATUS(ctie_open_async(bus, CTIE_STR("app://a"), 1, CTIE_COMPLETION(NULL, NULL), NULL, NULL, NULL), CTIE_OK);
    latch_wait(&taken, 3);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK_STATUS(ctie_request_proceed(kept), CTIE_E_ALREADY);
    CHECK_STATUS(ctie_request_release(kept), CTIE_OK);
    CHECK(runs == 0);
}

/* ---- Trust -------------------------------------------------------------------------------------- */

static void rewrite_kept(ctie_request *request, void *user_data) {
    (void)request, (void)user_data;
    CHECK_STATUS(ctie_request_rewrite(kept, CTIE_STR("app://private"), NULL), CTIE_OK);
}

/* A local request waits in its interceptor; a handler of a remote one sends it elsewhere. */
static void a_remote_handlers_rewrite_lowers_trust(void) {
    latch taken = LATCH_INIT;
    ctie_handler one = {hold, &taken, NULL};
    ctie_route_options public = CTIE_ROUTE_OPTIONS_INIT;
    ctie_call *call = NULL;
    ctie_response *response = NULL;
    new_bus();
    public.flags = CTIE_ROUTE_PUBLIC;
    CHECK_STATUS(add_with("app://held", &one, 1, 0, NULL), CTIE_OK);
    CHECK_STATUS(add_with("app://private", NULL, 0, 0, NULL), CTIE_OK);
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://in"), CTIE_HANDLER(rewrite_kept, NULL), &public, NULL, NULL),
                 CTIE_OK);
    CHECK_STATUS(ctie_open_async(bus, CTIE_STR("app://held"), 1, CTIE_COMPLETION(NULL, NULL), NULL, &call, NULL),
                 CTIE_OK);
    latch_wait(&taken, 1);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://in"), CTIE_ORIGIN_REMOTE, NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_request_release(kept), CTIE_OK);
    CHECK_STATUS(ctie_call_wait(call, -1, &response), CTIE_OK);
    CHECK_STATUS(ctie_response_status(response), CTIE_E_DENIED);
    ctie_response_release(response);
    ctie_call_release(call);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void deny(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_deny(request, CTIE_STR("")), CTIE_OK);
}

static ctie_registration *handle_rule(ctie_handler_fn interceptor, void *user_data) {
    ctie_handler own = {interceptor, user_data, NULL};
    ctie_handler_options options = CTIE_HANDLER_OPTIONS_INIT;
    ctie_registration *registration = NULL;
    options.interceptors = &own;
    options.interceptor_count = 1;
    CHECK_STATUS(ctie_rules_handle(bus, CTIE_STR("a"), CTIE_HANDLER(reply_one, NULL), &options, &registration, NULL),
                 CTIE_OK);
    return registration;
}

#define TABLE \
    "{\"format\": 1, \"version\": \"1.0.0\", \"publicSchemes\": [\"shop\"], \"privateSchemes\": [], \"routeHosts\": []," \
    " \"webHosts\": [], \"rules\": [{\"id\": \"a\", \"host\": \"\", \"path\": \"/a\", \"visibility\": \"public\"}]}"

/* While the request is held its rule gets another handler, whose interceptors have not seen it. */
static void a_new_handlers_interceptors_see_a_held_request(void) {
    latch taken = LATCH_INIT;
    ctie_call *call = NULL;
    ctie_response *response = NULL;
    new_bus();
    CHECK_STATUS(ctie_rules_load(bus, CTIE_STR(TABLE), NULL, NULL), CTIE_OK);
    ctie_registration *first = handle_rule(hold, &taken);
    CHECK_STATUS(ctie_open_async(bus, CTIE_STR("shop:///a"), 0, CTIE_COMPLETION(NULL, NULL), NULL, &call, NULL),
                 CTIE_OK);
    latch_wait(&taken, 1);
    CHECK_STATUS(ctie_registration_release(first), CTIE_OK);
    handle_rule(deny, NULL);
    CHECK_STATUS(ctie_request_proceed(kept), CTIE_OK);
    CHECK_STATUS(ctie_request_release(kept), CTIE_OK);
    CHECK_STATUS(ctie_call_wait(call, -1, &response), CTIE_OK);
    CHECK_STATUS(ctie_response_status(response), CTIE_E_DENIED);
    ctie_response_release(response);
    ctie_call_release(call);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* ---- One inside another ------------------------------------------------------------------------- */

enum { CHAIN = 300 };

static struct {
    latch held, ran;
    ctie_request *requests[CHAIN];
} chain;

static void hold_in_chain(ctie_request *request, void *user_data) {
    CHECK_STATUS(ctie_request_retain(request), CTIE_OK);
    *(ctie_request **)user_data = request;
    latch_add(&chain.held);
}

/* Lets the next one go on, which goes its way inside, or on a worker where the thread has no more room. */
static void let_the_next_go_on(ctie_request *request, void *user_data) {
    (void)user_data;
    static _Thread_local int depth;
    int own = 0;
    CHECK(++depth <= 64);
    while (own < CHAIN && chain.requests[own] != request) { own++; }
    CHECK(own < CHAIN);
    if (own + 1 < CHAIN) { CHECK_STATUS(ctie_request_proceed(chain.requests[own + 1]), CTIE_OK); }
    depth--;
    latch_add(&chain.ran);
    CHECK_STATUS(ctie_request_reply(request, ctie_value_int(1)), CTIE_OK);
}

static void requests_that_let_each_other_go_on_need_no_depth(void) {
    static ctie_call *calls[CHAIN];
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.timeout_ms = -1;
    new_bus();
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://chain"), CTIE_HANDLER(let_the_next_go_on, NULL), NULL, NULL, NULL),
                 CTIE_OK);
    for (int i = 0; i < CHAIN; i++) {
        const ctie_handler holds = {hold_in_chain, &chain.requests[i], NULL};
        options.interceptors = &holds;
        options.interceptor_count = 1;
        CHECK_STATUS(ctie_open_async(bus, CTIE_STR("app://chain"), CTIE_ORIGIN_LOCAL, CTIE_COMPLETION(NULL, NULL),
                                     &options, &calls[i], NULL), CTIE_OK);
        latch_wait(&chain.held, i + 1);
    }
    CHECK_STATUS(ctie_request_proceed(chain.requests[0]), CTIE_OK);
    latch_wait(&chain.ran, CHAIN);
    for (int i = 0; i < CHAIN; i++) {
        CHECK_STATUS(ctie_request_release(chain.requests[i]), CTIE_OK);
        CHECK_STATUS(ctie_call_wait(calls[i], -1, NULL), CTIE_OK);
        CHECK_STATUS(ctie_call_release(calls[i]), CTIE_OK);
    }
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

int main(void) {
    held_requests_go_on_from_other_threads();
    a_request_goes_from_thread_to_thread();
    of_two_that_proceed_one_does();
    a_held_request_outlives_its_interceptor();
    ended_requests_cannot_proceed();
    a_remote_handlers_rewrite_lowers_trust();
    a_new_handlers_interceptors_see_a_held_request();
    requests_that_let_each_other_go_on_need_no_depth();
    return check_end();
}
