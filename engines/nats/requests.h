/* Several requests of JetStream's API at once: they remove messages. */
#ifndef REQUESTS_H
#define REQUESTS_H

#include "engine.h"

enum { REQUESTS_MOST = 64 };

typedef struct requests {
    natsMsg *items[REQUESTS_MOST];
    size_t count;
    bool has_failed; /* without memory */
} requests;

/* A request `$JS.API.<what>.<stream>` with a body, which it releases; NULL without memory. */
natsMsg *requests_new(const char *what, const char *stream, json_t *body);
/* A request that removes a message by its number there, without overwriting its bytes. */
natsMsg *requests_delete(const char *stream, uint64_t number);
/* Whether an answer with an error means that the message was removed already. */
bool requests_is_removed(const json_t *answer);
/* Adds one, of at most REQUESTS_MOST; NULL has requests_ask() fail. */
void requests_add(requests *to, natsMsg *request);
/* Sends all. CTIE_OK: none of the messages is there any more. CTIE_E_UNCERTAIN: there was no answer; they may be
   repeated. */
ctie_status requests_ask(engine *it, requests *what, int64_t deadline);

#endif
