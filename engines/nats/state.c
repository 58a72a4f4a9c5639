/* The state of the connection, and waiting for one that can be used. */
#include "connection.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

void connection_report(engine *it) {
    char server[SERVER_MOST], reason[sizeof it->reason];
    ctie_engine_connection now = {.size = sizeof now};
    pthread_mutex_lock(&it->reporting);
    pthread_mutex_lock(&it->lock);
    now.state = it->state, now.since = it->state_since;
    snprintf(server, sizeof server, "%s", it->server);
    snprintf(reason, sizeof reason, "%s", now.state == CTIE_CONNECTION_CONNECTED ? "" : it->reason);
    pthread_mutex_unlock(&it->lock);
    now.server = ctie_str_from(server), now.reason = ctie_str_from(reason);
    now.version = ctie_str_from(""); /* no function on opaque handles knows it */
    if (host_enter(it)) {
        it->host->connection_changed(it->host->context, &now);
        host_leave(it);
    }
    pthread_mutex_unlock(&it->reporting);
}

void connection_set_state(engine *it, int32_t state, const char *reason) {
    it->state = state, it->state_since = clock_now(CLOCK_REALTIME);
    snprintf(it->reason, sizeof it->reason, "%s", reason);
    if (state != CTIE_CONNECTION_CONNECTED) { it->server[0] = 0; }
    pthread_cond_broadcast(&it->changed);
}

void connection_set(engine *it, const char *server, int64_t max_payload) {
    connection_set_state(it, CTIE_CONNECTION_CONNECTED, "");
    snprintf(it->server, sizeof it->server, "%s", server);
    it->max_payload = max_payload;
    it->refusal = CTIE_OK;
    it->connections++;
}

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
