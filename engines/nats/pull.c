/* Requests for messages, and what comes for them. */
#include "claims.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The most bytes that one request brings; a single message may be as large as the server takes. */
static int64_t most_bytes(engine *it) {
    pthread_mutex_lock(&it->lock);
    int64_t payload = it->max_payload;
    pthread_mutex_unlock(&it->lock);
    int64_t most = 8 << 20;
    return payload > most / 2 && payload < INT64_MAX / 4 ? 2 * payload : most;
}

static void ask_for(binding *it, uint32_t count) {
    char subject[STREAM_MOST + CONSUMER_NAME_MOST + 64], reply[INBOX_MOST + 24], body[160];
    const char *stream = it->engine->names.stream;
    pull *made = &it->pulls[it->pull_count++];
    *made = (pull){++it->last_pull, count, clock_now(CLOCK_MONOTONIC)};
    it->asked_for += count;
    snprintf(subject, sizeof subject, "$JS.API.CONSUMER.MSG.NEXT.%s.%s", stream, it->consumer);
    snprintf(reply, sizeof reply, "%s%llu", it->inbox, (unsigned long long)made->id);
    int size = snprintf(body, sizeof body, "{\"batch\":%u,\"expires\":%lld,\"max_bytes\":%lld}", count,
                        (long long)(PULL_EXPIRES_MS * NS_PER_MS), (long long)most_bytes(it->engine));
    order_send(it->of, subject, reply, body, (size_t)size);
}

/* How many to ask for now. A new request for a few messages is not worth it while others are out. */
static uint32_t wanted(const binding *it) {
    if (it->phase != IS_FLOWING || it->pull_count == PULLS_MOST || !again_is_clear(it)) { return 0; }
    uint32_t most = it->credit;
    if (it->delivery == CTIE_ENGINE_DURABLE) {
        uint32_t room = it->max_unacknowledged > it->claim_count ? it->max_unacknowledged - it->claim_count : 0;
        most = most < room ? most : room;
    }
    if (most > PULL_MOST) { most = PULL_MOST; }
    if (most <= it->asked_for || (it->asked_for > 0 && most - it->asked_for < (most + 1) / 2)) { return 0; }
    return most - it->asked_for;
}

void pull_more(binding *it) {
    uint32_t count = wanted(it);
    if (count == 0 || clock_now(CLOCK_MONOTONIC) < it->pause || !feed_is_connected(it->engine)) { return; }
    ask_for(it, count);
}

static void remove_pull(binding *it, uint32_t index, uint32_t left) {
    it->asked_for -= left < it->asked_for ? left : it->asked_for;
    it->pull_count--;
    memmove(it->pulls + index, it->pulls + index + 1, (it->pull_count - index) * sizeof *it->pulls);
    if (it->pull_count == 0) { it->asked_for = 0; }
}

void pull_forget_all(binding *it) { it->pull_count = it->asked_for = 0; }

bool pull_is_lost(binding *it, int64_t now) {
    for (uint32_t i = 0; i < it->pull_count; i++) {
        if (now - it->pulls[i].asked > PULL_LOST_MS * NS_PER_MS) { return true; }
    }
    return false;
}

/* A message counts for the oldest request; which one it was is not known. */
static void count_message(binding *it) {
    if (it->pull_count == 0) { return; }
    it->asked_for--;
    if (--it->pulls[0].left == 0) { remove_pull(it, 0, 0); }
}

/* The consumer was moved or forgotten. */
static bool is_of_deleted(natsMsg *message) {
    const char *words = NULL;
    bool has_words = natsMsgHeader_Get(message, "Description", &words) == NATS_OK && words != NULL;
    return has_words && strcmp(words, "Consumer Deleted") == 0;
}

/* A message of headers alone, such as `NATS/1.0 408 Request Timeout`: a request has ended. */
static void take_status(binding *it, natsMsg *message, uint64_t id) {
    const char *status = NULL, *left = NULL;
    if (natsMsgHeader_Get(message, "Status", &status) != NATS_OK || status == NULL) { return; }
    if (strcmp(status, "100") == 0) { return; }
    for (uint32_t i = 0; i < it->pull_count; i++) {
        if (it->pulls[i].id != id) { continue; }
        uint64_t count = it->pulls[i].left;
        if (natsMsgHeader_Get(message, "Nats-Pending-Messages", &left) == NATS_OK && left != NULL) {
            count = strtoull(left, NULL, 10);
        }
        remove_pull(it, i, count < UINT32_MAX ? (uint32_t)count : UINT32_MAX);
        break;
    }
    if (strcmp(status, "404") == 0 || strcmp(status, "408") == 0) { return; }
    int64_t now = clock_now(CLOCK_MONOTONIC);
    bool is_over = strcmp(status, "409") == 0; /* as when its bytes are used up */
    if (!is_over) { complain(it->of, COMPLAINT_REQUEST, "the server refused a request for messages"); }
    if (is_over && it->delivery == CTIE_ENGINE_DURABLE) { it->has_to_look |= is_of_deleted(message); }
    it->pause = now + 50 * NS_PER_MS;
}

static bool must_look(const binding *it) { return it->has_to_look && it->look_at <= clock_now(CLOCK_MONOTONIC); }

/* True: the message is kept. */
static bool take(binding *it, natsMsg *message) {
    const char *subject = natsMsg_GetSubject(message), *reply = natsMsg_GetReply(message);
    size_t stem = strlen(it->inbox);
    place at;
    if (strncmp(subject, it->inbox, stem) == 0) {
        if (!again_ended(it, message)) { take_status(it, message, strtoull(subject + stem, NULL, 10)); }
    } else if (!place_read(reply, &at)) {
        complain(it->of, COMPLAINT_REPLY, "a message that the server did not send came to an inbox; it was dropped");
    } else if (it->delivery == CTIE_ENGINE_DURABLE && strcmp(at.consumer, it->consumer) == 0) {
        count_message(it);
        return claims_take(it, message, &at);
    } else if (it->delivery == CTIE_ENGINE_DURABLE) {
        return again_is_of(it, &at) && again_take(it, message, &at);
    } else if (strcmp(at.consumer, it->consumer) == 0 && it->phase == IS_FLOWING) { /* not of an older one */
        count_message(it);
        flow_take(it, message, &at);
    }
    return false;
}

/* Another binding gets it at once. */
static void send_back(binding *it, natsMsg *message) {
    place at;
    const char *reply = natsMsg_GetReply(message);
    if (it->delivery != CTIE_ENGINE_DURABLE || !place_read(reply, &at)) { return; }
    if (again_is_of(it, &at)) {
        negate(it, reply, 0); /* such a delivery counts */
        return;
    }
    claim unseen = {.in_stream = at.in_stream, .count = (uint32_t)at.deliveries};
    claim_return(it, reply, &unseen);
}

void pull_received(natsConnection *connection, natsSubscription *subscription, natsMsg *message, void *closure) {
    (void)connection, (void)subscription;
    binding *it = closure;
    bool is_kept = false;
    pthread_mutex_lock(&it->lock);
    bool had_claims = it->claim_count > 0;
    if (it->is_ended) { send_back(it, message); } else { is_kept = take(it, message); }
    bool has_work = !it->is_ended && (it->phase != IS_FLOWING || must_look(it) || is_kept || wanted(it) > 0);
    if (!had_claims && it->claim_count > 0) { has_work = true; } /* the server has to know that they are in hand */
    pthread_mutex_unlock(&it->lock);
    if (!is_kept) { natsMsg_Destroy(message); }
    if (has_work) { binding_wake(it); }
}
