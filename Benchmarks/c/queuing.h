/*
 * The cost of sending and claiming in a queue of constant length: for each message that a durable listener has handled
 * it sends another one.
 */
#ifndef BENCH_QUEUING_H
#define BENCH_QUEUING_H

#include "growing.h"

#include <semaphore.h>

/* Some work is done for every 32nd message only, so messages are counted in lots of as many. */
enum { QUEUING_WARMUP = 64, QUEUING_LOT = 32, QUEUING_LOTS = 50, QUEUING_ROUNDS = QUEUING_LOT * QUEUING_LOTS };

typedef struct queuing {
    ctie_wormhole *wormhole;
    ctie_str identifier;
    int count;
    double returned; /* when the last call of the listener returned */
    double passing[QUEUING_ROUNDS], claiming[QUEUING_ROUNDS];
    sem_t done;
} queuing;

/* The time from return to call is that of acknowledging one message and claiming the next one. */
static void queuing_receive(const ctie_message *message, void *user_data) {
    queuing *self = user_data;
    double called = now_ns();
    (void)message;
    int round = self->count++ - QUEUING_WARMUP;
    if (round >= QUEUING_ROUNDS) return;
    pass_small(self->wormhole, self->identifier);
    double passed = now_ns();
    if (round >= 0) {
        self->passing[round] = passed - called;
        self->claiming[round] = called - self->returned;
    }
    if (round == QUEUING_ROUNDS - 1) sem_post(&self->done);
    self->returned = now_ns();
}

/* The median of all lots, for each message. */
static inline double queuing_figure(const double *rounds) {
    double lots[QUEUING_LOTS] = {0};
    for (int i = 0; i < QUEUING_ROUNDS; i++) lots[i / QUEUING_LOT] += rounds[i] / QUEUING_LOT;
    return median(lots, QUEUING_LOTS);
}

/* Reports passing and claiming under these names; at least one message waits for the durable consumer. */
static inline void queuing_measure(ctie_wormhole *wormhole, ctie_str identifier, ctie_str name, const char *passing,
                                   const char *claiming, int place) {
    queuing *self = calloc(1, sizeof *self);
    ctie_listener *listener = NULL;
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    require(self != NULL, "calloc");
    self->wormhole = wormhole;
    self->identifier = identifier;
    sem_init(&self->done, 0, 0);
    options.name = name;
    options.flags = CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE;
    options.max_unacknowledged = 1;
    check(ctie_wormhole_listen(wormhole, identifier, CTIE_RECEIVER(queuing_receive, self), &options, &listener, NULL));
    sem_wait(&self->done);
    check(ctie_listener_release(listener));
    report_at(passing, place, "crosstie", queuing_figure(self->passing));
    report_at(claiming, place, "crosstie", queuing_figure(self->claiming));
    sem_destroy(&self->done);
    free(self);
}

#endif
