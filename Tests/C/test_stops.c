/* Processes that are stopped, at the worst of times: the others have deadlines, and nothing grows because of them. */
#include "group.h"
#include "interpose.h"

#include <sys/stat.h>

/* Interposed functions of LMDB, so that a process can stop while it writes or reads. */
static enum { GO_ON, STOP_BEFORE_COMMIT, STOP_AFTER_COMMIT, STOP_READING } fate = GO_ON;

static _Thread_local int readings;

static void stop_once(void) {
    fate = GO_ON;
    raise(SIGSTOP);
}

int mdb_txn_commit(void *transaction);
void mdb_txn_reset(void *transaction);

int mdb_txn_commit(void *transaction) {
    static int (*real)(void *);
    FIND_REAL(real, "mdb_txn_commit");
    if (fate == STOP_BEFORE_COMMIT) stop_once();
    int result = real(transaction);
    if (fate == STOP_AFTER_COMMIT) stop_once();
    return result;
}

void mdb_txn_reset(void *transaction) {
    static void (*real)(void *);
    FIND_REAL(real, "mdb_txn_reset");
    readings++;
    if (fate == STOP_READING) stop_once();
    real(transaction);
}

static pid_t start_and_await_stop(int (*body)(void *), void *argument) {
    int status = 0;
    pid_t child = start_child(body, argument);
    CHECK(waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
    return child;
}

static void end_stop(pid_t child) {
    kill(child, SIGCONT);
    CHECK(end_of_child(child) == 0);
}

static ctie_wormhole *open_patient(uint32_t timeout_ms) {
    ctie_wormhole_options options = group_options(0);
    options.timeout_ms = timeout_ms;
    return open_group_with(&options);
}

/* ---- A stopped writer ---------------------------------------------------------------------------- */

static int stop_writing(void *when) {
    ctie_wormhole *wormhole = open_group();
    fate = *(int *)when;
    CHECK_STATUS(pass_int(wormhole, "w", 1), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

static void test_stopped_writer(int when) {
    ctie_wormhole *wormhole = open_patient(100), *another = NULL;
    ctie_wormhole_options options = group_options(0);
    struct ear ear = {0};
    options.timeout_ms = 100;
    CHECK_STATUS(pass_int(wormhole, "w", 0), CTIE_OK);
    listen_to(wormhole, CTIE_STR("w"), "", &ear);
    AWAIT(ear.calls == 1);
    int64_t stored = when == STOP_AFTER_COMMIT;
    pid_t child = start_and_await_stop(stop_writing, &when);
    int64_t begin = now_ns();
    CHECK_STATUS(pass_int(wormhole, "w", 2), CTIE_E_TIMEOUT);
    int64_t span = now_ns() - begin;
    CHECK(span >= 99000000);
    CHECK_STATUS(ctie_wormhole_signal(wormhole, CTIE_STR("w"), NULL, NULL, NULL), CTIE_E_TIMEOUT);
    CHECK_STATUS(ctie_wormhole_destroy(wormhole, CTIE_STR("w"), NULL, NULL, NULL), CTIE_E_TIMEOUT);
    CHECK_STATUS(ctie_wormhole_destroy_all(wormhole, NULL, NULL, NULL), CTIE_E_TIMEOUT);
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("test"), &options, &another, NULL), CTIE_E_TIMEOUT);
    CHECK(stored_int(wormhole, CTIE_STR("w")) == stored);
    begin = now_ns();
    AWAIT(ear.value == stored);
    FIGURES("; a passing with 100 ms ended after %.1f ms", (double)span / 1e6);
    end_stop(child);
    AWAIT(ear.value == 1);
    CHECK_STATUS(pass_int(wormhole, "w", 3), CTIE_OK);
    AWAIT(ear.value == 3);
    CHECK(ear.went_back == 0);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* ---- A stopped reader ---------------------------------------------------------------------------- */

static int stop_reading(void *unused) {
    (void)unused;
    ctie_wormhole *wormhole = open_group();
    fate = STOP_READING;
    CHECK(stored_int(wormhole, CTIE_STR("r")) == 0);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

static size_t stored_size(ctie_wormhole *wormhole, ctie_str identifier) {
    ctie_message *message = NULL;
    ctie_str bytes = {NULL, 0};
    CHECK_STATUS(ctie_wormhole_message(wormhole, identifier, &message, NULL), CTIE_OK);
    ctie_value_get_bytes(ctie_message_value(message), &bytes);
    ctie_message_release(message);
    return bytes.size;
}

static int64_t store_size(void) {
    char path[96];
    struct stat info = {0};
    snprintf(path, sizeof path, "%s/data.mdb", directory);
    CHECK(stat(path, &info) == 0);
    return (int64_t)info.st_blocks * 512;
}

static bool names_process(ctie_error *error, pid_t pid) {
    char name[32], text[512];
    ctie_str message = ctie_error_message(error);
    snprintf(name, sizeof name, "process %d ", (int)pid);
    snprintf(text, sizeof text, "%.*s", (int)message.size, message.data);
    ctie_error_release(error);
    return strstr(text, name) != NULL;
}

/* Pages of a stopped reader cannot be overwritten: the store may fill, within its bounds, and continues when the reader
   does. A sender without room learns which process holds it. */
static void test_stopped_reader(void) {
    static char large[100000];
    ctie_wormhole_options options = group_options(0);
    options.max_map_size = options.map_size;
    ctie_wormhole *wormhole = open_group_with(&options);
    ctie_status status = CTIE_OK;
    CHECK_STATUS(pass_int(wormhole, "r", 0), CTIE_OK);
    pid_t child = start_and_await_stop(stop_reading, NULL);
    int count = 0;
    while (count < 2000 && (status = pass_bytes(wormhole, "big", 100000)) == CTIE_OK) count++;
    CHECK_STATUS(status, CTIE_E_BUSY);
    CHECK(stored_int(wormhole, CTIE_STR("r")) == 0);
    ctie_error *error = NULL;
    status = ctie_wormhole_send(wormhole, CTIE_STR("big"), ctie_value_bytes((ctie_str){large, sizeof large}), NULL, NULL, NULL,
                                &error);
    CHECK_STATUS(status, CTIE_E_BUSY);
    CHECK(names_process(error, child));
    end_stop(child);
    CHECK(stored_size(wormhole, CTIE_STR("big")) == sizeof large);
    for (int i = 0; i < 200; i++) CHECK_STATUS(pass_bytes(wormhole, "big", 100000), CTIE_OK);
    CHECK(store_size() <= 5 << 20);
    FIGURES("; beside a stopped reader %d passings of 100 kB in 4 MiB", count);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* ---- A long reading ------------------------------------------------------------------------------ */

enum { LISTED = 5000 };

/* It ends now and then, and goes on where it was. */
static void test_long_listing(void) {
    ctie_wormhole *wormhole = open_group();
    ctie_value *list = NULL;
    char name[16];
    for (int i = 0; i < LISTED; i++) {
        snprintf(name, sizeof name, "n.%04d", i);
        CHECK_STATUS(pass_int(wormhole, name, i), CTIE_OK);
    }
    readings = 0;
    CHECK_STATUS(ctie_wormhole_identifiers(wormhole, CTIE_STR("n.*"), &list, NULL), CTIE_OK);
    CHECK(readings >= LISTED / 1024);
    CHECK(ctie_value_count(list) == LISTED);
    for (int i = 0; i < LISTED; i++) {
        ctie_str found = {NULL, 0};
        snprintf(name, sizeof name, "n.%04d", i);
        ctie_value_get_string(ctie_value_at(list, (size_t)i), &found);
        CHECK(found.size == 6 && memcmp(found.data, name, 6) == 0);
    }
    ctie_value_release(list);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* ---- A host that is stopped inside its callback -------------------------------------------------- */

static _Atomic int64_t *received;

static void receive_and_stop(const ctie_message *message, void *unused) {
    (void)unused;
    if (int_of(message) == 1) raise(SIGSTOP);
    *received = int_of(message);
}

static int stop_receiving(void *unused) {
    (void)unused;
    ctie_wormhole *wormhole = open_group();
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("h"), CTIE_RECEIVER(receive_and_stop, NULL), NULL, NULL, NULL),
                 CTIE_OK);
    AWAIT(*received == 20001);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

static void test_stopped_callback(void) {
    ctie_wormhole *wormhole = open_group();
    CHECK_STATUS(pass_int(wormhole, "h", 1), CTIE_OK);
    int64_t size = store_size();
    pid_t child = start_and_await_stop(stop_receiving, NULL);
    for (int64_t i = 2; i <= 20001; i++) {
        if (i % 4 == 0) CHECK_STATUS(pass_bytes(wormhole, "other", 1000 + (size_t)i), CTIE_OK);
        CHECK_STATUS(pass_int(wormhole, "h", i), CTIE_OK);
    }
    CHECK(store_size() == size);
    end_stop(child);
    CHECK(*received == 20001);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* ---- A queue listener that is stopped, or gone, while more comes than is kept ------------------------ */

#define KEPT 100
#define PASSED 1000

static struct { _Atomic int64_t calls, missed, last; } *queue_ear;

static void receive_queue(const ctie_message *message, void *unused) {
    (void)unused;
    if (ctie_message_kind(message) == CTIE_MESSAGE_MISSED) {
        queue_ear->missed += (int64_t)ctie_message_missed(message);
        return;
    }
    if (int_of(message) == 0) raise(SIGSTOP);
    queue_ear->last = int_of(message);
    queue_ear->calls++;
}

static ctie_wormhole *open_with_few_kept(void) {
    ctie_wormhole_options options = group_options(0);
    options.max_queued = KEPT;
    return open_group_with(&options);
}

static void listen_in_queue(ctie_wormhole *wormhole, const char *durable_name) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.flags = CTIE_LISTEN_QUEUE | (*durable_name != 0 ? CTIE_LISTEN_DURABLE : 0);
    options.name = ctie_str_from(durable_name);
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("q"), CTIE_RECEIVER(receive_queue, NULL), &options, NULL, NULL),
                 CTIE_OK);
}

static int stop_in_queue(void *durable_name) {
    ctie_wormhole *wormhole = open_with_few_kept();
    listen_in_queue(wormhole, durable_name);
    CHECK_STATUS(pass_int(wormhole, "q", 0), CTIE_OK);
    AWAIT(queue_ear->calls + queue_ear->missed == PASSED + 1);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

/* Delivered and missed messages are all that was sent; and nothing grows. */
static void test_stopped_queue(const char *durable_name) {
    ctie_wormhole *wormhole = open_with_few_kept();
    queue_ear->calls = queue_ear->missed = 0;
    queue_ear->last = -1;
    pid_t child = start_and_await_stop(stop_in_queue, (void *)(uintptr_t)durable_name);
    int64_t size = store_size();
    for (int64_t i = 1; i <= PASSED; i++) CHECK_STATUS(pass_int(wormhole, "q", i), CTIE_OK);
    CHECK(store_size() == size);
    end_stop(child);
    CHECK(queue_ear->last == PASSED);
    CHECK(queue_ear->missed > 0 && queue_ear->missed <= PASSED - KEPT);
    FIGURES("; of %d messages %lld received, %lld missed", PASSED + 1, (long long)queue_ear->calls,
            (long long)queue_ear->missed);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

/* A durable consumer of which nobody runs meanwhile. */
static void test_absent_durable(void) {
    ctie_wormhole *wormhole = open_with_few_kept();
    queue_ear->calls = queue_ear->missed = 0;
    for (int64_t i = 1; i <= PASSED; i++) CHECK_STATUS(pass_int(wormhole, "q", i), CTIE_OK);
    listen_in_queue(wormhole, "durable");
    AWAIT(queue_ear->calls + queue_ear->missed == PASSED);
    /* The excess is dropped some messages at a time. */
    CHECK(queue_ear->last == PASSED && queue_ear->calls >= KEPT && queue_ear->calls < KEPT + 32);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

int main(void) {
    name_directory();
    queue_ear = share(sizeof *queue_ear);
    received = share(sizeof *received);
    test_stopped_writer(STOP_BEFORE_COMMIT);
    test_stopped_writer(STOP_AFTER_COMMIT);
    test_stopped_reader();
    test_long_listing();
    test_stopped_callback();
    test_stopped_queue("");
    test_stopped_queue("durable");
    test_absent_durable();
    return check_end();
}
