/* The third stream of a group: the options of declared durable consumers, and their dead letters. The first declaration
   makes it. It has neither limits nor an age, so that nothing of it is lost but on request. */
#include "configuration.h"
#include "record.h"

#include <stdio.h>
#include <string.h>

enum { TRIES = 6, PAUSE_MS = 5 };
static const json_int_t TWO_MINUTES = 120000000000;

static ctie_status info(engine *it, const char *stream, int64_t deadline, json_t **out) {
    char what[STREAM_MOST + 32];
    snprintf(what, sizeof what, "STREAM.INFO.%s", stream);
    return api(it, what, NULL, deadline, out);
}

/* It has as many copies as the stream of all messages. */
static json_t *config_of(const engine *it, const json_t *all) {
    char subjects[SUBJECT_MOST];
    uint64_t replicas = api_number(json_object_get(all, "config"), "num_replicas");
    snprintf(subjects, sizeof subjects, "ctie.%s.q.>", it->names.group);
    return json_pack("{s:s, s:[s], s:s, s:s, s:s, s:i, s:i, s:b, s:I}", "name", it->names.durable, "subjects", subjects,
                     "retention", "limits", "storage", "file", "discard", "old", "num_replicas",
                     (int)(replicas > 0 ? replicas : 1), "max_msgs_per_subject", 1, "allow_direct", 1,
                     "duplicate_window", TWO_MINUTES);
}

static ctie_status check(engine *it, const json_t *found) {
    char subjects[SUBJECT_MOST];
    const json_t *config = json_object_get(found, "config"), *all = json_object_get(config, "subjects");
    const char *first = json_string_value(json_array_get(all, 0));
    snprintf(subjects, sizeof subjects, "ctie.%s.q.>", it->names.group);
    bool is_ours = json_array_size(all) == 1 && first != NULL && strcmp(first, subjects) == 0 &&
                   api_number(config, "max_msgs_per_subject") == 1;
    if (is_ours) { return CTIE_OK; }
    return fail(it, CTIE_E_CONFLICT, "the server has a stream %s that is not of this group", it->names.durable);
}

/* One that is older than the stream of all messages has the dead letters of messages that were lost. */
static bool is_older(const json_t *found, const json_t *all) {
    return api_time(api_text(found, "created")) < api_time(api_text(all, "created"));
}

static ctie_status drop(engine *it, int64_t deadline) {
    char what[STREAM_MOST + 32];
    snprintf(what, sizeof what, "STREAM.DELETE.%s", it->names.durable);
    ctie_status status = api(it, what, NULL, deadline, NULL);
    return status == CTIE_E_NOT_FOUND ? CTIE_OK : status;
}

static ctie_status create(engine *it, const json_t *all, int64_t deadline, bool *may_be_there) {
    char what[STREAM_MOST + 32];
    json_t *answer = NULL, *config = config_of(it, all);
    if (config == NULL) { return CTIE_E_NO_MEMORY; }
    snprintf(what, sizeof what, "STREAM.CREATE.%s", it->names.durable);
    ctie_status status = api(it, what, config, deadline, &answer);
    *may_be_there = configuration_may_be_made(answer);
    json_decref(answer);
    json_decref(config);
    return status;
}

ctie_status durable_stream_have(engine *it, int64_t deadline) {
    json_t *all = NULL, *found = NULL;
    if (!last_is_possible(it)) {
        return fail(it, CTIE_E_UNSUPPORTED, "this needs nats-server 2.9, with direct gets of the group's stream");
    }
    ctie_status status = info(it, it->names.stream, deadline, &all);
    for (int i = 0, pause = PAUSE_MS; status == CTIE_OK && i < TRIES; i++, pause *= 2) {
        if (i > 0) { clock_pause(pause < deadline_left(deadline) ? pause : deadline_left(deadline)); }
        bool may_be_there = false;
        status = info(it, it->names.durable, deadline, &found);
        if (status == CTIE_OK) { status = check(it, found); }
        bool is_good = status == CTIE_OK && !is_older(found, all), is_missing = status == CTIE_E_NOT_FOUND;
        if (status == CTIE_OK && !is_good) { status = drop(it, deadline); }
        json_decref(found);
        found = NULL;
        if (is_good || (status != CTIE_OK && !is_missing)) { break; }
        status = create(it, all, deadline, &may_be_there);
        if (!may_be_there) { break; }
        if (i + 1 < TRIES) { status = CTIE_OK; }
    }
    json_decref(all);
    return status;
}

ctie_status durable_stream_check(engine *it, int64_t deadline) {
    json_t *all = NULL, *found = NULL;
    ctie_status status = info(it, it->names.durable, deadline, &found);
    if (status == CTIE_OK) { status = info(it, it->names.stream, deadline, &all); }
    if (status == CTIE_OK && check(it, found) == CTIE_OK && is_older(found, all)) { status = drop(it, deadline); }
    json_decref(all);
    json_decref(found);
    return status == CTIE_E_NOT_FOUND ? CTIE_OK : status;
}
