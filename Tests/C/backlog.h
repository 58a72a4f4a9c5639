/* Durable consumers with limits, and listeners that record the messages they get. */
#ifndef BACKLOG_H
#define BACKLOG_H

#include "group.h"

#define JOBS CTIE_STR("jobs")
#define WORKER CTIE_STR("worker")

static inline ctie_durable_options limited_to(uint64_t messages, uint32_t when_full) {
    ctie_durable_options options = CTIE_DURABLE_OPTIONS_INIT;
    options.max_messages = messages;
    options.when_full = when_full;
    options.flags = CTIE_DURABLE_CHANGE;
    return options;
}

static inline void declare(ctie_wormhole *wormhole, const char *identifier, ctie_durable_options options) {
    CHECK_STATUS(ctie_wormhole_declare(wormhole, ctie_str_from(identifier), WORKER, &options, NULL), CTIE_OK);
}

/** Forgets the name again, with all that it has. */
static inline void forget_worker(ctie_wormhole *wormhole, const char *identifier) {
    CHECK_STATUS(ctie_wormhole_forget(wormhole, ctie_str_from(identifier), WORKER, NULL), CTIE_OK);
}

/** The messages that a listener has received: values, in order, and the number it has missed. */
struct record {
    latch reported; /**< of everything, what was missed too */
    _Atomic uint64_t missed;
    _Atomic int count, out_of_order;
    int64_t values[4096];
    ctie_listener *listener;
};

#define RECORD_INIT {LATCH_INIT, 0, 0, 0, {0}, NULL}

static inline void write_down(const ctie_message *message, void *user_data) {
    struct record *record = user_data;
    int count = record->count;
    record->missed += ctie_message_missed(message);
    if (ctie_message_kind(message) == CTIE_MESSAGE_VALUE && count < 4096) {
        record->values[count] = int_of(message);
        bool is_number = record->values[count] >= 0;
        if (count > 0 && is_number && record->values[count] <= record->values[count - 1]) record->out_of_order++;
        record->count = count + 1;
    }
    latch_add(&record->reported);
}

/** Listens under the durable consumer with a function of its own. */
static inline void listen_durably(ctie_wormhole *wormhole, const char *identifier, ctie_receiver_fn fn, uint32_t flags,
                                  struct record *record) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.name = WORKER;
    options.flags = CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE | flags;
    CHECK_STATUS(ctie_wormhole_listen(wormhole, ctie_str_from(identifier), CTIE_RECEIVER(fn, record), &options,
                                      &record->listener, NULL), CTIE_OK);
}

static inline void stop_listening(struct record *record) {
    CHECK_STATUS(ctie_listener_release(record->listener), CTIE_OK);
}

/** Takes everything that waits, which is said to be so many messages, and as many missed. */
static inline void take_all(ctie_wormhole *wormhole, const char *identifier, int64_t first, int count, uint64_t missed) {
    struct record *record = calloc(1, sizeof *record);
    *record = (struct record)RECORD_INIT;
    listen_durably(wormhole, identifier, write_down, 0, record);
    AWAIT(record->count >= count && record->missed >= missed);
    stop_listening(record);
    CHECK(record->count == count);
    CHECK(record->missed == missed);
    for (int i = 0; i < count && i < record->count; i++) CHECK(record->values[i] == first + i);
    free(record);
}

static inline void pass_from(ctie_wormhole *wormhole, const char *identifier, int64_t first, int64_t count) {
    for (int64_t i = first; i < first + count; i++) CHECK_STATUS(pass_int(wormhole, identifier, i), CTIE_OK);
}

/** Passes so many numbers in one step. */
static inline ctie_status pass_batch(ctie_wormhole *wormhole, const char *identifier, int64_t first, size_t count) {
    ctie_outgoing *messages = calloc(count, sizeof *messages);
    for (size_t i = 0; i < count; i++) {
        messages[i] = (ctie_outgoing){ctie_str_from(identifier), ctie_value_int(first + (int64_t)i)};
    }
    ctie_status status = ctie_wormhole_send_many(wormhole, messages, count, NULL, NULL, NULL);
    free(messages);
    return status;
}

#endif
