/* A host's own transport: all records of a group in one file, which several processes may change at once. */
#ifndef HOST_TRANSPORT_H
#define HOST_TRANSPORT_H

#include "check.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/** The mistakes that a host may make. */
enum host_fault {
    HOST_WELL,
    HOST_ANSWERS_ANYTHING, /* statuses that are none, or not for this */
    HOST_SHOWS_GARBAGE,    /* records of random bytes */
    HOST_SHOWS_DISORDER,   /* from another position on, in another direction */
    HOST_SHOWS_NULL,       /* sizes without data */
    HOST_LIES_ABOUT_SIZES, /* enormous ones */
    HOST_FAILS_HALF,       /* every other commit is refused, or done and said to be refused */
    HOST_GOES_BACK,        /* versions that are not the newest */
    HOST_LOSES_ANSWERS,    /* one of ten, of what was done and of what was not */
    HOST_FAULTS
};

/** The fate of the next commit. */
enum host_loss {
    HOST_LOSES_NOTHING,
    HOST_LOSES_ANSWER,  /* it is made, and its answer lost */
    HOST_LOSES_REQUEST, /* it is not made */
    HOST_HOLDS,         /* it is made just before the next one */
};

/** The file's content: the version, then for each record the sizes of key and record, and both. */
typedef struct image {
    uint64_t version;
    uint8_t *bytes;
    size_t size;
} image;

/** The user_data of one wormhole. */
typedef struct host {
    char file[96], lock[96];
    pthread_mutex_t mutex;
    _Atomic enum host_fault fault;
    _Atomic uint32_t random;
    _Atomic int destroyed;
    _Atomic int asked; /* how often for the version */
    _Atomic uint64_t behind; /* how much older it says that it is */
    /* Of the next commit, whose answer is `lost_answer`, or else CTIE_E_UNCERTAIN; and whether nothing can be read from
       then on. */
    _Atomic enum host_loss loses;
    _Atomic ctie_status lost_answer;
    _Atomic bool then_away;
    _Atomic bool away;       /* nothing can be reached */
    _Atomic bool waits_away; /* likewise, and each function takes all the time that it is given */
    _Atomic int nap_ms;      /* how long each function takes */
    void (*take)(int64_t milliseconds); /* how it does; NULL: it sleeps */
    /* The times that functions were given: their number and sum, the last one, how many were over the one before. */
    _Atomic int64_t times, time_sum, last_time, risen;
    uint8_t tokens[4][CTIE_TRANSPORT_TOKEN_SIZE]; /* of the last commits, the newest first */
    _Atomic int commits;
    _Atomic uint64_t max_commit_size;
    _Atomic int gets, most_keys; /* how often single records were asked for, and how many at once */
    _Atomic bool gives_others;   /* records that it was not asked for */
    /* Done inside each function, if it is set: for functions that call the library. */
    void (*meanwhile)(struct host *);
    image *memory; /* in place of the file, for hosts of one process */
    _Atomic(image *) lagging; /* the records and the version that are shown, if it lags behind */
    image held;               /* the records with the commit that is held */
    uint64_t member;          /* its number, for transports that know their members */
} host;

typedef struct entry {
    ctie_bytes key, record;
    size_t end; /* where the next one is */
} entry;

static inline uint32_t host_random(host *it) {
    uint32_t next = it->random * 1664525u + 1013904223u;
    it->random = next;
    return next >> 8;
}

/* ---- The file ------------------------------------------------------------------------------------ */

static inline entry entry_at(const image *from, size_t position) {
    uint32_t sizes[2];
    memcpy(sizes, from->bytes + position, sizeof sizes);
    const uint8_t *data = from->bytes + position + sizeof sizes;
    return (entry){{data, sizes[0]}, {data + sizes[0], sizes[1]}, position + sizeof sizes + sizes[0] + sizes[1]};
}

static inline int compare_keys(ctie_bytes left, ctie_bytes right) {
    size_t common = left.size < right.size ? left.size : right.size;
    int order = common == 0 ? 0 : memcmp(left.data, right.data, common);
    return order != 0 ? order : (left.size > right.size) - (left.size < right.size);
}

/** The position of the first record that is not before `key`. */
static inline size_t position_of(const image *from, ctie_bytes key) {
    size_t position = 0;
    while (position < from->size && compare_keys(entry_at(from, position).key, key) < 0) {
        position = entry_at(from, position).end;
    }
    return position;
}

