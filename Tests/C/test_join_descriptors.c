/*
 * Descriptors that travel between two processes, in requests and answers, by the socket and beside shared memory, in order and
 * without a leak; a receiver without room for them; and peers that send others than they say.
 */
#include "raw_peer.h"

#include <fcntl.h>
#include <sys/resource.h>

enum { MOST = CTIE_JOIN_MAX_DESCRIPTORS, ROUNDS = 50, HELD = 100 };

static ctie_bus *bus;
static ctie_wormhole *wormhole;
static ctie_join *joined;

/** A descriptor from which a number can be read. */
static ctie_value *file_with(int number) {
    int ends[2] = {-1, -1};
    CHECK(pipe(ends) == 0);
    CHECK(write(ends[1], &number, sizeof number) == sizeof number);
    close(ends[1]);
    ctie_value *value = ctie_value_descriptor(ends[0]);
    close(ends[0]);
    return value;
}

static int number_in(const ctie_value *value) {
    int file = -1, number = -1;
    if (ctie_value_get_descriptor(value, &file) != CTIE_OK) return -2;
    return read(file, &number, sizeof number) == sizeof number ? number : -3;
}

/** A map with a number and that many descriptors. */
static ctie_value *files_from(int first, int count) {
    ctie_value *items[MOST + 1];
    for (int i = 0; i < count; i++) items[i] = file_with(first + i);
    return CTIE_MAP("first", ctie_value_int(first), "files", ctie_value_list(items, (size_t)count));
}

static bool has_files(const ctie_value *map, int count) {
    const ctie_value *files = ctie_value_get(map, CTIE_STR("files"));
    int first = (int)int_at(map, "first");
    if (ctie_value_count(files) != (size_t)count) return false;
    for (int i = 0; i < count; i++) {
        if (number_in(ctie_value_at(files, (size_t)i)) != first + i) return false;
    }
    return true;
}

/* ---- The callee ---------------------------------------------------------------------------------- */

/** Reads all, and replies with their number and as many others. */
static void exchange(ctie_request *request, void *user_data CTIE_UNUSED) {
    ctie_value *params = NULL;
    CHECK_STATUS(ctie_request_params(request, &params), CTIE_OK);
    int count = (int)ctie_value_count(ctie_value_get(params, CTIE_STR("files"))), first = (int)int_at(params, "first");
    bool is_right = has_files(params, count);
    ctie_value_release(params);
    ctie_request_reply(request, is_right ? files_from(first + 1000, count) : ctie_value_null());
}

/** Replies with more than an answer may have. */
static void give_too_many(ctie_request *request, void *user_data CTIE_UNUSED) {
    ctie_request_reply(request, files_from(0, MOST + 1));
}

static int64_t next_number, disorder;

static void take_number(ctie_request *request, void *user_data CTIE_UNUSED) {
    ctie_value *params = NULL;
    CHECK_STATUS(ctie_request_params(request, &params), CTIE_OK);
    disorder += int_at(params, "first") != next_number++;
    ctie_value_release(params);
    ctie_request_reply(request, ctie_value_int(disorder));
}

static void count_files(ctie_request *request, void *user_data CTIE_UNUSED) {
    ctie_request_reply(request, ctie_value_int(open_files()));
}

/** Keeps the request until the stage is over. */
static void *wait_and_reply(void *request) {
    while (board->stage == 0) nap_ns(500000);
    ctie_request_reply(request, ctie_value_null());
    ctie_request_release(request);
    return NULL;
}

static void hold(ctie_request *request, void *user_data CTIE_UNUSED) {
    pthread_t thread;
    CHECK_STATUS(ctie_request_retain(request), CTIE_OK);
    CHECK(pthread_create(&thread, NULL, wait_and_reply, request) == 0);
    pthread_detach(thread);
    board->running++;
}

static void check_user_info(ctie_request *request, void *user_data CTIE_UNUSED) {
    const ctie_value *info = NULL;
    CHECK_STATUS(ctie_request_user_info(request, &info), CTIE_OK);
    ctie_request_reply(request, ctie_value_bool(has_files(info, 2)));
}

