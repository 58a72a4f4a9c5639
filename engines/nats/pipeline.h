/* Messages that are sent one after another, while the answers to earlier ones come. */
#ifndef PIPELINE_H
#define PIPELINE_H

#include "engine.h"

typedef struct pipeline pipeline;

/* The outcome of a message. */
typedef struct outcome {
    size_t index;
    ctie_status status; /* CTIE_OK: there is an answer */
    natsMsg *answer;    /* owned by the caller */
    bool is_nobody;     /* CTIE_E_UNAVAILABLE, since nobody answers on its subject */
} outcome;

pipeline *pipeline_new(engine *it); /* NULL without memory */
/* Sends a message behind the others. With a status other than CTIE_OK it was not. */
ctie_status pipeline_add(pipeline *it, const ctie_engine_message *message, const uint8_t *token, size_t index);
/* No more can be added before one is taken. */
bool pipeline_is_full(const pipeline *it);
/* Takes the outcome of the first message whose outcome was not taken yet; waits for it until the deadline. False: there is
   no message, or no answer to it yet. */
bool pipeline_take(pipeline *it, int64_t deadline, outcome *out);
/* Sends nothing more, and waits for nothing more: the outcome of a message without an answer is CTIE_E_UNCERTAIN, or
   CTIE_E_UNAVAILABLE if it was not sent. */
void pipeline_stop(pipeline *it);
/* Explains the status of the outcome that was taken last. */
void pipeline_explain(pipeline *it);
void pipeline_free(pipeline *it); /* after all were taken */

#endif
