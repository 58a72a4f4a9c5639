// Robust mutexes in memory that processes share: a lock that reports its owner's death to the next owner.
#ifndef CPLATFORM_ROBUST_H
#define CPLATFORM_ROBUST_H

#include <pthread.h>

#include "platform_futex.h"

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

/// The word of a mutex that the kernel changes, and wakes a waiter on, when its owner dies.
static inline uint32_t *cp_robust_word(void *mutex) { return (uint32_t *)&((pthread_mutex_t *)mutex)->__data.__lock; }

static inline uint32_t cp_robust_load(void *mutex) {
    return __atomic_load_n(cp_robust_word(mutex), __ATOMIC_ACQUIRE);
}

/// Locks unless the lock is taken. Returns 0; EBUSY; EOWNERDEAD (locked, though its last owner died;
/// already marked consistent); or another errno.
static inline int cp_robust_try(void *mutex) {
    int result = pthread_mutex_trylock((pthread_mutex_t *)mutex);
    if (result == EOWNERDEAD && pthread_mutex_consistent((pthread_mutex_t *)mutex) != 0) return ENOTRECOVERABLE;
    return result;
}

static inline uint64_t cp_robust_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/// Waits until the lock may have been released, or for `nanoseconds`, and never longer than 20 ms: a thread that is
/// killed after it was woken wakes no other one.
static inline void cp_robust_wait(void *mutex, uint64_t nanoseconds) {
    uint32_t *word = cp_robust_word(mutex);
    uint32_t found = __atomic_load_n(word, __ATOMIC_RELAXED);
    if ((found & FUTEX_TID_MASK) == 0 || (found & FUTEX_OWNER_DIED) != 0) return;
    uint32_t awaited = found | FUTEX_WAITERS;
    if (found != awaited &&
        !__atomic_compare_exchange_n(word, &found, awaited, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        return;
    struct timespec span = {0, (long)(nanoseconds < 20000000u ? nanoseconds : 20000000u)};
    cp_futex_wait(word, awaited, &span, true);
}

/// Locks, waiting `nanoseconds` at most. Returns as ::cp_robust_try, but ETIMEDOUT for EBUSY.
///
/// It waits outside the C library, whose waiting threads the kernel knows as possible owners. When such a thread dies,
/// the kernel frees the lock if the owner has the same thread id; and threads of two PID namespaces may have.
static inline int cp_robust_lock(void *mutex, uint64_t nanoseconds) {
    int result = cp_robust_try(mutex);
    if (result != EBUSY) return result;
    uint64_t end = cp_robust_now() + (nanoseconds < INT64_MAX ? nanoseconds : INT64_MAX);
    while (result == EBUSY) {
        uint64_t now = cp_robust_now();
        if (now >= end) return ETIMEDOUT;
        cp_robust_wait(mutex, end - now);
        result = cp_robust_try(mutex);
    }
    // Others may wait, too: the owner has to wake them.
    if (result == 0 || result == EOWNERDEAD) __atomic_or_fetch(cp_robust_word(mutex), FUTEX_WAITERS, __ATOMIC_SEQ_CST);
    return result;
}

/// Unlocks. The waiting threads are woken after the C library has finished with the lock: until then the kernel knows
/// this thread as a possible owner, and another one with its id may have locked it meanwhile.
static inline void cp_robust_unlock(void *mutex) {
    uint32_t *word = cp_robust_word(mutex);
    bool isAwaited = (__atomic_load_n(word, __ATOMIC_RELAXED) & FUTEX_WAITERS) != 0;
    if (isAwaited) __atomic_and_fetch(word, ~(uint32_t)FUTEX_WAITERS, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock((pthread_mutex_t *)mutex);
    if (isAwaited) cp_futex_wake(word, 1, true);
}

/// Tells the kernel that threads wait on the word of a mutex held by this thread, though none waits for the mutex
/// itself: only the owner's death wakes them, not the unlocking.
static inline void cp_robust_watch(void *mutex) {
    __atomic_or_fetch(cp_robust_word(mutex), FUTEX_WAITERS, __ATOMIC_SEQ_CST);
}

static inline void cp_robust_unwatch(void *mutex) {
    __atomic_and_fetch(cp_robust_word(mutex), ~(uint32_t)FUTEX_WAITERS, __ATOMIC_SEQ_CST);
}

/// Whether the word says that the last owner died and no thread has locked it since.
static inline bool cp_robust_owner_died(uint32_t word) { return (word & FUTEX_OWNER_DIED) != 0; }

#endif
