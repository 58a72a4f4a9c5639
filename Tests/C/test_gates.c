/* Requests between their interceptors and their handlers: nothing may change hands twice, or not at all. */
#include "check.h"
#include "latch.h"

#include <sched.h>
#include <stdatomic.h>

static ctie_bus *bus;
static _Atomic(ctie_request *) kept;
static atomic_int handled;

static void new_bus(void) {
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    atomic_store(&kept, NULL);
    atomic_store(&handled, 0);
}

static void hold(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_retain(request), CTIE_OK);
    atomic_store(&kept, request);
}

static void handle(ctie_request *request, void *user_data) {
    (void)request, (void)user_data;
    atomic_fetch_add(&handled, 1);
}

static void add_interceptor(ctie_handler_fn fn, int32_t order) {
    ctie_interceptor_options options = CTIE_INTERCEPTOR_OPTIONS_INIT;
    options.order = order;
    CHECK_STATUS(ctie_interceptor_add(bus, CTIE_HANDLER(fn, NULL), &options, NULL, NULL), CTIE_OK);
}

static void add_route(const char *pattern, const ctie_handler *interceptors, size_t count, uint32_t flags) {
    ctie_route_options options = CTIE_ROUTE_OPTIONS_INIT;
    options.flags = flags;
    options.interceptors = interceptors;
    options.interceptor_count = count;
    CHECK_STATUS(ctie_route_add(bus, ctie_str_from(pattern), CTIE_HANDLER(handle, NULL), &options, NULL, NULL),
                 CTIE_OK);
}

/** The request that an interceptor has kept, once it has. */
static ctie_request *take_kept(void) {
    ctie_request *request;
    while ((request = atomic_exchange(&kept, NULL)) == NULL) { sched_yield(); }
    return request;
}

/* ---- The lowest order --------------------------------------------------------------------------- */

static void refuse(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_deny(request, CTIE_STR("no")), CTIE_OK);
}

static void the_lowest_order_is_an_order(void) {
    new_bus();
    add_interceptor(refuse, INT32_MIN);
    add_route("app://a", NULL, 0, 0);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://a"), CTIE_ORIGIN_LOCAL, NULL, NULL, NULL), CTIE_E_DENIED);
    CHECK(atomic_load(&handled) == 0);
    CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
}

/* ---- Handles after the end ---------------------------------------------------------------------- */

static void answer(ctie_request *request, void *user_data) {
    *(ctie_request **)user_data = request;
    CHECK_STATUS(ctie_request_reply(request, ctie_value_int(1)), CTIE_OK);
}

static void note(ctie_request *request, void *user_data) {
    *(ctie_request **)user_data = request;
    CHECK_STATUS(ctie_request_proceed(request), CTIE_OK);
}

static void give_up(ctie_request *request, void *user_data) {
    *(ctie_request **)user_data = request;
}

