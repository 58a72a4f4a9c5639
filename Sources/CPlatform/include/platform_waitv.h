// Waiting on several words at a time.
#ifndef CPLATFORM_WAITV_H
#define CPLATFORM_WAITV_H

#include "platform_futex.h"

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

/// The kernel's struct futex_waitv, which older headers lack.
struct cp_waiter {
    uint64_t expected;
    uint64_t address;
    uint32_t flags;
    uint32_t reserved;
};

/// A word in memory that processes share, and what it is expected to hold.
struct cp_watched {
    const void *word;
    uint32_t expected;
};

/// Waits, until `nanoseconds` have passed at most, while three words are as expected. Kernels before 5.16 watch
/// the first word alone. Returns which one woke it, from 0, or a negated errno: EAGAIN, EINTR, ETIMEDOUT.
static inline int cp_wait_three(struct cp_watched first, struct cp_watched second, struct cp_watched third,
                                uint64_t nanoseconds) {
    const uint32_t size_32_bits = 2;
    struct cp_waiter waiters[3] = {
        {first.expected, (uintptr_t)first.word, size_32_bits, 0},
        {second.expected, (uintptr_t)second.word, size_32_bits, 0},
        {third.expected, (uintptr_t)third.word, size_32_bits, 0},
    };
    struct timespec span = {(time_t)(nanoseconds / 1000000000u), (long)(nanoseconds % 1000000000u)};
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += span.tv_sec;
    end.tv_nsec += span.tv_nsec;
    if (end.tv_nsec >= 1000000000) {
        end.tv_nsec -= 1000000000;
        end.tv_sec += 1;
    }
    long woken = syscall(SYS_futex_waitv, waiters, 3, 0, &end, CLOCK_MONOTONIC);
    if (woken >= 0) return (int)woken;
    if (errno != ENOSYS && errno != EPERM) return -errno;
    return -cp_futex_wait(first.word, first.expected, &span, true);
}

#endif
