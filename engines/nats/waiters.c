#include "waiters.h"

#include "problem.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The table: with its lock -------------------------------------------------------------------- */

static waiter **place_of(asking *in, uint64_t number) {
    waiter **at = &in->buckets[number % BUCKETS];
    while (*at != NULL && (*at)->number != number) { at = &(*at)->next; }
    return at;
}

waiter *waiter_find(asking *in, uint64_t number) { return *place_of(in, number); }

void waiter_end(asking *in, waiter *one, ctie_status status, natsMsg *answer) {
    turn *of = one->of;
    *place_of(in, one->number) = one->next;
    one->is_waiting = false;
    one->status = status, one->answer = answer;
    of->left--;
    of->has_failed |= status != CTIE_OK;
    if (of->left == 0 || of->awaited == one) { pthread_cond_signal(&of->done); }
}

uint64_t waiter_number(asking *in) { return atomic_fetch_add(&in->last, 1) + 1; }

void waiter_reply(const asking *in, uint64_t number, char out[REPLY_MOST]) {
    snprintf(out, REPLY_MOST, "%s%" PRIu64, in->inbox, number);
}

ctie_status waiter_enter(asking *in, waiter *one, turn *of) {
    pthread_mutex_lock(&in->lock);
    ctie_status status = in->is_closed ? CTIE_E_CLOSED : in->is_refused ? CTIE_E_DENIED : CTIE_OK;
    one->status = status;
    if (status == CTIE_OK) {
        one->of = of;
        one->next = in->buckets[one->number % BUCKETS];
        in->buckets[one->number % BUCKETS] = one;
        one->is_waiting = true;
        of->left++;
    }
    pthread_mutex_unlock(&in->lock);
    return status;
}

void waiter_fail(asking *in, uint64_t number, ctie_status status) {
    pthread_mutex_lock(&in->lock);
    waiter *one = *place_of(in, number);
    if (one != NULL) {
        one->is_unpublished = true;
        waiter_end(in, one, status, NULL);
    }
    pthread_mutex_unlock(&in->lock);
}

/* ---- What one thread waits for --------------------------------------------------------------------- */

void turn_init(turn *of) {
    pthread_condattr_t attributes;
    memset(of, 0, sizeof *of);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&of->done, &attributes);
    pthread_condattr_destroy(&attributes);
}

void turn_wait(asking *in, turn *of, const waiter *one, int64_t deadline) {
    struct timespec until = {deadline / 1000000000, deadline % 1000000000};
    pthread_mutex_lock(&in->lock);
    of->awaited = one;
    while (one != NULL ? one->is_waiting : of->left > 0) {
        if (pthread_cond_timedwait(&of->done, &in->lock, &until) != 0) { break; }
    }
    of->awaited = NULL;
    pthread_mutex_unlock(&in->lock);
}

void turn_end(turn *of) { pthread_cond_destroy(&of->done); }

void waiters_end(asking *in, ctie_status status, waiter_is_meant_fn is_meant, const void *what) {
    pthread_mutex_lock(&in->lock);
    for (size_t i = 0; i < BUCKETS; i++) {
        for (waiter *one = in->buckets[i], *next; one != NULL; one = next) {
            next = one->next;
            if (is_meant(one, what)) { waiter_end(in, one, status, NULL); }
        }
    }
    pthread_mutex_unlock(&in->lock);
}

bool waiters_are_refused(asking *in) {
    pthread_mutex_lock(&in->lock);
    bool is_so = in->is_refused;
    pthread_mutex_unlock(&in->lock);
    return is_so;
}

void waiter_explain(engine *it, const waiter *one, const char *unpublished) {
    if (one->is_explained || one->status == CTIE_OK) { return; }
    if (one->is_unpublished) {
        fail(it, one->status, "%s", unpublished[0] != 0 ? unpublished : "the server reads nothing");
    } else if (one->status == CTIE_E_DENIED) {
        fail(it, one->status, "the server does not permit %s %s",
             waiters_are_refused(it->asking) ? "the inbox for answers on" : "publishing to", one->subject);
    } else if (one->status == CTIE_E_UNCERTAIN) {
        fail(it, one->status, "the server has not answered on %s", one->subject);
    } else if (one->status == CTIE_E_UNAVAILABLE) {
        fail(it, one->status, "nobody on the server answers on %s", one->subject);
    }
}
