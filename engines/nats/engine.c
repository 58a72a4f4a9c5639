/* A member: its begin and its end. */
#include "outbox.h"
#include "problem.h"
#include "text.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { CLOSING_MS = 450, OUTCOMES_MS = 200 };

/* ---- Opening ------------------------------------------------------------------------------------- */

static bool name_member(engine *it) {
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) { return false; }
    for (size_t i = 0; i < sizeof bytes; i++) {
        it->self.member[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
        it->self.member[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
    }
    return true;
}

static ctie_status check_room(engine *it) {
    if (it->max_payload <= 0 || (uint64_t)it->max_payload >= it->max_value_size) { return CTIE_OK; }
    return fail(it, CTIE_E_LIMIT, "the server takes messages up to %lld bytes, and max_value_size is %llu",
                (long long)it->max_payload, (unsigned long long)it->max_value_size);
}

/* The part of opening that needs the server. Without it, the keeper does the same later. */
static ctie_status open_connected(engine *it, int64_t deadline) {
    ctie_status status = check_room(it);
    if (status == CTIE_OK) { status = asking_open(it); }
    /* The server has the hello when it answers a request for the streams, so that others know this member by then. */
    if (status == CTIE_OK) { status = presence_open(it, deadline); }
    if (status == CTIE_OK) { status = streams_open(it, deadline); }
    if (status != CTIE_OK) { return status == CTIE_E_TIMEOUT ? CTIE_E_UNAVAILABLE : status; }
    keeper_has_opened(it);
    pthread_mutex_lock(&it->lock);
    it->checked = 1; /* the first connection; if there was another meanwhile, the keeper looks again */
    pthread_cond_broadcast(&it->changed);
    pthread_mutex_unlock(&it->lock);
    return CTIE_OK;
}

static ctie_status make_parts(engine *it) {
    it->presence = presence_new(it);
    it->bindings = bindings_new(it);
    it->joins = joins_new(it);
    bool is_made = it->presence != NULL && it->bindings != NULL && it->joins != NULL && name_member(it);
    return is_made ? asking_new(it) : fail(it, CTIE_E_NO_MEMORY, "an engine over a server");
}

/* The threads of libnats are in the process that first used it. A child has none of them. */
static bool is_first_user(pid_t pid) {
    static _Atomic pid_t first;
    pid_t found = 0;
    return atomic_compare_exchange_strong(&first, &found, pid) || found == pid;
}

static ctie_status open_parts(engine *it, int64_t deadline) {
    ctie_status status = make_parts(it);
    if (status == CTIE_OK) { status = connection_open(it, deadline); }
    if (status != CTIE_OK) { return status; }
    pthread_mutex_lock(&it->lock);
    bool is_connected = it->connections > 0;
    pthread_mutex_unlock(&it->lock);
    status = is_connected ? open_connected(it, deadline) : CTIE_OK;
    bool can_wait = settings_is_offline(it->settings) && status == CTIE_E_UNAVAILABLE;
    return can_wait ? keeper_wake(it) : status;
}

static ctie_status engine_open(void *data, ctie_str group, const ctie_engine_host *host, uint32_t *abilities,
                               int64_t timeout_ms) {
    engine *it = data;
    int64_t deadline = deadline_after(timeout_ms);
    if (getpid() != it->pid) { return CTIE_E_FORKED; }
    it->host = host;
    it->max_value_size = host->max_value_size;
    it->since = it->state_since = clock_now(CLOCK_REALTIME);
    names_of_group(&it->names, group);
    text_copy(it->self.name, sizeof it->self.name, host->name);
    it->self.pid = it->pid;
    *abilities = CTIE_ENGINE_TOKENS;
    if (!is_first_user(it->pid)) { return fail(it, CTIE_E_FORKED, "the parent process has used NATS before the fork"); }
    ctie_status status = open_parts(it, deadline);
    it->is_open = status == CTIE_OK;
    return status;
}

/* ---- Closing ------------------------------------------------------------------------------------- */

/* Everything that may wait for the server or for libnats. */
static void *take_down(void *data) {
    engine *it = data;
    joins_close(it);
    presence_close(it);
    asking_close(it);
    keeper_end(it);
    bindings_end(it->bindings);
    outbox_end(it);
    connection_close(it);
    engine_release(it);
    return NULL;
}

static void await_end(engine *it, int64_t deadline) {
    struct timespec until = {deadline / 1000000000, deadline % 1000000000};
    pthread_mutex_lock(&it->lock);
    while (it->users > 1 && pthread_cond_timedwait(&it->changed, &it->lock, &until) == 0) {}
    pthread_mutex_unlock(&it->lock);
}

static void engine_close(void *data) {
    engine *it = data;
    int64_t deadline = deadline_after(it->is_open ? CLOSING_MS : 0); /* the caller of a failed opening has no time left */
    pthread_t thread;
    if (getpid() == it->pid && it->is_open) { bindings_conclude(it, deadline_after(OUTCOMES_MS)); }
    if (getpid() != it->pid) { return; } /* libnats's threads are in the parent; so is what this has on the server */
    pthread_mutex_lock(&it->lock);
    it->is_closing = true;
    pthread_cond_broadcast(&it->changed);
    pthread_mutex_unlock(&it->lock);
    engine_retain(it);
    if (pthread_create(&thread, NULL, take_down, it) == 0) {
        pthread_detach(thread);
        await_end(it, deadline);
    } else {
        take_down(it);
    }
    host_release(it);
    engine_release(it);
}

const ctie_engine ENGINE_OF_NATS = {
    .size = sizeof(ctie_engine),
    .open = engine_open,
    .send = engine_send,
    .current = engine_current,
    .identifiers = engine_identifiers,
    .bind = engine_bind,
    .credit = engine_credit,
    .resolve = engine_resolve,
    .unbind = engine_unbind,
    .members = engine_members,
    .close = engine_close,
    .forget = engine_forget,
    .durables = engine_durables,
    .seek = engine_seek,
    .declare = engine_declare,
    .join = engine_join,
    .send_frame = engine_send_frame,
    .disconnect = engine_disconnect,
    .leave = engine_leave,
    .send_each = engine_send_each,
    .dead_letters = engine_dead_letters,
    .end_dead_letters = engine_end_dead_letters,
};
