/* The reading of a message of NATS: envelope.c, and reading.c for its headers. */
#ifndef READING_H
#define READING_H

#include "headers.h"

/* A message whose headers are being read. */
typedef struct reading {
    natsMsg *from;
    envelope *out;
    size_t count, size; /* of the headers so far */
    char *end;          /* of the texts so far */
} reading;

/* A header of the message of NATS; NULL if there is none. */
const char *reading_get(natsMsg *from, const char *key);

/* Takes the headers that Ctie-Headers lists, in its order. */
void reading_take_listed(reading *it);
/* Takes the other headers: our own first, then those of other programs. Headers of the server and of this format are
   neither. */
void reading_take_others(reading *it);

#endif
