/* Ends the tool `crosstie` before its change of the file system, or its start of a program, number CTIE_TEST_STOP. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static void step(void) {
    static int count;
    const char *number = getenv("CTIE_TEST_STOP");
    if (number && strcmp(program_invocation_short_name, "crosstie") == 0 && ++count == atoi(number)) _exit(99);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int rename(const char *from, const char *to) {
    step();
    return NEXT(rename)(from, to);
}

int unlink(const char *path) {
    step();
    return NEXT(unlink)(path);
}

int symlink(const char *target, const char *path) {
    step();
    return NEXT(symlink)(target, path);
}

int mkdir(const char *path, mode_t mode) {
    step();
    return NEXT(mkdir)(path, mode);
}

int rmdir(const char *path) {
    step();
    return NEXT(rmdir)(path);
}

int fchmod(int file, mode_t mode) {
    step();
    return NEXT(fchmod)(file, mode);
}

int fsync(int file) {
    step();
    return NEXT(fsync)(file);
}

ssize_t write(int file, const void *bytes, size_t size) {
    if (file > 2) step();
    return NEXT(write)(file, bytes, size);
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]) {
    step();
    return NEXT(posix_spawn)(pid, path, actions, attributes, arguments, environment);
}
