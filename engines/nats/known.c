#include "known.h"

#include <stdlib.h>
#include <string.h>

enum { KNOWN_MOST = 16384 };

/* Each message has one slot; a later one may take it. */
struct known {
    struct {
        uint64_t consumer, in_stream;
    } slots[KNOWN_MOST];
};

static uint64_t hash_of(const char *consumer) {
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (; *consumer != 0; consumer++) { hash = (hash ^ (uint8_t)*consumer) * 1099511628211u; }
    return hash;
}

known *known_new(void) { return calloc(1, sizeof(known)); }

void known_add(known *it, const char *consumer, uint64_t in_stream) {
    uint64_t hash = hash_of(consumer), slot = (hash ^ in_stream) % KNOWN_MOST;
    it->slots[slot].consumer = hash, it->slots[slot].in_stream = in_stream;
}

bool known_has(const known *it, const char *consumer, uint64_t in_stream) {
    uint64_t hash = hash_of(consumer), slot = (hash ^ in_stream) % KNOWN_MOST;
    return it->slots[slot].consumer == hash && it->slots[slot].in_stream == in_stream;
}

void known_remove(known *it, const char *consumer) {
    uint64_t hash = hash_of(consumer);
    for (size_t i = 0; i < KNOWN_MOST; i++) {
        if (it->slots[i].consumer == hash) { it->slots[i].consumer = it->slots[i].in_stream = 0; }
    }
}

void known_clear(known *it) { memset(it, 0, sizeof *it); }
