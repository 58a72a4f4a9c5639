/* Bindings to durable consumers: finding the consumer, and making one that is not there. */
#include "claims.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The search of a binding for its consumer. */
typedef struct search {
    binding *of;
    engine *it;
    durable_key key;
    bool is_first, is_lost, has_notice; /* as it was when the search began */
    consumer_id id;
    durable_record record;
    char consumer[CONSUMER_NAME_MOST], again[CONSUMER_NAME_MOST];
    uint64_t *dead; /* owned */
    size_t dead_count;
    uint64_t done; /* messages up to this number are acknowledged */
} search;

/* Where a consumer begins that this binding makes. One that has expired although it has a listener goes on. */
static ctie_status find_start(search *what, durable_start *out, int64_t deadline) {
    beginning from;
    if (!what->is_first && !what->is_lost) {
        *out = (durable_start){"new", 0, 0};
        return CTIE_OK;
    }
    ctie_status status = beginning_find(what->of, &from, deadline);
    bool is_by_time = status == CTIE_OK && strcmp(from.policy, "by_start_time") == 0;
    *out = (durable_start){from.policy, from.sequence, is_by_time ? what->of->start_time : 0};
    return status;
}

/* The options of a consumer that this binding makes: a lost one is made as it was, an expired one with the defaults. */
static durable_options options_of(const search *what) {
    if (!what->is_first) { return what->of->record.options; }
    return what->record.state == RECORD_MAKING ? what->record.options : durable_defaults();
}

static ctie_status make(search *what, int64_t deadline) {
    durable_start from;
    bool has_expired = what->of->record.options.expires_ms > 0 && what->record.state == RECORD_MADE;
    if (!what->is_first && !what->is_lost && !has_expired) { return CTIE_E_NOT_FOUND; }
    durable_options options = options_of(what);
    ctie_status status = find_start(what, &from, deadline);
    if (status != CTIE_OK) { return status; }
    return durable_begin(what->it, &what->key, &what->record, &options, &from, deadline);
}

/* Whether the consumer was moved or forgotten since its record was read. */
static bool has_changed(search *what, int64_t deadline) {
    durable_record now;
    return record_read(what->it, what->key.base, &now, deadline) != CTIE_OK || now.at != what->record.at;
}

/* Takes the steps that are left over from members that died while they changed the consumer. */
static ctie_status finish(search *what, int64_t deadline) {
    char previous[CONSUMER_NAME_MOST];
    if (what->record.state == RECORD_FORGOTTEN && what->is_first) {
        return forget_finish(what->it, &what->key, &what->record, deadline);
    }
    if (!what->record.has_previous) { return CTIE_OK; }
    record_consumer(what->key.base, what->record.previous, previous);
    ctie_status status = durable_delete(what->it, previous, deadline);
    return status == CTIE_E_NOT_FOUND ? CTIE_OK : status;
}

/* A server of a cluster that has just started may not know the third stream yet. */
static bool has_lost_record(const search *what) {
    return what->of->record.at > 0 && what->record.at == 0 && !what->is_first && !what->is_lost && !what->has_notice;
}

static ctie_status find_record(search *what, int64_t deadline) {
    ctie_status status = record_read(what->it, what->key.base, &what->record, deadline);
    if (status == CTIE_OK && has_lost_record(what)) { return CTIE_E_NOT_FOUND; }
    return status == CTIE_OK ? finish(what, deadline) : status;
}

static ctie_status find(search *what, int64_t deadline) {
    json_t *info = NULL;
    ctie_status status = find_record(what, deadline);
    if (status != CTIE_OK) { return status; }
    record_consumer(what->key.base, what->record.suffix, what->consumer);
    status = durable_look(what->it, &what->key, what->consumer, deadline, &info);
    if (status == CTIE_E_NOT_FOUND) {
        status = has_changed(what, deadline) ? CTIE_PENDING : make(what, deadline);
        json_decref(info);
        info = NULL;
        if (status == CTIE_OK) { status = durable_look(what->it, &what->key, what->consumer, deadline, &info); }
    } else if (status == CTIE_OK && what->record.state == RECORD_MADE) {
        status = durable_change(what->it, info, &what->record.options, deadline);
    }
    what->done = api_number(json_object_get(info, "ack_floor"), "stream_seq");
    what->id = consumer_id_of(what->consumer, api_time(api_text(info, "created")));
    json_decref(info);
    return status;
}

/* Finds the dead letters, and the consumer of those that were retried. */
static ctie_status find_letters(search *what, int64_t deadline) {
    if (what->record.at == 0) { return CTIE_OK; }
    ctie_status status = again_make(what->it, what->key.base, deadline, what->again);
    if (status == CTIE_E_NOT_FOUND) { return CTIE_PENDING; } /* the stream was removed with the record */
    if (status != CTIE_OK) { return status; }
    status = letters_numbers(what->it, what->key.base, deadline, &what->dead, &what->dead_count);
    if (status == CTIE_OK) {
        pardons_tidy(what->it, what->key.base, what->done, what->dead, what->dead_count, deadline);
    }
    return status;
}

/* With the lock. */
static void adopt(search *what, const epoch *now) {
    binding *it = what->of;
    if (it->is_lost) {
        claims_forget(it);
        it->is_missed_unknown = true;
        it->missed = 0;
        it->missed_up_to = 0; /* the number after the highest one */
    }
    if (!consumer_is(it->id, what->id)) { /* it was moved, or forgotten and made again */
        claims_outlive(it);
        pull_forget_all(it);
        acks_drop(it->of->acks, it->consumer);
        memcpy(it->consumer, what->consumer, sizeof it->consumer);
        it->id = what->id;
    }
    if (strcmp(it->again.consumer, what->again) != 0) {
        it->again = (again){.is_first = true, .last = it->again.last};
        memcpy(it->again.consumer, what->again, sizeof it->again.consumer);
    }
    uint64_t *dead = it->dead;
    it->dead = what->dead, it->dead_count = what->dead_count;
    what->dead = dead;
    it->record = what->record;
    it->record_seen = clock_now(CLOCK_MONOTONIC);
    it->epoch = *now;
    it->is_first = it->is_lost = false;
    it->missing_since = 0;
    it->phase = IS_FLOWING;
}

ctie_status durable_open(binding *it, uint64_t round, int64_t deadline) {
    search what = {.of = it, .it = it->engine};
    what.key = (durable_key){ctie_str_from(it->topic), ctie_str_from(it->name), ""};
    memcpy(what.key.base, it->base, sizeof what.key.base);
    pthread_mutex_lock(&it->lock);
    what.is_first = it->is_first, what.is_lost = it->is_lost, what.has_notice = it->has_notice;
    it->has_to_look = it->has_notice = false;
    it->record_seen = 0; /* an outcome must not rely on a record that is being read again */
    pthread_mutex_unlock(&it->lock);
    epoch before = epoch_now(it->engine);
    ctie_status status = find(&what, deadline);
    if (status == CTIE_OK) { status = find_letters(&what, deadline); }
    if (status == CTIE_E_UNAVAILABLE) { streams_mend(it->engine); }
    pthread_mutex_lock(&it->lock);
    bool is_same = is_still_so(it, round, &before);
    if (status == CTIE_OK && is_same) { adopt(&what, &before); }
    if (status != CTIE_OK) { it->has_to_look = true, it->has_notice |= what.has_notice; }
    pthread_mutex_unlock(&it->lock);
    free(what.dead);
    /* A consumer that is not there was forgotten, unless it was lost with everything else. */
    return !is_same && (status == CTIE_OK || status == CTIE_E_NOT_FOUND) ? CTIE_PENDING : status;
}
