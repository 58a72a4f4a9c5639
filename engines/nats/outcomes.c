/* The outcomes of messages in hand. All functions are called with the binding's lock. */
#include "claims.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void negate(binding *it, const char *reply, int64_t delay_ns) {
    char body[64];
    int size = delay_ns > 0 ? snprintf(body, sizeof body, "-NAK {\"delay\": %lld}", (long long)delay_ns)
                            : snprintf(body, sizeof body, "-NAK");
    order_send(it->of, reply, NULL, body, (size_t)size);
}

/* Whether the outcome takes more than one message to the server. */
static bool needs_deed(const binding *it, const claim *which) {
    bool may_die = it->record.options.max_deliveries > 0 || it->record_seen == 0;
    return which->again_at != 0 || which->is_outlived || may_die;
}

/* Of a consumer that was moved before such a message: the new one delivers it. */
static bool comes_anyway(const binding *it, const claim *which) {
    return which->is_outlived && which->in_stream >= it->record.start;
}

static void find_life(const binding *it, const char *reply, char out[SUFFIX_MOST]) {
    size_t size = strlen(it->base);
    place at;
    bool has_suffix = place_read(reply, &at) && strncmp(at.consumer, it->base, size) == 0 && at.consumer[size] == '-';
    snprintf(out, SUFFIX_MOST, "%.*s", SUFFIX_MOST - 1, has_suffix ? at.consumer + size + 1 : "-");
}

void claim_resolve(binding *it, claim *which, deed_kind kind, const ctie_engine_answer *answer) {
    char *reason = answer != NULL && answer->reason.size > 0 ? strndup(answer->reason.data, answer->reason.size) : NULL;
    deed what = {.kind = kind, .of = it, .claim = which->claim, .in_stream = which->in_stream,
                 .again_at = which->again_at, .count = which->count, .reason = reason,
                 .delay_ns = answer != NULL ? answer->delay_ns : -1};
    find_life(it, which->reply, what.life);
    which->is_resolved = true;
    if (!deed_add(&what)) { /* the engine is closing: another member gets it */
        negate(it, which->reply, 0);
        claim_free(it, which);
    }
    free(reason);
}

void claim_done(binding *it, claim *which) {
    if (which->again_at != 0) {
        claim_resolve(it, which, DEED_FINISH, NULL);
        return;
    }
    bool is_there = !which->is_outlived && it->phase != IS_FORGOTTEN;
    if (is_there) { acks_add(it->of->acks, it->id, which->in_stream, which->reply); }
    claim_free(it, which);
}

void claim_return(binding *it, const char *reply, const claim *what) {
    deed of_it = {.kind = DEED_RETURN, .of = it, .in_stream = what->in_stream, .again_at = what->again_at,
                  .count = what->count, .delay_ns = -1, .reply = (char *)reply};
    find_life(it, reply, of_it.life);
    if (!needs_deed(it, what) || !deed_add(&of_it)) { negate(it, reply, 0); }
}

void claim_unseen(binding *it, claim *which) {
    if (comes_anyway(it, which)) {
        claim_free(it, which);
    } else if (needs_deed(it, which)) {
        claim_resolve(it, which, DEED_RETURN, NULL);
    } else {
        negate(it, which->reply, 0);
        claim_free(it, which);
    }
}

static void reject(binding *it, claim *which, const ctie_engine_answer *answer) {
    bool is_rejected = answer->outcome == CTIE_ENGINE_REJECTED;
    if (comes_anyway(it, which)) {
        claim_free(it, which);
    } else if (needs_deed(it, which)) {
        claim_resolve(it, which, is_rejected ? DEED_REJECT : DEED_LEAVE, answer);
    } else {
        int64_t usual = durable_pause(&it->record.options, which->count);
        int64_t delay = answer->delay_ns >= 0 ? answer->delay_ns : usual;
        negate(it, which->reply, is_rejected ? delay : 0);
        claim_free(it, which);
    }
}

void claim_answer(binding *it, const ctie_engine_answer *answer) {
    claim *found = claim_of(it, answer->claim);
    if (found == NULL || found->is_resolved || found->waiting != NULL) { return; }
    switch (answer->outcome) {
    case CTIE_ENGINE_ACKNOWLEDGED: claim_done(it, found); return;
    case CTIE_ENGINE_REJECTED: case CTIE_ENGINE_LEFT: reject(it, found, answer); return;
    default: claim_unseen(it, found);
    }
}

/* ---- All of them ----------------------------------------------------------------------------------- */

void claims_leave(binding *it) {
    for (size_t i = 0; it->claims != NULL && i < CLAIMS_MOST; i++) {
        claim *each = &it->claims[i];
        if (each->claim != 0 && !each->is_resolved) { claim_unseen(it, each); }
    }
}

void claims_outlive(binding *it) {
    for (size_t i = 0; i < CLAIMS_MOST; i++) {
        claim *each = &it->claims[i];
        if (each->claim == 0 || each->again_at != 0) { continue; }
        each->is_outlived = true;
        if (each->waiting != NULL) { claim_free(it, each); } /* nobody has it */
    }
}

void claims_forget(binding *it) {
    for (size_t i = 0; it->claims != NULL && i < CLAIMS_MOST; i++) {
        if (it->claims[i].claim != 0) { claim_free(it, &it->claims[i]); }
    }
}

/* The server gives a message to others after two seconds without a sign of life. */
void claims_report_progress(binding *it, int64_t now) {
    it->progress = now;
    if (!feed_is_connected(it->engine)) { return; }
    for (size_t i = 0; i < CLAIMS_MOST; i++) {
        if (it->claims[i].claim != 0) { order_send(it->of, it->claims[i].reply, NULL, "+WPI", 4); }
    }
}

void claims_report_all(bindings *all) {
    size_t count;
    int64_t now = clock_now(CLOCK_MONOTONIC);
    binding **list = bindings_list(all, &count);
    for (size_t i = 0; i < count; i++) {
        pthread_mutex_lock(&list[i]->lock);
        if (list[i]->claim_count > 0) { claims_report_progress(list[i], now); }
        pthread_mutex_unlock(&list[i]->lock);
    }
    bindings_release(list, count);
    orders_send_all(all);
}
