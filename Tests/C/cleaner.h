/* systemd-tmpfiles at work on a directory. */
#ifndef CLEANER_H
#define CLEANER_H

#include "group.h"

#include <sys/stat.h>

/** Has it clean whatever is in a directory, however new that is. False where there is no such program, or it fails. */
static inline bool clean_with_systemd(const char *parent) {
    char path[128], command[256], text[128];
    snprintf(path, sizeof path, "%s.conf", parent);
    FILE *file = fopen(path, "w");
    if (file == NULL) return false;
    snprintf(text, sizeof text, "e %s - - - 0\n", parent);
    fputs(text, file);
    fclose(file);
    snprintf(command, sizeof command, "systemd-tmpfiles --clean %s >%s.log 2>&1", path, parent);
    bool is_cleaned = system(command) == 0;
    unlink(path);
    snprintf(path, sizeof path, "%s.log", parent);
    unlink(path);
    return is_cleaned;
}

/** Makes the group's directory inside another one, which is passed: a cleaner does not look at that one itself. */
static inline void name_directory_inside(char parent[64]) {
    memcpy(parent, directory, 64);
    CHECK(mkdir(parent, 0700) == 0);
    snprintf(directory, sizeof directory, "%.50s/group", parent);
}

#endif
