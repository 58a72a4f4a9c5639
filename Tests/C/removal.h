/* Removing files of a group, one by one and all together. */
#ifndef REMOVAL_H
#define REMOVAL_H

#include "group.h"

static const char *const FILES[] = {"wakeups", "data.mdb", "lock.mdb"};

static inline bool has_files(void) {
    char path[128];
    for (size_t index = 0; index < 3; index++) {
        snprintf(path, sizeof path, "%s/%s", directory, FILES[index]);
        if (access(path, F_OK) != 0) return false;
    }
    return true;
}

static inline void remove_file(const char *name) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    CHECK(unlink(path) == 0);
}

static inline void remove_wakeups(void) { remove_file("wakeups"); }
static inline void remove_data(void) { remove_file("data.mdb"); }
static inline void remove_lock(void) { remove_file("lock.mdb"); }
static inline void remove_all(void) {
    for (size_t index = 0; index < 3; index++) remove_file(FILES[index]);
    remove_file("opening");
}

#endif
