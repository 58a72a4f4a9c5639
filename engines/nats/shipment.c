#include "shipping.h"

#include "problem.h"
#include "waiters.h"

#include <stdio.h>
#include <stdlib.h>

shipment *shipment_new(engine *it, bool in_order) {
    shipment *made = calloc(1, sizeof *made);
    if (made == NULL) { return NULL; }
    made->it = it, made->in_order = in_order, made->references = 1;
    return made;
}

void shipment_unref(shipment *of) {
    if (--of->references == 0) { free(of); }
}

/* ---- Publishing ------------------------------------------------------------------------------------ */

static void refuse(shipment *of, uint64_t number, ctie_status status, const char *words) {
    outbox *in = of->it->outbox;
    pthread_mutex_lock(&in->lock);
    if (!of->is_over && of->words[0] == 0) { snprintf(of->words, sizeof of->words, "%s", words); }
    of->is_over |= of->in_order;
    pthread_mutex_unlock(&in->lock);
    waiter_fail(of->it->asking, number, status);
}

static void fail_to_publish(shipment *of, uint64_t number, natsStatus status, int size) {
    char words[sizeof of->words];
    const char *why = words_of_nats(status);
    switch (status) {
    case NATS_MAX_PAYLOAD:
        snprintf(words, sizeof words, "%d bytes with their headers are too many for the server: %s", size, why);
        refuse(of, number, CTIE_E_LIMIT, words);
        break;
    case NATS_IO_ERROR: case NATS_TIMEOUT: case NATS_SSL_ERROR:
        refuse(of, number, CTIE_E_UNCERTAIN, "the connection broke while sending");
        break;
    default:
        snprintf(words, sizeof words, "sending to the server: %s", why);
        refuse(of, number, CTIE_E_UNAVAILABLE, words);
    }
}

/* Whether it is still the same connection. libnats's callbacks say so later. */
static bool is_connected_as_before(shipment *of) {
    uint64_t client = 0;
    if (!of->in_order || natsConnection_GetClientID(of->it->connection, &client) != NATS_OK) { return true; }
    if (of->client == 0) { of->client = client; }
    return of->client == client;
}

void shipment_publish(shipment *of, natsMsg *message, uint64_t number) {
    if (!is_connected_as_before(of)) {
        refuse(of, number, CTIE_E_UNAVAILABLE, "the connection to the server was lost");
    } else {
        natsStatus status = natsConnection_PublishMsg(of->it->connection, message);
        if (status != NATS_OK) { fail_to_publish(of, number, status, natsMsg_GetDataLength(message)); }
    }
    natsMsg_Destroy(message);
}

void shipment_drop(shipment *of, natsMsg *message, uint64_t number) {
    natsMsg_Destroy(message);
    waiter_fail(of->it->asking, number, CTIE_E_UNAVAILABLE);
}

/* ---- The queue: with the lock ---------------------------------------------------------------------- */

static bool enqueue(shipment *of, natsMsg *message, uint64_t number) {
    outbox *in = of->it->outbox;
    job *one = calloc(1, sizeof *one);
    if (one == NULL || !outbox_wake(of->it)) {
        free(one);
        return false;
    }
    one->of = of, one->message = message, one->number = number;
    *in->end = one;
    in->end = &one->next;
    of->queued++, of->references++;
    return true;
}

/* Takes the jobs of a shipment out, in their order. */
static job *take_out(shipment *of) {
    outbox *in = of->it->outbox;
    job *taken = NULL, **end = &taken;
    for (job **at = &in->first; *at != NULL;) {
        job *one = *at;
        if (one->of != of) {
            at = &one->next;
            continue;
        }
        *at = one->next;
        *end = one, one->next = NULL;
        end = &one->next;
        of->queued--, of->references--;
    }
    in->end = &in->first;
    while (*in->end != NULL) { in->end = &(*in->end)->next; }
    return taken;
}

/* ---- The caller ------------------------------------------------------------------------------------ */

typedef enum { NOW, LATER, NEVER, WITHOUT_THREAD } way;

void shipment_add(shipment *of, natsMsg *message, uint64_t number, uint64_t place) {
    outbox *in = of->it->outbox;
    pthread_mutex_lock(&in->lock);
    way chosen = NOW;
    if (of->is_over) {
        chosen = NEVER;
    } else if (of->queued > 0 || of->is_busy || !shipping_has_room(in, place)) {
        chosen = enqueue(of, message, number) ? LATER : WITHOUT_THREAD;
    }
    pthread_mutex_unlock(&in->lock);
    if (chosen == NOW) { shipment_publish(of, message, number); }
    if (chosen == WITHOUT_THREAD) { refuse(of, number, CTIE_E_UNAVAILABLE, "no thread to send"); }
    if (chosen == NEVER || chosen == WITHOUT_THREAD) { shipment_drop(of, message, number); }
}

void shipment_stop(shipment *of) {
    outbox *in = of->it->outbox;
    pthread_mutex_lock(&in->lock);
    job *left = of->queued > 0 ? take_out(of) : NULL;
    of->is_over = true;
    pthread_mutex_unlock(&in->lock);
    for (job *next; left != NULL; left = next) {
        next = left->next;
        shipment_drop(of, left->message, left->number);
        free(left);
    }
}

const char *shipment_words(const shipment *of) { return of->words; }

void shipment_free(shipment *of) {
    outbox *in = of->it->outbox;
    pthread_mutex_lock(&in->lock);
    shipment_unref(of);
    pthread_mutex_unlock(&in->lock);
}
