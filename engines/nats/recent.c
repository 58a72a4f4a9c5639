#include "recent.h"

#include "last.h"
#include "notes.h"

#include <stdlib.h>
#include <string.h>

static const int64_t LIFETIME = 10000000000; /* no copy lags as long as this */

struct recent {
    pthread_mutex_t lock;
    notes all;
    uint64_t everything;            /* the number of the last destroying of everything */
    int64_t everything_noted;
    bool is_trimming;
};

static bool is_old(int64_t noted) { return clock_now(CLOCK_MONOTONIC) - noted > LIFETIME; }

recent *recent_new(void) {
    recent *it = calloc(1, sizeof *it);
    if (it != NULL) { pthread_mutex_init(&it->lock, NULL); }
    return it;
}

void recent_free(recent *it) {
    if (it == NULL) { return; }
    notes_remove_up_to(&it->all, UINT64_MAX);
    pthread_mutex_destroy(&it->lock);
    free(it);
}

void recent_reset(engine *it) {
    pthread_mutex_lock(&it->recent->lock);
    notes_remove_up_to(&it->recent->all, UINT64_MAX);
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
        notes_remove_up_to(&in->all, in_stream);
    } else if (fresh != NULL) {
        notes_add(&in->all, fresh);
    }
    pthread_mutex_unlock(&in->lock);
}

ctie_status recent_find(engine *it, ctie_str identifier, recent_found *out) {
    recent *in = it->recent;
    ctie_status status = CTIE_OK;
    *out = (recent_found){NULL, 0, 0};
    pthread_mutex_lock(&in->lock);
    note *found = *notes_place(&in->all, identifier);
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
    note_release(found);
    pthread_mutex_unlock(&in->lock);
    return status;
}

static bool covers(ctie_str topic, ctie_str identifier) {
    bool is_prefix = topic.size > 0 && topic.data[topic.size - 1] == '*';
    size_t size = topic.size - is_prefix;
    if (!is_prefix) { return is_same_text(topic, identifier); }
    return identifier.size > size && memcmp(identifier.data, topic.data, size) == 0;
}

uint64_t recent_highest(engine *it, ctie_str topic) {
    recent *in = it->recent;
    uint64_t highest = 0;
    pthread_mutex_lock(&in->lock);
    for (note *each = in->all.newest; each != NULL && !is_old(each->noted); each = each->older) {
        if (each->in_stream > highest && covers(topic, each->message.identifier)) { highest = each->in_stream; }
    }
    pthread_mutex_unlock(&in->lock);
    return highest;
}

void recent_trim(engine *it, int64_t deadline) {
    recent *in = it->recent;
    pthread_mutex_lock(&in->lock);
    while (in->all.oldest != NULL && is_old(in->all.oldest->noted)) { notes_remove_oldest(&in->all); }
    bool is_mine = notes_are_above(&in->all, 1) && !in->is_trimming;
    if (is_mine) { in->is_trimming = true; }
    pthread_mutex_unlock(&in->lock);
    if (!is_mine) { return; }
    uint64_t sourced = 0;
    int64_t soon = deadline_after(200);
    ctie_status status = last_sourced(it, soon < deadline ? soon : deadline, &sourced);
    pthread_mutex_lock(&in->lock);
    if (status == CTIE_OK) { notes_remove_up_to(&in->all, sourced); }
    in->is_trimming = false;
    pthread_mutex_unlock(&in->lock);
}
