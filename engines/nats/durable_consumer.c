/* The consumer of a durable consumer on the server. */
#include "parts.h"

#include "record.h"

#include <stdio.h>
#include <string.h>

enum {
    IN_HAND_MOST = 65536,  /* the most messages that all of its listeners together have in hand */
    CANNOT_UPDATE = 10012, /* it is there, with another beginning */
};

static void filter_of(const engine *it, const durable_key *key, char out[SUBJECT_MOST]) {
    if (key->topic.size == 1 && key->topic.data[0] == '*') {
        snprintf(out, SUBJECT_MOST, "%s", it->names.messages);
    } else {
        names_filter(&it->names, SUBJECT_ANY, key->topic, out);
    }
}

/* The engine makes it again, and the bindings then get messages of another epoch. */
static ctie_status no_stream(engine *it) {
    streams_mend(it);
    return CTIE_PENDING;
}

ctie_status durable_look(engine *it, const durable_key *key, const char *consumer, int64_t deadline, json_t **info) {
    char what[STREAM_MOST + CONSUMER_NAME_MOST + 64], filter[SUBJECT_MOST];
    json_t *answer = NULL;
    filter_of(it, key, filter);
    snprintf(what, sizeof what, "CONSUMER.INFO.%s.%s", it->names.stream, consumer);
    ctie_status status = api(it, what, NULL, deadline, &answer);
    int64_t error = api_error(answer);
    const json_t *config = json_object_get(answer, "config");
    bool has_config = json_is_object(config);
    bool is_pulled = api_text(config, "deliver_subject")[0] == 0;
    bool is_ours = is_pulled && strcmp(api_text(config, "filter_subject"), filter) == 0 &&
                   strcmp(api_text(config, "ack_policy"), "explicit") == 0;
    if (info != NULL) { *info = answer; } else { json_decref(answer); }
    if (error == NO_STREAM) { return no_stream(it); }
    /* The answer about one that is being deleted at this moment is neither an error nor a configuration. */
    if (error == NO_CONSUMER || (status == CTIE_OK && !has_config)) { return CTIE_E_NOT_FOUND; }
    if (status != CTIE_OK || is_ours) { return status; }
    return fail(it, CTIE_E_CONFLICT, "the server's consumer %s is of another making", consumer);
}

/* ---- Making it ------------------------------------------------------------------------------------- */

static void expire(json_t *config, const durable_options *options) {
    json_object_set_new(config, "inactive_threshold", json_integer((json_int_t)options->expires_ms * NS_PER_MS));
}

static json_t *config_of(engine *it, const durable_key *key, const char *consumer, const durable_start *from,
                         const durable_options *options) {
    char text[TOPIC_MOST + DURABLE_NAME_MOST + 2], filter[SUBJECT_MOST], time[40];
    snprintf(text, sizeof text, "%.*s\n%.*s", (int)key->name.size, key->name.data, (int)key->topic.size,
             key->topic.data);
    filter_of(it, key, filter);
    json_int_t patience = ACK_WAIT_MS * NS_PER_MS;
    json_t *config = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:i, s:i}", "durable_name", consumer,
                               "description", text, "ack_policy", "explicit", "filter_subject", filter,
                               "replay_policy", "instant", "deliver_policy", from->policy, "ack_wait", patience,
                               "max_deliver", -1, "max_ack_pending", IN_HAND_MOST);
    if (config == NULL) { return NULL; }
    if (options->expires_ms > 0) { expire(config, options); }
    if (strcmp(from->policy, "by_start_sequence") == 0) {
        json_object_set_new(config, "opt_start_seq", json_integer((json_int_t)from->sequence));
    } else if (strcmp(from->policy, "by_start_time") == 0) {
        api_time_text(from->time, time); /* by the server's clock: other listeners cannot leave out any */
        json_object_set_new(config, "opt_start_time", json_string(time));
    }
    return config;
}

/* Takes the configuration. */
static ctie_status apply(engine *it, const char *consumer, json_t *config, int64_t deadline, json_t **answer) {
    char what[STREAM_MOST + CONSUMER_NAME_MOST + 64];
    json_t *body = config != NULL ? json_pack("{s:s, s:o}", "stream_name", it->names.stream, "config", config) : NULL;
    *answer = NULL;
    if (body == NULL) { return CTIE_E_NO_MEMORY; }
    snprintf(what, sizeof what, "CONSUMER.DURABLE.CREATE.%s.%s", it->names.stream, consumer);
    ctie_status status = api(it, what, body, deadline, answer);
    json_decref(body);
    if (api_error(*answer) == NO_STREAM) { return no_stream(it); }
    return api_error(*answer) == CANNOT_UPDATE ? CTIE_E_ALREADY : status;
}

ctie_status durable_make(engine *it, const durable_key *key, const char *consumer, const durable_start *from,
                         const durable_options *options, int64_t deadline, json_t **info) {
    json_t *answer = NULL;
    ctie_status status = apply(it, consumer, config_of(it, key, consumer, from, options), deadline, &answer);
    if (info != NULL) { *info = answer; } else { json_decref(answer); }
    return status;
}

ctie_status durable_change(engine *it, const json_t *info, const durable_options *options, int64_t deadline) {
    json_t *answer = NULL, *config = json_deep_copy(json_object_get(info, "config"));
    if (config == NULL) { return CTIE_E_NO_MEMORY; }
    if (api_number(config, "inactive_threshold") == options->expires_ms * (uint64_t)NS_PER_MS) {
        json_decref(config);
        return CTIE_OK;
    }
    expire(config, options);
    ctie_status status = apply(it, api_text(info, "name"), config, deadline, &answer);
    json_decref(answer);
    if (status != CTIE_E_ALREADY) { return status; }
    /* nats-server 2.9 takes the same time of the beginning for another one. */
    log_line(it, CTIE_LOG_WARNING, "the server keeps the expiry of %s, which began at a time", api_text(info, "name"));
    return CTIE_OK;
}

ctie_status durable_delete(engine *it, const char *consumer, int64_t deadline) {
    char what[STREAM_MOST + CONSUMER_NAME_MOST + 32];
    json_t *answer = NULL;
    snprintf(what, sizeof what, "CONSUMER.DELETE.%s.%s", it->names.stream, consumer);
    ctie_status status = api(it, what, NULL, deadline, &answer);
    json_decref(answer);
    return status;
}
