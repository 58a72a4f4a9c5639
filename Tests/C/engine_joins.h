/* Joined buses of an engine in the memory of this process: two ends of a connection call each other's host. Their lock is held
   meanwhile, which an engine may. */
#ifndef ENGINE_JOINS_H
#define ENGINE_JOINS_H

#include "engine_memory.h"

typedef struct ej_end {
    struct ej_end *next, *other;
    engine_memory *of;
    uint64_t join, peer;
} ej_end;

typedef struct ej_join {
    struct ej_join *next;
    engine_memory *of;
    uint64_t number, last_peer, max_frame_size;
} ej_join;

static ej_join *ej_joins;
static ej_end *ej_ends;
static pthread_mutex_t ej_lock = PTHREAD_MUTEX_INITIALIZER;
static ctie_status ej_send_status;     /* what sending answers, if not CTIE_OK */
static uint64_t ej_last_max_frame_size;

static inline ej_end *ej_end_of(engine_memory *of, uint64_t join, uint64_t peer) {
    ej_end *it = ej_ends;
    while (it != NULL && (it->of != of || it->join != join || it->peer != peer)) { it = it->next; }
    return it;
}

static inline ej_end *ej_make(ej_join *in) {
    ej_end *it = calloc(1, sizeof *it);
    it->of = in->of, it->join = in->number, it->peer = ++in->last_peer;
    it->next = ej_ends;
    ej_ends = it;
    return it;
}

static inline void ej_connect(ej_join *one, ej_join *two) {
    ej_end *a = ej_make(one), *b = ej_make(two);
    a->other = b, b->other = a;
    a->of->host->peer_connected(a->of->host->context, a->join, a->peer);
    b->of->host->peer_connected(b->of->host->context, b->join, b->peer);
}

static inline void ej_take_out(ej_end *it) {
    ej_end **at = &ej_ends;
    while (*at != it) { at = &(*at)->next; }
    *at = it->next;
    free(it);
}

static inline void ej_cut(ej_end *it, const char *reason) {
    ej_end *both[2] = {it, it->other};
    for (int i = 0; i < 2; i++) {
        const ctie_engine_host *host = both[i]->of->host;
        host->peer_disconnected(host->context, both[i]->join, both[i]->peer, ctie_str_from(reason));
        ej_take_out(both[i]);
    }
}

/** Cuts all connections. */
static inline void ej_cut_all(const char *reason) {
    pthread_mutex_lock(&ej_lock);
    while (ej_ends != NULL) { ej_cut(ej_ends, reason); }
    pthread_mutex_unlock(&ej_lock);
}

/** Connects each join to each other one again. */
static inline void ej_connect_all(void) {
    pthread_mutex_lock(&ej_lock);
    for (ej_join *one = ej_joins; one != NULL; one = one->next) {
        for (ej_join *two = one->next; two != NULL; two = two->next) { ej_connect(one, two); }
    }
    pthread_mutex_unlock(&ej_lock);
}

/** Writes a frame to all hosts as if their peers had sent it. */
static inline void ej_inject(ctie_bytes frame) {
    pthread_mutex_lock(&ej_lock);
    for (ej_end *it = ej_ends; it != NULL; it = it->next) {
        it->of->host->peer_frame(it->of->host->context, it->join, it->peer, frame);
    }
    pthread_mutex_unlock(&ej_lock);
}

/** Whether any host has requests in hand. */
static inline bool ej_have_requests(void) {
    bool have = false;
    pthread_mutex_lock(&ej_lock);
    for (ej_end *it = ej_ends; it != NULL; it = it->next) {
        have = have || it->of->host->peer_has_requests(it->of->host->context, it->join, it->peer);
    }
    pthread_mutex_unlock(&ej_lock);
    return have;
}

static inline ctie_status ej_join_group(void *user_data, uint64_t number, uint64_t max_frame_size, int64_t timeout_ms) {
    ej_join *made = calloc(1, sizeof *made);
    (void)timeout_ms;
    made->of = user_data, made->number = number, made->max_frame_size = max_frame_size;
    ej_last_max_frame_size = max_frame_size;
    pthread_mutex_lock(&ej_lock);
    for (ej_join *each = ej_joins; each != NULL; each = each->next) {
        if (each->of->group == made->of->group) { ej_connect(made, each); }
    }
    made->next = ej_joins;
    ej_joins = made;
    pthread_mutex_unlock(&ej_lock);
    return CTIE_OK;
}

static inline ctie_status ej_send_frame(void *user_data, uint64_t join, uint64_t peer, ctie_bytes frame,
                                        uint64_t max_waiting) {
    ctie_status status = CTIE_E_PEER_GONE;
    (void)max_waiting;
    if (ej_send_status != CTIE_OK) { return ej_send_status; }
    pthread_mutex_lock(&ej_lock);
    ej_end *it = ej_end_of(user_data, join, peer);
    if (it != NULL) {
        const ej_end *to = it->other;
        to->of->host->peer_frame(to->of->host->context, to->join, to->peer, frame);
        status = CTIE_OK;
    }
    pthread_mutex_unlock(&ej_lock);
    return status;
}

static inline void ej_disconnect(void *user_data, uint64_t join, uint64_t peer) {
    pthread_mutex_lock(&ej_lock);
    ej_end *it = ej_end_of(user_data, join, peer);
    if (it != NULL) { ej_cut(it, "cut off"); }
    pthread_mutex_unlock(&ej_lock);
}

static inline ctie_status ej_leave(void *user_data, uint64_t number, int64_t timeout_ms) {
    (void)timeout_ms;
    pthread_mutex_lock(&ej_lock);
    for (ej_end *it = ej_ends, *next; it != NULL; it = next) {
        next = it->next;
        if (it->of != user_data || it->join != number) { continue; }
        ej_cut(it, "it has left");
        next = ej_ends;
    }
    for (ej_join **at = &ej_joins; *at != NULL; at = &(*at)->next) {
        if ((*at)->of != user_data || (*at)->number != number) { continue; }
        ej_join *found = *at;
        *at = found->next;
        free(found);
        break;
    }
    pthread_mutex_unlock(&ej_lock);
    return CTIE_OK;
}

/** The engine of engine_memory.h that also joins buses. */
static inline const ctie_engine *engine_with_joins(void) {
    static ctie_engine it;
    it = ENGINE_MEMORY;
    it.join = ej_join_group, it.send_frame = ej_send_frame, it.disconnect = ej_disconnect, it.leave = ej_leave;
    return &it;
}

#endif
