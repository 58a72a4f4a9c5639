/* The way of requests to the server. libnats waits while the server reads nothing, with all its functions: so a thread
   of the engine publishes what may have to wait, and the caller waits for it no longer than it may. */
#ifndef OUTBOX_H
#define OUTBOX_H

#include "engine.h"

outbox *outbox_new(void); /* NULL without memory */
void outbox_end(engine *it); /* may take long */
void outbox_free(outbox *it);

/* A place for a message in all that is sent. */
uint64_t outbox_place(engine *it, natsMsg *message);
/* The same for bytes, and whether so many can be sent now without waiting. */
uint64_t outbox_claim(engine *it, size_t size);
bool outbox_has_room(engine *it, size_t size);
/* Whether libnats's functions do not wait now, because the server reads what it is sent. */
bool outbox_is_clear(engine *it);
/* The server has read everything up to a place. */
void outbox_received(engine *it, uint64_t place);
/* The connection was lost: nothing is on the way. */
void outbox_lost(engine *it);

#endif
