/* Acknowledgements. The server confirms each; what it has not confirmed is repeated, also after a reconnect, so that no
   message comes again because its acknowledgement was lost. */
#include "acks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES_MOST = 30 }; /* then nobody answers: the consumer was forgotten */

#define REPEAT_NS ((int64_t)1000000000)

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

void acks_forget(acks *it, ack *which) {
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

bool acks_has(acks *it, consumer_id of, uint64_t in_stream) {
    pthread_mutex_lock(&it->lock);
    bool has = known_has(it->known, of, in_stream);
    pthread_mutex_unlock(&it->lock);
    return has;
}

void acks_drop(acks *it, const char *consumer) {
    pthread_mutex_lock(&it->lock);
    for (ack *each = it->oldest, *next; each != NULL; each = next) {
        place at;
        next = each->newer;
        if (place_read(each->reply, &at) && strcmp(at.consumer, consumer) == 0) { acks_forget(it, each); }
    }
    pthread_mutex_unlock(&it->lock);
}

/* ---- The functions --------------------------------------------------------------------------------- */

void acks_add(acks *it, consumer_id of, uint64_t in_stream, const char *reply) {
    size_t size = strlen(reply) + 1;
    pthread_mutex_lock(&it->lock);
    known_add(it->known, of, in_stream);
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
            acks_forget(it, each);
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
    while (it->oldest != NULL) { acks_forget(it, it->oldest); }
    if (it->known != NULL) { known_clear(it->known); }
    pthread_mutex_unlock(&it->lock);
}

/* ---- Memory ---------------------------------------------------------------------------------------- */

acks *acks_new(bindings *of) {
    acks *it = calloc(1, sizeof *it);
    if (it == NULL) { return NULL; }
    it->of = of;
    pthread_mutex_init(&it->lock, NULL);
    return it;
}

void acks_free(acks *it) {
    if (it == NULL) { return; }
    while (it->oldest != NULL) { acks_forget(it, it->oldest); }
    pthread_mutex_destroy(&it->lock);
    free(it->known), free(it->waiting), free(it);
}
