#include "outbox.h"
#include "problem.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* So many bytes always have room in libnats's buffer and that of the socket. */
enum { ROOM = 64 << 10, OVERHEAD = 512 };

typedef enum { IS_QUEUED, IS_TAKEN, IS_DONE, IS_LEFT } job_state;

typedef struct job {
    struct job *next;
    natsMsg *message; /* owned */
    job_state state;
    natsStatus status;
    char words[200];
} job;

struct outbox {
    _Atomic uint64_t sent, received; /* bytes, since the begin */
    pthread_mutex_t lock;
    pthread_cond_t changed; /* CLOCK_MONOTONIC */
    job *first, **end;
    pthread_t thread;
    bool is_running, is_over;
};

outbox *outbox_new(void) {
    outbox *made = calloc(1, sizeof *made);
    pthread_condattr_t attributes;
    if (made == NULL) { return NULL; }
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&made->changed, &attributes);
    pthread_condattr_destroy(&attributes);
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

static bool has_room(outbox *in, uint64_t place) { return place <= atomic_load(&in->received) + ROOM; }

bool outbox_is_clear(engine *it) { return has_room(it->outbox, atomic_load(&it->outbox->sent)); }

bool outbox_has_room(engine *it, size_t size) {
    return has_room(it->outbox, atomic_load(&it->outbox->sent) + size + OVERHEAD);
}

/* ---- The thread ---------------------------------------------------------------------------------- */

static job *take(outbox *in) {
    job *one = in->first;
    in->first = one->next;
    if (in->first == NULL) { in->end = &in->first; }
    one->state = IS_TAKEN;
    return one;
}

static void *run(void *data) {
    engine *it = data;
    outbox *in = it->outbox;
    pthread_mutex_lock(&in->lock);
    while (!in->is_over) {
        if (in->first == NULL) {
            pthread_cond_wait(&in->changed, &in->lock);
            continue;
        }
        job *one = take(in);
        pthread_mutex_unlock(&in->lock);
        one->status = natsConnection_PublishMsg(it->connection, one->message);
        if (one->status != NATS_OK) { strncpy(one->words, words_of_nats(one->status), sizeof one->words - 1); }
        natsMsg_Destroy(one->message);
        pthread_mutex_lock(&in->lock);
        if (one->state == IS_LEFT) { free(one); } else { one->state = IS_DONE; }
        pthread_cond_broadcast(&in->changed);
    }
    pthread_mutex_unlock(&in->lock);
    return NULL;
}

/* With the lock. */
static bool has_thread(engine *it) {
    outbox *in = it->outbox;
    if (!in->is_running && !in->is_over) { in->is_running = pthread_create(&in->thread, NULL, run, it) == 0; }
    return in->is_running && !in->is_over;
}

void outbox_end(engine *it) {
    outbox *in = it->outbox;
    pthread_mutex_lock(&in->lock);
    in->is_over = true;
    bool is_running = in->is_running;
    pthread_cond_broadcast(&in->changed);
    pthread_mutex_unlock(&in->lock);
    if (is_running) { pthread_join(in->thread, NULL); }
}

/* ---- Sending ------------------------------------------------------------------------------------- */

static ctie_status conclude(engine *it, natsStatus status, const char *words, int size) {
    switch (status) {
    case NATS_OK: return CTIE_OK;
    case NATS_MAX_PAYLOAD:
        return fail(it, CTIE_E_LIMIT, "%d bytes with their headers are too many for the server: %s", size, words);
    case NATS_IO_ERROR: case NATS_TIMEOUT: case NATS_SSL_ERROR:
        return fail(it, CTIE_E_UNCERTAIN, "the connection broke while sending");
    default: return fail(it, CTIE_E_UNAVAILABLE, "sending to the server: %s", words);
    }
}

static void remove_job(outbox *in, job *one) {
    job **at = &in->first;
    while (*at != NULL && *at != one) { at = &(*at)->next; }
    if (*at == NULL) { return; }
    *at = one->next;
    if (one->next == NULL) { in->end = at; }
}

/* Waits until the thread has published the message. */
static ctie_status await(engine *it, job *one, int size, int64_t deadline) {
    outbox *in = it->outbox;
    struct timespec until = {deadline / 1000000000, deadline % 1000000000};
    while (one->state != IS_DONE && !in->is_over) {
        if (pthread_cond_timedwait(&in->changed, &in->lock, &until) != 0) { break; }
    }
    job_state state = one->state;
    if (state == IS_QUEUED) { remove_job(in, one); }
    if (state == IS_TAKEN) { one->state = IS_LEFT; }
    pthread_mutex_unlock(&in->lock);
    if (state == IS_TAKEN) { return fail(it, CTIE_E_UNCERTAIN, "the server reads nothing"); }
    ctie_status status = state == IS_DONE ? conclude(it, one->status, one->words, size)
                                          : fail(it, CTIE_E_UNAVAILABLE, "the server reads nothing");
    if (state == IS_QUEUED) { natsMsg_Destroy(one->message); }
    free(one);
    return status;
}

static ctie_status send_by_thread(engine *it, natsMsg *message, int size, int64_t deadline) {
    outbox *in = it->outbox;
    job *one = calloc(1, sizeof *one);
    if (one == NULL) {
        natsMsg_Destroy(message);
        return fail(it, CTIE_E_NO_MEMORY, "a request");
    }
    one->message = message;
    pthread_mutex_lock(&in->lock);
    if (!has_thread(it)) {
        pthread_mutex_unlock(&in->lock);
        natsMsg_Destroy(message);
        free(one);
        return fail(it, CTIE_E_SYSTEM, "no thread to send");
    }
    *in->end = one;
    in->end = &one->next;
    pthread_cond_broadcast(&in->changed);
    return await(it, one, size, deadline);
}

ctie_status outbox_send(engine *it, natsMsg *message, uint64_t place, int64_t deadline) {
    int size = natsMsg_GetDataLength(message);
    if (!has_room(it->outbox, place)) { return send_by_thread(it, message, size, deadline); }
    natsStatus status = natsConnection_PublishMsg(it->connection, message);
    natsMsg_Destroy(message);
    return conclude(it, status, status != NATS_OK ? words_of_nats(status) : "", size);
}
