/* Messages of NATS as messages of the wormhole. All of it is a stranger's. */
#include "reading.h"

#include <stdlib.h>

enum { ENCODED_MOST = 3 * (int)CTIE_MAX_HEADERS_SIZE + 64 };

const char *reading_get(natsMsg *from, const char *key) {
    const char *value = NULL;
    return natsMsgHeader_Get(from, key, &value) == NATS_OK ? value : NULL;
}

static int64_t get_time(natsMsg *from, const char *key) {
    const char *text = reading_get(from, key);
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
    const char *text = reading_get(it->from, "Ctie-From");
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
    reading_take_listed(it);
    reading_take_others(it);
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
        const char *format = reading_get(from, "Ctie-Format");
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
