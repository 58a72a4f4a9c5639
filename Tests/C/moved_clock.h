/* A monotonic clock that a test moves ahead, for all of this program and the library in it: a deadline passes without waiting. */
#ifndef MOVED_CLOCK_H
#define MOVED_CLOCK_H

#ifndef _GNU_SOURCE
#error "define _GNU_SOURCE first, for interpose.h"
#endif
#include "interpose.h"

#include <stdint.h>
#include <time.h>

static _Atomic int64_t clock_ahead; /* nanoseconds */

static inline void move_clock(int64_t milliseconds) { clock_ahead += milliseconds * 1000000; }

int clock_gettime(clockid_t clock, struct timespec *time) {
    static int (*real)(clockid_t, struct timespec *);
    FIND_REAL(real, "clock_gettime");
    int result = real(clock, time);
    if (result != 0 || (clock != CLOCK_MONOTONIC && clock != CLOCK_MONOTONIC_COARSE)) { return result; }
    int64_t nanoseconds = time->tv_nsec + clock_ahead;
    time->tv_sec += nanoseconds / 1000000000, time->tv_nsec = nanoseconds % 1000000000;
    return result;
}

#endif
