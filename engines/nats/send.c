#include "ask.h"
#include "receipt.h"
#include "recent.h"
#include "sent.h"

#include <unistd.h>

enum {
    PATIENCE_MS = 1000,  /* for the first answer: a repeated message is stored once, by its token */
    PATIENCE_MOST = 4000,
    PAUSE_MOST = 50,
};

/* A message on its way. */
typedef struct sending {
    engine *it;
    const ctie_engine_message *message;
    const uint8_t *token;
    int64_t deadline;
    sent_message sent;
} sending;

/* ---- One try ----------------------------------------------------------------------------------- */

static ctie_status try_once(sending *it, int64_t patience, bool *is_nobody) {
    natsMsg *request = NULL, *answer = NULL;
    asked one;
    ask_begin(it->it, &one);
    *is_nobody = false;
    ctie_status status = envelope_pack(&it->it->names, &it->it->self, it->message, it->token, 0, one.reply, &request);
    if (status != CTIE_OK) { return fail(it->it, status, "the message could not be packed"); }
    int64_t until = deadline_after(patience);
    status = ask_once(it->it, &one, request, until < it->deadline ? until : it->deadline, &answer, is_nobody);
    if (status != CTIE_OK) { return status; }
    receipt made;
    status = receipt_read(it->it, answer, &made);
    natsMsg_Destroy(answer);
    it->sent.in_stream = made.in_stream;
    it->sent.is_duplicate = made.is_duplicate && !it->sent.is_doubtful;
    return status;
}

/* ---- Until it is stored -------------------------------------------------------------------------- */

static ctie_status in_doubt(sending *it) {
    return fail(it->it, CTIE_E_UNCERTAIN, "the server has not answered: the message may be stored");
}

/* Repeats a try that had no answer, with the same token. Nobody on the subject means that the server has no stream: it
   starts, or has lost it. */
static ctie_status store(sending *it) {
    int64_t patience = PATIENCE_MS;
    for (int pause = 1;; pause = pause < PAUSE_MOST ? pause * 2 : pause) {
        bool is_nobody;
        ctie_status status = connection_ready(it->it, it->deadline);
        if (status != CTIE_OK) { return it->sent.is_doubtful ? in_doubt(it) : status; }
        status = try_once(it, patience, &is_nobody);
        if (status == CTIE_OK || !sent_may_pass(status)) { return status; }
        if (status == CTIE_E_UNCERTAIN) { it->sent.is_doubtful = true; }
        if (deadline_left(it->deadline) <= pause) { return it->sent.is_doubtful ? in_doubt(it) : status; }
        if (is_nobody) { streams_doubt(it->it, it->deadline); }
        if (patience < PATIENCE_MOST) { patience *= 2; }
        clock_pause(pause);
    }
}

/* ---- The function of the engine -------------------------------------------------------------------- */

ctie_status engine_send(void *data, const ctie_engine_message *messages, size_t count, const uint8_t *token,
                        uint64_t *first, uint32_t *listeners, int64_t timeout_ms) {
    engine *it = data;
    uint8_t own[CTIE_TRANSPORT_TOKEN_SIZE];
    sending what = {.it = it, .message = messages, .deadline = deadline_after(timeout_ms)};
    *listeners = 0;
    if (getpid() != it->pid) { return CTIE_E_FORKED; }
    if (count != 1) { return fail(it, CTIE_E_UNSUPPORTED, "a server of NATS takes one message at a time"); }
    ctie_status status = sent_check(it, messages);
    if (status != CTIE_OK) { return status; }
    what.token = sent_token(it, token, own);
    if (what.token == NULL) { return CTIE_E_SYSTEM; }
    status = store(&what);
    if (status != CTIE_OK) { return status; }
    sent_note(it, messages, &what.sent);
    recent_trim(it, what.deadline);
    status = sent_conclude(it, messages, &what.sent, what.deadline);
    if (status == CTIE_OK) { *first = number_of(it, what.sent.in_stream); }
    return status;
}
