/* Listeners, as an input binds and uses them. */
#ifndef FUZZED_LISTENERS_H
#define FUZZED_LISTENERS_H

#include "pieces.h"

#include <crosstie.h>
#include <crosstie/engine.h>

enum { TIMEOUT_MS = 3000 };

/* Topics, and names of durable consumers. */
const char *topic_of(uint8_t byte);
const char *name_of(uint8_t byte);

/* Their numbers and options come from the piece. */
void listener_bind(void *engine, const ctie_engine *functions, piece from);
void listener_unbind(void *engine, const ctie_engine *functions, piece from);
void listener_credit(void *engine, const ctie_engine *functions, piece from);
void listener_answer(void *engine, const ctie_engine *functions, piece from);

#endif
