/* The connection to the server. libnats reconnects by itself, and says so on threads of its own. */
#include "connection.h"
#include "problem.h"

#include <stdio.h>
#include <string.h>

void connection_address(natsConnection *connection, char out[SERVER_MOST]) {
    char url[SERVER_MOST] = "";
    if (natsConnection_GetConnectedUrl(connection, url, sizeof url) != NATS_OK) { url[0] = 0; }
    const char *at = strstr(url, "://");
    at = at != NULL ? at + 3 : url;
    const char *host = strrchr(at, '@'); /* never secrets */
    snprintf(out, SERVER_MOST, "%s", host != NULL ? host + 1 : at);
}

/* ---- What libnats says, on threads of its own ---------------------------------------------------- */

void connection_made(natsConnection *connection, void *closure) {
    engine *it = closure;
    char address[SERVER_MOST];
    int64_t most = natsConnection_GetMaxPayload(connection);
    connection_address(connection, address);
    pthread_mutex_lock(&it->lock);
    bool is_over = it->is_closing;
    if (!is_over) {
        if (it->connection == NULL) { it->connection = connection; }
        connection_set(it, address, most);
    }
    pthread_mutex_unlock(&it->lock);
    if (is_over) { return; }
    connection_report(it);
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
    if (!is_over) { connection_set_state(it, CTIE_CONNECTION_RECONNECTING, "the connection to the server was lost"); }
    pthread_mutex_unlock(&it->lock);
    asking_lost(it);
    joins_lost(it);
    if (!is_over) { connection_report(it); }
}

void connection_ended(engine *it, ctie_status status, const char *reason) {
    pthread_mutex_lock(&it->lock);
    bool is_over = it->is_closing;
    if (!is_over) {
        connection_set_state(it, CTIE_CONNECTION_CLOSED, reason);
        it->refusal = status;
    }
    pthread_mutex_unlock(&it->lock);
    if (is_over) { return; }
    asking_lost(it);
    joins_lost(it);
    connection_report(it);
    log_line(it, CTIE_LOG_ERROR, "%s", reason);
}

/* For good: libnats gives up after a refused log-in, and when the server ends the connection by an error. It is also
   the last callback of a connection that was destroyed. */
static void on_closed(natsConnection *connection, void *closure) {
    engine *it = closure;
    const char *words = NULL;
    char reason[sizeof it->reason];
    natsStatus status = natsConnection_GetLastError(connection, &words);
    bool is_refused = status == NATS_CONNECTION_AUTH_FAILED;
    snprintf(reason, sizeof reason, "%s: %s", is_refused ? "the server refused the log-in" : "the connection has ended",
             words != NULL && words[0] != 0 ? words : natsStatus_GetText(status));
    connection_ended(it, is_refused ? CTIE_E_DENIED : CTIE_E_UNAVAILABLE, reason);
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

ctie_status connection_callbacks(engine *it, natsOptions *options) {
    natsStatus status = natsOptions_SetDisconnectedCB(options, on_disconnected, it);
    if (status == NATS_OK) { status = natsOptions_SetReconnectedCB(options, connection_made, it); }
    if (status == NATS_OK) { status = natsOptions_SetClosedCB(options, on_closed, it); }
    if (status == NATS_OK) { status = natsOptions_SetErrorHandler(options, on_error, it); }
    return status == NATS_OK ? CTIE_OK : fail_nats(it, status, "the options of the connection");
}

/* ---- Closing ----------------------------------------------------------------------------------------- */

/* Blocks for as long as libnats does; engine.c calls it on a thread that may be left behind. */
void connection_close(engine *it) {
    pthread_mutex_lock(&it->lock);
    natsConnection *connection = it->connection;
    it->connection = NULL;
    pthread_mutex_unlock(&it->lock);
    natsConnection_Destroy(connection);
    retired_clear(it->retired);
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
