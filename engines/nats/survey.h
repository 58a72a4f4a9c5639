/* All that is stored under a topic, as both streams show it. */
#ifndef SURVEY_H
#define SURVEY_H

#include "engine.h"

typedef struct found {
    natsMsg *message;    /* owned */
    ctie_str identifier; /* borrowed from it */
    uint64_t in_stream;
    bool is_value;       /* or a destroying */
} found;

typedef struct survey {
    engine *it;
    ctie_str topic;
    bool names_only;
    bool is_of_copies;
    found *items;
    size_t count, room;
    uint64_t up_to;      /* the highest number seen */
    uint64_t everything; /* the number of the last destroying of everything */
    size_t broken;       /* messages that are not of the group */
} survey;

/* Fills `items`, `up_to` and `everything`; survey_clear() in any case. */
ctie_status survey_all(survey *it, int64_t deadline);
void survey_clear(survey *it);

#endif
