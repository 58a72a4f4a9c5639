// Starting a program, which Swift could only do with pointers to types that differ between C libraries.
#ifndef CPLATFORM_SPAWN_H
#define CPLATFORM_SPAWN_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/types.h>
#include <unistd.h>

// GNU extensions that are declared only under _GNU_SOURCE.
#define CP_SPAWN_SETSID 0x80
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);
extern char **environ;

static inline int cp_prepare_spawn(posix_spawnattr_t *attributes, posix_spawn_file_actions_t *actions) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int failure = posix_spawnattr_setsigmask(attributes, &none);
    if (failure == 0) failure = posix_spawnattr_setsigdefault(attributes, &all);
    if (failure == 0)
        failure = posix_spawnattr_setflags(
            attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | CP_SPAWN_SETSID);
    if (failure == 0) failure = posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);
    if (failure == 0) failure = posix_spawn_file_actions_addclosefrom_np(actions, 3);
    return failure;
}

/// Starts a program with one argument, in a session of its own, without signals blocked or ignored, its input empty and
/// no descriptor open but output and error. A name without '/' is looked for on the PATH. Returns 0 or an errno.
static inline int cp_spawn(const char *program, const char *argument, pid_t *child) {
    char *const arguments[] = {(char *)(size_t)program, (char *)(size_t)argument, NULL};
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    int failure = posix_spawnattr_init(&attributes);
    if (failure != 0) return failure;
    failure = posix_spawn_file_actions_init(&actions);
    if (failure == 0) {
        failure = cp_prepare_spawn(&attributes, &actions);
        if (failure == 0) failure = posix_spawnp(child, program, &actions, &attributes, arguments, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    posix_spawnattr_destroy(&attributes);
    return failure;
}

#endif
