/* Wormholes: opening, passing, reading, destroying. */
#include "player.h"

#include <string.h>

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
    ctie_wormhole *wormhole = NULL;
    ctie_error *error = NULL;
    ctie_status status = ctie_wormhole_open(group, &options, &wormhole, &error);
    if (expect_status(p, s, status, error)) { thing_add(p, WORMHOLE, text(p, s, "as", "wormhole"), wormhole); }
}

void wormholes_end(player *p) {
    for (ctie_wormhole *wormhole; (wormhole = thing_next(p, WORMHOLE)) != NULL;) {
        expect_ok(p, "close", ctie_wormhole_release(wormhole));
    }
}

static void expect_passed(player *p, step *s, ctie_status status, ctie_error *error, uint64_t sequence,
                          uint32_t count) {
    if (!expect_status(p, s, status, error)) { return; }
    expect_number(p, s, "sequence", (int64_t)sequence);
    expect_number(p, s, "listeners", count);
}

void pass_on(player *p, step *s, ctie_wormhole *wormhole) {
    uint64_t sequence = 0;
    uint32_t listeners = 0;
    ctie_error *error = NULL;
    ctie_status status =
        ctie_wormhole_pass(wormhole, text(p, s, "id", ""), value(p, s, "value"), &sequence, &listeners, &error);
    expect_passed(p, s, status, error, sequence, listeners);
}

void step_pass(player *p, step *s) {
    pass_on(p, s, wormhole_of(p, s));
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
    ctie_error *error = NULL;
    ctie_status status = ctie_wormhole_destroy(wormhole_of(p, s), text(p, s, "id", ""), &error);
    expect_status(p, s, status, error);
}

void step_destroy_all(player *p, step *s) {
    ctie_error *error = NULL;
    ctie_status status = ctie_wormhole_destroy_all(wormhole_of(p, s), &error);
    expect_status(p, s, status, error);
}
