/* The outcomes of messages that need more than one message to the server, one by one. */
#include "work.h"

#include <stdio.h>
#include <string.h>

enum { GIVEN_UP_MS = 5000 };
static const char LISTENER_REMOVED[] = "its listener was removed";

/* ---- The end of a deed ----------------------------------------------------------------------------- */

/* Tells the server, by the newest reply subject of the message. */
ctie_status work_end(const deed *what, ending how, int64_t delay_ns) {
    binding *it = what->of;
    pthread_mutex_lock(&it->lock);
    claim *mine = claim_of(it, what->claim);
    const char *reply = mine != NULL ? mine->reply : what->claim == 0 ? what->reply : NULL;
    bool is_again = what->again_at != 0, is_outlived = mine != NULL && mine->is_outlived;
    if (reply != NULL && !is_outlived && how == END_DONE) {
        acks_add(it->of->acks, is_again ? it->again.consumer : it->consumer,
                 is_again ? what->again_at : what->in_stream, reply);
    } else if (reply != NULL && !is_outlived && how == END_AGAIN) {
        negate(it, reply, delay_ns);
    }
    if (mine != NULL) { claim_free(it, mine); }
    pthread_mutex_unlock(&it->lock);
    binding_wake(it);
    return CTIE_OK;
}

void deed_give_up(const deed *what, ctie_status status) {
    if (status != CTIE_E_CLOSED) { complain(what->of->of, COMPLAINT_DEED, last_problem()); }
    work_end(what, END_AGAIN, GIVEN_UP_MS * NS_PER_MS);
}

/* To be handed out after all. Without its binding another one gets it. */
ctie_status work_hand_out(const work *it, natsMsg *message, uint32_t deliveries) {
    binding *of = it->what->of;
    pthread_mutex_lock(&of->lock);
    claim *mine = claim_of(of, it->what->claim);
    bool is_wanted = mine != NULL && !of->is_ended && !mine->is_outlived;
    if (is_wanted) {
        mine->waiting = message;
        mine->unseen = mine->count > deliveries ? mine->count - deliveries : 0;
        mine->is_resolved = false;
    }
    pthread_mutex_unlock(&of->lock);
    if (is_wanted) {
        binding_wake(of);
        return CTIE_OK;
    }
    natsMsg_Destroy(message);
    return work_end(it->what, END_AGAIN, 0);
}

/* ---- Counting -------------------------------------------------------------------------------------- */

/* Pardons count for one life of a message: its deliveries are counted from 1 by each consumer, and after each retry. */
static pardon pardon_of(const work *it) {
    const deed *what = it->what;
    pardon out = {.base = it->key.base, .in_stream = what->in_stream, .is_again = what->again_at != 0};
    if (out.is_again) {
        snprintf(out.life, sizeof out.life, "%llu", (unsigned long long)what->again_at);
    } else {
        snprintf(out.life, sizeof out.life, "%s", it->record.suffix[0] != 0 ? it->record.suffix : "-");
    }
    return out;
}

ctie_status work_count(const work *it, uint32_t *deliveries) {
    uint32_t pardons = 0;
    pardon of = pardon_of(it);
    ctie_status status = pardons_count(it->it, &of, it->deadline, &pardons);
    *deliveries = it->what->count > pardons ? it->what->count - pardons : 0;
    return status;
}

ctie_status work_die_of(const work *it, uint32_t deliveries, const char *reason) {
    death what = {it->it, &it->key, &it->record, it->what->in_stream, it->what->again_at, deliveries,
                  reason != NULL ? reason : "", it->deadline};
    ctie_status status = die(&what);
    return status == CTIE_OK ? work_end(it->what, END_DONE, 0) : status;
}

/* ---- The others ------------------------------------------------------------------------------------ */

/* A message in hand from before its consumer was moved, and behind the new position: it comes again by itself. One before
   it has no consumer any more, and goes the way of a dead letter that was retried. */
