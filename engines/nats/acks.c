/* Acknowledgements. The server confirms each; what it has not confirmed is repeated, also after a reconnect, so that no
   message comes again because its acknowledgement was lost. */
#include "parts.h"
#include "known.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WAITING_MOST = 65536, /* unconfirmed; more are sent without a confirmation */
    TRIES_MOST = 30,      /* then nobody answers: the consumer was forgotten */
};

#define REPEAT_NS ((int64_t)1000000000)

typedef struct ack {
    struct ack *older, *newer; /* in the order of `sent` */
    uint64_t number;
    int64_t sent;
    int tries;
    char reply[];
} ack;

struct acks {
    bindings *of;
    pthread_mutex_t lock;
    ack *oldest, *newest;
    ack **waiting; /* by number % WAITING_MOST */
    uint64_t last;
    size_t count;
    natsSubscription *inbox_of_answers;
    char inbox[INBOX_MOST];
    bool is_open;
    atomic_bool is_closed;
    known *known;
};

acks *acks_new(bindings *of) {
    acks *it = calloc(1, sizeof *it);
    if (it == NULL) { return NULL; }
    it->of = of;
    pthread_mutex_init(&it->lock, NULL);
    return it;
}

/* ---- The list of those without a confirmation: with the lock ------------------------------------- */

static void append(acks *it, ack *which) {
    which->older = it->newest, which->newer = NULL;
    *(it->newest != NULL ? &it->newest->newer : &it->oldest) = which;
    it->newest = which;
}

static void take_out(acks *it, ack *which) {
    *(which->older != NULL ? &which->older->newer : &it->oldest) = which->newer;
    *(which->newer != NULL ? &which->newer->older : &it->newest) = which->older;
}

static void forget(acks *it, ack *which) {
    take_out(it, which);
    it->waiting[which->number % WAITING_MOST] = NULL;
    it->count--;
    free(which);
}

static void send(acks *it, ack *which) {
    char answer[INBOX_MOST + 24];
    snprintf(answer, sizeof answer, "%s%llu", it->inbox, (unsigned long long)which->number);
    order_send(it->of, which->reply, answer, "+ACK", 4);
}

bool acks_has(acks *it, const char *consumer, uint64_t in_stream) {
    pthread_mutex_lock(&it->lock);
    bool has = known_has(it->known, consumer, in_stream);
    pthread_mutex_unlock(&it->lock);
    return has;
}

/* ---- The functions --------------------------------------------------------------------------------- */

void acks_add(acks *it, const char *consumer, uint64_t in_stream, const char *reply) {
    size_t size = strlen(reply) + 1;
    pthread_mutex_lock(&it->lock);
    known_add(it->known, consumer, in_stream);
    bool has_room = it->waiting[(it->last + 1) % WAITING_MOST] == NULL;
    ack *made = has_room ? calloc(1, sizeof *made + size) : NULL;
    if (made != NULL) {
        memcpy(made->reply, reply, size);
        made->number = ++it->last;
        made->sent = clock_now(CLOCK_MONOTONIC);
        it->waiting[made->number % WAITING_MOST] = made;
        it->count++;
        append(it, made);
        send(it, made);
    } else {
        order_send(it->of, reply, NULL, "+ACK", 4);
    }
    pthread_mutex_unlock(&it->lock);
}

int64_t acks_repeat(acks *it, int64_t now, bool is_new_connection) {
    bool is_connected = feed_is_connected(it->of->engine);
    pthread_mutex_lock(&it->lock);
    for (size_t left = it->count; left > 0 && is_connected; left--) {
        ack *each = it->oldest;
        if (each->sent + REPEAT_NS > now && !is_new_connection) { break; }
        if (each->tries++ == TRIES_MOST) {
            forget(it, each);
            continue;
        }
        take_out(it, each);
        each->sent = now;
        append(it, each);
        send(it, each);
    }
    int64_t due = it->oldest == NULL ? INT64_MAX : is_connected ? it->oldest->sent + REPEAT_NS : now + REPEAT_NS;
    pthread_mutex_unlock(&it->lock);
    return due;
}

/* Another epoch: the server has none of the messages. */
void acks_reset(acks *it) {
    pthread_mutex_lock(&it->lock);
    while (it->oldest != NULL) { forget(it, it->oldest); }
    if (it->known != NULL) { known_clear(it->known); }
    pthread_mutex_unlock(&it->lock);
}

static void confirmed(natsConnection *connection, natsSubscription *subscription, natsMsg *message, void *closure) {
    (void)connection, (void)subscription;
    acks *it = closure;
    const char *subject = natsMsg_GetSubject(message);
    size_t stem = strlen(it->inbox);
    uint64_t number = strncmp(subject, it->inbox, stem) == 0 ? strtoull(subject + stem, NULL, 10) : 0;
    pthread_mutex_lock(&it->lock);
    ack *found = it->waiting[number % WAITING_MOST];
    if (found != NULL && found->number == number) { forget(it, found); }
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

void acks_close(acks *it) { natsSubscription_Destroy(it->inbox_of_answers); }

void acks_free(acks *it) {
    if (it == NULL) { return; }
    while (it->oldest != NULL) { forget(it, it->oldest); }
    pthread_mutex_destroy(&it->lock);
    free(it->known), free(it->waiting), free(it);
}
