/* A host's own transport: two processes on it at once, and one that does everything wrong. */
#include "group.h"
#include "host_transport.h"

static host make_host(void) {
    host made;
    host_init(&made, directory);
    return made;
}

static void clear_records(void) {
    remove_directory();
    CHECK(mkdir(directory, 0700) == 0);
}

/* ---- One process --------------------------------------------------------------------------------- */

static void test_state(void) {
    host one = make_host(), two = make_host();
    ctie_wormhole *first = open_host(&one, "first"), *second = open_host(&two, "second");
    struct ear ear = {0};
    listen_to(second, CTIE_STR("a.*"), "ear", &ear);
    CHECK_STATUS(pass_int(first, "a.b", 1), CTIE_OK);
    AWAIT(ear.value == 1);
    CHECK(stored_int(second, CTIE_STR("a.b")) == 1);
    CHECK_STATUS(pass_int(second, "a.b", 2), CTIE_OK);
    AWAIT(ear.value == 2);
    CHECK(stored_int(first, CTIE_STR("a.b")) == 2);
    CHECK_STATUS(ctie_wormhole_destroy(first, CTIE_STR("a.b"), NULL, NULL, NULL), CTIE_OK);
    AWAIT(ear.kind == CTIE_MESSAGE_DESTROYED);
    CHECK(stored_int(second, CTIE_STR("a.b")) == -1 && ear.went_back == 0);
    CHECK_STATUS(ctie_wormhole_release(first), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(second), CTIE_OK);
    CHECK(one.destroyed == 1 && two.destroyed == 1 && ear.destroyed == 1);
}

static void test_messages_stay(void) {
    host one = make_host();
    ctie_wormhole *wormhole = open_host(&one, "first");
    CHECK_STATUS(pass_int(wormhole, "kept", 7), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    wormhole = open_host(&one, "second");
    CHECK(stored_int(wormhole, CTIE_STR("kept")) == 7);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

static ctie_status open_badly(host *it, const ctie_transport *transport, uint32_t flags) {
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    ctie_wormhole *wormhole = NULL;
    options.transport = transport;
    options.transport_data = it;
    options.flags = flags;
    ctie_status status = ctie_wormhole_open(CTIE_STR("hosted"), &options, &wormhole, NULL);
    CHECK(wormhole == NULL);
    return status;
}

static void test_refused_transports(void) {
    ctie_transport lacking = HOST_TRANSPORT, newer = HOST_TRANSPORT;
    host one = make_host();
    lacking.scan = NULL;
    CHECK_STATUS(open_badly(&one, &lacking, 0), CTIE_E_INVALID);
    lacking = HOST_TRANSPORT;
    lacking.join = (ctie_status(*)(void *, ctie_str, uint64_t *, int64_t))(void *)host_version;
    CHECK_STATUS(open_badly(&one, &lacking, 0), CTIE_E_INVALID);
    lacking = HOST_TRANSPORT;
    lacking.flags = 1u << 31;
    CHECK_STATUS(open_badly(&one, &lacking, 0), CTIE_E_INVALID);
    CHECK_STATUS(open_badly(&one, &HOST_TRANSPORT, CTIE_WORMHOLE_MEMORY), CTIE_E_INVALID);
    CHECK_STATUS(open_badly(&one, &HOST_TRANSPORT, CTIE_WORMHOLE_FAST), CTIE_E_INVALID);
    CHECK_STATUS(open_badly(&one, &HOST_TRANSPORT, 1u << 31), CTIE_E_INVALID);
    CHECK(one.destroyed == 6);
    newer.size = 8;
    CHECK_STATUS(open_badly(&one, &newer, 0), CTIE_E_INVALID);
    CHECK(one.destroyed == 6);
}

/* ---- Two processes ------------------------------------------------------------------------------- */

/* The messages that a queue listener has received from the two counters. */
struct tally {
    _Atomic int count, wrong;
    int64_t next[2];
    uint64_t last;
};

static void count_in_order(const ctie_message *message, void *user_data) {
    struct tally *tally = user_data;
    ctie_str identifier = ctie_message_identifier(message);
    int who = identifier.data[identifier.size - 1] - '0';
    if (int_of(message) != tally->next[who]++ || ctie_message_sequence(message) <= tally->last) { tally->wrong++; }
    tally->last = ctie_message_sequence(message);
    tally->count++;
}

/* A meeting point of the two processes. */
struct meeting {
    _Atomic int listening, passed, received;
    int rounds;
};

/* Counts beside another process, and receives both counts. */
static void count_with_another(struct meeting *meeting, int who) {
    host one = make_host();
    struct tally tally = {0};
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.flags = CTIE_LISTEN_QUEUE;
    ctie_wormhole *wormhole = open_host(&one, who == 0 ? "zero" : "one");
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("count.*"), CTIE_RECEIVER(count_in_order, &tally), &options,
                                      NULL, NULL), CTIE_OK);
    meeting->listening++;
    AWAIT(meeting->listening == 2);
    for (int i = 0; i < meeting->rounds; i++) {
        CHECK_STATUS(pass_int(wormhole, who == 0 ? "count.0" : "count.1", i), CTIE_OK);
    }
    AWAIT(tally.count == 2 * meeting->rounds);
    CHECK(tally.wrong == 0);
    meeting->received++;
    AWAIT(meeting->received == 2);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

static int count_as_child(void *argument) {
    count_with_another(argument, 1);
    return 0;
}

static void test_two_count(void) {
    struct meeting *meeting = share(sizeof *meeting);
    meeting->rounds = test_rounds(150);
    pid_t child = start_child(count_as_child, meeting);
    count_with_another(meeting, 0);
    CHECK(end_of_child(child) == 0);
}

static size_t member_count(ctie_wormhole *wormhole, int64_t pid) {
    ctie_value *members = NULL;
    size_t found = 0;
    CHECK_STATUS(ctie_wormhole_members(wormhole, &members, NULL), CTIE_OK);
    for (size_t i = 0; i < ctie_value_count(members); i++) {
        int64_t each = 0;
        ctie_value_get_int(ctie_value_get(ctie_value_at(members, i), CTIE_STR("pid")), &each);
        found += each == pid;
    }
    ctie_value_release(members);
    return found;
}

static int stay(void *argument) {
    struct meeting *meeting = argument;
    host one = make_host();
    struct ear ear = {0};
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.flags = CTIE_LISTEN_QUEUE;
    ctie_wormhole *wormhole = open_host(&one, "stays");
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("*"), CTIE_RECEIVER(receive, &ear), &options, NULL, NULL),
                 CTIE_OK);
    meeting->listening++;
    while (pause() < 0) { continue; }
    return 0;
}

