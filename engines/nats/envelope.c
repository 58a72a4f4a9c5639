/* Messages of NATS as messages of the wormhole. All of it is a stranger's. */
#include "headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum { ENCODED_MOST = 3 * (int)CTIE_MAX_HEADERS_SIZE + 64 };

/* A message whose headers are being read. */
typedef struct reading {
    natsMsg *from;
    envelope *out;
    size_t count, size; /* of the headers so far */
    char *end;          /* of the texts so far */
} reading;

static const char *get(natsMsg *from, const char *key) {
    const char *value = NULL;
    return natsMsgHeader_Get(from, key, &value) == NATS_OK ? value : NULL;
}

static int64_t get_time(natsMsg *from, const char *key) {
    const char *text = get(from, key);
    uint64_t number = 0;
    return text != NULL && text_number(text, strlen(text), INT64_MAX, &number) ? (int64_t)number : 0;
}

static bool is_member(const char *text) {
    for (int i = 0; i < MEMBER_SIZE; i++) {
        if (strchr("0123456789abcdef", text[i]) == NULL || text[i] == 0) { return false; }
    }
    return text[MEMBER_SIZE] == ' ';
}

static void read_sender(reading *it) {
    ctie_engine_message *message = &it->out->message;
    const char *text = get(it->from, "Ctie-From");
    uint64_t pid;
    if (text == NULL || !is_member(text)) { return; }
    memcpy(it->out->member, text, MEMBER_SIZE);
    text += MEMBER_SIZE + 1;
    size_t digits = strspn(text, "0123456789");
    if (text_number(text, digits, INT32_MAX, &pid)) { message->sender_pid = (int32_t)pid; }
    text += digits;
    size_t size = *text == ' ' ? strlen(text + 1) : 0;
    if (size == 0 || size > 3 * (sizeof((sender *)NULL)->name - 1)) { return; }
    size_t decoded = (size_t)(text_decode(it->end, text + 1, size) - it->end);
    if (decoded >= sizeof((sender *)NULL)->name || !text_is_utf8(it->end, decoded)) { return; }
    message->sender_name = (ctie_str){it->end, decoded};
    it->end += decoded;
}

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

/* The headers that Ctie-Headers lists, in its order. */
static void read_listed(reading *it) {
    const char *list = get(it->from, "Ctie-Headers");
    char key[sizeof OWN + 3 * NAME_MOST];
    for (size_t size; list != NULL && *list != 0 && it->count < CTIE_MAX_HEADERS; list += size + (list[size] == ',')) {
        size = strcspn(list, ",");
        if (size > 3 * NAME_MOST) { continue; }
        snprintf(key, sizeof key, OWN "%.*s", (int)size, list);
        const char *value = get(it->from, key);
        bool is_own = value != NULL;
        if (!is_own && is_trace((ctie_str){list, size})) { value = get(it->from, TRACE); }
        if (value != NULL) { add_header(it, list, size, value, is_own); }
    }
}

/* The other headers: our own first, then those of other programs. Headers of the server and of this format are
   neither. */
static void read_others(reading *it) {
    const char **keys = NULL;
    int count = 0;
    if (natsMsgHeader_Keys(it->from, &keys, &count) != NATS_OK) { return; }
    for (int is_foreign = 0; is_foreign < 2; is_foreign++) {
        for (int i = 0; i < count && it->count < CTIE_MAX_HEADERS; i++) {
            bool is_own = strncmp(keys[i], OWN, sizeof OWN - 1) == 0;
            bool is_reserved = strncasecmp(keys[i], "Ctie-", 5) == 0 || strncasecmp(keys[i], "Nats-", 5) == 0;
            if (is_foreign ? is_reserved : !is_own) { continue; }
            const char *name = is_own ? keys[i] + sizeof OWN - 1 : keys[i], *value = get(it->from, keys[i]);
            if (value != NULL) { add_header(it, name, strlen(name), value, is_own); }
        }
    }
    free(keys);
}

static bool has_headers(natsMsg *from) {
    const char **keys = NULL;
    int count = 0;
    bool has = natsMsgHeader_Keys(from, &keys, &count) == NATS_OK && count > 0;
    free(keys);
    return has;
}

static bool read_headers(reading *it) {
    enum { ROOM = sizeof((sender *)NULL)->name * 3 + CTIE_MAX_HEADERS_SIZE + ENCODED_MOST + 3 * NAME_MOST };
    it->out->headers = calloc(CTIE_MAX_HEADERS, sizeof *it->out->headers);
    it->end = it->out->texts = malloc(ROOM);
    if (it->out->headers == NULL || it->out->texts == NULL) { return false; }
    read_sender(it);
    read_listed(it);
    read_others(it);
    it->out->message.time = get_time(it->from, "Ctie-Time");
    it->out->message.expires = get_time(it->from, "Ctie-Expires");
    return true;
}

static bool fail_reading(envelope *out, const char **problem, const char *text) {
    envelope_clear(out);
    *problem = text;
    return false;
}

bool envelope_read(const group_names *names, const char *subject, natsMsg *from, envelope *out, const char **problem) {
    ctie_engine_message *message = &out->message;
    reading it = {from, out, 0, 0, NULL};
    memset(out, 0, sizeof *out);
    message->size = sizeof *message;
    message->sender_name = (ctie_str){"", 0};
    if (!names_read(names, subject, &message->kind, &message->identifier)) {
        return fail_reading(out, problem, "its subject is none of the group's");
    }
    if (has_headers(from)) {
        const char *format = get(from, "Ctie-Format");
        bool is_newer = format != NULL && strcmp(format, "1") != 0;
        if (is_newer) { return fail_reading(out, problem, "it is of a newer format"); }
        if (!read_headers(&it)) { return fail_reading(out, problem, "there is no memory for it"); }
    }
    int size = natsMsg_GetDataLength(from);
    if (message->kind == CTIE_MESSAGE_VALUE && size > 0) {
        message->value = (ctie_bytes){natsMsg_GetData(from), (size_t)size};
    }
    message->headers = it.count > 0 ? out->headers : NULL;
    message->header_count = it.count;
    return true;
}

void envelope_clear(envelope *it) {
    free(it->headers);
    free(it->texts);
    memset(it, 0, sizeof *it);
}
