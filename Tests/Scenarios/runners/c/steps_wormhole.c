/* Wormholes: opening, passing, reading, destroying. */
#include "player.h"

#include <string.h>
#include <unistd.h>

ctie_wormhole *wormhole_of(player *p, step *s) {
    return thing_find(p, WORMHOLE, text(p, s, "wormhole", "wormhole"));
}

static ctie_str joined(player *p, ctie_str group) {
    ctie_str pieces[3] = {ctie_str_from(p->directory), CTIE_STR("/"), group};
    size_t used = 0;
    char *path = keep_memory(p, pieces[0].size + group.size + 2);
    for (size_t i = 0; i < 3; i++) {
        if (pieces[i].size > 0) { memcpy(path + used, pieces[i].data, pieces[i].size); }
        used += pieces[i].size;
    }
    return (ctie_str){path, used};
}

void step_wormhole(player *p, step *s) {
    ctie_str group = text(p, s, "group", "scenario");
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    options.directory = joined(p, group);
    options.name = text(p, s, "name", "player");
    options.max_value_size = (uint64_t)number(s, "max_value_size", 0);
    options.max_queued = (uint64_t)number(s, "max_queued", 0);
    options.retain_count = (uint64_t)number(s, "retain_count", 0);
    options.delay_ms = (uint64_t)number(s, "delay_ms", 0);
    options.expires_ms = (uint64_t)number(s, "expires_ms", 0);
    options.flags = (p->groups == IN_MEMORY ? CTIE_WORMHOLE_MEMORY : 0) |
                    (flag(s, "existing", false) ? CTIE_WORMHOLE_EXISTING : 0);
    if (p->groups == IN_ENGINE) { use_engine(p, &options); }
    if (p->groups == IN_SERVER) { group = use_server(p, &options, group); }
    ctie_wormhole *wormhole = NULL;
    ctie_error *error = NULL;
    ctie_status status = ctie_wormhole_open(group, &options, &wormhole, &error);
    if (expect_status(p, s, status, error)) { thing_add(p, WORMHOLE, text(p, s, "as", "wormhole"), wormhole); }
}

void wormholes_end(player *p) {
    for (ctie_wormhole *wormhole; (wormhole = thing_next(p, WORMHOLE)) != NULL;) {
        expect_ok(p, "close", ctie_wormhole_release(wormhole));
    }
    engines_end();
}

/* Without the ability it is 0. */
void expect_listeners(player *p, step *s, uint32_t count) {
    if (p->groups != IN_SERVER) {
        expect_number(p, s, "listeners", count);
    } else if (count != 0) {
        failf(p, "a server has counted %u listeners", count);
    }
}

static void expect_passed(player *p, step *s, ctie_status status, ctie_error *error, uint64_t sequence,
                          uint32_t count) {
    if (!expect_status(p, s, status, error)) { return; }
    expect_number(p, s, "sequence", (int64_t)sequence);
    expect_listeners(p, s, count);
}

/* Without CTIE_ENGINE_EXACT_MISSED at least so many were missed. */
static void expect_missed(player *p, step *s, int64_t missed) {
    if (p->groups != IN_SERVER || missed > number(s, "missed", missed)) { expect_number(p, s, "missed", missed); }
}

void send_on(player *p, step *s, ctie_wormhole *wormhole) {
    uint64_t sequence = 0;
    uint32_t listeners = 0;
    ctie_error *error = NULL;
    ctie_status status =
        ctie_wormhole_send(wormhole, text(p, s, "id", ""), value(p, s, "value"), NULL, &sequence, &listeners, &error);
    expect_passed(p, s, status, error, sequence, listeners);
}

/* Over a server one after another. Steps that follow expect all of them. */
static const ctie_send_options *sending_in(const player *p) {
    static const ctie_send_options ONE_AFTER_ANOTHER = {.size = sizeof ONE_AFTER_ANOTHER, .flags = CTIE_SEND_NOT_ATOMIC};
    return p->groups == IN_SERVER ? &ONE_AFTER_ANOTHER : NULL;
}

