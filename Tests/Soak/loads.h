/* The common part of every load: a load makes a few calls of one kind, and leaves nothing behind. */
#ifndef LOADS_H
#define LOADS_H

#include "components.h"
#include "listening.h"

#include <stdarg.h>

/** A thread that runs one load after the other; `name` is in what it registers, so that nobody else has it. */
typedef struct loader {
    int number;
    unsigned seed;
    char name[16];
} loader;

typedef struct load {
    const char *name;
    void (*run)(loader *self);
} load;

/** The state that the two processes share: when to load and when to pause, and the work under way. */
static struct {
    _Atomic int phase, ready, waiting, ended; /* see flat.c */
    _Atomic bool pausing;
    _Atomic int pending;                  /* completions that have not run */
    _Atomic long passed[2], received[2];     /* messages, by the side that passes them */
    _Atomic long missed;                  /* of those */
    _Atomic long operations[2], turns[8]; /* checks of each side; loads that each thread has run */
} *shared;

static int side; /* of this process: 0, and 1 in the child */
static ctie_bus *bus;
static ctie_wormhole *group;

/** Without a deadline: none shall pass because the machine has much else to do. */
static const ctie_request_options PATIENT = {.size = sizeof PATIENT, .timeout_ms = -1};

/** Text as by printf, freed with the block in which it was made. */
#define TEXT(...) ctie_str_from(write_text((char[96]){0}, __VA_ARGS__))

static inline const char *write_text(char *room, const char *format, ...) __attribute__((format(printf, 2, 3)));

static inline const char *write_text(char *room, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(room, 96, format, arguments);
    va_end(arguments);
    return room;
}

/** A map that has something of each kind but bytes. */
static inline ctie_value *mixed_value(int64_t number) {
    ctie_value *items[] = {ctie_value_null(), ctie_value_bool(true), ctie_value_double(0.5),
                           ctie_value_string(CTIE_STR("a text that is too long to be in a word"))};
    ctie_pair pairs[] = {{CTIE_STR("number"), ctie_value_int(number)}, {CTIE_STR("items"), ctie_value_list(items, 4)}};
    return ctie_value_map(pairs, 2);
}

/** Lets a request go on, unless its deadline or a cancel has come first. */
static inline void proceed(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_status status = ctie_request_proceed(request);
    CHECK(status == CTIE_OK || status == CTIE_E_ALREADY);
}

static inline void reply_mixed(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_reply(request, mixed_value(1)), CTIE_OK);
}

/** Expects `call` to be a failure, and releases the `error` that it gives. */
#define EXPECT_ERROR(call, error, expected) \
    do { \
        CHECK_STATUS(call, expected); \
        CHECK_STATUS(ctie_error_status(error), expected); \
        ctie_error_release(error); \
    } while (0)

static inline void complete(ctie_response *response, void *user_data) {
    (void)user_data;
    CHECK(ctie_response_value(response) != NULL);
}

/** The `destroy` of every completion: the load is not paused before all have come. */
static inline void completed(void *user_data) {
    (void)user_data;
    shared->pending--;
}

/** Waits for a call's end, releases it, and expects this status. */
static inline void expect_end(ctie_call *call, ctie_status expected) { CHECK_STATUS(call_end(call), expected); }

#endif
