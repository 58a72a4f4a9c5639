/* Callbacks that a request's handler and interceptors add for its end: on a cancel, and on the way back. */
#include "check.h"
#include "latch.h"

#include <stdatomic.h>

static ctie_bus *bus;
static ctie_request *kept;
static latch taken = LATCH_INIT;

/* ---- Helpers ------------------------------------------------------------------------------------ */

static void new_bus(void) {
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
}

static void add(const char *pattern, ctie_handler_fn handler, void *user_data) {
    CHECK_STATUS(ctie_route_add(bus, ctie_str_from(pattern), CTIE_HANDLER(handler, user_data), NULL, NULL, NULL),
                 CTIE_OK);
}

static ctie_call *start(const char *url) {
    ctie_call *call = NULL;
    CHECK_STATUS(ctie_open_async(bus, ctie_str_from(url), 1, CTIE_COMPLETION(NULL, NULL), NULL, &call, NULL), CTIE_OK);
    return call;
}

/* The observations of a callback. */
typedef struct seen {
    latch called, destroyed;
} seen;

#define SEEN_INIT {LATCH_INIT, LATCH_INIT}

static void note(void *user_data) {
    latch_add(&((seen *)user_data)->called);
}

static void seen_destroy(void *user_data) {
    latch_add(&((seen *)user_data)->destroyed);
}

static void keep(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_retain(request), CTIE_OK);
    kept = request;
    latch_add(&taken);
}

/* Starts a request and waits until its handler has kept it. */
static ctie_call *start_kept(void) {
    int before = latch_count(&taken);
    ctie_call *call = start("app://kept");
    latch_wait(&taken, before + 1);
    return call;
}

static void finish(ctie_call *call) {
    CHECK_STATUS(ctie_request_release(kept), CTIE_OK);
    CHECK_STATUS(ctie_call_wait(call, -1, NULL), CTIE_OK);
    CHECK_STATUS(ctie_call_release(call), CTIE_OK);
}

/* ---- On a cancel -------------------------------------------------------------------------------- */

