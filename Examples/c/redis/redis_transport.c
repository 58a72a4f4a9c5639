/*
 * The functions of the transport. A sorted set has the keys in their order, a hash has the records, and a string the number
 * of the newest commit. The server runs one script at a time, so that each script is one step.
 */
#define _GNU_SOURCE
#include "redis_transport.h"
#include "keeper.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct transport {
    connection commands;
    keeper keeper;
    char prefix[NAME_MOST / 2];
    char version[NAME_MOST], order[NAME_MOST], records[NAME_MOST], numbers[NAME_MOST];
} transport;

void *redis_transport(const char *socket, const char *group) {
    transport *it = (transport *)calloc(1, sizeof *it);
    if (it == NULL) return NULL;
    snprintf(it->prefix, sizeof it->prefix, "{wormhole:%s}", group);
    snprintf(it->version, sizeof it->version, "%s:version", it->prefix);
    snprintf(it->order, sizeof it->order, "%s:order", it->prefix);
    snprintf(it->records, sizeof it->records, "%s:records", it->prefix);
    snprintf(it->numbers, sizeof it->numbers, "%s:numbers", it->prefix);
    snprintf(it->keeper.channel, sizeof it->keeper.channel, "%s:commits", it->prefix);
    snprintf(it->keeper.members, sizeof it->keeper.members, "%s:members", it->prefix);
    connection_init(&it->commands, socket);
    if (keeper_begin(&it->keeper, &it->commands)) return it;
    keeper_end(&it->keeper);
    connection_end(&it->commands);
    free(it);
    return NULL;
}

static void destroy(void *data) {
    transport *it = (transport *)data;
    keeper_end(&it->keeper);
    connection_end(&it->commands);
    free(it);
}

/* ---- Reading -------------------------------------------------------------------------------------- */

/* A command that changes nothing: after a lost answer, as by a server that was started again, it is sent once more. */
static ctie_status ask(transport *it, const words *command, redisReply **out, int64_t deadline) {
    ctie_status status = CTIE_E_UNCERTAIN;
    for (int turn = 0; turn < 2 && status == CTIE_E_UNCERTAIN; turn++) {
        int64_t left = deadline - now_ms();
        status = left > 0 ? connection_call(&it->commands, command, out, left) : CTIE_E_UNAVAILABLE;
    }
    return status == CTIE_E_UNCERTAIN ? CTIE_E_UNAVAILABLE : status;
}

static uint64_t number_of(const redisReply *reply) {
    if (reply->type == REDIS_REPLY_INTEGER) return (uint64_t)reply->integer;
    return reply->type == REDIS_REPLY_STRING ? strtoull(reply->str, NULL, 10) : 0;
}

