/* Wormholes over an engine of this program, in place of a directory. */
#include "player.h"

#include "engine_memory.h"

enum { ENGINES = 64 };

static engine_memory *engines; /* of the scenario that is played */
static size_t count;

void use_engine(player *p, ctie_wormhole_options *options) {
    if (engines == NULL) { engines = calloc(ENGINES, sizeof *engines); }
    if (count == ENGINES) { failf(p, "over %d wormholes", (int)ENGINES); }
    options->directory = (ctie_str){NULL, 0};
    options->engine = &ENGINE_MEMORY;
    options->engine_data = &engines[count < ENGINES ? count++ : 0];
}

void engines_deliver(void) {
    for (size_t i = 0; i < count; i++) {
        if (engines[i].has_thread && !engines[i].is_over) { em_deliver_now(&engines[i]); }
    }
}

void engines_end(void) {
    if (engines == NULL) { return; }
    em_free_groups();
    free(engines);
    engines = NULL;
    count = 0;
}