/** A thread that reads a request after its end, while its response is out, finds nothing. */
static void is_released_after(ctie_handler_fn fn, const char *url, ctie_status expected) {
    ctie_request *request = NULL;
    ctie_handler one = {fn, &request, NULL};
    ctie_response *response = NULL;
    ctie_str text;
    new_bus();
    add_route("app://a/:x", &one, 1, 0);
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.interceptors = &one;
    options.interceptor_count = fn == note ? 1 : 0;
    CHECK_STATUS(
        ctie_open(bus, ctie_str_from(url), CTIE_ORIGIN_LOCAL, &options, &response, NULL), expected);
    CHECK_STATUS(ctie_route_clear(bus), CTIE_OK);
    CHECK_STATUS(ctie_request_pattern(request, &text), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_request_retain(request), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
    CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
}

static void a_request_ended_by_an_interceptor(void) {
    is_released_after(answer, "app://a/1", CTIE_OK);
    is_released_after(give_up, "app://a/1", CTIE_E_NO_REPLY);
    is_released_after(note, "app://a/1", CTIE_OK);
    is_released_after(note, "app://b/1", CTIE_E_NO_ROUTE);
}

/* ---- Kept, then handed to a worker -------------------------------------------------------------- */

static void completed(ctie_response *response, void *user_data) {
    CHECK_STATUS(ctie_response_status(response), CTIE_OK);
    CHECK(atomic_load(&handled) == 1);
    latch_add(user_data);
}

/** The worker that ran the interceptor and the one that gets the request next may be at it at the same time. */
static void proceeding_at_once_completes_after_the_handler(void) {
    for (int round = 0; round < 200 && checks_failed == 0; round++) {
        latch done = LATCH_INIT;
        new_bus();
        add_interceptor(hold, 0);
        add_route("app://a", NULL, 0, CTIE_ROUTE_WORKER_ONLY);
        CHECK_STATUS(ctie_open_async(bus, CTIE_STR("app://a"), CTIE_ORIGIN_LOCAL, CTIE_COMPLETION(completed, &done),
                                     NULL, NULL, NULL), CTIE_OK);
        ctie_request *request = take_kept();
        CHECK_STATUS(ctie_request_proceed(request), CTIE_OK);
        latch_wait(&done, 1);
        CHECK_STATUS(ctie_request_release(request), CTIE_OK);
        CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
        CHECK(latch_count(&done) == 1);
    }
}

static void completed_somehow(ctie_response *response, void *user_data) {
    ctie_status status = ctie_response_status(response);
    CHECK(status == CTIE_OK || status == CTIE_E_CANCELLED);
    latch_add(user_data);
}

static latch blocked = LATCH_INIT, unblocked = LATCH_INIT;

static void block(ctie_request *request, void *rounds) {
    (void)request;
    latch_add(&blocked);
    latch_wait(&unblocked, latch_count(rounds));
}

static void *let_go_on(void *request) {
    ctie_status status = ctie_request_proceed(request);
    CHECK(status == CTIE_OK || status == CTIE_E_ALREADY);
    return NULL;
}

static ctie_call *open_async(const char *url, ctie_completion_fn fn, latch *done) {
    ctie_call *call = NULL;
    CHECK_STATUS(ctie_open_async(bus, ctie_str_from(url), CTIE_ORIGIN_LOCAL, CTIE_COMPLETION(fn, done), NULL, &call,
                                 NULL), CTIE_OK);
    return call;
}

/** Its completion and its way on want the same place in the queue, in which it stays for the only worker is busy. */
static void cancelling_while_proceeding_completes_once(void) {
    latch done = LATCH_INIT, rounds = LATCH_INIT;
    ctie_handler holding = {hold, NULL, NULL};
    ctie_bus_options one = CTIE_BUS_OPTIONS_INIT;
    one.max_workers = 1;
    CHECK_STATUS(ctie_bus_new(&one, &bus, NULL), CTIE_OK);
    add_route("app://a", &holding, 1, CTIE_ROUTE_WORKER_ONLY);
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://b"), CTIE_HANDLER(block, &rounds), NULL, NULL, NULL), CTIE_OK);
    add_route("app://c", NULL, 0, 0);
    for (int round = 1; round <= 300 && checks_failed == 0; round++) {
        pthread_t thread;
        latch_add(&rounds);
        ctie_call *call = open_async("app://a", completed_somehow, &done);
        ctie_request *request = take_kept();
        ctie_call *other = open_async("app://b", completed_somehow, &done);
        latch_wait(&blocked, round);
        pthread_create(&thread, NULL, let_go_on, request);
        for (int i = 0; i < round % 100; i++) { sched_yield(); }
        ctie_status status = ctie_call_cancel(call);
        CHECK(status == CTIE_OK || status == CTIE_E_ALREADY);
        ctie_call *behind = open_async("app://c", completed_somehow, &done);
        pthread_join(thread, NULL);
        latch_add(&unblocked);
        latch_wait(&done, 3 * round);
        CHECK_STATUS(ctie_request_release(request), CTIE_OK);
        CHECK_STATUS(ctie_call_release(call), CTIE_OK);
        CHECK_STATUS(ctie_call_release(other), CTIE_OK);
        CHECK_STATUS(ctie_call_release(behind), CTIE_OK);
    }
    CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
    CHECK(latch_count(&done) == 3 * latch_count(&rounds));
}

/* ---- Let go on and let go ----------------------------------------------------------------------- */

static void *proceed_and_release(void *unused) {
    (void)unused;
    ctie_request *request = take_kept();
    CHECK_STATUS(ctie_request_proceed(request), CTIE_OK);
    CHECK_STATUS(ctie_request_release(request), CTIE_OK);
    return NULL;
}

/** Lets the request go on from another thread while the interceptor returns. */
static void proceeding_reaches_the_handler(void) {
    new_bus();
    add_interceptor(hold, 0);
    add_route("app://a", NULL, 0, 0);
    for (int round = 0; round < 500 && checks_failed == 0; round++) {
        pthread_t thread;
        pthread_create(&thread, NULL, proceed_and_release, NULL);
        CHECK_STATUS(ctie_open(bus, CTIE_STR("app://a"), CTIE_ORIGIN_LOCAL, NULL, NULL, NULL), CTIE_OK);
        pthread_join(thread, NULL);
        CHECK(atomic_load(&handled) == round + 1);
    }
    CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
}

static atomic_int returning, released;

static void hold_and_let_go_on(ctie_request *request, void *user_data) {
    hold(request, user_data);
    CHECK_STATUS(ctie_request_proceed(request), CTIE_OK);
}

static void just_return(ctie_request *request, void *user_data) {
    (void)request, (void)user_data;
    atomic_fetch_add(&returning, 1);
}

static void *release_when_it_returns(void *rounds) {
    for (int round = 1; round <= *(int *)rounds; round++) {
        while (atomic_load(&returning) < round) {}
        for (volatile int i = 0; i < round % 64; i++) {}
        CHECK_STATUS(ctie_request_release(atomic_load(&kept)), CTIE_OK);
        atomic_store(&released, round);
    }
    return NULL;
}

/** A handler that has just returned has opened the URL, whichever thread releases the request at that moment. */
static void releasing_leaves_the_request_to_its_handler(void) {
    int rounds = 2000;
    pthread_t thread;
    new_bus();
    add_interceptor(hold_and_let_go_on, 0);
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://a"), CTIE_HANDLER(just_return, NULL), NULL, NULL, NULL), CTIE_OK);
    pthread_create(&thread, NULL, release_when_it_returns, &rounds);
    for (int round = 1; round <= rounds; round++) {
        CHECK_STATUS(ctie_open(bus, CTIE_STR("app://a"), CTIE_ORIGIN_LOCAL, NULL, NULL, NULL), CTIE_OK);
        while (atomic_load(&released) < round) { sched_yield(); }
    }
    pthread_join(thread, NULL);
    CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
}

/* ---- Text --------------------------------------------------------------------------------------- */

static ctie_str texts[64];
static size_t text_count;

/** Each match writes the UUID again; the previous text lives as long as the request. */
static void ask_for_uuid(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_param(request, CTIE_STR("id"), &texts[text_count++]), CTIE_OK);
    for (size_t i = 0; i < text_count; i++) { CHECK(text_is(texts[i], "0123abcd-0123-abcd-0123-0123456789ab")); }
    CHECK_STATUS(ctie_request_proceed(request), CTIE_OK);
}

