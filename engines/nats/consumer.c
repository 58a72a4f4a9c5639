/* The consumers of states and queues: the server forgets them when nobody asks for messages. */
#include "parts.h"

#include <stdio.h>
#include <string.h>

static const int64_t INACTIVE_NS = 60 * (int64_t)1000000000;

static void delete(binding *it, const char *name) {
    char subject[STREAM_MOST + CONSUMER_NAME_MOST + 64];
    if (name[0] == 0) { return; }
    snprintf(subject, sizeof subject, "$JS.API.CONSUMER.DELETE.%s.%s", it->engine->names.stream, name);
    order_send(it->of, subject, NULL, NULL, 0); /* else the server removes it later by itself */
}

void consumer_delete(binding *it) {
    pthread_mutex_lock(&it->lock);
    char name[CONSUMER_NAME_MOST];
    memcpy(name, it->consumer, sizeof name);
    it->consumer[0] = 0;
    pthread_mutex_unlock(&it->lock);
    delete(it, name);
}

epoch epoch_now(engine *it) {
    epoch now;
    pthread_mutex_lock(&it->lock);
    memcpy(now.created, it->epoch, sizeof now.created);
    pthread_mutex_unlock(&it->lock);
    return now;
}

bool is_still_so(const binding *it, uint64_t round, const epoch *since) {
    epoch now = epoch_now(it->engine);
    bool is_known = it->is_first || it->is_lost || strcmp(it->epoch.created, now.created) == 0;
    return it->round == round && !it->is_ended && is_known && strcmp(since->created, now.created) == 0;
}

static json_t *request_of(binding *it, const char *name, const beginning *from) {
    char time[40];
    json_t *config = json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:b}", "name", name, "deliver_policy", from->policy,
                               "ack_policy", "none", "filter_subject", it->filter, "replay_policy", "instant",
                               "inactive_threshold", (json_int_t)INACTIVE_NS, "mem_storage", 1);
    if (config == NULL) { return NULL; }
    json_object_set_new(config, "num_replicas", json_integer(1));
    if (strcmp(from->policy, "by_start_sequence") == 0) {
        json_object_set_new(config, "opt_start_seq", json_integer((json_int_t)from->sequence));
    } else if (strcmp(from->policy, "by_start_time") == 0) {
        api_time_text(from->time, time);
        json_object_set_new(config, "opt_start_time", json_string(time));
    }
    return json_pack("{s:s, s:o}", "stream_name", it->engine->names.stream, "config", config);
}

static ctie_status create(binding *it, const char *name, const beginning *from, int64_t deadline, json_t **answer) {
    char what[STREAM_MOST + CONSUMER_NAME_MOST + 64];
    json_t *body = request_of(it, name, from);
    if (body == NULL) { return CTIE_E_NO_MEMORY; }
    snprintf(what, sizeof what, "CONSUMER.CREATE.%s.%s", it->engine->names.stream, name);
    ctie_status status = api(it->engine, what, body, deadline, answer);
    json_decref(body);
    return status;
}

/* With the lock: what the binding goes on with. */
static void adopt(binding *it, beginning *from, const json_t *answer) {
    uint64_t before = api_number(json_object_get(answer, "delivered"), "stream_seq");
    uint64_t pending = api_number(answer, "num_pending");
    if (from->missed > 0 && it->delivery == CTIE_ENGINE_QUEUE) {
        it->missed += it->pending > pending ? it->pending - pending : 1;
        it->missed_up_to = number_of(it->engine, from->missed);
        it->last = from->missed;
    }
    if (it->is_first || it->is_lost) { it->last = from->sequence > 0 ? from->sequence - 1 : before; }
    if (it->is_lost && it->delivery == CTIE_ENGINE_QUEUE) {
        it->is_missed_unknown = true;
        it->missed = 0;
        it->missed_up_to = 0; /* behind the highest number */
    }
    stored_values_free(&it->stored);
    it->stored = from->stored;
    from->stored = (stored_values){0};
    it->stored_next = it->stored_shown = 0;
    it->is_stored_again = !it->is_first;
    it->skips_up_to = it->is_first ? from->skips_up_to : it->skips_up_to;
    it->phase = from->has_stored ? HAS_STORED : IS_FLOWING;
    it->is_first = it->is_lost = false;
    it->in_consumer = 0;
    it->pending = pending;
    it->stalled = 0;
}

static ctie_status make(binding *it, const char *name, uint64_t round, int64_t deadline) {
    beginning from;
    epoch before = epoch_now(it->engine);
    json_t *answer = NULL;
    ctie_status status = beginning_find(it, &from, deadline);
    if (status == CTIE_OK) { status = create(it, name, &from, deadline, &answer); }
    if (status == CTIE_E_NOT_FOUND || api_error(answer) == NO_STREAM) {
        streams_mend(it->engine);
        status = CTIE_PENDING;
    }
    pthread_mutex_lock(&it->lock);
    bool is_same = is_still_so(it, round, &before);
    if (status == CTIE_OK && is_same) {
        memcpy(it->consumer, name, sizeof it->consumer);
        it->epoch = before;
        adopt(it, &from, answer);
    }
    pthread_mutex_unlock(&it->lock);
    if (status == CTIE_OK && !is_same) {
        delete(it, name);
        status = CTIE_PENDING; /* the connection was lost meanwhile */
    }
    stored_values_free(&from.stored);
    json_decref(answer);
    return status;
}

ctie_status consumer_make(binding *it, int64_t deadline) {
    char name[CONSUMER_NAME_MOST];
    ctie_status status;
    do {
        pthread_mutex_lock(&it->lock);
        uint64_t round = it->round;
        bool is_ended = it->is_ended;
        snprintf(name, sizeof name, "L%s-%llu-%u", it->engine->self.member, (unsigned long long)it->number,
                 ++it->generation);
        pthread_mutex_unlock(&it->lock);
        if (is_ended) { return CTIE_E_CLOSED; }
        if (it->delivery == CTIE_ENGINE_DURABLE) {
            status = durable_open(it, round, deadline);
        } else {
            consumer_delete(it);
            status = make(it, name, round, deadline);
        }
        if (status != CTIE_PENDING) { return status; }
        clock_pause(10);
        status = connection_ready(it->engine, deadline);
    } while (status == CTIE_OK && deadline_left(deadline) > 0);
    return status != CTIE_OK ? status : fail(it->engine, CTIE_E_UNAVAILABLE, "the server's streams come and go");
}
