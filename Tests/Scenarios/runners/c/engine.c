/* Wormholes over an engine of this program, in place of a directory. */
#include "player.h"

#include "engine_memory.h"

#include <string.h>

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

/* The scenarios that need more than this engine has. */
static const struct {
    const char *scenario, *lack;
} LACKING[] = {
    {"dead_letter", "dead letters"},
    {"dead_letter_destroyed", "dead letters"},
    {"dead_letter_elsewhere", "dead letters"},
    {"dead_letter_headers", "dead letters"},
    {"dead_letter_left", "dead letters"},
    {"dead_letter_not_sent", "dead letters"},
    {"dead_letter_prefix", "dead letters"},
    {"dead_letter_reason", "dead letters"},
    {"dead_letter_retried", "dead letters"},
    {"dead_letter_seek", "dead letters"},
    {"delayed_full", "limits of durable consumers"},
    {"durable_declared_refused", "limits of durable consumers"},
    {"durable_limit_drop", "limits of durable consumers"},
    {"durable_limit_not_counted", "limits of durable consumers"},
    {"durable_limit_protected", "limits of the group"},
    {"durable_limit_refuse", "limits of durable consumers"},
    {"durable_limit_size", "limits of durable consumers"},
    {"durable_limit_strictest", "limits of durable consumers"},
    {"durable_missed", "limits of the group"},
    {"durables", "dropping messages that no queue needs"},
    {"existing", "CTIE_WORMHOLE_EXISTING"},
    {"queue_missed", "limits of the group"},
    {"queue_missed_destroyed", "limits of the group"},
    {"queue_retained", "limits of the group"},
};
static bool is_asked[sizeof LACKING / sizeof *LACKING];

bool engine_lacks(const char *path) {
    const char *name = strrchr(path, '/') == NULL ? path : strrchr(path, '/') + 1;
    for (size_t i = 0; i < sizeof LACKING / sizeof *LACKING; i++) {
        size_t size = strlen(LACKING[i].scenario);
        if (strncmp(name, LACKING[i].scenario, size) != 0 || strcmp(name + size, ".json") != 0) { continue; }
        is_asked[i] = true;
        printf("not over an engine: %s (%s)\n", LACKING[i].scenario, LACKING[i].lack);
        return true;
    }
    return false;
}

bool engine_list_is_current(void) {
    bool is_current = true;
    for (size_t i = 0; i < sizeof LACKING / sizeof *LACKING; i++) {
        if (is_asked[i]) { continue; }
        fprintf(stderr, "there is no scenario %s to leave out\n", LACKING[i].scenario);
        is_current = false;
    }
    return is_current;
}
