/* The lock of a group, and the consequences of messages. */
#define _GNU_SOURCE
#include "directory.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

/* ---- The consequences of a message --------------------------------------------------------------- */

/* Makes a message's file the identifier's current one. */
static ctie_status make_current(const directory *it, uint64_t number, ctie_str id) {
    char from[NUMBER_MOST], to[ID_MOST];
    name_of(number, from);
    ctie_status status = copy_text(to, sizeof to, id);
    return status == CTIE_OK ? directory_link(it, from, "current", to) : status;
}

typedef struct removal {
    const directory *in;
    char topic[ID_MOST];
    ctie_status status;
} removal;

static bool remove_current(const char *name, void *context) {
    removal *it = (removal *)context;
    if (topic_covers(it->topic, ctie_str_from(name))) it->status = directory_remove(it->in, "current", name);
    return it->status == CTIE_OK;
}

/* Marks a message if the topic covers it. Damaged and missing files are no messages. */
static ctie_status destroy_one(const directory *it, uint64_t number, const char *topic, bool is_everything) {
    stored old;
    ctie_status status = message_at(it, number, &old);
    if (status == CTIE_E_NOT_FOUND || status == CTIE_E_CORRUPT) return CTIE_OK;
    if (status != CTIE_OK) return status;
    bool is_covered = is_everything || topic_covers(topic, old.message.identifier);
    if (is_covered && !old.is_destroyed) status = message_mark_destroyed(it, number);
    message_free(&old);
    return status;
}

/* Removes the current messages, and marks those before it: their files keep their places. */
static ctie_status destroy_before(const directory *it, uint64_t number, ctie_str id) {
    removal what = {it, "*", CTIE_OK};
    ctie_status status = id.size > 0 ? copy_text(what.topic, sizeof what.topic, id) : CTIE_OK;
    if (status == CTIE_OK) status = directory_list(it, "current", remove_current, &what);
    if (status == CTIE_OK) status = what.status;
    for (uint64_t each = 1; each < number && status == CTIE_OK; each++) {
        status = destroy_one(it, each, what.topic, id.size == 0);
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

/* ---- The counters ------------------------------------------------------------------------------- */

static ctie_status read_counters(held *it) {
    counters now = {0, 0, 0, 0};
    ssize_t size = pread(it->file, &now, sizeof now, 0);
    if (size < 0) return status_of_errno();
    it->now = now;
    return size == 0 || size == (ssize_t)sizeof now ? CTIE_OK : CTIE_E_CORRUPT; /* empty: the file is new */
}

/* They are a few bytes at the beginning of the file's first page, so that all of them are written or none. */
ctie_status directory_commit(held *it) {
    const counters now = it->now;
    ssize_t size = pwrite(it->file, &now, sizeof now, 0);
    if (size < 0) return status_of_errno();
    return size == (ssize_t)sizeof now ? CTIE_OK : CTIE_E_SYSTEM;
}

/* A process that is killed leaves the lock, but perhaps a message whose consequences are missing. */
static ctie_status finish_others_work(const directory *it, held *with) {
    if (with->now.concluded >= with->now.last) return CTIE_OK;
    for (; with->now.concluded < with->now.last; with->now.concluded++) {
        ctie_status status = conclude(it, with->now.concluded + 1);
        if (status != CTIE_OK) return status;
    }
    return directory_commit(with);
}

/* ---- The lock ------------------------------------------------------------------------------------- */

/* Closing alone would not do: a child that this process has made meanwhile has the file, too, and keeps its lock. */
static void release(int file) {
    flock(file, LOCK_UN);
    close(file);
}

static ctie_status take(int file, int64_t timeout_ms) {
    const int64_t most_ms = INT64_MAX / 2000000;
    int64_t end = steady_ns() + (timeout_ms < most_ms ? timeout_ms : most_ms) * 1000000;
    const struct timespec pause = {0, 500000};
    while (flock(file, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) return status_of_errno();
        if (steady_ns() >= end) return CTIE_E_TIMEOUT;
        nanosleep(&pause, NULL);
    }
    return CTIE_OK;
}

ctie_status directory_lock(const directory *it, held *out, int64_t timeout_ms) {
    memset(out, 0, sizeof *out);
    out->file = openat(it->root, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    /* Without its directory the group cannot be reached: that is no answer about what is in it. */
    if (out->file < 0) return errno == ENOENT ? CTIE_E_UNAVAILABLE : status_of_errno();
    ctie_status status = take(out->file, timeout_ms);
    if (status == CTIE_OK) status = read_counters(out);
    if (status == CTIE_OK) status = finish_others_work(it, out);
    if (status != CTIE_OK) release(out->file);
    return status;
}

ctie_status directory_new_id(held *it, uint64_t *out) {
    *out = ++it->now.ids;
    return directory_commit(it);
}

ctie_status directory_unlock(held *it, bool has_changed) {
    it->now.changes += has_changed;
    ctie_status status = has_changed ? directory_commit(it) : CTIE_OK;
    release(it->file);
    return status;
}
