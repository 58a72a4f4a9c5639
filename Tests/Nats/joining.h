/* A member with a join, and what its host receives of the peers. Include it in place of driver.h. */
#ifndef NATS_JOINING_H
#define NATS_JOINING_H

#include "driver.h"

enum { ENDS_MOST = 256, FRAME_LIMIT = 1 << 20 };

/** A connection. The test's frames begin with their number, from 0. */
typedef struct end {
    uint64_t join, peer;
    uint32_t frames; /* received, in order */
    uint64_t bytes;
    bool is_open;
    char reason[200];
} end;

typedef struct joined {
    driver driver; /* first: the host's context is both */
    uint64_t join; /* the number of the last one */
    end ends[ENDS_MOST];
    int count, open;
    int wrong;     /* frames out of order, with a wrong content, or of no connection */
    bool has_requests;
} joined;

static inline end *end_of_peer(joined *it, uint64_t join, uint64_t peer) {
    for (int i = it->count; i-- > 0;) {
        if (it->ends[i].join == join && it->ends[i].peer == peer) { return &it->ends[i]; }
    }
    return NULL;
}

static inline void on_connected(void *context, uint64_t join, uint64_t peer) {
    joined *it = context;
    pthread_mutex_lock(&it->driver.lock);
    if (join != it->join || end_of_peer(it, join, peer) != NULL || it->count == ENDS_MOST) { it->wrong++; }
    if (it->count < ENDS_MOST) { it->ends[it->count++] = (end){.join = join, .peer = peer, .is_open = true}; }
    it->open++;
    pthread_cond_broadcast(&it->driver.changed);
    pthread_mutex_unlock(&it->driver.lock);
}

static inline bool is_right(const end *of, ctie_bytes frame) {
    uint32_t number;
    const uint8_t *bytes = frame.data;
    if (frame.size < sizeof number) { return false; }
    memcpy(&number, bytes, sizeof number);
    for (size_t i = sizeof number; i < frame.size; i++) {
        if (bytes[i] != (uint8_t)(number + i)) { return false; }
    }
    return of->is_open && number == of->frames;
}

static inline void on_frame(void *context, uint64_t join, uint64_t peer, ctie_bytes frame) {
    joined *it = context;
    pthread_mutex_lock(&it->driver.lock);
    end *of = end_of_peer(it, join, peer);
    if (of == NULL || !is_right(of, frame)) { it->wrong++; }
    if (of != NULL) { of->frames++, of->bytes += frame.size; }
    pthread_cond_broadcast(&it->driver.changed);
    pthread_mutex_unlock(&it->driver.lock);
}

static inline void on_disconnected(void *context, uint64_t join, uint64_t peer, ctie_str reason) {
    joined *it = context;
    pthread_mutex_lock(&it->driver.lock);
    end *of = end_of_peer(it, join, peer);
    if (of == NULL || !of->is_open) { it->wrong++; }
    if (of != NULL) {
        of->is_open = false;
        driver_copy(of->reason, sizeof of->reason, reason);
        it->open--;
    }
    pthread_cond_broadcast(&it->driver.changed);
    pthread_mutex_unlock(&it->driver.lock);
}

static inline bool on_asked(void *context, uint64_t join, uint64_t peer) {
    (void)join, (void)peer;
    return ((joined *)context)->has_requests;
}

static inline void joined_init(joined *it, const driver_server *server, const char *name) {
    memset(it, 0, sizeof *it);
    driver_init(&it->driver, server, name);
    it->driver.host.peer_connected = on_connected;
    it->driver.host.peer_frame = on_frame;
    it->driver.host.peer_disconnected = on_disconnected;
    it->driver.host.peer_has_requests = on_asked;
}

static inline void joined_join(joined *it) {
    it->join++;
    CHECK_STATUS(ENGINE_OF_NATS.join(it->driver.engine, it->join, FRAME_LIMIT, DRIVER_TIME_MS), CTIE_OK);
}

/** Opens a group and joins it. */
static inline void joined_open(joined *it, const driver_server *server, const char *group, const char *name) {
    joined_init(it, server, name);
    CHECK_STATUS(driver_open_with(&it->driver, group, DRIVER_TIME_MS), CTIE_OK);
    joined_join(it);
}

static inline void joined_leave(joined *it) {
    CHECK_STATUS(ENGINE_OF_NATS.leave(it->driver.engine, it->join, DRIVER_TIME_MS), CTIE_OK);
}

static inline void joined_close(joined *it) {
    joined_leave(it);
    driver_close(&it->driver);
    CHECK(it->wrong == 0);
}

/** The last connection. */
static inline uint64_t last_peer(const joined *it) { return it->ends[it->count - 1].peer; }

/** Sends the frame of a number. */
static inline ctie_status send_number(joined *it, uint64_t peer, uint32_t number, size_t size, uint64_t max_waiting) {
    uint8_t *bytes = malloc(size);
    memcpy(bytes, &number, sizeof number);
    for (size_t i = sizeof number; i < size; i++) { bytes[i] = (uint8_t)(number + i); }
    const ctie_bytes frame = {bytes, size};
    ctie_status status = ENGINE_OF_NATS.send_frame(it->driver.engine, it->join, peer, frame, max_waiting);
    free(bytes);
    return status;
}

#define WAIT_FOR_PEERS(it, number) DRIVER_WAIT_FOR(&(it)->driver, (it)->open == (number))

#endif
