/*
 * The state of a transport, and its functions. A sorted set has the keys in their order, a hash has the records, and a
 * string has the number of the newest commit. The server runs one script at a time, so that each script is one step.
 */
#ifndef PARTS_H
#define PARTS_H

#include "keeper.h"
#include "redis_transport.h"

typedef struct transport {
    connection commands;
    keeper keeper;
    char prefix[NAME_MOST / 2];
    char version[NAME_MOST], order[NAME_MOST], records[NAME_MOST], numbers[NAME_MOST];
} transport;

/* A command that changes nothing: after a lost answer, as by a server that was started again, it is sent once more. */
ctie_status ask(transport *it, const words *command, redisReply **out, int64_t deadline);
/* False if the reply is no number. */
bool number_of(const redisReply *reply, uint64_t *out);

/* Functions of the transport that read. */
ctie_status get_version(void *data, uint64_t *out, int64_t timeout_ms);
ctie_status scan(void *data, ctie_bytes start, bool backward, ctie_transport_visit_fn visit, void *context,
                 int64_t timeout_ms);
ctie_status get(void *data, const ctie_bytes *keys, size_t count, ctie_transport_visit_fn visit, void *context,
                int64_t timeout_ms);

#endif
