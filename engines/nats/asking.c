/* The inbox for answers. */
#include "outbox.h"
#include "problem.h"
#include "text.h"
#include "waiters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- What libnats says --------------------------------------------------------------------------- */

static void take_answer(natsConnection *connection, natsSubscription *subscription, natsMsg *message, void *closure) {
    asking *in = ((engine *)closure)->asking;
    const char *subject = natsMsg_GetSubject(message);
    uint64_t number;
    (void)connection, (void)subscription;
    bool is_ours = strncmp(subject, in->inbox, in->inbox_size) == 0 &&
                   text_number(subject + in->inbox_size, strlen(subject + in->inbox_size), UINT64_MAX, &number);
    waiter *one = NULL;
    pthread_mutex_lock(&in->lock);
    if (is_ours) { one = waiter_find(in, number); }
    if (one != NULL) {
        outbox_received(closure, one->place);
        waiter_end(in, one, CTIE_OK, message);
    }
    pthread_mutex_unlock(&in->lock);
    if (one == NULL) { natsMsg_Destroy(message); }
}

typedef struct refused {
    const char *subject;
    size_t size;
    bool is_cut;
} refused;

static bool is_refused(const waiter *one, const void *what) {
    const refused *which = what;
    return strncmp(one->subject, which->subject, which->size) == 0 &&
           (which->is_cut || one->subject[which->size] == 0);
}

static bool is_any(const waiter *one, const void *what) {
    (void)one, (void)what;
    return true;
}

void asking_refused(engine *it, const char *subject, bool is_cut) {
    asking *in = it->asking;
    refused which = {subject, strlen(subject), is_cut};
    if (in == NULL) { return; }
    bool is_inbox = strncmp(subject, in->inbox, in->inbox_size) == 0;
    if (is_inbox) {
        pthread_mutex_lock(&in->lock);
        in->is_refused = true;
        pthread_mutex_unlock(&in->lock);
    }
    waiters_end(in, CTIE_E_DENIED, is_inbox ? is_any : is_refused, &which);
}

void asking_lost(engine *it) {
    asking *in = it->asking;
    if (in == NULL) { return; }
    pthread_mutex_lock(&in->lock);
    in->is_refused = false; /* the next server may allow it */
    pthread_mutex_unlock(&in->lock);
    outbox_lost(it);
    waiters_end(in, CTIE_E_UNCERTAIN, is_any, NULL);
}

/* ---- Opening and closing ------------------------------------------------------------------------- */

ctie_status asking_new(engine *it) {
    asking *in = calloc(1, sizeof *in);
    natsInbox *inbox = NULL;
    if (in == NULL || natsInbox_Create(&inbox) != NATS_OK) {
        free(in);
        return fail(it, CTIE_E_NO_MEMORY, "the inbox for answers");
    }
    int size = snprintf(in->inbox, sizeof in->inbox, "%s.", (const char *)inbox);
    in->inbox_size = (size_t)size;
    natsInbox_Destroy(inbox);
    pthread_mutex_init(&in->lock, NULL);
    it->asking = in;
    return CTIE_OK;
}

ctie_status asking_open(engine *it) {
    char subject[INBOX_MOST + 2];
    if (it->asking->subscription != NULL) { return CTIE_OK; }
    snprintf(subject, sizeof subject, "%s*", it->asking->inbox);
    return connection_subscribe(it, subject, take_answer, it, &it->asking->subscription);
}

void asking_close(engine *it) {
    asking *in = it->asking;
    if (in == NULL) { return; }
    pthread_mutex_lock(&in->lock);
    in->is_closed = true;
    pthread_mutex_unlock(&in->lock);
    waiters_end(in, CTIE_E_CLOSED, is_any, NULL);
}

void asking_free(engine *it) {
    asking *in = it->asking;
    if (in == NULL) { return; }
    natsSubscription_Destroy(in->subscription);
    pthread_mutex_destroy(&in->lock);
    free(in);
    it->asking = NULL;
}
