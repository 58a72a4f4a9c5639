/*
 * Plays scenarios through the C interface.
 *
 *     player [DIRECTORY|FILE.json ...]     plays every *.json below (default: Tests/Scenarios), and counts.
 *                                          Those of wormholes are played again in memory and over an engine.
 *     player --group ADDRESS [DIRECTORY|FILE.json ...]
 *                                          plays those of wormholes over a server. {} is the scenario's number.
 *     player --process DIRECTORY STEPS     plays the steps of another process; the player itself calls it so
 */
#define _GNU_SOURCE /* nftw */
#include "player.h"

#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    char **paths;
    size_t count, room;
} files;
static const char *playing = "";
static size_t played, passed;
static const char *server; /* the address of --group, or NULL */

/* A crash or a hang says at least in which scenario. */
static void say_where(int signal_number) {
    (void)!write(STDERR_FILENO, playing, strlen(playing));
    (void)!write(STDERR_FILENO, ": crashed or hung\n", 18);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static int collect(const char *path, const struct stat *status, int type, struct FTW *where) {
    (void)status, (void)where;
    size_t length = strlen(path);
    if (type != FTW_F || length < 5 || strcmp(path + length - 5, ".json") != 0) { return 0; }
    if (files.count == files.room) {
        files.room = files.room * 2 + 64;
        files.paths = realloc(files.paths, sizeof *files.paths * files.room);
    }
    files.paths[files.count++] = strdup(path);
    return 0;
}

static int by_name(const void *left, const void *right) {
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static int delete_entry(const char *path, const struct stat *status, int type, struct FTW *where) {
    (void)status, (void)type, (void)where;
    return remove(path);
}

static ctie_value *read_file(const char *path) {
    static char buffer[1 << 20];
    FILE *file = fopen(path, "rb");
    size_t size = file == NULL ? 0 : fread(buffer, 1, sizeof buffer, file);
    if (file != NULL) { fclose(file); }
    ctie_value *document = NULL;
    ctie_error *error = NULL;
    if (ctie_value_from_json((ctie_str){buffer, size}, &document, &error) != CTIE_OK) {
        ctie_str message = ctie_error_message(error), location = ctie_error_location(error);
        fprintf(stderr, "%s: %.*s (%.*s)\n", path, (int)message.size, message.data, (int)location.size, location.data);
    }
    ctie_error_release(error);
    return document;
}

static bool play(const char *name, const char *directory, const ctie_value *steps, group_kind groups) {
    static const char *const WHERE[] = {"", " in memory", " over an engine", " over a server"};
    player p;
    player_begin(&p, directory, steps);
    p.groups = groups;
    alarm(4 * WATCHDOG_SECONDS);
    bool well = player_play(&p);
    alarm(0);
    if (!well) { fprintf(stderr, "%s%s: %s\n", name, WHERE[groups], p.failure); }
    player_end(&p);
    return well;
}

/* The schema is beside the scenarios, or in a folder above them. */
static bool read_schema(const char *scenario) {
    char path[4096];
    snprintf(path, sizeof path, "%s/steps.schema", scenario);
    for (char *slash = strrchr(path, '/'); slash != NULL;) {
        if (access(path, R_OK) == 0) {
            schema_set(read_file(path));
            return true;
        }
        *slash = 0;
        slash = strrchr(path, '/');
        if (slash != NULL) { snprintf(slash, sizeof path - (size_t)(slash - path), "/steps.schema"); }
    }
    fprintf(stderr, "%s: no steps.schema there or above\n", scenario);
    return false;
}

static bool is_for_memory(const char *path, ctie_value *document) {
    return strstr(path, "/wormhole/") != NULL && ctie_value_get(document, CTIE_STR("needs")) == NULL;
}

/* Those that need a directory alone need another process, or messages that stay. */
static void play_over_server(const char *path) {
    bool is_one = strstr(path, "/wormhole/") != NULL || strstr(path, "/joins/") != NULL;
    if (!is_one || is_left_out(IN_SERVER, path)) { return; }
    ctie_value *document = read_file(path);
    playing = path;
    server_begin(server, played++);
    if (document != NULL) { passed += play(path, "/tmp", ctie_value_get(document, CTIE_STR("steps")), IN_SERVER); }
    ctie_value_release(document);
}

static void play_file(const char *path) {
    if (server != NULL) {
        play_over_server(path);
        return;
    }
    char directory[] = "/tmp/crosstie-scenario-XXXXXX";
    ctie_value *document = read_file(path);
    playing = path;
    played++;
    if (document == NULL || mkdtemp(directory) == NULL) { return; }
    const ctie_value *steps = ctie_value_get(document, CTIE_STR("steps"));
    passed += play(path, directory, steps, IN_DIRECTORY);
    nftw(directory, delete_entry, 8, FTW_DEPTH | FTW_PHYS);
    if (is_for_memory(path, document)) {
        played++;
        passed += play(path, directory, steps, IN_MEMORY);
        if (!is_left_out(IN_ENGINE, path)) {
            played++;
            passed += play(path, directory, steps, IN_ENGINE);
        }
    }
    ctie_value_release(document);
}

static int play_process(const char *directory, const char *json) {
    ctie_value *steps = NULL;
    playing = "another process";
    if (ctie_value_from_json(ctie_str_from(json), &steps, NULL) != CTIE_OK) { return 2; }
    bool well = play(playing, directory, steps, server_is_given() ? IN_SERVER : IN_DIRECTORY);
    ctie_value_release(steps);
    return well ? 0 : 1;
}

static int play_files(void) {
    if (files.count == 0) { return 1; }
    qsort(files.paths, files.count, sizeof *files.paths, by_name);
    if (!read_schema(files.paths[0])) { return 1; }
    for (size_t i = 0; i < files.count; i++) { play_file(files.paths[i]); }
    printf("scenarios: %zu played, %zu passed\n", played, passed);
    printf("%zu passed, %zu failed\n", passed, played - passed);
    int result = played > 0 && passed == played ? 0 : 1;
    /* A single file says nothing about the others. */
    if (files.count > 50 && !left_out_exist(server != NULL ? IN_SERVER : IN_ENGINE)) { result = 1; }
    for (size_t i = 0; i < files.count; i++) { free(files.paths[i]); }
    free(files.paths);
    return result;
}

int main(int count, char **arguments) {
    static const int SIGNALS[] = {SIGALRM, SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT};
    for (size_t i = 0; i < sizeof SIGNALS / sizeof SIGNALS[0]; i++) { signal(SIGNALS[i], say_where); }
    if (count == 4 && strcmp(arguments[1], "--process") == 0) { return play_process(arguments[2], arguments[3]); }
    if (count > 2 && strcmp(arguments[1], "--group") == 0) {
        server = arguments[2];
        count -= 2, arguments += 2;
    }
    if (count == 1) { nftw("Tests/Scenarios", collect, 8, FTW_PHYS); }
    for (int i = 1; i < count; i++) { nftw(arguments[i], collect, 8, FTW_PHYS); }
    return play_files();
}
