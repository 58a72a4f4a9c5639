/* Listeners in loops and on workers: binding them, and waiting for their messages. */
#ifndef LISTENING_H
#define LISTENING_H

#include "group.h"

#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>

/** Options of a listener in a loop. */
static inline ctie_listen_options in_loop(ctie_loop *loop) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.loop = loop;
    return options;
}

/** Options of a listener on workers of a dispatcher; NULL for the bus's default one. */
static inline ctie_listen_options on_workers(ctie_bus *bus, const char *dispatcher) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.bus = bus;
    if (dispatcher != NULL) { options.dispatcher = ctie_str_from(dispatcher); }
    return options;
}

/** Binds `fn` with its ear; gives the status. */
static inline ctie_status listen_with(ctie_wormhole *wormhole, const char *identifier, ctie_receiver_fn fn,
                                      struct ear *ear, const ctie_listen_options *options) {
    ear->wormhole = wormhole;
    return ctie_wormhole_listen(wormhole, ctie_str_from(identifier), CTIE_RECEIVER_OWNED(fn, ear, forget), options,
                                &ear->listener, NULL);
}

/** Waits until the descriptor is readable; false where it takes longer than a watchdog allows. */
static inline bool readable(int32_t fd) {
    struct pollfd one = {fd, POLLIN, 0};
    return poll(&one, 1, 60000) == 1 && (one.revents & POLLIN) != 0;
}

static inline bool is_idle(int32_t fd) {
    struct pollfd one = {fd, POLLIN, 0};
    return poll(&one, 1, 0) == 0;
}

static inline int32_t fd_of(ctie_loop *loop) {
    int32_t fd = -1;
    CHECK_STATUS(ctie_loop_fd(loop, &fd), CTIE_OK);
    return fd;
}

/** Dispatches when something is due; gives how many listeners were looked after. */
static inline size_t dispatch_next(ctie_loop *loop) {
    size_t count = 0;
    CHECK(readable(fd_of(loop)));
    CHECK_STATUS(ctie_loop_dispatch(loop, &count), CTIE_OK);
    return count;
}

/** Dispatches a loop until `condition` holds. */
#define DISPATCH_UNTIL(loop, condition) \
    do { \
        while (!(condition) && readable(fd_of(loop))) { CHECK_STATUS(ctie_loop_dispatch(loop, NULL), CTIE_OK); } \
        CHECK(condition); \
    } while (0)

/* ---- What listeners do to themselves; `status` tells what came of it -------------------------------------- */

static inline void remove_self(const ctie_message *message, void *user_data) {
    struct ear *ear = user_data;
    (void)message;
    ear->status = ctie_listener_release(ear->listener);
    ear->calls++;
}

static inline void close_self(const ctie_message *message, void *user_data) {
    struct ear *ear = user_data;
    (void)message;
    ear->status = ctie_wormhole_release(ear->wormhole);
    ear->calls++;
}

/** A listener that blocks until it is released. */
struct gate {
    struct ear ear;
    latch entered, open;
    int needed; /**< how often it has to be opened */
};

#define GATE_OF_LISTENER_INIT {{0}, LATCH_INIT, LATCH_INIT, 1}

static inline void receive_behind_gate(const ctie_message *message, void *user_data) {
    struct gate *gate = user_data;
    latch_add(&gate->entered);
    latch_wait(&gate->open, gate->needed);
    receive(message, &gate->ear);
}

#endif
