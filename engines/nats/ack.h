/* What the reply subject of a delivered message says. */
#ifndef ACK_H
#define ACK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ack {
    uint64_t delivered;   /* the number of its deliveries, from 1 */
    uint64_t in_stream;   /* its number in the consumer's stream */
    uint64_t in_consumer; /* its number among the consumer's deliveries */
    int64_t time;         /* when it was stored: nanoseconds since 1970 */
    uint64_t pending;     /* messages that the consumer has after it */
} ack;

/* Reads `$JS.ACK.<stream>.<consumer>.<numbers>`, also the form with domain and account. NULL is no such subject. */
bool ack_read(const char *reply, ack *out);

#endif
