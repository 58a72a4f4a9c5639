#include "deeds.h"

#include <stdlib.h>
#include <string.h>

enum { PATIENCE_MS = 4000, REST_MS = 200, SHORT_REST_MS = 10 };

struct deeds {
    pthread_mutex_t lock; /* after that of a binding */
    pthread_cond_t changed; /* CLOCK_MONOTONIC */
    pthread_t thread;
    bool has_thread, is_over;
    deed *first, **end;
    uint64_t added, done; /* counts */
};

deeds *deeds_new(void) {
    deeds *it = calloc(1, sizeof *it);
    if (it == NULL) { return NULL; }
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&it->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&it->lock, NULL);
    it->end = &it->first;
    return it;
}

/* ---- The list, with the lock ------------------------------------------------------------------------- */

static void deed_free(deed *it) {
    if (it->of != NULL) { binding_release(it->of); }
    free(it->reply);
    free(it->reason);
    free(it);
}

static deed *copy(const deed *from) {
    deed *made = calloc(1, sizeof *made);
    if (made == NULL) { return NULL; }
    *made = *from;
    made->next = NULL, made->of = NULL;
    made->reply = from->reply != NULL ? strdup(from->reply) : NULL;
    made->reason = from->reason != NULL ? strdup(from->reason) : NULL;
    bool is_whole = (from->reply == NULL || made->reply != NULL) && (from->reason == NULL || made->reason != NULL);
    if (is_whole) { made->of = binding_retain(from->of); }
    if (is_whole) { return made; }
    deed_free(made);
    return NULL;
}

/* Keeps its place: a message's outcomes are done in their order. */
static deed *take_first(deeds *it) {
    deed *first = it->first;
    if (first == NULL) { return NULL; }
    it->first = first->next;
    if (it->first == NULL) { it->end = &it->first; }
    return first;
}

static void put_back(deeds *it, deed *what) {
    what->next = it->first;
    if (it->first == NULL) { it->end = &what->next; }
    it->first = what;
}

/* ---- The thread -------------------------------------------------------------------------------------- */

static bool may_pass(ctie_status status) {
    return status == CTIE_PENDING || status == CTIE_E_UNAVAILABLE || status == CTIE_E_UNCERTAIN ||
           status == CTIE_E_TIMEOUT;
}

/* With the lock. */
static void rest(deeds *it, int64_t time_ms) {
    int64_t end = deadline_after(time_ms);
    struct timespec until = {end / 1000000000, end % 1000000000};
    while (!it->is_over && pthread_cond_timedwait(&it->changed, &it->lock, &until) == 0) {}
}

static void *run(void *data) {
    deeds *it = data;
    pthread_mutex_lock(&it->lock);
    while (!it->is_over) {
        deed *next = take_first(it);
        if (next == NULL) {
            pthread_cond_wait(&it->changed, &it->lock);
            continue;
        }
        pthread_mutex_unlock(&it->lock);
        ctie_status status = deed_do(next, deadline_after(PATIENCE_MS));
        bool is_done = !may_pass(status);
        if (is_done && status != CTIE_OK) { deed_give_up(next, status); }
        if (is_done) { deed_free(next); }
        pthread_mutex_lock(&it->lock);
        if (is_done) { it->done++; } else { put_back(it, next); }
        pthread_cond_broadcast(&it->changed);
        if (!is_done) { rest(it, status == CTIE_PENDING ? SHORT_REST_MS : REST_MS); }
    }
    pthread_mutex_unlock(&it->lock);
    return NULL;
}

bool deed_add(const deed *what) {
    deeds *it = what->of->of->deeds;
    deed *made = copy(what);
    if (made == NULL) { return false; }
    pthread_mutex_lock(&it->lock);
    if (!it->is_over && !it->has_thread) { it->has_thread = pthread_create(&it->thread, NULL, run, it) == 0; }
    bool is_taken = !it->is_over && it->has_thread;
    if (is_taken) {
        *it->end = made;
        it->end = &made->next;
        it->added++;
        pthread_cond_broadcast(&it->changed);
    }
    pthread_mutex_unlock(&it->lock);
    if (!is_taken) { deed_free(made); }
    return is_taken;
}

/* ---- For others -------------------------------------------------------------------------------------- */

ctie_status bindings_conclude(engine *of, int64_t deadline) {
    deeds *it = of->bindings->deeds;
    struct timespec until = {deadline / 1000000000, deadline % 1000000000};
    pthread_mutex_lock(&it->lock);
    uint64_t last = it->added;
    while (it->done < last && !it->is_over) {
        if (pthread_cond_timedwait(&it->changed, &it->lock, &until) != 0) { break; }
    }
    bool is_done = it->done >= last;
    pthread_mutex_unlock(&it->lock);
    return is_done ? CTIE_OK : fail(of, CTIE_E_TIMEOUT, "outcomes of messages are still on their way");
}

void deeds_end(bindings *all) {
    deeds *it = all->deeds;
    pthread_mutex_lock(&it->lock);
    it->is_over = true;
    bool has_thread = it->has_thread;
    pthread_cond_broadcast(&it->changed);
    pthread_mutex_unlock(&it->lock);
    if (has_thread) { pthread_join(it->thread, NULL); }
    it->has_thread = false;
    while (it->first != NULL) { deed_free(take_first(it)); }
}

void deeds_free(deeds *it) {
    if (it == NULL) { return; }
    pthread_cond_destroy(&it->changed);
    pthread_mutex_destroy(&it->lock);
    free(it);
}
