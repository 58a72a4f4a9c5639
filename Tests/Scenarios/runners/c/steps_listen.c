/* Listeners, and the messages they have received. */
#include "player.h"

typedef struct note {
    struct note *next;
    ctie_message *message; /* retained */
} note;

struct inbox {
    player *player;
    ctie_wormhole *wormhole;
    ctie_listener *listener;
    ctie_str name;
    step *then;              /* what it does each time, or NULL */
    note *first, *last;      /* guarded by the player's lock */
    note *read;              /* the last one that a step expected */
};

ctie_status unlisten(player *p, step *s, ctie_wormhole *wormhole, ctie_error **error) {
    ctie_str identifier = text(p, s, "id", "");
    if (has(s, "name")) { return ctie_wormhole_remove_listener(wormhole, identifier, text(p, s, "name", ""), error); }
    if (has(s, "id")) { return ctie_wormhole_remove_listeners(wormhole, identifier, error); }
    return ctie_wormhole_remove_all_listeners(wormhole);
}

void step_unlisten(player *p, step *s) {
    if (!has(s, "listener")) {
        ctie_error *error = NULL;
        ctie_status status = unlisten(p, s, wormhole_of(p, s), &error);
        expect_status(p, s, status, error);
        return;
    }
    inbox *log = thing_find(p, LISTENER, text(p, s, "listener", ""));
    if (log != NULL) { expect_status(p, s, ctie_listener_release(log->listener), NULL); }
}

void step_listeners(player *p, step *s) {
    ctie_value *found = NULL;
    ctie_error *error = NULL;
    ctie_status status = ctie_wormhole_listeners(wormhole_of(p, s), &found, &error);
    if (expect_status(p, s, status, error)) { expect_value(p, "listeners", value(p, s, "value"), found); }
    ctie_value_release(found);
}

static void note_down(inbox *log, const ctie_message *message) {
    player *p = log->player;
    note *new = keep_memory(p, sizeof *new);
    new->message = ctie_message_retain(message);
    pthread_mutex_lock(&p->lock);
    if (log->last == NULL) {
        log->first = new;
    } else {
        log->last->next = new;
    }
    log->last = new;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

/* A listener's action for a message. */
static ctie_status react(inbox *log, step *action, const ctie_message *message) {
    player *p = log->player;
    ctie_str verb = text(p, action, "do", "");
    if (has(action, "delivery_count") && number(action, "delivery_count", 0) != ctie_message_delivery_count(message)) { return CTIE_OK; }
    if (is(verb, "block")) {
        wait_at(p, text(p, action, "gate", "gate"));
    } else if (is(verb, "send")) {
        send_on(p, action, log->wormhole);
    } else {
        return is(verb, "unlisten") ? unlisten(p, action, log->wormhole, NULL) : resolve(p, action, message);
    }
    return CTIE_OK;
}

static void receive(const ctie_message *message, void *user_data) {
    inbox *log = user_data;
    note_down(log, message);
    if (log->then == NULL) { return; }
    ctie_status status = react(log, log->then, message);
    if (status < 0) { failf(log->player, "in the listener: %s", short_name(status)); }
}

void step_listen(player *p, step *s) {
    inbox *log = keep_memory(p, sizeof *log);
    log->player = p;
    log->wormhole = wormhole_of(p, s);
    log->name = text(p, s, "as", "");
    log->then = ctie_value_get(s, CTIE_STR("then"));
    ctie_listen_options options = listen_options(p, s);
    ctie_error *error = NULL;
    ctie_status status = ctie_wormhole_listen(log->wormhole, text(p, s, "id", ""), CTIE_RECEIVER(receive, log), &options,
                                              &log->listener, &error);
    if (expect_status(p, s, status, error)) { thing_add(p, LISTENER, log->name, log); }
}

/* The next message that no step has expected yet; waits for it, and fails when it does not come. */
static ctie_message *next_of(inbox *log) {
    player *p = log->player;
    pthread_mutex_lock(&p->lock);
    bool in_time = true;
    note *found;
    while ((found = log->read == NULL ? log->first : log->read->next) == NULL && in_time) {
        wait_for_change(p, &in_time);
    }
    if (found != NULL) { log->read = found; }
    pthread_mutex_unlock(&p->lock);
    if (found == NULL) { failf(p, "the listener %.*s received nothing", (int)log->name.size, log->name.data); }
    return found == NULL ? NULL : found->message;
}

static const char *kind_name(const ctie_message *message) {
    static const char *const NAMES[] = {"none", "value", "signal", "destroyed", "missed", "joined", "left"};
    int32_t kind = ctie_message_kind(message);
    return kind < 0 || kind > CTIE_MESSAGE_LEFT ? "?" : NAMES[kind];
}

const ctie_message *last_of(inbox *log) {
    return log->read == NULL ? NULL : log->read->message;
}

void step_events(player *p, step *s) {
    inbox *log = thing_find(p, LISTENER, text(p, s, "of", ""));
    step *events = ctie_value_get(s, CTIE_STR("events"));
    for (size_t i = 0; i < ctie_value_count(events) && !failed(p); i++) {
        ctie_message *message = next_of(log);
        if (message == NULL) { return; }
        expect_text(p, ctie_value_at(events, i), "kind", ctie_str_from(kind_name(message)));
        expect_message(p, ctie_value_at(events, i), message);
    }
}

static bool is_newest(player *p, step *event, const ctie_message *message) {
    ctie_value *expected = value(p, event, "value"), *none = ctie_value_null();
    const ctie_value *found = ctie_message_value(message);
    bool result = is(text(p, event, "kind", ""), kind_name(message)) &&
                  ctie_value_equal(expected, found == NULL ? none : found);
    ctie_value_release(none);
    ctie_value_release(expected);
    return result;
}

/* Skips older messages, as state delivery may; they have to come in order. */
void step_newest(player *p, step *s) {
    inbox *log = thing_find(p, LISTENER, text(p, s, "of", ""));
    step *event = ctie_value_get(s, CTIE_STR("event"));
    uint64_t before = 0;
    for (ctie_message *message; log != NULL && (message = next_of(log)) != NULL;) {
        if (ctie_message_sequence(message) < before) { failf(p, "an older message came after a newer one"); }
        before = ctie_message_sequence(message);
        if (!is_newest(p, event, message)) { continue; }
        expect_message(p, event, message);
        return;
    }
}

void listeners_end(player *p) {
    for (inbox *log; (log = thing_next(p, LISTENER)) != NULL;) {
        if (log->last != log->read) {
            failf(p, "the listener %.*s received a message that no step expects: %s", (int)log->name.size, log->name.data,
                  kind_name(log->last->message));
        }
        for (note *each = log->first; each != NULL; each = each->next) { ctie_message_release(each->message); }
    }
}
