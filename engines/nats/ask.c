/* Requests with an inbox of our own. libnats's requests know nothing of a refused permission, and wait for their answer
   until the deadline. */
#include "ask.h"
#include "outbox.h"
#include "problem.h"
#include "shipment.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Several requests at once. */
typedef struct round {
    engine *it;
    turn of;
    shipment *out;
    natsMsg **requests; /* owned */
    natsMsg *packed;    /* instead: a single one with its reply subject, whose waiter has its number and subject */
    waiter *waiters;
    size_t count;
    int64_t deadline;
} round;

/* ---- Sending ------------------------------------------------------------------------------------- */

/* The request with a reply subject: libnats sets one only when a message is made. */
static natsStatus with_reply(natsMsg *request, const char *reply, natsMsg **out) {
    const char **keys = NULL;
    int count = 0;
    natsStatus status = natsMsg_Create(out, natsMsg_GetSubject(request), reply, natsMsg_GetData(request),
                                       natsMsg_GetDataLength(request));
    if (status == NATS_OK) { status = natsMsgHeader_Keys(request, &keys, &count); }
    if (status == NATS_NOT_FOUND) { return NATS_OK; }
    for (int i = 0; status == NATS_OK && i < count; i++) {
        const char *value = NULL;
        status = natsMsgHeader_Get(request, keys[i], &value);
        if (status == NATS_OK) { status = natsMsgHeader_Set(*out, keys[i], value); }
    }
    free(keys);
    if (status == NATS_OK) { return NATS_OK; }
    natsMsg_Destroy(*out);
    *out = NULL;
    return status;
}

static ctie_status send_packed(round *in, waiter *one, natsMsg *message) {
    engine *it = in->it;
    one->place = outbox_place(it, message);
    ctie_status status = waiter_enter(it->asking, one, &in->of);
    if (status == CTIE_OK) { shipment_add(in->out, message, one->number, one->place); } else { natsMsg_Destroy(message); }
    return status;
}

static ctie_status send_one(round *in, waiter *one, natsMsg *request) {
    engine *it = in->it;
    char reply[REPLY_MOST];
    natsMsg *message = NULL;
    ctie_status status = connection_up(it, in->deadline);
    if (status != CTIE_OK) { return status; }
    one->number = waiter_number(it->asking);
    one->subject = natsMsg_GetSubject(request);
    waiter_reply(it->asking, one->number, reply);
    natsStatus made = with_reply(request, reply, &message);
    return made == NATS_OK ? send_packed(in, one, message) : fail_nats(it, made, "a request");
}

static void send_all(round *in) {
    for (size_t i = 0; i < in->count; i++) {
        waiter *one = &in->waiters[i];
        ctie_status status = in->packed != NULL ? send_packed(in, one, in->packed) : send_one(in, one, in->requests[i]);
        if (status == CTIE_OK) { continue; }
        one->status = status;
        one->is_explained = status != CTIE_E_DENIED || !waiters_are_refused(in->it->asking);
    }
}

/* Those whose answer has not come have ended then. */
static void give_up_rest(round *in) {
    asking *all = in->it->asking;
    shipment_stop(in->out);
    pthread_mutex_lock(&all->lock);
    for (size_t i = 0; i < in->count; i++) {
        if (in->waiters[i].is_waiting) { waiter_end(all, &in->waiters[i], CTIE_E_UNCERTAIN, NULL); }
    }
    pthread_mutex_unlock(&all->lock);
}

/* ---- Asking -------------------------------------------------------------------------------------- */

/* Looks at an answer, and at what there is in its place. */
static ctie_status conclude(engine *it, waiter *one, natsMsg **answer, bool *is_nobody) {
    *is_nobody = one->status == CTIE_OK && natsMsg_IsNoResponders(one->answer);
    *answer = one->answer;
    if (!*is_nobody) { return one->status; }
    natsMsg_Destroy(one->answer);
    *answer = NULL;
    return fail(it, CTIE_E_UNAVAILABLE, "nobody on the server answers on %s", one->subject);
}

static ctie_status ask_all(round *in) {
    in->out = shipment_new(in->it, false);
    if (in->out == NULL) { return fail(in->it, CTIE_E_NO_MEMORY, "a request"); }
    turn_init(&in->of);
    send_all(in);
    turn_wait(in->it->asking, &in->of, NULL, in->deadline);
    give_up_rest(in);
    for (size_t i = 0; i < in->count; i++) { waiter_explain(in->it, &in->waiters[i], shipment_words(in->out)); }
    turn_end(&in->of);
    shipment_free(in->out);
    return CTIE_OK;
}

static ctie_status can_ask(const engine *it) {
    return getpid() != it->pid ? CTIE_E_FORKED : it->asking == NULL ? CTIE_E_UNAVAILABLE : CTIE_OK;
}

/* Asks again after a reconnect, if the request was not sent. */
ctie_status ask_somebody(engine *it, natsMsg *request, int64_t deadline, natsMsg **answer, bool *is_nobody) {
    ctie_status status = can_ask(it);
    *answer = NULL;
    *is_nobody = false;
    for (bool goes_on = status == CTIE_OK; goes_on;) {
        waiter one = {.number = 0};
        round in = {.it = it, .requests = &request, .waiters = &one, .count = 1, .deadline = deadline};
        status = ask_all(&in);
        if (status == CTIE_OK) { status = conclude(it, &one, answer, is_nobody); }
        goes_on = one.is_unpublished && status == CTIE_E_UNAVAILABLE && deadline_left(deadline) > 0;
    }
    if (status != CTIE_E_FORKED) { natsMsg_Destroy(request); }
    return status;
}

void ask_begin(engine *it, asked *out) {
    out->number = waiter_number(it->asking);
    waiter_reply(it->asking, out->number, out->reply);
}

ctie_status ask_once(engine *it, const asked *one, natsMsg *request, int64_t deadline, natsMsg **answer,
                     bool *is_nobody) {
    char subject[SUBJECT_MOST];
    waiter waiting = {.number = one->number, .subject = subject};
    round in = {.it = it, .packed = request, .waiters = &waiting, .count = 1, .deadline = deadline};
    *answer = NULL;
    *is_nobody = false;
    snprintf(subject, sizeof subject, "%s", natsMsg_GetSubject(request));
    ctie_status status = ask_all(&in);
    if (status != CTIE_OK) { natsMsg_Destroy(request); }
    return status == CTIE_OK ? conclude(it, &waiting, answer, is_nobody) : status;
}

ctie_status ask(engine *it, natsMsg *request, int64_t deadline, natsMsg **answer) {
    bool is_nobody;
    return ask_somebody(it, request, deadline, answer, &is_nobody);
}

void ask_many(engine *it, natsMsg **requests, size_t count, int64_t deadline, natsMsg **answers,
              ctie_status *statuses) {
    bool is_nobody;
    round in = {.it = it, .requests = requests, .count = count, .deadline = deadline};
    ctie_status status = can_ask(it);
    in.waiters = calloc(count > 0 ? count : 1, sizeof *in.waiters);
    if (status == CTIE_OK && in.waiters == NULL) { status = CTIE_E_NO_MEMORY; }
    if (status == CTIE_OK) { status = ask_all(&in); }
    for (size_t i = 0; i < count; i++) {
        answers[i] = NULL;
        statuses[i] = status == CTIE_OK ? conclude(it, &in.waiters[i], &answers[i], &is_nobody) : status;
        if (status != CTIE_E_FORKED) { natsMsg_Destroy(requests[i]); }
    }
    free(in.waiters);
}
