/* A copy of a message that this member has sent. */
#ifndef NOTE_H
#define NOTE_H

#include "engine.h"

/* A value or a destroying; its texts and bytes follow it. */
typedef struct note {
    struct note *next;             /* in its place of the table */
    struct note *older, *newer;
    size_t references;
    size_t size;
    uint64_t in_stream;
    int64_t noted;
    ctie_engine_message message;
    ctie_header headers[];
} note;

/* A note with one reference; NULL without memory. free() it with the last one. */
note *note_of(const ctie_engine_message *from, uint64_t in_stream);

#endif
