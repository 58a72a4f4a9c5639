/* A join: its memory, and how it finds the others. */
#include "joins.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

enum { FINDING_MS = 1000 }; /* by then the other joins have answered, unless they are stopped */

/* ---- Memory -------------------------------------------------------------------------------------- */

static join *join_new(engine *it, uint64_t number, uint64_t max_frame_size) {
    unsigned char bytes[(ADDRESS - 1) / 2];
    join *made = calloc(1, sizeof *made);
    if (made == NULL || getrandom(bytes, sizeof bytes, 0) != sizeof bytes) {
        free(made);
        return NULL;
    }
    for (size_t i = 0; i < sizeof bytes; i++) { snprintf(made->address + 2 * i, 3, "%02x", bytes[i]); }
    made->of = it, made->number = number, made->max_frame_size = max_frame_size;
    made->users = 1, made->session = 1;
    made->kept_end = &made->kept;
    engine_retain(it);
    return made;
}

void join_release(join *it) {
    engine *of = it->of;
    pthread_mutex_lock(&of->joins->lock);
    bool is_last = --it->users == 0;
    pthread_mutex_unlock(&of->joins->lock);
    if (!is_last) { return; }
    free(it);
    engine_release(of);
}

/* libnats's last call for a subscription. */
static void on_complete(void *closure) { join_release(closure); }

static ctie_status subscribe(join *it, const char *subject, natsSubscription **out) {
    pthread_mutex_lock(&it->of->joins->lock);
    it->users++;
    pthread_mutex_unlock(&it->of->joins->lock);
    natsStatus status = natsConnection_Subscribe(out, it->of->connection, subject, join_receive, it);
    if (status != NATS_OK) {
        *out = NULL;
        join_release(it);
        return fail_nats(it->of, status, "subscribing");
    }
    if (natsSubscription_SetOnCompleteCB(*out, on_complete, it) != NATS_OK) { join_release(it); /* it has ended */ }
    natsSubscription_SetPendingLimits(*out, -1, -1);
    return CTIE_OK;
}

static ctie_status subscribe_to_own(join *it) {
    char subject[JOIN_SUBJECT];
    snprintf(subject, sizeof subject, "%s.%s.*", it->of->names.joins, it->address);
    return subscribe(it, subject, &it->subscriptions[0]);
}

static ctie_status subscribe_to_all(join *it) {
    char subject[JOIN_SUBJECT];
    snprintf(subject, sizeof subject, "%s.all.*", it->of->names.joins);
    return subscribe(it, subject, &it->subscriptions[1]);
}

/* ---- Finding each other -------------------------------------------------------------------------- */

void join_announce(join *it) {
    packet what = {.type = PACKET_ANNOUNCE, .session = it->session};
    it->announced_at = clock_now(CLOCK_MONOTONIC);
    it->announce_at = 0;
    packet_send(it, "all", &what);
}

/* With the lock. The first of the others that answers knows how many there are. */
static void await_peers(join *it, int64_t deadline) {
    int64_t end = deadline_after(FINDING_MS);
    if (end > deadline) { end = deadline; }
    struct timespec until = {end / 1000000000, end % 1000000000};
    while (!it->is_over && !it->is_alone && (it->announced == 0 || it->count < it->announced)) {
        if (pthread_cond_timedwait(&it->of->joins->changed, &it->of->joins->lock, &until) != 0) { return; }
    }
}

static bool enter(joins *all, join *it) {
    pthread_mutex_lock(&all->lock);
    bool is_open = !all->is_over;
    if (is_open) {
        it->next = all->first;
        all->first = it;
    }
    pthread_mutex_unlock(&all->lock);
    return is_open;
}

join *join_take_out(joins *all, uint64_t number) {
    join **at = &all->first;
    while (*at != NULL && (*at)->number != number) { at = &(*at)->next; }
    join *found = *at;
    if (found == NULL) { return NULL; }
    *at = found->next;
    found->is_over = true;
    return found;
}

void join_end(join *it) {
    retire(it->of->retired, it->subscriptions[0]);
    retire(it->of->retired, it->subscriptions[1]);
    join_release(it);
}

static void announce(join *it) {
    pthread_mutex_lock(&it->of->joins->lock);
    join_announce(it);
    pthread_mutex_unlock(&it->of->joins->lock);
}

/* The first announcement is made before this join listens to those of others: if nobody does, the server says so, and there
   is nothing to wait for. Of two joins that begin together, one receives the second announcement of the other. */
static ctie_status find_others(join *it) {
    ctie_status status = subscribe_to_own(it);
    if (status == CTIE_OK) {
        announce(it);
        status = subscribe_to_all(it);
    }
    if (status == CTIE_OK) { announce(it); }
    return status;
}

static void drop(joins *all, join *it) {
    pthread_mutex_lock(&all->lock);
    join_take_out(all, it->number);
    it->is_over = true;
    pthread_mutex_unlock(&all->lock);
    join_end(it);
}

ctie_status engine_join(void *data, uint64_t number, uint64_t max_frame_size, int64_t timeout_ms) {
    engine *it = data;
    joins *all = it->joins;
    int64_t deadline = deadline_after(timeout_ms);
    ctie_status status = connection_up(it, deadline);
    if (status != CTIE_OK) { return status; }
    join *made = join_new(it, number, max_frame_size);
    if (made == NULL) { return fail(it, CTIE_E_NO_MEMORY, "a join"); }
    status = enter(all, made) ? find_others(made) : CTIE_E_CLOSED;
    if (status != CTIE_OK) {
        drop(all, made);
        return status;
    }
    pthread_mutex_lock(&all->lock);
    await_peers(made, deadline);
    pthread_mutex_unlock(&all->lock);
    return CTIE_OK;
}
