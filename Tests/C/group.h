/* A group in a directory of its own, and what tests of the wormhole do to it again and again. */
#ifndef GROUP_H
#define GROUP_H

#include "check.h"
#include "latch.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/** The directory of the group under test, this program's own. */
static char directory[64];

/** Members that restore files meanwhile can make rm fail. */
static inline void remove_directory(void) {
    char command[96];
    int status = -1;
    snprintf(command, sizeof command, "rm -rf %s 2>&1", directory);
    for (int i = 0; i < 10 && status != 0; i++) { status = system(command); }
    CHECK(status == 0);
}

/** A test that was killed leaves its directory, which a later one of the same number must not find. */
static inline void name_directory(void) {
    snprintf(directory, sizeof directory, "/tmp/crosstie-test-%d", (int)getpid());
    remove_directory();
}

/** A small store in that directory; `flags` as in ctie_wormhole_options. */
static inline ctie_wormhole_options group_options(uint32_t flags) {
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    options.directory = ctie_str_from(directory);
    options.name = CTIE_STR("tester");
    options.map_size = 4 << 20;
    options.max_map_size = 4 << 20;
    options.flags = flags;
    return options;
}

static inline ctie_wormhole *open_group_with(const ctie_wormhole_options *options) {
    ctie_wormhole *wormhole = NULL;
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("test"), options, &wormhole, NULL), CTIE_OK);
    return wormhole;
}

/** The address of a group on a server, for tests that can play there; else NULL. */
static inline const char *server_group(void) { return getenv("CTIE_TEST_GROUP"); }

static inline ctie_wormhole *open_group(void) {
    ctie_wormhole_options options = group_options(0);
    ctie_wormhole *wormhole = NULL;
    if (server_group() == NULL) return open_group_with(&options);
    options = (ctie_wormhole_options)CTIE_WORMHOLE_OPTIONS_INIT;
    options.name = CTIE_STR("tester");
    CHECK_STATUS(ctie_wormhole_open(ctie_str_from(server_group()), &options, &wormhole, NULL), CTIE_OK);
    return wormhole;
}

/* ---- Time ---------------------------------------------------------------------------------------- */

static inline void nap_ns(int64_t span) {
    struct timespec time = {span / 1000000000, span % 1000000000};
    nanosleep(&time, NULL);
}

static inline int64_t clock_ns(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static inline int64_t now_ns(void) { return clock_ns(CLOCK_MONOTONIC); }

/** Waits until `condition` holds, for as long as a broken machine may need. It need not hold for long. The clock is one
    that no test moves. */
#define AWAIT(condition) \
    do { \
        int64_t end_ = clock_ns(CLOCK_BOOTTIME) + INT64_C(60000000000); \
        bool is_so_ = false; \
        while (!(is_so_ = (condition)) && clock_ns(CLOCK_BOOTTIME) < end_) nap_ns(200000); \
        check_that(is_so_, #condition, __FILE__, __LINE__); \
    } while (0)

/* ---- Messages ------------------------------------------------------------------------------------ */

static inline int64_t int_of(const ctie_message *message) {
    int64_t value = -1;
    ctie_value_get_int(ctie_message_value(message), &value);
    return value;
}

/** A number of a map; -1 for null or where there is none. */
static inline int64_t int_at(const ctie_value *map, const char *key) {
    int64_t number = -1;
    ctie_value_get_int(ctie_value_get(map, ctie_str_from(key)), &number);
    return number;
}

static inline int64_t stored_int(ctie_wormhole *wormhole, ctie_str identifier) {
    ctie_message *message = NULL;
    if (ctie_wormhole_message(wormhole, identifier, &message, NULL) != CTIE_OK) return -1;
    int64_t value = int_of(message);
    ctie_message_release(message);
    return value;
}

static inline ctie_status pass_int(ctie_wormhole *wormhole, const char *identifier, int64_t value) {
    return ctie_wormhole_send(wormhole, ctie_str_from(identifier), ctie_value_int(value), NULL, NULL, NULL, NULL);
}

static inline ctie_status pass_bytes(ctie_wormhole *wormhole, const char *identifier, size_t size) {
    char *bytes = calloc(1, size);
    ctie_value *value = ctie_value_bytes((ctie_str){bytes, size});
    free(bytes);
    return ctie_wormhole_send(wormhole, ctie_str_from(identifier), value, NULL, NULL, NULL, NULL);
}

/** The messages that a listener got. */
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

static inline void receive(const ctie_message *message, void *user_data) {
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

static inline void forget(void *user_data) { ((struct ear *)user_data)->destroyed++; }

static inline ctie_listener *listen_to(ctie_wormhole *wormhole, ctie_str identifier, const char *name,
                                       struct ear *ear) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.name = ctie_str_from(name);
    CHECK_STATUS(ctie_wormhole_listen(wormhole, identifier, CTIE_RECEIVER_OWNED(receive, ear, forget), &options,
                                      &ear->listener, NULL), CTIE_OK);
    return ear->listener;
}

/* ---- Processes ----------------------------------------------------------------------------------- */

/** Memory that children share with this process. */
static inline void *share(size_t size) {
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) abort();
    return memory;
}

/** Forks; the child dies with its parent, and what this process has said so far is not said twice. */
static inline pid_t fork_child(void) {
    pid_t parent = getpid();
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) abort();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(1);
    }
    return child;
}

