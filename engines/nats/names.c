#include "names.h"

#include <openssl/sha.h>
#include <stdio.h>
#include <string.h>

enum { IDENTIFIER_MOST = 128, PREFIX_MOST = IDENTIFIER_MOST + 2 };

/* '=' is in no group's name, so that the second stream of one group is never the first of another. */
void names_of_group(group_names *out, ctie_str group) {
    size_t size = group.size < IDENTIFIER_MOST ? group.size : IDENTIFIER_MOST;
    for (size_t i = 0; i < size; i++) { out->group[i] = group.data[i] == '.' ? '+' : group.data[i]; }
    out->group[size] = 0;
    snprintf(out->stream, sizeof out->stream, "CTIE_%.*s", IDENTIFIER_MOST, out->group);
    snprintf(out->now, sizeof out->now, "CTIE_%.*s=now", IDENTIFIER_MOST, out->group);
    snprintf(out->durable, sizeof out->durable, "CTIE_%.*s=durable", IDENTIFIER_MOST, out->group);
    snprintf(out->everything, sizeof out->everything, "ctie.%s.m.x", out->group);
    snprintf(out->messages, sizeof out->messages, "ctie.%s.m.>", out->group);
    snprintf(out->presence, sizeof out->presence, "ctie.%s.p", out->group);
    snprintf(out->joins, sizeof out->joins, "ctie.%s.j", out->group);
}

static char letter_of_kind(int32_t kind) {
    switch (kind) {
    case CTIE_MESSAGE_VALUE: return SUBJECT_VALUE;
    case CTIE_MESSAGE_SIGNAL: return SUBJECT_SIGNAL;
    default: return SUBJECT_DESTROYED;
    }
}

void names_subject(const group_names *names, int32_t kind, ctie_str identifier, char out[SUBJECT_MOST]) {
    if (identifier.size == 0) {
        snprintf(out, SUBJECT_MOST, "%s", names->everything);
        return;
    }
    int size = (int)(identifier.size < IDENTIFIER_MOST ? identifier.size : IDENTIFIER_MOST);
    snprintf(out, SUBJECT_MOST, "ctie.%s.m.%c.%.*s", names->group, letter_of_kind(kind), size, identifier.data);
}

void names_filter(const group_names *names, char kind, ctie_str topic, char out[SUBJECT_MOST]) {
    size_t size = topic.size < PREFIX_MOST ? topic.size : PREFIX_MOST;
    bool is_prefix = size > 0 && topic.data[size - 1] == '*';
    if (is_prefix) { size--; }
    snprintf(out, SUBJECT_MOST, "ctie.%s.m.%c.%.*s%s", names->group, kind, (int)size, topic.data, is_prefix ? ">" : "");
}

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

bool names_is_identifier(const char *text) {
    size_t size = strnlen(text, IDENTIFIER_MOST + 1);
    if (size == 0 || size > IDENTIFIER_MOST || !is_word(text[0]) || text[0] == '_' || text[0] == '-') { return false; }
    for (size_t i = 1; i < size; i++) {
        bool is_dot = text[i] == '.' && text[i - 1] != '.' && i + 1 < size;
        if (!is_dot && !is_word(text[i])) { return false; }
    }
    return true;
}

bool names_read(const group_names *names, const char *subject, int32_t *kind, ctie_str *identifier) {
    char stem[SUBJECT_MOST];
    size_t size = (size_t)snprintf(stem, sizeof stem, "ctie.%s.m.", names->group);
    *kind = CTIE_MESSAGE_DESTROYED;
    *identifier = (ctie_str){"", 0};
    if (subject == NULL || strncmp(subject, stem, size) != 0) { return false; }
    if (strcmp(subject, names->everything) == 0) { return true; }
    switch (subject[size]) {
    case SUBJECT_VALUE: *kind = CTIE_MESSAGE_VALUE; break;
    case SUBJECT_SIGNAL: *kind = CTIE_MESSAGE_SIGNAL; break;
    case SUBJECT_DESTROYED: break;
    default: return false;
    }
    if (subject[size + 1] != '.' || !names_is_identifier(subject + size + 2)) { return false; }
    *identifier = ctie_str_from(subject + size + 2);
    return true;
}

bool names_consumer(ctie_str topic, ctie_str name, char out[CONSUMER_MOST]) {
    static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    char text[2 * PREFIX_MOST + 1];
    unsigned char sum[SHA256_DIGEST_LENGTH];
    size_t name_size = name.size < PREFIX_MOST ? name.size : PREFIX_MOST;
    size_t topic_size = topic.size < PREFIX_MOST ? topic.size : PREFIX_MOST;
    memcpy(text, name.data, name_size);
    text[name_size] = 0;
    memcpy(text + name_size + 1, topic.data, topic_size);
    *out = 0;
    if (SHA256((const unsigned char *)text, name_size + 1 + topic_size, sum) == NULL) { return false; }
    uint32_t bits = 0;
    int count = 0;
    for (size_t i = 0; i < SHA256_DIGEST_LENGTH; i++) {
        bits = (bits & 0xff) << 8 | sum[i];
        for (count += 8; count >= 5; count -= 5) { *out++ = DIGITS[bits >> (count - 5) & 31]; }
    }
    if (count > 0) { *out++ = DIGITS[bits << (5 - count) & 31]; }
    *out = 0;
    return true;
}
