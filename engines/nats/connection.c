/* The connection to the server. libnats reconnects by itself; this follows it, and connects in time. */
#include "problem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAUSE_MS = 100, ADDRESS_MOST = 320 };

/* ---- States -------------------------------------------------------------------------------------- */

/* Tells the host. The state has been set. */
static void tell(engine *it, const char *address, const char *reason, int32_t state) {
    ctie_engine_connection now = {.size = sizeof now, .state = state, .since = clock_now(CLOCK_REALTIME)};
    now.server = ctie_str_from(address);
    now.version = ctie_str_from(""); /* no function on opaque handles knows it */
    now.reason = ctie_str_from(reason);
    if (!host_enter(it)) { return; }
    it->host->connection_changed(it->host->context, &now);
    host_leave(it);
}

static void address_of(natsConnection *connection, char out[ADDRESS_MOST]) {
    char url[ADDRESS_MOST] = "";
    if (natsConnection_GetConnectedUrl(connection, url, sizeof url) != NATS_OK) { url[0] = 0; }
    const char *at = strstr(url, "://");
    at = at != NULL ? at + 3 : url;
    const char *host = strrchr(at, '@'); /* never secrets */
    snprintf(out, ADDRESS_MOST, "%s", host != NULL ? host + 1 : at);
}

static void set_reason(engine *it, const char *text) { snprintf(it->reason, sizeof it->reason, "%s", text); }

/* With the lock. */
static ctie_status status_now(const engine *it, bool needs_streams) {
    if (it->is_closing) { return CTIE_E_CLOSED; }
    if (it->state == CTIE_CONNECTION_CLOSED) { return it->refusal; }
    if (it->state != CTIE_CONNECTION_CONNECTED) { return CTIE_PENDING; }
    if (!needs_streams || it->checked == it->connections) { return CTIE_OK; }
    return it->refusal != CTIE_OK ? it->refusal : CTIE_PENDING;
}

static ctie_status wait_until(engine *it, int64_t deadline, bool needs_streams) {
    struct timespec until = {deadline / 1000000000, deadline % 1000000000};
    char reason[sizeof it->reason];
    if (getpid() != it->pid) { return CTIE_E_FORKED; }
    pthread_mutex_lock(&it->lock);
    ctie_status status = status_now(it, needs_streams);
    while (status == CTIE_PENDING && pthread_cond_timedwait(&it->changed, &it->lock, &until) == 0) {
        status = status_now(it, needs_streams);
    }
    if (status != CTIE_OK) { memcpy(reason, it->reason, sizeof reason); }
    pthread_mutex_unlock(&it->lock);
    if (status == CTIE_OK || status == CTIE_E_CLOSED) { return status; }
    if (status == CTIE_PENDING) { status = CTIE_E_UNAVAILABLE; }
    return fail(it, status, "%s", reason[0] != 0 ? reason : "the server's streams are being looked at");
}

ctie_status connection_ready(engine *it, int64_t deadline) { return wait_until(it, deadline, true); }

ctie_status connection_up(engine *it, int64_t deadline) { return wait_until(it, deadline, false); }

/* ---- What libnats says, on threads of its own ---------------------------------------------------- */

static void on_connected(natsConnection *connection, void *closure) {
    engine *it = closure;
    char address[ADDRESS_MOST];
    int64_t most = natsConnection_GetMaxPayload(connection);
    address_of(connection, address);
    pthread_mutex_lock(&it->lock);
    bool is_over = it->is_closing;
    if (!is_over) {
        if (it->connection == NULL) { it->connection = connection; }
        it->state = CTIE_CONNECTION_CONNECTED;
        it->max_payload = most;
        it->connections++;
        it->reason[0] = 0;
        it->refusal = CTIE_OK;
        pthread_cond_broadcast(&it->changed);
    }
    pthread_mutex_unlock(&it->lock);
    if (is_over) { return; }
    tell(it, address, "", CTIE_CONNECTION_CONNECTED);
    if (most > 0 && (uint64_t)most < it->max_value_size) {
        log_line(it, CTIE_LOG_WARNING, "the server takes messages up to %lld bytes; values may have up to %llu",
                 (long long)most, (unsigned long long)it->max_value_size);
    }
    if (keeper_wake(it) != CTIE_OK) { log_line(it, CTIE_LOG_ERROR, "no thread for what follows a reconnect"); }
}

static void on_disconnected(natsConnection *connection, void *closure) {
    engine *it = closure;
    (void)connection;
    pthread_mutex_lock(&it->lock);
    bool is_over = it->is_closing || it->state == CTIE_CONNECTION_CLOSED;
    if (!is_over) {
        it->state = CTIE_CONNECTION_RECONNECTING;
        set_reason(it, "the connection to the server was lost");
        pthread_cond_broadcast(&it->changed);
    }
    pthread_mutex_unlock(&it->lock);
    asking_lost(it);
    if (!is_over) { tell(it, "", "the connection to the server was lost", CTIE_CONNECTION_RECONNECTING); }
}