static void add_files(ctie_bus *served) {
    ctie_dispatcher_options one = CTIE_DISPATCHER_OPTIONS_INIT;
    ctie_component_options options = CTIE_COMPONENT_OPTIONS_INIT;
    ctie_route_options all = CTIE_ROUTE_OPTIONS_INIT;
    one.max_workers = 1;
    one.max_queued = 4096;
    options.dispatcher = CTIE_STR("one");
    all.flags = CTIE_ROUTE_PUBLIC;
    CHECK_STATUS(ctie_dispatcher_add(served, CTIE_STR("one"), &one, NULL), CTIE_OK);
    ctie_action actions[] = {action_of("exchange", exchange, NULL, 0), action_of("many", give_too_many, NULL, 0),
                             action_of("count", count_files, NULL, 0), action_of("hold", hold, NULL, 0),
                             action_of("echo", echo, NULL, 0)};
    CHECK_STATUS(ctie_component_add(served, CTIE_STR("files"), CTIE_ACTIONS(actions), CTIE_INSTANCE(NULL), NULL, NULL, NULL),
                 CTIE_OK);
    ctie_action next = action_of("next", take_number, NULL, 0);
    CHECK_STATUS(ctie_component_add(served, CTIE_STR("queue"), (ctie_action_list){&next, 1}, CTIE_INSTANCE(NULL), &options,
                                    NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_route_add(served, CTIE_STR("app://files"), CTIE_HANDLER(check_user_info, NULL), &all, NULL, NULL), CTIE_OK);
}

static ctie_join *join_group(ctie_bus *own, ctie_wormhole *group, bool exports, uint32_t flags) {
    ctie_str names[] = {CTIE_STR("files"), CTIE_STR("queue"), CTIE_STR("app://files")};
    ctie_join_options options = CTIE_JOIN_OPTIONS_INIT;
    ctie_join *join = NULL;
    options.exports = (ctie_str_list){names, exports ? 3 : 0};
    options.imports = (ctie_str_list){names, exports ? 0 : 3};
    options.flags = flags;
    CHECK_STATUS(ctie_bus_join(own, group, &options, &join, NULL), CTIE_OK);
    return join;
}

struct surroundings {
    uint32_t flags;
    int files; /* that the callee may open; 0: as many as this process */
};

static int serve_files(void *argument) {
    const struct surroundings *own = argument;
    struct rlimit limit = {(rlim_t)own->files, (rlim_t)own->files};
    if (own->files != 0) CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    ctie_bus *served = make_bus();
    add_files(served);
    ctie_wormhole *group = open_group();
    ctie_join *join = join_group(served, group, true, own->flags);
    board->ready++;
    while (!board->shall_end) nap_ns(500000);
    CHECK_STATUS(ctie_join_release(join), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(group), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(served), CTIE_OK);
    return 0;
}

static pid_t start_files(struct surroundings *in) {
    int before = board->ready;
    board->stage = 0;
    board->running = 0;
    pid_t child = start_child(serve_files, in);
    AWAIT(board->ready > before);
    AWAIT(peer_count(joined) == 1);
    return child;
}

static void end_files(pid_t child) {
    board->stage = 1;
    end_stock(child);
    AWAIT(peer_count(joined) == 0);
}

/* ---- The caller ---------------------------------------------------------------------------------- */

static ctie_status call_files(const char *action, ctie_value *params, ctie_response **response) {
    ctie_target target = {CTIE_STR("files"), ctie_str_from(action)};
    ctie_status status = ctie_component_call(bus, target, params, without_end(), response, NULL);
    ctie_value_release(params);
    return status;
}

static int files_there(void) {
    ctie_response *response = NULL;
    int64_t count = -1;
    CHECK_STATUS(call_files("count", NULL, &response), CTIE_OK);
    ctie_value_get_int(ctie_response_value(response), &count);
    ctie_response_release(response);
    return (int)count;
}

static void they_go_there_and_back(void) {
    static const int counts[] = {1, 2, MOST};
    int before = open_files(), there = files_there();
    for (int i = 0; i < ROUNDS; i++) {
        int count = counts[i % 3];
        ctie_response *response = NULL;
        CHECK_STATUS(call_files("exchange", files_from(i, count), &response), CTIE_OK);
        CHECK(has_files(ctie_response_value(response), count));
        CHECK(int_at(ctie_response_value(response), "first") == i + 1000);
        ctie_response_release(response);
    }
    AWAIT(open_files() <= before);
    AWAIT(files_there() <= there);
}

/* One descriptor, which both processes have open, in one value twice. */
static void one_may_be_named_twice(void) {
    ctie_response *response = NULL;
    ctie_value *file = file_with(5);
    CHECK_STATUS(call_files("echo", CTIE_MAP("a", ctie_value_retain(file), "b", file), &response), CTIE_OK);
    CHECK(number_in(ctie_value_get(ctie_response_value(response), CTIE_STR("a"))) == 5);
    CHECK(number_in(ctie_value_get(ctie_response_value(response), CTIE_STR("b"))) == -3); /* read already */
    ctie_response_release(response);
}

static void there_is_a_limit(void) {
    ctie_response *response = NULL;
    CHECK_STATUS(call_files("echo", files_from(0, MOST + 1), &response), CTIE_E_LIMIT);
    ctie_response_release(response);
    CHECK_STATUS(call_files("many", NULL, &response), CTIE_E_LIMIT);
    ctie_response_release(response);
}

static void urls_bring_them(void) {
    ctie_request_options options = *without_end();
    ctie_response *response = NULL;
    bool is_right = false;
    ctie_value *info = files_from(7, 2);
    options.user_info = info;
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://files"), CTIE_ORIGIN_LOCAL, &options, &response, NULL), CTIE_OK);
    CHECK_STATUS(ctie_value_get_bool(ctie_response_value(response), &is_right), CTIE_OK);
    CHECK(is_right);
    ctie_response_release(response);
    ctie_value_release(info);
}

static void note_end(ctie_response *response, void *user_data) {
    int64_t disordered = -1;
    CHECK_STATUS(ctie_response_status(response), CTIE_OK);
    ctie_value_get_int(ctie_response_value(response), &disordered);
    CHECK(disordered == 0);
    latch_add(user_data);
}

/* Frames with descriptors go by the socket, the others by the memory: they stay in order. */
static void calls_stay_in_order(void) {
    static latch ended = LATCH_INIT;
    int before = latch_count(&ended);
    for (int i = 0; i < 4 * ROUNDS; i++) {
        ctie_value *params = files_from(i, i % 3 == 2);
        CHECK_STATUS(ctie_component_call_async(bus, CTIE_TARGET("queue", "next"), params, CTIE_COMPLETION(note_end, &ended),
                                               without_end(), NULL, NULL), CTIE_OK);
        ctie_value_release(params);
    }
    latch_wait(&ended, before + 4 * ROUNDS);
}

static void play_in(struct surroundings in) {
    pid_t child = start_files(&in);
    they_go_there_and_back();
    one_may_be_named_twice();
    there_is_a_limit();
    urls_bring_them();
    calls_stay_in_order();
    end_files(child);
}

/* A callee that keeps what it gets has a quarter of its files for its peers, and half of that for each of them. */
static void a_receiver_keeps_a_part_of_its_files(int files) {
    struct surroundings in = {0, files};
    pid_t child = start_files(&in);
    ctie_call *calls[HELD];
    int there = files_there(), refused = 0;
    for (int i = 0; i < HELD; i++) {
        ctie_value *params = files_from(0, 4);
        CHECK_STATUS(ctie_component_call_async(bus, CTIE_TARGET("files", "hold"), params, CTIE_COMPLETION(NULL, NULL),
                                               without_end(), &calls[i], NULL), CTIE_OK);
        ctie_value_release(params);
    }
    AWAIT(board->running == files / 8 / 4);
    CHECK(files_there() <= there + files / 8 + MOST); /* some are closed just now */
    board->stage = 1;
    for (int i = 0; i < HELD; i++) {
        ctie_status status = call_end(calls[i]);
        refused += status == CTIE_E_LIMIT;
        CHECK(status == CTIE_OK || status == CTIE_E_LIMIT);
    }
    CHECK(refused > 0 && refused <= HELD - files / 8 / 4);
    AWAIT(files_there() <= there);
    CHECK_STATUS(call_files("exchange", files_from(0, 1), NULL), CTIE_OK);
    end_files(child);
}

/* The kernel has no room for the files in a process that may open no more. */
static void a_receiver_without_room_refuses(void) {
    struct surroundings in = {0, 32};
    pid_t child = start_files(&in);
    int before = open_files(), there = files_there();
    for (int i = 0; i < ROUNDS; i++) CHECK_STATUS(call_files("exchange", files_from(0, MOST), NULL), CTIE_E_LIMIT);
    AWAIT(files_there() <= there);
    AWAIT(open_files() <= before);
    end_files(child);
}

/* ---- Peers that send others than they say -------------------------------------------------------- */

static void send_files(int socket, const unsigned char *bytes, size_t size, size_t count) {
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(64 * sizeof(int))];
    } control;
    int files[64];
    struct iovec part = {(void *)(uintptr_t)bytes, size};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    memset(&control, 0, sizeof control);
    for (size_t i = 0; i < count; i++) files[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (count > 0) {
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(&control.header), files, count * sizeof(int));
    }
    sendmsg(socket, &message, MSG_NOSIGNAL);
    for (size_t i = 0; i < count; i++) close(files[i]);
}