void step_send_many(player *p, step *s) {
    step *given = ctie_value_get(s, CTIE_STR("messages"));
    size_t count = ctie_value_count(given);
    ctie_outgoing *messages = keep_memory(p, sizeof *messages * (count + 1));
    for (size_t i = 0; i < count; i++) {
        step *each = ctie_value_at(given, i);
        messages[i].identifier = text(p, each, "id", "");
        messages[i].value = flag(each, "signal", false) ? NULL : value(p, each, "value");
    }
    uint64_t sequence = 0;
    ctie_error *error = NULL;
    ctie_status status =
        ctie_wormhole_send_many(wormhole_of(p, s), messages, count, sending_in(p), &sequence, &error);
    if (expect_status(p, s, status, error)) { expect_number(p, s, "sequence", (int64_t)sequence); }
}

void step_signal(player *p, step *s) {
    uint64_t sequence = 0;
    uint32_t listeners = 0;
    ctie_error *error = NULL;
    ctie_status status = ctie_wormhole_signal(wormhole_of(p, s), text(p, s, "id", ""), &sequence, &listeners, &error);
    expect_passed(p, s, status, error, sequence, listeners);
}

void expect_message(player *p, step *s, const ctie_message *message) {
    ctie_value *none = ctie_value_null();
    const ctie_value *found = ctie_message_value(message);
    expect_ok(p, "message", ctie_message_status(message));
    expect_text(p, s, "id", ctie_message_identifier(message));
    expect_text(p, s, "sender", ctie_message_sender_name(message));
    expect_number(p, s, "sequence", (int64_t)ctie_message_sequence(message));
    expect_number(p, s, "delivery_count", ctie_message_delivery_count(message));
    expect_missed(p, s, (int64_t)ctie_message_missed(message));
    expect_headers(p, s, message);
    expect_value(p, "message", value(p, s, "value"), found == NULL ? none : found);
    ctie_value_release(none);
}

void step_message(player *p, step *s) {
    ctie_message *message = NULL;
    ctie_error *error = NULL;
    ctie_status status = ctie_wormhole_message(wormhole_of(p, s), text(p, s, "id", ""), &message, &error);
    if (expect_status(p, s, status, error)) { expect_message(p, s, message); }
    ctie_message_release(message);
}

void step_destroy(player *p, step *s) {
    uint64_t sequence = 0;
    uint32_t listeners = 0;
    ctie_error *error = NULL;
    ctie_status status = ctie_wormhole_destroy(wormhole_of(p, s), text(p, s, "id", ""), &sequence, &listeners, &error);
    expect_passed(p, s, status, error, sequence, listeners);
}

void step_destroy_all(player *p, step *s) {
    uint64_t sequence = 0;
    uint32_t listeners = 0;
    ctie_error *error = NULL;
    ctie_status status = ctie_wormhole_destroy_all(wormhole_of(p, s), &sequence, &listeners, &error);
    expect_passed(p, s, status, error, sequence, listeners);
}

void step_identifiers(player *p, step *s) {
    ctie_value *found = NULL;
    ctie_error *error = NULL;
    ctie_status status = ctie_wormhole_identifiers(wormhole_of(p, s), text(p, s, "id", "*"), &found, &error);
    if (expect_status(p, s, status, error)) { expect_value(p, "identifiers", value(p, s, "value"), found); }
    ctie_value_release(found);
}

static void expect_member(player *p, step *expected, step *member) {
    ctie_str name = {NULL, 0};
    ctie_value_get_string(ctie_value_get(member, CTIE_STR("name")), &name);
    expect_text(p, expected, "name", name);
    if (flag(member, "self", false) != flag(expected, "self", false)) { failf(p, "it is the wrong one"); }
    bool is_here = number(member, "pid", 0) == getpid();
    if (is_here != flag(expected, "here", true)) { failf(p, "it is in the wrong process"); }
    if (number(member, "since", 0) <= 0) { failf(p, "since when is not known"); }
}

void step_members(player *p, step *s) {
    ctie_value *found = NULL;
    ctie_error *error = NULL;
    step *members = ctie_value_get(s, CTIE_STR("members"));
    ctie_status status = ctie_wormhole_members(wormhole_of(p, s), &found, &error);
    expect_status(p, s, status, error);
    if (ctie_value_count(found) != ctie_value_count(members)) { failf(p, "%zu members", ctie_value_count(found)); }
    for (size_t i = 0; i < ctie_value_count(members) && !failed(p); i++) {
        expect_member(p, ctie_value_at(members, i), ctie_value_at(found, i));
    }
    ctie_value_release(found);
}
