/* The wormhole: passing, reading, listening, from one process and from several. */
#include "check.h"
#include "latch.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char directory[64];

static ctie_wormhole *open_group(void) {
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    ctie_wormhole *wormhole = NULL;
    options.directory = ctie_str_from(directory);
    options.name = CTIE_STR("tester");
    options.map_size = 4 << 20;
    options.max_map_size = 4 << 20;
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("test"), &options, &wormhole, NULL), CTIE_OK);
    return wormhole;
}

static void nap(void) {
    struct timespec span = {0, 1000000};
    nanosleep(&span, NULL);
}

/* Waits until `condition` holds, for as long as a broken machine may need. */
#define AWAIT(condition) \
    do { \
        int rounds_ = 0; \
        while (!(condition) && rounds_++ < 20000) nap(); \
        CHECK(condition); \
    } while (0)

static int64_t int_of(const ctie_message *message) {
    int64_t value = -1;
    ctie_value_get_int(ctie_message_value(message), &value);
    return value;
}

static int64_t stored_int(ctie_wormhole *wormhole, ctie_str identifier) {
    ctie_message *message = NULL;
    if (ctie_wormhole_message(wormhole, identifier, &message, NULL) != CTIE_OK) return -1;
    int64_t value = int_of(message);
    ctie_message_release(message);
    return value;
}

/* What a listener was told. */
struct ear {
    _Atomic int calls;
    _Atomic int kind;
    _Atomic int64_t value;
    _Atomic uint64_t sequence;
    _Atomic int went_back;
    _Atomic int destroyed;
    ctie_listener *listener;
    ctie_wormhole *wormhole;
    _Atomic int status;
    char identifier[130];
};

static void hear(const ctie_message *message, void *user_data) {
    struct ear *ear = user_data;
    uint64_t sequence = ctie_message_sequence(message);
    ctie_str identifier = ctie_message_identifier(message);
    if (sequence != 0 && sequence <= ear->sequence) ear->went_back++;
    ear->sequence = sequence;
    ear->value = int_of(message);
    ear->kind = ctie_message_kind(message);
    memcpy(ear->identifier, identifier.data, identifier.size);
    ear->identifier[identifier.size] = 0;
    ear->calls++;
}

static void forget(void *user_data) { ((struct ear *)user_data)->destroyed++; }

static ctie_listener *bind(ctie_wormhole *wormhole, ctie_str identifier, const char *name, struct ear *ear) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.name = ctie_str_from(name);
    CHECK_STATUS(ctie_wormhole_listen(wormhole, identifier, hear, ear, forget, &options, &ear->listener, NULL),
                 CTIE_OK);
    return ear->listener;
}

static void test_pass_and_read(void) {
    ctie_wormhole *wormhole = open_group();
    ctie_message *message = NULL;
    uint64_t sequence = 0;
    uint32_t listeners = 9;
    CHECK_STATUS(ctie_wormhole_message(wormhole, CTIE_STR("a.b"), &message, NULL), CTIE_E_NOT_FOUND);
    CHECK(message == NULL);
    CHECK_STATUS(ctie_wormhole_pass(wormhole, CTIE_STR("a.b"), ctie_value_int(42), &sequence, &listeners, NULL),
                 CTIE_OK);
    CHECK(sequence == 1 && listeners == 0);
    CHECK_STATUS(ctie_wormhole_message(wormhole, CTIE_STR("a.b"), &message, NULL), CTIE_OK);
    CHECK(ctie_message_kind(message) == CTIE_MESSAGE_VALUE);
    CHECK_STATUS(ctie_message_status(message), CTIE_OK);
    CHECK(int_of(message) == 42 && ctie_message_sequence(message) == 1);
    CHECK(ctie_message_sender_pid(message) == getpid() && ctie_message_time(message) > 0);
    CHECK(text_is(ctie_message_sender_name(message), "tester"));
    CHECK(text_is(ctie_message_identifier(message), "a.b"));
    CHECK(ctie_message_retain(message) == message);
    ctie_message_release(message);
    ctie_message_release(message);
    CHECK_STATUS(ctie_wormhole_signal(wormhole, CTIE_STR("a.b"), &sequence, NULL, NULL), CTIE_OK);
    CHECK(sequence == 2 && stored_int(wormhole, CTIE_STR("a.b")) == 42);
    CHECK_STATUS(ctie_wormhole_destroy(wormhole, CTIE_STR("a.b"), NULL), CTIE_OK);
    CHECK(stored_int(wormhole, CTIE_STR("a.b")) == -1);
    CHECK_STATUS(ctie_wormhole_pass(wormhole, CTIE_STR("c"), ctie_value_int(1), &sequence, NULL, NULL), CTIE_OK);
    CHECK(sequence == 4);
    CHECK_STATUS(ctie_wormhole_destroy_all(wormhole, NULL), CTIE_OK);
    CHECK(stored_int(wormhole, CTIE_STR("c")) == -1);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_E_HANDLE);
}

