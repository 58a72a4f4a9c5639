/* Subscriptions that have ended. For a message that arrives, libnats 3.4 finds the subscription, unlocks its table, and
   goes on to use it: so its memory has to stay for a moment after it was removed. */
#include "retired.h"

#include "clock.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct ended {
    struct ended *next;
    natsSubscription *subscription;
    int64_t since; /* CLOCK_MONOTONIC */
} ended;

struct retired {
    pthread_mutex_t lock;
    ended *first, **end; /* the oldest comes first */
};

retired *retired_new(void) {
    retired *it = calloc(1, sizeof *it);
    if (it == NULL) { return NULL; }
    pthread_mutex_init(&it->lock, NULL);
    it->end = &it->first;
    return it;
}

/* Takes those out that ended before a time. */
static ended *take_before(retired *it, int64_t time) {
    ended *taken = NULL, **end = &taken;
    pthread_mutex_lock(&it->lock);
    while (it->first != NULL && it->first->since <= time) {
        *end = it->first;
        end = &it->first->next;
        it->first = it->first->next;
        *end = NULL;
    }
    if (it->first == NULL) { it->end = &it->first; }
    pthread_mutex_unlock(&it->lock);
    return taken;
}

static void free_all(ended *first) {
    for (ended *next; first != NULL; first = next) {
        next = first->next;
        natsSubscription_Destroy(first->subscription);
        free(first);
    }
}

void retire(retired *it, natsSubscription *subscription) {
    if (subscription == NULL) { return; }
    natsSubscription_Unsubscribe(subscription); /* unless it has ended by itself */
    int64_t now = clock_now(CLOCK_MONOTONIC);
    ended *made = calloc(1, sizeof *made);
    if (made == NULL) { return; } /* its memory is lost, too */
    made->subscription = subscription, made->since = now;
    pthread_mutex_lock(&it->lock);
    *it->end = made;
    it->end = &made->next;
    pthread_mutex_unlock(&it->lock);
    free_all(take_before(it, now - RETIRED_MS * (int64_t)1000000));
}

void retired_clear(retired *it) { free_all(take_before(it, INT64_MAX)); }

void retired_free(retired *it) {
    if (it == NULL) { return; }
    retired_clear(it);
    pthread_mutex_destroy(&it->lock);
    free(it);
}
