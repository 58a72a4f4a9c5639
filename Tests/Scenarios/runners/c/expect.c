/* Comparing what came with what the scenario expects. */
#include "player.h"

#include <string.h>

/* "NO_ROUTE" for CTIE_E_NO_ROUTE, "OK" for CTIE_OK: the form that is alike in every language. */
const char *short_name(ctie_status status) {
    const char *name = ctie_status_name(status) + strlen("CTIE_");
    return strncmp(name, "E_", 2) == 0 ? name + 2 : name;
}

ctie_status status_named(player *p, ctie_str name) {
    for (ctie_status each = CTIE_PENDING; each >= CTIE_STATUS_LAST_; each--) {
        if (is(name, short_name(each))) { return each; }
    }
    failf(p, "no such status: %.*s", (int)name.size, name.data);
    return CTIE_OK;
}

void expect_ok(player *p, const char *what, ctie_status status) {
    if (status != CTIE_OK) { failf(p, "%s: %s", what, short_name(status)); }
}

/* The message contains each of the texts that the step names. */
static void expect_said(player *p, step *s, ctie_str message) {
    ctie_str_list said = texts(p, s, "says");
    for (size_t i = 0; i < said.count; i++) {
        const char *wanted = copy(p, said.items[i]).data, *found = copy(p, message).data;
        if (strstr(found, wanted) == NULL) { failf(p, "\"%s\" is not in the message: %s", wanted, found); }
    }
}

/* The status of the step, and the error's place when the step names one. True when it went well. */
bool expect_status(player *p, step *s, ctie_status status, ctie_error *error_taken) {
    ctie_str expected = text(p, s, "status", "OK");
    ctie_str message = ctie_error_message(error_taken);
    if (!is(expected, short_name(status))) {
        failf(p, "%s instead of %.*s (%.*s)", short_name(status), (int)expected.size, expected.data, (int)message.size,
              message.data);
    }
    if (error_taken != NULL && ctie_error_status(error_taken) != status) {
        failf(p, "the error says %s, the function %s", short_name(ctie_error_status(error_taken)), short_name(status));
    }
    expect_text(p, s, "location", ctie_error_location(error_taken));
    expect_said(p, s, message);
    ctie_error_release(error_taken);
    return status >= 0;
}

static ctie_str shown(player *p, const ctie_value *value) {
    ctie_value *json = NULL;
    ctie_str result = CTIE_STR("(no JSON)");
    if (ctie_value_to_json(value, 0, &json, NULL) == CTIE_OK) { ctie_value_get_string(json, &result); }
    result = copy(p, result);
    ctie_value_release(json);
    return result;
}

void expect_value(player *p, const char *what, ctie_value *expected_taken, const ctie_value *actual) {
    if (!ctie_value_equal(expected_taken, actual)) {
        ctie_str wanted = shown(p, expected_taken), found = shown(p, actual);
        failf(p, "%s: %.*s instead of %.*s", what, (int)found.size, found.data, (int)wanted.size, wanted.data);
    }
    ctie_value_release(expected_taken);
}

void expect_text(player *p, step *s, const char *key, ctie_str actual) {
    if (!has(s, key)) { return; }
    ctie_str expected = text(p, s, key, "");
    if (same_text(expected, actual)) { return; }
    failf(p, "%s: \"%.*s\" instead of \"%.*s\"", key, (int)actual.size, actual.data, (int)expected.size, expected.data);
}

void expect_number(player *p, step *s, const char *key, int64_t actual) {
    if (!has(s, key) || number(s, key, 0) == actual) { return; }
    failf(p, "%s: %lld instead of %lld", key, (long long)actual, (long long)number(s, key, 0));
}

/* Everything that a response says; a value that the step does not name has to be null. */
void expect_response(player *p, step *s, ctie_response *response) {
    ctie_str expected = text(p, s, "status", "OK");
    ctie_status status = ctie_response_status(response);
    ctie_str message = ctie_response_message(response);
    if (!is(expected, short_name(status))) {
        failf(p, "%s instead of %.*s (%.*s)", short_name(status), (int)expected.size, expected.data, (int)message.size,
              message.data);
        return;
    }
    expect_number(p, s, "code", ctie_response_code(response));
    expect_text(p, s, "message", message);
    expect_value(p, "value", value(p, s, "value"), ctie_response_value(response));
}
