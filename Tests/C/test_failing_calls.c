/*
 * System calls that fail: each kind, and each call of that kind in turn. Every failure has its status; the process
 * survives; and the next process finds a group in order, with every acknowledged message.
 */
#define _GNU_SOURCE
#include "group.h"
#include "interpose.h"

#include <fcntl.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>

/* Which kind of call fails, how many of it go well before, and how many have been made. */
static struct { const char *name; int error, after, calls; _Atomic bool is_on; } failing;

static bool fails(const char *name) {
    if (!failing.is_on || strcmp(failing.name, name) != 0) return false;
    if (failing.calls++ != failing.after) return false;
    errno = failing.error;
    return true;
}

int open(const char *path, int flags, ...) {
    static int (*real)(const char *, int, ...);
    va_list more;
    va_start(more, flags);
    int mode = flags & O_CREAT ? va_arg(more, int) : 0;
    va_end(more);
    FIND_REAL(real, "open");
    return fails("open") ? -1 : real(path, flags, mode);
}

int openat(int directory_file, const char *path, int flags, ...) {
    static int (*real)(int, const char *, int, ...);
    va_list more;
    va_start(more, flags);
    int mode = flags & O_CREAT ? va_arg(more, int) : 0;
    va_end(more);
    FIND_REAL(real, "openat");
    return fails("openat") ? -1 : real(directory_file, path, flags, mode);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) {
    static ssize_t (*real)(int, const void *, size_t, off_t);
    FIND_REAL(real, "pwrite");
    return fails("pwrite") ? -1 : real(file, bytes, size, offset);
}

ssize_t pread(int file, void *bytes, size_t size, off_t offset) {
    static ssize_t (*real)(int, void *, size_t, off_t);
    FIND_REAL(real, "pread");
    return fails("pread") ? -1 : real(file, bytes, size, offset);
}

ssize_t write(int file, const void *bytes, size_t size) {
    static ssize_t (*real)(int, const void *, size_t);
    FIND_REAL(real, "write");
    return fails("write") ? -1 : real(file, bytes, size);
}

int posix_fallocate(int file, off_t offset, off_t size) {
    static int (*real)(int, off_t, off_t);
    FIND_REAL(real, "posix_fallocate");
    return fails("posix_fallocate") ? errno : real(file, offset, size);
}

int ftruncate(int file, off_t size) {
    static int (*real)(int, off_t);
    FIND_REAL(real, "ftruncate");
    return fails("ftruncate") ? -1 : real(file, size);
}

void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) {
    static void *(*real)(void *, size_t, int, int, int, off_t);
    FIND_REAL(real, "mmap");
    return fails("mmap") ? MAP_FAILED : real(address, size, protection, flags, file, offset);
}

int fdatasync(int file) {
    static int (*real)(int);
    FIND_REAL(real, "fdatasync");
    return fails("fdatasync") ? -1 : real(file);
}

int fsync(int file) {
    static int (*real)(int);
    FIND_REAL(real, "fsync");
    return fails("fsync") ? -1 : real(file);
}

int msync(void *address, size_t size, int flags) {
    static int (*real)(void *, size_t, int);
    FIND_REAL(real, "msync");
    return fails("msync") ? -1 : real(address, size, flags);
}

int flock(int file, int operation) {
    static int (*real)(int, int);
    FIND_REAL(real, "flock");
    return fails("flock") ? -1 : real(file, operation);
}

int renameat(int from, const char *name, int to, const char *new_name) {
    static int (*real)(int, const char *, int, const char *);
    FIND_REAL(real, "renameat");
    return fails("renameat") ? -1 : real(from, name, to, new_name);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    FIND_REAL(real, "pthread_create");
    return fails("pthread_create") ? errno : real(thread, attributes, start, argument);
}

static const struct { const char *name; int error; } kinds[] = {
    {"open", EMFILE}, {"open", EACCES}, {"openat", EMFILE}, {"openat", ENFILE}, {"pread", EIO}, {"pwrite", ENOSPC},
    {"pwrite", EIO}, {"write", ENOSPC}, {"posix_fallocate", ENOSPC}, {"posix_fallocate", EDQUOT},
    {"posix_fallocate", EFBIG}, {"ftruncate", ENOSPC}, {"mmap", ENOMEM}, {"fdatasync", EIO}, {"fsync", EIO},
    {"msync", EIO}, {"flock", ENOLCK}, {"renameat", ENOSPC}, {"pthread_create", EAGAIN},
};

