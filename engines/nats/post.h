/* Storing a message in a stream, if its subject has not changed meanwhile. */
#ifndef POST_H
#define POST_H

#include "engine.h"

enum { POST_ANYHOW = -1 };

/* Copies a message with its headers and body, under another subject; NULL without memory. Headers of the server are left
   out. */
natsMsg *post_copy(natsMsg *from, const char *subject);

/* Stores `message`, which the caller keeps, once: it is repeated until the server answers. `after` is the number there of
   the last message of its subject, 0 for none, or POST_ANYHOW. `at` receives its number.
   CTIE_E_CONFLICT: another message is the last one; CTIE_E_NOT_FOUND: there is no such stream; CTIE_E_UNCERTAIN: it may
   be stored. */
ctie_status post(engine *it, const char *stream, natsMsg *message, int64_t after, int64_t deadline, uint64_t *at);

/* The header with the number that `after` is. */
bool post_expects(natsMsg *message, int64_t after);
/* Reads the answer to a stored message, as post() does: CTIE_E_CONFLICT. */
ctie_status post_read(engine *it, const char *stream, natsMsg *answer, uint64_t *at);

#endif
