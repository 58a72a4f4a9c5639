/*
 * The writes of a process to a group's data.mdb, its syncs, and the results reported to it meanwhile, in order. The
 * program interposes the functions by which LMDB writes.
 */
#ifndef WRITE_LOG_H
#define WRITE_LOG_H

#include "group.h"
#include "interpose.h"

#include <fcntl.h>
#include <sys/uio.h>

enum logged {
    LOGGED_WRITE,    /* bytes, at an offset */
    LOGGED_SIZE,     /* the file has so many bytes */
    LOGGED_SYNC,     /* everything logged before the position `offset` is on the disk */
    LOGGED_SYNC_ONE, /* the write at the position `offset` is on the disk */
    LOGGED_ANSWER,   /* the sender with number `size` got the report that its message `offset` is safe */
};

struct log_entry {
    enum logged kind;
    uint32_t size; /* of the bytes that follow, if it is a write */
    uint64_t offset;
};

/* Shared between the writer and its reader. */
struct write_log {
    pthread_mutex_t lock;
    _Atomic bool is_on;
    size_t used;
    unsigned char bytes[64 << 20];
};

static struct write_log *write_log;

static inline void write_log_make(void) {
    write_log = share(sizeof *write_log);
    pthread_mutex_init(&write_log->lock, NULL);
}

/* The size of an entry with its bytes, so that the next one lies right. */
static inline size_t entry_stride(const struct log_entry *entry) {
    size_t bytes = entry->kind == LOGGED_WRITE ? entry->size : 0;
    return (sizeof *entry + bytes + 7) & ~(size_t)7;
}

/* Gives the entry's position in the log. */
static inline size_t log_event(enum logged kind, uint64_t offset, const void *bytes, uint32_t size) {
    struct log_entry entry = {kind, size, offset};
    pthread_mutex_lock(&write_log->lock);
    size_t position = write_log->used;
    if (position + entry_stride(&entry) > sizeof write_log->bytes) abort();
    memcpy(write_log->bytes + position, &entry, sizeof entry);
    if (kind == LOGGED_WRITE) memcpy(write_log->bytes + position + sizeof entry, bytes, size);
    write_log->used += entry_stride(&entry);
    pthread_mutex_unlock(&write_log->lock);
    return position;
}

static inline bool is_logged(int file) {
    char link[32], path[256];
    if (write_log == NULL || !write_log->is_on) return false;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t size = readlink(link, path, sizeof path - 1);
    return size >= 9 && memcmp(path + size - 9, "/data.mdb", 9) == 0;
}

static inline void log_write(int file, const void *bytes, ssize_t size, off_t offset) {
    if (size <= 0) return;
    size_t position = log_event(LOGGED_WRITE, (uint64_t)offset, bytes, (uint32_t)size);
    if (fcntl(file, F_GETFL) & O_DSYNC) log_event(LOGGED_SYNC_ONE, position, NULL, 0);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) {
    static ssize_t (*real)(int, const void *, size_t, off_t);
    FIND_REAL(real, "pwrite");
    ssize_t written = real(file, bytes, size, offset);
    if (is_logged(file)) log_write(file, bytes, written, offset);
    return written;
}

ssize_t writev(int file, const struct iovec *pieces, int count) {
    static ssize_t (*real)(int, const struct iovec *, int);
    FIND_REAL(real, "writev");
    off_t offset = lseek(file, 0, SEEK_CUR);
    ssize_t written = real(file, pieces, count), rest = written;
    for (int i = 0; i < count && rest > 0 && is_logged(file); i++) {
        ssize_t size = rest < (ssize_t)pieces[i].iov_len ? rest : (ssize_t)pieces[i].iov_len;
        log_write(file, pieces[i].iov_base, size, offset);
        offset += size;
        rest -= size;
    }
    return written;
}

ssize_t write(int file, const void *bytes, size_t size) {
    static ssize_t (*real)(int, const void *, size_t);
    FIND_REAL(real, "write");
    if (!is_logged(file)) return real(file, bytes, size);
    off_t offset = lseek(file, 0, SEEK_CUR);
    ssize_t written = real(file, bytes, size);
    log_write(file, bytes, written, offset);
    return written;
}

/* Data written while a sync runs need not be on the disk after it. */
static inline int logged_sync(int file, int (*real)(int)) {
    if (!is_logged(file)) return real(file);
    size_t before = write_log->used;
    int result = real(file);
    if (result == 0) log_event(LOGGED_SYNC, before, NULL, 0);
    return result;
}

int fdatasync(int file) {
    static int (*real)(int);
    FIND_REAL(real, "fdatasync");
    return logged_sync(file, real);
}

int fsync(int file) {
    static int (*real)(int);
    FIND_REAL(real, "fsync");
    return logged_sync(file, real);
}

int posix_fallocate(int file, off_t offset, off_t size) {
    static int (*real)(int, off_t, off_t);
    FIND_REAL(real, "posix_fallocate");
    int result = real(file, offset, size);
    if (result == 0 && is_logged(file)) log_event(LOGGED_SIZE, (uint64_t)(offset + size), NULL, 0);
    return result;
}

#endif
