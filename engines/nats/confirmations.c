/* The inbox for the server's confirmations of acknowledgements. */
#include "acks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void confirmed(natsConnection *connection, natsSubscription *subscription, natsMsg *message, void *closure) {
    (void)connection, (void)subscription;
    acks *it = closure;
    const char *subject = natsMsg_GetSubject(message);
    size_t stem = strlen(it->inbox);
    uint64_t number = strncmp(subject, it->inbox, stem) == 0 ? strtoull(subject + stem, NULL, 10) : 0;
    /* While a cluster's consumer has no leader, nobody takes acknowledgements: they are repeated. */
    if (natsMsg_IsNoResponders(message)) { number = 0; }
    pthread_mutex_lock(&it->lock);
    ack *found = it->waiting[number % WAITING_MOST];
    if (found != NULL && found->number == number) { acks_forget(it, found); }
    pthread_mutex_unlock(&it->lock);
    natsMsg_Destroy(message);
}

static void inbox_closed(void *closure) {
    acks *it = closure;
    bindings *of = it->of;
    atomic_store(&it->is_closed, true);
    pthread_mutex_lock(&of->lock);
    of->live--;
    pthread_cond_broadcast(&of->changed);
    pthread_mutex_unlock(&of->lock);
}

static ctie_status subscribe(acks *it) {
    natsInbox *inbox = NULL;
    char subject[INBOX_MOST + 2];
    if (natsInbox_Create(&inbox) != NATS_OK) { return CTIE_E_NO_MEMORY; }
    snprintf(it->inbox, sizeof it->inbox, "%s.", (const char *)inbox);
    natsInbox_Destroy(inbox);
    snprintf(subject, sizeof subject, "%s*", it->inbox);
    natsConnection *to = it->of->engine->connection;
    natsStatus status = natsConnection_Subscribe(&it->inbox_of_answers, to, subject, confirmed, it);
    if (status != NATS_OK) { return fail_nats(it->of->engine, status, "subscribe to an inbox"); }
    natsSubscription_SetPendingLimits(it->inbox_of_answers, -1, -1);
    pthread_mutex_lock(&it->of->lock);
    it->of->live++;
    pthread_mutex_unlock(&it->of->lock);
    natsSubscription_SetOnCompleteCB(it->inbox_of_answers, inbox_closed, it);
    return CTIE_OK;
}

/* With the first durable consumer: others need none of this. */
ctie_status acks_open(acks *it) {
    pthread_mutex_lock(&it->lock);
    if (it->waiting == NULL) { it->waiting = calloc(WAITING_MOST, sizeof *it->waiting); }
    if (it->known == NULL) { it->known = known_new(); }
    ctie_status status = it->waiting != NULL && it->known != NULL ? CTIE_OK : CTIE_E_NO_MEMORY;
    bool is_first = status == CTIE_OK && !it->is_open;
    it->is_open |= is_first;
    pthread_mutex_unlock(&it->lock);
    if (is_first) { status = subscribe(it); }
    if (is_first && status != CTIE_OK) {
        pthread_mutex_lock(&it->lock);
        it->is_open = false;
        pthread_mutex_unlock(&it->lock);
    }
    return status;
}

void acks_close(acks *it) { retire(it->of->engine->retired, it->inbox_of_answers); }
