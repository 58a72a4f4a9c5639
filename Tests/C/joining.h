/* A bus in another process that exports a component, for tests of joined buses. */
#ifndef JOINING_H
#define JOINING_H

#include "components.h"
#include "group.h"
#include "latch.h"
#include "spawner.h"

#include <crosstie/convenience.h>
#include <sys/syscall.h>

/** The memory by which the processes of a test agree. */
static struct board {
    _Atomic int ready;      /* callees that have joined */
    _Atomic int shall_end;
    _Atomic int running;    /* handlers of `hang` that have begun */
    _Atomic int cancelled;  /* of them, those that were cancelled */
    _Atomic int stage;      /* what a callee of its own kind is to do next */
} *board;

static ctie_bus *make_bus(void) {
    ctie_bus *bus = NULL;
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    return bus;
}

/** Joins with at most one export and one import; NULL for none. */
static inline ctie_join *join_as(ctie_bus *bus, ctie_wormhole *wormhole, const char *name, const char *exported,
                                 const char *imported, uint32_t flags) {
    ctie_join_options options = CTIE_JOIN_OPTIONS_INIT;
    ctie_str exports = ctie_str_from(exported), imports = ctie_str_from(imported);
    ctie_join *join = NULL;
    ctie_error *error = NULL;
    options.name = ctie_str_from(name);
    options.exports = (ctie_str_list){&exports, exported != NULL};
    options.imports = (ctie_str_list){&imports, imported != NULL};
    options.flags = flags;
    CHECK_STATUS(ctie_bus_join(bus, wormhole, &options, &join, &error), CTIE_OK);
    if (error != NULL) fprintf(stderr, "    " CTIE_FMT "\n", CTIE_ARG(ctie_error_message(error)));
    ctie_error_release(error);
    return join;
}

/* ---- The component ------------------------------------------------------------------------------- */

static void echo(ctie_request *request, void *user_data CTIE_UNUSED) {
    ctie_value *params = NULL;
    CHECK_STATUS(ctie_request_params(request, &params), CTIE_OK);
    ctie_request_reply(request, params);
}

static void fail_so(ctie_request *request, void *user_data CTIE_UNUSED) {
    ctie_request_fail(request, 7, ctie_value_int(70), CTIE_STR("no wheels left"));
}

static void note_cancel(void *user_data) {
    ctie_request *request = user_data;
    board->cancelled++;
    ctie_request_release(request);
}

static void hang(ctie_request *request, void *user_data CTIE_UNUSED) {
    CHECK_STATUS(ctie_request_retain(request), CTIE_OK);
    CHECK_STATUS(ctie_request_on_cancel(request, CTIE_NOTICE(note_cancel, request)), CTIE_OK);
    board->running++;
}

static void step(ctie_request *request, void *user_data CTIE_UNUSED) {
    for (int i = 0; i < 20; i++) ctie_request_progress(request, ctie_value_int(i));
    ctie_request_reply(request, ctie_value_int(20));
}

/** Replies with the caller: origin, name and pid of the peer, deadline. */
static void describe(ctie_request *request, void *user_data CTIE_UNUSED) {
    const ctie_value *peer = NULL;
    ctie_origin origin = CTIE_ORIGIN_REMOTE;
    int64_t left = -1;
    ctie_str name = {NULL, 0};
    ctie_request_origin(request, &origin);
    ctie_request_time_left(request, &left);
    if (ctie_request_peer(request, &peer) == CTIE_OK) {
        ctie_value_get_string(ctie_value_get(peer, CTIE_STR("name")), &name);
    }
    ctie_request_reply(request, CTIE_MAP("origin", ctie_value_int(origin), "peer", ctie_value_string(name), "pid",
                                         ctie_value_int(int_at(peer, "pid")), "left", ctie_value_int(left)));
}

