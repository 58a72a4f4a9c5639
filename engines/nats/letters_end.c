/* The end of dead letters: they are put back, or removed. */
#include "letters_end.h"

#include "claims.h"

#include <string.h>

void portion_ask(const ends *in, natsMsg **requests, size_t count, natsMsg **answers) {
    natsMsg *given[PORTION], *received[PORTION] = {NULL};
    ctie_status statuses[PORTION];
    size_t places[PORTION], some = 0;
    for (size_t i = 0; i < count; i++) {
        answers[i] = NULL;
        if (requests[i] == NULL) { continue; }
        given[some] = requests[i];
        places[some++] = i;
    }
    if (some == 0 || connection_ready(in->it, in->deadline) != CTIE_OK) {
        for (size_t i = 0; i < some; i++) { natsMsg_Destroy(given[i]); }
        return;
    }
    ask_many(in->it, given, some, in->deadline, received, statuses);
    for (size_t i = 0; i < some; i++) { answers[places[i]] = received[i]; }
}

/* Those that could not be ended together are ended one by one, until the deadline. */
static ctie_status end_some(const ends *in, portion *all) {
    bool is_retry = in->action == CTIE_ENGINE_RETRY;
    memset(all->is_done, 0, sizeof all->is_done);
    if (all->count > 1 && is_retry) { letters_retry(in, all); }
    if (all->count > 1 && !is_retry) { letters_drop(in, all); }
    for (size_t i = 0; i < all->count; i++) {
        if (all->is_done[i]) { continue; }
        ctie_status status = is_retry ? letter_retry(in, all->items[i]) : letter_drop(in, all->items[i]);
        if (status != CTIE_OK && status != CTIE_E_NOT_FOUND) { return status; }
    }
    all->count = 0;
    return CTIE_OK;
}

static ctie_status end_all(const ends *in, const char *base, uint64_t in_stream) {
    char filter[LETTER_MOST];
    letters all;
    portion some = {.count = 0};
    names_letters(&in->it->names, base, filter);
    ctie_status status = in_stream != 0 ? letters_collect_one(in->it, base, in_stream, in->deadline, &all)
                                        : letters_collect(in->it, filter, in->deadline, &all);
    for (size_t i = 0; status == CTIE_OK && i < all.count; i++) {
        const letter *each = &all.items[i];
        if (each->state != LETTER_DEAD) { continue; }
        some.items[some.count++] = each;
        if (some.count == PORTION) { status = end_some(in, &some); }
    }
    if (status == CTIE_OK) { status = end_some(in, &some); }
    letters_clear(&all);
    return status == CTIE_OK && in_stream != 0 && *in->count == 0 ? CTIE_E_NOT_FOUND : status;
}

ctie_status engine_end_dead_letters(void *data, ctie_str topic, ctie_str name, uint64_t sequence, uint32_t action,
                                    uint64_t *count, int64_t timeout_ms) {
    ends in = {data, action, count, deadline_after(timeout_ms)};
    durable_key key;
    *count = 0;
    ctie_status status = letters_begin(in.it, topic, name, in.deadline, &key);
    if (status != CTIE_OK) { return status; }
    uint64_t in_stream = sequence != 0 ? number_in_stream(in.it, sequence) : 0;
    if (sequence != 0 && in_stream == 0) { return CTIE_E_NOT_FOUND; }
    status = end_all(&in, key.base, in_stream);
    bool is_partial = *count > 0 || status == CTIE_E_UNCERTAIN;
    return is_partial ? record_doubt(in.it, status) : status;
}
