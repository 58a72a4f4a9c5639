/* Two processes that send one message to and fro: on two cores, then on one. */
#ifndef BENCH_PAIR_H
#define BENCH_PAIR_H

#include "bench.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAIR_SIZE = 64, PAIR_WARMUP = 200, PAIR_BATCH = 1000, PAIR_BATCHES = 15 };

static inline void run_on_core(int core) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    sched_setaffinity(0, sizeof set, &set);
}

/* Forks the other side: it ends with its parent. The parent runs on core 0, the child on core 1 or 0. */
static inline pid_t pair_fork(int cores) {
    pid_t child = fork();
    if (child == 0) prctl(PR_SET_PDEATHSIG, SIGKILL);
    run_on_core(child == 0 ? cores - 1 : 0);
    return child;
}

/* Round trips, counted in batches. */
typedef struct pair_rounds {
    long done;
    double begin;
    double figure[PAIR_BATCHES];
} pair_rounds;

static inline pair_rounds pair_begin(void) {
    pair_rounds rounds = {-PAIR_WARMUP, 0, {0}};
    return rounds;
}

/* Whether there is one more round trip to make; called before each. */
static inline int pair_next(pair_rounds *rounds) {
    if (rounds->done >= 0 && rounds->done % PAIR_BATCH == 0) {
        double now = now_ns();
        long batch = rounds->done / PAIR_BATCH;
        if (batch > 0) rounds->figure[batch - 1] = (now - rounds->begin) / PAIR_BATCH / 2;
        if (batch == PAIR_BATCHES) return 0;
        rounds->begin = now;
    }
    rounds->done++;
    return 1;
}

static inline void pair_report(pair_rounds *rounds, int cores, const char *who) {
    report(cores == 2 ? "listener.two" : "listener.one", who, median(rounds->figure, PAIR_BATCHES));
}

/* Reports half a round trip and ends the child. */
static inline void pair_end(pair_rounds *rounds, pid_t child, int cores, const char *who) {
    pair_report(rounds, cores, who);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

#endif
