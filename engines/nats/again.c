/* The second consumer of a durable consumer, on the third stream: it delivers each version of a dead letter once. */
#include "claims.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    AGAIN_MOST = 256,       /* messages of one request */
    FIRST_MOST = 64,        /* of the first one, whatever the credit: they are put in order */
    IN_HAND_MOST = 65536,
};

/* ---- On the server --------------------------------------------------------------------------------- */

static void name_of(const char *base, char out[CONSUMER_NAME_MOST]) {
    snprintf(out, CONSUMER_NAME_MOST, "%s=again", base);
}

ctie_status again_make(engine *it, const char *base, int64_t deadline, char out[CONSUMER_NAME_MOST]) {
    char what[STREAM_MOST + CONSUMER_NAME_MOST + 64], filter[LETTER_MOST];
    name_of(base, out);
    names_letters(&it->names, base, filter);
    json_t *body = json_pack("{s:s, s:{s:s, s:s, s:s, s:s, s:s, s:I, s:i, s:i}}", "stream_name", it->names.durable, "config",
                             "durable_name", out, "ack_policy", "explicit", "filter_subject", filter, "replay_policy",
                             "instant", "deliver_policy", "all", "ack_wait", (json_int_t)(ACK_WAIT_MS * NS_PER_MS),
                             "max_deliver", -1, "max_ack_pending", IN_HAND_MOST);
    if (body == NULL) { return CTIE_E_NO_MEMORY; }
    snprintf(what, sizeof what, "CONSUMER.DURABLE.CREATE.%s.%s", it->names.durable, out);
    ctie_status status = api(it, what, body, deadline, NULL);
    json_decref(body);
    return status;
}

ctie_status again_delete(engine *it, const char *base, int64_t deadline) {
    char what[STREAM_MOST + CONSUMER_NAME_MOST + 64], name[CONSUMER_NAME_MOST];
    name_of(base, name);
    snprintf(what, sizeof what, "CONSUMER.DELETE.%s.%s", it->names.durable, name);
    ctie_status status = api(it, what, NULL, deadline, NULL);
    return status == CTIE_E_NOT_FOUND ? CTIE_OK : status;
}

/* ---- Asking ---------------------------------------------------------------------------------------- */

void again_forget(binding *it) { it->again.request = it->again.left = 0; }

bool again_is_clear(const binding *it) { return it->again.consumer[0] == 0 || !it->again.is_first; }

static uint32_t wanted(const binding *it) {
    uint32_t room = it->max_unacknowledged > it->claim_count ? it->max_unacknowledged - it->claim_count : 0;
    uint32_t most = it->credit < room ? it->credit : room;
    for (size_t i = 0; most > 0 && it->claim_count > 0 && i < CLAIMS_MOST; i++) {
        if (it->claims[i].claim != 0 && it->claims[i].waiting != NULL) { return 0; }
    }
    if (it->again.is_first) { return FIRST_MOST; }
    return most < AGAIN_MOST ? most : AGAIN_MOST;
}

static void ask_for(binding *it, uint32_t count, int64_t now) {
    again *mine = &it->again;
    char subject[STREAM_MOST + CONSUMER_NAME_MOST + 64], reply[INBOX_MOST + 24], body[96];
    mine->request = ++mine->last;
    mine->left = count, mine->asked = now;
    snprintf(subject, sizeof subject, "$JS.API.CONSUMER.MSG.NEXT.%s.%s", it->engine->names.durable, mine->consumer);
    snprintf(reply, sizeof reply, "%sa%llu", it->inbox, (unsigned long long)mine->request);
    int size = mine->is_first ? snprintf(body, sizeof body, "{\"batch\":%u,\"no_wait\":true}", count)
                              : snprintf(body, sizeof body, "{\"batch\":%u,\"expires\":%lld}", count,
                                         (long long)(PULL_EXPIRES_MS * NS_PER_MS));
    order_send(it->of, subject, reply, body, (size_t)size);
}

int64_t again_more(binding *it, int64_t now) {
    again *mine = &it->again;
    if (mine->consumer[0] == 0 || !feed_is_connected(it->engine)) { return INT64_MAX; }
    if (mine->pause > now) { return mine->pause; }
    if (mine->request != 0 && now - mine->asked > PULL_LOST_MS * NS_PER_MS) {
        again_forget(it);
        it->has_to_look = true; /* the consumer may be away */
        return now;
    }
    uint32_t count = mine->request == 0 ? wanted(it) : 0;
    if (count > 0) { ask_for(it, count, now); }
    return mine->request != 0 ? mine->asked + (PULL_LOST_MS + 10) * NS_PER_MS : INT64_MAX;
}

static void end_request(binding *it) {
    it->again.request = 0;
    it->again.is_first = false;
}

void again_came(binding *it) {
    if (it->again.left > 0 && --it->again.left == 0) { end_request(it); }
}

bool again_ended(binding *it, natsMsg *message) {
    const char *subject = natsMsg_GetSubject(message), *status = NULL;
    size_t stem = strlen(it->inbox);
    if (subject[stem] != 'a') { return false; }
    uint64_t request = strtoull(subject + stem + 1, NULL, 10);
    bool is_end = natsMsgHeader_Get(message, "Status", &status) == NATS_OK && status != NULL && strcmp(status, "100") != 0;
    if (request != it->again.request || !is_end) { return true; }
    if (strcmp(status, "409") == 0) { it->has_to_look = true; } /* the consumer was removed */
    bool is_usual = strcmp(status, "404") == 0 || strcmp(status, "408") == 0; /* nothing is there; its time is over */
    if (!is_usual) { it->again.pause = clock_now(CLOCK_MONOTONIC) + RETRY_MS * NS_PER_MS; }
    end_request(it);
    return true;
}
