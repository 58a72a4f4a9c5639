/* The end of dead letters: they are put back, or removed. */
#include "claims.h"

#include "requests.h"

#include <stdlib.h>
#include <string.h>

typedef struct ends {
    engine *it;
    uint32_t action;
    uint64_t *count;
    int64_t deadline;
} ends;

/* ---- Removing -------------------------------------------------------------------------------------- */

/* The server says whether this request has removed it. */
static ctie_status read_removal(const ends *in, natsMsg *answer) {
    json_t *object = json_loadb(natsMsg_GetData(answer), (size_t)natsMsg_GetDataLength(answer), 0, NULL);
    const json_t *error = json_object_get(object, "error");
    ctie_status status = CTIE_OK;
    if (error != NULL) {
        status = fail_api(in->it, error, "a dead letter was not removed");
        if (requests_is_removed(object)) { status = CTIE_E_NOT_FOUND; }
    } else if (json_is_true(json_object_get(object, "success"))) {
        ++*in->count;
    } else {
        status = CTIE_E_UNCERTAIN;
    }
    json_decref(object);
    return status;
}

/* ---- Putting back ---------------------------------------------------------------------------------- */

/* A version in place of the one that was listed: of several that retry it, one succeeds. */
static ctie_status put_back(const ends *in, natsMsg *content, uint64_t at, natsMsg **out) {
    letter it;
    *out = NULL;
    if (!letter_read(&in->it->names, content, at, &it) || it.state != LETTER_DEAD) { return CTIE_E_NOT_FOUND; }
    it.state = LETTER_AGAIN;
    it.deliveries = 0, it.sent_as = 0;
    *out = letter_pack(&in->it->names, &it, content);
    bool is_made = *out != NULL && post_expects(*out, (int64_t)at);
    return is_made ? CTIE_OK : CTIE_E_NO_MEMORY;
}

/* One after the other, repeated as long as it takes. */
static ctie_status retry_one(const ends *in, const letter *which) {
    natsMsg *content = NULL, *message = NULL;
    uint64_t at;
    ctie_status status = fetch(in->it, in->it->names.durable, which->at, in->deadline, &content);
    if (status == CTIE_OK) { status = put_back(in, content, which->at, &message); }
    if (status == CTIE_OK) {
        status = post(in->it, in->it->names.durable, message, (int64_t)which->at, in->deadline, &at);
    }
    if (status == CTIE_E_CONFLICT) { status = CTIE_E_NOT_FOUND; }
    if (status == CTIE_OK) { ++*in->count; }
    natsMsg_Destroy(message);
    natsMsg_Destroy(content);
    return status;
}

static ctie_status drop_one(const ends *in, const letter *which) {
    natsMsg *request = requests_delete(in->it->names.durable, which->at), *answer = NULL;
    if (request == NULL) { return CTIE_E_NO_MEMORY; }
    ctie_status status = ask(in->it, request, in->deadline, &answer);
    if (status == CTIE_OK) { status = read_removal(in, answer); }
    natsMsg_Destroy(answer);
    return status;
}

/* ---- Several at once ------------------------------------------------------------------------------- */

enum { PORTION = REQUESTS_MOST };

typedef struct portion {
    const letter *items[PORTION];
    bool is_done[PORTION];
    size_t count;
} portion;

/* Asks for all of them, by requests of which some may be NULL. */
static void ask_all(const ends *in, natsMsg **requests, size_t count, natsMsg **answers) {
    natsMsg *given[PORTION], *received[PORTION] = {NULL};
    ctie_status statuses[PORTION];
    size_t places[PORTION], some = 0;
    for (size_t i = 0; i < count; i++) {
        answers[i] = NULL;
        if (requests[i] == NULL) { continue; }
        given[some] = requests[i];
        places[some++] = i;
    }
    if (some == 0 || connection_ready(in->it, in->deadline) != CTIE_OK) {
        for (size_t i = 0; i < some; i++) { natsMsg_Destroy(given[i]); }
        return;
    }
    ask_many(in->it, given, some, in->deadline, received, statuses);
    for (size_t i = 0; i < some; i++) { answers[places[i]] = received[i]; }
}

