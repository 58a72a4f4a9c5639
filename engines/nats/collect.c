#include "collect.h"

#include "outbox.h"
#include "parts.h"

#include <stdio.h>
#include <string.h>

enum {
    BATCH = 2000,
    SIZE_MOST = 8 << 20,   /* bytes under way, or two messages of the most that the server takes */
    SILENCE_MS = 1000,     /* an answer that has not come by then was lost */
    WHAT_MOST = STREAM_MOST + 160,
};
static const json_int_t IDLE_NS = 30000000000;

typedef struct collector {
    engine *it;
    const collecting *what;
    int64_t deadline;
    natsSubscription *inbox;
    char consumer[128];
    uint64_t pending, taken;
    int batch;
} collector;

static ctie_status lost(const collector *it) {
    return fail(it->it, CTIE_E_TIMEOUT, "the server has not sent all that is stored");
}

/* ---- The consumer -------------------------------------------------------------------------------- */

static json_t *settings_of(const collecting *what) {
    const char *policy = what->since > 0 ? "by_start_time" : what->start > 0 ? "by_start_sequence" : "last_per_subject";
    json_t *config = json_pack("{s:s, s:s, s:s, s:b, s:i, s:I}", "ack_policy", "none", "filter_subject", what->filter,
                               "deliver_policy", policy,
                               "mem_storage", 1, "num_replicas", 1, "inactive_threshold", IDLE_NS);
    bool is_done = config != NULL;
    if (is_done && what->since > 0) {
        char time[40];
        api_time_text(what->since, time);
        is_done = json_object_set_new(config, "opt_start_time", json_string(time)) == 0;
    } else if (is_done && what->start > 0) {
        is_done = json_object_set_new(config, "opt_start_seq", json_integer((json_int_t)what->start)) == 0;
    }
    if (is_done && what->names_only) { is_done = json_object_set_new(config, "headers_only", json_true()) == 0; }
    if (is_done) { return json_pack("{s:s, s:o}", "stream_name", what->stream, "config", config); }
    json_decref(config);
    return NULL;
}

static ctie_status make_consumer(collector *it) {
    char what[WHAT_MOST];
    json_t *answer = NULL, *body = settings_of(it->what);
    if (body == NULL) { return CTIE_E_NO_MEMORY; }
    snprintf(what, sizeof what, "CONSUMER.CREATE.%s", it->what->stream);
    ctie_status status = api(it->it, what, body, it->deadline, &answer);
    json_decref(body);
    if (status == CTIE_OK) {
        const char *name = api_text(answer, "name");
        if (name[0] == 0 || strlen(name) >= sizeof it->consumer || strpbrk(name, " .*>\t\r\n") != NULL) {
            status = fail(it->it, CTIE_E_CORRUPT, "the server gave a consumer no name");
        } else {
            snprintf(it->consumer, sizeof it->consumer, "%s", name);
            it->pending = api_number(answer, "num_pending");
        }
    }
    json_decref(answer);
    return status;
}

/* The server removes one that nobody uses by itself, later. */
static void remove_consumer(const collector *it) {
    char to[WHAT_MOST];
    if (it->consumer[0] == 0 || !outbox_is_clear(it->it)) { return; }
    snprintf(to, sizeof to, "$JS.API.CONSUMER.DELETE.%s.%s", it->what->stream, it->consumer);
    natsConnection_Publish(it->it->connection, to, NULL, 0);
}

/* ---- Pulling ------------------------------------------------------------------------------------- */

