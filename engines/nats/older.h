/* The older messages of one identifier in the stream of all messages. */
#ifndef OLDER_H
#define OLDER_H

#include "engine.h"

/* Removes the messages of an identifier with numbers below `before`. CTIE_E_UNCERTAIN: perhaps not all of them. It may
   be repeated, and goes on where it ended. */
ctie_status older_remove(engine *it, ctie_str identifier, uint64_t before, int64_t deadline);

#endif
