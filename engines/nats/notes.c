#include "notes.h"

#include <stdlib.h>
#include <string.h>

enum {
    MANY = 1024,                    /* entries: more are trimmed */
    MUCH = 4 << 20,                 /* bytes, likewise */
    TOO_OFTEN = 4,                  /* times as much: the oldest go, whatever the server shows */
};

bool is_same_text(ctie_str left, ctie_str right) {
    return left.size == right.size && (left.size == 0 || memcmp(left.data, right.data, left.size) == 0);
}

note **notes_place(notes *in, ctie_str identifier) {
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < identifier.size; i++) { hash = (hash ^ (uint8_t)identifier.data[i]) * 16777619u; }
    note **at = &in->places[hash % NOTE_PLACES];
    while (*at != NULL && !is_same_text((*at)->message.identifier, identifier)) { at = &(*at)->next; }
    return at;
}

void note_release(note *it) {
    if (--it->references == 0) { free(it); }
}

static void take_out(notes *in, note **at) {
    note *it = *at;
    *at = it->next;
    *(it->older != NULL ? &it->older->newer : &in->oldest) = it->newer;
    *(it->newer != NULL ? &it->newer->older : &in->newest) = it->older;
    in->count--, in->size -= it->size;
    note_release(it);
}

void notes_remove_oldest(notes *in) { take_out(in, notes_place(in, in->oldest->message.identifier)); }

void notes_remove_up_to(notes *in, uint64_t in_stream) {
    for (note *each = in->oldest, *next; each != NULL; each = next) {
        next = each->newer;
        if (each->in_stream <= in_stream) { take_out(in, notes_place(in, each->message.identifier)); }
    }
}

bool notes_are_above(const notes *it, size_t times) { return it->count > MANY * times || it->size > MUCH * times; }

void notes_add(notes *in, note *fresh) {
    note **at = notes_place(in, fresh->message.identifier);
    if (*at != NULL && (*at)->in_stream >= fresh->in_stream) {
        note_release(fresh);
        return;
    }
    if (*at != NULL) { take_out(in, at); }
    at = notes_place(in, fresh->message.identifier);
    fresh->next = *at, *at = fresh;
    fresh->older = in->newest;
    *(in->newest != NULL ? &in->newest->newer : &in->oldest) = fresh;
    in->newest = fresh;
    in->count++, in->size += fresh->size;
    while (in->oldest != fresh && notes_are_above(in, TOO_OFTEN)) { notes_remove_oldest(in); }
}
