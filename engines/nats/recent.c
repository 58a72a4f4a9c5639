#include "recent.h"

#include "last.h"
#include "note.h"

#include <stdlib.h>
#include <string.h>

enum {
    PLACES = 1024,
    MANY = 1024,                    /* entries: more are trimmed */
    MUCH = 4 << 20,                 /* bytes, likewise */
    TOO_OFTEN = 4,                  /* times as much: the oldest go, whatever the server shows */
};
static const int64_t LIFETIME = 10000000000; /* no copy lags as long as this */

struct recent {
    pthread_mutex_t lock;
    note *places[PLACES];
    note *oldest, *newest;
    size_t count, size;
    uint64_t everything;            /* the number of the last destroying of everything */
    int64_t everything_noted;
    bool is_trimming;
};

static bool is_same(ctie_str left, ctie_str right) {
    return left.size == right.size && (left.size == 0 || memcmp(left.data, right.data, left.size) == 0);
}

static bool is_old(int64_t noted) { return clock_now(CLOCK_MONOTONIC) - noted > LIFETIME; }

/* ---- The table: with the lock -------------------------------------------------------------------- */

static note **place_of(recent *in, ctie_str identifier) {
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < identifier.size; i++) { hash = (hash ^ (uint8_t)identifier.data[i]) * 16777619u; }
    note **at = &in->places[hash % PLACES];
    while (*at != NULL && !is_same((*at)->message.identifier, identifier)) { at = &(*at)->next; }
    return at;
}

static void unref(note *it) {
    if (--it->references == 0) { free(it); }
}

static void take_out(recent *in, note **at) {
    note *it = *at;
    *at = it->next;
    *(it->older != NULL ? &it->older->newer : &in->oldest) = it->newer;
    *(it->newer != NULL ? &it->newer->older : &in->newest) = it->older;
    in->count--, in->size -= it->size;
    unref(it);
}

static void take_out_oldest(recent *in) { take_out(in, place_of(in, in->oldest->message.identifier)); }

static void take_out_up_to(recent *in, uint64_t in_stream) {
    for (note *each = in->oldest, *next; each != NULL; each = next) {
        next = each->newer;
        if (each->in_stream <= in_stream) { take_out(in, place_of(in, each->message.identifier)); }
    }
}

static bool is_above(const recent *it, size_t times) { return it->count > MANY * times || it->size > MUCH * times; }

static void put_in(recent *in, note *fresh) {
    note **at = place_of(in, fresh->message.identifier);
    if (*at != NULL && (*at)->in_stream >= fresh->in_stream) {
        unref(fresh);
        return;
    }
    if (*at != NULL) { take_out(in, at); }
    at = place_of(in, fresh->message.identifier);
    fresh->next = *at, *at = fresh;
    fresh->older = in->newest;
    *(in->newest != NULL ? &in->newest->newer : &in->oldest) = fresh;
    in->newest = fresh;
    in->count++, in->size += fresh->size;
    while (in->oldest != fresh && is_above(in, TOO_OFTEN)) { take_out_oldest(in); }
}

/* ---- What others use ------------------------------------------------------------------------------- */

recent *recent_new(void) {
    recent *it = calloc(1, sizeof *it);
    if (it != NULL) { pthread_mutex_init(&it->lock, NULL); }
    return it;
}

void recent_free(recent *it) {
    if (it == NULL) { return; }
    take_out_up_to(it, UINT64_MAX);
    pthread_mutex_destroy(&it->lock);
    free(it);
}

void recent_reset(engine *it) {
    pthread_mutex_lock(&it->recent->lock);
    take_out_up_to(it->recent, UINT64_MAX);
    it->recent->everything = 0;
    pthread_mutex_unlock(&it->recent->lock);
}

void recent_note(engine *it, const ctie_engine_message *message, uint64_t in_stream) {
    recent *in = it->recent;
    if (message->kind == CTIE_MESSAGE_SIGNAL) { return; }
    bool is_everything = message->identifier.size == 0;
    note *fresh = is_everything ? NULL : note_of(message, in_stream);
    pthread_mutex_lock(&in->lock);
    if (is_everything && in_stream > in->everything) {
        in->everything = in_stream, in->everything_noted = clock_now(CLOCK_MONOTONIC);
        take_out_up_to(in, in_stream);
    } else if (fresh != NULL) {
        put_in(in, fresh);
    }
    pthread_mutex_unlock(&in->lock);
}

ctie_status recent_find(engine *it, ctie_str identifier, recent_found *out) {
    recent *in = it->recent;
    ctie_status status = CTIE_OK;
    *out = (recent_found){NULL, 0, 0};
    pthread_mutex_lock(&in->lock);
    note *found = *place_of(in, identifier);
    if (in->everything > 0 && !is_old(in->everything_noted)) { out->destroyed = in->everything; }
    if (found != NULL && is_old(found->noted)) { found = NULL; }
    if (found != NULL) { found->references++; }
    pthread_mutex_unlock(&in->lock);
    if (found == NULL) { return CTIE_OK; }
    if (found->message.kind == CTIE_MESSAGE_DESTROYED) {
        if (found->in_stream > out->destroyed) { out->destroyed = found->in_stream; }
    } else {
        status = envelope_pack(&it->names, &it->self, &found->message, NULL, 0, NULL, &out->message);
        out->in_stream = found->in_stream;
    }
    pthread_mutex_lock(&in->lock);
    unref(found);
    pthread_mutex_unlock(&in->lock);
    return status;
}

static bool covers(ctie_str topic, ctie_str identifier) {
    bool is_prefix = topic.size > 0 && topic.data[topic.size - 1] == '*';
    size_t size = topic.size - is_prefix;
    if (!is_prefix) { return is_same(topic, identifier); }
    return identifier.size > size && memcmp(identifier.data, topic.data, size) == 0;
}

uint64_t recent_highest(engine *it, ctie_str topic) {
    recent *in = it->recent;
    uint64_t highest = 0;
    pthread_mutex_lock(&in->lock);
    for (note *each = in->newest; each != NULL && !is_old(each->noted); each = each->older) {
        if (each->in_stream > highest && covers(topic, each->message.identifier)) { highest = each->in_stream; }
    }
    pthread_mutex_unlock(&in->lock);
    return highest;
}

void recent_trim(engine *it, int64_t deadline) {
    recent *in = it->recent;
    pthread_mutex_lock(&in->lock);
    while (in->oldest != NULL && is_old(in->oldest->noted)) { take_out_oldest(in); }
    bool is_mine = is_above(in, 1) && !in->is_trimming;
    if (is_mine) { in->is_trimming = true; }
    pthread_mutex_unlock(&in->lock);
    if (!is_mine) { return; }
    uint64_t sourced = 0;
    int64_t soon = deadline_after(200);
    ctie_status status = last_sourced(it, soon < deadline ? soon : deadline, &sourced);
    pthread_mutex_lock(&in->lock);
    if (status == CTIE_OK) { take_out_up_to(in, sourced); }
    in->is_trimming = false;
    pthread_mutex_unlock(&in->lock);
}
