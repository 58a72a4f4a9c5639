/*
 * One message to eight processes: the time until the last of them has received it. All of them sleep when it is sent.
 */
#ifndef BENCH_FAN_H
#define BENCH_FAN_H

#include "futex.h"
#include "processes.h"

enum { FAN_WIDTH = 8, FAN_WARMUP = 50, FAN_ROUNDS = 1000, FAN_NAP_US = 100 };

/* The state that the processes share: when each has received the message, and how many have not yet. */
typedef struct fan {
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
    __atomic_store_n(&self->left, FAN_WIDTH, __ATOMIC_SEQ_CST);
    nap_us(FAN_NAP_US); /* until all of them sleep again */
    double begin = now_ns();
    notify(end);
    wait_past(&self->over, seen);
    for (int i = 0; i < FAN_WIDTH; i++) last = self->received[i] > last ? self->received[i] : last;
    return last - begin;
}

static inline void fan_measure(fan *self, const char *who, void (*notify)(void *end), void *end) {
    double figures[FAN_ROUNDS];
    for (int round = 0; round < FAN_WARMUP; round++) fan_round(self, notify, end);
    for (int round = 0; round < FAN_ROUNDS; round++) figures[round] = fan_round(self, notify, end);
    report("fan", who, median(figures, FAN_ROUNDS));
}

#endif
