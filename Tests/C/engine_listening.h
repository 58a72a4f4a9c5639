/* Wormholes on an engine, and listeners that keep what they collect. */
#ifndef ENGINE_LISTENING_H
#define ENGINE_LISTENING_H

#include "engine_memory.h"
#include "group.h"

enum { RECEIVED_MOST = 4096 };

/** One message, as a listener got it. */
typedef struct received {
    int32_t kind;
    ctie_status status;
    uint64_t sequence, missed;
    uint32_t delivery_count;
    int64_t value;
    char id[132];
} received;

/** A listener: what it received, and what it does with it. */
typedef struct collector {
    pthread_mutex_t lock;
    received all[RECEIVED_MOST];
    _Atomic int count;
    _Atomic int destroyed;
    ctie_listener *listener;
    void (*also)(const ctie_message *message, struct collector *self); /* after it was noted */
    void *data;
    latch entered, leave; /* of wait_in_first() */
} collector;

static inline void collect(const ctie_message *message, void *user_data) {
    collector *it = user_data;
    pthread_mutex_lock(&it->lock);
    if (it->count < RECEIVED_MOST) {
        received *one = &it->all[it->count];
        ctie_str id = ctie_message_identifier(message);
        one->kind = ctie_message_kind(message), one->status = ctie_message_status(message);
        one->sequence = ctie_message_sequence(message), one->missed = ctie_message_missed(message);
        one->delivery_count = ctie_message_delivery_count(message), one->value = int_of(message);
        memcpy(one->id, id.data, id.size), one->id[id.size] = 0;
        it->count++;
    }
    pthread_mutex_unlock(&it->lock);
    if (it->also != NULL) { it->also(message, it); }
}

static inline void collector_end(void *user_data) { ((collector *)user_data)->destroyed++; }

static inline collector *new_collector(void) {
    collector *it = calloc(1, sizeof *it);
    pthread_mutex_init(&it->lock, NULL);
    it->entered = it->leave = (latch)LATCH_INIT;
    return it;
}

static inline void free_collector(collector *it) {
    pthread_mutex_destroy(&it->lock);
    free(it);
}

static inline ctie_status bind_collector(ctie_wormhole *to, const char *id, collector *it, const char *name,
                                      uint32_t flags, uint32_t most) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.name = ctie_str_from(name);
    options.flags = flags;
    options.max_unacknowledged = most;
    return ctie_wormhole_listen(to, ctie_str_from(id), CTIE_RECEIVER_OWNED(collect, it, collector_end), &options,
                                &it->listener, NULL);
}

static inline collector *collect_from(ctie_wormhole *to, const char *id, const char *name, uint32_t flags) {
    collector *it = new_collector();
    CHECK_STATUS(bind_collector(to, id, it, name, flags, 0), CTIE_OK);
    return it;
}

/** Removes a listener and frees what it received. */
static inline void stop_collecting(collector *it) {
    CHECK_STATUS(ctie_listener_release(it->listener), CTIE_OK);
    CHECK(it->destroyed == 1);
    free_collector(it);
}

/** For `also`: the listener is busy with its first message until the test adds to `leave`. */
static inline void wait_in_first(const ctie_message *message, collector *self) {
    (void)message;
    if (self->count != 1) { return; }
    latch_add(&self->entered);
    latch_wait(&self->leave, 1);
}

static const uint32_t DURABLE = CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE;

static inline ctie_wormhole *open_engine(engine_memory *it, const char *group, const char *name) {
    ctie_wormhole *wormhole = NULL;
    CHECK_STATUS(em_wormhole(it, group, name, &wormhole, NULL), CTIE_OK);
    return wormhole;
}

/** Closes a wormhole and says that its engine was closed once, with no binding left. */
static inline void close_engine(ctie_wormhole *wormhole, engine_memory *it) {
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    CHECK(it->closed == 1);
    CHECK(it->bindings == NULL);
    CHECK(it->calls_after_close == 0);
}

#endif