/* ---- What is done meanwhile ---------------------------------------------------------------------- */

/* The child's report. */
static struct { _Atomic int64_t acknowledged; _Atomic int calls, failures; } *reported;

static bool is_well(ctie_status status) {
    if (status != CTIE_OK) reported->failures++;
    return status == CTIE_OK;
}

static int work(void *user_data) {
    ctie_wormhole_options options = group_options(*(const uint32_t *)user_data);
    ctie_wormhole *wormhole = NULL;
    struct ear ear = {0};
    alarm(60);
    failing.is_on = failing.name != NULL;
    options.map_size = 1 << 20;
    options.max_map_size = 4 << 20;
    if (!is_well(ctie_wormhole_open(CTIE_STR("test"), &options, &wormhole, NULL))) goto out;
    is_well(ctie_wormhole_listen(wormhole, CTIE_STR("a"), CTIE_RECEIVER_OWNED(receive, &ear, forget), NULL, NULL, NULL));
    for (int64_t i = reported->acknowledged + 1, end = i + 3; i < end; i++) {
        if (is_well(pass_int(wormhole, "a", i))) reported->acknowledged = i;
    }
    /* More than there is room for, so that the store has to grow. */
    for (int i = 0; i < 8; i++) {
        char identifier[16];
        snprintf(identifier, sizeof identifier, "b.%d", i % 4);
        is_well(i < 4 ? pass_bytes(wormhole, identifier, 400000)
                      : ctie_wormhole_destroy(wormhole, ctie_str_from(identifier), NULL, NULL, NULL));
    }
    ctie_wormhole_release(wormhole);
out:
    reported->calls = failing.calls;
    return 0;
}

/* No call fails now: everything acknowledged is present, and nothing else has changed. */
static void check_after(uint32_t flags) {
    ctie_wormhole_options options = group_options(flags);
    int failures = checks_failed;
    ctie_wormhole *wormhole = open_group_with(&options);
    int64_t stored = stored_int(wormhole, CTIE_STR("a"));
    CHECK(stored == reported->acknowledged);
    CHECK_STATUS(pass_int(wormhole, "c", 1), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    if (checks_failed > failures) fprintf(stderr, "    after %s failed, call %d\n", failing.name, failing.after + 1);
    reported->acknowledged = stored;
}

static struct { int calls, failures; } tally;

/* Fails the first call of a kind, the second one and so on, until the work is done without one that could fail. */
static void test_kind(int kind, uint32_t flags, bool anew) {
    for (int after = 0;; after++) {
        if (anew) remove_directory(), reported->acknowledged = -1;
        failing.name = kinds[kind].name, failing.error = kinds[kind].error;
        failing.after = after, failing.calls = 0;
        reported->failures = 0;
        int end = in_child(work, &flags);
        CHECK(end == 0);
        if (end != 0) fprintf(stderr, "    as %s failed, call %d: %d\n", failing.name, after + 1, end);
        check_after(flags);
        tally.failures += reported->failures;
        if (end != 0 || reported->calls <= after) break;
        tally.calls++;
    }
}

static void test_all_kinds(uint32_t flags, bool anew) {
    int count = sizeof kinds / sizeof *kinds;
    for (int kind = 0; kind < count; kind++) test_kind(kind, flags, anew);
    remove_directory();
    reported->acknowledged = -1;
    failing.name = NULL;
}

/* ---- No descriptors ------------------------------------------------------------------------------ */

static int open_with_few(void *argument) {
    struct rlimit limit = {*(rlim_t *)argument, *(rlim_t *)argument};
    uint32_t flags = 0;
    setrlimit(RLIMIT_NOFILE, &limit);
    return work(&flags);
}

static void test_few_descriptors(void) {
    int failures = 0;
    for (rlim_t most = 0; most < 24; most++) {
        reported->failures = 0;
        CHECK(in_child(open_with_few, &most) == 0);
        failures += reported->failures > 0;
        check_after(0);
    }
    CHECK(failures > 0);
    remove_directory();
}

int main(void) {
    name_directory();
    reported = share(sizeof *reported);
    test_all_kinds(0, true);
    test_all_kinds(0, false);
    test_all_kinds(CTIE_WORMHOLE_FAST, true);
    test_all_kinds(CTIE_WORMHOLE_SYSTEM, true);
    test_all_kinds(CTIE_WORMHOLE_SYSTEM, false);
    test_few_descriptors();
    FIGURES("; %d system calls failed, one at a time: %d statuses, no process ended", tally.calls, tally.failures);
    return check_end();
}
