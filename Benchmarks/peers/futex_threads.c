/* The floor: two threads of a process that wake each other through a word, and hand over nothing. */
#include "../c/trips.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct words {
    _Alignas(128) uint32_t asked;
    _Alignas(128) uint32_t answered;
} words;

static void wake(uint32_t *word) {
    __atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static uint32_t wait_past(uint32_t *word, uint32_t seen) {
    uint32_t now;
    while ((now = __atomic_load_n(word, __ATOMIC_SEQ_CST)) == seen) {
        syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
    }
    return now;
}

static void *answer(void *data) {
    words *shared = data;
    for (uint32_t seen = 0;; wake(&shared->answered)) seen = wait_past(&shared->asked, seen);
    return NULL;
}

static void trip(void *context) {
    words *shared = context;
    uint32_t seen = __atomic_load_n(&shared->answered, __ATOMIC_SEQ_CST);
    wake(&shared->asked);
    wait_past(&shared->answered, seen);
}

int main(int argc, char **argv) {
    static words shared;
    pthread_t thread;
    require(argc == 2, "usage: futex_threads one|two");
    require(pthread_create(&thread, NULL, answer, &shared) == 0, "no thread");
    measure_trips(argv[1], "bare futex", trip, &shared);
    return 0; /* the other thread ends with the process */
}
