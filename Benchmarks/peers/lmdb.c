/* LMDB alone: storing a message without notifying a process. */
#include "../c/storing.h"

#include <lmdb.h>
#include <sys/stat.h>

typedef struct store {
    MDB_env *environment;
    MDB_dbi table;
} store;

static store open_store(const char *directory, const char *name, unsigned flags) {
    store self;
    MDB_txn *transaction = NULL;
    char path[4096];
    snprintf(path, sizeof path, "%s/lmdb-%s", directory, name);
    mkdir(path, 0700);
    require(mdb_env_create(&self.environment) == 0, "mdb_env_create");
    mdb_env_set_mapsize(self.environment, 64 << 20);
    require(mdb_env_open(self.environment, path, flags, 0600) == 0, path);
    require(mdb_txn_begin(self.environment, NULL, 0, &transaction) == 0, "mdb_txn_begin");
    require(mdb_dbi_open(transaction, NULL, 0, &self.table) == 0, "mdb_dbi_open");
    require(mdb_txn_commit(transaction) == 0, "mdb_txn_commit");
    return self;
}

static void put(const store *self, size_t size) {
    MDB_txn *transaction = NULL;
    MDB_val key = {4, "ping"}, value = {size, content};
    require(mdb_txn_begin(self->environment, NULL, 0, &transaction) == 0, "mdb_txn_begin");
    require(mdb_put(transaction, self->table, &key, &value, 0) == 0, "mdb_put");
    require(mdb_txn_commit(transaction) == 0, "mdb_txn_commit");
}

static void put_small(void *self) { put(self, SMALL); }

static void put_big(void *self) { put(self, BIG); }

static void measure_unsynced(const char *directory) {
    store safe = open_store(directory, "safe", MDB_NOSYNC);
    storing_measure("safe", "LMDB put alone", CALLS_OF_SMALL, put_small, put_big, &safe);
    store fast = open_store(directory, "fast", MDB_NOSYNC | MDB_WRITEMAP);
    storing_measure("fast", "LMDB put alone", CALLS_OF_SMALL, put_small, put_big, &fast);
}

static void measure_synced(const char *directory) {
    store safe = open_store(directory, "synced", 0);
    storing_measure_synced("LMDB put, synced", put_small, &safe);
    store fast = open_store(directory, "synced-fast", MDB_WRITEMAP);
    storing_measure_synced("LMDB put, synced, fast", put_small, &fast);
}

int main(int argc, char **argv) {
    require(argc == 3, "usage: lmdb <directory> synced|unsynced");
    if (strcmp(argv[2], "synced") == 0) measure_synced(argv[1]);
    else measure_unsynced(argv[1]);
    return 0;
}