/* For good: libnats gives up after a refused log-in, and when the server ends the connection by an error. It is also the
   last callback of a connection that was destroyed. */
static void on_closed(natsConnection *connection, void *closure) {
    engine *it = closure;
    const char *words = NULL;
    char reason[sizeof it->reason];
    natsStatus status = natsConnection_GetLastError(connection, &words);
    bool is_refused = status == NATS_CONNECTION_AUTH_FAILED;
    snprintf(reason, sizeof reason, "%s: %s", is_refused ? "the server refused the log-in" : "the connection has ended",
             words != NULL && words[0] != 0 ? words : natsStatus_GetText(status));
    pthread_mutex_lock(&it->lock);
    bool is_over = it->is_closing;
    if (!is_over) {
        it->state = CTIE_CONNECTION_CLOSED;
        it->refusal = is_refused ? CTIE_E_DENIED : CTIE_E_UNAVAILABLE;
        set_reason(it, reason);
        pthread_cond_broadcast(&it->changed);
    }
    pthread_mutex_unlock(&it->lock);
    if (!is_over) {
        asking_lost(it);
        tell(it, "", reason, CTIE_CONNECTION_CLOSED);
        log_line(it, CTIE_LOG_ERROR, "%s", reason);
    }
    engine_release(it);
}

/* `Permissions Violation for Publish to "<subject>"`, of at most 255 bytes. */
static bool read_refused(const char *words, char subject[256], bool *is_cut) {
    const char *begin = strstr(words, "Permissions Violation for ");
    if (begin == NULL) { return false; }
    begin = strchr(begin, '"');
    if (begin == NULL) { return false; }
    size_t size = strcspn(begin + 1, "\"");
    *is_cut = begin[1 + size] == 0;
    snprintf(subject, 256, "%.*s", (int)(size < 255 ? size : 255), begin + 1);
    return size > 0;
}

static void on_error(natsConnection *connection, natsSubscription *subscription, natsStatus status, void *closure) {
    engine *it = closure;
    char subject[256];
    bool is_cut;
    const char *words = words_of_nats(status);
    (void)connection, (void)subscription;
    log_line(it, CTIE_LOG_WARNING, "the server says: %s", words);
    if (read_refused(words, subject, &is_cut)) { asking_refused(it, subject, is_cut); }
}

/* ---- Connecting ---------------------------------------------------------------------------------- */

/* A connection that is being made. libnats may wait for longer than the caller: whoever of the two is last frees it. */
typedef struct attempt {
    engine *it;
    natsOptions *options;
    int64_t deadline;
    bool is_offline;
    bool is_left; /* with the engine's lock: the caller has gone */
    bool is_done;
    natsConnection *connection;
    natsStatus status;
    char words[300];
} attempt;

static ctie_status add_callbacks(engine *it, natsOptions *options) {
    natsStatus status = natsOptions_SetDisconnectedCB(options, on_disconnected, it);
    if (status == NATS_OK) { status = natsOptions_SetReconnectedCB(options, on_connected, it); }
    if (status == NATS_OK) { status = natsOptions_SetClosedCB(options, on_closed, it); }
    if (status == NATS_OK) { status = natsOptions_SetErrorHandler(options, on_error, it); }
    if (status == NATS_OK && settings_is_offline(it->settings)) {
        status = natsOptions_SetRetryOnFailedConnect(options, true, on_connected, it);
    }
    return status == NATS_OK ? CTIE_OK : fail_nats(it, status, "the options of the connection");
}

static bool is_left(attempt *of) {
    pthread_mutex_lock(&of->it->lock);
    bool is_so = of->is_left || of->it->is_closing;
    pthread_mutex_unlock(&of->it->lock);
    return is_so;
}

static bool is_final(natsStatus status) {
    return status == NATS_OK || status == NATS_NOT_YET_CONNECTED || status_of_nats(status) != CTIE_E_UNAVAILABLE;
}

/* Without the option for it, libnats tries each server once. */
static void try_connecting(attempt *of) {
    of->status = NATS_NO_SERVER;
    do {
        of->status = natsConnection_Connect(&of->connection, of->options);
        snprintf(of->words, sizeof of->words, "%s", of->status == NATS_OK ? "" : words_of_nats(of->status));
        if (is_final(of->status)) { return; }
        clock_pause(PAUSE_MS);
    } while (!is_left(of) && deadline_left(of->deadline) > 0);
}

static void attempt_free(attempt *of) {
    engine *it = of->it;
    natsOptions_Destroy(of->options);
    free(of);
    engine_release(it);
}

