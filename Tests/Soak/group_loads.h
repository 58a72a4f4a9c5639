/* Loads on a group that two processes have open: states, queues, listeners, and wormholes that come and go. */
#ifndef GROUP_LOADS_H
#define GROUP_LOADS_H

#include "loads.h"

enum { AHEAD = 1000, BATCH = 16, STORE_SIZE = 4 << 20 }; /* AHEAD: the number of messages that a sender may be before
                                                            its receiver */

/* It is small, and keeps more than the senders can be ahead. */
static ctie_wormhole *open_store(void) {
    ctie_wormhole_options options = group_options(0);
    options.map_size = options.max_map_size = STORE_SIZE;
    options.max_queued = 8 * AHEAD;
    options.timeout_ms = 60000;
    return open_group_with(&options);
}

/* ---- Passing ------------------------------------------------------------------------------------- */

static void load_states(loader *self) {
    ctie_message *message = NULL;
    ctie_value *identifiers = NULL, *members = NULL;
    ctie_error *error = NULL;
    ctie_str identifier = TEXT("state.%s.%d", self->name, rand_r(&self->seed) % 8);
    CHECK_STATUS(ctie_wormhole_send(group, identifier, mixed_value(rand_r(&self->seed)), NULL, NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_message(group, identifier, &message, NULL), CTIE_OK);
    CHECK(ctie_value_count(ctie_message_value(message)) == 2);
    ctie_message_release(message);
    CHECK_STATUS(ctie_wormhole_signal(group, identifier, NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_identifiers(group, CTIE_STR("state.*"), &identifiers, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_members(group, &members, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_destroy(group, identifier, NULL, NULL, NULL), CTIE_OK);
    EXPECT_ERROR(ctie_wormhole_message(group, identifier, &message, &error), error, CTIE_E_NOT_FOUND);
    ctie_value_release(identifiers);
    ctie_value_release(members);
}

/* Each process receives by a durable consumer what the other one sends under "from.<side>". */
static void receive_the_other(const ctie_message *message, void *user_data) {
    (void)user_data;
    if (ctie_message_kind(message) == CTIE_MESSAGE_MISSED) shared->missed++;
    if (ctie_message_kind(message) == CTIE_MESSAGE_VALUE) shared->received[1 - side]++;
}

static void receive_the_other_durably(void) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.name = CTIE_STR("worker");
    options.flags = CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE;
    CHECK_STATUS(ctie_wormhole_listen(group, TEXT("from.%d", 1 - side), CTIE_RECEIVER(receive_the_other, NULL), &options,
                                      NULL, NULL), CTIE_OK);
}

static void load_queues(loader *self) {
    ctie_str identifier = TEXT("from.%d", side);
    ctie_outgoing batch[BATCH];
    AWAIT(shared->passed[side] - shared->received[side] < AHEAD);
    for (int i = 0; i < BATCH; i++) {
        CHECK_STATUS(ctie_wormhole_send(group, identifier, mixed_value(i), NULL, NULL, NULL, NULL), CTIE_OK);
        batch[i] = (ctie_outgoing){identifier, mixed_value(rand_r(&self->seed))};
    }
    CHECK_STATUS(ctie_wormhole_send_many(group, batch, BATCH, NULL, NULL, NULL), CTIE_OK);
    shared->passed[side] += 2 * BATCH;
}

/* ---- Listening ----------------------------------------------------------------------------------- */

static void receive_and_keep(const ctie_message *message, void *user_data) {
    struct ear *ear = user_data;
    ctie_message *kept = ctie_message_retain(message);
    CHECK_STATUS(ctie_message_acknowledge(kept), CTIE_OK);
    ctie_message_release(kept);
    ear->calls++;
}

/* Binds a queue, sends a message, receives and acknowledges it, and leaves. */
static void listen_once(loader *self, ctie_listen_options options) {
    struct ear ear = {0};
    options.flags |= CTIE_LISTEN_QUEUE | CTIE_LISTEN_MANUAL;
    ctie_str identifier = TEXT("own.%s", self->name);
    CHECK_STATUS(listen_with(group, identifier.data, receive_and_keep, &ear, &options), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_send(group, identifier, mixed_value(1), NULL, NULL, NULL, NULL), CTIE_OK);
    if (options.loop != NULL) DISPATCH_UNTIL(options.loop, ear.calls == 1);
    AWAIT(ear.calls == 1);
    CHECK_STATUS(ctie_listener_release(ear.listener), CTIE_OK);
    CHECK(ear.destroyed == 1);
}

static void count_call(const ctie_message *message, void *user_data) {
    (void)message;
    ((struct ear *)user_data)->calls++;
}

static void load_listeners(loader *self) {
    struct ear state = {0}, members = {0};
    ctie_loop *loop = NULL;
    CHECK_STATUS(ctie_loop_new(&loop, NULL), CTIE_OK);
    listen_once(self, (ctie_listen_options)CTIE_LISTEN_OPTIONS_INIT);
    listen_once(self, in_loop(loop));
    listen_once(self, on_workers(bus, NULL));
    CHECK_STATUS(ctie_loop_release(loop), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_listen(group, TEXT("own.%s", self->name),
                                      CTIE_RECEIVER_OWNED(count_call, &state, forget), NULL, &state.listener, NULL),
                 CTIE_OK);
    CHECK_STATUS(ctie_wormhole_listen_members(group, CTIE_RECEIVER_OWNED(count_call, &members, forget), NULL,
                                              &members.listener, NULL), CTIE_OK);
    AWAIT(state.calls > 0 && members.calls > 1);
    CHECK_STATUS(ctie_listener_release(state.listener), CTIE_OK);
    CHECK_STATUS(ctie_listener_release(members.listener), CTIE_OK);
}

static void load_durables(loader *self) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.name = ctie_str_from(self->name);
    options.flags = CTIE_LISTEN_DURABLE;
    listen_once(self, options);
    CHECK_STATUS(ctie_wormhole_forget(group, TEXT("own.%s", self->name), options.name, NULL), CTIE_OK);
}

/* ---- What comes and goes as a whole -------------------------------------------------------------- */

static void receive_in(ctie_wormhole *wormhole, ctie_str identifier) {
    struct ear ear = {0};
    CHECK_STATUS(ctie_wormhole_send(wormhole, identifier, mixed_value(1), NULL, NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_listen(wormhole, identifier, CTIE_RECEIVER_OWNED(count_call, &ear, forget), NULL, NULL,
                                      NULL), CTIE_OK);
    AWAIT(ear.calls > 0);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    CHECK(ear.destroyed == 1);
}

static void load_wormholes(loader *self) {
    ctie_wormhole *wormhole = NULL;
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    receive_in(open_store(), TEXT("brief.%s", self->name));
    options.flags = CTIE_WORMHOLE_MEMORY;
    CHECK_STATUS(ctie_wormhole_open(ctie_str_from(self->name), &options, &wormhole, NULL), CTIE_OK);
    receive_in(wormhole, TEXT("brief.%s", self->name));
}

#endif