static void text_outlives_later_matches(void) {
    ctie_handler many[64];
    for (size_t i = 0; i < 64; i++) { many[i] = (ctie_handler){ask_for_uuid, NULL, NULL}; }
    new_bus();
    add_route("app://a/:id<uuid>", many, 64, 0);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://a/0123ABCD-0123-ABCD-0123-0123456789AB"), CTIE_ORIGIN_LOCAL, NULL, NULL,
                           NULL), CTIE_OK);
    CHECK(text_count == 64);
    CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
}

/* ---- Tables and policies that change ------------------------------------------------------------ */

static atomic_bool stops;
static atomic_int opened;

static void *open_all_the_time(void *unused) {
    (void)unused;
    while (!atomic_load(&stops)) {
        CHECK_STATUS(ctie_open(bus, CTIE_STR("app://a/77"), CTIE_ORIGIN_LOCAL, NULL, NULL, NULL), CTIE_OK);
        atomic_fetch_add(&opened, 1);
    }
    return NULL;
}

/** The first rule table takes the place of a table of routes that is being read. */
static void the_first_rules_wait_for_readers(void) {
    const ctie_str rules = CTIE_STR("{\"format\": 1, \"version\": \"1.0.0\", \"publicSchemes\": [], "
                                   "\"privateSchemes\": [], \"routeHosts\": [], \"webHosts\": [], \"rules\": []}");
    for (int round = 0; round < 20 && checks_failed == 0; round++) {
        pthread_t thread;
        new_bus();
        for (int i = 0; i < 100; i++) {
            char pattern[32];
            snprintf(pattern, sizeof pattern, "app://a/%d", i);
            add_route(pattern, NULL, 0, 0);
        }
        atomic_store(&stops, false);
        atomic_store(&opened, 0);
        pthread_create(&thread, NULL, open_all_the_time, NULL);
        while (atomic_load(&opened) == 0) { sched_yield(); }
        for (int i = 0; i < 10; i++) { CHECK_STATUS(ctie_rules_load(bus, rules, NULL, NULL), CTIE_OK); }
        atomic_store(&stops, true);
        pthread_join(thread, NULL);
        CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
    }
}

