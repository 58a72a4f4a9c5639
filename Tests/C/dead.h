/* A durable consumer with dead letters, and what becomes of its messages: for tests of them. */
#ifndef DEAD_H
#define DEAD_H

#include "group.h"

#define WORKER CTIE_STR("worker")

/** Declares the name with so many deliveries and short pauses. */
static inline void declare_worker(ctie_wormhole *wormhole, const char *identifier, uint32_t max_deliveries) {
    ctie_durable_options options = CTIE_DURABLE_OPTIONS_INIT;
    options.max_deliveries = max_deliveries;
    options.backoff_first_ms = 1;
    options.backoff_most_ms = 4;
    options.flags = CTIE_DURABLE_CHANGE;
    CHECK_STATUS(ctie_wormhole_declare(wormhole, ctie_str_from(identifier), WORKER, &options, NULL), CTIE_OK);
}

static inline ctie_listener *listen_as_worker(ctie_wormhole *wormhole, const char *identifier, ctie_receiver_fn fn,
                                              void *user_data, uint32_t flags) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    ctie_listener *listener = NULL;
    options.name = WORKER;
    options.flags = CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE | flags;
    CHECK_STATUS(ctie_wormhole_listen(wormhole, ctie_str_from(identifier), CTIE_RECEIVER(fn, user_data), &options,
                                      &listener, NULL), CTIE_OK);
    return listener;
}

/** Dead letters of the name, owned: at most so many after a number. */
static inline ctie_value *dead_letters(ctie_wormhole *wormhole, const char *identifier, uint64_t after, size_t limit) {
    ctie_value *found = NULL;
    CHECK_STATUS(
        ctie_wormhole_dead_letters(wormhole, ctie_str_from(identifier), WORKER, after, limit, &found, NULL), CTIE_OK);
    return found;
}

static inline size_t dead_count(ctie_wormhole *wormhole, const char *identifier) {
    ctie_value *found = dead_letters(wormhole, identifier, 0, 0);
    size_t count = ctie_value_count(found);
    ctie_value_release(found);
    return count;
}

static inline bool has_text(const ctie_value *map, ctie_str key, const char *expected) {
    ctie_str text = {NULL, 0};
    ctie_value_get_string(ctie_value_get(map, key), &text);
    return text_is(text, expected);
}

static inline uint64_t retry(ctie_wormhole *wormhole, const char *identifier, uint64_t sequence) {
    uint64_t count = 99;
    CHECK_STATUS(ctie_wormhole_retry(wormhole, ctie_str_from(identifier), WORKER, sequence, &count, NULL), CTIE_OK);
    return count;
}

static inline uint64_t drop(ctie_wormhole *wormhole, const char *identifier, uint64_t sequence) {
    uint64_t count = 99;
    CHECK_STATUS(ctie_wormhole_drop(wormhole, ctie_str_from(identifier), WORKER, sequence, &count, NULL), CTIE_OK);
    return count;
}

#endif
