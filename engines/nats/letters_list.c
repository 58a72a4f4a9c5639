/* Listing dead letters. */
#include "claims.h"

#include "text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct showing {
    engine *it;
    ctie_engine_dead_letter_fn visit;
    void *context;
    bool has_values;
    int64_t deadline;
} showing;

static ctie_status find_owner(engine *it, const durable_key *key, int64_t deadline) {
    char consumer[CONSUMER_NAME_MOST];
    durable_record record;
    ctie_status status = record_read(it, key->base, &record, deadline);
    if (status != CTIE_OK) { return status; }
    if (record.state == RECORD_FORGOTTEN) { return CTIE_E_NOT_FOUND; }
    record_consumer(key->base, record.suffix, consumer);
    status = durable_look(it, key, consumer, deadline, NULL);
    if (status != CTIE_E_NOT_FOUND) { return status; }
    durable_record now; /* it may have been moved meanwhile */
    status = record_read(it, key->base, &now, deadline);
    return status == CTIE_OK ? (now.at == record.at ? CTIE_E_NOT_FOUND : CTIE_PENDING) : status;
}

/* False to end the listing. */
static bool show(const showing *in, const letter *it, natsMsg *content) {
    char subject[SUBJECT_MOST], reason[3 * CTIE_MESSAGE_MAX_REASON + 1];
    const char *problem;
    envelope read;
    ctie_engine_dead_letter out = {.size = sizeof out, .deliveries = it->deliveries, .value_size = it->size,
                                   .dead = it->died};
    letter_subject(&in->it->names, it, subject);
    if (!envelope_read(&in->it->names, subject, content, &read, &problem)) { return true; }
    if (!in->has_values) {
        read.message.value = (ctie_bytes){NULL, 0};
        read.message.headers = NULL, read.message.header_count = 0;
    }
    size_t size = strnlen(it->reason, sizeof reason);
    size_t decoded = size < sizeof reason ? (size_t)(text_decode(reason, it->reason, size) - reason) : 0;
    bool is_text = decoded <= CTIE_MESSAGE_MAX_REASON && text_is_utf8(reason, decoded);
    out.reason = (ctie_str){reason, is_text ? decoded : 0};
    read.message.sequence = number_of_letter(in->it, it->in_stream);
    if (it->sent_as > 0) { out.sent_as = number_of_letter(in->it, it->sent_as); }
    out.message = &read.message;
    bool goes_on = in->visit(&out, in->context);
    envelope_clear(&read);
    return goes_on;
}

/* One that was changed or removed meanwhile is left out. */
static ctie_status show_whole(const showing *in, const letter *it, bool *goes_on) {
    natsMsg *whole = NULL;
    ctie_status status = fetch(in->it, in->it->names.durable, it->at, in->deadline, &whole);
    if (status == CTIE_OK) { *goes_on = show(in, it, whole); }
    natsMsg_Destroy(whole);
    return status == CTIE_E_NOT_FOUND ? CTIE_OK : status;
}

/* Those that may be shown. The caller of one mostly knows its number. */
static ctie_status find(const showing *in, const char *base, uint64_t after, size_t limit, letters *out) {
    char filter[LETTER_MOST];
    if (limit == 1 && after > 0) {
        ctie_status status = letters_collect_one(in->it, base, after + 1, in->deadline, out);
        if (status != CTIE_OK || (out->count > 0 && out->items[0].state == LETTER_DEAD)) { return status; }
        letters_clear(out);
    }
    names_letters(&in->it->names, base, filter);
    return letters_collect(in->it, filter, in->deadline, out);
}

static ctie_status show_all(const showing *in, const char *base, uint64_t after, size_t limit) {
    letters all;
    bool goes_on = true;
    ctie_status status = find(in, base, after, limit, &all);
    for (size_t i = 0; status == CTIE_OK && goes_on && limit > 0 && i < all.count; i++) {
        const letter *each = &all.items[i];
        if (each->state != LETTER_DEAD || each->in_stream <= after) { continue; }
        limit--;
        if (in->has_values) { status = show_whole(in, each, &goes_on); } else { goes_on = show(in, each, each->message); }
    }
    letters_clear(&all);
    return status;
}

ctie_status letters_begin(engine *it, ctie_str topic, ctie_str name, int64_t deadline, durable_key *key) {
    enum { PAUSE_MS = 10 };
    if (getpid() != it->pid) { return CTIE_E_FORKED; }
    ctie_status status = durable_key_of(topic, name, key);
    if (status == CTIE_OK) { status = connection_ready(it, deadline); }
    if (status == CTIE_OK) { status = bindings_conclude(it, deadline); }
    while (status == CTIE_OK) {
        status = find_owner(it, key, deadline);
        if (status != CTIE_PENDING) { break; }
        if (deadline_left(deadline) <= PAUSE_MS) { return CTIE_E_TIMEOUT; }
        clock_pause(PAUSE_MS);
        status = connection_ready(it, deadline);
    }
    return status;
}

ctie_status engine_dead_letters(void *data, ctie_str topic, ctie_str name, uint64_t after, size_t limit,
                                uint32_t has_values, ctie_engine_dead_letter_fn visit, void *context,
                                int64_t timeout_ms) {
    showing in = {data, visit, context, has_values != 0, deadline_after(timeout_ms)};
    durable_key key;
    ctie_status status = letters_begin(in.it, topic, name, in.deadline, &key);
    if (status != CTIE_OK) { return status; }
    return show_all(&in, key.base, after > 0 ? number_in_stream(in.it, after) : 0, limit);
}
