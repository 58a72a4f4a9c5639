/* A program in place of one of the system's: the test itself, started again, records how. */
#ifndef RECORDING_H
#define RECORDING_H

#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

enum { ARGUMENTS = 8 };

/* The recorded start of the program. */
typedef struct record {
    int count;
    pid_t process, session;
    int inherited; /* descriptors but 0, 1, 2 */
    char input[64], output[64]; /* what those descriptors lead to */
    char content[512];          /* the beginning of what it read */
    size_t content_size;        /* of all of it */
    char arguments[ARGUMENTS][512];
} record;

static char directory[] = "/tmp/crosstie-recording-XXXXXX", record_path[96], program[PATH_MAX];

/* A file of the test; the last one asked for alone stays. */
static inline const char *in_directory(const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

/* Called first by every test that starts programs. */
static inline void begin_recording(void) {
    CHECK(mkdtemp(directory) != NULL && realpath("/proc/self/exe", program) != NULL);
    snprintf(record_path, sizeof record_path, "%s/record", directory);
    setenv("CROSSTIE_TEST_RECORD", record_path, 1);
}

/* ---- The program that is started ---------------------------------------------------------------- */

static inline bool is_recording(void) { return getenv("CROSSTIE_TEST_RECORD") != NULL; }

static inline int open_descriptors(void) {
    int count = 0;
    DIR *all = opendir("/proc/self/fd");
    for (struct dirent *each; (each = readdir(all)) != NULL;) {
        int number = atoi(each->d_name);
        count += each->d_name[0] != '.' && number > 2 && number != dirfd(all);
    }
    closedir(all);
    return count;
}

static inline void describe(int descriptor, char *text, size_t size) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(path, text, size - 1);
    text[length < 0 ? 0 : length] = 0;
}

static inline void read_input(record *own) {
    char rest[65536];
    for (ssize_t got; (got = read(0, rest, sizeof rest)) > 0; own->content_size += (size_t)got) {
        for (ssize_t i = 0; i < got && own->content_size + (size_t)i < sizeof own->content; i++) {
            own->content[own->content_size + (size_t)i] = rest[i];
        }
    }
}

/* Writes down what it was started with: as a whole, or the reader would find half of it. */
static inline int write_record(int count, char **arguments) {
    const char *path = getenv("CROSSTIE_TEST_RECORD");
    record own = {.count = count, .process = getpid(), .session = getsid(0), .inherited = open_descriptors()};
    describe(0, own.input, sizeof own.input);
    describe(1, own.output, sizeof own.output);
    read_input(&own);
    for (int i = 0; i < count && i < ARGUMENTS; i++) {
        snprintf(own.arguments[i], sizeof own.arguments[i], "%s", arguments[i]);
    }
    char temporary[128];
    snprintf(temporary, sizeof temporary, "%s.%d", path, (int)getpid());
    FILE *file = fopen(temporary, "wb");
    bool well = file != NULL && fwrite(&own, sizeof own, 1, file) == 1 && fclose(file) == 0;
    return well && rename(temporary, path) == 0 ? 0 : 1;
}

/* ---- The test ----------------------------------------------------------------------------------- */

/* Waits for what the program has written. */
static inline record next_record(void) {
    record found;
    memset(&found, 0, sizeof found);
    for (int i = 0; i < 60000; i++) {
        FILE *file = fopen(record_path, "rb");
        if (file == NULL) {
            usleep(1000);
            continue;
        }
        CHECK(fread(&found, sizeof found, 1, file) == 1);
        fclose(file);
        unlink(record_path);
        return found;
    }
    CHECK(!"the program was started");
    return found;
}

/* The letter of a process's state; 0 when there is none. One that runs when its bus closes is nobody's to wait for. */
static inline char state_of(pid_t process) {
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    FILE *file = fopen(path, "r");
    if (file == NULL) { return 0; }
    if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1) { state = 0; }
    fclose(file);
    return state;
}

static inline bool ends(pid_t process) {
    for (int i = 0; i < 60000; i++) {
        char state = state_of(process);
        if (state == 'Z' || state == 0) { return true; }
        usleep(1000);
    }
    return false;
}

/* The last part of a path, from its slash on. */
static inline const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash : "";
}

/* Takes the last part off a path. */
static inline char *parent(char *path) {
    path[strlen(path) - strlen(file_name(path))] = 0;
    return path;
}

static inline bool is_on_the_path(const char *name) {
    char *path = strdup(getenv("PATH")), *rest = path, candidate[PATH_MAX];
    bool found = false;
    for (char *each; !found && (each = strsep(&rest, ":")) != NULL;) {
        snprintf(candidate, sizeof candidate, "%s/%s", each, name);
        found = access(candidate, X_OK) == 0;
    }
    free(path);
    return found;
}

/* The xdg-utils ask $BROWSER and $MAILER where no desktop runs. */
static inline void leave_the_desktop(void) {
    const char *desktop[] = {"DISPLAY", "WAYLAND_DISPLAY", "XDG_CURRENT_DESKTOP", "DESKTOP_SESSION",
                             "KDE_FULL_SESSION", "GNOME_DESKTOP_SESSION_ID"};
    for (size_t i = 0; i < sizeof desktop / sizeof desktop[0]; i++) { unsetenv(desktop[i]); }
}

#endif
