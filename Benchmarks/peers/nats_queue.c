/* NATS: a stream in a file that is not synced, with a durable consumer that acknowledges; and plain subjects. */
#include "../c/queue.h"
#include "nats.h"

typedef struct sender {
    natsConnection *connection;
    jsCtx *stream;
} sender;

static const char *address;
static queue *shared;
static const char bytes[MESSAGE_SIZE];

static sender open_sender(void) {
    sender self = {.connection = nats_open(address, false)};
    nats_require(natsConnection_JetStream(&self.stream, self.connection, NULL));
    return self;
}

/* A new, empty stream: messages go when they are acknowledged. */
static void make_stream(jsCtx *stream) {
    jsStreamConfig settings;
    const char *subjects[] = {"kept.*"};
    js_DeleteStream(stream, "bench", NULL, NULL);
    jsStreamConfig_Init(&settings);
    settings.Name = "bench";
    settings.Subjects = subjects;
    settings.SubjectsLen = 1;
    settings.Storage = js_FileStorage;
    settings.Retention = js_InterestPolicy;
    nats_require(js_AddStream(NULL, stream, &settings, NULL, NULL));
}

static natsSubscription *subscribe_durably(jsCtx *stream) {
    jsSubOptions options;
    natsSubscription *subscription = NULL;
    jsSubOptions_Init(&options);
    options.ManualAck = true;
    options.Config.Durable = "bench";
    options.Config.AckPolicy = js_AckAll;
    options.Config.MaxAckPending = 100000;
    nats_require(js_SubscribeSync(&subscription, stream, "kept.*", NULL, &options, NULL));
    nats_require(natsSubscription_SetPendingLimits(subscription, -1, -1));
    return subscription;
}

/* Acknowledges a hundred at a time, or what there is. */
static void consume_durably(void *context) {
    (void)context;
    sender self = open_sender();
    make_stream(self.stream);
    natsSubscription *subscription = subscribe_durably(self.stream);
    natsMsg *message = NULL;
    say_ready();
    for (uint64_t count = 1;; count++) {
        nats_require(natsSubscription_NextMsg(&message, subscription, 60000));
        int pending = 0;
        if (count % 100 != 0) natsSubscription_GetPending(subscription, &pending, NULL);
        if (pending == 0) nats_require(natsMsg_Ack(message, NULL));
        natsMsg_Destroy(message);
        queue_take(shared, 1);
    }
}

static void put_durably(void *data, size_t first, size_t count) {
    sender *self = data;
    char subject[32];
    for (size_t i = 0; i < count; i++) {
        snprintf(subject, sizeof subject, "kept.%d", (int)((first + i) % QUEUE_IDENTIFIERS));
        if (count == 1) nats_require(js_Publish(NULL, self->stream, subject, bytes, sizeof bytes, NULL, NULL));
        else nats_require(js_PublishAsync(self->stream, subject, bytes, sizeof bytes, NULL));
    }
    if (count > 1) nats_require(js_PublishAsyncComplete(self->stream, NULL));
}

static void consume(void *context) {
    (void)context;
    natsConnection *connection = nats_open(address, false);
    natsSubscription *subscription = NULL;
    natsMsg *message = NULL;
    nats_require(natsConnection_SubscribeSync(&subscription, connection, "plain.*"));
    nats_require(natsSubscription_SetPendingLimits(subscription, -1, -1));
    nats_require(natsConnection_Flush(connection));
    for (say_ready();; queue_take(shared, 1)) {
        nats_require(natsSubscription_NextMsg(&message, subscription, 60000));
        natsMsg_Destroy(message);
    }
}

static void put(void *data, size_t first, size_t count) {
    sender *self = data;
    char subject[32];
    for (size_t i = 0; i < count; i++) {
        snprintf(subject, sizeof subject, "plain.%d", (int)((first + i) % QUEUE_IDENTIFIERS));
        nats_require(natsConnection_Publish(self->connection, subject, bytes, sizeof bytes));
    }
}

static void measure(const char *who, void (*consumer)(void *), queue_put_fn put_some) {
    pid_t child = start_process(ANY_CORE, consumer, NULL);
    sender self = open_sender();
    queue_measure_both(shared, who, put_some, &self);
    end_process(child);
}

int main(int argc, char **argv) {
    require(argc == 3, "usage: nats_queue <address> stream|plain");
    address = argv[1];
    shared = shared_memory(sizeof *shared);
    if (strcmp(argv[2], "stream") == 0) measure("NATS JetStream", consume_durably, put_durably);
    else measure("NATS, not kept", consume, put);
    return 0;
}