/** Says that there are so many descriptors, and sends others. */
static void announce(int socket, unsigned said, size_t count) {
    const unsigned char bytes[] = {PACKET_LAST, FRAME_DESCRIPTORS, (unsigned char)said};
    send_files(socket, bytes, sizeof bytes, count);
}

/** Calls an action of four letters with a list of descriptors, by their indices. */
static void call_naming(int socket, uint64_t id, const char *action, unsigned first, size_t count) {
    unsigned char bytes[256];
    size_t at = call_frame(bytes, id, "files", 0, 1) - 8;
    memcpy(bytes + at - 4, action, 4);
    at = put(bytes, at, 6 + 3 * count, 4);
    memcpy(bytes + at, "\x81\xA1" "a\xDC\0", 5);
    at = put(bytes, at + 5, count, 1);
    for (size_t i = 0; i < count; i++) {
        memcpy(bytes + at, "\xD4\x01", 2);
        at = put(bytes, at + 2, first + i, 1);
    }
    at = put(bytes, at, 0, 4);
    send(socket, bytes, at, MSG_NOSIGNAL);
}

static void wrong_descriptors(int socket, int kind) {
    const unsigned char cancel[] = {PACKET_LAST, FRAME_CANCEL, 1, 0, 0, 0, 0, 0, 0, 0}, part[] = {PACKET_PART, FRAME_CALL};
    const unsigned char wakeup[] = {PACKET_WAKEUP}, goodbye[] = {PACKET_LAST, FRAME_GOODBYE};
    switch (kind) {
    case 0: announce(socket, 2, 1); break;
    case 1: announce(socket, 1, 2); break;
    case 2: announce(socket, 0, 1); break;
    case 3: announce(socket, 17, 17); break;
    case 4: announce(socket, 16, 17); break;
    case 5: announce(socket, 1, 0); break;
    case 6: announce(socket, 1, 1), announce(socket, 1, 1); break;
    case 7: announce(socket, 1, 1), send(socket, cancel, sizeof cancel, MSG_NOSIGNAL); break;
    case 8: announce(socket, 1, 1), call_naming(socket, 1, "echo", 1, 1); break;
    case 9: call_naming(socket, 1, "echo", 0, 1); break;
    case 10: send_files(socket, cancel, sizeof cancel, 1); break;
    case 11: send_files(socket, part, sizeof part, 1); break;
    case 12: send_files(socket, wakeup, sizeof wakeup, 1); break;
    case 13: send_files(socket, goodbye, sizeof goodbye, 60); break;
    default: break;
    }
}

