/* Where the consumer of a state or a queue begins. */
#include "parts.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct stream_range {
    uint64_t first, last;
} stream_range;

static ctie_status range_find(engine *it, stream_range *out, int64_t deadline) {
    char what[STREAM_MOST + 32];
    json_t *answer = NULL;
    snprintf(what, sizeof what, "STREAM.INFO.%s", it->names.stream);
    ctie_status status = api(it, what, NULL, deadline, &answer);
    if (api_error(answer) == NO_STREAM) { status = CTIE_E_NOT_FOUND; }
    const json_t *state = json_object_get(answer, "state");
    out->first = api_number(state, "first_seq");
    out->last = api_number(state, "last_seq");
    json_decref(answer);
    return status;
}

static void begin_at(beginning *out, uint64_t number) {
    out->sequence = number > 0 ? number : 1;
    out->policy = "by_start_sequence";
}

static ctie_status begin_with_stored(binding *it, beginning *out, int64_t deadline) {
    ctie_status status = stored_find(it, &out->stored, deadline);
    if (status != CTIE_OK) { return status; }
    out->has_stored = true;
    begin_at(out, out->stored.up_to + 1);
    return CTIE_OK;
}

static ctie_status begin_at_number(binding *it, beginning *out, int64_t deadline) {
    stream_range range;
    ctie_status status = range_find(it->engine, &range, deadline);
    uint64_t wanted = number_in_stream(it->engine, it->start_sequence);
    begin_at(out, wanted <= range.last ? wanted : range.last + 1); /* the future begins with the next message */
    return status;
}

/* The server knows its own times; those of the senders may differ by a minute. */
static ctie_status begin_at_time(binding *it, beginning *out, int64_t deadline) {
    stream_range range;
    int64_t minute = 60 * (int64_t)1000000000;
    ctie_status status = range_find(it->engine, &range, deadline);
    out->policy = "by_start_time";
    out->time = it->start_time > minute ? it->start_time - minute : 0;
    if (out->time > clock_now(CLOCK_REALTIME)) { out->policy = "new"; }
    out->skips_up_to = range.last;
    return status;
}

static ctie_status begin_first(binding *it, beginning *out, int64_t deadline) {
    bool is_state = it->delivery == CTIE_ENGINE_STATE, is_durable = it->delivery == CTIE_ENGINE_DURABLE;
    if (is_state && (it->flags & CTIE_ENGINE_NO_INITIAL_DELIVERY) == 0) { return begin_with_stored(it, out, deadline); }
    if (is_state || it->delivery == DELIVERED_TO_ALL || it->start == CTIE_ENGINE_FROM_NEXT) {
        out->policy = "new";
        return CTIE_OK;
    }
    ctie_status status = it->is_dense || is_durable ? CTIE_OK : everything_find_last(it->of, deadline);
    if (status != CTIE_OK) { return status; }
    if (it->start == CTIE_ENGINE_FROM_SEQUENCE) { return begin_at_number(it, out, deadline); }
    if (it->start == CTIE_ENGINE_FROM_TIME) { return begin_at_time(it, out, deadline); }
    out->policy = "all";
    return CTIE_OK;
}

static int by_number(const void *a, const void *b) {
    const stored_value *one = a, *other = b;
    return one->in_stream < other->in_stream ? -1 : one->in_stream > other->in_stream;
}

/* The stored values that a binding to states has not got; it gets them as new messages, in the order of numbers. */
static void keep_newer(stored_values *values, uint64_t last) {
    size_t kept = 0;
    for (size_t i = 0; i < values->count; i++) {
        stored_value *each = &values->items[i];
        if (each->in_stream > last) {
            values->items[kept++] = *each;
        } else {
            natsMsg_Destroy(each->message);
            free(each->subject);
        }
    }
    values->count = kept;
    if (kept > 0) { qsort(values->items, kept, sizeof *values->items, by_number); }
}

/* Behind the last message. Those that the stream has dropped meanwhile are missed: at least one. */
static ctie_status begin_again(binding *it, bool is_lost, uint64_t last, beginning *out, int64_t deadline) {
    stream_range range = {0, 0};
    ctie_status status = is_lost ? CTIE_OK : range_find(it->engine, &range, deadline);
    if (status != CTIE_OK) { return status; }
    bool has_dropped = is_lost || range.first > last + 1;
    if (it->delivery == CTIE_ENGINE_STATE && has_dropped) {
        status = begin_with_stored(it, out, deadline);
        if (status == CTIE_OK) { keep_newer(&out->stored, is_lost ? 0 : last); }
        return status;
    }
    begin_at(out, is_lost ? 1 : last + 1);
    out->missed = has_dropped && !is_lost && !it->is_dense ? range.first - 1 : 0;
    return CTIE_OK;
}

ctie_status beginning_find(binding *it, beginning *out, int64_t deadline) {
    pthread_mutex_lock(&it->lock);
    bool is_first = it->is_first, is_lost = it->is_lost;
    uint64_t last = it->last;
    pthread_mutex_unlock(&it->lock);
    *out = (beginning){0};
    return is_first ? begin_first(it, out, deadline) : begin_again(it, is_lost, last, out, deadline);
}
