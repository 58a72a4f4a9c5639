/* Moving durable consumers. A consumer on the server cannot be moved: another one is made, and the record then names it
   instead. That is the step that counts. Before it, a member that dies leaves a consumer that nobody uses; after it, the
   next binding removes the one that was replaced. */
#include "parts.h"

#include "record.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { TRY_PAUSE_MS = 10 };

typedef struct moving {
    engine *it;
    durable_key key;
    uint32_t start;
    uint64_t sequence;
    int64_t time, deadline;
    durable_record record;
    char fresh[CONSUMER_NAME_MOST];
} moving;

/* ---- Where it begins ------------------------------------------------------------------------------- */

static ctie_status find_number(moving *what, durable_start *out) {
    char request[STREAM_MOST + 32];
    json_t *answer = NULL;
    snprintf(request, sizeof request, "STREAM.INFO.%s", what->it->names.stream);
    ctie_status status = api(what->it, request, NULL, what->deadline, &answer);
    uint64_t last = api_number(json_object_get(answer, "state"), "last_seq");
    uint64_t wanted = number_in_stream(what->it, what->sequence);
    json_decref(answer);
    if (wanted > last) { wanted = last + 1; } /* the future begins with the next message */
    *out = (durable_start){"by_start_sequence", wanted > 0 ? wanted : 1, 0};
    return status;
}

static ctie_status find_start(moving *what, durable_start *out) {
    *out = (durable_start){"all", 0, 0};
    switch (what->start) {
    case CTIE_ENGINE_FROM_NEXT: out->policy = "new"; return CTIE_OK;
    case CTIE_ENGINE_FROM_SEQUENCE: return find_number(what, out);
    case CTIE_ENGINE_FROM_TIME:
        *out = (durable_start){what->time > clock_now(CLOCK_REALTIME) ? "new" : "by_start_time", 0, what->time};
        return CTIE_OK;
    default: return CTIE_OK;
    }
}

/* ---- The steps ------------------------------------------------------------------------------------- */

static bool choose_suffix(char out[SUFFIX_MOST]) {
    uint64_t random;
    if (getrandom(&random, sizeof random, 0) != sizeof random) { return false; }
    return snprintf(out, SUFFIX_MOST, "%016llx", (unsigned long long)random) > 0;
}

/* The consumer of another name, which nobody knows yet. */
static ctie_status make_fresh(moving *what, char suffix[SUFFIX_MOST], uint64_t *start) {
    durable_start from;
    json_t *info = NULL;
    if (!choose_suffix(suffix)) { return fail(what->it, CTIE_E_SYSTEM, "no random bytes"); }
    record_consumer(what->key.base, suffix, what->fresh);
    ctie_status status = find_start(what, &from);
    if (status != CTIE_OK) { return status; }
    status = durable_make(what->it, &what->key, what->fresh, &from, &what->record.options, what->deadline, &info);
    *start = api_number(json_object_get(info, "delivered"), "stream_seq") + 1;
    json_decref(info);
    return status;
}

static ctie_status name_fresh(moving *what) {
    uint64_t start = 0;
    char suffix[SUFFIX_MOST];
    durable_record *record = &what->record;
    ctie_status status = make_fresh(what, suffix, &start);
    if (status != CTIE_OK) { return status; }
    memcpy(record->previous, record->suffix, sizeof record->previous);
    memcpy(record->suffix, suffix, sizeof record->suffix);
    record->has_previous = true;
    record->state = RECORD_MADE;
    record->start = start;
    status = record_write(what->it, &what->key, record, what->deadline);
    if (status == CTIE_OK || status == CTIE_E_UNCERTAIN) { return status; }
    durable_delete(what->it, what->fresh, what->deadline);
    return status == CTIE_E_CONFLICT || status == CTIE_E_NOT_FOUND ? CTIE_PENDING : status;
}

/* One that a member has left over is removed first: the record names only one. */
static ctie_status remove_previous(moving *what) {
    char previous[CONSUMER_NAME_MOST];
    if (!what->record.has_previous) { return CTIE_OK; }
    record_consumer(what->key.base, what->record.previous, previous);
    ctie_status status = durable_delete(what->it, previous, what->deadline);
    if (status != CTIE_OK && status != CTIE_E_NOT_FOUND) { return record_doubt(what->it, status); }
    what->record.has_previous = false;
    return CTIE_OK;
}

static ctie_status try_once(moving *what) {
    char consumer[CONSUMER_NAME_MOST];
    durable_record now;
    ctie_status status = record_read(what->it, what->key.base, &what->record, what->deadline);
    if (status != CTIE_OK) { return status; }
    if (what->record.state == RECORD_FORGOTTEN) { return CTIE_E_NOT_FOUND; }
    record_consumer(what->key.base, what->record.suffix, consumer);
    status = durable_look(what->it, &what->key, consumer, what->deadline, NULL);
    if (status == CTIE_E_NOT_FOUND) { /* or it is being moved */
        ctie_status seen = record_read(what->it, what->key.base, &now, what->deadline);
        return seen == CTIE_OK && now.at != what->record.at ? CTIE_PENDING : status;
    }
    if (status == CTIE_OK) { status = durable_stream_have(what->it, what->deadline); }
    if (status == CTIE_OK) { status = remove_previous(what); }
    if (status == CTIE_OK) { status = name_fresh(what); }
    if (status != CTIE_OK) { return status; }
    status = remove_previous(what);
    if (status == CTIE_OK) { record_write(what->it, &what->key, &what->record, what->deadline); } /* else the next one */
    return status;
}

ctie_status engine_seek(void *data, ctie_str topic, ctie_str name, uint32_t start, uint64_t sequence, int64_t time,
                        int64_t timeout_ms) {
    moving what = {.it = data, .start = start, .sequence = sequence, .time = time};
    what.deadline = deadline_after(timeout_ms);
    if (getpid() != what.it->pid) { return CTIE_E_FORKED; }
    ctie_status status = durable_key_of(topic, name, &what.key);
    for (bool goes_on = status == CTIE_OK; goes_on;) {
        status = connection_ready(what.it, what.deadline);
        if (status == CTIE_OK) { status = try_once(&what); }
        goes_on = status == CTIE_PENDING && deadline_left(what.deadline) > TRY_PAUSE_MS;
        if (goes_on) { clock_pause(TRY_PAUSE_MS); }
    }
    if (status == CTIE_PENDING) { return fail(what.it, CTIE_E_TIMEOUT, "others are changing the durable consumer"); }
    if (status == CTIE_OK || status == CTIE_E_UNCERTAIN) { durable_changed(what.it, what.key.base); }
    return status;
}
