/* Two processes that send one message to and fro: half of a round trip. */
#ifndef BENCH_PAIR_H
#define BENCH_PAIR_H

#include "processes.h"

enum { PAIR_WARMUP = 200, PAIR_BATCH = 500, PAIR_BATCHES = 15 };

/* Round trips, counted in batches. */
typedef struct pair_rounds {
    long done;
    double begin;
    double figure[PAIR_BATCHES];
    double cpu; /* of this process at the first measured batch */
} pair_rounds;

/* The processor time of this process, nanoseconds. */
static inline double cpu_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static inline pair_rounds pair_begin(void) {
    pair_rounds rounds = {-PAIR_WARMUP, 0, {0}, 0};
    return rounds;
}

/* Whether there is one more round trip to make; called before each. */
static inline int pair_next(pair_rounds *rounds) {
    if (rounds->done >= 0 && rounds->done % PAIR_BATCH == 0) {
        double now = now_ns();
        long batch = rounds->done / PAIR_BATCH;
        if (batch > 0) rounds->figure[batch - 1] = (now - rounds->begin) / PAIR_BATCH / 2;
        if (batch == PAIR_BATCHES) return 0;
        if (batch == 0) rounds->cpu = cpu_ns();
        rounds->begin = now;
    }
    rounds->done++;
    return 1;
}

/*
 * Reports half a round trip on so many cores, and what a message takes of both processors: in a round trip each of the two
 * processes, which do the same, sends one and receives one. A server's share is not in it.
 */
static inline void pair_report(pair_rounds *rounds, int cores, const char *who) {
    report(cores == 2 ? "cpu.two" : "cpu.one", who, (cpu_ns() - rounds->cpu) / PAIR_BATCH / PAIR_BATCHES);
    report(cores == 2 ? "listener.two" : "listener.one", who, median(rounds->figure, PAIR_BATCHES));
}

#endif
