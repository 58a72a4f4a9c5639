/* Making durable consumers, and finding them. */
#include "parts.h"

#include <stdio.h>
#include <string.h>

/* The most messages of a durable consumer that all its listeners together have in hand. */
enum { IN_HAND_MOST = 65536 };

static json_t *config_of(const binding *it, const beginning *from) {
    char text[TOPIC_MOST + DURABLE_NAME_MOST + 2], time[40];
    snprintf(text, sizeof text, "%s\n%s", it->name, it->topic);
    json_int_t patience = ACK_WAIT_MS * NS_PER_MS;
    json_t *config = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:i, s:i}", "durable_name", it->consumer,
                               "description", text, "ack_policy", "explicit", "filter_subject", it->filter,
                               "replay_policy", "instant", "deliver_policy", from->policy, "ack_wait", patience,
                               "max_deliver", -1, "max_ack_pending", IN_HAND_MOST);
    if (config == NULL) { return NULL; }
    if (strcmp(from->policy, "by_start_sequence") == 0) {
        json_object_set_new(config, "opt_start_seq", json_integer((json_int_t)from->sequence));
    } else if (strcmp(from->policy, "by_start_time") == 0) {
        api_time_text(it->start_time, time); /* by the server's clock: other listeners cannot leave out any */
        json_object_set_new(config, "opt_start_time", json_string(time));
    }
    return config;
}

/* The engine makes it again, and the bindings then get messages of another epoch. */
static ctie_status no_stream(binding *it) {
    streams_mend(it->engine);
    return CTIE_PENDING;
}

static ctie_status look(binding *it, int64_t deadline) {
    char what[STREAM_MOST + CONSUMER_NAME_MOST + 64];
    json_t *answer = NULL;
    snprintf(what, sizeof what, "CONSUMER.INFO.%s.%s", it->engine->names.stream, it->consumer);
    ctie_status status = api(it->engine, what, NULL, deadline, &answer);
    int64_t error = api_error(answer);
    const json_t *config = json_object_get(answer, "config");
    bool is_pulled = api_text(config, "deliver_subject")[0] == 0;
    bool is_ours = is_pulled && strcmp(api_text(config, "filter_subject"), it->filter) == 0 &&
                   strcmp(api_text(config, "ack_policy"), "explicit") == 0;
    json_decref(answer);
    if (error == NO_STREAM) { return no_stream(it); }
    if (error == NO_CONSUMER) { return CTIE_E_NOT_FOUND; }
    if (status != CTIE_OK || is_ours) { return status; }
    return fail(it->engine, CTIE_E_CONFLICT, "the server's consumer %s is of another making", it->consumer);
}

static ctie_status create(binding *it, int64_t deadline) {
    char what[STREAM_MOST + CONSUMER_NAME_MOST + 64];
    const char *stream = it->engine->names.stream;
    beginning from;
    ctie_status status = beginning_find(it, &from, deadline);
    if (status != CTIE_OK) { return status; }
    json_t *config = config_of(it, &from), *answer = NULL;
    json_t *body = config != NULL ? json_pack("{s:s, s:o}", "stream_name", stream, "config", config) : NULL;
    if (body == NULL) { return CTIE_E_NO_MEMORY; }
    snprintf(what, sizeof what, "CONSUMER.DURABLE.CREATE.%s.%s", stream, it->consumer);
    status = api(it->engine, what, body, deadline, &answer);
    if (api_error(answer) == NO_STREAM) { status = no_stream(it); }
    json_decref(answer);
    json_decref(body);
    return status;
}

ctie_status durable_open(binding *it, uint64_t round, int64_t deadline) {
    pthread_mutex_lock(&it->lock);
    bool makes = it->is_first || it->is_lost;
    bool is_named = names_consumer(ctie_str_from(it->topic), ctie_str_from(it->name), it->consumer);
    pthread_mutex_unlock(&it->lock);
    if (!is_named) { return CTIE_E_NO_MEMORY; }
    epoch before = epoch_now(it->engine);
    ctie_status status = look(it, deadline);
    if (status == CTIE_E_NOT_FOUND && makes) {
        status = create(it, deadline);
        /* Another member may have made it meanwhile, with another beginning. */
        if (status != CTIE_OK && status != CTIE_PENDING) {
            ctie_status seen = look(it, deadline);
            if (seen != CTIE_E_NOT_FOUND) { status = seen; }
        }
    }
    if (status == CTIE_E_UNAVAILABLE) { streams_mend(it->engine); }
    pthread_mutex_lock(&it->lock);
    bool is_same = is_still_so(it, round, &before);
    if (status == CTIE_OK && is_same) {
        it->epoch = before;
        if (it->is_lost) {
            claims_forget(it);
            it->is_missed_unknown = true;
            it->missed = 0;
            it->missed_up_to = 0; /* the number after the highest one */
        }
        it->is_first = it->is_lost = false;
        it->phase = IS_FLOWING;
    }
    pthread_mutex_unlock(&it->lock);
    /* A consumer that is not there was forgotten, unless it was lost with everything else. */
    return !is_same && (status == CTIE_OK || status == CTIE_E_NOT_FOUND) ? CTIE_PENDING : status;
}
