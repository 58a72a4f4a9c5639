/* Meeting points of threads, with a watchdog instead of a hang. */
#ifndef LATCH_H
#define LATCH_H

#include <dirent.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/** A deadline that passes while the test waits for it, but not before a handler has begun: milliseconds, for a machine
    that has much else to do. */
#define SOON_MS 500

/** A count that goes up; threads wait for it to reach a number. */
typedef struct latch {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int count;
} latch;

#define LATCH_INIT {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0}

static inline void latch_add(latch *it) {
    pthread_mutex_lock(&it->lock);
    it->count++;
    pthread_cond_broadcast(&it->changed);
    pthread_mutex_unlock(&it->lock);
}

static inline int latch_count(latch *it) {
    pthread_mutex_lock(&it->lock);
    int count = it->count;
    pthread_mutex_unlock(&it->lock);
    return count;
}

/** Waits until the count is `count` or more; a minute without it ends the program. */
static inline void latch_wait(latch *it, int count) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    pthread_mutex_lock(&it->lock);
    while (it->count < count) {
        if (pthread_cond_timedwait(&it->changed, &it->lock, &until) != 0) {
            fprintf(stderr, "hung: %d of %d\n", it->count, count);
            abort();
        }
    }
    pthread_mutex_unlock(&it->lock);
}

/** A ctie_destroy_fn for user data that is a latch: counts. */
static inline void latch_destroy(void *user_data) {
    latch_add(user_data);
}

/** The threads of this process. */
static inline int thread_count(void) {
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    if (tasks == NULL) { return -1; }
    for (struct dirent *each; (each = readdir(tasks)) != NULL;) { count += each->d_name[0] != '.'; }
    closedir(tasks);
    return count;
}

/** Waits until there are no more than `count` threads: one that has ended may be listed for a moment. */
static inline bool threads_end(int count) {
    for (int i = 0; thread_count() > count && i < 60000; i++) { usleep(1000); }
    return thread_count() == count;
}

/** The number of times that a test repeats a race: CTIE_TEST_ROUNDS, or fewer under a slow checker. */
static inline int test_rounds(int usual) {
    const char *rounds = getenv("CTIE_TEST_ROUNDS");
    if (rounds != NULL) { return atoi(rounds); }
    return getenv("CTIE_TEST_SLOW") != NULL ? usual / 10 + 1 : usual;
}

/** A number of messages or rounds that is not repetition alone: the usual one, or another under a slow checker. */
static inline int test_size(int usual, int slow) { return getenv("CTIE_TEST_SLOW") != NULL ? slow : usual; }

#endif
