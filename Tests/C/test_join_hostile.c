/*
 * A peer that breaks the protocol: garbage, lengths that lie, other versions, floods, connections without number, and
 * answers that nobody reads. It is cut off; the process and its other peers go on.
 */
#include "raw_peer.h"

static ctie_bus *bus;
static ctie_join *joined;

static void garbage_is_cut_off(void) {
    unsigned seed = 3;
    unsigned char bytes[512];
    for (int i = 0; i < 400; i++) {
        int file = i % 2 == 0 ? connect_raw() : greet_as(1);
        size_t size = 1 + (size_t)rand_r(&seed) % sizeof bytes;
        for (size_t at = 0; at < size; at++) bytes[at] = (unsigned char)rand_r(&seed);
        bytes[0] = 0;
        /* Not a frame that happens to be one: a cancel or a goodbye may be. */
        if (size > 1) bytes[1] = (unsigned char)(i % 3 == 0 ? 3 : i % 3 == 1 ? 4 : 200);
        send(file, bytes, size, MSG_NOSIGNAL);
        CHECK(is_cut_off(file));
        close(file);
    }
}

static void calls_are_checked(void) {
    unsigned char bytes[256];
    int file = greet_as(1);
    size_t size = call_frame(bytes, 1, "secret", 0, 1);
    send(file, bytes, size, MSG_NOSIGNAL);
    CHECK(answer_status(file) == CTIE_E_NO_COMPONENT);
    size = call_frame(bytes, 2, "stock", 0, 65);
    send(file, bytes, size, MSG_NOSIGNAL);
    CHECK(answer_status(file) == CTIE_E_DEPTH);
    size = call_frame(bytes, 3, "stock", 0, 1);
    send(file, bytes, size, MSG_NOSIGNAL);
    CHECK(answer_status(file) == CTIE_OK);
    size = call_frame(bytes, 4, "stock", 0xFFFFFFF0u, 1);
    send(file, bytes, size, MSG_NOSIGNAL);
    CHECK(is_cut_off(file));
    close(file);
    file = greet_as(1);
    /* A frame that never ends: cut off at max_frame_size. */
    memset(bytes, 1, sizeof bytes);
    ssize_t sent = 0;
    for (int i = 0; i < 8192 && sent >= 0; i++) sent = send(file, bytes, sizeof bytes, MSG_NOSIGNAL);
    CHECK(is_cut_off(file));
    close(file);
}

/** A URL to open, or an event, that says it is of local origin. */
static size_t named_frame(unsigned char *bytes, unsigned kind, const char *name) {
    static uint64_t id = 1000;
    size_t at = put(bytes, 0, PACKET_LAST, 1), size = strlen(name);
    at = put(bytes, at, kind, 1);
    at = put(bytes, at, ++id, 8);
    at = put(bytes, at, 1, 1);
    at = put(bytes, at, 1, 1);
    at = put(bytes, at, UINT64_MAX, 8);
    at = put(bytes, at, size, 2);
    memcpy(bytes + at, name, size);
    return put(bytes, at + size, 0, kind == FRAME_EVENT ? 8 : 4);
}

static int32_t status_of_named(int file, unsigned kind, const char *name) {
    unsigned char bytes[256];
    size_t size = named_frame(bytes, kind, name);
    CHECK(send(file, bytes, size, MSG_NOSIGNAL) == (ssize_t)size);
    return answer_status(file);
}

/* A peer that asks for more than it knows of: only exported and public things answer. */
static void only_exports_are_reached(void) {
    ctie_str exports[] = {CTIE_STR("stock"), CTIE_STR("app://open/*"), CTIE_STR("event:saved")};
    ctie_route_options all = CTIE_ROUTE_OPTIONS_INIT;
    all.flags = CTIE_ROUTE_PUBLIC;
    ctie_handler handler = CTIE_HANDLER(reply_null, NULL);
    CHECK_STATUS(ctie_join_set_exports(joined, (ctie_str_list){exports, 3}, NULL), CTIE_OK);
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://open/all"), handler, &all, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://open/own"), handler, NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://shut/all"), handler, &all, NULL, NULL), CTIE_OK);
    add_action(bus, "ears", "saved", reply_null, NULL, CTIE_ACTION_EVENT);
    int file = greet_as(1);
    CHECK(status_of_named(file, FRAME_OPEN, "app://open/all") == CTIE_OK);
    CHECK(status_of_named(file, FRAME_OPEN, "app://open/own") == CTIE_E_DENIED);
    CHECK(status_of_named(file, FRAME_OPEN, "app://open") == CTIE_E_NO_ROUTE);
    CHECK(status_of_named(file, FRAME_OPEN, "app://shut/all") == CTIE_E_NO_ROUTE);
    CHECK(status_of_named(file, FRAME_OPEN, "app://open/../shut/all") == CTIE_E_NO_ROUTE);
    CHECK(status_of_named(file, FRAME_OPEN, "/open/all") == CTIE_E_NO_ROUTE);
    CHECK(status_of_named(file, FRAME_OPEN, "") == CTIE_E_NO_ROUTE);
    CHECK(status_of_named(file, FRAME_EVENT, "saved") == CTIE_OK);
    CHECK(status_of_named(file, FRAME_EVENT, "created") == CTIE_E_NO_COMPONENT);
    CHECK(status_of_named(file, FRAME_EVENT, "") == CTIE_E_NO_COMPONENT);
    close(file);
    CHECK_STATUS(ctie_join_set_exports(joined, (ctie_str_list){exports, 1}, NULL), CTIE_OK);
}

