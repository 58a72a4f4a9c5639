/* NATS: publish and subscribe, nothing stored. */
#include "carrier.h"
#include "nats.h"

typedef struct side {
    natsConnection *connection;
    natsSubscription *subscription;
    int end;
} side;

static void *open_side(const char *address, int end) {
    static side self;
    self = (side){.connection = nats_open(address, true), .end = end};
    nats_require(natsConnection_SubscribeSync(&self.subscription, self.connection, channel_in(end)));
    nats_require(natsConnection_Flush(self.connection));
    return &self;
}

static void notify(void *data) {
    static const char bytes[MESSAGE_SIZE];
    side *self = data;
    nats_require(natsConnection_Publish(self->connection, channel_out(self->end), bytes, sizeof bytes));
}

static void receive(void *self) {
    natsMsg *message = NULL;
    nats_require(natsSubscription_NextMsg(&message, ((side *)self)->subscription, 60000));
    natsMsg_Destroy(message);
}

int main(int argc, char **argv) {
    return carrier_main(argc, argv, &(carrier){"NATS", NULL, open_side, notify, receive});
}
