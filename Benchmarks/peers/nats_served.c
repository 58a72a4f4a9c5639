/* libnats alone: streams and key-value buckets in files, the server's confirmation of each message, pull consumers that
   acknowledge each message. */
#include "../c/served.h"
#include "nats.h"

enum { FETCH = 256, FETCH_MS = 200, PATIENCE_MS = 60000 };

static const char bytes[MESSAGE_SIZE];

typedef struct sender {
    jsCtx *stream;
    char subject[64];
} sender;

static jsCtx *open_stream(const char *address, const char *name) {
    jsCtx *stream = NULL;
    jsStreamConfig settings;
    char subject[64];
    const char *subjects[] = {subject};
    snprintf(subject, sizeof subject, "%s.>", name);
    nats_require(natsConnection_JetStream(&stream, nats_open(address, false), NULL));
    jsStreamConfig_Init(&settings);
    settings.Name = name;
    settings.Subjects = subjects;
    settings.SubjectsLen = 1;
    settings.Storage = js_FileStorage;
    nats_require(js_AddStream(NULL, stream, &settings, NULL, NULL));
    return stream;
}

static void *open_sending(const char *address) {
    static sender self;
    self = (sender){open_stream(address, "served"), "served.ping"};
    return &self;
}

static void send_one(void *data) {
    sender *self = data;
    nats_require(js_Publish(NULL, self->stream, self->subject, bytes, sizeof bytes, NULL, NULL));
}

static void send_batch(void *data) {
    sender *self = data;
    for (int i = 0; i < SERVED_BATCH; i++) {
        nats_require(js_PublishAsync(self->stream, self->subject, bytes, sizeof bytes, NULL));
    }
    nats_require(js_PublishAsyncComplete(self->stream, NULL));
}

/* ---- To and fro: a key-value bucket that is watched -------------------------------------------------- */

static kvStore *open_bucket(const char *address, const char *name) {
    jsCtx *stream = NULL;
    kvStore *bucket = NULL;
    kvConfig settings;
    nats_require(natsConnection_JetStream(&stream, nats_open(address, true), NULL));
    kvConfig_Init(&settings);
    settings.Bucket = name;
    settings.History = 1;
    settings.StorageType = js_FileStorage;
    if (js_CreateKeyValue(&bucket, stream, &settings) != NATS_OK) nats_require(js_KeyValue(&bucket, stream, name));
    return bucket;
}

/* The next entry; NULL after those that were there. */
static kvEntry *next_of(kvWatcher *watcher) {
    kvEntry *entry = NULL;
    nats_require(kvWatcher_Next(&entry, watcher, PATIENCE_MS));
    return entry;
}

static void skip_stored(kvWatcher *watcher) {
    for (kvEntry *entry = next_of(watcher); entry != NULL; entry = next_of(watcher)) kvEntry_Destroy(entry);
}

static void trip(const char *address, int end, double *figures) {
    kvStore *bucket = open_bucket(address, "trip");
    kvWatcher *watcher = NULL;
    nats_require(kvStore_Watch(&watcher, bucket, end == 0 ? "pong" : "ping", NULL));
    skip_stored(watcher);
    if (end != 0) say_ready();
    for (int round = end == 0 ? -1 : INT32_MIN; round < SERVED_ROUNDS; round++) {
        double begin = now_ns();
        for (int i = 0; i < SERVED_TRIPS; i++) {
            if (end == 0) nats_require(kvStore_Put(NULL, bucket, "ping", bytes, sizeof bytes));
            kvEntry_Destroy(next_of(watcher));
            if (end != 0) nats_require(kvStore_Put(NULL, bucket, "pong", bytes, sizeof bytes));
        }
        if (round >= 0) figures[round] = (now_ns() - begin) / SERVED_TRIPS / 2;
    }
}

/* ---- Durable consumers ----------------------------------------------------------------------------- */

static void name_work(int round, char *out, size_t room) { snprintf(out, room, "work%d", round); }

static void fill(const char *address, int round) {
    sender self;
    char name[32];
    name_work(round, name, sizeof name);
    self.stream = open_stream(address, name);
    snprintf(self.subject, sizeof self.subject, "%s.job", name);
    for (int i = 0; i < SERVED_DONE; i += SERVED_BATCH) send_batch(&self);
}

static void take_all(natsSubscription *subscription, queue *shared) {
    natsMsgList list;
    for (;;) {
        if (natsSubscription_Fetch(&list, subscription, FETCH, FETCH_MS, NULL) != NATS_OK) continue;
        for (int i = 0; i < list.Count; i++) nats_require(natsMsg_Ack(list.Msgs[i], NULL));
        queue_take(shared, (size_t)list.Count);
        natsMsgList_Destroy(&list);
    }
}

static void work(const char *address, int round, queue *shared) {
    jsCtx *stream = NULL;
    natsSubscription *subscription = NULL;
    char name[32], subject[64];
    name_work(round, name, sizeof name);
    snprintf(subject, sizeof subject, "%s.job", name);
    nats_require(natsConnection_JetStream(&stream, nats_open(address, false), NULL));
    say_ready();
    served_go(shared);
    nats_require(js_PullSubscribe(&subscription, stream, subject, "bench", NULL, NULL, NULL));
    take_all(subscription, shared);
}

/* ---- Stored values --------------------------------------------------------------------------------- */

static void *store(const char *address) {
    kvStore *bucket = open_bucket(address, "values");
    jsCtx *stream = NULL;
    char subject[64];
    nats_require(natsConnection_JetStream(&stream, nats_open(address, false), NULL));
    for (int i = 0; i < SERVED_VALUES; i++) {
        snprintf(subject, sizeof subject, "$KV.values.key.%d", i);
        nats_require(js_PublishAsync(stream, subject, bytes, sizeof bytes, NULL));
    }
    nats_require(js_PublishAsyncComplete(stream, NULL));
    return bucket;
}

static void read_all(void *bucket) {
    kvWatcher *watcher = NULL;
    nats_require(kvStore_WatchAll(&watcher, bucket, NULL));
    skip_stored(watcher);
    kvWatcher_Destroy(watcher);
}

int main(int argc, char **argv) {
    const served bare = {"libnats", open_sending, send_one, send_batch, trip, fill, work, store, read_all};
    return served_main(argc, argv, &bare);
}
