/* Forgetting durable consumers. */
#include "claims.h"
#include "requests.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TRY_PAUSE_MS = 10 };

/* Removes messages of before a version of the record. */
static ctie_status purge(engine *it, const char *filter, uint64_t before, int64_t deadline) {
    requests one = {.count = 0};
    json_t *body = json_pack("{s:s, s:I}", "filter", filter, "seq", (json_int_t)before);
    requests_add(&one, requests_new("STREAM.PURGE", it->names.durable, body));
    return requests_ask(it, &one, deadline);
}

ctie_status durable_purge(engine *it, const char *base, uint64_t before, int64_t deadline) {
    char letters[LETTER_MOST], pardons[LETTER_MOST];
    names_letters(&it->names, base, letters);
    names_pardons(&it->names, base, pardons);
    ctie_status status = purge(it, letters, before, deadline);
    return status == CTIE_OK ? purge(it, pardons, before, deadline) : status;
}

ctie_status forget_finish(engine *it, const durable_key *key, durable_record *record, int64_t deadline) {
    char consumer[CONSUMER_NAME_MOST];
    record_consumer(key->base, record->suffix, consumer);
    ctie_status status = durable_delete(it, consumer, deadline);
    if (status == CTIE_OK || status == CTIE_E_NOT_FOUND) {
        status = durable_purge(it, key->base, record->at, deadline);
    }
    if (status == CTIE_OK) { status = again_delete(it, key->base, deadline); }
    if (status == CTIE_OK) { status = record_remove(it, record, deadline); }
    return status == CTIE_OK ? CTIE_PENDING : record_doubt(it, status);
}

static ctie_status forget_recorded(engine *it, const durable_key *key, durable_record *record, int64_t deadline) {
    char consumer[CONSUMER_NAME_MOST];
    record_consumer(key->base, record->suffix, consumer);
    ctie_status seen = durable_look(it, key, consumer, deadline, NULL);
    if (seen != CTIE_OK && seen != CTIE_E_NOT_FOUND) { return seen; }
    if (seen == CTIE_E_NOT_FOUND && record->state == RECORD_MAKING) { return seen; }
    if (record->state != RECORD_FORGOTTEN) {
        record->state = RECORD_FORGOTTEN;
        ctie_status status = record_write(it, key, record, deadline);
        if (status == CTIE_E_NOT_FOUND || status == CTIE_E_CONFLICT) { return CTIE_PENDING; }
        if (status != CTIE_OK) { return status; }
    }
    ctie_status status = forget_finish(it, key, record, deadline);
    return status == CTIE_PENDING ? seen : status; /* it had expired */
}

/* A request to delete it is repeated after a lost connection, and then may not find it any more. */
static ctie_status forget_unrecorded(engine *it, const durable_key *key, int64_t deadline) {
    ctie_status status = durable_look(it, key, key->base, deadline, NULL);
    if (status != CTIE_OK) { return status; }
    status = durable_delete(it, key->base, deadline);
    return status == CTIE_E_NOT_FOUND ? CTIE_OK : record_doubt(it, status);
}

static ctie_status try_once(engine *it, const durable_key *key, int64_t deadline) {
    durable_record record;
    ctie_status status = record_read(it, key->base, &record, deadline);
    if (status != CTIE_OK) { return status; }
    if (record.at == 0) { return forget_unrecorded(it, key, deadline); }
    return forget_recorded(it, key, &record, deadline);
}

/* Its bindings get no more messages. */
static void forget_here(bindings *all, const char *base) {
    size_t count;
    binding **list = bindings_list(all, &count);
    for (size_t i = 0; i < count; i++) {
        binding *each = list[i];
        pthread_mutex_lock(&each->lock);
        if (each->delivery == CTIE_ENGINE_DURABLE && strcmp(each->base, base) == 0) { durable_forgotten(each); }
        pthread_mutex_unlock(&each->lock);
    }
    bindings_release(list, count);
}

ctie_status engine_forget(void *data, ctie_str topic, ctie_str name, int64_t timeout_ms) {
    engine *it = data;
    int64_t deadline = deadline_after(timeout_ms);
    durable_key key;
    if (getpid() != it->pid) { return CTIE_E_FORKED; }
    ctie_status status = durable_key_of(topic, name, &key);
    for (bool goes_on = status == CTIE_OK; goes_on;) {
        status = connection_ready(it, deadline);
        if (status == CTIE_OK) { status = try_once(it, &key, deadline); }
        goes_on = status == CTIE_PENDING && deadline_left(deadline) > TRY_PAUSE_MS;
        if (goes_on) { clock_pause(TRY_PAUSE_MS); }
    }
    if (status == CTIE_PENDING) { return fail(it, CTIE_E_TIMEOUT, "others are changing the durable consumer"); }
    if (status == CTIE_OK) { forget_here(it->bindings, key.base); }
    if (status == CTIE_OK || status == CTIE_E_UNCERTAIN) { durable_changed(it, key.base); }
    return status;
}
