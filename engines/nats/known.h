/* The last messages of durable consumers that this member has acknowledged: a server that was killed delivers some of
   them once more. One thread at a time. */
#ifndef KNOWN_H
#define KNOWN_H

#include <stdbool.h>
#include <stdint.h>

typedef struct known known;

known *known_new(void); /* NULL without memory; free() releases it */
void known_add(known *it, const char *consumer, uint64_t in_stream);
bool known_has(const known *it, const char *consumer, uint64_t in_stream);
/* Those of a consumer, which was forgotten, or is another one of its name. */
void known_remove(known *it, const char *consumer);
void known_clear(known *it);

#endif
