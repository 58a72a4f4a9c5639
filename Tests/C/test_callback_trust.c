/*
 * Callbacks on the completion of a remote request act for remote code: they run with its trust, whichever thread ends
 * the request, and reach nothing private.
 */
#include "check.h"
#include "latch.h"

static ctie_bus *bus;
static ctie_request *kept;
static latch taken = LATCH_INIT, secrets = LATCH_INIT;

/* The progress of a callback. */
typedef struct reach {
    latch called;
    ctie_status opened;
    ctie_opened_by asked;
} reach;

#define REACH_INIT {LATCH_INIT, CTIE_PENDING, CTIE_OPENED_BY_SYSTEM}

static ctie_status open_endless(const char *url, ctie_origin origin) {
    return ctie_open(bus, ctie_str_from(url), origin, without_end(), NULL, NULL);
}

static void reach_out(reach *own) {
    own->opened = open_endless("app://secret", CTIE_ORIGIN_LOCAL);
    CHECK_STATUS(ctie_can_open(bus, CTIE_STR("app://secret"), CTIE_ORIGIN_LOCAL, CTIE_MATCH_DEFAULT, &own->asked), CTIE_OK);
    latch_add(&own->called);
}

static void on_cancel(void *user_data) {
    reach_out(user_data);
}

static void on_return(ctie_response *response, void *user_data) {
    (void)response;
    reach_out(user_data);
}

static void open_secret(ctie_request *request, void *user_data) {
    (void)user_data;
    latch_add(&secrets);
    (void)ctie_request_reply(request, ctie_value_null());
}

static void keep(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_retain(request), CTIE_OK);
    kept = request;
    latch_add(&taken);
}

static reach *asking;

static void ask_and_keep(ctie_request *request, void *user_data) {
    CHECK_STATUS(ctie_request_on_cancel(request, CTIE_NOTICE(on_cancel, asking)), CTIE_OK);
    keep(request, user_data);
}

static void start_another(ctie_request *request, void *user_data);
static void report(ctie_request *request, void *user_data);
static void remove_another(ctie_request *request, void *user_data);

static void add(const char *pattern, ctie_handler_fn handler, bool is_public) {
    ctie_route_options options = CTIE_ROUTE_OPTIONS_INIT;
    options.flags = is_public ? CTIE_ROUTE_PUBLIC : 0;
    CHECK_STATUS(ctie_route_add(bus, ctie_str_from(pattern), CTIE_HANDLER(handler, NULL), &options, NULL, NULL),
                 CTIE_OK);
}

static void begin(void) {
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    add("app://secret", open_secret, false);
    add("app://kept", keep, true);
    add("app://asks", ask_and_keep, true);
    add("app://starts", start_another, true);
    add("app://tells", report, true);
    add("app://removes", remove_another, true);
}

/* Starts a request, waits until its handler has kept it, and gives the call. */
static ctie_call *start_kept(ctie_origin origin) {
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    ctie_call *call = NULL;
    int before = latch_count(&taken);
    options.timeout_ms = -1;
    CHECK_STATUS(ctie_open_async(bus, CTIE_STR("app://kept"), origin, CTIE_COMPLETION(NULL, NULL), &options, &call,
                                 NULL), CTIE_OK);
    latch_wait(&taken, before + 1);
    return call;
}

/* Releases the request and its call. */
static void finish(ctie_call *call) {
    CHECK_STATUS(ctie_request_release(kept), CTIE_OK);
    CHECK_STATUS(ctie_call_release(call), CTIE_OK);
}

/* The result depends only on the request's origin. */
static void check(reach *own, int calls, ctie_origin origin, ctie_status local) {
    bool is_local = origin == CTIE_ORIGIN_LOCAL;
    latch_wait(&own->called, calls);
    CHECK(latch_count(&own->called) == calls);
    CHECK_STATUS(own->opened, is_local ? local : CTIE_E_DENIED);
    CHECK(own->asked == (is_local ? CTIE_OPENED_BY_ROUTE : CTIE_OPENED_BY_NONE));
}

/* ---- Who ends it is trusted -------------------------------------------------------------------------- */

static void a_cancel_lends_no_trust(ctie_origin origin) {
    reach own = REACH_INIT;
    ctie_call *call = start_kept(origin);
    CHECK_STATUS(ctie_request_on_cancel(kept, CTIE_NOTICE(on_cancel, &own)), CTIE_OK);
    CHECK_STATUS(ctie_call_cancel(call), CTIE_OK);
    check(&own, 1, origin, CTIE_OK);
    /* One that comes too late is called at once, by a thread that is trusted, too. */
    CHECK_STATUS(ctie_request_on_cancel(kept, CTIE_NOTICE(on_cancel, &own)), CTIE_OK);
    check(&own, 2, origin, CTIE_OK);
    finish(call);
}