/** Calls the caller's own `till.back`, which calls this again: until a process refuses. */
static void nest(ctie_request *request, void *user_data CTIE_UNUSED) {
    ctie_bus *bus = NULL;
    ctie_response *response = NULL;
    int64_t depth = 0;
    ctie_request_bus(request, &bus);
    ctie_status status = ctie_component_call(bus, CTIE_TARGET("till", "back"), NULL, without_end(), &response, NULL);
    if (status == CTIE_OK) ctie_value_get_int(ctie_response_value(response), &depth);
    ctie_request_reply(request, ctie_value_int(status == CTIE_OK ? depth + 1 : (status == CTIE_E_DEPTH ? 1 : -1000)));
    ctie_response_release(response);
}

static inline void add_stock(ctie_bus *bus) {
    ctie_action actions[] = {action_of("echo", echo, NULL, 0),       action_of("fail", fail_so, NULL, 0),
                             action_of("hang", hang, NULL, 0),       action_of("step", step, NULL, 0),
                             action_of("describe", describe, NULL, 0), action_of("nest", nest, NULL, 0)};
    CHECK_STATUS(ctie_component_add(bus, CTIE_STR("stock"), CTIE_ACTIONS(actions), CTIE_INSTANCE(NULL), NULL, NULL,
                                    NULL), CTIE_OK);
    add_action(bus, "secret", "echo", echo, NULL, 0);
}

/* ---- The other process --------------------------------------------------------------------------- */

struct callee {
    const char *name, *exported, *imported;
    uint32_t flags;
};

static int serve(void *argument) {
    const struct callee *own = argument;
    ctie_bus *bus = make_bus();
    add_stock(bus);
    ctie_wormhole *wormhole = open_group();
    ctie_join *join = join_as(bus, wormhole, own->name, own->exported, own->imported, own->flags);
    board->ready++;
    while (!board->shall_end) nap_ns(500000);
    CHECK_STATUS(ctie_join_release(join), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    CHECK_STATUS(ctie_bus_release(bus), CTIE_OK);
    return 0;
}

/** A process that serves `stock`. */
static inline pid_t start_stock(const char *name, uint32_t flags) {
    struct callee callee = {name, "stock", "till", flags};
    int before = board->ready;
    pid_t child = spawn_child(serve, &callee, sizeof callee);
    AWAIT(board->ready > before);
    return child;
}

static inline void end_stock(pid_t child) {
    board->shall_end = 1;
    CHECK(end_of_child(child) == 0);
    board->shall_end = 0;
}

/** The number of peers that a join knows. */
static inline size_t peer_count(ctie_join *join) {
    ctie_value *peers = NULL;
    CHECK_STATUS(ctie_join_peers(join, &peers, NULL), CTIE_OK);
    size_t count = ctie_value_count(peers);
    ctie_value_release(peers);
    return count;
}

static inline int open_files(void) {
    int count = 0;
    DIR *files = opendir("/proc/self/fd");
    if (files == NULL) return -1;
    for (struct dirent *each; (each = readdir(files)) != NULL;) count += each->d_name[0] != '.';
    closedir(files);
    return count;
}

/** Ends the objects of a test. No thread is left of those that began later, and no file. Returns the exit status. */
static inline int end_joined(ctie_join *join, ctie_wormhole *wormhole, ctie_bus *bus, int threads, int files) {
    CHECK_STATUS(ctie_join_release(join), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    end_spawner();
    /* The client of a server keeps threads of its own. */
    if (server_group() == NULL) {
        CHECK(threads_end(threads));
        CHECK(open_files() == files);
    }
    remove_directory();
    return check_end();
}

/** Whether the system allows joins to share memory, for which they wait for several words. */
static inline bool can_share_memory(void) {
    return syscall(449 /* futex_waitv */, NULL, 0, 0, NULL, CLOCK_MONOTONIC) < 0 && errno == EINVAL;
}

/** The mappings of shared memory in this process. */
static inline int shared_mappings(void) {
    char line[512];
    int count = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) count += strstr(line, "memfd:crosstie-join") != NULL;
    if (maps != NULL) fclose(maps);
    return count;
}

#endif
