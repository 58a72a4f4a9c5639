/* The steps that one message and several have in common: before they are sent, and when they are stored. */
#ifndef SENT_H
#define SENT_H

#include "engine.h"

typedef struct sent_message {
    uint64_t in_stream; /* its number, when it is stored; else 0 */
    bool is_doubtful;   /* a try had no answer */
    bool is_duplicate;  /* its token was stored before, by another send */
} sent_message;

/* CTIE_OK if the server can take such a message. */
ctie_status sent_check(engine *it, const ctie_engine_message *message);
/* A status after which the same may succeed. */
bool sent_may_pass(ctie_status status);
/* This member reads what it has sent. */
void sent_note(engine *it, const ctie_engine_message *message, const sent_message *of);
/* Of a destroying: removes what was sent before it. */
ctie_status sent_conclude(engine *it, const ctie_engine_message *message, const sent_message *of, int64_t deadline);
/* `token`, or a new one in `own`. NULL: there are no random bytes. */
const uint8_t *sent_token(engine *it, const uint8_t *token, uint8_t own[CTIE_TRANSPORT_TOKEN_SIZE]);

#endif
