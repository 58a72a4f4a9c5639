/*
 * Joined buses on a host and in boxes with PID namespaces of their own, which share the group's directory: calls both ways,
 * events and descriptors. One process's number may be another one's elsewhere. A death in a box is known outside.
 */
#define _GNU_SOURCE
#include "box.h"
#include "joining.h"

static ctie_bus *bus;
static ctie_join *joined;

/* Counts and flags that the processes of a test share. */
static struct {
    _Atomic int received;        /* events */
    _Atomic int shall_die;
    _Atomic int has_number;   /* a process in a box has the number that it wished for */
} *reported;

/* ---- In a box ------------------------------------------------------------------------------------ */

struct resident {
    const char *name;
    pid_t number; /* that it wishes for in its box; 0: any */
    bool dies;
};

static ctie_bus *own_bus;
static ctie_join *own_join;

static void receive_event(ctie_request *request, void *user_data CTIE_UNUSED) {
    reported->received++;
    ctie_request_reply(request, ctie_value_bool(true));
}

/** Reads a number from a descriptor, and replies with it and the number of this process. */
static void read_number(ctie_request *request, void *user_data CTIE_UNUSED) {
    ctie_value *params = NULL;
    int file = -1, number = -1;
    CHECK_STATUS(ctie_request_params(request, &params), CTIE_OK);
    CHECK_STATUS(ctie_value_get_descriptor(ctie_value_get(params, CTIE_STR("file")), &file), CTIE_OK);
    CHECK(read(file, &number, sizeof number) == sizeof number);
    ctie_value_release(params);
    ctie_request_reply(request, CTIE_MAP("number", ctie_value_int(number), "pid", ctie_value_int(getpid())));
}

/** Calls back to the host from the box, and replies with what that answers. */
static void call_back(ctie_request *request, void *user_data CTIE_UNUSED) {
    ctie_response *response = NULL;
    CHECK_STATUS(ctie_component_call(own_bus, CTIE_TARGET("till", "describe"), NULL, without_end(), &response, NULL), CTIE_OK);
    ctie_request_reply(request, ctie_value_retain(ctie_response_value(response)));
    ctie_response_release(response);
}

static void list_peers(ctie_request *request, void *user_data CTIE_UNUSED) {
    ctie_value *peers = NULL;
    CHECK_STATUS(ctie_join_peers(own_join, &peers, NULL), CTIE_OK);
    ctie_request_reply(request, peers);
}

