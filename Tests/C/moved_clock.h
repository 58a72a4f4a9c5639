/* A monotonic clock that a test moves ahead, for the program and the library in it: a deadline passes without waiting. */
#ifndef MOVED_CLOCK_H
#define MOVED_CLOCK_H

#ifndef _GNU_SOURCE
#error "define _GNU_SOURCE first, for interpose.h"
#endif
#include "interpose.h"

#include <stdint.h>
#include <time.h>

static _Atomic int64_t clock_ahead;   /* nanoseconds */
static _Atomic int64_t clock_stopped; /* at this time, without what it is ahead; 0: it goes */

static inline void move_clock(int64_t milliseconds) { clock_ahead += milliseconds * 1000000; }

/** From now on only moves count, until start_clock(). */
static inline void stop_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    clock_stopped = now.tv_sec * INT64_C(1000000000) + now.tv_nsec - clock_ahead;
}

static inline void start_clock(void) { clock_stopped = 0; }

int clock_gettime(clockid_t clock, struct timespec *time) {
    static int (*real)(clockid_t, struct timespec *);
    FIND_REAL(real, "clock_gettime");
    int result = real(clock, time);
    if (result != 0 || (clock != CLOCK_MONOTONIC && clock != CLOCK_MONOTONIC_COARSE)) { return result; }
    int64_t stopped = clock_stopped;
    int64_t now = (stopped != 0 ? stopped : time->tv_sec * INT64_C(1000000000) + time->tv_nsec) + clock_ahead;
    time->tv_sec = now / 1000000000, time->tv_nsec = now % 1000000000;
    return result;
}

#endif