static void *run_attempt(void *data) {
    attempt *of = data;
    engine *it = of->it;
    engine_retain(it); /* for the callbacks; on_closed() is the last */
    try_connecting(of);
    bool has_connection = of->status == NATS_OK || of->status == NATS_NOT_YET_CONNECTED;
    if (!has_connection) { engine_release(it); }
    pthread_mutex_lock(&it->lock);
    of->is_done = true;
    bool was_left = of->is_left;
    bool is_useless = has_connection && (it->is_closing || (was_left && !of->is_offline));
    if (has_connection && !is_useless) { it->connection = of->connection; }
    pthread_cond_broadcast(&it->changed);
    pthread_mutex_unlock(&it->lock);
    if (is_useless) {
        natsConnection_Destroy(of->connection);
    } else if (was_left && of->status == NATS_OK) {
        on_connected(of->connection, it);
    } else if (was_left && !has_connection) {
        log_line(it, CTIE_LOG_ERROR, "connecting to the server: %s", of->words);
    }
    if (was_left) { attempt_free(of); }
    return NULL;
}

static bool start_thread(void *(*run)(void *), void *data) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, data) != 0) { return false; }
    pthread_detach(thread);
    return true;
}

/* Waits for the attempt, and leaves it if it takes too long. */
static bool await_attempt(attempt *of, int64_t deadline) {
    engine *it = of->it;
    struct timespec until = {deadline / 1000000000, deadline % 1000000000};
    pthread_mutex_lock(&it->lock);
    while (!of->is_done && pthread_cond_timedwait(&it->changed, &it->lock, &until) == 0) {}
    bool is_done = of->is_done;
    of->is_left = !is_done;
    if (!is_done) { set_reason(it, "the server does not answer"); }
    pthread_mutex_unlock(&it->lock);
    return is_done;
}

static ctie_status fail_attempt(engine *it, const attempt *of) {
    ctie_status status = status_of_nats(of->status);
    const char *what = "connecting to the server";
    if (of->status == NATS_CONNECTION_AUTH_FAILED) { what = "the server refused the log-in"; }
    if (of->status == NATS_SECURE_CONNECTION_WANTED) { what = "the server has no TLS"; }
    return fail(it, status, "%s: %s", what, of->words);
}

/* The engine is connected, or will be by itself. */
static ctie_status take_attempt(engine *it, const attempt *of) {
    char address[ADDRESS_MOST] = "";
    bool is_connected = of->status == NATS_OK;
    if (of->status != NATS_OK && of->status != NATS_NOT_YET_CONNECTED) { return fail_attempt(it, of); }
    int64_t most = is_connected ? natsConnection_GetMaxPayload(of->connection) : 0;
    if (is_connected) { address_of(of->connection, address); }
    pthread_mutex_lock(&it->lock);
    if (is_connected && it->connections == 0) {
        it->state = CTIE_CONNECTION_CONNECTED;
        it->connections = 1;
        it->max_payload = most;
        it->reason[0] = 0;
    }
    is_connected = it->connections > 0;
    pthread_mutex_unlock(&it->lock);
    tell(it, address, is_connected ? "" : "the server does not answer",
         is_connected ? CTIE_CONNECTION_CONNECTED : CTIE_CONNECTION_RECONNECTING);
    return CTIE_OK;
}

ctie_status connection_open(engine *it, int64_t deadline) {
    attempt *of = calloc(1, sizeof *of);
    if (of == NULL) { return fail(it, CTIE_E_NO_MEMORY, "connecting"); }
    of->it = it, of->deadline = deadline;
    of->is_offline = settings_is_offline(it->settings);
    engine_retain(it);
    ctie_status status = settings_options(it, &of->options);
    if (status == CTIE_OK) { status = add_callbacks(it, of->options); }
    if (status == CTIE_OK && !start_thread(run_attempt, of)) { status = fail(it, CTIE_E_SYSTEM, "no thread to connect"); }
    if (status != CTIE_OK) {
        attempt_free(of);
        return status;
    }
    if (!await_attempt(of, deadline)) {
        if (!settings_is_offline(it->settings)) { return fail(it, CTIE_E_UNAVAILABLE, "the server does not answer"); }
        tell(it, "", "the server does not answer", CTIE_CONNECTION_RECONNECTING);
        return CTIE_OK;
    }
    status = take_attempt(it, of);
    attempt_free(of);
    return status;
}

/* Blocks for as long as libnats does; engine.c calls it on a thread that may be left behind. */
void connection_close(engine *it) {
    pthread_mutex_lock(&it->lock);
    natsConnection *connection = it->connection;
    it->connection = NULL;
    pthread_mutex_unlock(&it->lock);
    natsConnection_Destroy(connection);
}

/* ---- Subscriptions ------------------------------------------------------------------------------- */

static void on_complete(void *closure) { engine_release(closure); }

ctie_status connection_subscribe(engine *it, const char *subject, natsMsgHandler handler, void *closure,
                                 natsSubscription **out) {
    engine_retain(it);
    natsStatus status = natsConnection_Subscribe(out, it->connection, subject, handler, closure);
    if (status != NATS_OK) {
        engine_release(it);
        *out = NULL;
        return fail_nats(it, status, "subscribing");
    }
    if (natsSubscription_SetOnCompleteCB(*out, on_complete, it) != NATS_OK) { engine_release(it); /* it has ended */ }
    natsSubscription_SetPendingLimits(*out, -1, -1);
    return CTIE_OK;
}
