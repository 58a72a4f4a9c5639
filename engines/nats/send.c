#include "destroy.h"
#include "recent.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
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
    uint64_t in_stream;   /* its number, when it is stored */
    bool is_doubtful;     /* a try had no answer */
    bool is_duplicate;    /* the token was stored before, by one of these tries or by another send */
} sending;

/* ---- One try ----------------------------------------------------------------------------------- */

/* `{"stream": …, "seq": …}`, with `"duplicate": true` if it was stored before; or `{"error": …}`. */
static ctie_status read_answer(sending *it, natsMsg *answer) {
    json_t *object = json_loadb(natsMsg_GetData(answer), (size_t)natsMsg_GetDataLength(answer), 0, NULL);
    const json_t *error = json_object_get(object, "error");
    ctie_status status = CTIE_OK;
    it->in_stream = api_number(object, "seq");
    it->is_duplicate = json_is_true(json_object_get(object, "duplicate"));
    if (error != NULL) {
        status = fail_api(it->it, error, "the message was not stored");
    } else if (it->in_stream == 0 || strcmp(api_text(object, "stream"), it->it->names.stream) != 0) {
        status = fail(it->it, CTIE_E_UNCERTAIN, "another than the group's stream has answered for it");
    }
    json_decref(object);
    return status;
}

static ctie_status try_once(sending *it, int64_t patience) {
    natsMsg *request = NULL, *answer = NULL;
    ctie_status status = envelope_pack(&it->it->names, &it->it->self, it->message, it->token, 0, &request);
    if (status != CTIE_OK) { return fail(it->it, status, "the message could not be packed"); }
    int64_t until = deadline_after(patience);
    status = ask(it->it, request, until < it->deadline ? until : it->deadline, &answer);
    if (status == CTIE_OK) { status = read_answer(it, answer); }
    natsMsg_Destroy(answer);
    return status;
}

/* ---- Until it is stored -------------------------------------------------------------------------- */

static bool may_pass(ctie_status status) {
    return status == CTIE_E_UNAVAILABLE || status == CTIE_E_UNCERTAIN || status == CTIE_E_TIMEOUT;
}

static ctie_status in_doubt(sending *it) {
    return fail(it->it, CTIE_E_UNCERTAIN, "the server has not answered: the message may be stored");
}

/* Repeats a try that had no answer, with the same token. Nobody on the subject means that the server has no stream: it
   starts, or has lost it. */
static ctie_status store(sending *it) {
    int64_t patience = PATIENCE_MS;
    for (int pause = 1;; pause = pause < PAUSE_MOST ? pause * 2 : pause) {
        ctie_status status = connection_ready(it->it, it->deadline);
        if (status != CTIE_OK) { return it->is_doubtful ? in_doubt(it) : status; }
        status = try_once(it, patience);
        if (status == CTIE_OK || !may_pass(status)) { return status; }
        if (status == CTIE_E_UNCERTAIN) { it->is_doubtful = true; }
        if (deadline_left(it->deadline) <= pause) { return it->is_doubtful ? in_doubt(it) : status; }
        if (status == CTIE_E_UNAVAILABLE) { streams_doubt(it->it, it->deadline); }
        if (patience < PATIENCE_MOST) { patience *= 2; }
        clock_pause(pause);
    }
}

/* ---- The function of the engine -------------------------------------------------------------------- */

static ctie_status check(engine *it, const ctie_engine_message *message, size_t count) {
    if (count != 1) { return fail(it, CTIE_E_UNSUPPORTED, "a server of NATS takes one message at a time"); }
    switch (message->kind) {
    case CTIE_MESSAGE_VALUE: case CTIE_MESSAGE_SIGNAL:
        if (message->identifier.size == 0) { return fail(it, CTIE_E_INVALID, "a message without an identifier"); }
        break;
    case CTIE_MESSAGE_DESTROYED: break;
    default: return fail(it, CTIE_E_INVALID, "a message of the kind %d", (int)message->kind);
    }
    if (message->not_before > clock_now(CLOCK_REALTIME)) {
        return fail(it, CTIE_E_UNSUPPORTED, "a server of NATS keeps no message for a later time");
    }
    return CTIE_OK;
}

/* The rest of the caller's time is for what follows from the message. With a token that was stored before, it may be
   another one that has the number. */
static ctie_status conclude(const sending *it) {
    engine *of = it->it;
    ctie_str identifier = it->message->identifier;
    bool is_repeated = it->is_duplicate && !it->is_doubtful;
    if (!is_repeated) {
        recent_note(of, it->message, it->in_stream);
        recent_trim(of, it->deadline);
    }
    if (it->message->kind != CTIE_MESSAGE_DESTROYED) { return CTIE_OK; }
    bool is_there = true;
    ctie_status status = is_repeated ? destroy_is_at(of, identifier, it->in_stream, it->deadline, &is_there) : CTIE_OK;
    if (status != CTIE_OK || !is_there) { return status; }
    return destroy_older(of, identifier, it->in_stream, it->deadline);
}

ctie_status engine_send(void *data, const ctie_engine_message *messages, size_t count, const uint8_t *token,
                        uint64_t *first, uint32_t *listeners, int64_t timeout_ms) {
    engine *it = data;
    uint8_t own[CTIE_TRANSPORT_TOKEN_SIZE];
    sending what = {it, messages, token, deadline_after(timeout_ms), 0, false, false};
    *listeners = 0;
    if (getpid() != it->pid) { return CTIE_E_FORKED; }
    ctie_status status = check(it, messages, count);
    if (status != CTIE_OK) { return status; }
    if (token == NULL) {
        if (getrandom(own, sizeof own, 0) != (ssize_t)sizeof own) { return fail(it, CTIE_E_SYSTEM, "no random bytes"); }
        what.token = own;
    }
    status = store(&what);
    if (status == CTIE_OK) { status = conclude(&what); }
    if (status == CTIE_OK) { *first = number_of(it, what.in_stream); }
    return status;
}
