/* A thousand actions under names, those of ten components, and the random order in which they are called: the same
 * for this project and for its peers. */
#ifndef BENCH_ACTIONS_H
#define BENCH_ACTIONS_H

#include "bench.h"

#include <pthread.h>
#include <sched.h>

enum { COMPONENTS = 10, ACTIONS_EACH = 100, ACTIONS = COMPONENTS * ACTIONS_EACH };
enum { ACTION_CALLS = 20000, ACTION_ROUNDS = 25, ACTION_THREADS = 2 };

/* The names of a component and of an action; `name` holds 32 bytes. */
static inline void name_component(char *name, int component) { snprintf(name, 32, "component%d", component); }
static inline void name_action(char *name, int action) { snprintf(name, 32, "do-action-%d", action % ACTIONS_EACH); }

/* Calls these actions, one after the other. */
typedef void (*calls_fn)(void *context, const uint16_t *actions, int count);

/* One of the threads that call at the same time. */
typedef struct caller {
    calls_fn calls;
    void *context;
    int core;
    pthread_barrier_t *begin;
    double figures[ACTION_ROUNDS];
} caller;

static inline void *call_in_rounds(void *data) {
    caller *self = data;
    uint16_t actions[ACTION_CALLS];
    uint32_t state = 1 + (uint32_t)self->core;
    for (int i = 0; i < ACTION_CALLS; i++) {
        state = state * 1664525 + 1013904223;
        actions[i] = (uint16_t)((state >> 8) % ACTIONS);
    }
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(self->core, &set);
    sched_setaffinity(0, sizeof set, &set);
    for (int round = 0; round < ACTION_ROUNDS; round++) {
        pthread_barrier_wait(self->begin);
        double begin = now_ns();
        self->calls(self->context, actions, ACTION_CALLS);
        self->figures[round] = (now_ns() - begin) / ACTION_CALLS;
    }
    return NULL;
}

/* The time of one call on a thread while this many call, each on its core: their mean in the best round. */
static inline double time_calls(calls_fn calls, void *context, int threads) {
    pthread_barrier_t begin;
    pthread_t thread[ACTION_THREADS];
    caller callers[ACTION_THREADS];
    double means[ACTION_ROUNDS] = {0};
    pthread_barrier_init(&begin, NULL, (unsigned)threads);
    for (int i = 0; i < threads; i++) {
        callers[i] = (caller){calls, context, 1 - i, &begin, {0}};
        require(pthread_create(&thread[i], NULL, call_in_rounds, &callers[i]) == 0, "no thread");
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(thread[i], NULL);
        for (int round = 0; round < ACTION_ROUNDS; round++) means[round] += callers[i].figures[round] / threads;
    }
    pthread_barrier_destroy(&begin);
    return lowest(means, ACTION_ROUNDS);
}

/* Reports it for one thread and for two. */
static inline void measure_calls(const char *who, calls_fn calls, void *context) {
    report("call.one", who, time_calls(calls, context, 1));
    report("call.two", who, time_calls(calls, context, 2));
}

#endif
