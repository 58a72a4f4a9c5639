/* The lock and the files of a group. */
#define _GNU_SOURCE
#include "directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

ctie_status status_of_errno(void) {
    switch (errno) {
    case ENOENT: return CTIE_E_NOT_FOUND;
    case ENOMEM: return CTIE_E_NO_MEMORY;
    case ENOSPC: case EDQUOT: return CTIE_E_NO_SPACE;
    default: return CTIE_E_SYSTEM;
    }
}

/* ---- Files ------------------------------------------------------------------------------------- */

ctie_status directory_open(directory *it, const char *path) {
    static const char *const FOLDERS[] = {"messages", "current", "durables", "members"};
    snprintf(it->path, sizeof it->path, "%s", path);
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

int directory_file(const directory *it, const char *folder, const char *name, int flags) {
    char path[NAME_MOST];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return errno = ENAMETOOLONG, -1;
    return openat(it->root, path, flags | O_CLOEXEC, 0600);
}

void directory_remove(const directory *it, const char *folder, const char *name) {
    char path[NAME_MOST];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlinkat(it->root, path, 0);
}

/* The lock is held, so that one name for new files is enough. */
static ctie_status give_name(const directory *it, const char *folder, const char *name) {
    char path[NAME_MOST];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return CTIE_E_INVALID;
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

ctie_status directory_replace(const directory *it, const char *folder, const char *name, const void *bytes, size_t size) {
    unlinkat(it->root, "new", 0); /* of a process that was killed, and perhaps the second name of a message's file */
    int file = openat(it->root, "new", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return status_of_errno();
    ctie_status status = write_all(file, (const char *)bytes, size) ? CTIE_OK : status_of_errno();
    if (close(file) != 0 && status == CTIE_OK) status = status_of_errno();
    return status == CTIE_OK ? give_name(it, folder, name) : status;
}

static int is_no_hidden(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static int by_bytes(const struct dirent **left, const struct dirent **right) {
    return strcmp((*left)->d_name, (*right)->d_name);
}

ctie_status directory_list(const directory *it, const char *folder, bool (*visit)(const char *, void *), void *context) {
    struct dirent **names = NULL;
    int count = scandirat(it->root, folder, &names, is_no_hidden, by_bytes);
    if (count < 0) return status_of_errno();
    bool goes_on = true;
    for (int i = 0; i < count; i++) {
        if (goes_on) goes_on = visit(names[i]->d_name, context);
        free(names[i]);
    }
    free(names);
    return CTIE_OK;
}

/* ---- What a message changes ----------------------------------------------------------------------- */

/* Makes a message's file the identifier's current one. */
static ctie_status make_current(const directory *it, uint64_t number, ctie_str id) {
    char from[NAME_MOST], to[ID_MOST];
    snprintf(from, sizeof from, "messages/%020llu", (unsigned long long)number);
    snprintf(to, sizeof to, "%.*s", (int)id.size, id.data);
    unlinkat(it->root, "new", 0);
    if (linkat(it->root, from, it->root, "new", 0) != 0) return status_of_errno();
    return give_name(it, "current", to);
}

typedef struct removal {
    const directory *in;
    char topic[ID_MOST];
} removal;

static bool remove_current(const char *name, void *context) {
    removal *it = (removal *)context;
    if (topic_covers(it->topic, ctie_str_from(name))) directory_remove(it->in, "current", name);
    return true;
}

/* Removes the current messages, and marks those before it: their files keep their places. */
static ctie_status destroy_before(const directory *it, uint64_t number, ctie_str id) {
    removal what = {it, "*"};
    if (id.size > 0) snprintf(what.topic, sizeof what.topic, "%.*s", (int)id.size, id.data);
    ctie_status status = directory_list(it, "current", remove_current, &what);
    for (uint64_t each = 1; each < number && status == CTIE_OK; each++) {
        stored old;
        if (message_at(it, each, &old) != CTIE_OK) continue;
        if (!old.is_destroyed && (id.size == 0 || topic_covers(what.topic, old.message.identifier))) {
            status = message_mark_destroyed(it, each);
        }
        message_free(&old);
    }
    return status;
}

/* Does what follows from a message, once more if it was done: a process may have been killed in the middle of it. */
static ctie_status conclude(const directory *it, uint64_t number) {
    stored message;
    ctie_status status = message_at(it, number, &message);
    if (status == CTIE_E_CORRUPT || status == CTIE_E_NOT_FOUND) return CTIE_OK;
    if (status != CTIE_OK) return status;
    ctie_str id = message.message.identifier;
    if (message.message.kind == CTIE_MESSAGE_VALUE) status = make_current(it, number, id);
    if (message.message.kind == CTIE_MESSAGE_DESTROYED) status = destroy_before(it, number, id);
    message_free(&message);
    return status;
}

/* ---- The lock ------------------------------------------------------------------------------------- */

static ctie_status write_counters(held *it) {
    const counters now = it->now;
    ssize_t size = pwrite(it->file, &now, sizeof now, 0);
    return size == (ssize_t)sizeof now ? CTIE_OK : CTIE_E_SYSTEM;
}

/* A process that is killed leaves the lock, but perhaps a message whose consequences are missing. */
static ctie_status finish_others_work(const directory *it, held *with) {
    if (with->now.concluded >= with->now.last) return CTIE_OK;
    for (; with->now.concluded < with->now.last; with->now.concluded++) {
        ctie_status status = conclude(it, with->now.concluded + 1);
        if (status != CTIE_OK) return status;
    }
    return write_counters(with);
}

/* Closing alone would not do: a child that this process has made meanwhile has the file, too, and keeps its lock. */
static void release(int file) {
    flock(file, LOCK_UN);
    close(file);
}

ctie_status directory_lock(const directory *it, held *out, int64_t timeout_ms) {
    int64_t end = now_ns() + timeout_ms * 1000000;
    memset(out, 0, sizeof *out);
    out->file = openat(it->root, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (out->file < 0) return status_of_errno();
    ctie_status status = CTIE_OK;
    while (flock(out->file, LOCK_EX | LOCK_NB) != 0 && status == CTIE_OK) {
        struct timespec pause = {0, 500000};
        if (errno != EWOULDBLOCK && errno != EINTR) status = CTIE_E_SYSTEM;
        if (now_ns() >= end) status = CTIE_E_TIMEOUT;
        nanosleep(&pause, NULL);
    }
    counters now = {0, 0, 0, 0};
    ssize_t size = status == CTIE_OK ? pread(out->file, &now, sizeof now, 0) : 0;
    if (size != 0 && size != (ssize_t)sizeof now) status = CTIE_E_CORRUPT;
    out->now = now;
    if (status == CTIE_OK) status = finish_others_work(it, out);
    if (status != CTIE_OK) release(out->file);
    return status;
}

ctie_status directory_new_id(held *it, uint64_t *out) {
    *out = ++it->now.ids;
    return write_counters(it);
}

ctie_status directory_unlock(held *it, bool has_changed) {
    it->now.changes += has_changed;
    ctie_status status = has_changed ? write_counters(it) : CTIE_OK;
    release(it->file);
    return status;
}
