/* The last messages of durable consumers that this member has acknowledged: a server that was killed delivers some of
   them once more. One thread at a time. */
#ifndef KNOWN_H
#define KNOWN_H

#include <stdbool.h>
#include <stdint.h>

/* A consumer on the server: one that was forgotten and made again with its name is another one. */
typedef struct consumer_id {
    uint64_t name;   /* hashed */
    int64_t created; /* nanoseconds since 1970, by the server's clock */
} consumer_id;

consumer_id consumer_id_of(const char *name, int64_t created);
/* nats-server 2.9 says another time of creation after its first start: one that is a moment later counts as the same. */
bool consumer_is(consumer_id one, consumer_id other);

typedef struct known known;

known *known_new(void); /* NULL without memory; free() releases it */
void known_add(known *it, consumer_id of, uint64_t in_stream);
bool known_has(const known *it, consumer_id of, uint64_t in_stream);
void known_clear(known *it);

#endif