static ctie_status carry(const work *it, uint32_t deliveries) {
    natsMsg *from = NULL;
    letter made = {.in_stream = it->what->in_stream, .state = LETTER_AGAIN, .deliveries = deliveries};
    int32_t kind;
    ctie_str identifier;
    if (it->what->in_stream >= it->record.start) { return work_end(it->what, END_NOTHING, 0); }
    ctie_status status = fetch(it->it, it->it->names.stream, made.in_stream, it->deadline, &from);
    if (status == CTIE_E_NOT_FOUND) { return work_end(it->what, END_NOTHING, 0); }
    if (status != CTIE_OK) { return status; }
    if (names_read(&it->it->names, message_subject(from), &kind, &identifier)) {
        int size = natsMsg_GetDataLength(from);
        made.kind = kind, made.size = kind == CTIE_MESSAGE_VALUE && size > 0 ? (uint64_t)size : 0;
        memcpy(made.base, it->key.base, sizeof made.base);
        memcpy(made.passed, it->record.suffix, sizeof made.passed);
        if (identifier.size > 0) { memcpy(made.identifier, identifier.data, identifier.size); }
        status = letter_write(it->it, &made, from, it->deadline);
    }
    natsMsg_Destroy(from);
    return status == CTIE_OK || status == CTIE_E_CONFLICT ? work_end(it->what, END_NOTHING, 0) : status;
}

static ctie_status fail_once_more(const work *it, bool is_rejected) {
    const deed *what = it->what;
    uint32_t most = it->record.options.max_deliveries, deliveries = what->count;
    ctie_status status = most > 0 && deliveries >= most ? work_count(it, &deliveries) : CTIE_OK;
    if (status != CTIE_OK) { return status; }
    bool is_over = most > 0 && deliveries >= most;
    if (is_over) { return work_die_of(it, deliveries, is_rejected ? what->reason : LISTENER_REMOVED); }
    if (it->is_outlived) { return carry(it, deliveries); }
    int64_t delay = what->delay_ns >= 0 ? what->delay_ns : durable_pause(&it->record.options, deliveries);
    return work_end(what, END_AGAIN, is_rejected ? delay : 0);
}

static ctie_status give_back(const work *it) {
    const deed *what = it->what;
    if (it->is_outlived) { return carry(it, what->count - 1); }
    if (it->record.options.max_deliveries == 0) { return work_end(what, END_AGAIN, 0); }
    pardon of = pardon_of(it);
    ctie_status status = pardons_add(it->it, &of, it->deadline);
    return status == CTIE_OK ? work_end(what, END_AGAIN, 0) : status;
}

/* A consumer that was moved and is not behind the message yet must not deliver it once more. */
static ctie_status finish(const work *it) {
    const deed *what = it->what;
    natsMsg *message = NULL;
    letter found;
    ctie_status status = fetch(it->it, it->it->names.durable, what->again_at, it->deadline, &message);
    if (status == CTIE_E_NOT_FOUND) { return work_end(what, END_DONE, 0); }
    if (status != CTIE_OK) { return status; }
    bool is_read = letter_read(&it->it->names, message, what->again_at, &found);
    bool is_passed = what->in_stream < it->record.start || strcmp(found.passed, it->record.suffix) == 0;
    if (!is_read || is_passed) {
        status = letter_remove(it->it, what->again_at, it->deadline);
    } else {
        found.state = LETTER_DONE;
        status = letter_write(it->it, &found, message, it->deadline);
    }
    natsMsg_Destroy(message);
    return status == CTIE_OK || status == CTIE_E_CONFLICT ? work_end(what, END_DONE, 0) : status;
}

/* ---- Doing it -------------------------------------------------------------------------------------- */

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
    bool is_moved = strcmp(seen.suffix, it->record.suffix) != 0;
    pthread_mutex_lock(&of->lock);
    if (is_moved || seen.state == RECORD_FORGOTTEN) { of->has_to_look = true; }
    if (!is_moved && of->record.at <= seen.at) {
        of->record.options = seen.options;
        of->record_seen = now;
    }
    pthread_mutex_unlock(&of->lock);
    it->record.options = seen.options;
    return CTIE_OK;
}

ctie_status deed_do(const deed *what, int64_t deadline) {
    binding *of = what->of;
    work it = {.what = what, .it = of->engine, .deadline = deadline};
    it.key = (durable_key){ctie_str_from(of->topic), ctie_str_from(of->name), ""};
    memcpy(it.key.base, of->base, sizeof it.key.base);
    ctie_status status = look(&it);
    if (status != CTIE_OK) { return status; }
    switch (what->kind) {
    case DEED_CHECK: return work_check(&it);
    case DEED_REJECT: return fail_once_more(&it, true);
    case DEED_LEAVE: return fail_once_more(&it, false);
    case DEED_RETURN: return give_back(&it);
    case DEED_FINISH: return finish(&it);
    default: return work_die_of(&it, what->count, NULL);
    }
}
