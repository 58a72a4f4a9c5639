/* What follows from a destroying. */
#ifndef DESTROY_H
#define DESTROY_H

#include "engine.h"

/* Removes what was sent before a destroying, which is stored under a number of the stream. It may be repeated, later
   too: newer messages stay. An empty identifier: everything. CTIE_E_UNCERTAIN: perhaps not all of it is removed. */
ctie_status destroy_older(engine *it, ctie_str identifier, uint64_t in_stream, int64_t deadline);

#endif
