/* Threads that do one thing over and over for some time: what each doing takes the process. */
#ifndef BENCH_CROWD_H
#define BENCH_CROWD_H

#include "bench.h"

#include <pthread.h>

enum { CROWD_MS = 300 };

typedef struct crowd {
    void (*act)(void *context);
    void *context;
    double end;
    uint64_t done;
} crowd;

static inline void *crowd_member(void *data) {
    crowd *self = data;
    for (; now_ns() < self->end; __atomic_fetch_add(&self->done, 1, __ATOMIC_RELAXED)) self->act(self->context);
    return NULL;
}

/* Reports the time for each act of so many threads together. */
static inline void crowd_measure(const char *work, const char *who, size_t threads, void (*act)(void *),
                                 void *context) {
    pthread_t thread[64];
    double begin = now_ns();
    crowd self = {act, context, begin + CROWD_MS * 1e6, 0};
    require(threads <= sizeof thread / sizeof *thread, "too many threads");
    for (size_t i = 0; i < threads; i++) {
        require(pthread_create(&thread[i], NULL, crowd_member, &self) == 0, "no thread");
    }
    for (size_t i = 0; i < threads; i++) pthread_join(thread[i], NULL);
    report(work, who, (now_ns() - begin) / (double)self.done);
}

#endif
