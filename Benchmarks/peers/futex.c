/* The floor: two processes that wake each other through a word in shared memory, and store nothing. */
#include "../c/bench.h"
#include "../c/pair.h"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>

typedef struct words {
    uint32_t ping, pong;
} words;

static void wake(uint32_t *word) {
    __atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static uint32_t wait_past(uint32_t *word, uint32_t seen) {
    uint32_t now;
    while ((now = __atomic_load_n(word, __ATOMIC_SEQ_CST)) == seen) {
        syscall(SYS_futex, word, FUTEX_WAIT, seen, NULL, NULL, 0);
    }
    return now;
}

static void echo(words *shared) {
    for (uint32_t seen = 0;; wake(&shared->pong)) seen = wait_past(&shared->ping, seen);
}

int main(void) {
    for (int cores = 2; cores >= 1; cores--) {
        words *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        require(shared != MAP_FAILED, "mmap");
        pid_t child = pair_fork(cores);
        if (child == 0) echo(shared);
        pair_rounds rounds = pair_begin();
        for (uint32_t seen = 0; pair_next(&rounds); seen = wait_past(&shared->pong, seen)) wake(&shared->ping);
        pair_end(&rounds, child, cores, "raw futex, nothing stored");
        munmap(shared, 4096);
    }
    return 0;
}
