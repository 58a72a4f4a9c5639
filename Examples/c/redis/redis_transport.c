/* The functions of the transport that open it, commit, and know the members. */
#define _GNU_SOURCE
#include "parts.h"

#include <stdio.h>
#include <stdlib.h>

/* A key's name; false if it would be cut, and so could be that of another group. */
static bool name_key(char *out, size_t room, const char *prefix, const char *rest) {
    int size = snprintf(out, room, "%s%s", prefix, rest);
    return size >= 0 && (size_t)size < room;
}

static bool name_keys(transport *it, const char *group) {
    const struct { char *name; const char *rest; } keys[] = {
        {it->version, ":version"}, {it->order, ":order"},          {it->records, ":records"},
        {it->numbers, ":numbers"}, {it->keeper.channel, ":commits"}, {it->keeper.members, ":members"}};
    int size = snprintf(it->prefix, sizeof it->prefix, "{wormhole:%s}", group);
    bool fits = size >= 0 && (size_t)size < sizeof it->prefix;
    for (size_t i = 0; fits && i < sizeof keys / sizeof *keys; i++) {
        fits = name_key(keys[i].name, NAME_MOST, it->prefix, keys[i].rest);
    }
    return fits;
}

void *redis_transport(const char *socket, const char *group) {
    transport *it = (transport *)calloc(1, sizeof *it);
    if (it == NULL) return NULL;
    if (name_keys(it, group) && connection_init(&it->commands, socket)) {
        if (keeper_begin(&it->keeper, &it->commands)) return it;
        connection_end(&it->commands);
    }
    free(it);
    return NULL;
}

static void destroy(void *data) {
    transport *it = (transport *)data;
    keeper_end(&it->keeper);
    connection_end(&it->commands);
    free(it);
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
    char before[24], after[24], token_key[NAME_MOST], hex[2 * CTIE_TRANSPORT_TOKEN_SIZE + 8] = ":token:";
    for (size_t i = 0; i < CTIE_TRANSPORT_TOKEN_SIZE; i++) snprintf(hex + 7 + 2 * i, 3, "%02x", token[i]);
    if (!name_key(token_key, sizeof token_key, it->prefix, hex)) return CTIE_E_INVALID;
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
    if (reply->type == REDIS_REPLY_STRING && reply->len == 0) status = CTIE_E_CONFLICT;
    else if (!number_of(reply, out)) status = CTIE_E_UNCERTAIN;
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
    int64_t deadline = deadline_in(timeout_ms);
    words command;
    redisReply *reply = NULL;
    (void)name;
    if (!words_init(&command, 2)) return CTIE_E_NO_MEMORY;
    words_add_text(&command, "INCR"), words_add_text(&command, it->numbers);
    ctie_status status = ask(it, &command, &reply, deadline);
    words_free(&command);
    if (status != CTIE_OK) return status;
    bool is_number = number_of(reply, id) && *id != 0;
    freeReplyObject(reply);
    if (!is_number) return CTIE_E_CORRUPT;
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
    ctie_status status = ask(it, &command, &reply, deadline_in(timeout_ms));
    words_free(&command);
    if (status != CTIE_OK) return status;
    if (reply->type != REDIS_REPLY_ARRAY) status = CTIE_E_CORRUPT;
    for (size_t i = 0; status == CTIE_OK && i < reply->elements; i++) {
        uint64_t id = 0;
        if (number_of(reply->element[i], &id)) visit(id, context);
        else status = CTIE_E_CORRUPT;
    }
    freeReplyObject(reply);
    return status;
}

const ctie_transport REDIS_TRANSPORT = {sizeof(ctie_transport), get_version, scan,       commit, watch, join,
                                        list_members,           destroy,     get_limits, get,    0,     0};
