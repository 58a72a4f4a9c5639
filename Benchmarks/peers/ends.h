/* Carriers whose ends are file descriptors: a pair of them between this process and each receiver. */
#ifndef BENCH_ENDS_H
#define BENCH_ENDS_H

#include "carrier.h"

/* Makes a pair: what this process writes into and reads from, and what the receiver does. */
typedef void (*make_ends_fn)(int ours[2], int theirs[2]);

typedef struct ends {
    int reads, *writes;
    int targets;
} ends;

static int ours_in[FAN_WIDTH], ours_out[FAN_WIDTH], theirs_in[FAN_WIDTH], theirs_out[FAN_WIDTH];
static int ends_width;

/* Index 0 reads, 1 writes. */
static inline void ends_prepare(make_ends_fn make, int receivers) {
    ends_width = receivers;
    for (int i = 0; i < receivers; i++) {
        int ours[2], theirs[2];
        make(ours, theirs);
        ours_in[i] = ours[0], ours_out[i] = ours[1];
        theirs_in[i] = theirs[0], theirs_out[i] = theirs[1];
    }
}

static inline void *ends_open(const char *place, int end) {
    static ends self;
    (void)place;
    self = end == 0 ? (ends){ours_in[0], ours_out, ends_width} : (ends){theirs_in[end - 1], theirs_out + end - 1, 1};
    return &self;
}

static inline void ends_notify(void *data) {
    static const char message[MESSAGE_SIZE];
    ends *self = data;
    for (int i = 0; i < self->targets; i++) {
        require(write(self->writes[i], message, sizeof message) == sizeof message, "write");
    }
}

static inline void ends_receive(void *data) {
    char message[MESSAGE_SIZE];
    require(read(((ends *)data)->reads, message, sizeof message) == sizeof message, "read");
}

#endif
