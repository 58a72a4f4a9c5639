/* Children of a test that uses a server. The threads of a server's client are not in a child that is forked after its first
   use. So a process that has not used it forks them, and the test adopts them. */
#ifndef SPAWNER_H
#define SPAWNER_H

#include "group.h"

enum { SPAWN_ROOM = 64 };

/** The memory by which both agree. */
static struct spawner {
    _Atomic int is_wanted; /* 1: a child; 2: none any more */
    _Atomic int child;     /* the new one; 0 until it is there */
    int (*body)(void *);
    char argument[SPAWN_ROOM];
} *spawner;

static pid_t spawner_process;

/** In the child, once the test has adopted it. */
static inline void run_spawned(pid_t parent) {
    while (getppid() != parent) nap_ns(100000);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    char argument[SPAWN_ROOM];
    memcpy(argument, spawner->argument, sizeof argument);
    spawner->child = getpid();
    checks_failed = 0;
    int result = spawner->body(argument);
    _exit(result != 0 ? result : checks_failed != 0);
}

static inline int spawn(void *parent) {
    while (spawner->is_wanted != 2) {
        if (spawner->is_wanted == 1) {
            spawner->is_wanted = 0;
            pid_t between = fork();
            if (between == 0) {
                if (fork() == 0) run_spawned(*(pid_t *)parent);
                _exit(0);
            }
            end_of_child(between);
        }
        nap_ns(200000);
    }
    return 0;
}

/** Before the test opens a wormhole. Without a server it does nothing. */
static inline void begin_spawner(void) {
    pid_t own = getpid();
    if (server_group() == NULL) return;
    spawner = share(sizeof *spawner);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    spawner_process = start_child(spawn, &own);
}

static inline void end_spawner(void) {
    if (spawner == NULL) return;
    spawner->is_wanted = 2;
    CHECK(end_of_child(spawner_process) == 0);
}

/** start_child() with a copy of the argument. */
static inline pid_t spawn_child(int (*body)(void *), void *argument, size_t size) {
    if (spawner == NULL) return start_child(body, argument);
    if (size > SPAWN_ROOM) abort();
    memcpy(spawner->argument, argument, size);
    spawner->body = body;
    spawner->child = 0;
    spawner->is_wanted = 1;
    AWAIT(spawner->child != 0);
    return spawner->child;
}

#endif
