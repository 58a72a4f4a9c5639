/* A Redis stream with a consumer group: XADD, XREADGROUP, XACK. */
#include "../c/queue.h"
#include "redis.h"

static const char *socket_path;
static queue *shared;

static void put(void *server, size_t first, size_t count) {
    static const char bytes[MESSAGE_SIZE];
    for (size_t i = 0; i < count; i++) {
        size_t identifier = (first + i) % QUEUE_IDENTIFIERS;
        redisAppendCommand(server, "XADD bench * q.%d %b", (int)identifier, bytes, sizeof bytes);
    }
    for (size_t i = 0; i < count; i++) redis_drop(redis_next(server));
}

/* Acknowledges the entries of a read, all at once, and removes what comes before the last of them. */
static void acknowledge(redisContext *server, const redisReply *entries) {
    const char *words[3 + QUEUE_BATCH] = {"XACK", "bench", "bench"};
    for (size_t i = 0; i < entries->elements; i++) words[3 + i] = entries->element[i]->element[0]->str;
    redisAppendCommandArgv(server, 3 + (int)entries->elements, words, NULL);
    redisAppendCommand(server, "XTRIM bench MINID %s", words[2 + entries->elements]);
    redis_drop(redis_next(server));
    redis_drop(redis_next(server));
}

static void consume(void *context) {
    (void)context;
    redisContext *server = redis_open(socket_path);
    redis_drop(redisCommand(server, "XGROUP CREATE bench bench $ MKSTREAM"));
    for (say_ready();;) {
        redisReply *reply = redisCommand(server, "XREADGROUP GROUP bench one COUNT 1000 BLOCK 0 STREAMS bench >");
        require(reply != NULL && reply->type == REDIS_REPLY_ARRAY, "XREADGROUP");
        const redisReply *entries = reply->element[0]->element[1];
        acknowledge(server, entries);
        queue_take(shared, entries->elements);
        freeReplyObject(reply);
    }
}

int main(int argc, char **argv) {
    require(argc == 2, "usage: redis_queue <socket>");
    socket_path = argv[1];
    shared = shared_memory(sizeof *shared);
    redis_drop(redisCommand(redis_open(socket_path), "DEL bench"));
    pid_t child = start_process(ANY_CORE, consume, NULL);
    queue_measure_both(shared, "Redis stream", put, redis_open(socket_path));
    end_process(child);
    return 0;
}
