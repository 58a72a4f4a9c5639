#include "outbox.h"
#include "text.h"
#include "waiters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The table: with its lock -------------------------------------------------------------------- */

static waiter **place_of(asking *in, uint64_t number) {
    waiter **at = &in->buckets[number % BUCKETS];
    while (*at != NULL && (*at)->number != number) { at = &(*at)->next; }
    return at;
}

void waiter_end(asking *in, waiter *one, ctie_status status, natsMsg *answer) {
    *place_of(in, one->number) = one->next;
    one->is_waiting = false;
    one->status = status, one->answer = answer;
    if (--one->of->left == 0) { pthread_cond_signal(&one->of->done); }
}

ctie_status waiter_enter(asking *in, waiter *one, turn *of) {
    ctie_status status = in->is_closed ? CTIE_E_CLOSED : in->is_refused ? CTIE_E_DENIED : CTIE_OK;
    one->status = status;
    if (status != CTIE_OK) { return status; }
    one->of = of, one->number = ++in->last;
    one->next = in->buckets[one->number % BUCKETS];
    in->buckets[one->number % BUCKETS] = one;
    one->is_waiting = one->is_sent = true;
    of->left++;
    return CTIE_OK;
}

static void end_each(asking *in, ctie_status status, bool (*is_meant)(const waiter *, const void *), const void *what) {
    pthread_mutex_lock(&in->lock);
    for (size_t i = 0; i < BUCKETS; i++) {
        for (waiter *one = in->buckets[i], *next; one != NULL; one = next) {
            next = one->next;
            if (is_meant(one, what)) { waiter_end(in, one, status, NULL); }
        }
    }
    pthread_mutex_unlock(&in->lock);
}

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
    if (is_ours) { one = *place_of(in, number); }
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
    const char *subject = natsMsg_GetSubject(one->request);
    return strncmp(subject, which->subject, which->size) == 0 && (which->is_cut || subject[which->size] == 0);
}

static bool is_any(const waiter *one, const void *what) {
    (void)what;
    return one->is_sent;
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
    end_each(in, CTIE_E_DENIED, is_inbox ? is_any : is_refused, &which);
}

void asking_lost(engine *it) {
    asking *in = it->asking;
    if (in == NULL) { return; }
    pthread_mutex_lock(&in->lock);
    in->is_refused = false; /* the next server may allow it */
    pthread_mutex_unlock(&in->lock);
    outbox_lost(it);
    end_each(in, CTIE_E_UNCERTAIN, is_any, NULL);
}

bool waiters_are_refused(asking *in) {
    pthread_mutex_lock(&in->lock);
    bool is_so = in->is_refused;
    pthread_mutex_unlock(&in->lock);
    return is_so;
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
    end_each(in, CTIE_E_CLOSED, is_any, NULL);
}

void asking_free(engine *it) {
    asking *in = it->asking;
    if (in == NULL) { return; }
    natsSubscription_Destroy(in->subscription);
    pthread_mutex_destroy(&in->lock);
    free(in);
    it->asking = NULL;
}
