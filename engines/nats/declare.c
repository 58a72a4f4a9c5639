/* Declaring durable consumers. */
#include "parts.h"

#include "record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRY_PAUSE_MS = 10 };

/* ---- Making one that is not there ------------------------------------------------------------------ */

static bool needs_record(const durable_record *record, const durable_options *options) {
    durable_options usual = durable_defaults();
    return record->at > 0 || durable_options_differ(options, &usual) != NULL;
}

/* First the record says that it is being made: a member that finds it without its consumer goes on from there. */
static ctie_status announce(engine *it, const durable_key *key, durable_record *record, const durable_options *options,
                            int64_t deadline) {
    bool is_announced = record->state == RECORD_MAKING && durable_options_differ(&record->options, options) == NULL;
    if (is_announced) { return durable_purge(it, key->base, record->at, deadline); }
    ctie_status status = durable_stream_have(it, deadline);
    if (status != CTIE_OK) { return status; }
    record->options = *options;
    record->state = RECORD_MAKING;
    record->start = 0;
    bool is_new = record->at == 0;
    status = record_write(it, key, record, deadline);
    /* Of one of the name that has expired. */
    return status == CTIE_OK && !is_new ? durable_purge(it, key->base, record->at, deadline) : status;
}

/* CTIE_E_NOT_FOUND of record_write(): the stream was removed meanwhile, as after a loss. */
static ctie_status once_more(ctie_status status) {
    return status == CTIE_E_CONFLICT || status == CTIE_E_NOT_FOUND ? CTIE_PENDING : status;
}

ctie_status durable_begin(engine *it, const durable_key *key, durable_record *record, const durable_options *options,
                          const durable_start *from, int64_t deadline) {
    char consumer[CONSUMER_NAME_MOST];
    bool has_record = needs_record(record, options);
    if (has_record) {
        ctie_status status = announce(it, key, record, options, deadline);
        if (status != CTIE_OK) { return once_more(status); }
    }
    record_consumer(key->base, record->suffix, consumer);
    ctie_status status = durable_make(it, key, consumer, from, options, deadline, NULL);
    if (status == CTIE_E_ALREADY) { return CTIE_PENDING; }
    if (status != CTIE_OK || !has_record) { return record_doubt(it, status); }
    record->state = RECORD_MADE;
    return record_doubt(it, once_more(record_write(it, key, record, deadline)));
}

/* ---- Changing one that is -------------------------------------------------------------------------- */

static ctie_status change(engine *it, const durable_key *key, durable_record *record, const durable_options *options,
                          const json_t *info, int64_t deadline) {
    ctie_status status = durable_stream_have(it, deadline);
    if (status != CTIE_OK) { return status; }
    record->options = *options;
    record->state = RECORD_MADE;
    status = once_more(record_write(it, key, record, deadline));
    if (status != CTIE_OK) { return status; }
    durable_changed(it, key->base);
    return record_doubt(it, durable_change(it, info, options, deadline));
}

static ctie_status conflict(engine *it, const durable_key *key, const char *what) {
    return fail(it, CTIE_E_CONFLICT, "the durable consumer '%.*s' has other options: %s", (int)key->name.size,
                key->name.data, what);
}

/* With the consumer there. One whose maker has died before the record said so is complete. */
static ctie_status conclude(engine *it, const durable_key *key, durable_record *record, const durable_options *options,
                          bool may_change, const json_t *info, int64_t deadline) {
    const char *what = durable_options_differ(&record->options, options);
    if (what != NULL && !may_change) { return conflict(it, key, what); }
    if (what != NULL || record->state == RECORD_MAKING) { return change(it, key, record, options, info, deadline); }
    return CTIE_OK;
}

static ctie_status try_once(engine *it, const durable_key *key, const durable_options *options, uint32_t flags,
                            int64_t deadline) {
    char consumer[CONSUMER_NAME_MOST];
    durable_record record;
    json_t *info = NULL;
    ctie_status status = record_read(it, key->base, &record, deadline);
    if (status != CTIE_OK) { return status; }
    if (record.state == RECORD_FORGOTTEN) { return forget_finish(it, key, &record, deadline); }
    record_consumer(key->base, record.suffix, consumer);
    status = durable_look(it, key, consumer, deadline, &info);
    if (status == CTIE_E_NOT_FOUND) {
        durable_start from = {(flags & CTIE_DURABLE_FROM_OLDEST) != 0 ? "all" : "new", 0, 0};
        status = durable_begin(it, key, &record, options, &from, deadline);
    } else if (status == CTIE_OK) {
        status = conclude(it, key, &record, options, (flags & CTIE_DURABLE_CHANGE) != 0, info, deadline);
    }
    json_decref(info);
    return status;
}

ctie_status engine_declare(void *data, ctie_str topic, ctie_str name, const ctie_durable_options *options,
                           int64_t timeout_ms) {
    engine *it = data;
    int64_t deadline = deadline_after(timeout_ms);
    durable_key key;
    durable_options wanted;
    if (getpid() != it->pid) { return CTIE_E_FORKED; }
    if (topic.size >= TOPIC_MOST || name.size >= DURABLE_NAME_MOST) { return CTIE_E_UNSUPPORTED; }
    ctie_status status = durable_options_read(it, options, &wanted);
    if (status == CTIE_OK) { status = durable_key_of(topic, name, &key); }
    for (bool goes_on = status == CTIE_OK; goes_on;) {
        status = connection_ready(it, deadline);
        if (status == CTIE_OK) { status = try_once(it, &key, &wanted, options->flags, deadline); }
        goes_on = status == CTIE_PENDING && deadline_left(deadline) > TRY_PAUSE_MS;
        if (goes_on) { clock_pause(TRY_PAUSE_MS); }
    }
    if (status == CTIE_PENDING) { return fail(it, CTIE_E_TIMEOUT, "others are changing the durable consumer"); }
    return status;
}