static inline image read_image(host *it) {
    image found = {0, NULL, 0};
    if (it->memory != NULL) {
        found = *it->memory;
        found.bytes = malloc(found.size + 1);
        if (found.size > 0) { memcpy(found.bytes, it->memory->bytes, found.size); }
        return found;
    }
    int file = open(it->file, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file >= 0 && fstat(file, &status) == 0 && status.st_size >= (off_t)sizeof found.version) {
        found.size = (size_t)status.st_size - sizeof found.version;
        found.bytes = malloc(found.size + 1);
        if (read(file, &found.version, sizeof found.version) < 0 || read(file, found.bytes, found.size) < 0) { abort(); }
    }
    if (file >= 0) { close(file); }
    return found;
}

/** Puts a new file in the place of the old one, so that a process that is killed leaves the one or the other. */
static inline void write_image(host *it, const image *from) {
    char fresh[128];
    if (it->memory != NULL) {
        free(it->memory->bytes);
        *it->memory = *from;
        it->memory->bytes = malloc(from->size + 1);
        if (from->size > 0) { memcpy(it->memory->bytes, from->bytes, from->size); }
        return;
    }
    snprintf(fresh, sizeof fresh, "%s.%d", it->file, (int)getpid());
    int file = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (write(file, &from->version, sizeof from->version) < 0 || write(file, from->bytes, from->size) < 0) { abort(); }
    close(file);
    if (rename(fresh, it->file) != 0) { abort(); }
}

/** Reads the records that the host shows. */
static inline image read_shown(host *it) {
    image *lagging = it->lagging;
    if (lagging == NULL) { return read_image(it); }
    image found = {lagging->version, malloc(lagging->size + 1), lagging->size};
    if (found.size > 0) { memcpy(found.bytes, lagging->bytes, found.size); }
    return found;
}

static inline void replace(image *in, size_t from, size_t to, const void *bytes, size_t size) {
    uint8_t *fresh = malloc(in->size + size + 1);
    if (from > 0) { memcpy(fresh, in->bytes, from); }
    if (size > 0) { memcpy(fresh + from, bytes, size); }
    if (in->size > to) { memcpy(fresh + from + size, in->bytes + to, in->size - to); }
    free(in->bytes);
    in->bytes = fresh;
    in->size += size - (to - from);
}

static inline void apply(image *to, const ctie_transport_change *change) {
    if (change->key.size == 0) {
        to->size = 0;
        return;
    }
    size_t from = position_of(to, change->key), end = from;
    if (from < to->size && compare_keys(entry_at(to, from).key, change->key) == 0) { end = entry_at(to, from).end; }
    if (change->record.data == NULL) { return replace(to, from, end, NULL, 0); }
    uint32_t sizes[2] = {(uint32_t)change->key.size, (uint32_t)change->record.size};
    size_t size = sizeof sizes + change->key.size + change->record.size;
    uint8_t *bytes = malloc(size);
    memcpy(bytes, sizes, sizeof sizes);
    memcpy(bytes + sizeof sizes, change->key.data, change->key.size);
    memcpy(bytes + sizeof sizes + change->key.size, change->record.data, change->record.size);
    replace(to, from, end, bytes, size);
    free(bytes);
}

/** Keeps other threads and processes out; gives what host_unlock() takes. */
static inline int host_lock(host *it) {
    pthread_mutex_lock(&it->mutex);
    int lock = open(it->lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock < 0 || flock(lock, LOCK_EX) != 0) { abort(); }
    return lock;
}

static inline void host_unlock(host *it, int lock) {
    close(lock);
    pthread_mutex_unlock(&it->mutex);
}

/* ---- What is wrong ------------------------------------------------------------------------------- */

static inline void host_sleep(int64_t milliseconds) {
    struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    while (nanosleep(&left, &left) != 0) { continue; }
}

/** A status to answer instead of doing the work; 0 for none. */
static inline ctie_status host_begin(host *it, int64_t timeout_ms) {
    if (it->meanwhile != NULL) { it->meanwhile(it); }
    CHECK(timeout_ms >= 1);
    it->risen += it->times > 0 && timeout_ms > it->last_time;
    it->last_time = timeout_ms;
    it->times++;
    it->time_sum += timeout_ms;
    void (*take)(int64_t) = it->take != NULL ? it->take : host_sleep;
    if (it->nap_ms > 0) { take(it->nap_ms); }
    if (it->waits_away) { take(timeout_ms); }
    if (it->waits_away || it->away) { return CTIE_E_UNAVAILABLE; }
    if (it->fault != HOST_ANSWERS_ANYTHING || host_random(it) % 3 != 0) { return CTIE_OK; }
    static const ctie_status ANY[] = {1, 2, -1, -10, -31, -33, -22, -1000, INT32_MIN, INT32_MAX, CTIE_E_NOT_FOUND};
    return ANY[host_random(it) % (sizeof ANY / sizeof *ANY)];
}

