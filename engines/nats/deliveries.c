/* Messages that come for a durable consumer. All functions are called with the binding's lock. */
#include "claims.h"

#include "dead_copy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A message that expired, or that cannot be read, is done with. */
static void leave_out(binding *it, const char *reply, const place *at, bool is_missed) {
    acks_add(it->of->acks, it->id, at->in_stream, reply);
    if (!is_missed || at->deliveries > 1) { return; }
    claims_miss(it, number_of(it->engine, at->in_stream));
}

/* Hands out a message. The library gives no outcome of one that it did not take. True: it waits, and is kept. */
static bool hand_out(binding *it, ctie_engine_message *message, natsMsg *from, const place *at) {
    const char *reply = natsMsg_GetReply(from);
    claim fresh = {.in_stream = at->in_stream, .count = (uint32_t)at->deliveries};
    /* The library may have it in hand from before the consumer was moved. */
    bool waits = it->claim_count > 0 && claim_on(it, at->in_stream, 0, true) != NULL;
    if (waits) { fresh.waiting = from; }
    flow_missed(it);
    claim *mine = it->credit > 0 || waits ? claim_new(it, reply, &fresh) : NULL;
    if (mine == NULL) { claim_return(it, reply, &fresh); }
    if (mine == NULL || waits) { return mine != NULL; }
    claim_deliver(it, mine, message);
    return false;
}

static int compare(const void *a, const void *b) {
    uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return one < other ? -1 : one > other;
}

/* Whether it may be a dead letter: it was one when the consumer was found, or has had its deliveries. */
static bool is_doubtful(const binding *it, const place *at) {
    uint32_t most = it->record.options.max_deliveries;
    if (most > 0 && at->deliveries > most) { return true; }
    return it->dead_count > 0 && bsearch(&at->in_stream, it->dead, it->dead_count, sizeof *it->dead, compare) != NULL;
}

/* A deed finds out. */
static void check(binding *it, const char *reply, const place *at) {
    claim fresh = {.in_stream = at->in_stream, .count = (uint32_t)at->deliveries};
    claim *mine = claim_new(it, reply, &fresh);
    if (mine == NULL) {
        claim_return(it, reply, &fresh);
    } else {
        claim_resolve(it, mine, DEED_CHECK, NULL);
    }
}

bool claims_take(binding *it, natsMsg *message, const place *at) {
    const char *reply = natsMsg_GetReply(message), *problem = NULL;
    bool is_kept = false;
    envelope read;
    if (it->phase == IS_FORGOTTEN || it->is_lost || claim_is_known(it, reply, at, 0)) { return false; }
    if (is_doubtful(it, at)) {
        check(it, reply, at);
        return false;
    }
    if (!envelope_read(&it->engine->names, natsMsg_GetSubject(message), message, &read, &problem)) {
        complain(it->of, COMPLAINT_FOREIGN, problem);
        leave_out(it, reply, at, false);
        return false;
    }
    ctie_str topic = ctie_str_from(it->topic);
    bool is_expired = has_expired(&read.message);
    if (is_expired || dead_copy_is_of(&it->record.options, topic, read.message.identifier)) {
        leave_out(it, reply, at, is_expired);
    } else {
        is_kept = hand_out(it, &read.message, message, at);
    }
    envelope_clear(&read);
    return is_kept;
}

/* ---- Those that wait ------------------------------------------------------------------------------- */

/* Dead letters that were retried come first, in the order of their messages. */
static bool is_before(const claim *one, const claim *other) {
    if ((one->again_at != 0) != (other->again_at != 0)) { return one->again_at != 0; }
    return one->in_stream < other->in_stream;
}

static claim *next_waiting(binding *it) {
    claim *found = NULL;
    for (size_t i = 0; i < CLAIMS_MOST; i++) {
        claim *each = &it->claims[i];
        if (each->claim == 0 || each->waiting == NULL || each->is_resolved) { continue; }
        if (each->again_at == 0 && claim_on(it, each->in_stream, 0, true) != NULL) { continue; }
        if (found == NULL || is_before(each, found)) { found = each; }
    }
    return found;
}

static void hand_out_waiting(binding *it, claim *mine) {
    const char *problem;
    char subject[SUBJECT_MOST];
    natsMsg *message = mine->waiting;
    envelope read;
    mine->waiting = NULL;
    if (mine->again_at == 0) {
        snprintf(subject, sizeof subject, "%s", message_subject(message));
    } else if (!again_subject(it, message, subject)) {
        subject[0] = 0;
    }
    if (!envelope_read(&it->engine->names, subject, message, &read, &problem)) {
        complain(it->of, COMPLAINT_FOREIGN, problem);
        claim_done(it, mine);
    } else if (has_expired(&read.message)) {
        uint64_t number = claim_number(it, mine);
        claim_done(it, mine);
        claims_miss(it, number);
    } else {
        mine->since = clock_now(CLOCK_REALTIME);
        claim_deliver(it, mine, &read.message);
    }
    envelope_clear(&read);
    natsMsg_Destroy(message);
}

void claims_hand_out(binding *it) {
    if (it->again.is_first && it->again.consumer[0] != 0) { return; } /* their order is not known yet */
    for (claim *next = NULL; it->credit > 0 && it->claim_count > 0 && (next = next_waiting(it)) != NULL;) {
        hand_out_waiting(it, next);
    }
}
