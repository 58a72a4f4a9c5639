/* Frames of a channel, in packets: those of a frame follow one another. */
#include "joins.h"

#include <stdlib.h>
#include <string.h>

/* The most bytes of a frame in one packet. */
static size_t packet_room(const engine *it) {
    bool is_small = it->max_payload > 0 && it->max_payload < PACKET_MOST + PACKET_HEAD;
    return is_small && it->max_payload > PACKET_HEAD ? (size_t)it->max_payload - PACKET_HEAD : PACKET_MOST;
}

void frame_send(join *in, channel *to, ctie_bytes frame) {
    const char *rest = frame.data;
    size_t left = frame.size, most = packet_room(in->of);
    while (left > 0) {
        size_t size = left < most ? left : most;
        packet what = {.type = size == left ? PACKET_FRAME : PACKET_PART, .channel = to->own, .sequence = ++to->sent,
                       .data = rest, .size = size};
        packet_send(in, to->address, &what);
        rest += size, left -= size;
    }
    pulse_watch(in, to);
}

static void give(join *in, const channel *from, const char *data, size_t size) {
    if (!host_enter(in->of)) { return; }
    in->of->host->peer_frame(in->of->host->context, in->number, from->number, (ctie_bytes){data, size});
    host_leave(in->of);
}

static bool append(channel *to, const packet *what) {
    char *grown = realloc(to->partial, to->partial_size + what->size);
    if (grown == NULL) { return false; }
    memcpy(grown + to->partial_size, what->data, what->size);
    to->partial = grown;
    to->partial_size += what->size;
    return true;
}

static void finish(join *in, channel *from, const packet *what) {
    char *whole = from->partial;
    size_t size = from->partial_size;
    from->partial = NULL, from->partial_size = 0;
    pulse_watch(in, from);
    if (whole == NULL) { give(in, from, what->data, what->size); }
    if (whole != NULL) { give(in, from, whole, size); }
    free(whole);
}

void frame_receive(join *in, channel *from, const packet *what) {
    int32_t ahead = (int32_t)(what->sequence - from->received);
    if (ahead <= 0) { return; } /* it has come already */
    if (ahead > 1) {
        channel_break(in, from, "the network has lost a message of this peer");
        return;
    }
    from->received = what->sequence;
    bool is_part = what->type == PACKET_PART, fits = what->size <= in->max_frame_size - from->partial_size;
    if (!fits || ((is_part || from->partial != NULL) && !append(from, what))) {
        channel_break(in, from, "a frame of this peer is too large");
        return;
    }
    if (!is_part) { finish(in, from, what); }
}
