/* The memory of a member, which threads of libnats share, and its host. */
#include "outbox.h"

#include <stdlib.h>
#include <unistd.h>

/* ---- The host ------------------------------------------------------------------------------------ */

/* The host's functions never wait, so that a reader's lock around them is short. */
bool host_enter(engine *it) {
    pthread_rwlock_rdlock(&it->host_lock);
    if (it->host != NULL && !it->is_host_released) { return true; }
    pthread_rwlock_unlock(&it->host_lock);
    return false;
}

void host_leave(engine *it) { pthread_rwlock_unlock(&it->host_lock); }

void host_release(engine *it) {
    pthread_rwlock_wrlock(&it->host_lock);
    it->is_host_released = true;
    pthread_rwlock_unlock(&it->host_lock);
}

/* ---- Memory -------------------------------------------------------------------------------------- */

void engine_retain(engine *it) {
    pthread_mutex_lock(&it->lock);
    it->users++;
    pthread_mutex_unlock(&it->lock);
}

static void engine_free(engine *it) {
    presence_free(it->presence);
    bindings_free(it->bindings);
    joins_free(it->joins);
    asking_free(it);
    recent_free(it->recent);
    free(it->keeper);
    outbox_free(it->outbox);
    retired_free(it->retired);
    settings_free(it->settings);
    pthread_rwlock_destroy(&it->host_lock);
    pthread_mutex_destroy(&it->reporting);
    pthread_mutex_destroy(&it->lock);
    pthread_cond_destroy(&it->changed);
    free(it);
}

void engine_release(engine *it) {
    pthread_mutex_lock(&it->lock);
    bool is_last = --it->users == 0;
    pthread_cond_broadcast(&it->changed);
    pthread_mutex_unlock(&it->lock);
    if (is_last) { engine_free(it); }
}

static void init_locks(engine *it) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&it->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&it->lock, NULL);
    pthread_mutex_init(&it->reporting, NULL);
    pthread_rwlock_init(&it->host_lock, NULL);
}

ctie_status engine_new(const ctie_engine_server *server, void **out) {
    *out = NULL;
    if (server->size < sizeof *server) { return CTIE_E_ABI; }
    engine *it = calloc(1, sizeof *it);
    if (it == NULL) { return CTIE_E_NO_MEMORY; }
    init_locks(it);
    it->pid = getpid();
    it->users = 1;
    it->state = CTIE_CONNECTION_RECONNECTING;
    it->settings = settings_copy(server);
    it->recent = recent_new();
    it->keeper = keeper_new();
    it->outbox = outbox_new();
    it->retired = retired_new();
    bool is_whole = it->settings != NULL && it->recent != NULL && it->keeper != NULL && it->outbox != NULL;
    if (!is_whole || it->retired == NULL) {
        engine_release(it);
        return CTIE_E_NO_MEMORY;
    }
    *out = it;
    return CTIE_OK;
}
