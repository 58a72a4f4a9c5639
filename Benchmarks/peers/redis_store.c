/* Redis: SET. */
#include "../c/storing.h"
#include "redis.h"

static void set(redisContext *server, size_t size) { redis_drop(redisCommand(server, "SET ping %b", content, size)); }

static void set_small(void *self) { set(self, SMALL); }

static void set_big(void *self) { set(self, BIG); }

int main(int argc, char **argv) {
    require(argc == 2, "usage: redis_store <socket>");
    storing_measure("safe", "Redis SET", CALLS_OF_SERVER, set_small, set_big, redis_open(argv[1]));
    return 0;
}
