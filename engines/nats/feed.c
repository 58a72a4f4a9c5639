/* The thread of the bindings of one engine: it serves each binding that is due, and sends the orders. */
#include "claims.h"

#include <errno.h>
#include <stdlib.h>

bool feed_is_connected(engine *it) {
    pthread_mutex_lock(&it->lock);
    bool is = it->state == CTIE_CONNECTION_CONNECTED && it->checked == it->connections && !it->is_closing;
    pthread_mutex_unlock(&it->lock);
    return is;
}

/* With the lock of `all`: a binding that is due, moved to the end of the list; else when the next one is. */
static binding *take_due(bindings *all, int64_t now, int64_t *next) {
    for (binding **at = &all->first; *at != NULL; at = &(*at)->next) {
        binding *it = *at;
        if (!it->is_bound) { continue; }
        if (!it->is_woken && it->due > now && !all->is_over) {
            if (it->due < *next) { *next = it->due; }
            continue;
        }
        binding **last = at;
        *at = it->next;
        while (*last != NULL) { last = &(*last)->next; }
        *last = it, it->next = NULL;
        it->is_woken = false;
        return it;
    }
    return NULL;
}

static void remove_binding(bindings *all, binding *it) {
    binding **at = &all->first;
    while (*at != NULL && *at != it) { at = &(*at)->next; }
    if (*at != NULL) { *at = it->next; }
}

/* With the lock. */
static void wait_until(bindings *all, int64_t time) {
    if (time == INT64_MAX) {
        pthread_cond_wait(&all->changed, &all->lock);
        return;
    }
    struct timespec until = {time / 1000000000, time % 1000000000};
    pthread_cond_timedwait(&all->changed, &all->lock, &until);
}

static void serve_and_keep(bindings *all, binding *it) {
    int64_t due = serve(it);
    pthread_mutex_lock(&all->lock);
    it->due = due;
    if (due == 0) { remove_binding(all, it); }
    pthread_mutex_unlock(&all->lock);
    if (due == 0) { binding_release(it); }
}

static void end_binding(binding *it) {
    pthread_mutex_lock(&it->lock);
    it->is_ended = true;
    pthread_mutex_unlock(&it->lock);
}

static void *run(void *data) {
    bindings *all = data;
    for (bool goes_on = true; goes_on;) {
        int64_t now = clock_now(CLOCK_MONOTONIC), next = acks_repeat(all->acks, now, false);
        pthread_mutex_lock(&all->lock);
        bool is_over = all->is_over, has_orders = all->orders != NULL;
        binding *it = take_due(all, now, &next);
        goes_on = it != NULL || has_orders || !is_over;
        if (it == NULL && !has_orders && !is_over) { wait_until(all, next); }
        pthread_mutex_unlock(&all->lock);
        if (it != NULL && is_over) { end_binding(it); }
        if (it != NULL) { serve_and_keep(all, it); }
        orders_send_all(all);
    }
    return NULL;
}

ctie_status feed_start(bindings *all) {
    ctie_status status = CTIE_OK;
    pthread_mutex_lock(&all->lock);
    if (!all->has_thread) {
        all->has_thread = pthread_create(&all->thread, NULL, run, all) == 0;
        if (!all->has_thread) { status = CTIE_E_SYSTEM; }
    }
    pthread_mutex_unlock(&all->lock);
    return status;
}

void feed_stop(bindings *all) {
    pthread_mutex_lock(&all->lock);
    all->is_over = true;
    pthread_cond_broadcast(&all->changed);
    pthread_mutex_unlock(&all->lock);
    if (all->has_thread) { pthread_join(all->thread, NULL); }
    if (all->acks != NULL) { acks_close(all->acks); }
    pthread_mutex_lock(&all->lock);
    struct timespec until;
    int64_t most = deadline_after(CLOSING_MS);
    until.tv_sec = most / 1000000000, until.tv_nsec = most % 1000000000;
    while (all->live > 0 && pthread_cond_timedwait(&all->changed, &all->lock, &until) != ETIMEDOUT) {}
    pthread_mutex_unlock(&all->lock);
}

/* The consumers of states and queues begin again behind the last message; durable consumers are still there, unless the
   server has lost everything. */
static void reconnect(binding *it, bool is_new_epoch) {
    pthread_mutex_lock(&it->lock);
    if (is_new_epoch) { it->is_lost = true; }
    pull_forget_all(it);
    again_forget(it);
    bool is_again = !it->is_first && it->phase != IS_FORGOTTEN;
    it->has_to_look = it->delivery == CTIE_ENGINE_DURABLE;
    it->has_notice = false;
    it->look_at = it->missing_since = 0;
    if (is_again && (is_new_epoch || it->delivery != CTIE_ENGINE_DURABLE)) { flow_restart(it); }
    if (it->is_first) { it->round++; }
    pthread_mutex_unlock(&it->lock);
    binding_wake(it);
}

void bindings_reconnected(engine *it, bool is_new_epoch) {
    bindings *all = it->bindings;
    size_t count;
    if (is_new_epoch) {
        pthread_mutex_lock(&all->lock);
        all->last_everything.in_stream = 0;
        pthread_mutex_unlock(&all->lock);
        acks_reset(all->acks);
    }
    binding **list = bindings_list(all, &count);
    for (size_t i = 0; i < count; i++) { reconnect(list[i], is_new_epoch); }
    bindings_release(list, count);
    acks_repeat(all->acks, clock_now(CLOCK_MONOTONIC), true);
}
