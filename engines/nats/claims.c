/* Messages of durable consumers in hand. All functions are called with the binding's lock. */
#include "claims.h"

#include <stdlib.h>
#include <string.h>

/* ---- The table ------------------------------------------------------------------------------------- */

/* A claim's number has its index in the last bits, so that an answer finds it at once. */
claim *claim_of(binding *it, uint64_t number) {
    if (it->claims == NULL || number == 0) { return NULL; }
    claim *found = &it->claims[number % CLAIMS_MOST];
    return found->claim == number ? found : NULL;
}

claim *claim_on(binding *it, uint64_t in_stream, uint64_t again_at, bool is_outlived) {
    for (size_t i = 0; i < CLAIMS_MOST; i++) {
        claim *each = &it->claims[i];
        bool is_it = again_at != 0 ? each->again_at == again_at : each->again_at == 0 && each->in_stream == in_stream;
        if (each->claim != 0 && is_it && each->is_outlived == is_outlived) { return each; }
    }
    return NULL;
}

claim *claim_new(binding *it, const char *reply, const claim *from) {
    bool is_ahead = from->waiting != NULL && it->again.is_first; /* the listener gets it when there is room */
    uint32_t most = is_ahead ? CLAIMS_MOST : it->max_unacknowledged;
    char *copy = it->claim_count < most ? strdup(reply) : NULL;
    if (copy == NULL) { return NULL; }
    while (it->claims[it->claim_next % CLAIMS_MOST].claim != 0) { it->claim_next++; }
    uint32_t index = it->claim_next++ % CLAIMS_MOST;
    claim *made = &it->claims[index];
    *made = *from;
    made->claim = ++it->claim_serial * CLAIMS_MOST + index;
    made->since = clock_now(CLOCK_REALTIME);
    made->reply = copy;
    if (it->claim_count++ == 0) { it->progress = clock_now(CLOCK_MONOTONIC); }
    return made;
}

void claim_free(binding *it, claim *which) {
    free(which->reply);
    natsMsg_Destroy(which->waiting);
    *which = (claim){0};
    it->claim_count--;
}

/* ---- Deliveries ------------------------------------------------------------------------------------ */

consumer_id claim_consumer(const binding *it, bool is_again) {
    return is_again ? consumer_id_of(it->again.consumer, 0) : it->id;
}

/* A message that this binding has in hand, or has acknowledged: the server does not know that yet. */
bool claim_is_known(binding *it, const char *reply, const place *at, uint64_t again_at) {
    consumer_id of = claim_consumer(it, again_at != 0);
    if (acks_has(it->of->acks, of, at->in_stream)) {
        acks_add(it->of->acks, of, at->in_stream, reply);
        return true;
    }
    bool may_be = at->deliveries > 1 || it->claim_count > 0;
    claim *mine = may_be ? claim_on(it, at->in_stream, again_at, false) : NULL;
    char *copy = mine != NULL ? strdup(reply) : NULL;
    if (copy == NULL) { return mine != NULL; }
    free(mine->reply);
    mine->reply = copy;
    return true;
}

uint64_t claim_number(const binding *it, const claim *of) {
    bool is_letter = of->again_at != 0;
    return is_letter ? number_of_letter(it->engine, of->in_stream) : number_of(it->engine, of->in_stream);
}

void claims_miss(binding *it, uint64_t number) {
    it->missed++;
    it->missed_up_to = number;
    flow_missed(it);
}

void claim_deliver(binding *it, claim *mine, ctie_engine_message *message) {
    message->sequence = claim_number(it, mine);
    message->claim = mine->claim;
    message->delivery_count = mine->count > mine->unseen ? mine->count - mine->unseen : 1;
    ctie_status status = hand_over(it, message);
    if (status == CTIE_E_CORRUPT) {
        claim_done(it, mine); /* else it comes for ever */
    } else if (status != CTIE_OK) {
        claim_unseen(it, mine);
    }
}
