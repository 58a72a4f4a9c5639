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
    options.flags = flag(s, "first_fire", true) ? 0 : CTIE_LISTEN_NO_FIRST_FIRE;
    for (size_t i = 0; i < sizeof FLAGS / sizeof FLAGS[0]; i++) {
        if (has(s, FLAGS[i].name)) { options.flags |= FLAGS[i].flag; }
    }
    return options;
}

ctie_status settle(step *s, const ctie_message *message) {
    ctie_str verb = {NULL, 0};
    ctie_value_get_string(ctie_value_get(s, CTIE_STR("do")), &verb);
    ctie_str reason = {NULL, 0};
    ctie_value_get_string(ctie_value_get(s, CTIE_STR("reason")), &reason);
    return is(verb, "reject") ? ctie_message_reject(message, number(s, "delay_ms", 0), reason)
                              : ctie_message_acknowledge(message);
}

/* The last message of a listener that a step has expected. */
void step_settle(player *p, step *s) {
    heard *log = thing_find(p, LISTENER, text(p, s, "of", ""));
    if (log != NULL) { expect_status(p, s, settle(s, last_of(log)), NULL); }
}

void step_forget(player *p, step *s) {
    ctie_error *error = NULL;
    ctie_str id = text(p, s, "id", ""), name = text(p, s, "durable", "");
    ctie_status status = ctie_wormhole_forget(wormhole_of(p, s), id, name, &error);
    expect_status(p, s, status, error);
}
