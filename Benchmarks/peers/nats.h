/* A connection to a NATS server on loopback, and streams that it keeps in its folder. */
#ifndef BENCH_NATS_H
#define BENCH_NATS_H

#include "../c/bench.h"

#include <nats/nats.h>

static inline void nats_require(natsStatus status) { require(status == NATS_OK, natsStatus_GetText(status)); }

/* A connection that sends what it is given at once, or gathers it. */
static inline natsConnection *nats_open(const char *address, bool at_once) {
    natsOptions *options = NULL;
    natsConnection *connection = NULL;
    nats_require(natsOptions_Create(&options));
    nats_require(natsOptions_SetURL(options, address));
    nats_require(natsOptions_SetSendAsap(options, at_once));
    nats_require(natsConnection_Connect(&connection, options));
    return connection;
}

#endif
