/* Several messages, one after another: the server takes them one by one. */
#include "pipeline.h"
#include "problem.h"
#include "receipt.h"
#include "recent.h"
#include "sent.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PATIENCE_MS = 1000, /* for an answer, after the last one */
    PATIENCE_MOST = 4000,
    PAUSE_MOST = 50,
    LOOK_EVERY = 16,    /* messages: then answers are looked at */
};

typedef struct batch {
    engine *it;
    const ctie_engine_message *messages;
    size_t count;
    const uint8_t *token;
    int64_t deadline;
    sent_message *sent; /* what is known of each */
    size_t stored;      /* so many of the first ones are stored */
    /* Of the first one that is not stored: */
    ctie_status status;
    bool is_nobody;
    char words[1000];
} batch;

/* ---- What has become of the messages --------------------------------------------------------------- */

static void note(batch *it, pipeline *through, const outcome *of) {
    sent_message *one = &it->sent[of->index];
    receipt made = {0, false};
    ctie_status status = of->status == CTIE_OK ? receipt_read(it->it, of->answer, &made) : of->status;
    natsMsg_Destroy(of->answer);
    if (status == CTIE_OK) {
        one->in_stream = made.in_stream;
        one->is_duplicate = made.is_duplicate && !one->is_doubtful;
    }
    if (status == CTIE_E_UNCERTAIN) { one->is_doubtful = true; }
    if (status == CTIE_OK || it->status != CTIE_OK) { return; }
    if (of->status != CTIE_OK) { pipeline_explain(through); }
    it->status = status, it->is_nobody = of->is_nobody;
    snprintf(it->words, sizeof it->words, "%s", last_problem());
}

/* Takes what there is, and waits for room for one more. */
static void look(batch *it, pipeline *through, int64_t patience) {
    outcome next;
    while (pipeline_take(through, 0, &next)) { note(it, through, &next); }
    while (pipeline_is_full(through) && it->status == CTIE_OK) {
        int64_t until = deadline_after(patience);
        if (!pipeline_take(through, until < it->deadline ? until : it->deadline, &next)) { break; }
        note(it, through, &next);
    }
}

static void take_rest(batch *it, pipeline *through, int64_t patience) {
    outcome next;
    for (int64_t until = deadline_after(patience);; until = deadline_after(patience)) {
        if (!pipeline_take(through, until < it->deadline ? until : it->deadline, &next)) { break; }
        note(it, through, &next);
    }
    pipeline_stop(through);
    while (pipeline_take(through, 0, &next)) { note(it, through, &next); }
}

/* ---- One round ----------------------------------------------------------------------------------- */

static void count_stored(batch *it) {
    while (it->stored < it->count && it->sent[it->stored].in_stream > 0) { it->stored++; }
}

/* Sends what is not known to be stored, until something fails. */
static ctie_status send_rest(batch *it, int64_t patience) {
    pipeline *through = pipeline_new(it->it);
    ctie_status status = CTIE_OK;
    it->status = CTIE_OK, it->is_nobody = false;
    if (through == NULL) { return fail(it->it, CTIE_E_NO_MEMORY, "several messages"); }
    for (size_t i = it->stored; i < it->count && status == CTIE_OK; i++) {
        if (it->sent[i].in_stream > 0) { continue; }
        if (i % LOOK_EVERY == 0 || pipeline_is_full(through)) { look(it, through, patience); }
        if (it->status != CTIE_OK || pipeline_is_full(through)) { break; }
        status = pipeline_add(through, ctie_engine_message_at(it->messages, i), it->token, i);
    }
    take_rest(it, through, patience);
    pipeline_free(through);
    count_stored(it);
    if (it->status != CTIE_OK) { return fail(it->it, it->status, "%s", it->words); }
    return status;
}

/* ---- Until all are stored -------------------------------------------------------------------------- */

/* The next one may be stored. */
static ctie_status in_doubt(const batch *it, ctie_status status) {
    if (!it->sent[it->stored].is_doubtful) { return status; }
    return fail(it->it, CTIE_E_UNCERTAIN, "the server has not answered: the message may be stored");
}

/* Repeats what had no answer, with the same tokens. */
static ctie_status store(batch *it) {
    int64_t patience = PATIENCE_MS;
    for (int pause = 1; it->stored < it->count; pause = pause < PAUSE_MOST ? pause * 2 : pause) {
        ctie_status status = connection_ready(it->it, it->deadline);
        if (status != CTIE_OK) { return in_doubt(it, status); }
        size_t before = it->stored;
        status = send_rest(it, patience);
        if (status != CTIE_OK && !sent_may_pass(status)) { return status; }
        if (it->stored == it->count) { break; }
        if (deadline_left(it->deadline) <= pause) { return in_doubt(it, status); }
        if (it->is_nobody) { streams_doubt(it->it, it->deadline); }
        if (patience < PATIENCE_MOST && it->stored == before) { patience *= 2; }
        clock_pause(pause);
    }
    return CTIE_OK;
}

/* ---- The function of the engine -------------------------------------------------------------------- */

/* Also after a failure: this member reads what it has sent. */
static ctie_status conclude(const batch *it) {
    ctie_status status = CTIE_OK;
    for (size_t i = 0; i < it->count; i++) {
        if (it->sent[i].in_stream > 0) { sent_note(it->it, ctie_engine_message_at(it->messages, i), &it->sent[i]); }
    }
    recent_trim(it->it, it->deadline);
    for (size_t i = 0; i < it->stored && status == CTIE_OK; i++) {
        status = sent_conclude(it->it, ctie_engine_message_at(it->messages, i), &it->sent[i], it->deadline);
    }
    return status;
}

static ctie_status send_checked(batch *it, uint64_t *first, size_t *sent) {
    it->sent = calloc(it->count, sizeof *it->sent);
    if (it->sent == NULL) { return fail(it->it, CTIE_E_NO_MEMORY, "several messages"); }
    ctie_status status = store(it), concluded = conclude(it);
    *sent = it->stored;
    *first = number_of(it->it, it->sent[0].in_stream);
    free(it->sent);
    return status != CTIE_OK ? status : concluded;
}

ctie_status engine_send_each(void *data, const ctie_engine_message *messages, size_t count, const uint8_t *token,
                             uint64_t *first, size_t *sent, int64_t timeout_ms) {
    uint8_t own[CTIE_TRANSPORT_TOKEN_SIZE];
    batch it = {.it = data, .messages = messages, .count = count, .deadline = deadline_after(timeout_ms)};
    *sent = 0;
    if (getpid() != it.it->pid) { return CTIE_E_FORKED; }
    for (size_t i = 0; i < count; i++) {
        ctie_status status = sent_check(it.it, ctie_engine_message_at(messages, i));
        if (status != CTIE_OK) { return status; }
    }
    it.token = sent_token(it.it, token, own);
    return it.token != NULL ? send_checked(&it, first, sent) : CTIE_E_SYSTEM;
}