static void others_than_announced_are_cut_off(int before) {
    for (int i = 0; i < 14 * 4; i++) {
        int socket = greet_as(1);
        wrong_descriptors(socket, i % 14);
        CHECK(is_cut_off(socket));
        close(socket);
    }
    /* Nobody has greeted, or the connection ends before a frame has named them. */
    for (int i = 0; i < 8; i++) {
        int socket = i % 2 == 0 ? connect_raw() : greet_as(1);
        announce(socket, 16, 16);
        close(socket);
    }
    AWAIT(open_files() <= before);
}

/* Calls that nobody answers: the files that they keep are bounded, the others are refused, and all are closed. */
static void a_flood_is_bounded(int before) {
    enum { CALLS = 200, FILES = 256, KEPT = FILES / 8 / MOST };
    struct rlimit limit, small;
    getrlimit(RLIMIT_NOFILE, &limit);
    small = limit;
    small.rlim_cur = FILES;
    board->running = board->stage = 0;
    CHECK(setrlimit(RLIMIT_NOFILE, &small) == 0);
    int socket = greet_as(1);
    for (uint64_t id = 1; id <= CALLS; id++) {
        announce(socket, MOST, MOST);
        call_naming(socket, id, "hold", 0, MOST);
        if (id > KEPT) CHECK(answer_status(socket) == CTIE_E_LIMIT);
    }
    AWAIT(board->running == KEPT);
    CHECK(open_files() <= before + 2 + KEPT * MOST); /* and both ends of the connection */
    announce(socket, 1, 1);
    close(socket);
    board->stage = 1;
    AWAIT(open_files() <= before);
    CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

/* A well-formed call. */
static void a_raw_call_is_answered(void) {
    int socket = greet_as(1);
    board->stage = 1;
    announce(socket, 2, 2);
    call_naming(socket, 1, "hold", 0, 2);
    CHECK(answer_status(socket) == CTIE_OK);
    close(socket);
}

int main(void) {
    ctie_bus_options one_worker = CTIE_BUS_OPTIONS_INIT;
    name_directory();
    board = share(sizeof *board);
    int threads = thread_count(), files = open_files();
    one_worker.max_workers = 1; /* so that calls leave in order */
    CHECK_STATUS(ctie_bus_new(&one_worker, &bus, NULL), CTIE_OK);
    wormhole = open_group();
    joined = join_group(bus, wormhole, false, 0);
    play_in((struct surroundings){0, 0});
    play_in((struct surroundings){CTIE_JOIN_NO_SHARED_MEMORY, 0});
    a_receiver_keeps_a_part_of_its_files(256);
    a_receiver_without_room_refuses();
    CHECK_STATUS(ctie_join_release(joined), CTIE_OK);
    add_files(bus);
    joined = join_group(bus, wormhole, true, 0);
    int before = open_files();
    a_raw_call_is_answered();
    others_than_announced_are_cut_off(before);
    a_flood_is_bounded(before);
    return end_joined(joined, wormhole, bus, threads, files);
}
