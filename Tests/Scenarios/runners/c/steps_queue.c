/* Queues: how a listener is bound to one, and what becomes of its messages. */
#include "player.h"

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
    return options;
}

ctie_status settle(player *p, step *s, const ctie_message *message) {
    ctie_str verb = {NULL, 0};
    ctie_value_get_string(ctie_value_get(s, CTIE_STR("do")), &verb);
    if (!is(verb, "reject")) { return ctie_message_acknowledge(message); }
    return ctie_message_reject(message, number(s, "delay_ms", 0), text(p, s, "reason", ""));
}

/* The last message of a listener that a step has expected. */
void step_settle(player *p, step *s) {
    inbox *log = thing_find(p, LISTENER, text(p, s, "of", ""));
    if (log != NULL) { expect_status(p, s, settle(p, s, last_of(log)), NULL); }
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
        ctie_wormhole_seek(wormhole_of(p, s), id, name, (uint64_t)number(s, "sequence", 0), 0, &error);
    expect_status(p, s, status, error);
}
