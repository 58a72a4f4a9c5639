/* The last message of a subject in one of the two streams, by a direct get. */
#ifndef LAST_H
#define LAST_H

#include "engine.h"

/* Whether the server has direct gets. */
bool last_is_possible(engine *it);

/* The request for it, which ask() takes; NULL without memory. */
natsMsg *last_request(const char *stream, const char *subject);

/* Reads the answer. CTIE_E_NOT_FOUND: there is no such message; CTIE_E_CORRUPT: the answer cannot be read. `in_stream`
   receives its number in the stream of all messages, `at` its number in the stream that was asked; both may be NULL. */
ctie_status last_read(const engine *it, natsMsg *answer, uint64_t *in_stream, uint64_t *at);

/* The number in the stream of all messages of a message that the second stream has copied from it; 0 if it has none. */
uint64_t last_source(const engine *it, natsMsg *copy);

/* The second stream has copied everything up to `out`, a number in the stream of all messages. */
ctie_status last_sourced(engine *it, int64_t deadline, uint64_t *out);

#endif