/** Runs `body` in a child, whose exit status it becomes; no exit handler runs there. */
static inline pid_t start_child(int (*body)(void *), void *argument) {
    pid_t child = fork_child();
    if (child == 0) {
        checks_failed = 0;
        int result = body(argument);
        _exit(result != 0 ? result : checks_failed != 0);
    }
    return child;
}

/** Waits for a child's end: its exit status, or less than 0: the number of the signal that ended it. */
static inline int end_of_child(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static inline int in_child(int (*body)(void *), void *argument) { return end_of_child(start_child(body, argument)); }

static inline void kill_child(pid_t child) {
    kill(child, SIGKILL);
    end_of_child(child);
}

/* ---- Durable consumers --------------------------------------------------------------------------- */

/** The consumer of a name in a list of durables(); NULL without one. */
static inline const ctie_value *durable_named(const ctie_value *list, const char *name) {
    for (size_t i = 0; i < ctie_value_count(list); i++) {
        const ctie_value *entry = ctie_value_at(list, i);
        ctie_str text = {0};
        ctie_value_get_string(ctie_value_get(entry, CTIE_STR("name")), &text);
        if (text_is(text, name)) return entry;
    }
    return NULL;
}

/** A field of such a consumer: its number, or the number of its elements. */
static inline int64_t field_of(const ctie_value *entry, const char *key) {
    const ctie_value *value = ctie_value_get(entry, ctie_str_from(key));
    int64_t number = -1;
    return ctie_value_get_int(value, &number) == CTIE_OK ? number : (int64_t)ctie_value_count(value);
}

/** A field of a consumer; -1 without that consumer. */
static inline int64_t durable_number(ctie_wormhole *wormhole, const char *name, const char *key) {
    ctie_value *list = NULL;
    CHECK_STATUS(ctie_wormhole_durables(wormhole, &list, NULL), CTIE_OK);
    const ctie_value *entry = durable_named(list, name);
    int64_t found = entry != NULL ? field_of(entry, key) : -1;
    ctie_value_release(list);
    return found;
}

/** Whether a consumer has no message left: by a single listing, because between two of them a message may move from a
    field that is read later to one that was read before. */
static inline bool durable_is_idle(ctie_wormhole *wormhole, const char *name) {
    ctie_value *list = NULL;
    CHECK_STATUS(ctie_wormhole_durables(wormhole, &list, NULL), CTIE_OK);
    const ctie_value *entry = durable_named(list, name);
    bool has_none = entry != NULL && field_of(entry, "waiting") == 0 && field_of(entry, "retrying") == 0 &&
                    field_of(entry, "in_hand") == 0;
    ctie_value_release(list);
    return has_none;
}

#endif
