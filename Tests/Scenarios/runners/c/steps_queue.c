/* Queues: how a listener is bound to one, and what becomes of its messages. */
#include "player.h"

#include <time.h>
#include <unistd.h>

/* When the last message of a listener was sent that a step has expected; 0 without one. */
static int64_t time_of(player *p, step *s, const char *key) {
    inbox *log = has(s, key) ? thing_find(p, LISTENER, text(p, s, key, "")) : NULL;
    return log != NULL && last_of(log) != NULL ? ctie_message_time(last_of(log)) : 0;
}

ctie_listen_options listen_options(player *p, step *s) {
    static const struct {
        const char *name;
        uint32_t flag;
    } FLAGS[] = {
        {"queue", CTIE_LISTEN_QUEUE},
        {"durable", CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE},
        {"from_oldest", CTIE_LISTEN_FROM_OLDEST},
        {"manual", CTIE_LISTEN_MANUAL},
    };
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.name = text(p, s, has(s, "durable") ? "durable" : "name", "");
    options.max_unacknowledged = (uint32_t)number(s, "max_unacknowledged", 0);
    options.flags = flag(s, "initial_delivery", true) ? 0 : CTIE_LISTEN_NO_INITIAL_DELIVERY;
    for (size_t i = 0; i < sizeof FLAGS / sizeof FLAGS[0]; i++) {
        if (has(s, FLAGS[i].name)) { options.flags |= FLAGS[i].flag; }
    }
    options.from_sequence = (uint64_t)number(s, "from_sequence", 0);
    options.from_time = time_of(p, s, "from_time_of");
    return options;
}

ctie_status resolve(player *p, step *s, const ctie_message *message) {
    ctie_str verb = {NULL, 0};
    ctie_value_get_string(ctie_value_get(s, CTIE_STR("do")), &verb);
    if (!is(verb, "reject")) { return ctie_message_acknowledge(message); }
    return ctie_message_reject(message, number(s, "delay_ms", 0), text(p, s, "reason", ""));
}

/* The last message of a listener that a step has expected. */
void step_resolve(player *p, step *s) {
    inbox *log = thing_find(p, LISTENER, text(p, s, "of", ""));
    if (log != NULL) { expect_status(p, s, resolve(p, s, last_of(log)), NULL); }
}

void step_forget(player *p, step *s) {
    ctie_error *error = NULL;
    ctie_str id = text(p, s, "id", ""), name = text(p, s, "durable", "");
    ctie_status status = ctie_wormhole_forget(wormhole_of(p, s), id, name, &error);
    expect_status(p, s, status, error);
}

void step_declare(player *p, step *s) {
    static const char *const WHEN_FULL[] = {"drop", "refuse", "wait"};
    ctie_durable_options options = CTIE_DURABLE_OPTIONS_INIT;
    ctie_error *error = NULL;
    options.flags = (has(s, "from_oldest") ? CTIE_DURABLE_FROM_OLDEST : 0) | (has(s, "change") ? CTIE_DURABLE_CHANGE : 0);
    options.max_deliveries = (uint32_t)number(s, "max_deliveries", 0);
    options.dead_letter = text(p, s, "dead_letter", "");
    options.max_messages = (uint64_t)number(s, "max_messages", 0);
    options.max_size = (uint64_t)number(s, "max_size", 0);
    options.expires_ms = (uint64_t)number(s, "expires_ms", 0);
    for (uint32_t i = 0; i < 3; i++) {
        if (is(text(p, s, "when_full", "drop"), WHEN_FULL[i])) { options.when_full = i; }
    }
    ctie_status status =
        ctie_wormhole_declare(wormhole_of(p, s), text(p, s, "id", ""), text(p, s, "durable", ""), &options, &error);
    expect_status(p, s, status, error);
}

static int64_t int_in(const ctie_value *map, const char *key) {
    int64_t number = 0;
    ctie_value_get_int(ctie_value_get(map, ctie_str_from(key)), &number);
    return number;
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

/* The processes with messages in hand: their numbers of messages, and whether they are this one. */
static void expect_holders(player *p, step *expected, const ctie_value *holders) {
    if (!has(expected, "in_hand")) { return; }
    const ctie_value *list = ctie_value_get(expected, CTIE_STR("in_hand"));
    if (ctie_value_count(list) != ctie_value_count(holders)) { failf(p, "%zu holders", ctie_value_count(holders)); }
    for (size_t i = 0; i < ctie_value_count(list); i++) {
        step *each = ctie_value_at(list, i);
        const ctie_value *holder = ctie_value_at(holders, i);
        int64_t since = int_in(holder, "since");
        expect_number(p, each, "count", int_in(holder, "count"));
        if (flag(each, "here", true) != (int_in(holder, "pid") == getpid())) { failf(p, "another process has them"); }
        if (since <= 0 || since > now()) { failf(p, "in hand since %lld", (long long)since); }
    }
}

/* The time of the oldest message is that of the last one of a listener; that of the next try is to come. */
static void expect_times(player *p, step *expected, const ctie_value *durable) {
    if (has(expected, "oldest_of") && int_in(durable, "oldest") != time_of(p, expected, "oldest_of")) {
        failf(p, "the oldest is of %lld", (long long)int_in(durable, "oldest"));
    }
    if (has(expected, "next_retry") && flag(expected, "next_retry", true) != (int_in(durable, "next_retry") > now())) {
        failf(p, "the next retry is at %lld", (long long)int_in(durable, "next_retry"));
    }
}

static void expect_durable(player *p, step *expected, const ctie_value *durable) {
    static const char *const NUMBERS[] = {"waiting", "waiting_size", "retrying", "deliveries",
                                          "dead",    "missed",       "position"};
    static const char *const TEXTS[] = {"name", "identifier"};
    const ctie_value *holders = ctie_value_get(durable, CTIE_STR("in_hand"));
    int64_t held = 0;
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) {
        ctie_str found = {NULL, 0};
        ctie_value_get_string(ctie_value_get(durable, ctie_str_from(TEXTS[i])), &found);
        expect_text(p, expected, TEXTS[i], found);
    }
    for (size_t i = 0; i < sizeof NUMBERS / sizeof NUMBERS[0]; i++) {
        expect_number(p, expected, NUMBERS[i], int_in(durable, NUMBERS[i]));
    }
    for (size_t i = 0; i < ctie_value_count(holders); i++) { held += int_in(ctie_value_at(holders, i), "count"); }
    expect_number(p, expected, "held", held);
    expect_holders(p, expected, holders);
    expect_times(p, expected, durable);
}

void step_durables(player *p, step *s) {
    ctie_value *found = NULL;
    ctie_error *error = NULL;
    const ctie_value *names = ctie_value_get(s, CTIE_STR("names"));
    ctie_status status = ctie_wormhole_durables(wormhole_of(p, s), &found, &error);
    if (expect_status(p, s, status, error)) {
        size_t count = ctie_value_count(names);
        if (ctie_value_count(found) != count) { failf(p, "%zu durable consumers", ctie_value_count(found)); }
        for (size_t i = 0; i < count; i++) { expect_durable(p, ctie_value_at(names, i), ctie_value_at(found, i)); }
    }
    ctie_value_release(found);
}

void step_seek(player *p, step *s) {
    ctie_error *error = NULL;
    ctie_str id = text(p, s, "id", ""), name = text(p, s, "durable", "");
    ctie_status status =
        ctie_wormhole_seek(wormhole_of(p, s), id, name, (uint64_t)number(s, "sequence", 0), time_of(p, s, "time_of"), &error);
    expect_status(p, s, status, error);
}
