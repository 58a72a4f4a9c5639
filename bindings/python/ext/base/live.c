/*
 * The handles to close before the interpreter ends, and their closing.
 */
#include "gil.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

static ext_live *live_list;

void ext_live_add(ext_live *live, ext_end *end, void *handle) {
    live->end = end;
    live->handle = handle;
    live->next = live_list;
    live->link = &live_list;
    if (live_list != NULL) {
        live_list->link = &live->next;
    }
    live_list = live;
}

bool ext_live_remove(ext_live *live) {
    if (live->link == NULL) {
        return false;
    }
    *live->link = live->next;
    if (live->next != NULL) {
        live->next->link = live->link;
    }
    live->link = NULL;
    live->next = NULL;
    return true;
}

/* ---- The end of the interpreter ------------------------------------------------------------------- */

struct ext_closing {
    pthread_mutex_t mutex;
    pthread_cond_t ended;
    bool has_ended;
    bool is_abandoned;
    size_t count;
    struct {
        ext_end *end;
        void *handle;
    } items[];
};

/** Takes over the live handles, which their objects do not close any more. */
static ext_closing *closing_new(void) {
    size_t count = 0;
    for (ext_live *live = live_list; live != NULL; live = live->next) {
        count++;
    }
    ext_closing *result = calloc(1, sizeof(ext_closing) + count * sizeof(result->items[0]));
    if (result == NULL) {
        return NULL;
    }
    pthread_mutex_init(&result->mutex, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&result->ended, &attributes);
    pthread_condattr_destroy(&attributes);
    while (live_list != NULL) {
        result->items[result->count].end = live_list->end;
        result->items[result->count++].handle = live_list->handle;
        live_list->is_taken = true;
        (void)ext_live_remove(live_list);
    }
    return result;
}

static void closing_free(ext_closing *self) {
    pthread_cond_destroy(&self->ended);
    pthread_mutex_destroy(&self->mutex);
    free(self);
}

static void *closing_run(void *argument) {
    ext_closing *self = argument;
    for (size_t i = 0; i < self->count; i++) {
        (void)self->items[i].end(self->items[i].handle);
    }
    pthread_mutex_lock(&self->mutex);
    self->has_ended = true;
    bool is_abandoned = self->is_abandoned;
    pthread_cond_signal(&self->ended);
    pthread_mutex_unlock(&self->mutex);
    if (is_abandoned) {
        closing_free(self);
    }
    return NULL;
}

static bool start_thread(ext_closing *self) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    bool has_started = pthread_create(&thread, NULL, closing_run, self) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (has_started) {
        pthread_detach(thread);
    }
    return has_started;
}

ext_closing *ext_closing_start(void) {
    ext_closing *self = live_list == NULL ? NULL : closing_new();
    if (self != NULL && !start_thread(self)) {
        closing_free(self);
        return NULL;
    }
    return self;
}

void ext_closing_wait(ext_closing *self, const struct timespec *deadline) {
    pthread_mutex_lock(&self->mutex);
    int failure = 0;
    while (!self->has_ended && failure == 0) {
        failure = pthread_cond_timedwait(&self->ended, &self->mutex, deadline);
    }
    bool has_ended = self->has_ended;
    self->is_abandoned = !has_ended;
    pthread_mutex_unlock(&self->mutex);
    if (has_ended) {
        closing_free(self);
    }
}
