/* A 64-byte put into LMDB alone: what stores a message, without telling anybody. */
#include "../c/bench.h"

#include <lmdb.h>
#include <sys/stat.h>

enum { ROUNDS = 15, PUTS = 4000 };

static MDB_env *open_environment(const char *path, unsigned flags, MDB_dbi *table) {
    MDB_env *environment = NULL;
    MDB_txn *transaction = NULL;
    mkdir(path, 0700);
    require(mdb_env_create(&environment) == 0, "mdb_env_create");
    mdb_env_set_mapsize(environment, 16 << 20);
    require(mdb_env_open(environment, path, flags, 0600) == 0, path);
    require(mdb_txn_begin(environment, NULL, 0, &transaction) == 0, "mdb_txn_begin");
    require(mdb_dbi_open(transaction, NULL, 0, table) == 0, "mdb_dbi_open");
    require(mdb_txn_commit(transaction) == 0, "mdb_txn_commit");
    return environment;
}

static void put(MDB_env *environment, MDB_dbi table, MDB_val key, MDB_val value) {
    MDB_txn *transaction = NULL;
    require(mdb_txn_begin(environment, NULL, 0, &transaction) == 0, "mdb_txn_begin");
    require(mdb_put(transaction, table, &key, &value, 0) == 0, "mdb_put");
    require(mdb_txn_commit(transaction) == 0, "mdb_txn_commit");
}

static void measure(const char *path, unsigned flags, const char *work) {
    MDB_dbi table;
    MDB_env *environment = open_environment(path, flags, &table);
    char bytes[64] = {0};
    MDB_val key = {4, "ping"}, value = {sizeof bytes, bytes};
    double figures[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now_ns();
        for (int i = 0; i < PUTS; i++) put(environment, table, key, value);
        figures[round] = (now_ns() - begin) / PUTS;
    }
    report(work, "LMDB put alone", lowest(figures, ROUNDS));
    mdb_env_close(environment);
}

int main(int argc, char **argv) {
    require(argc == 2, "usage: lmdb <directory>");
    char path[4096];
    snprintf(path, sizeof path, "%s/lmdb-safe", argv[1]);
    measure(path, MDB_NOSYNC, "pass.safe");
    snprintf(path, sizeof path, "%s/lmdb-fast", argv[1]);
    measure(path, MDB_NOSYNC | MDB_WRITEMAP, "pass.fast");
    return 0;
}
