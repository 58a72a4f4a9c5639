/* Messages of the wormhole as messages of NATS. */
#include "headers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char NAME_STOPS[] = ":,";

static bool set(natsMsg *to, const char *key, const char *value) {
    return natsMsgHeader_Set(to, key, value) == NATS_OK;
}

static bool set_number(natsMsg *to, const char *key, int64_t number) {
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, number);
    return set(to, key, text);
}

static bool set_sender(natsMsg *to, const sender *from) {
    char text[MEMBER_SIZE + 16 + 3 * sizeof from->name];
    int size = snprintf(text, sizeof text, "%.*s %" PRId32 " ", MEMBER_SIZE, from->member, from->pid);
    *text_encode(text + size, (ctie_str){from->name, strnlen(from->name, sizeof from->name)}, "") = 0;
    return set(to, "Ctie-From", text);
}

static bool set_token(natsMsg *to, const uint8_t *token, size_t index) {
    char text[2 * CTIE_TRANSPORT_TOKEN_SIZE + 24];
    for (size_t i = 0; i < CTIE_TRANSPORT_TOKEN_SIZE; i++) { snprintf(text + 2 * i, 3, "%02x", token[i]); }
    if (index > 0) { snprintf(text + 2 * CTIE_TRANSPORT_TOKEN_SIZE, 24, "-%zu", index); }
    return set(to, "Nats-Msg-Id", text);
}

/* Whether a value may be written as it is, so that it is read as the same. */
static bool is_plain(ctie_str text) {
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < 0x20 || text.data[i] == 0x7f) { return false; }
    }
    return text.size > 0 && text.data[0] != ' ' && text.data[text.size - 1] != ' ';
}

static bool set_header(natsMsg *to, const ctie_header *header, char *room) {
    if (is_trace(header->name) && is_plain(header->value)) {
        memcpy(room, header->value.data, header->value.size);
        room[header->value.size] = 0;
        return set(to, TRACE, room);
    }
    char *key = stpcpy(room, OWN);
    key = text_encode(key, header->name, NAME_STOPS);
    *key++ = 0;
    char *end = header->value.size > 0 ? text_encode(key, header->value, "") : stpcpy(key, EMPTY_VALUE);
    *end = 0;
    return set(to, room, key);
}

static bool set_order(natsMsg *to, const ctie_engine_message *message, char *room) {
    char *end = room;
    for (size_t i = 0; i < message->header_count; i++) {
        if (i > 0) { *end++ = ','; }
        end = text_encode(end, message->headers[i].name, NAME_STOPS);
    }
    *end = 0;
    return set(to, "Ctie-Headers", room);
}

static bool set_headers(natsMsg *to, const ctie_engine_message *message) {
    size_t size = 0;
    if (message->header_count == 0) { return true; }
    for (size_t i = 0; i < message->header_count; i++) {
        size += message->headers[i].name.size + message->headers[i].value.size + 1;
    }
    char *room = malloc(3 * size + sizeof OWN + 2);
    bool is_done = room != NULL;
    for (size_t i = 0; is_done && i < message->header_count; i++) {
        is_done = set_header(to, &message->headers[i], room);
    }
    if (is_done && message->header_count > 1) { is_done = set_order(to, message, room); }
    free(room);
    return is_done;
}

ctie_status envelope_pack(const group_names *names, const sender *from, const ctie_engine_message *message,
                          const uint8_t *token, size_t index, const char *reply, natsMsg **out) {
    char subject[SUBJECT_MOST];
    natsMsg *made = NULL;
    *out = NULL;
    if (message->value.size > INT32_MAX / 2) { return CTIE_E_LIMIT; }
    names_subject(names, message->kind, message->identifier, subject);
    bool has_value = message->kind == CTIE_MESSAGE_VALUE;
    int size = has_value ? (int)message->value.size : 0;
    if (natsMsg_Create(&made, subject, reply, size > 0 ? message->value.data : NULL, size) != NATS_OK) {
        return CTIE_E_NO_MEMORY;
    }
    bool is_done = set_sender(made, from) && set_number(made, "Ctie-Time", message->time) &&
                   set(made, "Ctie-Format", "1") &&
                   (message->expires == 0 || set_number(made, "Ctie-Expires", message->expires)) &&
                   (token == NULL || set_token(made, token, index)) && set_headers(made, message);
    if (!is_done) {
        natsMsg_Destroy(made);
        return CTIE_E_NO_MEMORY;
    }
    *out = made;
    return CTIE_OK;
}
