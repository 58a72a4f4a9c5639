/* Messages that this member has sent and the server may not show yet: copies of the streams lag behind. */
#ifndef RECENT_H
#define RECENT_H

#include "engine.h"

typedef struct recent_found {
    natsMsg *message;   /* owned: the value that this member sent last; NULL without one */
    uint64_t in_stream; /* its number in the stream */
    uint64_t destroyed; /* the number of the last destroying that this member has sent; 0 without one */
} recent_found;

/* Finds what this member has sent of an identifier. CTIE_OK, also for nothing; CTIE_E_NO_MEMORY. */
ctie_status recent_find(engine *it, ctie_str identifier, recent_found *out);
/* The highest number of what it has sent under a topic; 0 for nothing. */
uint64_t recent_highest(engine *it, ctie_str topic);
/* Forgets what the server shows, when much has been noted. It asks the server then. */
void recent_trim(engine *it, int64_t deadline);

#endif
