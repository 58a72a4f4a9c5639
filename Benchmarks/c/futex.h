/* A word in memory on which threads or processes sleep, and by which others wake them. */
#ifndef BENCH_FUTEX_H
#define BENCH_FUTEX_H

#include <limits.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Adds one to the word and wakes its sleepers. */
static inline void wake_all(uint32_t *word) {
    __atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* Sleeps until the word is no longer what was seen; returns what it is. */
static inline uint32_t wait_past(uint32_t *word, uint32_t seen) {
    uint32_t now;
    while ((now = __atomic_load_n(word, __ATOMIC_SEQ_CST)) == seen) {
        syscall(SYS_futex, word, FUTEX_WAIT, seen, NULL, NULL, 0);
    }
    return now;
}

#endif
