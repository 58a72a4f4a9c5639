/* Messages of a group as messages of NATS, and back: each comes back as it was, and garbage is never believed. */
#include "envelope.h"

#include "../C/check.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 3000, GARBAGE_ROUNDS = 20000 };

static const char MEMBER[] = "0123456789abcdef0123456789abcdef";
static group_names names;
static uint64_t seed = 88172645463325252u;

static uint64_t any(uint64_t below) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return seed % below;
}

/* Random characters of one to four bytes, control characters and NUL among them. */
static ctie_str any_text(char *room, size_t least, size_t most) {
    size_t size = 0, wanted = least + any(most - least + 1);
    while (size < wanted) {
        uint64_t kind = any(6);
        if (kind == 0 && wanted - size >= 4) {
            memcpy(room + size, "\xf0\x9f\x8e\x88", 4), size += 4;
        } else if (kind == 1 && wanted - size >= 2) {
            room[size++] = '\xc3', room[size++] = (char)(0x80 + any(64));
        } else {
            room[size++] = kind == 2 ? " %:,\r\n\t"[any(7)] : (char)any(128);
        }
    }
    return (ctie_str){room, size};
}

static bool is_same(ctie_str one, ctie_str two) {
    return one.size == two.size && (one.size == 0 || memcmp(one.data, two.data, one.size) == 0);
}

static bool has_name(const ctie_header *headers, size_t count, ctie_str name) {
    for (size_t i = 0; i < count; i++) {
        if (is_same(headers[i].name, name)) { return true; }
    }
    return false;
}

/* Headers within the library's limits, each name once. */
static size_t any_headers(ctie_header out[CTIE_MAX_HEADERS], char *room) {
    size_t wanted = any(3) == 0 ? CTIE_MAX_HEADERS : any(6), count = 0;
    for (size_t i = 0; i < wanted; i++) {
        char *at = room + i * 128;
        ctie_str name = i == 0 && any(3) == 0 ? CTIE_STR("traceparent") : any_text(at, 1, 40);
        ctie_str value = any_text(at + 48, 0, 80);
        if (!has_name(out, count, name)) { out[count++] = (ctie_header){name, value}; }
    }
    return count;
}

static bool is_read_again(const ctie_engine_message *sent, const sender *from, natsMsg *made) {
    const char *problem = NULL;
    envelope read;
    if (!envelope_read(&names, natsMsg_GetSubject(made), made, &read, &problem)) { return false; }
    const ctie_engine_message *got = &read.message;
    bool is_so = got->kind == sent->kind && is_same(got->identifier, sent->identifier) && got->time == sent->time &&
                 got->expires == sent->expires && got->value.size == sent->value.size &&
                 got->header_count == sent->header_count && got->sender_pid == from->pid &&
                 is_same(got->sender_name, ctie_str_from(from->name)) && strcmp(read.member, from->member) == 0;
    is_so = is_so && (sent->value.size == 0 || memcmp(got->value.data, sent->value.data, sent->value.size) == 0);
    for (size_t i = 0; is_so && i < sent->header_count; i++) {
        is_so = is_same(got->headers[i].name, sent->headers[i].name) &&
                is_same(got->headers[i].value, sent->headers[i].value);
    }
    envelope_clear(&read);
    return is_so;
}

static void test_round_trips(void) {
    static char room[CTIE_MAX_HEADERS * 128], value[300];
    ctie_header headers[CTIE_MAX_HEADERS];
    int same = 0;
    for (int i = 0; i < ROUNDS; i++) {
        sender from = {.pid = (int32_t)any(INT32_MAX)};
        char name[64];
        memcpy(from.member, MEMBER, sizeof MEMBER);
        ctie_str text = any_text(name, 0, 64);
        for (size_t k = 0; k < text.size; k++) { from.name[k] = name[k] != 0 ? name[k] : '.'; }
        uint8_t token[CTIE_TRANSPORT_TOKEN_SIZE] = {(uint8_t)i};
        ctie_engine_message sent = {.size = sizeof sent, .kind = CTIE_MESSAGE_VALUE + (int32_t)any(3)};
        sent.identifier = CTIE_STR("a.b");
        for (size_t k = 0; k < sizeof value; k++) { value[k] = (char)any(256); }
        if (sent.kind == CTIE_MESSAGE_VALUE) { sent.value = (ctie_bytes){value, 1 + any(sizeof value)}; }
        sent.time = (int64_t)any(INT64_MAX), sent.expires = any(2) == 0 ? 0 : (int64_t)any(INT64_MAX);
        sent.header_count = any_headers(headers, room);
        sent.headers = sent.header_count > 0 ? headers : NULL;
        natsMsg *made = NULL;
        if (envelope_pack(&names, &from, &sent, any(2) == 0 ? NULL : token, any(3), NULL, &made) != CTIE_OK) { continue; }
        same += is_read_again(&sent, &from, made);
        natsMsg_Destroy(made);
    }
    CHECK(same == ROUNDS);
}

