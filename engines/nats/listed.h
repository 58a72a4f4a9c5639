/* The records of all durable consumers. */
#ifndef LISTED_H
#define LISTED_H

#include "record.h"

/* One of them, by its consumer on the server. */
typedef struct listed {
    char consumer[CONSUMER_NAME_MOST];
    char base[CONSUMER_MOST];
    durable_record record;
    uint64_t dead;
} listed;

typedef struct all_listed {
    listed *items; /* owned */
    size_t count, room;
} all_listed;

/* Reads all records, and counts their dead letters. The items are to be freed in any case. */
ctie_status listed_find(engine *it, int64_t deadline, all_listed *out);

#endif
