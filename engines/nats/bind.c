/* The functions of the engine for bindings, and their list. */
#include "deeds.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ENDING_MS = 50 };

bindings *bindings_new(engine *it) {
    bindings *all = calloc(1, sizeof *all);
    if (all == NULL) { return NULL; }
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    all->engine = it;
    all->orders_end = &all->orders;
    pthread_mutex_init(&all->lock, NULL);
    pthread_cond_init(&all->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    all->acks = acks_new(all);
    all->deeds = deeds_new();
    if (all->acks != NULL && all->deeds != NULL) { return all; }
    bindings_free(all);
    return NULL;
}

void bindings_end(bindings *all) {
    if (all == NULL) { return; }
    deeds_end(all);
    feed_stop(all);
}

void bindings_free(bindings *all) {
    if (all == NULL) { return; }
    pthread_mutex_lock(&all->lock);
    bool is_used = all->live > 0; /* libnats may still call an inbox: what it needs stays */
    pthread_mutex_unlock(&all->lock);
    if (is_used) { return; }
    acks_free(all->acks);
    deeds_free(all->deeds);
    pthread_cond_destroy(&all->changed);
    pthread_mutex_destroy(&all->lock);
    free(all);
}

void binding_enter(bindings *all, binding *it) {
    pthread_mutex_lock(&all->lock);
    binding **end = &all->first;
    while (*end != NULL) { end = &(*end)->next; }
    *end = binding_retain(it);
    pthread_mutex_unlock(&all->lock);
}

void binding_wake(binding *it) {
    pthread_mutex_lock(&it->of->lock);
    it->is_woken = true;
    pthread_cond_signal(&it->of->changed);
    pthread_mutex_unlock(&it->of->lock);
}

binding *binding_find(bindings *all, uint64_t number) {
    pthread_mutex_lock(&all->lock);
    binding *it = all->first;
    while (it != NULL && (it->number != number || it->delivery == DELIVERED_TO_ALL)) { it = it->next; }
    if (it != NULL) { binding_retain(it); }
    pthread_mutex_unlock(&all->lock);
    return it;
}

static void binding_end(binding *it) {
    pthread_mutex_lock(&it->lock);
    it->is_ended = true;
    claims_leave(it);
    stored_values_free(&it->stored);
    memset(&it->stored, 0, sizeof it->stored);
    pthread_mutex_unlock(&it->lock);
    pthread_mutex_lock(&it->of->lock);
    it->is_bound = true; /* the thread takes it out of the list */
    pthread_mutex_unlock(&it->of->lock);
    binding_wake(it);
}

ctie_status binding_begin(binding *it, int64_t deadline) {
    ctie_status status = binding_open_inbox(it);
    if (status != CTIE_OK) { return status; }
    /* From here on the thread ends it. */
    binding_enter(it->of, it);
    status = consumer_make(it, deadline);
    if (status != CTIE_OK) {
        binding_end(it);
        return status;
    }
    pthread_mutex_lock(&it->of->lock);
    it->is_bound = true;
    pthread_mutex_unlock(&it->of->lock);
    binding_wake(it);
    return CTIE_OK;
}

ctie_status engine_bind(void *data, uint64_t number, const ctie_engine_binding *how, int64_t timeout_ms) {
    engine *it = data;
    int64_t deadline = deadline_after(timeout_ms);
    if (getpid() != it->pid) { return CTIE_E_FORKED; }
    if (how->delivery > CTIE_ENGINE_DURABLE || how->topic.size >= TOPIC_MOST || how->name.size >= DURABLE_NAME_MOST) {
        return CTIE_E_UNSUPPORTED;
    }
    ctie_status status = connection_ready(it, deadline);
    if (status == CTIE_OK) { status = feed_start(it->bindings); }
    if (status == CTIE_OK && how->delivery == CTIE_ENGINE_DURABLE) { status = acks_open(it->bindings->acks); }
    if (status == CTIE_OK) { status = everything_watch(it->bindings, deadline); }
    if (status != CTIE_OK) { return status; }
    binding *fresh = binding_new(it->bindings, number, how);
    if (fresh == NULL) { return CTIE_E_NO_MEMORY; }
    status = binding_begin(fresh, deadline);
    binding_release(fresh);
    return status;
}

void engine_credit(void *data, uint64_t number, uint32_t count) {
    engine *it = data;
    binding *found = getpid() == it->pid ? binding_find(it->bindings, number) : NULL;
    if (found == NULL) { return; }
    pthread_mutex_lock(&found->lock);
    found->credit = count < UINT32_MAX - found->credit ? found->credit + count : UINT32_MAX;
    pthread_mutex_unlock(&found->lock);
    binding_wake(found);
    binding_release(found);
}

void engine_resolve(void *data, uint64_t number, const ctie_engine_answer *answers, size_t count) {
    engine *it = data;
    binding *found = getpid() == it->pid ? binding_find(it->bindings, number) : NULL;
    if (found == NULL) { return; }
    pthread_mutex_lock(&found->lock);
    for (size_t i = 0; i < count; i++) { claim_answer(found, ctie_engine_answer_at(answers, i)); }
    pthread_mutex_unlock(&found->lock);
    binding_wake(found);
    binding_release(found);
}

/* A message that is sent after this does not go to the old listener first, unless the thread has much else to do. */
static void await_end(binding *it, int64_t most_ms) {
    for (int64_t end = deadline_after(most_ms); !atomic_load(&it->is_unsubscribed) && deadline_left(end) > 0;) {
        clock_pause(1);
    }
}

ctie_status engine_unbind(void *data, uint64_t number, int64_t timeout_ms) {
    engine *it = data;
    if (getpid() != it->pid) { return CTIE_E_FORKED; }
    binding *found = binding_find(it->bindings, number);
    if (found == NULL) { return CTIE_E_NOT_FOUND; }
    binding_end(found);
    pthread_mutex_lock(&it->bindings->lock);
    found->number = 0; /* the library never gives it again */
    pthread_mutex_unlock(&it->bindings->lock);
    await_end(found, timeout_ms < ENDING_MS ? timeout_ms : ENDING_MS);
    binding_release(found);
    return CTIE_OK;
}
