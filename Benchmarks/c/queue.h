/* A queue of 64-byte messages under 100 identifiers, with a consumer in another process that acknowledges them: the
   time for each, from the first put to the last taken. */
#ifndef BENCH_QUEUE_H
#define BENCH_QUEUE_H

#include "processes.h"

enum { QUEUE_IDENTIFIERS = 100, QUEUE_BATCH = 1000, QUEUE_ROUNDS = 3, QUEUE_NAP_US = 50 };
enum { QUEUE_ROUND_MS = 100, QUEUE_MOST = 200 * QUEUE_BATCH }; /* what a round takes about, and messages in it */

/* The state that both processes share: the number of messages that the consumer has taken. */
typedef struct queue {
    uint64_t taken;
    uint64_t has_begun; /* for workers that begin together */
} queue;

/* In the consumer: so many more are taken and acknowledged. */
static inline void queue_take(queue *self, size_t count) {
    __atomic_fetch_add(&self->taken, count, __ATOMIC_RELEASE);
}

/* Puts so many messages in one go, the first of them under the identifier of this number, the next under the next. */
typedef void (*queue_put_fn)(void *end, size_t first, size_t count);

/* Puts one round's messages and waits until they are taken; returns the time for each. */
static inline double queue_round(queue *self, size_t messages, size_t batch, queue_put_fn put, void *end) {
    uint64_t goal = __atomic_load_n(&self->taken, __ATOMIC_ACQUIRE) + messages;
    double begin = now_ns();
    for (size_t i = 0; i < messages; i += batch) put(end, i % QUEUE_IDENTIFIERS, batch);
    while (__atomic_load_n(&self->taken, __ATOMIC_ACQUIRE) < goal) nap_us(QUEUE_NAP_US);
    return (now_ns() - begin) / (double)messages;
}

/* Messages for one round, in whole batches: as many as go into its time at the speed of the one before. */
static inline size_t queue_messages(double each) {
    double batches = QUEUE_ROUND_MS * 1e6 / each / QUEUE_BATCH;
    return batches * QUEUE_BATCH > QUEUE_MOST ? QUEUE_MOST : (1 + (size_t)batches) * QUEUE_BATCH;
}

static inline void queue_measure(queue *self, const char *work, const char *who, size_t batch, queue_put_fn put,
                                 void *end) {
    double figures[QUEUE_ROUNDS], each = queue_round(self, QUEUE_BATCH, batch, put, end);
    for (int i = 0; i < QUEUE_ROUNDS; i++) each = figures[i] = queue_round(self, queue_messages(each), batch, put, end);
    report(work, who, median(figures, QUEUE_ROUNDS));
}

/* One by one, then in batches. */
static inline void queue_measure_both(queue *self, const char *who, queue_put_fn put, void *end) {
    queue_measure(self, "queue.one", who, 1, put, end);
    queue_measure(self, "queue.batch", who, QUEUE_BATCH, put, end);
}

#endif
