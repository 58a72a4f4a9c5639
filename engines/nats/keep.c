/* Packets on their way. libnats waits if the server reads nothing, so no more is given to it than there is always room for.
   The rest is kept here. A mark that a join sends to itself comes back when the server has read what was before it. */
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

static void publish(join *from, const char *to, const char *bytes, size_t size) {
    engine *it = from->of;
    char subject[JOIN_SUBJECT], reply[JOIN_SUBJECT];
    snprintf(subject, sizeof subject, "%s.%s.%s", it->names.joins, to, from->address);
    snprintf(reply, sizeof reply, "%s.%s.%s", it->names.joins, from->address, to);
    outbox_claim(it, size);
    from->unmarked += size;
    /* A packet that is lost here leaves a gap in the numbers, which the other end finds. */
    natsConnection_PublishRequest(it->connection, subject, reply, bytes, (int)size);
}

/* A mark's return has the kept packets go on, so while there are any one is on its way. */
static void mark(join *from) {
    char bytes[PACKET_HEAD + 12];
    if (from->has_mark || (from->unmarked < MARK_EVERY && from->kept == NULL)) { return; }
    packet what = {.type = PACKET_MARK, .place = outbox_claim(from->of, sizeof bytes)};
    from->has_mark = true;
    from->unmarked = 0;
    publish(from, from->address, bytes, packet_write(&what, bytes));
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
    if (from->kept != NULL || !outbox_has_room(from->of, head + what->size)) {
        keep(from, to, bytes, head, what);
    } else {
        if (what->size > 0) { memcpy(bytes + head, what->data, what->size); }
        publish(from, to, bytes, head + what->size);
    }
    mark(from);
}

void packets_go_on(join *of, uint64_t place) {
    outbox_received(of->of, place);
    of->has_mark = false;
    while (of->kept != NULL && outbox_has_room(of->of, of->kept->size)) {
        kept_packet *one = of->kept;
        of->kept = one->next;
        if (of->kept == NULL) { of->kept_end = &of->kept; }
        of->kept_size -= one->size;
        publish(of, one->to, one->bytes, one->size);
        free(one);
    }
    mark(of);
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
