/* Stored messages: their content, and how storing is measured. */
#ifndef BENCH_STORING_H
#define BENCH_STORING_H

#include "crowd.h"

enum { SMALL = 64, BIG = 1 << 20 }; /* bytes of a message */
enum { MANY_THREADS = 32 };         /* that store at once, each waiting for the disk */
enum { CALLS_OF_SMALL = 4000, CALLS_OF_SERVER = 500, CALLS_OF_BIG = 20 }; /* in a round */

/* The content of the messages; never written, and not every program needs it. */
__attribute__((unused)) static char content[BIG];

typedef void (*store_fn)(void *self);

/* Small messages, then big ones. `kind` is "safe" or "fast". */
static inline void storing_measure(const char *kind, const char *who, int calls, store_fn small, store_fn big,
                                   void *self) {
    char work[32];
    snprintf(work, sizeof work, "pass.%s", kind);
    measure_rounds(work, who, calls, small, self);
    snprintf(work, sizeof work, "big.%s", kind);
    measure_rounds(work, who, CALLS_OF_BIG, big, self);
}

/* Small messages that wait for the disk: one thread's, then many at once. */
static inline void storing_measure_synced(const char *who, store_fn small, void *self) {
    crowd_measure("synced.one", who, 1, small, self);
    crowd_measure("synced.many", who, MANY_THREADS, small, self);
}

#endif
