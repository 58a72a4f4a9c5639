/* For tests in C of bindings: the deliveries to each. Include it after driver.h. */
#ifndef DELIVERIES_H
#define DELIVERIES_H

#include "driver.h"

/** With the lock: the deliveries to a binding so far. */
static inline size_t count_of(driver *it, uint64_t binding) {
    size_t count = 0;
    for (size_t i = 0; i < it->count; i++) { count += it->items[i].binding == binding; }
    return count;
}

/** Waits for so many deliveries to a binding. */
#define wait_for(it, binding, number) DRIVER_WAIT_FOR(it, count_of(it, binding) >= (number))

/** A copy of one delivery to a binding, by its index; the value stays the driver's. */
static inline delivered delivery_of(driver *it, uint64_t binding, size_t index) {
    delivered found;
    memset(&found, 0, sizeof found);
    pthread_mutex_lock(&it->lock);
    for (size_t i = 0; i < it->count; i++) {
        if (it->items[i].binding == binding && index-- == 0) {
            found = it->items[i];
            break;
        }
    }
    pthread_mutex_unlock(&it->lock);
    return found;
}

static inline bool is_value(const delivered *it, const char *identifier, const char *value) {
    return it->kind == CTIE_MESSAGE_VALUE && strcmp(it->identifier, identifier) == 0 && it->value != NULL &&
           strcmp((const char *)it->value, value) == 0;
}

/** Checks that a delivery is this value. */
#define CHECK_VALUE(it, binding, index, name, text) \
    do { \
        delivered seen_ = delivery_of(it, binding, index); \
        CHECK(is_value(&seen_, name, text)); \
    } while (0)

static inline void driver_bind_with(driver *it, uint64_t number, ctie_engine_binding how) {
    CHECK_STATUS(ENGINE_OF_NATS.bind(it->engine, number, &how, DRIVER_TIME_MS), CTIE_OK);
}

static inline void driver_unbind(driver *it, uint64_t number) {
    CHECK_STATUS(ENGINE_OF_NATS.unbind(it->engine, number, DRIVER_TIME_MS), CTIE_OK);
}

static inline void driver_credit(driver *it, uint64_t number, uint32_t count) {
    ENGINE_OF_NATS.credit(it->engine, number, count);
}

static inline void driver_answer(driver *it, uint64_t number, uint64_t claim, uint32_t outcome, int64_t delay_ns) {
    ctie_engine_answer answer = {sizeof answer, claim, outcome, 0, delay_ns, {NULL, 0}};
    ENGINE_OF_NATS.resolve(it->engine, number, &answer, 1);
}

static inline void driver_acknowledge(driver *it, uint64_t number, uint64_t claim) {
    driver_answer(it, number, claim, CTIE_ENGINE_ACKNOWLEDGED, 0);
}

/** Sends the values 0, 1, … under an identifier. */
static inline void driver_send_numbers(driver *it, const char *identifier, int from, int to) {
    for (int i = from; i < to; i++) {
        char text[16];
        snprintf(text, sizeof text, "%d", i);
        driver_value(it, identifier, text);
    }
}

/** The deliveries of a binding are the values `from`, … in this order, with rising numbers. */
static inline bool has_numbers(driver *it, uint64_t binding, const char *identifier, int from, int to) {
    uint64_t last = 0;
    bool is_so = true;
    pthread_mutex_lock(&it->lock);
    for (size_t i = 0; i < it->count && is_so; i++) {
        const delivered *each = &it->items[i];
        char text[16];
        snprintf(text, sizeof text, "%d", from);
        if (each->binding != binding) { continue; }
        is_so = is_value(each, identifier, text) && each->sequence > last;
        if (!is_so) {
            fprintf(stderr, "binding %d: kind %d of %s, number %d after %d, in place of %s: %s\n", (int)binding,
                    each->kind, each->identifier, (int)each->sequence, (int)last, text, (const char *)each->value);
        }
        last = each->sequence;
        from++;
    }
    pthread_mutex_unlock(&it->lock);
    return is_so && from == to;
}

#endif
