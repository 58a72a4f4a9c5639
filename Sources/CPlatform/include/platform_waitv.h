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

/// Whether the kernel can wait for several words, and is allowed to.
static inline bool cp_waits_for_several(void) {
    return syscall(SYS_futex_waitv, NULL, 0, 0, NULL, CLOCK_MONOTONIC) < 0 && errno == EINVAL;
}

/// Waits until `nanoseconds` have passed, or for ever if that is UINT64_MAX, while words are as expected: the first one,
/// which is this process's own, and up to 64 that processes share. Only where ::cp_waits_for_several. Returns the number of the word
/// that woke it, from 0, or a negated errno: EAGAIN, EINTR, ETIMEDOUT.
static inline int cp_wait_beside(struct cp_watched own, const struct cp_watched *shared, size_t count,
                                 uint64_t nanoseconds) {
    const uint32_t size_32_bits = 2, is_private = 128;
    struct cp_waiter waiters[65] = {{own.expected, (uintptr_t)own.word, size_32_bits | is_private, 0}};
    struct timespec end;
    if (count > 64) count = 64;
    for (size_t i = 0; i < count; i++) {
        struct cp_waiter waiter = {shared[i].expected, (uintptr_t)shared[i].word, size_32_bits, 0};
        waiters[i + 1] = waiter;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    uint64_t spanned = (uint64_t)end.tv_nsec + nanoseconds % 1000000000u;
    end.tv_sec += (time_t)(nanoseconds / 1000000000u + spanned / 1000000000u);
    end.tv_nsec = (long)(spanned % 1000000000u);
    long woken = syscall(SYS_futex_waitv, waiters, count + 1, 0, nanoseconds == UINT64_MAX ? NULL : &end,
                         CLOCK_MONOTONIC);
    return woken >= 0 ? (int)woken : -errno;
}

#endif
