/* All messages of a filter that one of the streams has now, through a consumer that ends with it. */
#ifndef COLLECT_H
#define COLLECT_H

#include "engine.h"

/* Takes a message, which it owns then, and its number in that stream. False without memory. */
typedef bool (*collect_fn)(void *context, natsMsg *message, uint64_t at);

typedef struct collecting {
    const char *stream;
    const char *filter;
    uint64_t start;     /* from this number on; 0: the last message of each subject */
    int64_t since;      /* instead, from this time on by the server's clock, in nanoseconds since 1970; 0: from `start` on */
    bool names_only;    /* without the bodies */
    uint64_t most;      /* more messages than these are CTIE_E_LIMIT, before any is taken */
    collect_fn take;
    void *context;
    uint64_t before;    /* messages from this number on are left out; 0: none */
    uint64_t enough;    /* it ends after so many messages; 0: after the last one */
} collecting;

/* CTIE_E_TIMEOUT: not all came; the same may be done again. */
ctie_status collect(engine *it, const collecting *what, int64_t deadline);

#endif