static void test_killed_member(void) {
    struct meeting *meeting = share(sizeof *meeting);
    pid_t child = start_child(stay, meeting);
    host one = make_host();
    AWAIT(meeting->listening == 1);
    ctie_wormhole *wormhole = open_host(&one, "watches");
    CHECK(member_count(wormhole, child) == 1 && member_count(wormhole, getpid()) == 1);
    kill_child(child);
    CHECK(member_count(wormhole, child) == 0 && member_count(wormhole, getpid()) == 1);
    /* Its slot and what was kept for it are free again. */
    CHECK_STATUS(pass_int(wormhole, "a", 1), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

/* ---- A host that is wrong ------------------------------------------------------------------------ */

static ctie_wormhole *outer;
static ctie_listener *bound;
static int refusals;

static void come_back(host *it) {
    ctie_message *message = NULL;
    ctie_value *list = NULL;
    it->meanwhile = NULL;
    CHECK_STATUS(pass_int(outer, "a", 1), CTIE_E_DEADLOCK);
    CHECK_STATUS(ctie_wormhole_message(outer, CTIE_STR("a"), &message, NULL), CTIE_E_DEADLOCK);
    CHECK_STATUS(ctie_wormhole_members(outer, &list, NULL), CTIE_E_DEADLOCK);
    CHECK_STATUS(ctie_wormhole_remove_listener(outer, CTIE_STR("a"), CTIE_STR("ear"), NULL), CTIE_E_DEADLOCK);
    CHECK_STATUS(ctie_wormhole_remove_all_listeners(outer), CTIE_E_DEADLOCK);
    CHECK_STATUS(ctie_listener_release(bound), CTIE_E_DEADLOCK);
    CHECK_STATUS(ctie_wormhole_release(outer), CTIE_E_DEADLOCK);
    refusals++;
}

static void test_reentry(void) {
    host one = make_host();
    struct ear ear = {0};
    outer = open_host(&one, "outer");
    bound = listen_to(outer, CTIE_STR("a"), "ear", &ear);
    one.meanwhile = come_back;
    CHECK_STATUS(pass_int(outer, "a", 2), CTIE_OK);
    AWAIT(ear.value == 2 && refusals == 1);
    CHECK_STATUS(ctie_listener_release(bound), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(outer), CTIE_OK);
    CHECK(one.destroyed == 1);
}

/* One call of a kind, whatever comes of it. */
static void do_anything(ctie_wormhole *wormhole, unsigned kind, struct ear *ear) {
    ctie_message *message = NULL;
    ctie_value *list = NULL;
    ctie_listener *listener = NULL;
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    switch (kind) {
        case 0: (void)ctie_wormhole_signal(wormhole, CTIE_STR("a.b"), NULL, NULL, NULL); break;
        case 1: (void)ctie_wormhole_message(wormhole, CTIE_STR("a.b"), &message, NULL); break;
        case 2: (void)ctie_wormhole_destroy(wormhole, CTIE_STR("a.b"), NULL, NULL, NULL); break;
        case 3: (void)ctie_wormhole_identifiers(wormhole, CTIE_STR("*"), &list, NULL); break;
        case 4: (void)ctie_wormhole_members(wormhole, &list, NULL); break;
        case 5: options.flags = CTIE_LISTEN_QUEUE | CTIE_LISTEN_FROM_OLDEST; /* fall through */
        case 6:
            (void)ctie_wormhole_listen(wormhole, CTIE_STR("a.*"), CTIE_RECEIVER(receive, ear), &options, &listener, NULL);
            (void)ctie_listener_release(listener);
            break;
        case 7: (void)ctie_wormhole_destroy_all(wormhole, NULL, NULL, NULL); break;
        default: (void)pass_int(wormhole, kind % 2 == 0 ? "a.b" : "a.c", (int64_t)kind); break;
    }
    ctie_message_release(message);
    ctie_value_release(list);
}

/* A loaded machine may take more than the little time that the group has here. */
#define UNLESS_LATE(call) \
    do { \
        ctie_status status_ = CTIE_E_TIMEOUT; \
        for (int i_ = 0; i_ < 1000 && status_ == CTIE_E_TIMEOUT; i_++) { status_ = (call); } \
        CHECK_STATUS(status_, CTIE_OK); \
    } while (0)

static void test_fault(enum host_fault fault) {
    host one = make_host();
    struct ear state = {0}, queue = {0}, other = {0};
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    ctie_listen_options every = CTIE_LISTEN_OPTIONS_INIT;
    ctie_wormhole *wormhole = NULL;
    every.flags = CTIE_LISTEN_QUEUE;
    options.timeout_ms = 50;
    options.transport = &HOST_TRANSPORT;
    options.transport_data = &one;
    clear_records();
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("hosted"), &options, &wormhole, NULL), CTIE_OK);
    listen_to(wormhole, CTIE_STR("a.b"), "state", &state);
    listen_to(wormhole, CTIE_STR("*"), "all", &other);
    UNLESS_LATE(ctie_wormhole_listen(wormhole, CTIE_STR("a.*"), CTIE_RECEIVER(receive, &queue), &every, NULL, NULL));
    UNLESS_LATE(pass_int(wormhole, "a.b", 0));
    one.fault = fault;
    for (int i = 0; i < test_rounds(200); i++) { do_anything(wormhole, host_random(&one) % 14, &other); }
    one.fault = HOST_WELL;
    /* Garbage that was shown may have been believed, and written back. */
    if (fault != HOST_SHOWS_GARBAGE) {
        UNLESS_LATE(pass_int(wormhole, "a.b", 77));
        CHECK(stored_int(wormhole, CTIE_STR("a.b")) == 77);
        AWAIT(state.value == 77);
    }
    one.fault = fault;
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    CHECK(one.destroyed == 1);
}

