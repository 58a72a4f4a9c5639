/* Reading the data of a step: texts, numbers, and values in the notation of scenarios. */
#include "player.h"

#include <stdlib.h>
#include <string.h>

bool has(step *s, const char *key) {
    return ctie_value_get(s, ctie_str_from(key)) != NULL;
}

bool is(ctie_str text, const char *other) {
    return same_text(text, ctie_str_from(other));
}

bool same_text(ctie_str left, ctie_str right) {
    return left.size == right.size && (left.size == 0 || memcmp(left.data, right.data, left.size) == 0);
}

ctie_str copy(player *p, ctie_str text) {
    char *memory = keep_memory(p, text.size + 1);
    if (text.size > 0) { memcpy(memory, text.data, text.size); }
    memory[text.size] = 0;
    return (ctie_str){memory, text.size};
}

/* One piece of a text: itself, or {"repeat": …, "times": …}. */
static void append_piece(player *p, step *piece, ctie_str *sum) {
    ctie_str unit = {NULL, 0};
    int64_t times = 1;
    if (ctie_value_get_string(piece, &unit) != CTIE_OK) {
        ctie_value_get_string(ctie_value_get(piece, CTIE_STR("repeat")), &unit);
        times = number(piece, "times", 0);
    }
    char *memory = keep_memory(p, sum->size + unit.size * (size_t)times + 1);
    if (sum->size > 0) { memcpy(memory, sum->data, sum->size); }
    for (int64_t i = 0; i < times; i++) {
        memcpy(memory + sum->size + unit.size * (size_t)i, unit.data, unit.size);
    }
    *sum = (ctie_str){memory, sum->size + unit.size * (size_t)times};
}

static ctie_str text_of(player *p, step *data) {
    ctie_str result = {"", 0};
    if (ctie_value_get_string(data, &result) == CTIE_OK) { return result; }
    for (size_t i = 0; i < ctie_value_count(data); i++) { append_piece(p, ctie_value_at(data, i), &result); }
    return result;
}

ctie_str text(player *p, step *s, const char *key, const char *otherwise) {
    step *data = ctie_value_get(s, ctie_str_from(key));
    return data == NULL ? ctie_str_from(otherwise) : text_of(p, data);
}

ctie_str_list texts(player *p, step *s, const char *key) {
    step *data = ctie_value_get(s, ctie_str_from(key));
    size_t count = ctie_value_count(data);
    ctie_str *items = keep_memory(p, sizeof *items * (count + 1));
    for (size_t i = 0; i < count; i++) { items[i] = text_of(p, ctie_value_at(data, i)); }
    return (ctie_str_list){items, count};
}

int64_t number(step *s, const char *key, int64_t otherwise) {
    int64_t result = otherwise;
    ctie_value_get_int(ctie_value_get(s, ctie_str_from(key)), &result);
    return result;
}

bool flag(step *s, const char *key, bool otherwise) {
    bool result = otherwise;
    ctie_value_get_bool(ctie_value_get(s, ctie_str_from(key)), &result);
    return result;
}

static ctie_value *bytes_of_hex(player *p, ctie_str hex) {
    unsigned char *bytes = keep_memory(p, hex.size / 2 + 1);
    for (size_t i = 0; i + 1 < hex.size; i += 2) {
        char digits[3] = {hex.data[i], hex.data[i + 1], 0};
        bytes[i / 2] = (unsigned char)strtoul(digits, NULL, 16);
    }
    return ctie_value_bytes((ctie_str){(char *)bytes, hex.size / 2});
}

static ctie_value *expand(player *p, step *data);

static ctie_value *expand_list(player *p, step *data) {
    size_t count = ctie_value_count(data);
    ctie_value **items = keep_memory(p, sizeof *items * (count + 1));
    for (size_t i = 0; i < count; i++) { items[i] = expand(p, ctie_value_at(data, i)); }
    return ctie_value_list(items, count);
}

static ctie_value *expand_map(player *p, step *data) {
    size_t count = ctie_value_count(data);
    if (count == 1 && has(data, "$bytes")) { return bytes_of_hex(p, text(p, data, "$bytes", "")); }
    if (count == 1 && has(data, "$double")) {
        return ctie_value_double(strtod(text(p, data, "$double", "").data, NULL));
    }
    if (count == 1 && has(data, "$text")) { return ctie_value_string(text(p, data, "$text", "")); }
    ctie_pair *pairs = keep_memory(p, sizeof *pairs * (count + 1));
    for (size_t i = 0; i < count; i++) {
        const ctie_value *entry = NULL;
        ctie_value_entry_at(data, i, &pairs[i].key, &entry);
        pairs[i].value = expand(p, entry);
    }
    return ctie_value_map(pairs, count);
}

/* Writes out what JSON has no form for; everything else is itself. Owned. */
static ctie_value *expand(player *p, step *data) {
    switch (ctie_value_kind(data)) {
    case CTIE_KIND_LIST: return expand_list(p, data);
    case CTIE_KIND_MAP: return expand_map(p, data);
    default: return ctie_value_retain(data);
    }
}

ctie_value *value(player *p, step *s, const char *key) {
    step *data = ctie_value_get(s, ctie_str_from(key));
    return data == NULL ? ctie_value_null() : expand(p, data);
}

step *keep_value(player *p, ctie_value *value_taken) {
    thing_add(p, VALUE, CTIE_STR(""), value_taken);
    return value_taken;
}

void values_end(player *p) {
    for (ctie_value *each; (each = thing_next(p, VALUE)) != NULL;) { ctie_value_release(each); }
}

ctie_value *pair_map(const char *key, ctie_value *value_taken) {
    ctie_pair pair = {ctie_str_from(key), value_taken};
    return ctie_value_map(&pair, 1);
}