/* The thread that waits for it is the one that ends it. */
static void a_deadline_lends_no_trust(ctie_origin origin) {
    reach own = REACH_INIT;
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.timeout_ms = 5;
    asking = &own;
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://asks"), origin, &options, NULL, NULL), CTIE_E_TIMEOUT);
    check(&own, 1, origin, CTIE_E_TIMEOUT); /* what is done for the request has no more time than that */
    CHECK_STATUS(ctie_request_release(kept), CTIE_OK);
}

static void an_answer_lends_no_trust(ctie_origin origin) {
    reach own = REACH_INIT;
    ctie_call *call = start_kept(origin);
    CHECK_STATUS(ctie_request_on_return(kept, CTIE_COMPLETION(on_return, &own)), CTIE_OK);
    CHECK_STATUS(ctie_request_reply(kept, ctie_value_null()), CTIE_OK);
    check(&own, 1, origin, CTIE_OK);
    finish(call);
}

static void closing_lends_no_trust(ctie_origin origin) {
    reach own = REACH_INIT;
    ctie_bus *other = bus;
    begin();
    ctie_call *call = start_kept(origin);
    ctie_bus *closing = bus;
    CHECK_STATUS(ctie_request_on_cancel(kept, CTIE_NOTICE(on_cancel, &own)), CTIE_OK);
    bus = other; /* the bus of the callback's check, because its own bus has been closed */
    CHECK_STATUS(ctie_bus_close(closing), CTIE_OK);
    check(&own, 1, origin, CTIE_OK);
    finish(call);
}

/* ---- Who asked is not trusted ------------------------------------------------------------------------ */

static void note_progress(const ctie_value *value, void *user_data) {
    (void)value;
    reach_out(user_data);
}

static void report(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_progress(request, ctie_value_null()), CTIE_OK);
}

static reach of_progress, of_completion;

/* The completion of a request that a handler starts runs on a worker, which is trusted. */
static void start_another(ctie_request *request, void *user_data) {
    (void)request;
    (void)user_data;
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.timeout_ms = -1;
    options.progress = CTIE_PROGRESS(note_progress, &of_progress);
    CHECK_STATUS(ctie_open_async(bus, CTIE_STR("app://tells"), CTIE_ORIGIN_LOCAL,
                                 CTIE_COMPLETION(on_return, &of_completion), &options, NULL, NULL), CTIE_OK);
}

static void completion_and_progress_have_the_trust_of_who_asked(ctie_origin origin) {
    of_progress = of_completion = (reach)REACH_INIT;
    CHECK_STATUS(open_endless("app://starts", origin), CTIE_OK);
    check(&of_progress, 1, origin, CTIE_OK);
    check(&of_completion, 1, origin, CTIE_OK);
}

/* A caller that uses a remote origin is not remote code. */
static void progress_of_a_trusted_caller(void) {
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.timeout_ms = -1;
    options.progress = CTIE_PROGRESS(note_progress, &of_progress);
    of_progress = of_completion = (reach)REACH_INIT;
    CHECK_STATUS(ctie_open_async(bus, CTIE_STR("app://tells"), CTIE_ORIGIN_REMOTE,
                                 CTIE_COMPLETION(on_return, &of_completion), &options, NULL, NULL), CTIE_OK);
    check(&of_progress, 1, CTIE_ORIGIN_LOCAL, CTIE_OK);
    check(&of_completion, 1, CTIE_ORIGIN_LOCAL, CTIE_OK);
}

/* A caller that waits gets the progress in the middle of the request, with the request's trust. */
static void a_waiting_caller_gets_progress_with_the_trust_of_the_request(ctie_origin origin) {
    reach own = REACH_INIT;
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.timeout_ms = -1;
    options.progress = CTIE_PROGRESS(note_progress, &own);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://tells"), origin, &options, NULL, NULL), CTIE_OK);
    check(&own, 1, origin, CTIE_OK);
}

static void remove_another(ctie_request *request, void *user_data) {
    (void)request;
    (void)user_data;
    CHECK_STATUS(ctie_route_remove(bus, CTIE_STR("app://other"), NULL), CTIE_OK);
}

