/* Processes in a PID namespace of their own, such as containers give: the first one in it is process 1. */
#ifndef BOX_H
#define BOX_H

#include "group.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>

static inline bool write_text(const char *path, const char *text) {
    int file = open(path, O_WRONLY);
    bool is_written = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
    close(file);
    return is_written;
}

/** New namespaces for the children of this process; without the right to that, in a user namespace of its own. */
static inline bool enter_box(void) {
    char map[64];
    uid_t uid = geteuid();
    gid_t gid = getegid();
    if (unshare(CLONE_NEWPID | CLONE_NEWNS) == 0) return true;
    if (unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS) != 0) return false;
    snprintf(map, sizeof map, "%u %u 1", uid, uid);
    if (!write_text("/proc/self/uid_map", map) || !write_text("/proc/self/setgroups", "deny")) return false;
    snprintf(map, sizeof map, "%u %u 1", gid, gid);
    return write_text("/proc/self/gid_map", map);
}

struct boxed {
    int (*body)(void *);
    void *argument;
};

/** The status of a child that the kernel gave no namespace. */
#define NO_BOX 77

static inline int run_boxed(void *argument) {
    const struct boxed *boxed = argument;
    if (!enter_box()) return NO_BOX;
    fflush(NULL);
    pid_t child = fork();
    if (child != 0) return child < 0 ? NO_BOX : end_of_child(child) & 0xFF;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* From outside it cannot be seen which process the box's first one is. */
    bool is_mounted = mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
                      mount("proc", "/proc", "proc", 0, NULL) == 0;
    int result = is_mounted && getpid() == 1 ? boxed->body(boxed->argument) : NO_BOX;
    _exit(result != 0 ? result : checks_failed != 0);
}

/** Runs `body` as process 1 of a box. The process that is given waits for it, and takes it along when it is killed. */
static inline pid_t start_boxed(int (*body)(void *), void *argument) {
    static struct boxed boxed; /* the child has its own copy */
    boxed = (struct boxed){body, argument};
    return start_child(run_boxed, &boxed);
}

/** Whether the kernel lets this process make boxes. */
static inline int nothing(void *unused) {
    (void)unused;
    return 0;
}
static inline bool has_boxes(void) { return end_of_child(start_boxed(nothing, NULL)) != NO_BOX; }

/** The exit status of a test whose rest needs boxes. */
static inline int end_without_boxes(void) { return check_skipped("this kernel gives this user no namespaces"); }

#endif
