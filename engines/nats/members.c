#include "presence.h"

#include <stdlib.h>
#include <string.h>

bool members_is_id(const char *text) {
    size_t size = strlen(text);
    return size == MEMBER_ID - 1 && strspn(text, "0123456789abcdef") == size;
}

static member **place_of(presence *in, const char *id) {
    uint32_t hash = 2166136261u;
    for (const char *at = id; *at != 0; at++) { hash = (hash ^ (uint8_t)*at) * 16777619u; }
    member **place = &in->places[hash % MEMBER_PLACES];
    while (*place != NULL && strcmp((*place)->id, id) != 0) { place = &(*place)->next; }
    return place;
}

static bool is_missing(const member *who, uint64_t call) { return who->born < call && who->answered < call; }

/* Notes that nobody needs to wait for a member in a call up to a number. */
static void conclude(presence *in, const member *who, uint64_t up_to) {
    for (roll_call *each = in->calls; each != NULL; each = each->next) {
        if (each->number <= up_to && is_missing(who, each->number)) { each->missing--; }
    }
    if (in->calls != NULL) { pthread_cond_broadcast(&in->changed); }
}

member_entry members_enter(presence *it, const member *who, uint64_t call) {
    member **place = place_of(it, who->id);
    if (call > it->last_call) { call = 0; }
    if (*place != NULL) {
        conclude(it, *place, call);
        if (call > (*place)->answered) { (*place)->answered = call; }
        return MEMBER_KNOWN;
    }
    member *fresh = it->count < MEMBERS_MOST ? malloc(sizeof *fresh) : NULL;
    if (fresh == NULL) { return MEMBER_TOO_MANY; }
    *fresh = *who;
    fresh->next = NULL, fresh->answered = call, fresh->born = it->last_call;
    *place = fresh;
    it->count++;
    if (it->calls != NULL) { pthread_cond_broadcast(&it->changed); }
    return MEMBER_NEW;
}

bool members_remove(presence *it, const char *id) {
    member **place = place_of(it, id), *found = *place;
    if (found == NULL) { return false; }
    conclude(it, found, UINT64_MAX);
    *place = found->next;
    it->count--;
    free(found);
    return true;
}

void members_clear(presence *it) {
    for (size_t i = 0; i < MEMBER_PLACES; i++) {
        for (member *each = it->places[i], *next; each != NULL; each = next) {
            next = each->next;
            free(each);
        }
        it->places[i] = NULL;
    }
    it->count = 0;
}

member *members_copy(const presence *it, uint64_t missing_in, size_t *count) {
    member *out = malloc((it->count + 1) * sizeof *out);
    *count = 0;
    for (size_t i = 0; out != NULL && i < MEMBER_PLACES; i++) {
        for (const member *each = it->places[i]; each != NULL; each = each->next) {
            if (missing_in == 0 || is_missing(each, missing_in)) { out[(*count)++] = *each; }
        }
    }
    return out;
}
