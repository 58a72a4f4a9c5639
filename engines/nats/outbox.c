#include "shipping.h"

#include <stdlib.h>

/* So many bytes always have room in libnats's buffer and that of the socket. */
enum { ROOM = 64 << 10, OVERHEAD = 512 };

outbox *outbox_new(void) {
    outbox *made = calloc(1, sizeof *made);
    if (made == NULL) { return NULL; }
    pthread_cond_init(&made->changed, NULL);
    pthread_mutex_init(&made->lock, NULL);
    made->end = &made->first;
    return made;
}

void outbox_free(outbox *it) {
    if (it == NULL) { return; }
    pthread_cond_destroy(&it->changed);
    pthread_mutex_destroy(&it->lock);
    free(it);
}

/* ---- How much is on the way ---------------------------------------------------------------------- */

uint64_t outbox_claim(engine *it, size_t size) {
    return atomic_fetch_add(&it->outbox->sent, size + OVERHEAD) + size + OVERHEAD;
}

uint64_t outbox_place(engine *it, natsMsg *message) {
    int size = natsMsg_GetDataLength(message);
    return outbox_claim(it, size > 0 ? (size_t)size : 0);
}

void outbox_received(engine *it, uint64_t place) {
    uint64_t received = atomic_load(&it->outbox->received);
    if (place > atomic_load(&it->outbox->sent)) { return; } /* a stranger's */
    while (received < place && !atomic_compare_exchange_weak(&it->outbox->received, &received, place)) {}
}

void outbox_lost(engine *it) { outbox_received(it, atomic_load(&it->outbox->sent)); }

bool shipping_has_room(const outbox *in, uint64_t place) { return place <= atomic_load(&in->received) + ROOM; }

bool outbox_is_clear(engine *it) { return shipping_has_room(it->outbox, atomic_load(&it->outbox->sent)); }

bool outbox_has_room(engine *it, size_t size) {
    return shipping_has_room(it->outbox, atomic_load(&it->outbox->sent) + size + OVERHEAD);
}

/* ---- The thread ---------------------------------------------------------------------------------- */

static void publish_next(outbox *in) {
    job *one = in->first;
    shipment *of = one->of;
    in->first = one->next;
    if (in->first == NULL) { in->end = &in->first; }
    of->queued--;
    of->is_busy = true;
    bool is_over = of->is_over;
    pthread_mutex_unlock(&in->lock);
    (is_over ? shipment_drop : shipment_publish)(of, one->message, one->number);
    free(one);
    pthread_mutex_lock(&in->lock);
    of->is_busy = false;
    shipment_unref(of);
}

static void *run(void *data) {
    outbox *in = ((engine *)data)->outbox;
    pthread_mutex_lock(&in->lock);
    while (!in->is_over) {
        if (in->first != NULL) { publish_next(in); } else { pthread_cond_wait(&in->changed, &in->lock); }
    }
    pthread_mutex_unlock(&in->lock);
    return NULL;
}

bool outbox_wake(engine *it) {
    outbox *in = it->outbox;
    if (!in->is_running && !in->is_over) { in->is_running = pthread_create(&in->thread, NULL, run, it) == 0; }
    pthread_cond_signal(&in->changed);
    return in->is_running && !in->is_over;
}

void outbox_end(engine *it) {
    outbox *in = it->outbox;
    pthread_mutex_lock(&in->lock);
    in->is_over = true;
    bool is_running = in->is_running;
    pthread_cond_signal(&in->changed);
    pthread_mutex_unlock(&in->lock);
    if (is_running) { pthread_join(in->thread, NULL); }
}
