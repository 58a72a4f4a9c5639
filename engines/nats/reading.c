/* A message's own headers, within the library's limits. */
#include "reading.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

static bool has_header(const reading *it, ctie_str name) {
    for (size_t i = 0; i < it->count; i++) {
        const ctie_str have = it->out->headers[i].name;
        if (have.size == name.size && memcmp(have.data, name.data, name.size) == 0) { return true; }
    }
    return false;
}

static bool is_text(ctie_str text) { return text_is_utf8(text.data, text.size); }

static ctie_str copied(char *to, const char *text, size_t size, bool is_encoded) {
    if (is_encoded) { return (ctie_str){to, (size_t)(text_decode(to, text, size) - to)}; }
    if (size > 0) { memcpy(to, text, size); }
    return (ctie_str){to, size};
}

/* Enters a header, unless it is over a limit, there already, or no UTF-8. `room` of the texts is for all encoded bytes
   that a header within the limits can have. */
static void add_header(reading *it, const char *name, size_t name_size, const char *value, bool is_encoded) {
    if (is_encoded && strcmp(value, EMPTY_VALUE) == 0) { value = ""; }
    size_t value_size = strlen(value), growth = is_encoded ? 3 : 1;
    if (it->count == CTIE_MAX_HEADERS || name_size > growth * NAME_MOST) { return; }
    if (value_size > growth * (CTIE_MAX_HEADERS_SIZE - it->size)) { return; }
    ctie_header header = {.name = copied(it->end, name, name_size, is_encoded)};
    header.value = copied(it->end + header.name.size, value, value_size, is_encoded);
    size_t size = header.name.size + header.value.size;
    if (header.name.size == 0 || header.name.size > NAME_MOST || it->size + size > CTIE_MAX_HEADERS_SIZE) { return; }
    if (!is_text(header.name) || !is_text(header.value)) { return; }
    if (has_header(it, header.name)) { return; }
    it->out->headers[it->count++] = header;
    it->size += size, it->end += size;
}

void reading_take_listed(reading *it) {
    const char *list = reading_get(it->from, "Ctie-Headers");
    char key[sizeof OWN + 3 * NAME_MOST];
    for (size_t size; list != NULL && *list != 0 && it->count < CTIE_MAX_HEADERS; list += size + (list[size] == ',')) {
        size = strcspn(list, ",");
        if (size > 3 * NAME_MOST) { continue; }
        snprintf(key, sizeof key, OWN "%.*s", (int)size, list);
        const char *value = reading_get(it->from, key);
        bool is_own = value != NULL;
        if (!is_own && is_trace((ctie_str){list, size})) { value = reading_get(it->from, TRACE); }
        if (value != NULL) { add_header(it, list, size, value, is_own); }
    }
}

void reading_take_others(reading *it) {
    const char **keys = NULL;
    int count = 0;
    if (natsMsgHeader_Keys(it->from, &keys, &count) != NATS_OK) { return; }
    for (int is_foreign = 0; is_foreign < 2; is_foreign++) {
        for (int i = 0; i < count && it->count < CTIE_MAX_HEADERS; i++) {
            bool is_own = strncmp(keys[i], OWN, sizeof OWN - 1) == 0;
            bool is_reserved = strncasecmp(keys[i], "Ctie-", 5) == 0 || strncasecmp(keys[i], "Nats-", 5) == 0;
            if (is_foreign ? is_reserved : !is_own) { continue; }
            const char *name = is_own ? keys[i] + sizeof OWN - 1 : keys[i], *value = reading_get(it->from, keys[i]);
            if (value != NULL) { add_header(it, name, strlen(name), value, is_own); }
        }
    }
    free(keys);
}
