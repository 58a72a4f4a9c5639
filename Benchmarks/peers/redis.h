/* A connection to Redis over a Unix socket. */
#ifndef BENCH_REDIS_H
#define BENCH_REDIS_H

#include "../c/bench.h"

#include <hiredis/hiredis.h>

static inline redisContext *redis_open(const char *path) {
    redisContext *server = redisConnectUnix(path);
    require(server != NULL && !server->err, "no Redis server");
    return server;
}

/* Drops an answer after a look whether it is an error. */
static inline void redis_drop(redisReply *reply) {
    require(reply != NULL && reply->type != REDIS_REPLY_ERROR, reply == NULL ? "connection lost" : reply->str);
    freeReplyObject(reply);
}

static inline redisReply *redis_next(redisContext *server) {
    void *reply = NULL;
    require(redisGetReply(server, &reply) == REDIS_OK, server->errstr);
    return reply;
}

#endif
