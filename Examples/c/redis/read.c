/* The functions of the transport that read. */
#define _GNU_SOURCE
#include "parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEY_MOST = 511 };

ctie_status ask(transport *it, const words *command, redisReply **out, int64_t deadline) {
    ctie_status status = CTIE_E_UNCERTAIN;
    for (int turn = 0; turn < 2 && status == CTIE_E_UNCERTAIN; turn++) {
        int64_t left = deadline - now_ms();
        status = left > 0 ? connection_call(&it->commands, command, out, left) : CTIE_E_UNAVAILABLE;
    }
    return status == CTIE_E_UNCERTAIN ? CTIE_E_UNAVAILABLE : status;
}

bool number_of(const redisReply *reply, uint64_t *out) {
    if (reply->type == REDIS_REPLY_INTEGER) {
        *out = (uint64_t)reply->integer;
        return reply->integer >= 0;
    }
    if (reply->type != REDIS_REPLY_STRING || reply->len == 0 || reply->len > 20) return false;
    if (strspn(reply->str, "0123456789") != (size_t)reply->len) return false;
    errno = 0;
    *out = strtoull(reply->str, NULL, 10);
    return errno == 0;
}

ctie_status get_version(void *data, uint64_t *out, int64_t timeout_ms) {
    transport *it = (transport *)data;
    words command;
    redisReply *reply = NULL;
    if (!words_init(&command, 2)) return CTIE_E_NO_MEMORY;
    words_add_text(&command, "GET"), words_add_text(&command, it->version);
    ctie_status status = ask(it, &command, &reply, deadline_in(timeout_ms));
    words_free(&command);
    if (status != CTIE_OK) return status;
    if (reply->type == REDIS_REPLY_NIL) *out = 0; /* before the first commit */
    else if (!number_of(reply, out)) status = CTIE_E_CORRUPT;
    freeReplyObject(reply);
    return status;
}

/* A page of records, with the version that they belong to. */
static const char PAGE[] =
    "local back = ARGV[1] == 'back'\n"
    "local keys = redis.call(back and 'ZREVRANGEBYLEX' or 'ZRANGEBYLEX', KEYS[2], ARGV[2], back and '-' or '+',\n"
    "                        'LIMIT', 0, ARGV[3])\n"
    "local out = {redis.call('GET', KEYS[1]) or '0'}\n"
    "for i, key in ipairs(keys) do\n"
    "    out[2 * i] = key\n"
    "    out[2 * i + 1] = redis.call('HGET', KEYS[3], key)\n"
    "end\n"
    "return out\n";

static ctie_status ask_page(transport *it, bool backward, const char *from, size_t from_size, int most,
                            redisReply **out, int64_t deadline) {
    words command;
    char limit[16];
    if (!words_init(&command, 9)) return CTIE_E_NO_MEMORY;
    snprintf(limit, sizeof limit, "%d", most);
    words_add_text(&command, "EVAL"), words_add_text(&command, PAGE), words_add_text(&command, "3");
    words_add_text(&command, it->version), words_add_text(&command, it->order), words_add_text(&command, it->records);
    words_add_text(&command, backward ? "back" : "on"), words_add(&command, from, from_size);
    words_add_text(&command, limit);
    ctie_status status = ask(it, &command, out, deadline);
    words_free(&command);
    if (status == CTIE_OK && ((*out)->type != REDIS_REPLY_ARRAY || (*out)->elements % 2 != 1)) {
        freeReplyObject(*out);
        status = CTIE_E_CORRUPT;
    }
    return status;
}

static ctie_bytes bytes_of(const redisReply *reply) { return (ctie_bytes){reply->str, reply->len}; }

/* The place from which a page begins, as ZRANGEBYLEX has it: '[' or '(' and a key. */
typedef struct place {
    char text[KEY_MOST + 2];
    size_t size;
} place;

static ctie_status begin_at(place *out, char how, ctie_bytes key) {
    if (key.size > KEY_MOST + 1) return CTIE_E_INVALID;
    out->text[0] = how;
    if (key.size > 0) memcpy(out->text + 1, key.data, key.size);
    out->size = key.size + 1;
    return CTIE_OK;
}

/* Shows a page. The last key becomes the place from which the next page goes on. `goes_on` says whether it does. */
static ctie_status show_page(const redisReply *page, place *from, ctie_transport_visit_fn visit, void *context,
                             bool *goes_on) {
    for (size_t i = 1; i + 1 < page->elements && *goes_on; i += 2) {
        const redisReply *key = page->element[i], *record = page->element[i + 1];
        bool is_whole = key->type == REDIS_REPLY_STRING && record->type == REDIS_REPLY_STRING;
        if (!is_whole || (size_t)key->len > KEY_MOST) return CTIE_E_CORRUPT;
        *goes_on = visit(bytes_of(key), bytes_of(record), context);
        begin_at(from, '(', bytes_of(key)); /* it fits */
    }
    return CTIE_OK;
}

ctie_status scan(void *data, ctie_bytes start, bool backward, ctie_transport_visit_fn visit, void *context,
                 int64_t timeout_ms) {
    transport *it = (transport *)data;
    int64_t deadline = deadline_in(timeout_ms);
    uint64_t version = 0;
    place from;
    bool goes_on = true, is_first = true;
    ctie_status status = begin_at(&from, '[', start);
    for (int most = 16; goes_on && status == CTIE_OK; most = 128, is_first = false) {
        redisReply *page = NULL;
        uint64_t seen = 0;
        status = ask_page(it, backward, from.text, from.size, most, &page, deadline);
        if (status != CTIE_OK) return status;
        if (!number_of(page->element[0], &seen)) status = CTIE_E_CORRUPT;
        /* If there was a commit between two pages, the library sees another version afterwards, and begins again. */
        goes_on = is_first || seen == version;
        version = seen;
        if (status == CTIE_OK) status = show_page(page, &from, visit, context, &goes_on);
        goes_on = goes_on && page->elements == 2 * (size_t)most + 1;
        freeReplyObject(page);
    }
    return status;
}

ctie_status get(void *data, const ctie_bytes *keys, size_t count, ctie_transport_visit_fn visit, void *context,
                int64_t timeout_ms) {
    transport *it = (transport *)data;
    words command;
    redisReply *reply = NULL;
    if (count == 0) return CTIE_OK;
    if (!words_init(&command, count + 2)) return CTIE_E_NO_MEMORY;
    words_add_text(&command, "HMGET"), words_add_text(&command, it->records);
    for (size_t i = 0; i < count; i++) words_add(&command, keys[i].data, keys[i].size);
    ctie_status status = ask(it, &command, &reply, deadline_in(timeout_ms));
    words_free(&command);
    if (status != CTIE_OK) return status;
    bool is_whole = reply->type == REDIS_REPLY_ARRAY && reply->elements == count;
    for (size_t i = 0; is_whole && i < count; i++) {
        const redisReply *record = reply->element[i];
        if (record->type == REDIS_REPLY_STRING && !visit(keys[i], bytes_of(record), context)) break;
    }
    freeReplyObject(reply);
    return is_whole ? CTIE_OK : CTIE_E_CORRUPT;
}