/** Shows a record as a host does that is wrong. */
static inline bool show(host *it, entry found, ctie_transport_visit_fn visit, void *context) {
    static uint8_t noise[600];
    bool now = host_random(it) % 2 == 0;
    for (size_t i = 0; now && i < sizeof noise; i++) { noise[i] = (uint8_t)host_random(it); }
    if (now && it->fault == HOST_SHOWS_GARBAGE) {
        if (host_random(it) % 4 == 0) { found.key = (ctie_bytes){noise, host_random(it) % sizeof noise}; }
        found.record = (ctie_bytes){noise, host_random(it) % sizeof noise};
    }
    if (now && it->fault == HOST_SHOWS_NULL) { (host_random(it) % 2 == 0 ? &found.key : &found.record)->data = NULL; }
    if (now && it->fault == HOST_LIES_ABOUT_SIZES) {
        static const size_t LIES[] = {SIZE_MAX, SIZE_MAX / 2, (size_t)1 << 40, 0, 512};
        size_t lie = LIES[host_random(it) % (sizeof LIES / sizeof *LIES)];
        *(lie > 512 ? &found.record : &found.key) = (ctie_bytes){noise, lie};
    }
    return visit(found.key, found.record, context);
}

/** Whether the answer to a function is lost. */
static inline bool loses_one(host *it) { return it->fault == HOST_LOSES_ANSWERS && host_random(it) % 10 == 0; }

/* ---- The functions ------------------------------------------------------------------------------- */

static inline ctie_status host_version(void *user_data, uint64_t *out, int64_t timeout_ms) {
    host *it = user_data;
    ctie_status status = host_begin(it, timeout_ms);
    if (status != CTIE_OK || loses_one(it)) { return status != CTIE_OK ? status : CTIE_E_UNAVAILABLE; }
    int lock = host_lock(it);
    image now = read_shown(it);
    host_unlock(it, lock);
    *out = now.version;
    it->asked++;
    *out -= it->behind < *out ? it->behind : *out;
    if (it->fault == HOST_GOES_BACK && host_random(it) % 3 == 0) { *out -= host_random(it) % 5; }
    free(now.bytes);
    return CTIE_OK;
}

static inline void scan_backward(host *it, const image *in, ctie_bytes from, ctie_transport_visit_fn visit,
                                 void *context) {
    bool goes_on = true;
    for (size_t end = SIZE_MAX; goes_on && end > 0;) {
        /* The last record before `end`: records tell where they end, not where they begin. */
        size_t found = SIZE_MAX;
        for (size_t position = 0; position < in->size && position < end; position = entry_at(in, position).end) {
            if (compare_keys(entry_at(in, position).key, from) <= 0) { found = position; }
        }
        if (found == SIZE_MAX) { return; }
        goes_on = show(it, entry_at(in, found), visit, context);
        end = found;
    }
}

static inline ctie_status host_scan(void *user_data, ctie_bytes from, bool backward, ctie_transport_visit_fn visit,
                                    void *context, int64_t timeout_ms) {
    host *it = user_data;
    ctie_status status = host_begin(it, timeout_ms);
    if (status != CTIE_OK || loses_one(it)) { return status != CTIE_OK ? status : CTIE_E_UNAVAILABLE; }
    int lock = host_lock(it);
    image now = read_shown(it);
    host_unlock(it, lock);
    if (it->fault == HOST_SHOWS_DISORDER && host_random(it) % 2 == 0) { backward = !backward; }
    size_t position = position_of(&now, from);
    if (it->fault == HOST_SHOWS_DISORDER && host_random(it) % 4 == 0) { position = 0; }
    if (backward) {
        scan_backward(it, &now, from, visit, context);
    } else {
        while (position < now.size && show(it, entry_at(&now, position), visit, context)) {
            position = entry_at(&now, position).end;
        }
    }
    free(now.bytes);
    return CTIE_OK;
}

