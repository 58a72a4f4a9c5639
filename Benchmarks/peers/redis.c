/* Redis: PUBLISH and SUBSCRIBE. */
#include "carrier.h"
#include "redis.h"

typedef struct side {
    redisContext *sender, *subscription;
    int end;
} side;

static void *open_side(const char *path, int end) {
    static side self;
    self = (side){redis_open(path), redis_open(path), end};
    redis_drop(redisCommand(self.subscription, "SUBSCRIBE %s", channel_in(end)));
    return &self;
}

static void notify(void *data) {
    static const char bytes[MESSAGE_SIZE];
    side *self = data;
    redis_drop(redisCommand(self->sender, "PUBLISH %s %b", channel_out(self->end), bytes, sizeof bytes));
}

static void receive(void *self) { redis_drop(redis_next(((side *)self)->subscription)); }

int main(int argc, char **argv) {
    return carrier_main(argc, argv, &(carrier){"Redis publish", NULL, open_side, notify, receive});
}
