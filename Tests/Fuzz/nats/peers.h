/* Joins, as an input makes and uses them, and what their host checks. */
#ifndef FUZZED_PEERS_H
#define FUZZED_PEERS_H

#include "pieces.h"

#include <crosstie.h>
#include <crosstie/engine.h>

void peers_begin(void);
/* Ends the program if a join is left over. */
void peers_end(void *engine, const ctie_engine *functions);

void peers_join(void *engine, const ctie_engine *functions, piece from);
void peers_leave(void *engine, const ctie_engine *functions, piece from);
void peers_send(void *engine, const ctie_engine *functions, piece from);
void peers_disconnect(void *engine, const ctie_engine *functions, piece from);

/* Of the host. */
void peer_connected(void *context, uint64_t join, uint64_t peer);
void peer_frame(void *context, uint64_t join, uint64_t peer, ctie_bytes frame);
void peer_disconnected(void *context, uint64_t join, uint64_t peer, ctie_str reason);
bool peer_has_requests(void *context, uint64_t join, uint64_t peer);

#endif
