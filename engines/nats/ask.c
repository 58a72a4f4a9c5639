/* Requests with an inbox of our own. libnats's requests know nothing of a refused permission, and wait for their answer
   until the deadline. */
#include "ask.h"
#include "outbox.h"
#include "problem.h"
#include "waiters.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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

static ctie_status publish(engine *it, waiter *one, int64_t deadline) {
    char reply[REPLY_MOST];
    natsMsg *message = NULL;
    snprintf(reply, sizeof reply, "%s%" PRIu64, it->asking->inbox, one->number);
    natsStatus status = with_reply(one->request, reply, &message);
    if (status != NATS_OK) { return fail_nats(it, status, "a request"); }
    return outbox_send(it, message, one->place, deadline);
}

/* Sends a request, again after a reconnect if it was not sent. Its result is also the waiter's status, unless it
   is CTIE_OK. */
static void send_one(engine *it, waiter *one, turn *of, int64_t deadline) {
    asking *in = it->asking;
    for (;;) {
        ctie_status status = connection_up(it, deadline);
        one->place = outbox_place(it, one->request);
        if (status == CTIE_OK) {
            pthread_mutex_lock(&in->lock);
            status = waiter_enter(in, one, of);
            pthread_mutex_unlock(&in->lock);
        }
        if (status != CTIE_OK) {
            one->status = status, one->is_explained = status != CTIE_E_DENIED || !waiters_are_refused(in);
            return;
        }
        status = publish(it, one, deadline);
        if (status == CTIE_OK) { return; }
        one->is_explained = true;
        pthread_mutex_lock(&in->lock);
        if (one->is_waiting) { waiter_end(in, one, status, NULL); }
        natsMsg *answer = one->answer;
        one->status = status, one->answer = NULL;
        pthread_mutex_unlock(&in->lock);
        natsMsg_Destroy(answer);
        if (status != CTIE_E_UNAVAILABLE || deadline_left(deadline) == 0) { return; }
    }
}

static void wait_for(engine *it, turn *of, waiter *waiters, size_t count, int64_t deadline) {
    struct timespec until = {deadline / 1000000000, deadline % 1000000000};
    pthread_mutex_lock(&it->asking->lock);
    while (of->left > 0 && pthread_cond_timedwait(&of->done, &it->asking->lock, &until) == 0) {}
    for (size_t i = 0; i < count; i++) {
        if (waiters[i].is_waiting) { waiter_end(it->asking, &waiters[i], CTIE_E_UNCERTAIN, NULL); }
    }
    pthread_mutex_unlock(&it->asking->lock);
}

/* ---- Asking -------------------------------------------------------------------------------------- */

static void turn_init(turn *of) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&of->done, &attributes);
    pthread_condattr_destroy(&attributes);
    of->left = 0;
}

/* Looks at an answer, and at what there is in its place. */
static ctie_status conclude(engine *it, waiter *one, natsMsg **answer, bool *is_nobody) {
    const char *subject = natsMsg_GetSubject(one->request);
    ctie_status status = one->status;
    *is_nobody = false;
    *answer = NULL;
    if (status == CTIE_OK && natsMsg_IsNoResponders(one->answer)) {
        natsMsg_Destroy(one->answer);
        *is_nobody = true;
        status = fail(it, CTIE_E_UNAVAILABLE, "nobody on the server answers on %s", subject);
    } else if (status == CTIE_OK) {
        *answer = one->answer;
    } else if (status == CTIE_E_DENIED && !one->is_explained) {
        fail(it, status, "the server does not permit %s %s", waiters_are_refused(it->asking) ? "the inbox for answers on" :
             "publishing to", subject);
    } else if (status == CTIE_E_UNCERTAIN && !one->is_explained) {
        fail(it, status, "the server has not answered on %s", subject);
    }
    natsMsg_Destroy(one->request);
    return status;
}

static void ask_all(engine *it, waiter *waiters, size_t count, int64_t deadline) {
    turn of;
    turn_init(&of);
    for (size_t i = 0; i < count; i++) { send_one(it, &waiters[i], &of, deadline); }
    wait_for(it, &of, waiters, count, deadline);
    pthread_cond_destroy(&of.done);
}

ctie_status ask_somebody(engine *it, natsMsg *request, int64_t deadline, natsMsg **answer, bool *is_nobody) {
    waiter one = {.request = request};
    *answer = NULL;
    *is_nobody = false;
    ctie_status status = getpid() != it->pid ? CTIE_E_FORKED : it->asking == NULL ? CTIE_E_UNAVAILABLE : CTIE_OK;
    if (status != CTIE_OK) {
        if (status != CTIE_E_FORKED) { natsMsg_Destroy(request); }
        return status;
    }
    ask_all(it, &one, 1, deadline);
    return conclude(it, &one, answer, is_nobody);
}

ctie_status ask(engine *it, natsMsg *request, int64_t deadline, natsMsg **answer) {
    bool is_nobody;
    return ask_somebody(it, request, deadline, answer, &is_nobody);
}

static void refuse_all(natsMsg **requests, size_t count, natsMsg **answers, ctie_status *statuses, ctie_status status) {
    for (size_t i = 0; i < count; i++) {
        if (status != CTIE_E_FORKED) { natsMsg_Destroy(requests[i]); }
        answers[i] = NULL, statuses[i] = status;
    }
}

void ask_many(engine *it, natsMsg **requests, size_t count, int64_t deadline, natsMsg **answers,
              ctie_status *statuses) {
    bool is_nobody;
    waiter *waiters = calloc(count > 0 ? count : 1, sizeof *waiters);
    ctie_status status = getpid() != it->pid ? CTIE_E_FORKED : it->asking == NULL ? CTIE_E_UNAVAILABLE : CTIE_OK;
    if (status == CTIE_OK && waiters == NULL) { status = CTIE_E_NO_MEMORY; }
    if (status != CTIE_OK) {
        refuse_all(requests, count, answers, statuses, status);
        free(waiters);
        return;
    }
    for (size_t i = 0; i < count; i++) { waiters[i].request = requests[i]; }
    ask_all(it, waiters, count, deadline);
    for (size_t i = 0; i < count; i++) { statuses[i] = conclude(it, &waiters[i], &answers[i], &is_nobody); }
    free(waiters);
}
