/* A thread of the engine that begins with the first reconnect, or with an offline member. After each one it
   looks at the streams, and has bindings and presence go on. */
#include "problem.h"

#include <stdio.h>
#include <stdlib.h>

enum { PATIENCE_MS = 5000, PAUSE_MS = 100, LONG_PAUSE_MS = 1000 };

struct keeper {
    pthread_t thread;
    bool is_running;
    bool has_inbox, has_presence; /* an offline member leaves these to it */
};

keeper *keeper_new(void) { return calloc(1, sizeof(keeper)); }

/* With the engine's lock. */
static bool has_work(const engine *it) {
    return it->state == CTIE_CONNECTION_CONNECTED && (it->checked != it->connections || it->has_new_epoch);
}

static void rest(engine *it, int64_t ms, uint64_t connections) {
    int64_t until = deadline_after(ms);
    struct timespec end = {until / 1000000000, until % 1000000000};
    pthread_mutex_lock(&it->lock);
    while (!it->is_closing && it->connections == connections) {
        if (pthread_cond_timedwait(&it->changed, &it->lock, &end) != 0) { break; }
    }
    pthread_mutex_unlock(&it->lock);
}

static ctie_status look(engine *it) {
    int64_t deadline = deadline_after(PATIENCE_MS);
    bool is_new = false;
    ctie_status status = CTIE_OK;
    if (!it->keeper->has_inbox) { status = asking_open(it); }
    if (status != CTIE_OK) { return status; }
    it->keeper->has_inbox = true;
    return streams_check(it, deadline, &is_new);
}

static void go_on(engine *it, bool is_new_epoch) {
    if (!it->keeper->has_presence) {
        it->keeper->has_presence = presence_open(it, deadline_after(PATIENCE_MS)) == CTIE_OK;
    } else {
        presence_reconnected(it);
    }
    joins_reconnected(it);
    bindings_reconnected(it, is_new_epoch);
}

/* The group cannot be used for now: the functions of the engine say why, and this tries again. */
static void note_failure(engine *it, ctie_status status, uint64_t connections) {
    bool is_lasting = status != CTIE_E_UNAVAILABLE && status != CTIE_E_TIMEOUT && status != CTIE_E_CLOSED;
    bool is_news = false;
    if (is_lasting) {
        pthread_mutex_lock(&it->lock);
        if (it->connections == connections && it->state == CTIE_CONNECTION_CONNECTED) {
            is_news = it->refusal != status;
            it->refusal = status;
            snprintf(it->reason, sizeof it->reason, "%.*s", (int)sizeof it->reason - 1, last_problem());
            pthread_cond_broadcast(&it->changed);
        }
        pthread_mutex_unlock(&it->lock);
    }
    if (is_news) { log_line(it, CTIE_LOG_ERROR, "after a reconnect: %s", last_problem()); }
    rest(it, is_lasting ? LONG_PAUSE_MS : PAUSE_MS, connections);
}

static void work(engine *it, uint64_t connections) {
    ctie_status status = look(it);
    if (status != CTIE_OK) {
        note_failure(it, status, connections);
        return;
    }
    pthread_mutex_lock(&it->lock);
    bool is_still = it->connections == connections, is_new_epoch = is_still && it->has_new_epoch;
    if (is_still) {
        it->checked = connections;
        it->refusal = CTIE_OK;
        it->reason[0] = 0;
        it->has_new_epoch = false;
        pthread_cond_broadcast(&it->changed);
    }
    pthread_mutex_unlock(&it->lock);
    if (is_still) { go_on(it, is_new_epoch); }
}

static void *run(void *data) {
    engine *it = data;
    pthread_mutex_lock(&it->lock);
    while (!it->is_closing) {
        if (!has_work(it)) {
            pthread_cond_wait(&it->changed, &it->lock);
            continue;
        }
        uint64_t connections = it->connections;
        pthread_mutex_unlock(&it->lock);
        work(it, connections);
        pthread_mutex_lock(&it->lock);
    }
    pthread_mutex_unlock(&it->lock);
    return NULL;
}

ctie_status keeper_wake(engine *it) {
    keeper *one = it->keeper;
    pthread_mutex_lock(&it->lock);
    if (!one->is_running && !it->is_closing) { one->is_running = pthread_create(&one->thread, NULL, run, it) == 0; }
    bool is_running = one->is_running || it->is_closing;
    pthread_cond_broadcast(&it->changed);
    pthread_mutex_unlock(&it->lock);
    return is_running ? CTIE_OK : CTIE_E_SYSTEM;
}

void keeper_end(engine *it) {
    pthread_mutex_lock(&it->lock);
    bool is_running = it->keeper->is_running;
    it->keeper->is_running = false;
    pthread_mutex_unlock(&it->lock);
    if (is_running) { pthread_join(it->keeper->thread, NULL); }
}

void keeper_has_opened(engine *it) { it->keeper->has_inbox = it->keeper->has_presence = true; }
