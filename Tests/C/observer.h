/*
 * A process that watches a group while others are killed in it: it reads one identifier over and over, listens to it in
 * state and in queue delivery, and sends messages of its own on command.
 */
#ifndef OBSERVER_H
#define OBSERVER_H

#include "group.h"
#include "sealed.h"

#define WATCHED CTIE_STR("watched")

struct observer {
    pid_t pid;
    uint32_t flags;              /* of the group, as in ctie_wormhole_options */
    _Atomic uint64_t reads;      /* how often it has read */
    _Atomic int64_t stored;      /* what it read last */
    _Atomic int64_t received;       /* the last message of its state listener */
    _Atomic int64_t received_at;    /* by now_ns() */
    _Atomic int64_t queued;      /* the last message of its queue listener */
    _Atomic int gaps;            /* calls of that with another number than the next one */
    _Atomic int torn;            /* values that were not whole, reads and calls together */
    _Atomic int went_back;       /* calls with an older message after a newer one */
    _Atomic int failures;        /* of its own passings */
    _Atomic int64_t stalest_ns;  /* from a passing to the listener's call, at most */
    _Atomic int64_t blocked_ns;  /* its own longest passing */
    _Atomic uint64_t passes;     /* how many it has made */
    _Atomic int shall_pass;      /* passes all the time, with short naps */
    _Atomic int shall_end;
    _Atomic int calls;           /* of the listener */
    uint64_t sequence, queue_sequence;
};

static inline void raise_to(_Atomic int64_t *highest, int64_t value) {
    if (value > *highest) *highest = value;
}

static inline void observer_receive(const ctie_message *message, void *user_data) {
    struct observer *it = user_data;
    int64_t number = unsealed(ctie_message_value(message));
    uint64_t sequence = ctie_message_sequence(message);
    if (number == -2 || ctie_message_status(message) != CTIE_OK) it->torn++;
    if (sequence != 0 && sequence <= it->sequence) it->went_back++;
    it->sequence = sequence;
    /* The first call tells what was there before. */
    if (it->calls++ > 0) raise_to(&it->stalest_ns, clock_ns(CLOCK_REALTIME) - ctie_message_time(message));
    it->received_at = now_ns();
    it->received = number;
}

static inline void observer_receive_queue(const ctie_message *message, void *user_data) {
    struct observer *it = user_data;
    int64_t number = unsealed(ctie_message_value(message));
    uint64_t sequence = ctie_message_sequence(message);
    if (number < 0 || ctie_message_status(message) != CTIE_OK) it->torn++;
    if (sequence <= it->queue_sequence) it->went_back++;
    if (number != it->queued + 1) it->gaps++;
    it->queue_sequence = sequence;
    it->queued = number;
}

static inline void observer_read(struct observer *it, ctie_wormhole *wormhole) {
    ctie_message *message = NULL;
    ctie_status status = ctie_wormhole_message(wormhole, WATCHED, &message, NULL);
    int64_t number = unsealed(ctie_message_value(message));
    if (number == -2 || (status != CTIE_OK && status != CTIE_E_NOT_FOUND)) it->torn++;
    ctie_message_release(message);
    it->stored = number;
    it->reads++;
}

static inline void observer_pass(struct observer *it, ctie_wormhole *wormhole) {
    int64_t begin = now_ns();
    if (pass_int(wormhole, "rival", (int64_t)it->passes) != CTIE_OK) it->failures++;
    raise_to(&it->blocked_ns, now_ns() - begin);
    it->passes++;
}

static inline int observe(void *argument) {
    struct observer *it = argument;
    ctie_wormhole_options options = group_options(it->flags);
    options.timeout_ms = 60000;
    options.max_map_size = (uint64_t)1 << 30; /* nothing is dropped from the queue */
    ctie_wormhole *wormhole = open_group_with(&options);
    ctie_listen_options queue = CTIE_LISTEN_OPTIONS_INIT;
    queue.flags = CTIE_LISTEN_QUEUE;
    CHECK_STATUS(ctie_wormhole_listen(wormhole, WATCHED, CTIE_RECEIVER(observer_receive_queue, it), &queue, NULL, NULL),
                 CTIE_OK);
    CHECK_STATUS(ctie_wormhole_listen(wormhole, WATCHED, CTIE_RECEIVER(observer_receive, it), NULL, NULL, NULL), CTIE_OK);
    while (!it->shall_end) {
        observer_read(it, wormhole);
        if (it->shall_pass) observer_pass(it, wormhole);
        nap_ns(100000);
    }
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

/** Starts an observer, which has the group open when this returns. */
static inline struct observer *observer_start(uint32_t flags) {
    struct observer *it = share(sizeof *it);
    it->flags = flags;
    it->stored = it->received = it->queued = -1;
    it->pid = start_child(observe, it);
    AWAIT(it->reads > 0 && it->calls > 0);
    return it;
}

/** The current message as the observer sees it: read twice from here on. */
static inline int64_t observer_look(struct observer *it) {
    uint64_t reads = it->reads;
    AWAIT(it->reads >= reads + 2);
    return it->stored;
}

/** Has the observer pass once more than it has until now. */
static inline void observer_try(struct observer *it) {
    uint64_t passes = it->passes;
    it->shall_pass = 1;
    AWAIT(it->passes > passes);
    it->shall_pass = 0;
}

static inline void observer_end(struct observer *it) {
    it->shall_end = 1;
    CHECK(end_of_child(it->pid) == 0);
    CHECK(it->torn == 0);
    CHECK(it->went_back == 0);
    CHECK(it->failures == 0);
    munmap(it, sizeof *it);
}

#endif
