/* A wormhole whose engine delivers only what the test gives it. */
#ifndef ENGINE_MUTE_H
#define ENGINE_MUTE_H

#include "engine_listening.h"
#include "log_lines.h"

static inline ctie_wormhole *open_mute(engine_memory *it) {
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    ctie_wormhole *wormhole = NULL;
    *it = (engine_memory){0};
    it->is_mute = true;
    options.engine = &ENGINE_MEMORY, options.engine_data = it;
    options.log.fn = note_line;
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("garbage"), &options, &wormhole, NULL), CTIE_OK);
    return wormhole;
}

/** Delivers to the newest binding. */
static inline ctie_status give(engine_memory *it, const ctie_engine_message *messages, size_t count, uint32_t *credit) {
    *credit = 99;
    return it->host->deliver(it->host->context, it->last_binding, messages, count, credit);
}

/** A message that is all right for a queue on `q.*`. */
static inline ctie_engine_message good(uint64_t sequence) {
    ctie_engine_message it;
    memset(&it, 0, sizeof it);
    it.size = sizeof it;
    it.kind = CTIE_MESSAGE_VALUE;
    it.identifier = CTIE_STR("q.a");
    it.value = (ctie_bytes){"\x01", 1};
    it.sequence = sequence;
    it.delivery_count = 1, it.claim = sequence;
    return it;
}

#endif