static ctie_status get_version(void *data, uint64_t *out, int64_t timeout_ms) {
    transport *it = (transport *)data;
    words command;
    redisReply *reply = NULL;
    if (!words_init(&command, 2)) return CTIE_E_NO_MEMORY;
    words_add_text(&command, "GET"), words_add_text(&command, it->version);
    ctie_status status = ask(it, &command, &reply, now_ms() + timeout_ms);
    words_free(&command);
    if (status != CTIE_OK) return status;
    *out = number_of(reply);
    freeReplyObject(reply);
    return CTIE_OK;
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

static ctie_status ask_page(transport *it, bool backward, const char *from, size_t from_size, int most, redisReply **out,
                            int64_t deadline) {
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

static ctie_bytes bytes_of(const redisReply *reply) {
    if (reply->type != REDIS_REPLY_STRING) return (ctie_bytes){NULL, 0};
    return (ctie_bytes){reply->str, reply->len};
}

/* Shows a page. The last key becomes the place from which the next page goes on. Says whether it goes on. */
static bool show_page(const redisReply *page, char *from, size_t *from_size, ctie_transport_visit_fn visit, void *context) {
    for (size_t i = 1; i + 1 < page->elements; i += 2) {
        ctie_bytes key = bytes_of(page->element[i]), record = bytes_of(page->element[i + 1]);
        if (!visit(key, record, context) || key.size > 511) return false;
        from[0] = '(';
        if (key.size > 0) memcpy(from + 1, key.data, key.size);
        *from_size = key.size + 1;
    }
    return true;
}

static ctie_status scan(void *data, ctie_bytes start, bool backward, ctie_transport_visit_fn visit, void *context,
                        int64_t timeout_ms) {
    transport *it = (transport *)data;
    int64_t deadline = now_ms() + timeout_ms;
    char from[514] = "[";
    size_t from_size = start.size + 1;
    if (start.size > 512) return CTIE_E_INVALID;
    if (start.size > 0) memcpy(from + 1, start.data, start.size);
    uint64_t version = 0;
    bool goes_on = true;
    for (int most = 16; goes_on; most = 128) {
        redisReply *page = NULL;
        ctie_status status = ask_page(it, backward, from, from_size, most, &page, deadline);
        if (status != CTIE_OK) return status;
        /* If there was a commit between two pages, the library sees another version afterwards, and begins again. */
        bool is_same = most == 16 || number_of(page->element[0]) == version;
        version = number_of(page->element[0]);
        goes_on = is_same && show_page(page, from, &from_size, visit, context) && page->elements == 2 * (size_t)most + 1;
        freeReplyObject(page);
    }
    return CTIE_OK;
}

static ctie_status get(void *data, const ctie_bytes *keys, size_t count, ctie_transport_visit_fn visit, void *context,
                       int64_t timeout_ms) {
    transport *it = (transport *)data;
    words command;
    redisReply *reply = NULL;
    if (count == 0) return CTIE_OK;
    if (!words_init(&command, count + 2)) return CTIE_E_NO_MEMORY;
    words_add_text(&command, "HMGET"), words_add_text(&command, it->records);
    for (size_t i = 0; i < count; i++) words_add(&command, keys[i].data, keys[i].size);
    ctie_status status = ask(it, &command, &reply, now_ms() + timeout_ms);
    words_free(&command);
    if (status != CTIE_OK) return status;
    bool is_whole = reply->type == REDIS_REPLY_ARRAY && reply->elements == count;
    for (size_t i = 0; is_whole && i < count; i++) {
        if (reply->element[i]->type == REDIS_REPLY_STRING && !visit(keys[i], bytes_of(reply->element[i]), context)) break;
    }
    freeReplyObject(reply);
    return is_whole ? CTIE_OK : CTIE_E_CORRUPT;
}

/* ---- Committing ------------------------------------------------------------------------------------- */

/* [commit] */
/* The whole commit: a script runs alone, and its changes are one entry of the server's file. */
static const char COMMIT[] =
    "local version, order, records, token, channel = unpack(KEYS)\n"
    "local made = redis.call('GET', token)\n"
    "if made then return made end\n"
    "if (redis.call('GET', version) or '0') ~= ARGV[1] then return '' end\n"
    "for i = 3, #ARGV, 3 do\n"
    "    local what, key, record = ARGV[i], ARGV[i + 1], ARGV[i + 2]\n"
    "    if what == 'all' then redis.call('DEL', order, records)\n"
    "    elseif what == 'drop' then redis.call('ZREM', order, key) redis.call('HDEL', records, key)\n"
    "    else redis.call('ZADD', order, 0, key) redis.call('HSET', records, key, record) end\n"
    "end\n"
    "redis.call('SET', version, ARGV[2])\n"
    "redis.call('SET', token, ARGV[2], 'EX', 120)\n"
    "redis.call('PUBLISH', channel, ARGV[2])\n"
    "return ARGV[2]\n";
/* [end] */

static void add_changes(words *to, const ctie_transport_change *changes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const ctie_transport_change *each = &changes[i];
        bool is_drop = each->record.data == NULL && each->record.size == 0;
        words_add_text(to, each->key.size == 0 ? "all" : is_drop ? "drop" : "put");
        words_add(to, each->key.data, each->key.size);
        words_add(to, each->record.data, each->record.size);
    }
}

static ctie_status commit(void *data, uint64_t version, const uint8_t *token, const ctie_transport_change *changes,
                          size_t count, uint64_t *out, int64_t timeout_ms) {
    transport *it = (transport *)data;
    words command;
    redisReply *reply = NULL;
    char before[24], after[24], token_key[NAME_MOST];
    int size = snprintf(token_key, sizeof token_key, "%s:token:", it->prefix);
    for (size_t i = 0; i < CTIE_TRANSPORT_TOKEN_SIZE; i++) {
        snprintf(token_key + size + 2 * i, sizeof token_key - (size_t)size - 2 * i, "%02x", token[i]);
    }
    if (count > (SIZE_MAX - 10) / 3 || !words_init(&command, 10 + 3 * count)) return CTIE_E_NO_MEMORY;
    snprintf(before, sizeof before, "%llu", (unsigned long long)version);
    snprintf(after, sizeof after, "%llu", (unsigned long long)version + 1);
    words_add_text(&command, "EVAL"), words_add_text(&command, COMMIT), words_add_text(&command, "5");
    words_add_text(&command, it->version), words_add_text(&command, it->order), words_add_text(&command, it->records);
    words_add_text(&command, token_key), words_add_text(&command, it->keeper.channel);
    words_add_text(&command, before), words_add_text(&command, after);
    add_changes(&command, changes, count);
    /* After a lost answer it does not try again itself: the library does, and knows how to find out. */
    ctie_status status = connection_call(&it->commands, &command, &reply, timeout_ms);
    words_free(&command);
    if (status != CTIE_OK) return status;
    if (reply->type != REDIS_REPLY_STRING) status = CTIE_E_UNCERTAIN;
    else if (reply->len == 0) status = CTIE_E_CONFLICT;
    else *out = number_of(reply);
    freeReplyObject(reply);
    return status;
}

/* The server takes 1 GiB of a client at a time, and 512 MiB in one word. */
static ctie_status get_limits(void *data, ctie_transport_limits *out) {
    (void)data;
    out->max_commit_size = (uint64_t)256 << 20;
    return CTIE_OK;
}

/* ---- Waking, and members ---------------------------------------------------------------------------- */

static ctie_status watch(void *data, ctie_transport_notify_fn notify, void *context) {
    keeper_set_notify(&((transport *)data)->keeper, notify, context);
    return CTIE_OK;
}

/* A lost answer costs a number, and nothing else. */
static ctie_status join(void *data, ctie_str name, uint64_t *id, int64_t timeout_ms) {
    transport *it = (transport *)data;
    int64_t deadline = now_ms() + timeout_ms;
    words command;
    redisReply *reply = NULL;
    (void)name;
    if (!words_init(&command, 2)) return CTIE_E_NO_MEMORY;
    words_add_text(&command, "INCR"), words_add_text(&command, it->numbers);
    ctie_status status = ask(it, &command, &reply, deadline);
    words_free(&command);
    if (status != CTIE_OK) return status;
    *id = number_of(reply);
    freeReplyObject(reply);
    int64_t left = deadline - now_ms();
    status = left > 0 ? keeper_renew(&it->keeper, *id, left) : CTIE_E_UNAVAILABLE;
    if (status == CTIE_OK) keeper_set_member(&it->keeper, *id);
    return status == CTIE_E_UNCERTAIN ? CTIE_E_UNAVAILABLE : status;
}

static const char MEMBERS[] = "local t = redis.call('TIME')\n"
                              "local now = t[1] * 1000 + math.floor(t[2] / 1000)\n"
                              "redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. now)\n"
                              "return redis.call('ZRANGE', KEYS[1], 0, -1)\n";

static ctie_status list_members(void *data, ctie_transport_member_fn visit, void *context, int64_t timeout_ms) {
    transport *it = (transport *)data;
    words command;
    redisReply *reply = NULL;
    if (!words_init(&command, 4)) return CTIE_E_NO_MEMORY;
    words_add_text(&command, "EVAL"), words_add_text(&command, MEMBERS), words_add_text(&command, "1");
    words_add_text(&command, it->keeper.members);
    ctie_status status = ask(it, &command, &reply, now_ms() + timeout_ms);
    words_free(&command);
    if (status != CTIE_OK) return status;
    for (size_t i = 0; i < reply->elements; i++) visit(number_of(reply->element[i]), context);
    freeReplyObject(reply);
    return CTIE_OK;
}

const ctie_transport REDIS_TRANSPORT = {sizeof(ctie_transport), get_version, scan,       commit, watch, join,
                                        list_members,           destroy,     get_limits, get,    0,     0};
