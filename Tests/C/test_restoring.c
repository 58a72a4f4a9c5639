/* A process that brings back the files of its group dies in the middle of it, or a system call of it fails: at each
   call once. Another one goes on, and nothing is lost. */
#define _GNU_SOURCE
#include "interpose.h"
#include "removal.h"

#include <fcntl.h>
#include <glob.h>
#include <stdarg.h>
#include <sys/stat.h>

/* ---- The call that does not succeed -------------------------------------------------------------- */

static struct {
    bool is_on, dies;
    int error, after, calls;
} harm_to_call;

static bool fails(void) {
    if (!harm_to_call.is_on || harm_to_call.calls++ != harm_to_call.after) return false;
    if (harm_to_call.dies) kill(getpid(), SIGKILL);
    errno = harm_to_call.error;
    return true;
}

int openat(int directory_file, const char *path, int flags, ...) {
    static int (*real)(int, const char *, int, ...);
    va_list more;
    va_start(more, flags);
    int mode = flags & O_CREAT ? va_arg(more, int) : 0;
    va_end(more);
    FIND_REAL(real, "openat");
    return fails() ? -1 : real(directory_file, path, flags, mode);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) {
    static ssize_t (*real)(int, const void *, size_t, off_t);
    FIND_REAL(real, "pwrite");
    return fails() ? -1 : real(file, bytes, size, offset);
}

int posix_fallocate(int file, off_t offset, off_t size) {
    static int (*real)(int, off_t, off_t);
    FIND_REAL(real, "posix_fallocate");
    return fails() ? errno : real(file, offset, size);
}

void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) {
    static void *(*real)(void *, size_t, int, int, int, off_t);
    FIND_REAL(real, "mmap");
    return fails() ? MAP_FAILED : real(address, size, protection, flags, file, offset);
}

int renameat(int from, const char *name, int to, const char *new_name) {
    static int (*real)(int, const char *, int, const char *);
    FIND_REAL(real, "renameat");
    return fails() ? -1 : real(from, name, to, new_name);
}

int unlinkat(int directory_file, const char *name, int flags) {
    static int (*real)(int, const char *, int);
    FIND_REAL(real, "unlinkat");
    return fails() ? -1 : real(directory_file, name, flags);
}

int mkdirat(int directory_file, const char *name, mode_t mode) {
    static int (*real)(int, const char *, mode_t);
    FIND_REAL(real, "mkdirat");
    return fails() ? -1 : real(directory_file, name, mode);
}

int fdatasync(int file) {
    static int (*real)(int);
    FIND_REAL(real, "fdatasync");
    return fails() ? -1 : real(file);
}

/* ---- The processes ------------------------------------------------------------------------------- */

static struct {
    _Atomic int step;
    _Atomic bool has_failed;
} *reported;

/* Brings the files back as it closes the group. */
static int restore(void *unused) {
    (void)unused;
    ctie_wormhole *wormhole = open_group();
    reported->step = 1;
    AWAIT(reported->step == 2);
    harm_to_call.is_on = true;
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    harm_to_call.is_on = false;
    reported->has_failed = harm_to_call.calls > harm_to_call.after;
    return checks_failed != 0;
}

static int begin_anew(void *unused) {
    (void)unused;
    ctie_wormhole *wormhole = open_group();
    CHECK_STATUS(pass_int(wormhole, "young", 5), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return checks_failed != 0;
}

/* ---- What is done to the files ------------------------------------------------------------------- */

/* In another process, since this one would take possession of the directory. */
static void replace_group(void) {
    remove_directory();
    CHECK(in_child(begin_anew, NULL) == 0);
}

static bool is_kept_aside(void) {
    char path[128];
    glob_t found = {0};
    snprintf(path, sizeof path, "%s/younger-*/data.mdb", directory);
    bool is_found = glob(path, 0, NULL, &found) == 0;
    globfree(&found);
    return is_found;
}

/* Gives whether there was a call that did not succeed. */
static bool play(void (*harm)(void), bool is_replaced, int number) {
    ctie_wormhole *keeper = open_group();
    uint64_t before = 0, after = 0;
    reported->step = 0;
    reported->has_failed = false;
    harm_to_call.after = number;
    harm_to_call.calls = 0;
    pid_t child = start_child(restore, NULL);
    AWAIT(reported->step == 1);
    CHECK_STATUS(ctie_wormhole_send(keeper, CTIE_STR("kept"), ctie_value_int(number), NULL, &before, NULL, NULL), CTIE_OK);
    harm();
    reported->step = 2;
    int end = end_of_child(child);
    CHECK(end == 0 || end == -SIGKILL);
    CHECK_STATUS(ctie_wormhole_send(keeper, CTIE_STR("kept"), ctie_value_int(1000 + number), NULL, &after, NULL, NULL),
                 CTIE_OK);
    CHECK(after > before);
    CHECK_STATUS(ctie_wormhole_release(keeper), CTIE_OK);
    keeper = open_group();
    CHECK(stored_int(keeper, CTIE_STR("kept")) == 1000 + number);
    CHECK(!is_replaced || stored_int(keeper, CTIE_STR("young")) == 5 || is_kept_aside());
    CHECK_STATUS(ctie_wormhole_send(keeper, CTIE_STR("kept"), ctie_value_int(0), NULL, &before, NULL, NULL), CTIE_OK);
    CHECK(before > after);
    CHECK_STATUS(ctie_wormhole_release(keeper), CTIE_OK);
    remove_directory();
    return end == -SIGKILL || reported->has_failed;
}

int main(void) {
    const struct { void (*harm)(void); bool is_replaced; } harms[] = {
        {remove_wakeups, false}, {remove_data, false}, {remove_directory, false}, {replace_group, true},
    };
    const struct { bool dies; int error; } ends[] = {{true, 0}, {false, ENOSPC}};
    int count = 0;
    reported = share(sizeof *reported);
    name_directory();
    for (size_t harm = 0; harm < sizeof harms / sizeof *harms; harm++) {
        for (size_t end = 0; end < sizeof ends / sizeof *ends; end++) {
            harm_to_call.dies = ends[end].dies;
            harm_to_call.error = ends[end].error;
            int number = 0;
            while (play(harms[harm].harm, harms[harm].is_replaced, number)) number++;
            count += number;
        }
    }
    FIGURES("; %d times a call did not succeed", count);
    return check_end();
}
