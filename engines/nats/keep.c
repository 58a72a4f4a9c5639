/* Packets on their way. libnats waits if the server reads nothing, so a caller gives it no more than it always has room
   for. The rest is kept, in its order, for the joins' thread. A mark that a join sends to itself comes back when the server
   has read what was before it. */
#include "joins.h"
#include "outbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MARK_EVERY = 16 << 10 };

struct kept_packet {
    struct kept_packet *next;
    char to[ADDRESS];
    size_t size;
    char bytes[];
};

/* Waits as long as libnats does. A packet that is lost here leaves a gap in the numbers, which the other end finds. */
static void publish(const join *from, const char *to, const char *bytes, size_t size) {
    engine *it = from->of;
    char subject[JOIN_SUBJECT], reply[JOIN_SUBJECT];
    snprintf(subject, sizeof subject, "%s.%s.%s", it->names.joins, to, from->address);
    snprintf(reply, sizeof reply, "%s.%s.%s", it->names.joins, from->address, to);
    natsConnection_PublishRequest(it->connection, subject, reply, bytes, (int)size);
}

static void note_sent(join *from, size_t size) {
    outbox_claim(from->of, size);
    from->unmarked += size;
}

static void mark(join *from) {
    if (from->has_mark || from->unmarked < MARK_EVERY) { return; }
    from->has_mark = true;
    from->unmarked = 0;
    packet what = {.type = PACKET_MARK, .place = outbox_claim(from->of, PACKET_HEAD)};
    packet_send(from, from->address, &what);
}

static void keep(join *from, const char *to, const char *head, size_t head_size, const packet *what) {
    kept_packet *one = malloc(sizeof *one + head_size + what->size);
    if (one == NULL) { return; } /* a gap, as above */
    one->next = NULL;
    one->size = head_size + what->size;
    snprintf(one->to, sizeof one->to, "%s", to);
    memcpy(one->bytes, head, head_size);
    if (what->size > 0) { memcpy(one->bytes + head_size, what->data, what->size); }
    *from->kept_end = one;
    from->kept_end = &one->next;
    from->kept_size += one->size;
}

void packet_send(join *from, const char *to, const packet *what) {
    char bytes[PACKET_HEAD + 12 + PACKET_MOST];
    size_t head = packet_write(what, bytes);
    if (from->of->connection == NULL) { return; }
    if (from->kept != NULL || from->is_writing || !outbox_has_room(from->of, head + what->size)) {
        keep(from, to, bytes, head, what);
        joins_wake(from->of->joins);
        return;
    }
    if (what->size > 0) { memcpy(bytes + head, what->data, what->size); }
    note_sent(from, head + what->size);
    publish(from, to, bytes, head + what->size);
    mark(from);
}

static kept_packet *take(join *from) {
    kept_packet *one = from->kept;
    from->kept = one->next;
    if (from->kept == NULL) { from->kept_end = &from->kept; }
    from->kept_size -= one->size;
    return one;
}

/* The lock is released while libnats is given a packet. */
static void write_first(joins *all, join *from) {
    kept_packet *one = take(from);
    note_sent(from, one->size);
    from->is_writing = true;
    from->users++;
    pthread_mutex_unlock(&all->lock);
    publish(from, one->to, one->bytes, one->size);
    free(one);
    pthread_mutex_lock(&all->lock);
    from->is_writing = false;
    mark(from);
    pthread_cond_broadcast(&all->changed);
    pthread_mutex_unlock(&all->lock);
    join_release(from);
    pthread_mutex_lock(&all->lock);
}

bool packets_write(joins *it) {
    join *from = it->first;
    while (from != NULL && from->kept == NULL) { from = from->next; }
    if (from != NULL) { write_first(it, from); }
    return from != NULL;
}

void packets_go_on(join *of, uint64_t place) {
    outbox_received(of->of, place);
    of->has_mark = false;
    mark(of);
}

static bool is_connected(engine *it) {
    pthread_mutex_lock(&it->lock);
    bool is = it->state == CTIE_CONNECTION_CONNECTED;
    pthread_mutex_unlock(&it->lock);
    return is;
}

/* A mark has to come back: closing a socket that has something to read drops what the system has not sent yet. */
void packets_flush(join *of, int64_t deadline) {
    joins *all = of->of->joins;
    struct timespec until = {deadline / 1000000000, deadline % 1000000000};
    if (!is_connected(of->of)) { return; }
    of->unmarked = MARK_EVERY;
    mark(of);
    while (of->kept != NULL || of->is_writing || of->has_mark || of->unmarked >= MARK_EVERY) {
        if (pthread_cond_timedwait(&all->changed, &all->lock, &until) != 0) { return; }
    }
}

void packets_clear(join *of) {
    for (kept_packet *one = of->kept, *next; one != NULL; one = next) {
        next = one->next;
        free(one);
    }
    of->kept = NULL, of->kept_end = &of->kept;
    of->kept_size = of->unmarked = 0;
    of->has_mark = false;
}
