/*
 * LMDB alone, with the records of a queue: sending writes the identifier's state, the message and the counts; claiming
 * removes the oldest message and writes the consumer's position. No process is notified, and nothing is checked.
 */
#include "../c/bench.h"

#include <lmdb.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST = 1000000, BATCH = 10000, WARMUP = 64, LOT = 32, LOTS = 50, SMALL = 64, RECORD = 100 };

typedef struct queue {
    MDB_env *environment;
    MDB_dbi table;
    uint64_t first, next; /* the sequence numbers that are in it, and the next one */
    char path[4096];
} queue;

static MDB_txn *begin(const queue *self) {
    MDB_txn *transaction = NULL;
    require(mdb_txn_begin(self->environment, NULL, 0, &transaction) == 0, "mdb_txn_begin");
    return transaction;
}

static void commit(MDB_txn *transaction) { require(mdb_txn_commit(transaction) == 0, "mdb_txn_commit"); }

static void put(const queue *self, MDB_txn *transaction, const char *name, size_t size) {
    char content[RECORD] = {0};
    MDB_val key = {strlen(name), (void *)name}, value = {size, content};
    require(mdb_put(transaction, self->table, &key, &value, 0) == 0, "mdb_put");
}

/* The key of a message: its number, the highest byte first, so that keys are in the order of numbers. */
typedef struct key {
    unsigned char bytes[9];
} key;

static key key_of(uint64_t number) {
    key self = {"m"};
    for (int i = 0; i < 8; i++) self.bytes[1 + i] = (unsigned char)(number >> (56 - 8 * i));
    return self;
}

static void append(queue *self, MDB_txn *transaction) {
    char content[RECORD] = {0};
    key number = key_of(self->next++);
    MDB_val at = {sizeof number, &number}, value = {RECORD, content};
    require(mdb_put(transaction, self->table, &at, &value, 0) == 0, "mdb_put");
}

static void send_one(queue *self) {
    MDB_txn *transaction = begin(self);
    put(self, transaction, "a state", SMALL);
    append(self, transaction);
    put(self, transaction, "a count", RECORD);
    commit(transaction);
}

static void claim_one(queue *self) {
    MDB_txn *transaction = begin(self);
    key number = key_of(self->first++);
    MDB_val at = {sizeof number, &number};
    require(mdb_del(transaction, self->table, &at, NULL) == 0, "mdb_del");
    put(self, transaction, "a position", SMALL);
    commit(transaction);
}

static void fill(queue *self, int length) {
    for (int done = 0; done < length;) {
        MDB_txn *transaction = begin(self);
        for (int end = done + BATCH; done < end && done < length; done++) append(self, transaction);
        commit(transaction);
    }
}

static queue open_queue(const char *directory) {
    queue self = {.first = 1, .next = 1};
    snprintf(self.path, sizeof self.path, "%s/lmdb-lengths", directory);
    mkdir(self.path, 0700);
    require(mdb_env_create(&self.environment) == 0, "mdb_env_create");
    mdb_env_set_mapsize(self.environment, (size_t)2 << 30);
    require(mdb_env_open(self.environment, self.path, MDB_NOSYNC, 0600) == 0, self.path);
    MDB_txn *transaction = begin(&self);
    require(mdb_dbi_open(transaction, NULL, 0, &self.table) == 0, "mdb_dbi_open");
    commit(transaction);
    return self;
}

static void remove_queue(const queue *self) {
    static const char *const files[] = {"data.mdb", "lock.mdb"};
    mdb_env_close(self->environment);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[4200];
        snprintf(path, sizeof path, "%s/%s", self->path, files[i]);
        unlink(path);
    }
    rmdir(self->path);
}

static void report_at(const char *curve, int length, double figure) {
    char title[64];
    snprintf(title, sizeof title, "growth.%s.%d", curve, length);
    report(title, "LMDB alone", figure);
}

/* The median of lots, for each message, as in ../c/queuing.h. */
static void measure(const char *directory, int length) {
    double sending[LOTS] = {0}, claiming[LOTS] = {0};
    queue self = open_queue(directory);
    fill(&self, length);
    for (int round = -WARMUP; round < LOT * LOTS; round++) {
        double started = now_ns();
        send_one(&self);
        double sent = now_ns();
        claim_one(&self);
        double claimed = now_ns();
        if (round < 0) continue;
        sending[round / LOT] += (sent - started) / LOT;
        claiming[round / LOT] += (claimed - sent) / LOT;
    }
    report_at("queued", length, median(sending, LOTS));
    report_at("claim", length, median(claiming, LOTS));
    remove_queue(&self);
}

int main(int argc, char **argv) {
    require(argc == 2, "usage: lmdb_lengths <directory>");
    for (int length = 1; length <= LONGEST; length *= 10) measure(argv[1], length);
    return 0;
}