static void *open_web_links(void *unused) {
    (void)unused;
    while (!atomic_load(&stops)) {
        ctie_status status = ctie_open(bus, CTIE_STR("https://example.org/"), CTIE_ORIGIN_REMOTE, NULL, NULL, NULL);
        CHECK(status == CTIE_OK || status == CTIE_E_BLOCKED);
    }
    return NULL;
}

/**
 * With a handler the system opener serves remote origins, without it does not: none of them ever starts the program.
 */
static void the_system_opener_changes_as_one(void) {
    ctie_system_opener_options open = CTIE_SYSTEM_OPENER_OPTIONS_INIT, closed = CTIE_SYSTEM_OPENER_OPTIONS_INIT;
    pthread_t thread;
    open.flags = CTIE_SYSTEM_OPENER_REMOTE;
    open.program = closed.program = CTIE_STR("/nonexistent/program");
    new_bus();
    CHECK_STATUS(ctie_bus_set_system_opener(bus, CTIE_HANDLER(NULL, NULL), &closed, NULL), CTIE_OK);
    atomic_store(&stops, false);
    pthread_create(&thread, NULL, open_web_links, NULL);
    for (int round = 0; round < 500 && checks_failed == 0; round++) {
        CHECK_STATUS(ctie_bus_set_system_opener(bus, CTIE_HANDLER(handle, NULL), &open, NULL), CTIE_OK);
        CHECK_STATUS(ctie_bus_set_system_opener(bus, CTIE_HANDLER(NULL, NULL), &closed, NULL), CTIE_OK);
    }
    atomic_store(&stops, true);
    pthread_join(thread, NULL);
    CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
}

int main(void) {
    the_lowest_order_is_an_order();
    a_request_ended_by_an_interceptor();
    proceeding_at_once_completes_after_the_handler();
    cancelling_while_proceeding_completes_once();
    proceeding_reaches_the_handler();
    releasing_leaves_the_request_to_its_handler();
    text_outlives_later_matches();
    the_first_rules_wait_for_readers();
    the_system_opener_changes_as_one();
    return check_end();
}
