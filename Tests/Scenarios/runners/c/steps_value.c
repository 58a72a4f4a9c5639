/* Values as JSON and as MessagePack. */
#include "player.h"

static unsigned digit_of(char c) {
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a' + 10);
}

static ctie_str bytes_of(player *p, step *s) {
    ctie_str hex = text(p, s, "hex", "");
    char *bytes = keep_memory(p, hex.size / 2 + 1);
    for (size_t i = 0; i + 1 < hex.size; i += 2) {
        bytes[i / 2] = (char)(digit_of(hex.data[i]) << 4 | digit_of(hex.data[i + 1]));
    }
    return (ctie_str){bytes, hex.size / 2};
}

static ctie_str hex_of(player *p, ctie_str bytes) {
    static const char DIGITS[] = "0123456789abcdef";
    char *hex = keep_memory(p, bytes.size * 2 + 1);
    for (size_t i = 0; i < bytes.size; i++) {
        hex[2 * i] = DIGITS[(unsigned char)bytes.data[i] >> 4];
        hex[2 * i + 1] = DIGITS[(unsigned char)bytes.data[i] & 15];
    }
    return (ctie_str){hex, bytes.size * 2};
}

static void expect_read(player *p, step *s, ctie_status status, ctie_error *error, ctie_value *read) {
    if (expect_status(p, s, status, error)) { expect_value(p, "value", value(p, s, "value"), read); }
    ctie_value_release(read);
}

void step_from_json(player *p, step *s) {
    ctie_value *read = NULL;
    ctie_error *error = NULL;
    ctie_status status = ctie_value_from_json(text(p, s, "text", ""), &read, &error);
    expect_read(p, s, status, error, read);
}

void step_from_msgpack(player *p, step *s) {
    ctie_value *read = NULL;
    ctie_error *error = NULL;
    ctie_status status = ctie_value_from_msgpack(bytes_of(p, s), &read, &error);
    expect_read(p, s, status, error, read);
}

void step_to_json(player *p, step *s) {
    ctie_value *data = value(p, s, "value"), *json = NULL;
    ctie_error *error = NULL;
    ctie_str written = {"", 0};
    ctie_status status = ctie_value_to_json(data, 0, &json, &error);
    if (expect_status(p, s, status, error)) {
        expect_ok(p, "JSON is a string", ctie_value_get_string(json, &written));
        expect_text(p, s, "text", written);
    }
    ctie_value_release(json);
    ctie_value_release(data);
}

void step_to_msgpack(player *p, step *s) {
    ctie_value *data = value(p, s, "value"), *message = NULL;
    ctie_error *error = NULL;
    ctie_str written = {"", 0};
    ctie_status status = ctie_value_to_msgpack(data, &message, &error);
    if (expect_status(p, s, status, error)) {
        expect_ok(p, "MessagePack is bytes", ctie_value_get_bytes(message, &written));
        expect_text(p, s, "hex", hex_of(p, written));
    }
    ctie_value_release(message);
    ctie_value_release(data);
}