/* A transport without a commit is no reason never to listen again. */
static void test_behind(void) {
    host one = make_host();
    struct ear ear = {0};
    clear_records();
    ctie_wormhole *wormhole = open_host(&one, "first");
    listen_to(wormhole, CTIE_STR("a.b"), "ear", &ear);
    CHECK_STATUS(pass_int(wormhole, "a.b", 1), CTIE_OK);
    AWAIT(ear.value == 1);
    one.behind = UINT64_MAX;
    int asked = one.asked;
    AWAIT(one.asked > asked + 3);
    one.behind = 0;
    CHECK_STATUS(pass_int(wormhole, "a.b", 2), CTIE_OK);
    AWAIT(ear.value == 2);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

static void test_faulty_opening(void) {
    for (int fault = HOST_WELL + 1; fault < HOST_FAULTS; fault++) {
        for (int i = 0; i < 10; i++) {
            host one = make_host();
            ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
            ctie_wormhole *wormhole = NULL;
            options.timeout_ms = 50;
            options.transport = &HOST_TRANSPORT;
            options.transport_data = &one;
            one.fault = (enum host_fault)fault;
            one.random = (uint32_t)i;
            if (ctie_wormhole_open(CTIE_STR("hosted"), &options, &wormhole, NULL) == CTIE_OK) {
                CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
            }
            CHECK(one.destroyed == 1);
        }
    }
}

int main(void) {
    name_directory();
    CHECK(mkdir(directory, 0700) == 0);
    test_two_count();
    test_killed_member();
    test_state();
    test_messages_stay();
    test_refused_transports();
    test_reentry();
    for (int fault = HOST_WELL + 1; fault < HOST_FAULTS; fault++) { test_fault((enum host_fault)fault); }
    test_behind();
    test_faulty_opening();
    remove_directory();
    return check_end();
}
