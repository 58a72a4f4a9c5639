/* The removal of what was sent before a destroying. */
#ifndef DESTROY_H
#define DESTROY_H

#include "engine.h"

/* Removes what was sent before a destroying, which is stored under a number of the stream. It may be repeated, later
   too: newer messages stay. An empty identifier: everything. CTIE_E_UNCERTAIN: perhaps not all of it is removed. */
ctie_status destroy_older(engine *it, ctie_str identifier, uint64_t in_stream, int64_t deadline);

/* Whether the message of a number is the destroying of an identifier. It is not, either, when newer ones have displaced
   it: with all that was sent before it. */
ctie_status destroy_is_at(engine *it, ctie_str identifier, uint64_t in_stream, int64_t deadline, bool *is_so);

#endif