/** The single records of some keys. */
static inline ctie_status host_get(void *user_data, const ctie_bytes *keys, size_t count, ctie_transport_visit_fn visit,
                                   void *context, int64_t timeout_ms) {
    host *it = user_data;
    ctie_status status = host_begin(it, timeout_ms);
    if (status != CTIE_OK) { return status; }
    it->gets++;
    if ((int)count > it->most_keys) { it->most_keys = (int)count; }
    int lock = host_lock(it);
    image now = read_shown(it);
    host_unlock(it, lock);
    for (size_t i = 0; i < count; i++) {
        size_t position = position_of(&now, keys[i]);
        bool is_there = position < now.size && compare_keys(entry_at(&now, position).key, keys[i]) == 0;
        if (it->gives_others) { is_there = position < now.size; }
        if (is_there && !visit(entry_at(&now, position).key, entry_at(&now, position).record, context)) { break; }
    }
    free(now.bytes);
    return CTIE_OK;
}

static inline ctie_status host_limits(void *user_data, ctie_transport_limits *out) {
    CHECK(out->size == sizeof *out);
    out->max_commit_size = ((host *)user_data)->max_commit_size;
    return CTIE_OK;
}

/** The fate of a commit, with the answer in place of a lost one. */
static inline enum host_loss next_loss(host *it, ctie_status *answer) {
    static const ctie_status LOST[] = {CTIE_E_UNCERTAIN, CTIE_E_TIMEOUT, CTIE_E_PEER_GONE, CTIE_E_CONFLICT};
    enum host_loss loss = it->loses;
    *answer = it->lost_answer != 0 ? it->lost_answer : CTIE_E_UNCERTAIN;
    if (loss != HOST_LOSES_NOTHING) {
        it->loses = HOST_LOSES_NOTHING;
        it->away = it->then_away;
    } else if (loses_one(it)) {
        *answer = LOST[host_random(it) % (sizeof LOST / sizeof *LOST)];
        loss = host_random(it) % 2 == 0 ? HOST_LOSES_ANSWER : HOST_LOSES_REQUEST;
    }
    return loss;
}

static inline ctie_status host_commit(void *user_data, uint64_t version, const uint8_t *token,
                                      const ctie_transport_change *changes, size_t count, uint64_t *out,
                                      int64_t timeout_ms) {
    host *it = user_data;
    ctie_status status = host_begin(it, timeout_ms), lost;
    if (status != CTIE_OK) { return status; }
    CHECK(*out == version + 1);
    memmove(it->tokens[1], it->tokens[0], sizeof it->tokens - sizeof it->tokens[0]);
    memcpy(it->tokens[0], token, sizeof it->tokens[0]);
    it->commits++;
    enum host_loss loss = next_loss(it, &lost);
    if (loss == HOST_LOSES_REQUEST) { return lost; }
    bool fails = it->fault == HOST_FAILS_HALF && host_random(it) % 2 == 0;
    if (fails && host_random(it) % 2 == 0) { return host_random(it) % 2 == 0 ? CTIE_E_CONFLICT : CTIE_E_NO_SPACE; }
    int lock = host_lock(it);
    if (it->held.bytes != NULL) {
        write_image(it, &it->held);
        free(it->held.bytes);
        it->held.bytes = NULL;
    }
    image now = read_image(it);
    bool fits = now.version == version;
    if (fits) {
        for (size_t i = 0; i < count; i++) { apply(&now, &changes[i]); }
        now.version++;
        if (loss != HOST_HOLDS) { write_image(it, &now); }
    }
    if (loss == HOST_HOLDS) {
        it->held = now;
        host_unlock(it, lock);
        return lost;
    }
    host_unlock(it, lock);
    free(now.bytes);
    if (loss == HOST_LOSES_ANSWER) { return lost; }
    return fits && !fails ? CTIE_OK : CTIE_E_CONFLICT;
}

static inline void host_destroy(void *user_data) { ((host *)user_data)->destroyed++; }

/** A transport without members, whose openings live as long as their processes, and without a watch. */
static const ctie_transport HOST_TRANSPORT = {
    sizeof(ctie_transport), host_version, host_scan, host_commit, NULL, NULL, NULL, host_destroy,
    NULL, NULL, 0, 0};

static inline void host_init(host *it, const char *path) {
    memset(it, 0, sizeof *it);
    it->random = 1;
    pthread_mutex_init(&it->mutex, NULL);
    snprintf(it->file, sizeof it->file, "%s/records", path);
    snprintf(it->lock, sizeof it->lock, "%s/lock", path);
}

static inline ctie_wormhole *open_host(host *it, const char *name) {
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    ctie_wormhole *wormhole = NULL;
    options.name = ctie_str_from(name);
    options.transport = &HOST_TRANSPORT;
    options.transport_data = it;
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("hosted"), &options, &wormhole, NULL), CTIE_OK);
    return wormhole;
}

#endif
