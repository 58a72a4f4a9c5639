/*
 * One message to eight processes, or to one: the time until the last of them has received it. All of them sleep when it is
 * sent.
 */
#ifndef BENCH_FAN_H
#define BENCH_FAN_H

#include "futex.h"
#include "processes.h"

enum { FAN_WIDTH = 8, FAN_WARMUP = 50, FAN_ROUNDS = 1000 };

/* One measurement: its name, the number of receivers, the pause before each message, and the core of the receivers. */
typedef struct fan_kind {
    const char *mode, *work;
    int width, nap_us, core;
} fan_kind;

/* Paused: the receiver sleeps as deep as it does where messages are rare. */
static const fan_kind FANS[] = {
    {"eight", "fan", FAN_WIDTH, 100, ANY_CORE},
    {"paused-one", "paused.one", 1, 1000, 0},
    {"paused-two", "paused.two", 1, 1000, 1},
};

static inline const fan_kind *fan_of(const char *mode) {
    for (size_t i = 0; i < sizeof FANS / sizeof *FANS; i++) {
        if (strcmp(FANS[i].mode, mode) == 0) return &FANS[i];
    }
    return NULL;
}

/* The state that the processes share: when each has received the message, and how many have not yet. */
typedef struct fan {
    fan_kind kind;
    uint32_t left, over;
    double received[FAN_WIDTH];
} fan;

/* In a receiver: it has received the message of this round. */
static inline void fan_receive(fan *self, int receiver) {
    self->received[receiver] = now_ns();
    if (__atomic_sub_fetch(&self->left, 1, __ATOMIC_SEQ_CST) == 0) wake_all(&self->over);
}

/* Sends one message; returns the time until the last receiver has got it. */
static inline double fan_round(fan *self, void (*notify)(void *end), void *end) {
    uint32_t seen = self->over;
    double last = 0;
    __atomic_store_n(&self->left, (uint32_t)self->kind.width, __ATOMIC_SEQ_CST);
    nap_us(self->kind.nap_us); /* until all of them sleep again */
    double begin = now_ns();
    notify(end);
    wait_past(&self->over, seen);
    for (int i = 0; i < self->kind.width; i++) last = self->received[i] > last ? self->received[i] : last;
    return last - begin;
}

static inline fan *fan_new(const fan_kind *kind) {
    fan *self = shared_memory(sizeof *self);
    self->kind = *kind;
    if (kind->core != ANY_CORE) run_on_core(0);
    return self;
}

static inline void fan_measure(fan *self, const char *who, void (*notify)(void *end), void *end) {
    double figures[FAN_ROUNDS];
    for (int round = 0; round < FAN_WARMUP; round++) fan_round(self, notify, end);
    for (int round = 0; round < FAN_ROUNDS; round++) figures[round] = fan_round(self, notify, end);
    report(self->kind.work, who, median(figures, FAN_ROUNDS));
}

#endif
