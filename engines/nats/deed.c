/* The outcomes of messages that need more than one message to the server, one by one. */
#include "work.h"

#include <string.h>

static const char LISTENER_REMOVED[] = "its listener was removed";

/* ---- What is to be done -------------------------------------------------------------------------------- */

ctie_status work_die_of(const work *it, uint32_t deliveries, const char *reason) {
    death what = {it->it, &it->key, &it->record, it->what->in_stream, it->what->again_at, deliveries,
                  reason != NULL ? reason : "", it->deadline};
    ctie_status status = die(&what);
    return status == CTIE_OK ? work_end(it->what, END_DONE, 0) : status;
}

static ctie_status fail_once_more(const work *it, bool is_rejected) {
    const deed *what = it->what;
    uint32_t most = it->record.options.max_deliveries, deliveries = what->count;
    ctie_status status = most > 0 && deliveries >= most ? work_count(it, &deliveries) : CTIE_OK;
    if (status != CTIE_OK) { return status; }
    bool is_over = most > 0 && deliveries >= most;
    if (is_over) { return work_die_of(it, deliveries, is_rejected ? what->reason : LISTENER_REMOVED); }
    if (it->is_outlived) { return work_carry(it, deliveries); }
    int64_t delay = what->delay_ns >= 0 ? what->delay_ns : durable_pause(&it->record.options, deliveries);
    return work_end(what, END_AGAIN, is_rejected ? delay : 0);
}

static ctie_status give_back(const work *it) {
    const deed *what = it->what;
    uint32_t deliveries = what->count;
    bool is_counted = it->record.options.max_deliveries > 0;
    if (!is_counted && !it->is_outlived) { return work_end(what, END_AGAIN, 0); }
    ctie_status status = !is_counted ? CTIE_OK : it->is_outlived ? work_count(it, &deliveries) : work_pardon(it);
    if (status == CTIE_OK && it->is_outlived) { return work_carry(it, deliveries > 0 ? deliveries - 1 : 0); }
    return status == CTIE_OK ? work_end(what, END_AGAIN, 0) : status;
}

/* ---- Doing it -------------------------------------------------------------------------------------- */

/* Takes the record as it was read just now. Of a consumer that was moved, the binding does not know yet: a message in hand
   is of the one before. With the lock of the binding. */
static void take_record(work *it, const durable_record *seen, int64_t now) {
    binding *of = it->what->of;
    bool is_moved = strcmp(seen->suffix, it->record.suffix) != 0;
    if (is_moved || seen->state == RECORD_FORGOTTEN) { of->has_to_look = true, of->record_seen = 0; }
    if (is_moved) {
        claim *mine = claim_of(of, it->what->claim);
        it->record = *seen;
        it->is_outlived = it->what->again_at == 0;
        if (mine != NULL) { mine->is_outlived = it->is_outlived; }
    } else if (of->record.at <= seen->at) {
        of->record.options = seen->options;
        of->record_seen = now;
    }
    it->record.options = seen->options;
}

/* The record as it is now, if it may be another one than when the consumer was found. */
static ctie_status look(work *it) {
    enum { FRESH_MS = 1000 };
    binding *of = it->what->of;
    int64_t now = clock_now(CLOCK_MONOTONIC);
    pthread_mutex_lock(&of->lock);
    claim *mine = claim_of(of, it->what->claim);
    it->is_outlived = mine != NULL && mine->is_outlived;
    it->record = of->record;
    bool is_fresh = now - of->record_seen < FRESH_MS * NS_PER_MS && !of->has_to_look;
    pthread_mutex_unlock(&of->lock);
    if (is_fresh) { return CTIE_OK; }
    durable_record seen;
    ctie_status status = record_read(it->it, it->key.base, &seen, it->deadline);
    if (status != CTIE_OK) { return status; }
    pthread_mutex_lock(&of->lock);
    take_record(it, &seen, now);
    pthread_mutex_unlock(&of->lock);
    return CTIE_OK;
}

/* A message of the consumer before, which no listener has in hand, or which the moved one delivers. */
static bool is_left_alone(const work *it) {
    bool is_in_hand = it->what->claim != 0 && it->what->kind != DEED_CHECK;
    return it->is_outlived && (!is_in_hand || it->what->in_stream >= it->record.start);
}

ctie_status deed_do(const deed *what, int64_t deadline) {
    binding *of = what->of;
    work it = {.what = what, .it = of->engine, .deadline = deadline};
    it.key = (durable_key){ctie_str_from(of->topic), ctie_str_from(of->name), ""};
    memcpy(it.key.base, of->base, sizeof it.key.base);
    ctie_status status = look(&it);
    if (status != CTIE_OK) { return status; }
    if (is_left_alone(&it)) { return work_end(what, END_NOTHING, 0); }
    switch (what->kind) {
    case DEED_CHECK: return work_check(&it);
    case DEED_REJECT: return fail_once_more(&it, true);
    case DEED_LEAVE: return fail_once_more(&it, false);
    case DEED_RETURN: return give_back(&it);
    case DEED_FINISH: return work_finish(&it);
    default: return work_die_of(&it, what->count, NULL);
    }
}
