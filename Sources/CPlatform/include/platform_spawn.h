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

static inline int cp_spawn_attributes(posix_spawnattr_t *attributes) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int failure = posix_spawnattr_setsigmask(attributes, &none);
    if (failure == 0) failure = posix_spawnattr_setsigdefault(attributes, &all);
    if (failure == 0)
        failure = posix_spawnattr_setflags(
            attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | CP_SPAWN_SETSID);
    return failure;
}

static inline int cp_spawn_actions(posix_spawn_file_actions_t *actions, int input) {
    int failure = input < 0 ? posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0)
                            : posix_spawn_file_actions_adddup2(actions, input, 0);
    for (int number = 1; failure == 0 && input >= 0 && number <= 2; number++)
        failure = posix_spawn_file_actions_addopen(actions, number, "/dev/null", O_WRONLY, 0);
    if (failure == 0) failure = posix_spawn_file_actions_addclosefrom_np(actions, 3);
    return failure;
}

/// Starts a program in a session of its own, without signals blocked or ignored, and no descriptor open but the first
/// three. A name without '/' is looked for on the PATH; the arguments begin with the name and end with NULL. With an
/// `input` it reads that, and its output and error go nowhere; without one (-1) its input is empty, and output and
/// error are this process's. Returns 0 or an errno.
static inline int cp_spawn(const char *program, char *const *arguments, int input, pid_t *child) {
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    int failure = posix_spawnattr_init(&attributes);
    if (failure != 0) return failure;
    failure = posix_spawn_file_actions_init(&actions);
    if (failure == 0) {
        failure = cp_spawn_attributes(&attributes);
        if (failure == 0) failure = cp_spawn_actions(&actions, input);
        if (failure == 0) failure = posix_spawnp(child, program, &actions, &attributes, arguments, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    posix_spawnattr_destroy(&attributes);
    return failure;
}

#endif