static void destroying_lends_no_trust(ctie_origin origin) {
    reach own = REACH_INIT;
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://other"), CTIE_HANDLER_OWNED(report, &own, on_cancel), NULL, NULL,
                                NULL), CTIE_OK);
    CHECK_STATUS(open_endless("app://removes", origin), CTIE_OK);
    check(&own, 1, origin, CTIE_OK);
}

static bool reach_out_and_decline(ctie_request *request, void *user_data) {
    (void)request;
    reach_out(user_data);
    return false;
}

static void open_never(ctie_request *request, void *user_data) {
    (void)request;
    (void)user_data;
    CHECK(false);
}

/* Whether a provider can is asked without opening, too. */
static void a_provider_is_asked_with_the_trust_of_who_asks(ctie_origin origin) {
    reach own = REACH_INIT;
    ctie_opened_by opener = CTIE_OPENED_BY_SYSTEM;
    ctie_provider provider = CTIE_PROVIDER_INIT;
    provider.name = CTIE_STR("asked");
    provider.flags = CTIE_PROVIDER_PUBLIC;
    provider.open_url = open_never;
    provider.can_open_url = reach_out_and_decline;
    provider.user_data = &own;
    CHECK_STATUS(ctie_provider_add(bus, &provider, CTIE_PROVIDER_LAST, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_can_open(bus, CTIE_STR("app://nowhere"), origin, CTIE_MATCH_DEFAULT, &opener), CTIE_OK);
    CHECK(opener == CTIE_OPENED_BY_NONE);
    check(&own, 1, origin, CTIE_OK);
    CHECK_STATUS(open_endless("app://nowhere", origin), CTIE_E_NO_ROUTE);
    check(&own, 2, origin, CTIE_OK);
    CHECK_STATUS(ctie_provider_remove(bus, CTIE_STR("asked"), NULL), CTIE_OK);
}

/* ---- Callbacks inside callbacks ------------------------------------------------------------------------ */

/* The callback of each request ends the next one and then asks, deeper than the thread's stack of callbacks goes. The
   first ones are local, the last ones remote. */
enum { DEEP = 200, LOCAL = 150 };

static struct {
    ctie_call *calls[DEEP];
    ctie_request *requests[DEEP];
    ctie_opened_by asked[DEEP];
} chain;

static void cancel_next(void *user_data) {
    int own = (int)(intptr_t)user_data;
    if (own + 1 < DEEP) { CHECK_STATUS(ctie_call_cancel(chain.calls[own + 1]), CTIE_OK); }
    CHECK_STATUS(ctie_can_open(bus, CTIE_STR("app://secret"), CTIE_ORIGIN_LOCAL, CTIE_MATCH_DEFAULT, &chain.asked[own]),
                 CTIE_OK);
}

static void each_has_its_own_trust_however_deep(void) {
    for (int i = 0; i < DEEP; i++) {
        chain.calls[i] = start_kept(i < LOCAL ? CTIE_ORIGIN_LOCAL : CTIE_ORIGIN_REMOTE);
        chain.requests[i] = kept;
        chain.asked[i] = CTIE_OPENED_BY_SYSTEM;
        CHECK_STATUS(ctie_request_on_cancel(kept, CTIE_NOTICE(cancel_next, (void *)(intptr_t)i)), CTIE_OK);
    }
    CHECK_STATUS(ctie_call_cancel(chain.calls[0]), CTIE_OK);
    for (int i = 0; i < DEEP; i++) {
        CHECK(chain.asked[i] == (i < LOCAL ? CTIE_OPENED_BY_ROUTE : CTIE_OPENED_BY_NONE));
        kept = chain.requests[i];
        finish(chain.calls[i]);
    }
}

int main(void) {
    static const ctie_origin origins[] = {CTIE_ORIGIN_REMOTE, CTIE_ORIGIN_LOCAL};
    begin();
    for (int i = 0; i < 2; i++) {
        a_cancel_lends_no_trust(origins[i]);
        a_deadline_lends_no_trust(origins[i]);
        an_answer_lends_no_trust(origins[i]);
        closing_lends_no_trust(origins[i]);
        completion_and_progress_have_the_trust_of_who_asked(origins[i]);
        a_waiting_caller_gets_progress_with_the_trust_of_the_request(origins[i]);
        destroying_lends_no_trust(origins[i]);
        a_provider_is_asked_with_the_trust_of_who_asks(origins[i]);
        CHECK(latch_count(&secrets) == (i == 0 ? 0 : 11));
    }
    progress_of_a_trusted_caller();
    each_has_its_own_trust_however_deep();
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    return check_end();
}
