#include "peers.h"
#include "host.h"
#include "listeners.h"
#include "tasks.h"

#include <string.h>

enum { JOINS_MOST = 3, PEERS_KEPT = 32 };

/* A join, as its host knows it. Its number is its index and 1. */
typedef struct joined {
    bool is_joined, has_been;
    uint64_t max_frame_size, last_peer;
    uint64_t peers[PEERS_KEPT];
    size_t count;
} joined;

static joined joins[JOINS_MOST];

void peers_begin(void) { memset(joins, 0, sizeof joins); }

static joined *join_of(uint64_t number) {
    if (number == 0 || number > JOINS_MOST || !joins[number - 1].is_joined) { give_up("a call for no join"); }
    return &joins[number - 1];
}

static uint64_t *peer_of(joined *in, uint64_t peer) {
    for (size_t i = 0; i < in->count; i++) {
        if (in->peers[i] == peer) { return &in->peers[i]; }
    }
    return NULL;
}

/* ---- The host -------------------------------------------------------------------------------------- */

void peer_connected(void *context, uint64_t join, uint64_t peer) {
    (void)context;
    joined *in = join_of(join);
    if (peer <= in->last_peer) { give_up("a peer has an old number"); }
    in->last_peer = peer;
    if (in->count < PEERS_KEPT) { in->peers[in->count++] = peer; }
}

void peer_frame(void *context, uint64_t join, uint64_t peer, ctie_bytes frame) {
    (void)context;
    joined *in = join_of(join);
    if (peer_of(in, peer) == NULL && in->count < PEERS_KEPT) { give_up("a frame of no peer"); }
    if (frame.size == 0 || frame.size > in->max_frame_size) { give_up("a frame of a wrong size"); }
}

void peer_disconnected(void *context, uint64_t join, uint64_t peer, ctie_str reason) {
    (void)context;
    joined *in = join_of(join);
    uint64_t *known = peer_of(in, peer);
    if ((known == NULL && in->count < PEERS_KEPT) || reason.size == 0) { give_up("a peer ends twice, or without reason"); }
    if (known != NULL) { *known = in->peers[--in->count]; }
}

bool peer_has_requests(void *context, uint64_t join, uint64_t peer) {
    (void)context, (void)join;
    return peer % 2 == 0;
}

/* ---- What there is to do --------------------------------------------------------------------------- */

void peers_join(void *engine, const ctie_engine *functions, piece from) {
    uint64_t number = 1;
    while (number <= JOINS_MOST && joins[number - 1].has_been) { number++; }
    if (number > JOINS_MOST) { return; }
    joined *it = &joins[number - 1];
    uint8_t size = piece_byte(&from);
    it->is_joined = it->has_been = true;
    it->max_frame_size = size < 128 ? 1 << 20 : size - 127u;
    ctie_status status = functions->join(engine, number, it->max_frame_size, TIMEOUT_MS);
    check_status(status);
    if (status != CTIE_OK) { it->is_joined = false; }
}

static joined *chosen(piece *from, uint64_t *number) {
    *number = piece_byte(from) % JOINS_MOST + 1;
    return joins[*number - 1].is_joined ? &joins[*number - 1] : NULL;
}

static void leave(void *engine, const ctie_engine *functions, uint64_t number) {
    check_status(functions->leave(engine, number, TIMEOUT_MS));
    joins[number - 1].is_joined = false;
}

void peers_leave(void *engine, const ctie_engine *functions, piece from) {
    uint64_t number;
    if (chosen(&from, &number) != NULL) { leave(engine, functions, number); }
}

/* The library leaves all of them before it closes the engine. */
void peers_end(void *engine, const ctie_engine *functions) {
    for (uint64_t number = 1; number <= JOINS_MOST; number++) {
        if (joins[number - 1].is_joined) { leave(engine, functions, number); }
    }
}

void peers_send(void *engine, const ctie_engine *functions, piece from) {
    static uint8_t large[70000];
    uint64_t number;
    joined *it = chosen(&from, &number);
    uint8_t which = piece_byte(&from);
    if (it == NULL || it->count == 0 || from.size == 0) { return; }
    bool is_large = from.size == 1 && *from.bytes == 'L';
    ctie_bytes frame = is_large ? (ctie_bytes){large, sizeof large} : (ctie_bytes){from.bytes, from.size};
    check_status(functions->send_frame(engine, number, it->peers[which % it->count], frame, 100000));
}

void peers_disconnect(void *engine, const ctie_engine *functions, piece from) {
    uint64_t number;
    joined *it = chosen(&from, &number);
    uint8_t which = piece_byte(&from);
    if (it != NULL && it->count > 0) { functions->disconnect(engine, number, it->peers[which % it->count]); }
}
