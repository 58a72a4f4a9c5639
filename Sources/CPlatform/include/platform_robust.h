// Robust mutexes in memory that processes share: a lock that reports its owner's death to the next owner.
#ifndef CPLATFORM_ROBUST_H
#define CPLATFORM_ROBUST_H

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#ifndef __USE_GNU
// glibc declares it only under _GNU_SOURCE, which is the including file's to set.
extern int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *end);
#endif

/// Sets up a robust, process-shared mutex. Returns 0 or an errno.
static inline int cp_robust_init(void *mutex) {
    pthread_mutexattr_t attributes;
    int failure = pthread_mutexattr_init(&attributes);
    if (failure != 0) return failure;
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    failure = pthread_mutex_init((pthread_mutex_t *)mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    return failure;
}

/// Locks unless the lock is taken. Returns 0; EBUSY; EOWNERDEAD (locked, though its last owner died;
/// already marked consistent); or another errno.
static inline int cp_robust_try(void *mutex) {
    int result = pthread_mutex_trylock((pthread_mutex_t *)mutex);
    if (result == EOWNERDEAD && pthread_mutex_consistent((pthread_mutex_t *)mutex) != 0) return ENOTRECOVERABLE;
    return result;
}

/// Locks, waiting `nanoseconds` at most. Returns 0; EOWNERDEAD (locked, though its last owner died; already
/// marked consistent); ETIMEDOUT; or another errno.
static inline int cp_robust_lock(void *mutex, uint64_t nanoseconds) {
    pthread_mutex_t *lock = (pthread_mutex_t *)mutex;
    int result = pthread_mutex_trylock(lock);
    if (result == EBUSY) {
        struct timespec end;
        clock_gettime(CLOCK_MONOTONIC, &end);
        uint64_t fraction = (uint64_t)end.tv_nsec + nanoseconds % 1000000000u;
        end.tv_sec += (time_t)(nanoseconds / 1000000000u + fraction / 1000000000u);
        end.tv_nsec = (long)(fraction % 1000000000u);
        result = pthread_mutex_clocklock(lock, CLOCK_MONOTONIC, &end);
    }
    if (result == EOWNERDEAD && pthread_mutex_consistent(lock) != 0) result = ENOTRECOVERABLE;
    return result;
}

static inline void cp_robust_unlock(void *mutex) { pthread_mutex_unlock((pthread_mutex_t *)mutex); }

/// The word of a mutex that the kernel changes, and wakes a waiter on, when its owner dies.
static inline const uint32_t *cp_robust_word(const void *mutex) {
    return (const uint32_t *)&((const pthread_mutex_t *)mutex)->__data.__lock;
}

static inline uint32_t cp_robust_load(const void *mutex) {
    return __atomic_load_n(cp_robust_word(mutex), __ATOMIC_ACQUIRE);
}

/// Tells the kernel that threads wait on the word of a mutex held by this thread, though none waits for the mutex
/// itself: only the owner's death wakes them, not the unlocking.
static inline void cp_robust_watch(void *mutex) {
    __atomic_or_fetch((uint32_t *)cp_robust_word(mutex), FUTEX_WAITERS, __ATOMIC_SEQ_CST);
}

static inline void cp_robust_unwatch(void *mutex) {
    __atomic_and_fetch((uint32_t *)cp_robust_word(mutex), ~(uint32_t)FUTEX_WAITERS, __ATOMIC_SEQ_CST);
}

/// Whether the word says that the last owner died and no thread has locked it since.
static inline bool cp_robust_owner_died(uint32_t word) { return (word & FUTEX_OWNER_DIED) != 0; }

#endif
