/* Messages of durable consumers in hand. All functions are called with the binding's lock. */
#include "parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void negate(binding *it, const char *reply, int64_t delay_ns) {
    char body[64];
    int size = delay_ns > 0 ? snprintf(body, sizeof body, "-NAK {\"delay\": %lld}", (long long)delay_ns)
                            : snprintf(body, sizeof body, "-NAK");
    order_send(it->of, reply, NULL, body, (size_t)size);
}

/* A claim's number has its index in the last bits, so that an answer finds it at once. */
static claim *claim_of(binding *it, uint64_t number) {
    if (it->claims == NULL || number == 0) { return NULL; }
    claim *found = &it->claims[number % CLAIMS_MOST];
    return found->claim == number ? found : NULL;
}

static claim *claim_on(binding *it, uint64_t in_stream) {
    for (size_t i = 0; i < CLAIMS_MOST; i++) {
        if (it->claims[i].claim != 0 && it->claims[i].in_stream == in_stream) { return &it->claims[i]; }
    }
    return NULL;
}

static claim *claim_new(binding *it, const char *reply, const place *at) {
    char *copy = it->claim_count < it->max_unacknowledged ? strdup(reply) : NULL;
    if (copy == NULL) { return NULL; }
    while (it->claims[it->claim_next % CLAIMS_MOST].claim != 0) { it->claim_next++; }
    uint32_t index = it->claim_next++ % CLAIMS_MOST;
    claim *made = &it->claims[index];
    *made = (claim){++it->claim_serial * CLAIMS_MOST + index, at->in_stream, (uint32_t)at->deliveries,
                    clock_now(CLOCK_REALTIME), copy};
    if (it->claim_count++ == 0) { it->progress = clock_now(CLOCK_MONOTONIC); }
    return made;
}

static void claim_free(binding *it, claim *which) {
    free(which->reply);
    *which = (claim){0};
    it->claim_count--;
}

/* Hands out a message. The library gives no outcome of one that it did not take. */
static void hand_out(binding *it, ctie_engine_message *message, const char *reply, const place *at) {
    flow_missed(it);
    claim *mine = it->credit > 0 ? claim_new(it, reply, at) : NULL;
    if (mine == NULL) {
        negate(it, reply, 0);
        return;
    }
    message->sequence = number_of(it->engine, at->in_stream);
    message->claim = mine->claim, message->delivery_count = mine->count;
    ctie_status status = hand_over(it, message);
    if (status == CTIE_OK) { return; }
    if (status == CTIE_E_CORRUPT) {
        acks_add(it->of->acks, it->consumer, at->in_stream, reply); /* else it comes for ever */
    } else {
        negate(it, reply, RETRY_MS * NS_PER_MS);
    }
    claim_free(it, mine);
}

/* A message that expired, or that cannot be read, is done with. */
static void leave_out(binding *it, const char *reply, const place *at, bool is_missed) {
    acks_add(it->of->acks, it->consumer, at->in_stream, reply);
    if (!is_missed || at->deliveries > 1) { return; }
    it->missed++;
    it->missed_up_to = number_of(it->engine, at->in_stream);
    flow_missed(it);
}

/* A message that this binding has in hand, or has acknowledged: the server does not know that yet. */
static bool is_known(binding *it, const char *reply, const place *at) {
    if (acks_has(it->of->acks, it->consumer, at->in_stream)) {
        acks_add(it->of->acks, it->consumer, at->in_stream, reply);
        return true;
    }
    claim *mine = at->deliveries > 1 || it->claim_count > 0 ? claim_on(it, at->in_stream) : NULL;
    char *copy = mine != NULL ? strdup(reply) : NULL;
    if (copy == NULL) { return mine != NULL; }
    free(mine->reply);
    mine->reply = copy;
    return true;
}

void claims_take(binding *it, natsMsg *message, const place *at) {
    const char *reply = natsMsg_GetReply(message), *problem = NULL;
    bool is_over = it->phase == IS_FORGOTTEN || it->is_lost || strcmp(at->consumer, it->consumer) != 0;
    if (is_over || is_known(it, reply, at)) { return; }
    envelope read;
    if (!envelope_read(&it->engine->names, natsMsg_GetSubject(message), message, &read, &problem)) {
        complain(it->of, COMPLAINT_FOREIGN, problem);
        leave_out(it, reply, at, false);
        return;
    }
    if (has_expired(&read.message)) {
        leave_out(it, reply, at, true);
    } else {
        hand_out(it, &read.message, reply, at);
    }
    envelope_clear(&read);
}

/* The defaults of durable consumers: 100 ms, doubled by each delivery, at most a minute. */
static int64_t pause_after(uint32_t deliveries) {
    int64_t pause = 100;
    for (uint32_t i = 1; i < deliveries && pause < 60000; i++) { pause *= 2; }
    return (pause < 60000 ? pause : 60000) * NS_PER_MS;
}

void claim_answer(binding *it, const ctie_engine_answer *answer) {
    claim *found = claim_of(it, answer->claim);
    if (found == NULL) { return; }
    if (answer->outcome == CTIE_ENGINE_ACKNOWLEDGED) {
        acks_add(it->of->acks, it->consumer, found->in_stream, found->reply);
    } else if (answer->outcome == CTIE_ENGINE_REJECTED) {
        negate(it, found->reply, answer->delay_ns >= 0 ? answer->delay_ns : pause_after(found->count));
    } else {
        negate(it, found->reply, 0);
    }
    claim_free(it, found);
}

void claims_leave(binding *it) {
    for (size_t i = 0; it->claims != NULL && i < CLAIMS_MOST; i++) {
        if (it->claims[i].claim == 0) { continue; }
        negate(it, it->claims[i].reply, 0);
        claim_free(it, &it->claims[i]);
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
