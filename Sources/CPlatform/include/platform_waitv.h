// Waiting on two words at a time.
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

/// Waits, until `nanoseconds` have passed at most, while `*first` and `*second`, in memory that processes
/// share, are as expected. Kernels before 5.16 watch the first word alone. Returns whether the second one woke it.
static inline bool cp_wait_two(const void *first, uint32_t first_expected, const void *second,
                               uint32_t second_expected, uint64_t nanoseconds) {
    const uint32_t size_32_bits = 2;
    struct cp_waiter waiters[2] = {
        {first_expected, (uintptr_t)first, size_32_bits, 0},
        {second_expected, (uintptr_t)second, size_32_bits, 0},
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
    long woken = syscall(SYS_futex_waitv, waiters, 2, 0, &end, CLOCK_MONOTONIC);
    if (woken < 0 && (errno == ENOSYS || errno == EPERM)) cp_futex_wait(first, first_expected, &span, true);
    return woken == 1;
}

#endif