static ctie_status request_more(collector *it) {
    char to[WHAT_MOST], body[96];
    if (!outbox_is_clear(it->it)) { return lost(it); }
    int64_t most = it->it->max_payload > SIZE_MOST / 2 ? 2 * it->it->max_payload : SIZE_MOST;
    it->batch = it->pending < BATCH ? (int)it->pending : BATCH;
    snprintf(to, sizeof to, "$JS.API.CONSUMER.MSG.NEXT.%s.%s", it->what->stream, it->consumer);
    int size = snprintf(body, sizeof body, "{\"batch\":%d,\"no_wait\":true,\"max_bytes\":%lld}",
                        it->batch, (long long)most);
    const char *reply = natsSubscription_GetSubject(it->inbox);
    natsStatus status = natsConnection_PublishRequest(it->it->connection, to, reply, body, size);
    return status == NATS_OK ? CTIE_OK : fail_nats(it->it, status, "asking for stored messages");
}

static ctie_status next(const collector *it, natsMsg **out) {
    int64_t left = deadline_left(it->deadline);
    natsStatus status = natsSubscription_NextMsg(out, it->inbox, left < SILENCE_MS ? left : SILENCE_MS);
    return status == NATS_OK ? CTIE_OK : lost(it);
}

/* Takes what comes for one request. A message with a status ends it: nothing is there, or it is too much at once. */
static ctie_status take_answers(collector *it) {
    for (int count = 0; count < it->batch && it->pending > 0; count++) {
        natsMsg *message = NULL;
        const char *text = NULL;
        place position;
        ctie_status status = next(it, &message);
        if (status != CTIE_OK) { return status; }
        if (!place_read(natsMsg_GetReply(message), &position)) {
            bool is_end = natsMsgHeader_Get(message, "Status", &text) == NATS_OK && text != NULL;
            bool is_empty = is_end && strcmp(text, "404") == 0;
            bool has_no_consumer = natsMsg_IsNoResponders(message);
            natsMsg_Destroy(message);
            if (is_empty) { it->pending = 0; }
            if (has_no_consumer || (is_end && !is_empty && count == 0)) { return lost(it); }
            if (is_end) { return CTIE_OK; }
            continue; /* a stranger's */
        }
        it->pending = position.pending;
        if (it->what->before > 0 && position.in_stream >= it->what->before) {
            natsMsg_Destroy(message);
            it->pending = 0;
            return CTIE_OK;
        }
        if (++it->taken == it->what->enough) { it->pending = 0; }
        if (!it->what->take(it->what->context, message, position.in_stream)) { return CTIE_E_NO_MEMORY; }
    }
    return CTIE_OK;
}

static void *end_inbox(void *inbox) {
    natsSubscription_Unsubscribe(inbox);
    clock_pause(RETIRED_MS); /* retired.c says why */
    natsSubscription_Destroy(inbox);
    return NULL;
}

/* While the server reads nothing, a thread of its own waits. */
static void remove_inbox(const collector *it) {
    pthread_t thread;
    if (it->inbox == NULL) { return; }
    if (outbox_is_clear(it->it) || pthread_create(&thread, NULL, end_inbox, it->inbox) != 0) {
        retire(it->it->retired, it->inbox);
    } else {
        pthread_detach(thread);
    }
}

ctie_status collect(engine *engine_, const collecting *what, int64_t deadline) {
    collector it = {.it = engine_, .what = what, .deadline = deadline};
    natsInbox *inbox = NULL;
    if (!outbox_is_clear(engine_)) { return lost(&it); }
    natsStatus made = natsInbox_Create(&inbox);
    if (made == NATS_OK) { made = natsConnection_SubscribeSync(&it.inbox, engine_->connection, inbox); }
    if (made == NATS_OK) { made = natsSubscription_SetPendingLimits(it.inbox, -1, -1); }
    ctie_status status = made == NATS_OK ? make_consumer(&it) : fail_nats(engine_, made, "asking for stored messages");
    if (status == CTIE_OK && it.pending > what->most) { status = CTIE_E_LIMIT; }
    while (status == CTIE_OK && it.pending > 0) {
        status = request_more(&it);
        if (status == CTIE_OK) { status = take_answers(&it); }
    }
    remove_consumer(&it);
    remove_inbox(&it);
    natsInbox_Destroy(inbox);
    return status;
}
