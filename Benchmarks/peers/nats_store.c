/* NATS: put into a key-value bucket, in a file that is not synced. */
#include "../c/storing.h"
#include "nats.h"

static kvStore *open_bucket(const char *address) {
    jsCtx *stream = NULL;
    kvStore *bucket = NULL;
    kvConfig settings;
    natsConnection *connection = nats_open(address, true);
    nats_require(natsConnection_JetStream(&stream, connection, NULL));
    kvConfig_Init(&settings);
    settings.Bucket = "bench";
    settings.History = 1;
    settings.StorageType = js_FileStorage;
    nats_require(js_CreateKeyValue(&bucket, stream, &settings));
    return bucket;
}

static void put_small(void *self) { nats_require(kvStore_Put(NULL, self, "ping", content, SMALL)); }

static void put_big(void *self) { nats_require(kvStore_Put(NULL, self, "ping", content, BIG)); }

int main(int argc, char **argv) {
    require(argc == 2, "usage: nats_store <address>");
    storing_measure("safe", "NATS KV put", CALLS_OF_SERVER, put_small, put_big, open_bucket(argv[1]));
    return 0;
}
