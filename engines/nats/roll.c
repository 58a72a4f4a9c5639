#include "presence.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    PATIENCE_MS = 30,  /* then those that have not answered are asked one by one: nobody there is known at once */
    SILENCE_MS = 300,  /* then those that have not answered are stopped, and counted as there */
    WATCH_MS = 1000,
};

/* Whether all that answered the hello are known. */
static bool has_found_all(const presence *it) {
    if (it->announced > 0 && it->count + 1 >= it->announced) { return true; }
    return deadline_left(it->found_by) == 0;
}

/* Waits with the lock until nobody is missing, or a time. */
static bool wait_for(presence *it, const roll_call *call, int64_t until, int64_t deadline) {
    for (;;) {
        bool is_complete = call->missing == 0 && has_found_all(it);
        int64_t end = call->missing == 0 ? it->found_by : until;
        if (end > deadline) { end = deadline; }
        if (is_complete || it->is_over || clock_now(CLOCK_MONOTONIC) >= end) { return is_complete; }
        struct timespec at = {end / 1000000000, end % 1000000000};
        pthread_cond_timedwait(&it->changed, &it->lock, &at);
    }
}

/* Nobody is on the subject of a member that has died: the server says so at once, on a subject that names it. */
static void ask_each(presence *it, uint64_t call) {
    size_t count = 0;
    pthread_mutex_lock(&it->lock);
    member *missing = members_copy(it, call, &count);
    pthread_mutex_unlock(&it->lock);
    for (size_t i = 0; i < count; i++) {
        char subject[SUBJECT_MOST + MEMBER_ID], reply[PRESENCE_INBOX_MOST + 64];
        snprintf(subject, sizeof subject, "%s.%s", it->of->names.presence, missing[i].id);
        snprintf(reply, sizeof reply, "%s%llu.%s", it->inbox, (unsigned long long)call, missing[i].id);
        presence_say(it, subject, "ask", reply);
    }
    free(missing);
}

void roll_all(presence *it, int64_t deadline) {
    char reply[PRESENCE_INBOX_MOST + 32];
    int64_t silence = deadline_after(SILENCE_MS), patience = deadline_after(PATIENCE_MS);
    pthread_mutex_lock(&it->lock);
    roll_call call = {it->calls, ++it->last_call, it->count};
    it->calls = &call;
    pthread_mutex_unlock(&it->lock);
    snprintf(reply, sizeof reply, "%s%llu", it->inbox, (unsigned long long)call.number);
    presence_say(it, it->of->names.presence, "ask", reply);
    pthread_mutex_lock(&it->lock);
    bool is_complete = wait_for(it, &call, patience, deadline);
    bool has_missing = call.missing > 0;
    pthread_mutex_unlock(&it->lock);
    if (!is_complete && has_missing) { ask_each(it, call.number); }
    pthread_mutex_lock(&it->lock);
    wait_for(it, &call, silence, deadline);
    roll_call **at = &it->calls;
    while (*at != &call) { at = &(*at)->next; }
    *at = call.next;
    pthread_mutex_unlock(&it->lock);
}

/* ---- The watcher ----------------------------------------------------------------------------------- */

static bool is_connected(engine *it) {
    pthread_mutex_lock(&it->lock);
    bool is_so = it->state == CTIE_CONNECTION_CONNECTED;
    pthread_mutex_unlock(&it->lock);
    return is_so;
}

static void *watch(void *context) {
    presence *it = context;
    pthread_mutex_lock(&it->lock);
    while (!it->is_over) {
        int64_t end = deadline_after(WATCH_MS);
        struct timespec at = {end / 1000000000, end % 1000000000};
        while (!it->is_over && pthread_cond_timedwait(&it->changed, &it->lock, &at) == 0) {}
        if (it->is_over) { break; }
        pthread_mutex_unlock(&it->lock);
        if (is_connected(it->of)) { roll_all(it, deadline_after(SILENCE_MS)); }
        pthread_mutex_lock(&it->lock);
    }
    pthread_mutex_unlock(&it->lock);
    return NULL;
}

/* Without memory for a thread nobody watches: a death is then seen when the host asks for the members. */
void roll_watch(presence *it) {
    sigset_t all, before;
    pthread_mutex_lock(&it->lock);
    if (!it->has_watcher && !it->is_over) {
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        it->has_watcher = pthread_create(&it->watcher, NULL, watch, it) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    pthread_mutex_unlock(&it->lock);
}

void roll_end(presence *it) {
    pthread_mutex_lock(&it->lock);
    it->is_over = true;
    bool has_watcher = it->has_watcher;
    it->has_watcher = false;
    pthread_cond_broadcast(&it->changed);
    pthread_mutex_unlock(&it->lock);
    if (has_watcher) { pthread_join(it->watcher, NULL); }
}
