/* The two streams of a group. The first member makes them; a stream of another making is not touched. */
#include "configuration.h"
#include "record.h"

#include <stdio.h>
#include <string.h>

enum { NOT_FOUND = 10059 };
enum { TRIES = 6, PAUSE_MS = 5 };

/* ---- The streams --------------------------------------------------------------------------------- */

/* Finds or makes a stream. */
static ctie_status have(engine *it, const char *name, json_t *config, int64_t deadline, json_t **info, bool *is_made) {
    char what[STREAM_MOST + 32];
    ctie_status status = CTIE_E_NO_MEMORY;
    *info = NULL;
    *is_made = false;
    for (int i = 0, pause = PAUSE_MS; config != NULL && i < TRIES; i++, pause *= 2) {
        if (i > 0) { clock_pause(pause < deadline_left(deadline) ? pause : deadline_left(deadline)); }
        snprintf(what, sizeof what, "STREAM.INFO.%s", name);
        status = api(it, what, NULL, deadline, info);
        if (status == CTIE_OK) { status = configuration_check(it, name, *info); }
        if (api_error(*info) != NOT_FOUND) { break; }
        json_decref(*info);
        snprintf(what, sizeof what, "STREAM.CREATE.%s", name);
        status = api(it, what, config, deadline, info);
        *is_made = status == CTIE_OK;
        if (!configuration_may_be_made(*info)) { break; }
        json_decref(*info);
        *info = NULL;
    }
    json_decref(config);
    return status;
}

/* ---- The epoch ----------------------------------------------------------------------------------- */

/* Notes when the stream was made. Another time than before: its messages are others. */
static bool note_epoch(engine *it, const json_t *info) {
    const char *created = api_text(info, "created");
    uint64_t first = api_number(json_object_get(info, "state"), "first_seq");
    if (first == 0) { first = 1; }
    pthread_mutex_lock(&it->lock);
    bool is_new = it->epoch[0] != 0 && strncmp(it->epoch, created, sizeof it->epoch - 1) != 0;
    if (is_new) {
        it->offset = first > it->highest + 1 ? 0 : it->highest + 2 - first;
        it->has_new_epoch = true;
    }
    snprintf(it->epoch, sizeof it->epoch, "%s", created);
    pthread_mutex_unlock(&it->lock);
    return is_new;
}

/* A second stream that is older than the first copied one that was lost, and would go on behind its numbers. */
static ctie_status make_again(engine *it, int64_t deadline, json_t **now) {
    char what[STREAM_MOST + 32];
    bool is_made;
    snprintf(what, sizeof what, "STREAM.DELETE.%s", it->names.now);
    *now = NULL;
    ctie_status status = api(it, what, NULL, deadline, NULL);
    if (status != CTIE_OK && status != CTIE_E_NOT_FOUND) { return status; }
    return have(it, it->names.now, configuration_of_now(it), deadline, now, &is_made);
}

static bool has_direct_gets(const json_t *info) {
    return json_is_true(json_object_get(json_object_get(info, "config"), "allow_direct"));
}

static void note_direct_gets(engine *it, const json_t *info, const json_t *now) {
    pthread_mutex_lock(&it->lock);
    it->has_no_direct_gets = !has_direct_gets(info) || !has_direct_gets(now);
    pthread_mutex_unlock(&it->lock);
}

static ctie_status find_both(engine *it, int64_t deadline, bool *is_new_epoch, bool compares) {
    json_t *info = NULL, *now = NULL;
    bool is_made, is_new = false;
    pthread_mutex_lock(&it->lock);
    uint64_t first = it->highest > 0 ? it->highest + 2 : 1; /* one number is left for a CTIE_MESSAGE_MISSED */
    pthread_mutex_unlock(&it->lock);
    ctie_status status = have(it, it->names.stream, configuration_of_all(it, first), deadline, &info, &is_new);
    if (status == CTIE_OK) { status = have(it, it->names.now, configuration_of_now(it), deadline, &now, &is_made); }
    if (status == CTIE_OK && api_time(api_text(now, "created")) < api_time(api_text(info, "created"))) {
        json_decref(now);
        status = make_again(it, deadline, &now);
    }
    if (status == CTIE_OK && is_new) { status = durable_stream_check(it, deadline); } /* it is of lost messages */
    if (status == CTIE_OK) { note_direct_gets(it, info, now); }
    if (status == CTIE_OK) { *is_new_epoch = note_epoch(it, info); }
    if (status == CTIE_OK && compares) { configuration_compare(it, json_object_get(info, "config")); }
    json_decref(info);
    json_decref(now);
    return status;
}

ctie_status streams_open(engine *it, int64_t deadline) {
    bool is_new_epoch;
    return find_both(it, deadline, &is_new_epoch, true);
}

ctie_status streams_check(engine *it, int64_t deadline, bool *is_new_epoch) {
    *is_new_epoch = false;
    ctie_status status = find_both(it, deadline, is_new_epoch, false);
    if (!*is_new_epoch) { return status; }
    log_line(it, CTIE_LOG_WARNING, "the server has lost the group's messages; the group goes on without them");
    recent_reset(it);
    keeper_wake(it); /* the bindings go on there */
    return status;
}

uint64_t number_of(engine *it, uint64_t in_stream) {
    pthread_mutex_lock(&it->lock);
    uint64_t number = in_stream + it->offset;
    if (number > it->highest) { it->highest = number; }
    pthread_mutex_unlock(&it->lock);
    return number;
}

uint64_t number_in_stream(engine *it, uint64_t number) {
    pthread_mutex_lock(&it->lock);
    uint64_t in_stream = number > it->offset ? number - it->offset : 0;
    pthread_mutex_unlock(&it->lock);
    return in_stream;
}

uint64_t number_of_letter(engine *it, uint64_t in_stream) {
    pthread_mutex_lock(&it->lock);
    uint64_t number = in_stream + it->offset;
    pthread_mutex_unlock(&it->lock);
    return number;
}
