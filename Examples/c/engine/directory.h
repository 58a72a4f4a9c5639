/*
 * The files of a group. One process at a time holds the lock, and only then reads or changes anything.
 *
 * - lock: the counters below. flock() locks it, and a change of it wakes the other processes.
 *
 * - messages/<number>: a message.
 *
 * - current/<id>: the newest value of an identifier, as a second name (a hard link) of its message's file.
 *
 * - durables/<number>: a durable consumer, with its position and the messages that listeners have in hand.
 *
 * - members/<number>: a member, which holds a flock() on it as long as it lives.
 */
#ifndef DIRECTORY_H
#define DIRECTORY_H

#include <crosstie.h>

#include <sys/types.h>

enum { PATH_MOST = 512, ID_MOST = 132, NAME_MOST = 256, NUMBER_MOST = 24 };

typedef struct counters {
    uint64_t last;      /* the number of the newest message */
    uint64_t concluded; /* up to this message, current/ is right */
    uint64_t ids;       /* the last number of a member or a durable consumer */
    uint64_t changes;   /* any other change */
} counters;

typedef struct directory {
    int root; /* its descriptor */
} directory;

/* The lock, while it is held. */
typedef struct held {
    int file;
    counters now;
} held;

/* A message that was read from its file. */
typedef struct stored {
    ctie_engine_message message; /* points into `bytes` and `headers` */
    bool is_destroyed;
    char *bytes;
    ctie_header *headers;
} stored;

/* After an error, too, directory_close() is called. */
ctie_status directory_open(directory *it, const char *path);
void directory_close(directory *it);

/* Waits for the lock, at most so long. */
ctie_status directory_lock(const directory *it, held *out, int64_t timeout_ms);
/* Writes the counters, which wakes the other processes. After an error the file has the ones before. */
ctie_status directory_commit(held *it);
/* Releases the lock; first notes that something else has changed, if so, and returns whether that could be written. */
ctie_status directory_unlock(held *it, bool has_changed);

/* A number that no member and no durable consumer has had, also if this process is killed at once. */
ctie_status directory_new_id(held *it, uint64_t *out);

/* Opens a file of a folder, as openat() does. */
int directory_file(const directory *it, const char *folder, const char *name, int flags);
/* Writes a file so that a process which is killed leaves the old one or the new one. */
ctie_status directory_replace(const directory *it, const char *folder, const char *name, const void *bytes,
                              size_t size);
/* Gives a message's file, written before, a second name. */
ctie_status directory_link(const directory *it, const char *from, const char *folder, const char *name);
/* CTIE_OK also if there is no such file. */
ctie_status directory_remove(const directory *it, const char *folder, const char *name);
/* Calls `visit` with the names in a folder, sorted, until it returns false. */
ctie_status directory_list(const directory *it, const char *folder, bool (*visit)(const char *name, void *context),
                           void *context);
/* Reads until so many bytes are there, or the file ends. Returns their number, or -1. */
ssize_t read_whole(int file, void *to, size_t size);

/* Message number last + 1 exists when its file is written and `last` is raised. */
ctie_status message_write(const directory *it, uint64_t number, const ctie_engine_message *message);
/* CTIE_E_NOT_FOUND if there is no such file. After CTIE_OK, message_free(). */
ctie_status message_read(const directory *it, const char *folder, const char *name, stored *out);
ctie_status message_at(const directory *it, uint64_t number, stored *out);
ctie_status message_mark_destroyed(const directory *it, uint64_t number);
void message_free(stored *it);

bool topic_covers(const char *topic, ctie_str identifier); /* the empty identifier is everything */
bool has_expired(const stored *it);

/* CTIE_E_INVALID if the text does not fit as a whole, or has a NUL in it. */
ctie_status copy_text(char *to, size_t room, ctie_str text);
void name_of(uint64_t number, char out[NUMBER_MOST]);

int64_t now_ns(void);    /* since 1970, as in messages and files: somebody may set this clock */
int64_t steady_ns(void); /* for deadlines: nobody sets this clock, and each start of the machine begins it again */
ctie_status status_of_errno(void);

#endif
