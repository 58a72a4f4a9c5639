/* The way of requests to the server. */
#ifndef OUTBOX_H
#define OUTBOX_H

#include "engine.h"

/* Publishes a message, which is destroyed. CTIE_E_UNAVAILABLE: it was not sent. CTIE_E_UNCERTAIN: perhaps. */
ctie_status outbox_send(engine *it, natsMsg *message, int64_t deadline);
/* Sends on what is published and still in libnats's buffer. */
void outbox_flush(engine *it, int64_t deadline);

#endif
