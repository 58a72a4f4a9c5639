/*
 * A carrier of messages between processes, and its measurements: to a listener and back on two cores or on one, to
 * eight listeners, and to one that has slept.
 */
#ifndef BENCH_CARRIER_H
#define BENCH_CARRIER_H

#include "../c/fan.h"
#include "../c/pair.h"

/* End 0 is this process; the others, from 1 on, are the receivers. */
typedef struct carrier {
    const char *name;
    void (*prepare)(const char *place, int receivers); /* before there are other processes; may be NULL */
    void *(*open)(const char *place, int end);         /* connects; a message sent afterwards reaches it */
    void (*notify)(void *self);                          /* 64 bytes: from end 0 to all others, from those to end 0 */
    void (*receive)(void *self);                          /* waits for a message and reads it */
} carrier;

typedef struct receiver {
    const carrier *by;
    const char *place;
    fan *shared;
    int end;
} receiver;

/* The names that a receiver listens to and sends to, if a carrier has names for that. */
static inline const char *channel_in(int end) { return end == 0 ? "pong" : "ping"; }
static inline const char *channel_out(int end) { return end == 0 ? "ping" : "pong"; }

static inline void carrier_echo(void *context) {
    receiver *self = context;
    void *end = self->by->open(self->place, self->end);
    for (say_ready();; self->by->notify(end)) self->by->receive(end);
}

static inline void carrier_listen(void *context) {
    receiver *self = context;
    void *end = self->by->open(self->place, self->end);
    for (say_ready();; fan_receive(self->shared, self->end - 1)) self->by->receive(end);
}

static inline void carrier_pair(const carrier *by, const char *place, int cores) {
    receiver other = {by, place, NULL, 1};
    if (by->prepare != NULL) by->prepare(place, 1);
    pid_t child = start_process(cores - 1, carrier_echo, &other);
    run_on_core(0);
    void *end = by->open(place, 0);
    pair_rounds rounds = pair_begin();
    for (; pair_next(&rounds); by->receive(end)) by->notify(end);
    pair_report(&rounds, cores, by->name);
    end_process(child);
}

static inline void carrier_fan(const carrier *by, const char *place, const fan_kind *kind) {
    pid_t child[FAN_WIDTH];
    fan *shared = fan_new(kind);
    if (by->prepare != NULL) by->prepare(place, kind->width);
    for (int i = 0; i < kind->width; i++) {
        receiver other = {by, place, shared, i + 1};
        child[i] = start_process(kind->core, carrier_listen, &other);
    }
    fan_measure(shared, by->name, by->notify, by->open(place, 0));
    for (int i = 0; i < kind->width; i++) end_process(child[i]);
}

/* The program of a carrier: `<program> <place> one|two|<kind of fan>`. */
static inline int carrier_main(int argc, char **argv, const carrier *by) {
    require(argc == 3, "usage: <program> <place> one|two|<kind of fan>");
    const fan_kind *kind = fan_of(argv[2]);
    if (kind != NULL) carrier_fan(by, argv[1], kind);
    else carrier_pair(by, argv[1], strcmp(argv[2], "one") == 0 ? 1 : 2);
    return 0;
}

#endif
