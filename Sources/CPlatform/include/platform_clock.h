// The clock, without a Swift variable in memory for its result.
#ifndef CPLATFORM_CLOCK_H
#define CPLATFORM_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t cp_clock_nanoseconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

#endif
