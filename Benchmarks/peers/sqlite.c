/* A row written with SQLite in WAL mode: without syncing, which survives kill -9 as the default wormhole does; and
   synced. */
#include "../c/storing.h"

#include <sqlite3.h>

#define TABLE "PRAGMA journal_mode=WAL; CREATE TABLE IF NOT EXISTS m(id PRIMARY KEY, v);"

static sqlite3_stmt *open_store(const char *directory, const char *synchronous) {
    char path[4096];
    sqlite3 *database = NULL;
    sqlite3_stmt *put = NULL;
    snprintf(path, sizeof path, "%s/messages.sqlite", directory);
    require(sqlite3_open(path, &database) == SQLITE_OK, path);
    require(sqlite3_exec(database, TABLE, NULL, NULL, NULL) == SQLITE_OK, sqlite3_errmsg(database));
    require(sqlite3_exec(database, synchronous, NULL, NULL, NULL) == SQLITE_OK, sqlite3_errmsg(database));
    require(sqlite3_prepare_v2(database, "REPLACE INTO m VALUES('ping', ?)", -1, &put, NULL) == SQLITE_OK, "prepare");
    return put;
}

static void put(sqlite3_stmt *statement, int size) {
    sqlite3_bind_blob(statement, 1, content, size, SQLITE_STATIC);
    require(sqlite3_step(statement) == SQLITE_DONE, "put");
    sqlite3_reset(statement);
}

static void put_small(void *self) { put(self, SMALL); }

static void put_big(void *self) { put(self, BIG); }

static void measure_unsynced(sqlite3_stmt *store) {
    storing_measure("safe", "SQLite WAL", CALLS_OF_SERVER, put_small, put_big, store);
}

static void measure_synced(sqlite3_stmt *store) {
    crowd_measure("synced.one", "SQLite WAL, synced", 1, put_small, store);
}

int main(int argc, char **argv) {
    require(argc == 3, "usage: sqlite <directory> synced|unsynced");
    if (strcmp(argv[2], "synced") == 0) measure_synced(open_store(argv[1], "PRAGMA synchronous=FULL"));
    else measure_unsynced(open_store(argv[1], "PRAGMA synchronous=OFF"));
    return 0;
}