static void a_cancel_callback_runs_inside_the_cancel(void) {
    seen own = SEEN_INIT;
    new_bus();
    add("app://kept", keep, NULL);
    ctie_call *call = start_kept();
    CHECK_STATUS(ctie_request_on_cancel(kept, CTIE_NOTICE_OWNED(note, &own, seen_destroy)), CTIE_OK);
    CHECK(latch_count(&own.called) == 0);
    CHECK_STATUS(ctie_call_cancel(call), CTIE_OK);
    CHECK(latch_count(&own.called) == 1 && latch_count(&own.destroyed) == 1);
    CHECK_STATUS(ctie_request_on_cancel(kept, CTIE_NOTICE_OWNED(note, &own, seen_destroy)), CTIE_OK);
    CHECK(latch_count(&own.called) == 2 && latch_count(&own.destroyed) == 2);
    finish(call);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void an_answer_is_no_cancel(void) {
    seen own = SEEN_INIT;
    new_bus();
    add("app://kept", keep, NULL);
    ctie_call *call = start_kept();
    CHECK_STATUS(ctie_request_on_cancel(kept, CTIE_NOTICE_OWNED(note, &own, seen_destroy)), CTIE_OK);
    CHECK_STATUS(ctie_request_reply(kept, ctie_value_null()), CTIE_OK);
    CHECK(latch_count(&own.called) == 0 && latch_count(&own.destroyed) == 1);
    CHECK_STATUS(ctie_request_on_cancel(kept, CTIE_NOTICE_OWNED(note, &own, seen_destroy)), CTIE_E_ALREADY);
    CHECK_STATUS(ctie_request_on_cancel(kept, CTIE_NOTICE_OWNED(NULL, &own, seen_destroy)), CTIE_E_INVALID);
    CHECK_STATUS(ctie_request_on_cancel(NULL, CTIE_NOTICE_OWNED(note, &own, seen_destroy)), CTIE_E_HANDLE);
    CHECK(latch_count(&own.called) == 0 && latch_count(&own.destroyed) == 4);
    finish(call);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void a_closing_is_a_cancel(void) {
    seen own = SEEN_INIT;
    new_bus();
    add("app://kept", keep, NULL);
    ctie_call *call = start_kept();
    CHECK_STATUS(ctie_request_on_cancel(kept, CTIE_NOTICE_OWNED(note, &own, seen_destroy)), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(latch_count(&own.called) == 1 && latch_count(&own.destroyed) == 1);
    finish(call);
}

static void ask_and_return(ctie_request *request, void *user_data) {
    CHECK_STATUS(ctie_request_on_cancel(request, CTIE_NOTICE_OWNED(note, user_data, seen_destroy)), CTIE_OK);
}

static void ask_and_keep(ctie_request *request, void *user_data) {
    ask_and_return(request, user_data);
    keep(request, NULL);
}

static void a_synchronous_request_has_them_too(void) {
    seen own = SEEN_INIT;
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.timeout_ms = SOON_MS;
    new_bus();
    add("app://done", ask_and_return, &own);
    add("app://late", ask_and_keep, &own);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://done"), 1, NULL, NULL, NULL), CTIE_OK);
    CHECK(latch_count(&own.called) == 0 && latch_count(&own.destroyed) == 1);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://late"), 1, &options, NULL, NULL), CTIE_E_TIMEOUT);
    CHECK(latch_count(&own.called) == 1 && latch_count(&own.destroyed) == 2);
    CHECK_STATUS(ctie_request_release(kept), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void each_kind_has_a_limit(void) {
    seen own = SEEN_INIT;
    new_bus();
    add("app://kept", keep, NULL);
    ctie_call *call = start_kept();
    for (int i = 0; i < 64; i++) {
        CHECK_STATUS(ctie_request_on_cancel(kept, CTIE_NOTICE_OWNED(note, &own, seen_destroy)), CTIE_OK);
        CHECK_STATUS(ctie_request_on_return(kept, CTIE_COMPLETION_OWNED((ctie_completion_fn)NULL, &own, seen_destroy)),
                     CTIE_E_INVALID);
    }
    CHECK_STATUS(ctie_request_on_cancel(kept, CTIE_NOTICE_OWNED(note, &own, seen_destroy)), CTIE_E_LIMIT);
    CHECK(latch_count(&own.called) == 0 && latch_count(&own.destroyed) == 65);
    CHECK_STATUS(ctie_call_cancel(call), CTIE_OK);
    CHECK(latch_count(&own.called) == 64 && latch_count(&own.destroyed) == 129);
    finish(call);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* ---- On the way back ---------------------------------------------------------------------------- */

static void reply_text(ctie_request *request, void *user_data) {
    CHECK_STATUS(ctie_request_reply(request, ctie_value_string(ctie_str_from(user_data))), CTIE_OK);
}

static void put_in_brackets(ctie_response *response, void *user_data) {
    ctie_str text = {NULL, 0};
    char longer[64];
    CHECK_STATUS(ctie_response_status(response), CTIE_OK);
    CHECK_STATUS(ctie_value_get_string(ctie_response_value(response), &text), CTIE_OK);
    snprintf(longer, sizeof longer, "%s%.*s)", (const char *)user_data, (int)text.size, text.data);
    CHECK_STATUS(ctie_response_replace(response, ctie_value_string(ctie_str_from(longer))), CTIE_OK);
    /* Borrowed results live as long as the response. */
    CHECK(text.size > 0 && memchr(text.data, 'x', text.size) != NULL);
}

static void pass_and_change(ctie_request *request, void *user_data) {
    CHECK_STATUS(ctie_request_on_return(request, CTIE_COMPLETION(put_in_brackets, user_data)), CTIE_OK);
    CHECK_STATUS(ctie_request_proceed(request), CTIE_OK);
}

static void responses_change_from_the_inside_out(void) {
    ctie_handler two[2] = {{pass_and_change, "outer(", NULL}, {pass_and_change, "inner(", NULL}};
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    ctie_response *response = NULL;
    ctie_str text = {NULL, 0};
    options.interceptors = two;
    options.interceptor_count = 2;
    new_bus();
    add("app://x", reply_text, "a text that is too long for a pointer: x");
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://x"), 1, &options, &response, NULL), CTIE_OK);
    CHECK_STATUS(ctie_value_get_string(ctie_response_value(response), &text), CTIE_OK);
    CHECK(text_is(text, "outer(inner(a text that is too long for a pointer: x))"));
    CHECK_STATUS(ctie_response_replace(response, ctie_value_null()), CTIE_E_INVALID);
    CHECK_STATUS(ctie_response_fail(response, 1, NULL, CTIE_STR("")), CTIE_E_INVALID);
    CHECK_STATUS(ctie_response_replace(NULL, ctie_value_null()), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void turn_round(ctie_response *response, void *user_data) {
    (void)user_data;
    if (ctie_response_status(response) == CTIE_OK) {
        CHECK_STATUS(ctie_response_fail(response, 7, ctie_value_int(2), CTIE_STR("not today")), CTIE_OK);
    } else {
        CHECK_STATUS(ctie_response_replace(response, ctie_value_int(3)), CTIE_OK);
    }
}

static void pass_and_turn(ctie_request *request, void *user_data) {
    CHECK_STATUS(ctie_request_on_return(request, CTIE_COMPLETION_OWNED(turn_round, user_data, seen_destroy)), CTIE_OK);
    CHECK_STATUS(ctie_request_proceed(request), CTIE_OK);
}

static void expect_response(ctie_response *response, ctie_status status, int32_t code, int64_t value, const char *text) {
    int64_t number = 0;
    CHECK_STATUS(ctie_response_status(response), status);
    CHECK(ctie_response_code(response) == code);
    CHECK_STATUS(ctie_value_get_int(ctie_response_value(response), &number), CTIE_OK);
    CHECK(number == value);
    CHECK(text_is(ctie_response_message(response), text));
}

static void success_becomes_failure_and_failure_success(void) {
    seen own = SEEN_INIT, cancelled = SEEN_INIT;
    ctie_response *response = NULL;
    new_bus();
    CHECK_STATUS(ctie_interceptor_add(bus, CTIE_HANDLER(pass_and_turn, &own), NULL, NULL, NULL), CTIE_OK);
    add("app://x", reply_text, "x");
    add("app://kept", keep, NULL);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://x"), 1, NULL, &response, NULL), CTIE_E_HANDLER);
    expect_response(response, CTIE_E_HANDLER, 7, 2, "not today");
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://nothing"), 1, NULL, &response, NULL), CTIE_OK);
    expect_response(response, CTIE_OK, 1, 3, "");
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
    CHECK(latch_count(&own.destroyed) == 2);
    ctie_call *call = start_kept();
    CHECK_STATUS(ctie_request_on_cancel(kept, CTIE_NOTICE_OWNED(note, &cancelled, seen_destroy)), CTIE_OK);
    CHECK_STATUS(ctie_call_cancel(call), CTIE_OK);
    CHECK(latch_count(&cancelled.called) == 1);
    CHECK_STATUS(ctie_call_wait(call, -1, &response), CTIE_OK);
    expect_response(response, CTIE_OK, 1, 3, "");
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
    CHECK_STATUS(ctie_request_on_return(kept, CTIE_COMPLETION_OWNED(turn_round, &own, seen_destroy)), CTIE_E_ALREADY);
    finish(call);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(latch_count(&own.destroyed) == 4);
}

/* Inside such a callback the request is ending: only a callback for a cancel can still be added. */
static void ask_for_more(ctie_response *response, void *user_data) {
    seen *own = user_data;
    (void)response;
    CHECK_STATUS(ctie_request_on_return(kept, CTIE_COMPLETION_OWNED(turn_round, own, seen_destroy)), CTIE_E_ALREADY);
    CHECK_STATUS(ctie_request_on_cancel(kept, CTIE_NOTICE_OWNED(note, own, seen_destroy)), CTIE_OK);
    CHECK_STATUS(ctie_request_reply(kept, ctie_value_null()), CTIE_E_ALREADY);
    latch_add(&own->called);
}

static void a_completion_runs_once(void) {
    seen own = SEEN_INIT;
    new_bus();
    add("app://kept", keep, NULL);
    ctie_call *call = start_kept();
    CHECK_STATUS(ctie_request_on_return(kept, CTIE_COMPLETION_OWNED(ask_for_more, &own, seen_destroy)), CTIE_OK);
    CHECK_STATUS(ctie_request_reply(kept, ctie_value_null()), CTIE_OK);
    CHECK(latch_count(&own.called) == 1 && latch_count(&own.destroyed) == 3);
    finish(call);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* ---- Refusing ----------------------------------------------------------------------------------- */

static void refuse(ctie_request *request, void *user_data) {
    CHECK_STATUS(ctie_request_refuse(request, CTIE_OK, CTIE_STR("")), CTIE_E_INVALID);
    CHECK_STATUS(ctie_request_refuse(request, CTIE_PENDING, CTIE_STR("")), CTIE_E_INVALID);
    CHECK_STATUS(ctie_request_refuse(request, CTIE_STATUS_LAST_ - 1, CTIE_STR("")), CTIE_E_INVALID);
    CHECK_STATUS(ctie_request_refuse(request, *(ctie_status *)user_data, CTIE_STR("so there")), CTIE_OK);
    CHECK_STATUS(ctie_request_refuse(request, *(ctie_status *)user_data, CTIE_STR("so there")), CTIE_E_ALREADY);
}

static void a_handler_refuses_with_a_status(void) {
    ctie_status status = CTIE_E_INVALID;
    ctie_response *response = NULL;
    new_bus();
    add("app://x", refuse, &status);
    for (; status >= CTIE_STATUS_LAST_; status--) {
        CHECK_STATUS(ctie_open(bus, CTIE_STR("app://x"), 1, NULL, &response, NULL), status);
        CHECK(ctie_response_code(response) == ctie_status_code(status));
        CHECK(text_is(ctie_response_message(response), "so there"));
        CHECK_STATUS(ctie_response_release(response), CTIE_OK);
    }
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* ---- Races -------------------------------------------------------------------------------------- */

static atomic_int calls, destroys, expected_calls, pushes;

static void count_call(void *user_data) {
    (void)user_data;
    atomic_fetch_add(&calls, 1);
}

static void count_response(ctie_response *response, void *user_data) {
    (void)user_data;
    if (ctie_response_replace(response, ctie_value_int(1)) == CTIE_OK) atomic_fetch_add(&calls, 1);
}

static void count_destroy(void *user_data) {
    (void)user_data;
    atomic_fetch_add(&destroys, 1);
}

/* One request that two threads add callbacks to, answer and release. */
typedef struct round {
    ctie_request *request;
    ctie_call *call;
    atomic_int arrived;
    bool cancels;
} round;

static void *push_and_let_go(void *raw) {
    round *own = raw;
    atomic_fetch_add(&own->arrived, 1);
    while (atomic_load(&own->arrived) < 2) {}
    for (int i = 0; i < 3; i++) {
        ctie_status reported = ctie_request_on_cancel(own->request, CTIE_NOTICE_OWNED(count_call, NULL, count_destroy));
        ctie_status shown = ctie_request_on_return(own->request,
                                                   CTIE_COMPLETION_OWNED(count_response, NULL, count_destroy));
        atomic_fetch_add(&pushes, 2);
        if (own->cancels && reported == CTIE_OK) atomic_fetch_add(&expected_calls, 1);
        if (shown == CTIE_OK) atomic_fetch_add(&expected_calls, 1);
    }
    ctie_request_release(own->request);
    return NULL;
}

static void end(round *own) {
    atomic_fetch_add(&own->arrived, 1);
    while (atomic_load(&own->arrived) < 2) {}
    if (own->cancels) {
        CHECK_STATUS(ctie_call_cancel(own->call), CTIE_OK);
    } else {
        CHECK_STATUS(ctie_request_reply(own->request, ctie_value_null()), CTIE_OK);
    }
    CHECK_STATUS(ctie_request_release(own->request), CTIE_OK);
}

static void every_callback_is_called_and_destroyed_once(void) {
    int rounds = test_rounds(2000);
    new_bus();
    add("app://kept", keep, NULL);
    for (int i = 0; i < rounds; i++) {
        ctie_call *call = start_kept();
        round own = {kept, call, 0, i % 2 == 0};
        pthread_t thread;
        CHECK_STATUS(ctie_request_retain(kept), CTIE_OK);
        pthread_create(&thread, NULL, push_and_let_go, &own);
        end(&own);
        pthread_join(thread, NULL);
        CHECK_STATUS(ctie_call_wait(call, -1, NULL), CTIE_OK);
        CHECK_STATUS(ctie_call_release(call), CTIE_OK);
    }
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(atomic_load(&destroys) == atomic_load(&pushes));
    CHECK(atomic_load(&calls) == atomic_load(&expected_calls));
}

int main(void) {
    a_cancel_callback_runs_inside_the_cancel();
    an_answer_is_no_cancel();
    a_closing_is_a_cancel();
    a_synchronous_request_has_them_too();
    each_kind_has_a_limit();
    responses_change_from_the_inside_out();
    success_becomes_failure_and_failure_success();
    a_completion_runs_once();
    a_handler_refuses_with_a_status();
    every_callback_is_called_and_destroyed_once();
    return check_end();
}
