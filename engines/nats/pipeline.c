#include "pipeline.h"

#include "outbox.h"
#include "shipment.h"
#include "waiters.h"

#include <stdlib.h>
#include <string.h>

enum { FLIGHT_MOST = 1024 };
static const uint64_t FLIGHT_SIZE_MOST = 8 << 20; /* or one message */

typedef struct flight {
    waiter waiter;
    char *subject; /* owned */
    size_t index, size;
} flight;

struct pipeline {
    engine *it;
    turn of;
    shipment *out;
    uint64_t added, taken; /* counted */
    uint64_t size;         /* bytes of those between them */
    flight flights[FLIGHT_MOST];
};

pipeline *pipeline_new(engine *it) {
    pipeline *made = calloc(1, sizeof *made);
    if (made == NULL) { return NULL; }
    made->it = it;
    made->out = shipment_new(it, true);
    turn_init(&made->of);
    if (made->out != NULL) { return made; }
    pipeline_free(made);
    return NULL;
}

void pipeline_free(pipeline *it) {
    if (it->out != NULL) {
        shipment_stop(it->out);
        shipment_free(it->out);
    }
    for (size_t i = 0; i < FLIGHT_MOST; i++) { free(it->flights[i].subject); }
    turn_end(&it->of);
    free(it);
}

/* ---- Sending ------------------------------------------------------------------------------------- */

bool pipeline_is_full(const pipeline *it) {
    return it->added - it->taken == FLIGHT_MOST || it->size >= FLIGHT_SIZE_MOST;
}

static ctie_status pack(pipeline *it, flight *one, const ctie_engine_message *message, const uint8_t *token,
                        natsMsg **out) {
    char reply[REPLY_MOST];
    one->waiter = (waiter){.number = waiter_number(it->it->asking)};
    waiter_reply(it->it->asking, one->waiter.number, reply);
    ctie_status status = envelope_pack(&it->it->names, &it->it->self, message, token, one->index, reply, out);
    free(one->subject);
    one->subject = status == CTIE_OK ? strdup(natsMsg_GetSubject(*out)) : NULL;
    if (status != CTIE_OK) { return fail(it->it, status, "the message could not be packed"); }
    one->waiter.subject = one->subject;
    if (one->subject != NULL) { return CTIE_OK; }
    natsMsg_Destroy(*out);
    return CTIE_E_NO_MEMORY;
}

ctie_status pipeline_add(pipeline *it, const ctie_engine_message *message, const uint8_t *token, size_t index) {
    flight *one = &it->flights[it->added % FLIGHT_MOST];
    natsMsg *packed = NULL;
    one->index = index, one->size = message->value.size;
    ctie_status status = pack(it, one, message, token, &packed);
    if (status != CTIE_OK) { return status; }
    one->waiter.place = outbox_place(it->it, packed);
    it->added++, it->size += one->size;
    if (waiter_enter(it->it->asking, &one->waiter, &it->of) != CTIE_OK) {
        natsMsg_Destroy(packed); /* it is taken with that status */
    } else {
        shipment_add(it->out, packed, one->waiter.number, one->waiter.place);
    }
    return CTIE_OK;
}

/* ---- What has become of it ----------------------------------------------------------------------- */

static bool has_ended(pipeline *it, const waiter *one, int64_t deadline) {
    if (deadline > 0) { turn_wait(it->it->asking, &it->of, one, deadline); }
    pthread_mutex_lock(&it->it->asking->lock);
    bool has = !one->is_waiting;
    pthread_mutex_unlock(&it->it->asking->lock);
    return has;
}

bool pipeline_take(pipeline *it, int64_t deadline, outcome *out) {
    flight *one = &it->flights[it->taken % FLIGHT_MOST];
    if (it->taken == it->added || !has_ended(it, &one->waiter, deadline)) { return false; }
    *out = (outcome){one->index, one->waiter.status, one->waiter.answer, false};
    it->taken++, it->size -= one->size;
    if (out->status != CTIE_OK || !natsMsg_IsNoResponders(out->answer)) { return true; }
    natsMsg_Destroy(out->answer);
    out->answer = NULL;
    out->status = one->waiter.status = CTIE_E_UNAVAILABLE, out->is_nobody = true;
    return true;
}

void pipeline_stop(pipeline *it) {
    asking *in = it->it->asking;
    shipment_stop(it->out);
    pthread_mutex_lock(&in->lock);
    for (uint64_t i = it->taken; i < it->added; i++) {
        waiter *one = &it->flights[i % FLIGHT_MOST].waiter;
        if (one->is_waiting) { waiter_end(in, one, CTIE_E_UNCERTAIN, NULL); }
    }
    pthread_mutex_unlock(&in->lock);
}

void pipeline_explain(pipeline *it) {
    flight *one = &it->flights[(it->taken - 1) % FLIGHT_MOST];
    waiter_explain(it->it, &one->waiter, shipment_words(it->out));
}
