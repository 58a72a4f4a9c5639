/* Processes that measure something together: where they run, how they start and end, memory that they share. */
#ifndef BENCH_PROCESSES_H
#define BENCH_PROCESSES_H

#include "bench.h"

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MESSAGE_SIZE = 64, ANY_CORE = -1 };

static inline void run_on_core(int core) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
    if (core != ANY_CORE) sched_setaffinity(0, sizeof set, &set);
}

/* Memory, all zero, that processes forked later share with this one. */
static inline void *shared_memory(size_t size) {
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    require(memory != MAP_FAILED, "mmap");
    return memory;
}

static int ready_pipe[2];

/* In a started process: what it has to prepare is done. */
static inline void say_ready(void) { require(write(ready_pipe[1], "", 1) == 1, "write"); }

/* Forks a process that runs a function on a core, and ends with its parent; waits until it has said that it is
   ready. */
static inline pid_t start_process(int core, void (*run)(void *context), void *context) {
    char byte;
    require(pipe(ready_pipe) == 0, "pipe");
    pid_t child = fork();
    require(child >= 0, "fork");
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        run_on_core(core);
        run(context);
        _exit(0);
    }
    close(ready_pipe[1]);
    require(read(ready_pipe[0], &byte, 1) == 1, "another process did not start");
    close(ready_pipe[0]);
    return child;
}

static inline void end_process(pid_t child) {
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static inline void nap_us(long microseconds) {
    struct timespec time = {.tv_nsec = microseconds * 1000};
    nanosleep(&time, NULL);
}

#endif
