/* Deadlines and times. */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t clock_now(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* A deadline is a CLOCK_MONOTONIC time in nanoseconds. */
static inline int64_t deadline_after(int64_t ms) {
    int64_t most = INT64_MAX / 4000000;
    return clock_now(CLOCK_MONOTONIC) + (ms > most ? most : ms < 0 ? 0 : ms) * 1000000;
}

/* The milliseconds until a deadline, rounded down; 0 when it has passed. */
static inline int64_t deadline_left(int64_t deadline) {
    int64_t left = (deadline - clock_now(CLOCK_MONOTONIC)) / 1000000;
    return left > 0 ? left : 0;
}

static inline void clock_pause(int64_t ms) {
    struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&pause, NULL);
}

#endif
