/* The last messages of durable consumers that this member has acknowledged: a server that was killed delivers some of
   them once more. One thread at a time. */
#ifndef KNOWN_H
#define KNOWN_H

#include <stdbool.h>
#include <stdint.h>

typedef struct known known;

known *known_new(void); /* NULL without memory; free() releases it */
/* A consumer's key, by its name and the time of its creation: one that is made again with the name is another one. */
uint64_t known_key(const char *consumer, const char *created);
void known_add(known *it, uint64_t key, uint64_t in_stream);
bool known_has(const known *it, uint64_t key, uint64_t in_stream);
void known_clear(known *it);

#endif
