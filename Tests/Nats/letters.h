/* For tests in C of dead letters. Include it after deliveries.h. */
#ifndef LETTERS_H
#define LETTERS_H

#include "claims.h"

static inline ctie_engine_binding durable(const char *topic, const char *name, uint32_t credit) {
    ctie_engine_binding how = driver_binding(topic, CTIE_ENGINE_DURABLE, name);
    how.credit = credit;
    return how;
}

/** Options of a consumer whose messages are dead letters after so many deliveries; a rejected one comes again soon. */
static inline ctie_durable_options limited(uint32_t deliveries) {
    ctie_durable_options out = CTIE_DURABLE_OPTIONS_INIT;
    out.max_deliveries = deliveries;
    out.backoff_first_ms = 1, out.backoff_most_ms = 10, out.backoff_factor = 1;
    return out;
}

static inline ctie_status declare_with(driver *it, const char *topic, const char *name, ctie_durable_options options) {
    return ENGINE_OF_NATS.declare(it->engine, ctie_str_from(topic), ctie_str_from(name), &options, DRIVER_TIME_MS);
}

static inline ctie_status forget(driver *it, const char *topic, const char *name) {
    return ENGINE_OF_NATS.forget(it->engine, ctie_str_from(topic), ctie_str_from(name), DRIVER_TIME_MS);
}

/** A letter as a listing has shown it. */
typedef struct shown_letter {
    uint64_t sequence, sent_as, size;
    int32_t kind;
    uint32_t deliveries;
    int64_t dead, time;
    char identifier[132], reason[1001], value[64], sender[68];
    size_t header_count;
} shown_letter;

typedef struct shown {
    shown_letter *items;
    size_t count, room;
} shown;

static inline bool note_letter(const ctie_engine_dead_letter *letter, void *context) {
    shown *to = context;
    if (to->count == to->room) {
        to->room = to->room * 2 + 64;
        to->items = realloc(to->items, to->room * sizeof *to->items);
    }
    shown_letter *out = &to->items[to->count++];
    memset(out, 0, sizeof *out);
    CHECK(letter->size == sizeof *letter && letter->message->size == sizeof *letter->message);
    out->sequence = letter->message->sequence, out->kind = letter->message->kind, out->time = letter->message->time;
    out->sent_as = letter->sent_as, out->size = letter->value_size, out->deliveries = letter->deliveries;
    out->dead = letter->dead, out->header_count = letter->message->header_count;
    driver_copy(out->identifier, sizeof out->identifier, letter->message->identifier);
    driver_copy(out->sender, sizeof out->sender, letter->message->sender_name);
    driver_copy(out->reason, sizeof out->reason, letter->reason);
    ctie_bytes value = letter->message->value;
    driver_copy(out->value, sizeof out->value, (ctie_str){(const char *)value.data, value.size});
    return true;
}

static inline ctie_status list_letters(driver *it, const char *topic, const char *name, uint64_t after, size_t limit,
                                       uint32_t has_values, shown *out) {
    free(out->items);
    *out = (shown){0};
    return ENGINE_OF_NATS.dead_letters(it->engine, ctie_str_from(topic), ctie_str_from(name), after, limit, has_values,
                                       note_letter, out, DRIVER_TIME_MS);
}

static inline size_t count_letters(driver *it, const char *topic, const char *name) {
    shown all = {0};
    CHECK_STATUS(list_letters(it, topic, name, 0, 100000, 0, &all), CTIE_OK);
    free(all.items);
    return all.count;
}

/** Waits until a consumer has so many. */
static inline void await_letters(driver *it, const char *topic, const char *name, size_t count) {
    int64_t end = deadline_after(DRIVER_WAIT_MS);
    while (count_letters(it, topic, name) != count) {
        if (deadline_left(end) == 0) { driver_give_up("the dead letters do not come"); }
        clock_pause(5);
    }
}

static inline ctie_status end_letters(driver *it, const char *topic, const char *name, uint64_t sequence,
                                      uint32_t action, uint64_t *count) {
    return ENGINE_OF_NATS.end_dead_letters(it->engine, ctie_str_from(topic), ctie_str_from(name), sequence, action,
                                           count, DRIVER_TIME_MS);
}

static inline void reject_for(driver *it, uint64_t number, uint64_t claim, const char *reason) {
    ctie_engine_answer answer = {sizeof answer, claim, CTIE_ENGINE_REJECTED, 0, -1, ctie_str_from(reason)};
    ENGINE_OF_NATS.resolve(it->engine, number, &answer, 1);
}

#endif
