/* A 64-byte row written with SQLite in WAL mode, without syncing: survives kill -9, as the default wormhole does. */
#include "../c/bench.h"

#include <sqlite3.h>

#define SCHEMA "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; CREATE TABLE IF NOT EXISTS m(id PRIMARY KEY, v)"

enum { ROUNDS = 15, PUTS = 1000 };

int main(int argc, char **argv) {
    require(argc == 2, "usage: sqlite <directory>");
    char path[4096], bytes[64] = {0};
    sqlite3 *database = NULL;
    sqlite3_stmt *put = NULL;
    snprintf(path, sizeof path, "%s/messages.sqlite", argv[1]);
    require(sqlite3_open(path, &database) == SQLITE_OK, path);
    require(sqlite3_exec(database, SCHEMA, NULL, NULL, NULL) == SQLITE_OK, sqlite3_errmsg(database));
    require(sqlite3_prepare_v2(database, "REPLACE INTO m VALUES('ping', ?)", -1, &put, NULL) == SQLITE_OK, "prepare");
    double figures[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now_ns();
        for (int i = 0; i < PUTS; i++) {
            sqlite3_bind_blob(put, 1, bytes, sizeof bytes, SQLITE_STATIC);
            require(sqlite3_step(put) == SQLITE_DONE, "put");
            sqlite3_reset(put);
        }
        figures[round] = (now_ns() - begin) / PUTS;
    }
    report("pass.safe", "SQLite WAL", lowest(figures, ROUNDS));
    sqlite3_finalize(put);
    sqlite3_close(database);
    return 0;
}