static void another_member_is_refused(void) {
    unsigned char bytes[128];
    int file = connect_raw();
    size_t size = greeting(bytes, 1, own_member(file) + 256);
    send(file, bytes, size, MSG_NOSIGNAL);
    CHECK(is_cut_off(file));
    close(file);
}

/* Its exports are known, so that callers get the reason. */
static void another_version_only_stays_known(void) {
    int file = greet_as(2);
    AWAIT(peer_count(joined) == 1);
    CHECK_STATUS(call_now(bus, "trade", "echo"), CTIE_E_VERSION);
    close(file);
    AWAIT(peer_count(joined) == 0);
    CHECK_STATUS(call_now(bus, "trade", "echo"), CTIE_E_NO_COMPONENT);
}

static _Atomic int refused;

static void count_busy(ctie_response *response, void *user_data CTIE_UNUSED) {
    if (ctie_response_status(response) == CTIE_E_BUSY) refused++;
}

/* Calls to a peer that never reads end with BUSY when its queue is full, and with its end. */
static void a_peer_that_never_reads(void) {
    int file = greet_as(1);
    AWAIT(peer_count(joined) == 1);
    size_t size = 500000;
    char *bytes = calloc(1, size);
    ctie_value *params = CTIE_MAP("bytes", ctie_value_bytes((ctie_str){bytes, size}));
    ctie_call *calls[64];
    int busy = 0, ended = 0, late = 0;
    for (int i = 0; i < 64; i++) {
        CHECK_STATUS(ctie_component_call_async(bus, CTIE_TARGET("trade", "echo"), params,
                                               CTIE_COMPLETION(count_busy, NULL), without_end(), &calls[i], NULL),
                     CTIE_OK);
    }
    AWAIT(refused > 0);
    close(file);
    for (int i = 0; i < 64; i++) {
        ctie_status status = call_end(calls[i]);
        busy += status == CTIE_E_BUSY;
        ended += status == CTIE_E_PEER_GONE;
        late += status == CTIE_E_NO_COMPONENT; /* begun after its end */
    }
    CHECK(busy > 0 && ended > 0 && busy + ended + late == 64);
    ctie_value_release(params);
    free(bytes);
    AWAIT(peer_count(joined) == 0);
}

/* A flood of calls whose answers nobody reads: the memory for them is bounded. */
static void a_flood_is_cut_off(void) {
    int file = greet_as(1);
    unsigned char *bytes = calloc(1, 60000);
    ssize_t sent = 0;
    uint64_t id = 1;
    for (; id < 5000 && sent >= 0; id++) {
        size_t size = call_frame(bytes, id, "stock", 30000, 1);
        size_t at = put(bytes, size - 8, 30000, 4);
        /* {"a": a long text} */
        bytes[at] = 0x81;
        memcpy(bytes + at + 1, "\xA1" "a", 2);
        bytes[at + 3] = 0xDA;
        bytes[at + 4] = (29994 >> 8) & 0xFF;
        bytes[at + 5] = 29994 & 0xFF;
        memset(bytes + at + 6, 'x', 29994);
        at = put(bytes, at + 30000, 0, 4);
        sent = send(file, bytes, at, MSG_NOSIGNAL);
    }
    CHECK(sent < 0);
    close(file);
    free(bytes);
}

static void many_connections(void) {
    int files[600];
    for (int i = 0; i < 600; i++) files[i] = connect_raw();
    CHECK(files[0] >= 0);
    for (int i = 0; i < 600; i++) {
        if (files[i] >= 0) close(files[i]);
    }
}

int main(void) {
    name_directory();
    board = share(sizeof *board);
    int threads = thread_count(), files = open_files();
    bus = make_bus();
    add_stock(bus);
    ctie_wormhole *wormhole = open_group();
    joined = join_as(bus, wormhole, "victim", "stock", "trade", 0);
    garbage_is_cut_off();
    calls_are_checked();
    only_exports_are_reached();
    another_member_is_refused();
    another_version_only_stays_known();
    a_peer_that_never_reads();
    a_flood_is_cut_off();
    many_connections();
    AWAIT(peer_count(joined) == 0);
    int file = greet_as(1);
    AWAIT(peer_count(joined) == 1);
    close(file);
    return end_joined(joined, wormhole, bus, threads, files);
}
