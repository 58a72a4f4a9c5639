/* The files of a group. */
#define _GNU_SOURCE
#include "directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- Clocks, statuses, names ---------------------------------------------------------------------- */

static int64_t clock_ns(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t now_ns(void) { return clock_ns(CLOCK_REALTIME); }

int64_t steady_ns(void) { return clock_ns(CLOCK_MONOTONIC); }

ctie_status status_of_errno(void) {
    switch (errno) {
    case ENOENT: return CTIE_E_NOT_FOUND;
    case ENOMEM: return CTIE_E_NO_MEMORY;
    case ENOSPC: case EDQUOT: return CTIE_E_NO_SPACE;
    case EACCES: case EPERM: case EROFS: return CTIE_E_DENIED;
    default: return CTIE_E_SYSTEM;
    }
}

ctie_status copy_text(char *to, size_t room, ctie_str text) {
    if (text.size >= room || (text.size > 0 && memchr(text.data, 0, text.size) != NULL)) return CTIE_E_INVALID;
    if (text.size > 0) memcpy(to, text.data, text.size);
    to[text.size] = 0;
    return CTIE_OK;
}

void name_of(uint64_t number, char out[NUMBER_MOST]) {
    snprintf(out, NUMBER_MOST, "%020llu", (unsigned long long)number); /* 20 digits are the most */
}

/* The path of a file inside the directory; false, with errno, if it does not fit. */
static bool path_of(const char *folder, const char *name, char out[NAME_MOST]) {
    int size = snprintf(out, NAME_MOST, "%s/%s", folder, name);
    if (size >= 0 && size < NAME_MOST) return true;
    errno = ENAMETOOLONG;
    return false;
}

/* ---- The directory ------------------------------------------------------------------------------ */

ctie_status directory_open(directory *it, const char *path) {
    static const char *const FOLDERS[] = {"messages", "current", "durables", "members"};
    if (mkdir(path, 0700) != 0 && errno != EEXIST) return status_of_errno();
    it->root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (it->root < 0) return status_of_errno();
    for (size_t i = 0; i < sizeof FOLDERS / sizeof *FOLDERS; i++) {
        if (mkdirat(it->root, FOLDERS[i], 0700) != 0 && errno != EEXIST) return status_of_errno();
    }
    return CTIE_OK;
}

void directory_close(directory *it) {
    if (it->root >= 0) close(it->root);
    it->root = -1;
}

static int is_visible(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static int by_bytes(const struct dirent **left, const struct dirent **right) {
    return strcmp((*left)->d_name, (*right)->d_name);
}

ctie_status directory_list(const directory *it, const char *folder, bool (*visit)(const char *, void *),
                           void *context) {
    struct dirent **names = NULL;
    int count = scandirat(it->root, folder, &names, is_visible, by_bytes);
    if (count < 0) return status_of_errno();
    bool goes_on = true;
    for (int i = 0; i < count; i++) {
        if (goes_on) goes_on = visit(names[i]->d_name, context);
        free(names[i]);
    }
    free(names);
    return CTIE_OK;
}

/* ---- Files ------------------------------------------------------------------------------------- */

int directory_file(const directory *it, const char *folder, const char *name, int flags) {
    char path[NAME_MOST];
    return path_of(folder, name, path) ? openat(it->root, path, flags | O_CLOEXEC, 0600) : -1;
}

ctie_status directory_remove(const directory *it, const char *folder, const char *name) {
    char path[NAME_MOST];
    if (!path_of(folder, name, path)) return status_of_errno();
    return unlinkat(it->root, path, 0) == 0 || errno == ENOENT ? CTIE_OK : status_of_errno();
}

/* The lock is held, so one name for new files is enough. A process that was killed may have left a file of that name,
   also as the second name of a message's file. */
static ctie_status remove_new(const directory *it) {
    return unlinkat(it->root, "new", 0) == 0 || errno == ENOENT ? CTIE_OK : status_of_errno();
}

static ctie_status rename_new(const directory *it, const char *folder, const char *name) {
    char path[NAME_MOST];
    if (!path_of(folder, name, path)) return status_of_errno();
    return renameat(it->root, "new", it->root, path) == 0 ? CTIE_OK : status_of_errno();
}

static bool write_all(int file, const char *bytes, size_t size) {
    while (size > 0) {
        ssize_t count = write(file, bytes, size);
        if (count < 0 && errno != EINTR) return false;
        if (count > 0) bytes += count, size -= (size_t)count;
    }
    return true;
}

ctie_status directory_replace(const directory *it, const char *folder, const char *name, const void *bytes,
                              size_t size) {
    ctie_status status = remove_new(it);
    if (status != CTIE_OK) return status;
    int file = openat(it->root, "new", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return status_of_errno();
    if (!write_all(file, (const char *)bytes, size)) status = status_of_errno();
    if (close(file) != 0 && status == CTIE_OK) status = status_of_errno();
    return status == CTIE_OK ? rename_new(it, folder, name) : status;
}

ctie_status directory_link(const directory *it, const char *from, const char *folder, const char *name) {
    char path[NAME_MOST];
    ctie_status status = remove_new(it);
    if (status != CTIE_OK) return status;
    if (!path_of("messages", from, path) || linkat(it->root, path, it->root, "new", 0) != 0) return status_of_errno();
    return rename_new(it, folder, name);
}

ssize_t read_whole(int file, void *to, size_t size) {
    size_t total = 0;
    while (total < size) {
        ssize_t count = read(file, (char *)to + total, size - total);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return -1;
        if (count == 0) break;
        total += (size_t)count;
    }
    return (ssize_t)total;
}
