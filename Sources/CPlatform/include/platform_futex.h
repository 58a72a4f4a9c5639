// The kernel's wait-on-address calls, which glibc does not wrap.
#ifndef CPLATFORM_FUTEX_H
#define CPLATFORM_FUTEX_H

#include <errno.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/// Waits until `*word` differs from `expected`, a wake comes, or `timeout` (relative; NULL for none) ends.
/// `shared` for memory that several processes map. Returns 0 or an errno: EAGAIN, EINTR, ETIMEDOUT.
static inline int cp_futex_wait(const void *word, uint32_t expected, const struct timespec *timeout, bool shared) {
    int op = shared ? FUTEX_WAIT : FUTEX_WAIT_PRIVATE;
    return syscall(SYS_futex, word, op, expected, timeout, NULL, 0) == 0 ? 0 : errno;
}

/// Wakes up to `count` waiters on `word`. Returns how many.
static inline int cp_futex_wake(const void *word, int count, bool shared) {
    int op = shared ? FUTEX_WAKE : FUTEX_WAKE_PRIVATE;
    long woken = syscall(SYS_futex, word, op, count, NULL, NULL, 0);
    return woken < 0 ? 0 : (int)woken;
}

#endif
