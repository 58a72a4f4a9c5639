/* Groups of Crosstie's wormhole for benchmarks: safe or with the fast map, and what is passed in them. */
#ifndef BENCH_WORMHOLE_H
#define BENCH_WORMHOLE_H

#include "bench.h"

#include <crosstie.h>

static inline void check(ctie_status status) { require(status == CTIE_OK, ctie_status_message(status)); }

/* The flags of "safe", "fast" or "system". */
static inline uint32_t flags_of(const char *kind) {
    if (strcmp(kind, "system") == 0) return CTIE_WORMHOLE_SYSTEM;
    return strcmp(kind, "fast") == 0 ? CTIE_WORMHOLE_FAST : 0;
}

/* Our name in the table. */
static inline const char *name_of(const char *kind) {
    return strcmp(kind, "fast") == 0 ? "crosstie, fast" : "crosstie";
}

/* Opens the group in <directory>/crosstie-<work>-<kind>. */
static inline ctie_wormhole *open_group(const char *directory, const char *work, const char *kind) {
    char path[4096];
    snprintf(path, sizeof path, "%s/crosstie-%s-%s", directory, work, kind);
    ctie_wormhole *wormhole = NULL;
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    options.directory = ctie_str_from(path);
    options.flags = flags_of(kind);
    check(ctie_wormhole_open(CTIE_STR("bench"), &options, &wormhole, NULL));
    return wormhole;
}

static inline ctie_value *small_value(void) {
    static const char bytes[64];
    return ctie_value_bytes((ctie_str){bytes, sizeof bytes});
}

static inline void pass_small(ctie_wormhole *wormhole, ctie_str identifier) {
    check(ctie_wormhole_send(wormhole, identifier, small_value(), NULL, NULL, NULL, NULL));
}

/* Binds a listener with these flags; a durable one by the name "bench". It lives as long as the wormhole. */
static inline void listen_to(ctie_wormhole *wormhole, ctie_str identifier, uint32_t flags, ctie_receiver_fn fn,
                             void *user_data) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.name = CTIE_STR("bench");
    options.flags = flags;
    check(ctie_wormhole_listen(wormhole, identifier, CTIE_RECEIVER(fn, user_data), &options, NULL, NULL));
}

#endif
