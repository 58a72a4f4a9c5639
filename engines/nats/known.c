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

static uint64_t add(uint64_t hash, const char *text) {
    for (; *text != 0; text++) { hash = (hash ^ (uint8_t)*text) * 1099511628211u; } /* FNV-1a */
    return hash;
}

uint64_t known_key(const char *consumer, const char *created) {
    return add(add(add(14695981039346656037u, consumer), " "), created);
}

known *known_new(void) { return calloc(1, sizeof(known)); }

void known_add(known *it, uint64_t key, uint64_t in_stream) {
    uint64_t slot = (key ^ in_stream) % KNOWN_MOST;
    it->slots[slot].consumer = key, it->slots[slot].in_stream = in_stream;
}

bool known_has(const known *it, uint64_t key, uint64_t in_stream) {
    uint64_t slot = (key ^ in_stream) % KNOWN_MOST;
    return it->slots[slot].consumer == key && it->slots[slot].in_stream == in_stream;
}

void known_clear(known *it) { memset(it, 0, sizeof *it); }