static void live_in_box(const char *name) {
    ctie_str exports[] = {CTIE_STR("stock"), CTIE_STR("event:saved")};
    ctie_action actions[] = {action_of("saved", receive_event, NULL, CTIE_ACTION_EVENT), action_of("read", read_number, NULL, 0),
                             action_of("back", call_back, NULL, 0), action_of("peers", list_peers, NULL, 0),
                             action_of("hang", hang, NULL, 0)};
    own_bus = make_bus();
    CHECK_STATUS(ctie_component_add(own_bus, CTIE_STR("stock"), CTIE_ACTIONS(actions), CTIE_INSTANCE(NULL), NULL, NULL,
                                    NULL), CTIE_OK);
    ctie_wormhole *wormhole = open_group();
    own_join = join_as(own_bus, wormhole, name, NULL, "till", 0);
    CHECK_STATUS(ctie_join_set_exports(own_join, (ctie_str_list){exports, 2}, NULL), CTIE_OK);
    board->ready++;
    while (!board->shall_end) nap_ns(500000);
    CHECK_STATUS(ctie_join_release(own_join), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    CHECK_STATUS(ctie_bus_release(own_bus), CTIE_OK);
}

static int live(void *name) {
    live_in_box(name);
    return 0;
}

/** Has the next process of this box get a number. */
static bool choose_number(pid_t number) {
    char text[16];
    snprintf(text, sizeof text, "%d", (int)number - 1);
    return write_text("/proc/sys/kernel/ns_last_pid", text);
}

/** Process 1 of a box starts another one there, which may be killed from inside. */
static int start_resident(void *argument) {
    const struct resident *own = argument;
    if (own->number != 0) choose_number(own->number);
    pid_t child = fork();
    if (child == 0) {
        reported->has_number = getpid() == own->number;
        live_in_box(own->name);
        _exit(checks_failed != 0);
    }
    if (!own->dies) return end_of_child(child);
    AWAIT(reported->shall_die);
    kill_child(child);
    while (!board->shall_end) nap_ns(500000);
    return 0;
}

static pid_t start_box(int (*body)(void *), void *argument) {
    int before = board->ready;
    pid_t box = start_boxed(body, argument);
    AWAIT(board->ready > before);
    return box;
}

/* ---- On the host --------------------------------------------------------------------------------- */

/** Whether this process knows a peer of this name, and its exports. */
static bool is_known(const char *peer) {
    ctie_value *peers = NULL;
    bool found = false;
    CHECK_STATUS(ctie_join_peers(joined, &peers, NULL), CTIE_OK);
    for (size_t i = 0; i < ctie_value_count(peers); i++) {
        const ctie_value *each = ctie_value_at(peers, i);
        bool exports = ctie_value_count(ctie_value_get(each, CTIE_STR("exports"))) > 0;
        found = found || (exports && text_is(ctie_get_str(each, "name", CTIE_STR("")), peer));
    }
    ctie_value_release(peers);
    return found;
}

/** Calls a peer, whose greeting or exports may still be on their way. */
static ctie_response *call_peer(const char *peer, const char *action, const ctie_value *params) {
    ctie_request_options options = *without_end();
    ctie_response *response = NULL;
    options.peer = ctie_str_from(peer);
    AWAIT(is_known(peer));
    CHECK_STATUS(ctie_component_call(bus, (ctie_target){CTIE_STR("stock"), ctie_str_from(action)}, params, &options,
                                     &response, NULL), CTIE_OK);
    return response;
}

static ctie_value *file_with(int number) {
    int ends[2] = {-1, -1};
    CHECK(pipe(ends) == 0);
    CHECK(write(ends[1], &number, sizeof number) == sizeof number);
    close(ends[1]);
    ctie_value *value = ctie_value_descriptor(ends[0]);
    close(ends[0]);
    return value;
}

/** A descriptor goes to the peer. Returns the peer's own process number. */
static int64_t descriptor_arrives(const char *peer, int number) {
    ctie_value *params = CTIE_MAP("file", file_with(number));
    ctie_response *response = call_peer(peer, "read", params);
    int64_t pid = int_at(ctie_response_value(response), "pid");
    CHECK(int_at(ctie_response_value(response), "number") == number);
    ctie_response_release(response);
    ctie_value_release(params);
    return pid;
}

/** The peer calls this process back, and is the one with the name and number that the kernel shows here. */
static void peer_calls_back(const char *peer) {
    ctie_response *response = call_peer(peer, "back", NULL);
    const ctie_value *described = ctie_response_value(response);
    CHECK(text_is(ctie_get_str(described, "peer", CTIE_STR("")), peer));
    CHECK(int_at(described, "pid") > 0 && int_at(described, "pid") != getpid());
    ctie_response_release(response);
}

static void event_is_received(int count) {
    ctie_value *result = NULL;
    int before = reported->received;
    CHECK_STATUS(ctie_component_broadcast(bus, CTIE_STR("saved"), NULL, without_end(), &result, NULL), CTIE_OK);
    CHECK(int_at(result, "count") == count && reported->received == before + count);
    CHECK(ctie_value_count(ctie_value_get(result, CTIE_STR("failures"))) == 0);
    ctie_value_release(result);
}

/** A list of peers has one of a name, of this user, with a number as the list's owner sees it. */
static bool has_peer(const ctie_value *peers, const char *name, bool is_visible) {
    for (size_t i = 0; i < ctie_value_count(peers); i++) {
        const ctie_value *each = ctie_value_at(peers, i);
        if (!text_is(ctie_get_str(each, "name", CTIE_STR("")), name)) continue;
        int64_t pid = int_at(each, "pid");
        return int_at(each, "uid") == geteuid() && (is_visible ? pid > 1 && kill((pid_t)pid, 0) == 0 : pid == 0);
    }
    return false;
}

/** The host sees the processes in boxes by its own numbers for them; they do not see it. */
static void peers_are_listed(const char *name) {
    ctie_value *peers = NULL;
    CHECK_STATUS(ctie_join_peers(joined, &peers, NULL), CTIE_OK);
    CHECK(has_peer(peers, name, true));
    ctie_value_release(peers);
    ctie_response *response = call_peer(name, "peers", NULL);
    CHECK(has_peer(ctie_response_value(response), "host", false));
    ctie_response_release(response);
}

static void use_peer(const char *name, int number) {
    peer_calls_back(name);
    peers_are_listed(name);
    descriptor_arrives(name, number);
}

/** Two boxes whose process is number 1, and the host: nobody is taken for another one. */
static void equal_numbers_are_several(void) {
    pid_t one = start_box(live, "one"), two = start_box(live, "two");
    AWAIT(peer_count(joined) == 2);
    for (int i = 0; i < 20; i++) {
        CHECK(descriptor_arrives("one", i) == 1 && descriptor_arrives("two", 100 + i) == 1);
        peer_calls_back("one");
        peer_calls_back("two");
    }
    use_peer("one", 5);
    use_peer("two", 6);
    ctie_response *response = call_peer("one", "peers", NULL);
    CHECK(has_peer(ctie_response_value(response), "two", false));
    ctie_response_release(response);
    event_is_received(2);
    /* The end of one takes nothing away from the other. */
    int before = board->running;
    ctie_request_options options = *without_end();
    options.peer = CTIE_STR("one");
    ctie_call *call = call_later(bus, "stock", "hang", &options);
    AWAIT(board->running == before + 1);
    kill_child(one);
    CHECK_STATUS(call_end(call), CTIE_E_PEER_GONE);
    AWAIT(peer_count(joined) == 1);
    use_peer("two", 7);
    event_is_received(1);
    end_stock(two);
    AWAIT(peer_count(joined) == 0);
}

/** A process is killed inside its box, where its number may be that of this process. */
static void a_death_in_a_box_is_known(pid_t number) {
    struct resident resident = {"resident", number, true};
    int before = board->running;
    reported->shall_die = 0;
    pid_t box = start_box(start_resident, &resident);
    AWAIT(peer_count(joined) == 1);
    use_peer("resident", 8);
    if (reported->has_number) CHECK(descriptor_arrives("resident", 9) == getpid());
    ctie_call *call = call_later(bus, "stock", "hang", without_end());
    AWAIT(board->running == before + 1);
    reported->shall_die = 1;
    CHECK_STATUS(call_end(call), CTIE_E_PEER_GONE);
    AWAIT(peer_count(joined) == 0);
    CHECK_STATUS(call_now(bus, "stock", "peers"), CTIE_E_NO_COMPONENT);
    end_stock(box);
}

/** Boxes by sockets alone and by memory: both ways are the same from outside. */
static void play(uint32_t flags) {
    ctie_wormhole *wormhole = open_group();
    joined = join_as(bus, wormhole, "host", "till", "*", flags);
    equal_numbers_are_several();
    a_death_in_a_box_is_known(0);
    a_death_in_a_box_is_known(getpid());
    AWAIT(shared_mappings() == 0);
    CHECK_STATUS(ctie_join_release(joined), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

int main(void) {
    name_directory();
    board = share(sizeof *board);
    reported = share(sizeof *reported);
    if (!has_boxes()) return end_without_boxes();
    bus = make_bus();
    add_action(bus, "till", "describe", describe, NULL, 0);
    int threads = thread_count(), files = open_files();
    play(0);
    play(CTIE_JOIN_NO_SHARED_MEMORY);
    CHECK(threads_end(threads) && open_files() == files);
    FIGURES(reported->has_number ? ", also with an equal number" : ", but no number could be chosen");
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    remove_directory();
    return check_end();
}