static void drop_some(const ends *in, portion *all) {
    natsMsg *requests[PORTION], *answers[PORTION];
    for (size_t i = 0; i < all->count; i++) {
        requests[i] = requests_delete(in->it->names.durable, all->items[i]->at);
    }
    ask_all(in, requests, all->count, answers);
    for (size_t i = 0; i < all->count; i++) {
        ctie_status status = answers[i] != NULL ? read_removal(in, answers[i]) : CTIE_E_UNCERTAIN;
        all->is_done[i] = status == CTIE_OK || status == CTIE_E_NOT_FOUND;
        natsMsg_Destroy(answers[i]);
    }
}

static void retry_some(const ends *in, portion *all) {
    natsMsg *requests[PORTION], *contents[PORTION], *answers[PORTION];
    for (size_t i = 0; i < all->count; i++) { requests[i] = fetch_request(in->it->names.durable, all->items[i]->at); }
    ask_all(in, requests, all->count, contents);
    for (size_t i = 0; i < all->count; i++) {
        requests[i] = NULL;
        if (contents[i] != NULL) { put_back(in, contents[i], all->items[i]->at, &requests[i]); }
        natsMsg_Destroy(contents[i]);
    }
    ask_all(in, requests, all->count, answers);
    for (size_t i = 0; i < all->count; i++) {
        uint64_t at;
        ctie_status status = CTIE_E_UNCERTAIN;
        if (answers[i] != NULL) { status = post_read(in->it, in->it->names.durable, answers[i], &at); }
        all->is_done[i] = status == CTIE_OK || status == CTIE_E_CONFLICT;
        *in->count += status == CTIE_OK;
        natsMsg_Destroy(answers[i]);
    }
}

/* Those that could not be ended together are ended one by one, until the deadline. */
static ctie_status end_some(const ends *in, portion *all) {
    bool is_retry = in->action == CTIE_ENGINE_RETRY;
    memset(all->is_done, 0, sizeof all->is_done);
    if (all->count > 1 && is_retry) { retry_some(in, all); }
    if (all->count > 1 && !is_retry) { drop_some(in, all); }
    for (size_t i = 0; i < all->count; i++) {
        if (all->is_done[i]) { continue; }
        ctie_status status = is_retry ? retry_one(in, all->items[i]) : drop_one(in, all->items[i]);
        if (status != CTIE_OK && status != CTIE_E_NOT_FOUND) { return status; }
    }
    all->count = 0;
    return CTIE_OK;
}

static ctie_status end_all(const ends *in, const char *base, uint64_t in_stream) {
    char filter[LETTER_MOST];
    letters all;
    portion some = {.count = 0};
    names_letters(&in->it->names, base, filter);
    ctie_status status = in_stream != 0 ? letters_collect_one(in->it, base, in_stream, in->deadline, &all)
                                        : letters_collect(in->it, filter, in->deadline, &all);
    for (size_t i = 0; status == CTIE_OK && i < all.count; i++) {
        const letter *each = &all.items[i];
        if (each->state != LETTER_DEAD) { continue; }
        some.items[some.count++] = each;
        if (some.count == PORTION) { status = end_some(in, &some); }
    }
    if (status == CTIE_OK) { status = end_some(in, &some); }
    letters_clear(&all);
    return status == CTIE_OK && in_stream != 0 && *in->count == 0 ? CTIE_E_NOT_FOUND : status;
}

ctie_status engine_end_dead_letters(void *data, ctie_str topic, ctie_str name, uint64_t sequence, uint32_t action,
                                    uint64_t *count, int64_t timeout_ms) {
    ends in = {data, action, count, deadline_after(timeout_ms)};
    durable_key key;
    *count = 0;
    ctie_status status = letters_begin(in.it, topic, name, in.deadline, &key);
    if (status != CTIE_OK) { return status; }
    uint64_t in_stream = sequence != 0 ? number_in_stream(in.it, sequence) : 0;
    if (sequence != 0 && in_stream == 0) { return CTIE_E_NOT_FOUND; }
    status = end_all(&in, key.base, in_stream);
    bool is_partial = *count > 0 || status == CTIE_E_UNCERTAIN;
    return is_partial ? record_doubt(in.it, status) : status;
}
