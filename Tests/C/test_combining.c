/* Stores of system durability: where they are, what they refuse, and threads that pass at once. */
#include "check.h"
#include "group.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

#define THREADS 32
#define ROUNDS 40

static ctie_wormhole *wormhole;
static char large[900 << 10];

static void test_usual_directories(void) {
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    const char *const paths[] = {"state", "state/crosstie", "state/crosstie/one", ".local", ".local/state",
                                 ".local/state/crosstie", ".local/state/crosstie/two"};
    char path[128];
    mkdir(directory, 0700);
    options.flags = CTIE_WORMHOLE_SYSTEM;
    snprintf(path, sizeof path, "%s/state", directory);
    setenv("XDG_STATE_HOME", path, 1);
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("one"), &options, &wormhole, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_send(wormhole, CTIE_STR("a"), ctie_value_int(1), NULL, NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    unsetenv("XDG_STATE_HOME");
    setenv("HOME", directory, 1);
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("two"), &options, &wormhole, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct stat info;
        snprintf(path, sizeof path, "%s/%s", directory, paths[i]);
        CHECK(stat(path, &info) == 0 && (info.st_mode & 0777) == 0700);
    }
    snprintf(path, sizeof path, "%s/.local/state/crosstie", directory);
    chmod(path, 0770);
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("two"), &options, &wormhole, NULL), CTIE_E_UNSAFE);
    unsetenv("HOME");
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("two"), &options, &wormhole, NULL), CTIE_E_SYSTEM);
    remove_directory();
}

static void test_refusals(void) {
    ctie_wormhole_options process = group_options(0), system = group_options(CTIE_WORMHOLE_SYSTEM);
    ctie_wormhole_options both = group_options(CTIE_WORMHOLE_SYSTEM | CTIE_WORMHOLE_FAST);
    ctie_wormhole *other = NULL;
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("x"), &both, &other, NULL), CTIE_E_INVALID);
    wormhole = open_group_with(&process);
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("x"), &system, &other, NULL), CTIE_E_CONFLICT);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("x"), &system, &other, NULL), CTIE_E_CONFLICT);
    CHECK(other == NULL);
    remove_directory();
}

/* Passes under its own identifier; its numbers only go up. */
static void *pass_often(void *argument) {
    long thread = (long)argument;
    uint64_t last = 0, sequence = 0;
    char identifier[32];
    snprintf(identifier, sizeof identifier, "t.%ld", thread);
    for (int round = 0; round < ROUNDS; round++) {
        ctie_value *value = ctie_value_int(thread * 1000 + round);
        CHECK_STATUS(ctie_wormhole_send(wormhole, ctie_str_from(identifier), value, NULL, &sequence, NULL, NULL), CTIE_OK);
        CHECK(sequence > last);
        last = sequence;
    }
    return (void *)(uintptr_t)last;
}

/* A write that never finds room, among others that do. */
static void *pass_in_vain(void *unused) {
    for (int round = 0; round < ROUNDS / 4; round++) {
        ctie_value *value = ctie_value_bytes((ctie_str){large, sizeof large});
        CHECK_STATUS(ctie_wormhole_send(wormhole, CTIE_STR("large"), value, NULL, NULL, NULL, NULL), CTIE_E_NO_SPACE);
    }
    return unused;
}

static _Atomic uint64_t received;

static void note_message(const ctie_message *message, void *user_data) {
    (void)user_data;
    CHECK(ctie_message_sequence(message) > received);
    received = ctie_message_sequence(message);
}

static void test_threads_at_once(void) {
    ctie_wormhole_options options = group_options(CTIE_WORMHOLE_SYSTEM);
    options.map_size = options.max_map_size = 1 << 20;
    wormhole = open_group_with(&options);
    pthread_t threads[THREADS + 1];
    uint64_t newest = 0;
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("t.*"), CTIE_RECEIVER(note_message, NULL), NULL, NULL, NULL),
                 CTIE_OK);
    for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, pass_often, (void *)i);
    pthread_create(&threads[THREADS], NULL, pass_in_vain, NULL);
    for (int i = 0; i <= THREADS; i++) {
        void *last = NULL;
        pthread_join(threads[i], &last);
        if ((uint64_t)(uintptr_t)last > newest) newest = (uint64_t)(uintptr_t)last;
    }
    CHECK(newest == THREADS * ROUNDS); /* each number was given once, and none to what failed */
    AWAIT(received == newest);
    for (long i = 0; i < THREADS; i++) {
        char identifier[32];
        snprintf(identifier, sizeof identifier, "t.%ld", i);
        CHECK(stored_int(wormhole, ctie_str_from(identifier)) == i * 1000 + ROUNDS - 1);
    }
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

int main(void) {
    name_directory();
    test_usual_directories();
    test_refusals();
    test_threads_at_once();
    return check_end();
}