static void test_identifiers(void) {
    static const char *const bad[] = {"", ".", "a.", ".a", "a..b", "-a", "_a", "a b", "a/b", "../x", "a\n", "ä", "*"};
    static const char *const good[] = {"a", "0", "a-b_c", "a.-b", "A.b.C9"};
    ctie_wormhole *wormhole = open_group();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_STATUS(ctie_wormhole_signal(wormhole, ctie_str_from(bad[i]), NULL, NULL, NULL), CTIE_E_IDENTIFIER);
    }
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        CHECK_STATUS(ctie_wormhole_signal(wormhole, ctie_str_from(good[i]), NULL, NULL, NULL), CTIE_OK);
    }
    char text[129];
    memset(text, 'x', sizeof text);
    CHECK_STATUS(ctie_wormhole_signal(wormhole, (ctie_str){text, 128}, NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_signal(wormhole, (ctie_str){text, 129}, NULL, NULL, NULL), CTIE_E_IDENTIFIER);
    CHECK_STATUS(ctie_wormhole_destroy_all(wormhole, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

static void test_listen(void) {
    ctie_wormhole *wormhole = open_group();
    struct ear first = {0}, second = {0}, prefix = {0};
    uint32_t listeners = 0;
    bind(wormhole, CTIE_STR("l.x"), "one", &first);
    AWAIT(first.calls == 1);
    CHECK(first.kind == CTIE_MESSAGE_NONE);
    CHECK_STATUS(ctie_wormhole_pass(wormhole, CTIE_STR("l.x"), ctie_value_int(5), NULL, &listeners, NULL), CTIE_OK);
    CHECK(listeners == 1);
    AWAIT(first.calls == 2);
    CHECK(first.kind == CTIE_MESSAGE_VALUE && first.value == 5);
    bind(wormhole, CTIE_STR("l.x"), "one", &second);
    CHECK(first.destroyed == 1);
    CHECK_STATUS(ctie_listener_release(first.listener), CTIE_E_HANDLE);
    AWAIT(second.calls == 1);
    CHECK(second.value == 5);
    bind(wormhole, CTIE_STR("l.*"), "", &prefix);
    AWAIT(prefix.calls == 1);
    CHECK(strcmp(prefix.identifier, "l.x") == 0);
    CHECK_STATUS(ctie_wormhole_signal(wormhole, CTIE_STR("l.x"), NULL, NULL, NULL), CTIE_OK);
    AWAIT(second.calls == 2 && prefix.calls == 2);
    CHECK(second.kind == CTIE_MESSAGE_SIGNAL && prefix.kind == CTIE_MESSAGE_SIGNAL);
    CHECK_STATUS(ctie_wormhole_pass(wormhole, CTIE_STR("l.y.z"), ctie_value_int(6), NULL, NULL, NULL), CTIE_OK);
    AWAIT(prefix.calls == 3);
    CHECK(strcmp(prefix.identifier, "l.y.z") == 0 && second.calls == 2);
    CHECK_STATUS(ctie_wormhole_destroy(wormhole, CTIE_STR("l.x"), NULL), CTIE_OK);
    AWAIT(second.calls == 3 && prefix.calls == 4);
    CHECK(second.kind == CTIE_MESSAGE_DESTROYED && prefix.kind == CTIE_MESSAGE_DESTROYED);
    CHECK_STATUS(ctie_wormhole_destroy_all(wormhole, NULL), CTIE_OK);
    AWAIT(second.calls == 4 && prefix.calls == 5);
    CHECK(strcmp(prefix.identifier, "l.*") == 0);
    CHECK(first.calls == 2 && first.went_back + second.went_back + prefix.went_back == 0);
    CHECK_STATUS(ctie_wormhole_remove_listener(wormhole, CTIE_STR("l.x"), CTIE_STR("two")), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_wormhole_remove_listener(wormhole, CTIE_STR("l.x"), CTIE_STR("one")), CTIE_OK);
    CHECK(second.destroyed == 1);
    CHECK_STATUS(ctie_listener_release(prefix.listener), CTIE_OK);
    CHECK(prefix.destroyed == 1);
    CHECK_STATUS(ctie_wormhole_remove_listeners(wormhole), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

static void remove_self(const ctie_message *message, void *user_data) {
    struct ear *ear = user_data;
    (void)message;
    ear->status = ctie_listener_release(ear->listener);
    ear->calls++;
}

static void close_self(const ctie_message *message, void *user_data) {
    struct ear *ear = user_data;
    (void)message;
    ear->status = ctie_wormhole_release(ear->wormhole);
    ear->calls++;
}

static void test_inside_callbacks(void) {
    ctie_wormhole *wormhole = open_group();
    struct ear ear = {0};
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("s"), remove_self, &ear, forget, NULL, &ear.listener, NULL),
                 CTIE_OK);
    AWAIT(ear.destroyed == 1);
    CHECK(ear.calls == 1 && ear.status == CTIE_PENDING);
    CHECK_STATUS(ctie_wormhole_pass(wormhole, CTIE_STR("s"), ctie_value_int(1), NULL, NULL, NULL), CTIE_OK);
    struct ear closer = {0};
    closer.wormhole = wormhole;
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("s"), close_self, &closer, forget, NULL, NULL, NULL), CTIE_OK);
    AWAIT(closer.destroyed == 1);
    CHECK(closer.calls == 1 && closer.status == CTIE_PENDING && ear.calls == 1);
    CHECK_STATUS(ctie_wormhole_signal(wormhole, CTIE_STR("s"), NULL, NULL, NULL), CTIE_E_HANDLE);
}

static void test_bad_arguments(void) {
    ctie_wormhole *wormhole = NULL;
    struct ear ear = {0};
    ctie_error *error = NULL;
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("x"), NULL, NULL, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("../x"), NULL, &wormhole, NULL), CTIE_E_IDENTIFIER);
    wormhole = open_group();
    CHECK_STATUS(ctie_wormhole_pass(wormhole, CTIE_STR("x"), NULL, NULL, NULL, &error), CTIE_E_INVALID);
    CHECK(error != NULL);
    ctie_error_release(error);
    CHECK_STATUS(ctie_wormhole_pass(NULL, CTIE_STR("x"), ctie_value_string(CTIE_STR("gone")), NULL, NULL, NULL),
                 CTIE_E_HANDLE);
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("x"), NULL, &ear, forget, NULL, NULL, NULL), CTIE_E_INVALID);
    CHECK(ear.destroyed == 1);
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("x*"), hear, &ear, forget, NULL, NULL, NULL),
                 CTIE_E_IDENTIFIER);
    CHECK(ear.destroyed == 2);
    CHECK(ctie_message_kind(NULL) == CTIE_MESSAGE_NONE && ctie_message_value(NULL) == NULL);
    CHECK_STATUS(ctie_message_status(NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_wormhole_release(NULL), CTIE_OK);
    CHECK_STATUS(ctie_listener_release(NULL), CTIE_OK);
    ctie_message_release(NULL);
    CHECK(ctie_message_retain(NULL) == NULL);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

/* Runs `body` in a child, which is killed then, and gives what it returned; -1 when it was killed before. */
static int in_child(int (*body)(void *), void *argument) {
    int ends[2];
    if (pipe(ends) != 0) abort();
    pid_t child = fork();
    if (child == 0) {
        int result = body(argument);
        if (write(ends[1], &result, sizeof result) == sizeof result) raise(SIGKILL);
        _exit(1);
    }
    int result = -1;
    close(ends[1]);
    if (read(ends[0], &result, sizeof result) != sizeof result) result = -1;
    close(ends[0]);
    waitpid(child, NULL, 0);
    return result;
}

static int use_after_fork(void *argument) {
    ctie_wormhole *old = argument;
    if (ctie_wormhole_signal(old, CTIE_STR("f"), NULL, NULL, NULL) != CTIE_E_FORKED) return 1;
    if (ctie_wormhole_release(old) != CTIE_E_FORKED) return 2;
    ctie_wormhole *fresh = open_group();
    if (ctie_wormhole_pass(fresh, CTIE_STR("f"), ctie_value_int(7), NULL, NULL, NULL) != CTIE_OK) return 3;
    return ctie_wormhole_release(fresh) == CTIE_OK ? 0 : 4;
}

static void test_fork(void) {
    ctie_wormhole *wormhole = open_group();
    struct ear ear = {0};
    bind(wormhole, CTIE_STR("f"), "", &ear);
    AWAIT(ear.calls == 1);
    CHECK(in_child(use_after_fork, wormhole) == 0);
    AWAIT(ear.value == 7);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

/* Passes 1, 2, 3, …, and says on a pipe what has been acknowledged. */
static int write_until_killed(void *argument) {
    int out = *(int *)argument;
    ctie_wormhole *wormhole = open_group();
    int64_t next = stored_int(wormhole, CTIE_STR("k"));
    for (;;) {
        next++;
        if (ctie_wormhole_pass(wormhole, CTIE_STR("k"), ctie_value_int(next), NULL, NULL, NULL) != CTIE_OK) return 1;
        if (write(out, &next, sizeof next) != sizeof next) return 2;
    }
}

/* Reads what a killed writer has said; the newest number, or `before` when it said nothing. */
static int64_t last_said(int in, int64_t before) {
    int64_t numbers[512];
    ssize_t size;
    while ((size = read(in, numbers, sizeof numbers)) > 0) before = numbers[size / sizeof *numbers - 1];
    return before;
}

static void test_killed_writers(int kills) {
    ctie_wormhole *wormhole = open_group();
    struct ear ear = {0};
    int64_t said = 0;
    CHECK_STATUS(ctie_wormhole_pass(wormhole, CTIE_STR("k"), ctie_value_int(0), NULL, NULL, NULL), CTIE_OK);
    bind(wormhole, CTIE_STR("k"), "", &ear);
    for (int kill_number = 0; kill_number < kills; kill_number++) {
        int ends[2];
        if (pipe(ends) != 0) abort();
        pid_t child = fork();
        if (child == 0) {
            close(ends[0]);
            _exit(write_until_killed(&ends[1]));
        }
        close(ends[1]);
        int64_t word;
        if (read(ends[0], &word, sizeof word) == sizeof word) said = word;
        struct timespec span = {0, rand() % 3000000};
        nanosleep(&span, NULL);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        said = last_said(ends[0], said);
        close(ends[0]);
        int64_t stored = stored_int(wormhole, CTIE_STR("k"));
        CHECK(stored == said || stored == said + 1);
        AWAIT(ear.value == stored);
    }
    CHECK(ear.went_back == 0);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

/* Stands in front of LMDB's function, so that a writer can die just before or just after it. */
static enum { LIVE, DIE_BEFORE_COMMIT, DIE_AFTER_COMMIT } fate = LIVE;

int mdb_txn_commit(void *transaction);

int mdb_txn_commit(void *transaction) {
    int (*real)(void *) = NULL;
    void *found = dlsym(RTLD_NEXT, "mdb_txn_commit");
    memcpy(&real, &found, sizeof real);
    if (fate == DIE_BEFORE_COMMIT) raise(SIGKILL);
    int result = real(transaction);
    if (fate == DIE_AFTER_COMMIT) raise(SIGKILL);
    return result;
}

static int pass_and_die(void *value) {
    ctie_wormhole *wormhole = open_group();
    fate = *(int64_t *)value % 2 == 0 ? DIE_BEFORE_COMMIT : DIE_AFTER_COMMIT;
    ctie_wormhole_pass(wormhole, CTIE_STR("d"), ctie_value_int(*(int64_t *)value), NULL, NULL, NULL);
    return 0;
}

/* What has been committed is heard although its writer rang no bell; what has not is not there. */
static void test_death_around_the_commit(void) {
    ctie_wormhole *wormhole = open_group();
    struct ear first = {0}, second = {0};
    CHECK_STATUS(ctie_wormhole_pass(wormhole, CTIE_STR("d"), ctie_value_int(0), NULL, NULL, NULL), CTIE_OK);
    bind(wormhole, CTIE_STR("d"), "", &first);
    bind(wormhole, CTIE_STR("*"), "", &second);
    for (int64_t value = 1; value <= 10; value++) {
        int64_t expected = value % 2 == 0 ? value - 1 : value;
        CHECK(in_child(pass_and_die, &value) == -1);
        CHECK(stored_int(wormhole, CTIE_STR("d")) == expected);
        AWAIT(first.value == expected);
    }
    CHECK_STATUS(ctie_wormhole_pass(wormhole, CTIE_STR("d"), ctie_value_int(99), NULL, NULL, NULL), CTIE_OK);
    AWAIT(first.value == 99 && second.value == 99);
    CHECK(first.went_back == 0);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

static int say_twelve(void *unused) {
    (void)unused;
    ctie_wormhole *wormhole = open_group();
    if (ctie_wormhole_pass(wormhole, CTIE_STR("late"), ctie_value_int(12), NULL, NULL, NULL) != CTIE_OK) return 1;
    return 0; /* without closing, as a crash would */
}

static void test_late_process(void) {
    CHECK(in_child(say_twelve, NULL) == 0);
    ctie_wormhole *wormhole = open_group();
    struct ear ear = {0};
    CHECK(stored_int(wormhole, CTIE_STR("late")) == 12);
    bind(wormhole, CTIE_STR("late"), "", &ear);
    AWAIT(ear.value == 12);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

static void test_full_store(void) {
    ctie_wormhole *wormhole = open_group();
    char *bytes = calloc(1, 200000);
    char identifier[24];
    int count = 0;
    ctie_status status = CTIE_OK;
    CHECK_STATUS(ctie_wormhole_pass(wormhole, CTIE_STR("kept"), ctie_value_int(3), NULL, NULL, NULL), CTIE_OK);
    while (count < 100 && status == CTIE_OK) {
        snprintf(identifier, sizeof identifier, "full.%d", count);
        ctie_value *value = ctie_value_bytes((ctie_str){bytes, 200000});
        status = ctie_wormhole_pass(wormhole, ctie_str_from(identifier), value, NULL, NULL, NULL);
        if (status == CTIE_OK) count++;
    }
    CHECK_STATUS(status, CTIE_E_NO_SPACE);
    CHECK(count > 10 && stored_int(wormhole, CTIE_STR("kept")) == 3);
    for (int i = 0; i < 3; i++) {
        snprintf(identifier, sizeof identifier, "full.%d", i);
        CHECK_STATUS(ctie_wormhole_destroy(wormhole, ctie_str_from(identifier), NULL), CTIE_OK);
    }
    ctie_value *value = ctie_value_bytes((ctie_str){bytes, 200000});
    CHECK_STATUS(ctie_wormhole_pass(wormhole, CTIE_STR("full.new"), value, NULL, NULL, NULL), CTIE_OK);
    value = ctie_value_bytes((ctie_str){bytes, 200000});
    CHECK_STATUS(ctie_wormhole_destroy_all(wormhole, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_pass(wormhole, CTIE_STR("full.new"), value, NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_destroy_all(wormhole, NULL), CTIE_OK);
    free(bytes);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

int main(void) {
    snprintf(directory, sizeof directory, "/tmp/crosstie-test-%d", (int)getpid());
    test_pass_and_read();
    test_identifiers();
    test_listen();
    test_inside_callbacks();
    test_bad_arguments();
    test_fork();
    test_late_process();
    test_killed_writers(test_rounds(100));
    test_death_around_the_commit();
    test_full_store();
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", directory);
    CHECK(system(command) == 0);
    return check_end();
}
