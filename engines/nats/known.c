#include "known.h"

#include <stdlib.h>
#include <string.h>

enum { KNOWN_MOST = 16384 };
static const uint64_t MOMENT_NS = 200000000;

/* Each message has one slot; a later one may take it. */
struct known {
    struct {
        consumer_id of;
        uint64_t in_stream;
    } slots[KNOWN_MOST];
};

consumer_id consumer_id_of(const char *name, int64_t created) {
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (; *name != 0; name++) { hash = (hash ^ (uint8_t)*name) * 1099511628211u; }
    return (consumer_id){hash, created};
}

bool consumer_is(consumer_id one, consumer_id other) {
    uint64_t a = (uint64_t)one.created, b = (uint64_t)other.created;
    return one.name == other.name && (one.created > other.created ? a - b : b - a) <= MOMENT_NS;
}

known *known_new(void) { return calloc(1, sizeof(known)); }

void known_add(known *it, consumer_id of, uint64_t in_stream) {
    uint64_t slot = (of.name ^ in_stream) % KNOWN_MOST;
    it->slots[slot].of = of, it->slots[slot].in_stream = in_stream;
}

bool known_has(const known *it, consumer_id of, uint64_t in_stream) {
    uint64_t slot = (of.name ^ in_stream) % KNOWN_MOST;
    return it->slots[slot].in_stream == in_stream && consumer_is(it->slots[slot].of, of);
}

void known_clear(known *it) { memset(it, 0, sizeof *it); }
