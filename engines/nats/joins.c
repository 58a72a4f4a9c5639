/* The joins of a member, and their connection. */
#include "joins.h"

#include <stdlib.h>

/* ---- Memory -------------------------------------------------------------------------------------- */

joins *joins_new(engine *it) {
    pthread_condattr_t monotonic;
    joins *made = calloc(1, sizeof *made);
    if (made == NULL) { return NULL; }
    made->of = it;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&made->changed, &monotonic);
    pthread_cond_init(&made->pulse_changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&made->lock, NULL);
    return made;
}

void joins_free(joins *it) {
    if (it == NULL) { return; }
    pthread_cond_destroy(&it->pulse_changed);
    pthread_cond_destroy(&it->changed);
    pthread_mutex_destroy(&it->lock);
    free(it);
}

/* ---- The connection ------------------------------------------------------------------------------ */

void joins_lost(engine *it) {
    joins *all = it->joins;
    if (all == NULL) { return; }
    pthread_mutex_lock(&all->lock);
    for (join *each = all->first; each != NULL; each = each->next) {
        packets_clear(each);
        channels_close(each, "the connection to the server was lost");
        each->session++;
        if (each->session == 0) { each->session = 1; }
    }
    pthread_cond_broadcast(&all->changed);
    pthread_mutex_unlock(&all->lock);
}

void joins_reconnected(engine *it) {
    pthread_mutex_lock(&it->joins->lock);
    for (join *each = it->joins->first; each != NULL; each = each->next) { join_announce(each); }
    pthread_mutex_unlock(&it->joins->lock);
}

void joins_close(engine *it) {
    joins *all = it->joins;
    if (all == NULL) { return; }
    pthread_mutex_lock(&all->lock);
    all->is_over = true;
    pthread_mutex_unlock(&all->lock);
    pulse_end(all);
}
