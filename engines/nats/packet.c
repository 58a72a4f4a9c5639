#include "joins.h"

enum { FORMAT = 1 };

static char *put(char *out, uint64_t number, int size) {
    for (int i = 0; i < size; i++) { *out++ = (char)(number >> (8 * i)); }
    return out;
}

size_t packet_write(const packet *it, char *out) {
    char *end = out;
    *end++ = (char)it->type;
    end = put(end, it->channel, 4);
    end = put(end, it->sequence, 4);
    switch (it->type) {
    case PACKET_ANNOUNCE: return (size_t)(put(put(end, FORMAT, 4), it->session, 4) - out);
    case PACKET_CONNECT: return (size_t)(put(put(put(end, FORMAT, 4), it->session, 4), it->known, 4) - out);
    case PACKET_BYE: return (size_t)(put(end, it->other, 4) - out);
    case PACKET_MARK: return (size_t)(put(end, it->place, 8) - out);
    case PACKET_PART: case PACKET_FRAME: case PACKET_ASK: case PACKET_HERE: break;
    }
    return (size_t)(end - out);
}

/* Bytes that were received. */
typedef struct bytes {
    const char *at;
    size_t size;
    bool is_short;
} bytes;

static uint64_t get(bytes *from, size_t size) {
    uint64_t number = 0;
    if (from->size < size) {
        from->is_short = true;
        return 0;
    }
    for (size_t i = 0; i < size; i++) { number |= (uint64_t)(unsigned char)from->at[i] << (8 * i); }
    from->at += size, from->size -= size;
    return number;
}

/* The part after the head. False for an unknown type. */
static bool read_rest(packet *out, bytes *from) {
    switch (out->type) {
    case PACKET_ANNOUNCE: case PACKET_CONNECT:
        out->format = (uint32_t)get(from, 4);
        out->session = (uint32_t)get(from, 4);
        if (out->type == PACKET_CONNECT) { out->known = (uint32_t)get(from, 4); }
        return out->format == FORMAT && out->session != 0;
    case PACKET_BYE: out->other = (uint32_t)get(from, 4); return true;
    case PACKET_MARK: out->place = get(from, 8); return true;
    case PACKET_PART: case PACKET_FRAME:
        out->data = from->at, out->size = from->size;
        return from->size > 0 && from->size <= PACKET_MOST && out->sequence != 0;
    case PACKET_ASK: case PACKET_HERE: return true;
    }
    return false;
}

bool packet_read(packet *out, const char *data, size_t size) {
    bytes from = {data, size, false};
    *out = (packet){0};
    out->type = (packet_type)get(&from, 1);
    out->channel = (uint32_t)get(&from, 4);
    out->sequence = (uint32_t)get(&from, 4);
    return !from.is_short && read_rest(out, &from) && !from.is_short;
}
