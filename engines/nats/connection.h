/* The connection, for the files that make it. */
#ifndef CONNECTION_H
#define CONNECTION_H

#include "engine.h"

/* Sets what libnats calls, with the engine. connection_made() is also for the first connection. */
ctie_status connection_callbacks(engine *it, natsOptions *options);
void connection_made(natsConnection *connection, void *it);
/* For good, for a reason. */
void connection_ended(engine *it, ctie_status status, const char *reason);

/* The address of its server, without secrets. */
void connection_address(natsConnection *connection, char out[SERVER_MOST]);

/* --- state.c --- */

/* With the lock: there is a connection, or another state, why. */
void connection_set(engine *it, const char *server, int64_t max_payload);
void connection_set_state(engine *it, int32_t state, const char *reason);
/* Tells the host how things are. */
void connection_report(engine *it);

#endif
