/* Sending with headers and times, and what waits for its time. */
#include "player.h"

static const ctie_header *headers_of(player *p, step *s, size_t *count) {
    step *given = ctie_value_get(s, CTIE_STR("headers"));
    *count = ctie_value_count(given);
    ctie_header *headers = keep_memory(p, sizeof *headers * (*count + 1));
    for (size_t i = 0; i < *count; i++) {
        ctie_str name = {NULL, 0};
        const ctie_value *entry = NULL;
        ctie_value_entry_at(given, i, &name, &entry);
        headers[i].name = copy(p, name);
        headers[i].value = text(p, given, headers[i].name.data, "");
    }
    return headers;
}

static ctie_send_options options_of(player *p, step *s) {
    ctie_send_options options = CTIE_SEND_OPTIONS_INIT;
    int64_t expires = number(s, "expires_ms", 0), delay = number(s, "delay_ms", 0);
    options.headers = headers_of(p, s, &options.header_count);
    options.flags = (flag(s, "signal", false) ? CTIE_SEND_SIGNAL : 0) | (expires < 0 ? CTIE_SEND_LASTING : 0) |
                    (has(s, "delay_ms") && delay == 0 ? CTIE_SEND_NOW : 0);
    options.expires_ms = expires < 0 ? 0 : (uint64_t)expires;
    options.delay_ms = (uint64_t)delay;
    ctie_str token = text(p, s, "token", "");
    options.token = (ctie_bytes){token.data, token.size};
    return options;
}

/* Whether the step says more than an identifier and a value: then it is sent with options. */
static bool has_options(step *s) {
    return has(s, "headers") || has(s, "expires_ms") || has(s, "delay_ms") || has(s, "signal") || has(s, "token");
}

void step_send(player *p, step *s) {
    ctie_send_options options = options_of(p, s);
    uint64_t *sequence = keep_memory(p, sizeof *sequence);
    uint32_t listeners = 0;
    ctie_error *error = NULL;
    ctie_value *content = flag(s, "signal", false) ? NULL : value(p, s, "value");
    ctie_status status = ctie_wormhole_send(wormhole_of(p, s), text(p, s, "id", ""), content,
                                            has_options(s) ? &options : NULL, sequence, &listeners, &error);
    if (!expect_status(p, s, status, error)) { return; }
    expect_number(p, s, "sequence", (int64_t)*sequence);
    expect_listeners(p, s, listeners);
    if (has(s, "as")) { thing_add(p, NUMBER, text(p, s, "as", ""), sequence); }
}

/* Of each one what a scenario can know. */
static ctie_value *shown(const ctie_value *found) {
    ctie_value *list[64];
    size_t count = ctie_value_count(found) < 64 ? ctie_value_count(found) : 64;
    for (size_t i = 0; i < count; i++) {
        const ctie_value *each = ctie_value_at(found, i);
        ctie_pair pairs[] = {
            {CTIE_STR("id"), ctie_value_retain(ctie_value_get(each, CTIE_STR("identifier")))},
            {CTIE_STR("kind"), ctie_value_retain(ctie_value_get(each, CTIE_STR("kind")))},
            {CTIE_STR("headers"), ctie_value_retain(ctie_value_get(each, CTIE_STR("headers")))},
        };
        list[i] = ctie_value_map(pairs, 3);
    }
    return ctie_value_list(list, count);
}

void step_scheduled(player *p, step *s) {
    ctie_value *found = NULL;
    ctie_error *error = NULL;
    ctie_status status = ctie_wormhole_scheduled(wormhole_of(p, s), text(p, s, "id", "*"), &found, &error);
    if (expect_status(p, s, status, error)) {
        ctie_value *list = shown(found);
        expect_value(p, "scheduled", value(p, s, "value"), list);
        ctie_value_release(list);
    }
    ctie_value_release(found);
}

void step_cancel_scheduled(player *p, step *s) {
    uint64_t *number = thing_find(p, NUMBER, text(p, s, "of", ""));
    ctie_error *error = NULL;
    if (number == NULL) { return; }
    ctie_status status = ctie_wormhole_cancel_scheduled(wormhole_of(p, s), *number, &error);
    expect_status(p, s, status, error);
}

void expect_headers(player *p, step *s, const ctie_message *message) {
    if (!has(s, "headers")) { return; }
    ctie_pair pairs[32];
    ctie_str name, content;
    size_t count = 0;
    for (; count < 32 && ctie_message_header_at(message, count, &name, &content); count++) {
        pairs[count] = (ctie_pair){name, ctie_value_string(content)};
    }
    ctie_value *found = ctie_value_map(pairs, count);
    expect_value(p, "headers", value(p, s, "headers"), found);
    ctie_value_release(found);
}
