/* A table of notes: the newest one of each identifier, also in the order in which they came. */
#ifndef NOTES_H
#define NOTES_H

#include "note.h"

enum { NOTE_PLACES = 1024 };

typedef struct notes {
    note *places[NOTE_PLACES];
    note *oldest, *newest;
    size_t count, size;
} notes;

/* The place of the note of an identifier, which is NULL without one. */
note **notes_place(notes *in, ctie_str identifier);
/* Takes over a note, unless there is a later one of its identifier. */
void notes_add(notes *in, note *fresh);
/* Removes the notes up to a number of the stream. */
void notes_remove_up_to(notes *in, uint64_t in_stream);
/* There is one. */
void notes_remove_oldest(notes *in);
/* Whether there are so many times more than should be kept. */
bool notes_are_above(const notes *it, size_t times);
/* Gives up a reference of a note. */
void note_release(note *it);

bool is_same_text(ctie_str left, ctie_str right);

#endif
