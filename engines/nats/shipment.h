/* Messages that one caller publishes one after another. */
#ifndef SHIPMENT_H
#define SHIPMENT_H

#include "engine.h"

typedef struct shipment shipment;

/* If it is `in_order`, nothing follows a message that could not be published, or a loss of the connection. NULL without
   memory. */
shipment *shipment_new(engine *it, bool in_order);
/* Publishes a message, which it destroys, or has the outbox's thread do that. If it fails, the waiter of that number ends.
   CTIE_E_UNAVAILABLE: it was not sent. CTIE_E_UNCERTAIN: perhaps. CTIE_E_LIMIT: it is too large for the server. */
void shipment_add(shipment *of, natsMsg *message, uint64_t number, uint64_t place);
/* Nothing more is published. The waiters of messages that were not end with CTIE_E_UNAVAILABLE. */
void shipment_stop(shipment *of);
/* Why a message could not be published; after shipment_stop(). */
const char *shipment_words(const shipment *of);
void shipment_free(shipment *of); /* after shipment_stop() */

#endif