static bool has(natsMsg *in, const char *key, const char *wanted) {
    const char *value = NULL;
    return natsMsgHeader_Get(in, key, &value) == NATS_OK && strcmp(value, wanted) == 0;
}

/* The headers as other programs see them. */
static void test_headers(void) {
    sender from = {.pid = 42, .name = "J\xc3\xb6rg %"};
    memcpy(from.member, MEMBER, sizeof MEMBER);
    uint8_t token[CTIE_TRANSPORT_TOKEN_SIZE] = {0x00, 0xff};
    ctie_header headers[] = {{CTIE_STR("reply_to"), CTIE_STR("a:b c")},
                             {CTIE_STR("traceparent"), CTIE_STR("00-1-2-01")}};
    ctie_engine_message sent = {.size = sizeof sent, .kind = CTIE_MESSAGE_SIGNAL, .time = 5, .expires = 9};
    sent.identifier = CTIE_STR("a"), sent.headers = headers, sent.header_count = 2;
    natsMsg *made = NULL;
    CHECK(envelope_pack(&names, &from, &sent, token, 0, "r.7", &made) == CTIE_OK);
    CHECK(strcmp(natsMsg_GetReply(made), "r.7") == 0);
    CHECK(has(made, "Ctie-From", "0123456789abcdef0123456789abcdef 42 J%C3%B6rg%20%25"));
    CHECK(has(made, "Ctie-Time", "5") && has(made, "Ctie-Expires", "9") && has(made, "Ctie-Format", "1"));
    CHECK(has(made, "Nats-Msg-Id", "00ff0000000000000000000000000000"));
    CHECK(has(made, "Ctie-Headers", "reply_to,traceparent"));
    CHECK(has(made, "Ctie-H-reply_to", "a:b%20c") && has(made, "traceparent", "00-1-2-01"));
    natsMsg_Destroy(made);
    CHECK(envelope_pack(&names, &from, &sent, token, 3, NULL, &made) == CTIE_OK);
    CHECK(has(made, "Nats-Msg-Id", "00ff0000000000000000000000000000-3"));
    natsMsg_Destroy(made);
}

/* No header is written with an empty value: libnats would read the next line as its continuation. */
static void test_empty_values(void) {
    sender from = {.pid = 42};
    memcpy(from.member, MEMBER, sizeof MEMBER);
    ctie_header headers[] = {{CTIE_STR("a"), CTIE_STR("")}, {CTIE_STR("b"), CTIE_STR("%")},
                             {CTIE_STR("traceparent"), CTIE_STR("")}, {CTIE_STR("c"), CTIE_STR(" ")}};
    for (size_t count = 1; count <= 4; count++) {
        ctie_engine_message sent = {.size = sizeof sent, .kind = CTIE_MESSAGE_SIGNAL, .time = 5};
        sent.identifier = CTIE_STR("a"), sent.headers = headers, sent.header_count = count;
        natsMsg *made = NULL;
        const char **keys = NULL;
        int key_count = 0;
        CHECK(envelope_pack(&names, &from, &sent, NULL, 0, NULL, &made) == CTIE_OK);
        CHECK(natsMsgHeader_Keys(made, &keys, &key_count) == NATS_OK && key_count > (int)count);
        for (int i = 0; i < key_count; i++) {
            const char *value = NULL;
            CHECK(natsMsgHeader_Get(made, keys[i], &value) == NATS_OK && value[strspn(value, " \t")] != 0);
        }
        CHECK(is_read_again(&sent, &from, made));
        free(keys);
        natsMsg_Destroy(made);
    }
}

static natsMsg *made_of(const char *const pairs[][2], const char *body) {
    natsMsg *made = NULL;
    natsMsg_Create(&made, "ctie.shop.m.v.a", NULL, body, (int)strlen(body));
    for (; (*pairs)[0] != NULL; pairs++) { natsMsgHeader_Add(made, (*pairs)[0], (*pairs)[1]); }
    return made;
}

static bool read_one(natsMsg *made, envelope *out) {
    const char *problem = NULL;
    return envelope_read(&names, natsMsg_GetSubject(made), made, out, &problem);
}

static void test_foreign(void) {
    static const char *const OTHERS[][2] = {{"color", "red"}, {"Nats-Sequence", "4"}, {"ctie-else", "x"}, {NULL, NULL}};
    static const char *const BROKEN[][2] = {
        {"Ctie-From", "0123 -4 %"}, {"Ctie-Time", "-5"}, {"Ctie-Expires", "9x"}, {"Ctie-Headers", ",,a,,a,%"},
        {"Ctie-H-a", "%ff"}, {"Ctie-H-", "b"}, {"Ctie-H-c", "%4"}, {"c", "shadowed"}, {NULL, NULL}};
    static const char *const NEWER[][2] = {{"Ctie-Format", "2"}, {NULL, NULL}};
    envelope read;
    natsMsg *made = made_of(OTHERS, "x");
    CHECK(read_one(made, &read) && read.message.header_count == 1 && read.message.value.size == 1);
    CHECK(text_is(read.message.headers[0].name, "color") && text_is(read.message.headers[0].value, "red"));
    CHECK(read.member[0] == 0 && read.message.sender_pid == 0 && read.message.sender_name.size == 0);
    envelope_clear(&read), natsMsg_Destroy(made);
    made = made_of(BROKEN, "x");
    CHECK(read_one(made, &read) && read.message.header_count == 1 && text_is(read.message.headers[0].value, "%4"));
    CHECK(read.message.time == 0 && read.message.expires == 0 && read.member[0] == 0);
    envelope_clear(&read), natsMsg_Destroy(made);
    made = made_of(NEWER, "x");
    CHECK(!read_one(made, &read));
    natsMsg_Destroy(made);
}

/* As many headers, and as large ones, as the library allows, and not one more. */
static void test_limits(void) {
    static char large[CTIE_MAX_HEADERS_SIZE + 1];
    char key[32];
    envelope read;
    natsMsg *made = NULL;
    natsMsg_Create(&made, "ctie.shop.m.v.a", NULL, "x", 1);
    for (int i = 0; i < 1000; i++) {
        snprintf(key, sizeof key, i % 2 == 0 ? "h%d" : "Ctie-H-o%d", i);
        natsMsgHeader_Set(made, key, "v");
    }
    CHECK(read_one(made, &read) && read.message.header_count == CTIE_MAX_HEADERS);
    envelope_clear(&read), natsMsg_Destroy(made);
    memset(large, 'v', CTIE_MAX_HEADERS_SIZE);
    for (int over = 0; over < 2; over++) {
        natsMsg_Create(&made, "ctie.shop.m.v.a", NULL, "x", 1);
        natsMsgHeader_Set(made, "n", large + 1 - over);
        CHECK(read_one(made, &read) && read.message.header_count == (over == 0 ? 1 : 0));
        envelope_clear(&read), natsMsg_Destroy(made);
    }
}

/* Whatever the headers are, what is read is within the limits that the library checks. */
static bool is_sound(const envelope *it) {
    size_t size = 0;
    for (size_t i = 0; i < it->message.header_count; i++) {
        const ctie_header *header = &it->message.headers[i];
        size += header->name.size + header->value.size;
        if (header->name.size == 0 || header->name.size > 128) { return false; }
        if (has_name(header + 1, it->message.header_count - i - 1, header->name)) { return false; }
    }
    return size <= CTIE_MAX_HEADERS_SIZE && it->message.header_count <= CTIE_MAX_HEADERS && it->message.time >= 0 &&
           it->message.expires >= 0 && it->message.sender_pid >= 0 && it->message.sender_name.size <= 64;
}

static void test_garbage(void) {
    static const char *const KEYS[] = {"Ctie-From", "Ctie-Time", "Ctie-Expires", "Ctie-Headers", "Ctie-H-a",
                                       "Ctie-H-%41", "traceparent", "A", "Ctie-H-%", "Ctie-H-a%2"};
    static char text[6000];
    int sound = 0;
    for (int i = 0; i < GARBAGE_ROUNDS; i++) {
        natsMsg *made = NULL;
        envelope read;
        natsMsg_Create(&made, "ctie.shop.m.v.a", NULL, "x", 1);
        for (uint64_t k = any(8); k > 0; k--) {
            size_t size = any(20) == 0 ? any(sizeof text) : any(90);
            for (size_t c = 0; c < size; c++) { text[c] = any(3) == 0 ? "%, 0aA"[any(6)] : (char)(1 + any(255)); }
            text[size] = 0;
            natsMsgHeader_Add(made, KEYS[any(sizeof KEYS / sizeof *KEYS)], text);
        }
        sound += read_one(made, &read) && is_sound(&read);
        envelope_clear(&read), natsMsg_Destroy(made);
    }
    CHECK(sound == GARBAGE_ROUNDS);
}

int main(void) {
    if (nats_Open(-1) != NATS_OK) { return 1; }
    names_of_group(&names, CTIE_STR("shop"));
    test_round_trips();
    test_headers();
    test_empty_values();
    test_foreign();
    test_limits();
    test_garbage();
    nats_Close();
    return check_end();
}
