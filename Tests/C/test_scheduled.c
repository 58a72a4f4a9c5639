/* Scheduled messages: kept in the store, over restarts, and sent by a process that has the group open. */
#include "group.h"
#include "host_transport.h"

#define JOBS CTIE_STR("jobs")
#define YEAR_MS (UINT64_C(366) * 24 * 3600 * 1000)

static ctie_wormhole *wormhole;

static ctie_send_options after_ms(uint64_t delay) {
    ctie_send_options options = CTIE_SEND_OPTIONS_INIT;
    options.delay_ms = delay;
    return options;
}

/** Gives the number. */
static uint64_t send_later(ctie_wormhole *from, ctie_str identifier, int64_t value, uint64_t delay) {
    ctie_send_options options = after_ms(delay);
    uint64_t number = 0;
    uint32_t listeners = 99;
    CHECK_STATUS(ctie_wormhole_send(from, identifier, ctie_value_int(value), &options, &number, &listeners, NULL),
                 CTIE_OK);
    CHECK(listeners == 0 && number > 0);
    return number;
}

static size_t count_scheduled(ctie_wormhole *in, const char *topic) {
    ctie_value *list = NULL;
    CHECK_STATUS(ctie_wormhole_scheduled(in, ctie_str_from(topic), &list, NULL), CTIE_OK);
    size_t count = ctie_value_count(list);
    ctie_value_release(list);
    return count;
}

/* ---- Listing and cancelling ------------------------------------------------------------------------ */

static void scheduled_messages_are_listed(void) {
    const ctie_header header = {CTIE_HEADER_CORRELATION, CTIE_STR("7")};
    ctie_send_options options = after_ms(YEAR_MS);
    uint64_t first = 0, second = 0;
    options.headers = &header;
    options.header_count = 1;
    CHECK_STATUS(ctie_wormhole_send(wormhole, CTIE_STR("far.a"), ctie_value_int(1), &options, &first, NULL, NULL),
                 CTIE_OK);
    options = after_ms(3600000);
    options.flags = CTIE_SEND_SIGNAL;
    options.expires_ms = 1000;
    CHECK_STATUS(ctie_wormhole_send(wormhole, CTIE_STR("far.b"), NULL, &options, &second, NULL, NULL), CTIE_OK);
    ctie_value *list = NULL;
    CHECK_STATUS(ctie_wormhole_scheduled(wormhole, CTIE_STR("*"), &list, NULL), CTIE_OK);
    CHECK(ctie_value_count(list) == 2);
    const ctie_value *sooner = ctie_value_at(list, 0), *later = ctie_value_at(list, 1);
    CHECK(int_at(sooner, "number") == (int64_t)second && int_at(later, "number") == (int64_t)first);
    CHECK(int_at(sooner, "expires") - int_at(sooner, "not_before") == 1000000000);
    CHECK(int_at(later, "not_before") - int_at(later, "sent") > INT64_C(365) * 24 * 3600 * 1000000000);
    CHECK(int_at(later, "pid") == getpid() && int_at(later, "size") == 1 && int_at(sooner, "size") == 0);
    CHECK(ctie_value_count(ctie_value_get(later, CTIE_STR("headers"))) == 1);
    ctie_value_release(list);
    CHECK(count_scheduled(wormhole, "far.a") == 1 && count_scheduled(wormhole, "far.*") == 2);
    CHECK(count_scheduled(wormhole, "near.*") == 0);
    CHECK(stored_int(wormhole, CTIE_STR("far.a")) == -1);
    CHECK_STATUS(ctie_wormhole_destroy(wormhole, CTIE_STR("far.a"), NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_cancel_scheduled(wormhole, first, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_cancel_scheduled(wormhole, first, NULL), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_wormhole_cancel_scheduled(wormhole, 0, NULL), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_wormhole_destroy_all(wormhole, NULL, NULL, NULL), CTIE_OK);
    CHECK(count_scheduled(wormhole, "*") == 0);
    CHECK_STATUS(ctie_wormhole_scheduled(wormhole, CTIE_STR("no identifier"), &list, NULL), CTIE_E_IDENTIFIER);
    CHECK_STATUS(ctie_wormhole_scheduled(wormhole, CTIE_STR("*"), NULL, NULL), CTIE_E_INVALID);
}

/* ---- Their time comes ------------------------------------------------------------------------------ */

/* Without listeners, a reader finds it. */
static void a_reader_finds_due_messages(void) {
    send_later(wormhole, CTIE_STR("read"), 4, 20);
    CHECK(count_scheduled(wormhole, "read") == 1 || stored_int(wormhole, CTIE_STR("read")) == 4);
    AWAIT(stored_int(wormhole, CTIE_STR("read")) == 4);
    CHECK(count_scheduled(wormhole, "*") == 0);
}

/* The timer of a listening thread wakes it, and nothing else does. */
static void a_listeners_process_sends_by_itself(void) {
    struct ear state = {0}, queue = {0};
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.flags = CTIE_LISTEN_QUEUE;
    listen_to(wormhole, JOBS, "state", &state);
    CHECK_STATUS(ctie_wormhole_listen(wormhole, JOBS, CTIE_RECEIVER(receive, &queue), &options, &queue.listener, NULL),
                 CTIE_OK);
    int64_t due = clock_ns(CLOCK_REALTIME) + 100000000;
    send_later(wormhole, JOBS, 3, 3600000);
    ctie_send_options at = CTIE_SEND_OPTIONS_INIT;
    for (int i = 1; i <= 2; i++) {
        at.not_before = due + (i - 1) * 50000000;
        CHECK_STATUS(ctie_wormhole_send(wormhole, JOBS, ctie_value_int(i), &at, NULL, NULL, NULL), CTIE_OK);
    }
    CHECK(queue.calls == 0 || clock_ns(CLOCK_REALTIME) > due);
    AWAIT(queue.value == 2 && state.value == 2);
    CHECK(clock_ns(CLOCK_REALTIME) > due);
    CHECK(queue.calls == 2 && queue.went_back == 0);
    /* A time that has passed is no time. */
    at.not_before = 1;
    uint64_t sequence = 0;
    CHECK_STATUS(ctie_wormhole_send(wormhole, JOBS, ctie_value_int(5), &at, &sequence, NULL, NULL), CTIE_OK);
    AWAIT(queue.value == 5);
    CHECK(queue.sequence == sequence);
    CHECK(count_scheduled(wormhole, "*") == 1);
    CHECK_STATUS(ctie_listener_release(queue.listener), CTIE_OK);
    CHECK_STATUS(ctie_listener_release(state.listener), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_destroy_all(wormhole, NULL, NULL, NULL), CTIE_OK);
}

/* In the order of times, with the sender's name, and headers. */
static struct {
    _Atomic int count;
    int64_t values[1000];
    _Atomic int wrong;
} order;

static void note_order(const ctie_message *message, void *user_data) {
    (void)user_data;
    ctie_str name = ctie_message_sender_name(message), header = ctie_message_header(message, CTIE_STR("h"));
    if (ctie_message_kind(message) != CTIE_MESSAGE_VALUE) { return; }
    if (name.size != 6 || header.size != 1) { order.wrong++; }
    order.values[order.count] = int_of(message);
    order.count++;
}

enum { COUNT = 1000 };

/** Schedules them in disorder, beginning in so many nanoseconds. False if that was too soon. */
static bool schedule_many(int64_t lead) {
    const ctie_header header = {CTIE_STR("h"), CTIE_STR("1")};
    int64_t begin = clock_ns(CLOCK_REALTIME) + lead;
    for (int i = 0; i < COUNT; i++) {
        ctie_send_options at = CTIE_SEND_OPTIONS_INIT;
        int64_t place = (int64_t)i * 611 % COUNT;
        at.not_before = begin + place * 1000;
        at.headers = &header;
        at.header_count = 1;
        CHECK_STATUS(ctie_wormhole_send(wormhole, JOBS, ctie_value_int(place), &at, NULL, NULL, NULL), CTIE_OK);
    }
    return clock_ns(CLOCK_REALTIME) < begin;
}

static void many_come_in_the_order_of_their_times(void) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    ctie_listener *listener = NULL;
    int64_t lead = 300000000;
    options.flags = CTIE_LISTEN_QUEUE;
    for (; !schedule_many(lead); lead *= 2) {
        CHECK_STATUS(ctie_wormhole_destroy_all(wormhole, NULL, NULL, NULL), CTIE_OK);
    }
    CHECK_STATUS(ctie_wormhole_listen(wormhole, JOBS, CTIE_RECEIVER(note_order, NULL), &options, &listener, NULL),
                 CTIE_OK);
    AWAIT(count_scheduled(wormhole, "*") == 0);
    /* Should this have been stopped for long, some have come before the listener. */
    AWAIT(order.count > 0 && order.values[order.count - 1] == COUNT - 1);
    for (int i = 1; i < order.count; i++) { CHECK(order.values[i] == order.values[i - 1] + 1); }
    CHECK(order.wrong == 0);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
}

/* ---- Processes ------------------------------------------------------------------------------------- */

/* Another process, which only listens, passes what this one has scheduled. */
struct shared {
    _Atomic int ready, received;
    _Atomic int64_t value;
    _Atomic int sent;
};

static void receive_shared(const ctie_message *message, void *user_data) {
    struct shared *shared = user_data;
    if (ctie_message_kind(message) != CTIE_MESSAGE_VALUE) { return; }
    shared->value = int_of(message);
    shared->received++;
}

static int listen_in_child(void *argument) {
    struct shared *shared = argument;
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    ctie_wormhole *own = open_group();
    options.name = CTIE_STR("child");
    options.flags = CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE;
    CHECK_STATUS(ctie_wormhole_listen(own, JOBS, CTIE_RECEIVER(receive_shared, shared), &options, NULL, NULL), CTIE_OK);
    shared->ready = 1;
    for (;;) { nap_ns(1000000000); }
    return 0;
}

static void another_process_gets_it(void) {
    struct shared *shared = share(sizeof *shared);
    pid_t child = start_child(listen_in_child, shared);
    AWAIT(shared->ready == 1);
    send_later(wormhole, JOBS, 21, 30);
    AWAIT(shared->received == 1 && shared->value == 21);
    kill_child(child);
    /* The timekeeper has died: the next process sends it. */
    send_later(wormhole, JOBS, 22, 30);
    nap_ns(50000000);
    shared->ready = 0;
    child = start_child(listen_in_child, shared);
    /* The first one once more, if its child was killed before it had acknowledged that. */
    AWAIT(shared->received >= 2 && shared->value == 22);
    kill_child(child);
    CHECK_STATUS(ctie_wormhole_forget(wormhole, JOBS, CTIE_STR("child"), NULL), CTIE_OK);
}

/* Scheduled messages survive while no process has the group open. */
static void it_survives_closing(void) {
    uint64_t number = send_later(wormhole, CTIE_STR("kept.long"), 1, YEAR_MS);
    send_later(wormhole, CTIE_STR("kept.short"), 2, 20);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    nap_ns(30000000);
    wormhole = open_group();
    AWAIT(stored_int(wormhole, CTIE_STR("kept.short")) == 2);
    CHECK(count_scheduled(wormhole, "*") == 1);
    CHECK_STATUS(ctie_wormhole_cancel_scheduled(wormhole, number, NULL), CTIE_OK);
}

/* Senders that are killed at any instant: each message whose sending has returned comes exactly once. */
enum { KILLS = 25, MOST = 4000 };
static struct {
    _Atomic int received[MOST];
    _Atomic int ended; /**< how often the last one, -1 */
} *tally;

static void tally_one(const ctie_message *message, void *user_data) {
    (void)user_data;
    int64_t number = int_of(message);
    if (ctie_message_kind(message) != CTIE_MESSAGE_VALUE) { return; }
    if (number == -1) { tally->ended++; }
    if (number >= 0 && number < MOST) { tally->received[number]++; }
}

static int schedule_until_killed(void *argument) {
    struct shared *shared = argument;
    ctie_wormhole *own = open_group();
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    /* It passes what is due as well. */
    CHECK_STATUS(ctie_wormhole_listen(own, CTIE_STR("nothing"), CTIE_RECEIVER(receive, &(struct ear){0}), &options, NULL,
                                      NULL), CTIE_OK);
    for (int next = shared->sent; next < MOST; next++) {
        send_later(own, JOBS, next, (uint64_t)(next % 7) + 1);
        shared->sent = next + 1;
    }
    for (;;) { nap_ns(1000000000); }
    return 0;
}

static void killed_senders_lose_nothing_and_double_nothing(void) {
    struct shared *shared = share(sizeof *shared);
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    ctie_listener *listener = NULL;
    tally = share(sizeof *tally);
    options.flags = CTIE_LISTEN_QUEUE;
    CHECK_STATUS(ctie_wormhole_listen(wormhole, JOBS, CTIE_RECEIVER(tally_one, NULL), &options, &listener, NULL),
                 CTIE_OK);
    int skipped[KILLS];
    for (int i = 0; i < KILLS; i++) {
        int before = shared->sent;
        pid_t child = start_child(schedule_until_killed, shared);
        AWAIT(shared->sent > before + 5 || shared->sent >= MOST);
        nap_ns(1000 * (i * 37 % 500));
        kill_child(child);
        /* Of the one that it was sending nobody knows. */
        skipped[i] = shared->sent;
        if (shared->sent < MOST) { shared->sent++; }
    }
    int count = shared->sent;
    AWAIT(count_scheduled(wormhole, "*") == 0);
    /* The duplicate is before this one. */
    send_later(wormhole, JOBS, -1, 1);
    AWAIT(tally->ended > 0);
    for (int i = 0; i < count; i++) {
        bool is_unknown = false;
        for (int k = 0; k < KILLS; k++) { is_unknown = is_unknown || skipped[k] == i; }
        CHECK(tally->received[i] == 1 || (is_unknown && tally->received[i] == 0));
    }
    CHECK(tally->ended == 1);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
}

/* A durable consumer that is full refuses what is due: it waits on, holds up nobody, and comes when there is room. */
static atomic_int worked;

static void work(const ctie_message *message, void *user_data) {
    (void)user_data;
    if (ctie_message_kind(message) == CTIE_MESSAGE_VALUE) { worked++; }
}

static void what_is_refused_waits_on(uint32_t when_full) {
    ctie_str name = CTIE_STR("small"), jobs = CTIE_STR("narrow");
    ctie_durable_options durable = CTIE_DURABLE_OPTIONS_INIT;
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    struct ear ear = {0};
    durable.max_messages = 2;
    durable.when_full = when_full;
    worked = 0;
    CHECK_STATUS(ctie_wormhole_declare(wormhole, jobs, name, &durable, NULL), CTIE_OK);
    listen_to(wormhole, CTIE_STR("wide"), "ear", &ear);
    for (int i = 0; i < 5; i++) { send_later(wormhole, jobs, i, 20); }
    send_later(wormhole, CTIE_STR("wide"), 1, 25);
    AWAIT(ear.value == 1);
    AWAIT(count_scheduled(wormhole, "narrow") == 3);
    options.name = name;
    options.flags = CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE;
    CHECK_STATUS(ctie_wormhole_listen(wormhole, jobs, CTIE_RECEIVER(work, NULL), &options, NULL, NULL), CTIE_OK);
    AWAIT(worked == 5);
    CHECK(count_scheduled(wormhole, "*") == 0);
    CHECK_STATUS(ctie_wormhole_remove_listeners(wormhole, jobs, NULL), CTIE_OK);
    CHECK_STATUS(ctie_listener_release(ear.listener), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_forget(wormhole, jobs, name, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_destroy_all(wormhole, NULL, NULL, NULL), CTIE_OK);
}

/* A refused message is not overtaken by later ones of its identifier that would fit. */
static void refused_messages_are_not_overtaken(void) {
    ctie_str name = CTIE_STR("small");
    ctie_durable_options durable = CTIE_DURABLE_OPTIONS_INIT;
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    struct ear ear = {0}, first = {0};
    durable.max_size = 6;
    durable.when_full = CTIE_FULL_REFUSE;
    CHECK_STATUS(ctie_wormhole_declare(wormhole, CTIE_STR("narrow"), name, &durable, NULL), CTIE_OK);
    listen_to(wormhole, CTIE_STR("wide"), "ear", &ear);
    CHECK_STATUS(pass_int(wormhole, "narrow", 1000), CTIE_OK);
    /* Eight bytes with the first one, and four. */
    send_later(wormhole, CTIE_STR("narrow"), 100000, 20);
    send_later(wormhole, CTIE_STR("narrow"), 1, 25);
    for (int i = 0; i < 3; i++) {
        send_later(wormhole, CTIE_STR("wide"), i, 30);
        AWAIT(ear.value == i);
    }
    CHECK(count_scheduled(wormhole, "narrow") == 2);
    options.name = name;
    options.flags = CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE;
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("narrow"), CTIE_RECEIVER(receive, &first), &options, NULL, NULL),
                 CTIE_OK);
    AWAIT(first.calls == 3);
    CHECK(first.value == 1 && first.went_back == 0);
    CHECK_STATUS(ctie_wormhole_remove_listeners(wormhole, CTIE_STR("narrow"), NULL), CTIE_OK);
    CHECK_STATUS(ctie_listener_release(ear.listener), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_forget(wormhole, CTIE_STR("narrow"), name, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_destroy_all(wormhole, NULL, NULL, NULL), CTIE_OK);
}

/* ---- The wormhole's own, and groups in memory ------------------------------------------------------- */

static void a_group_delays_all_that_is_sent(void) {
    ctie_wormhole_options options = group_options(CTIE_WORMHOLE_MEMORY);
    options.delay_ms = YEAR_MS;
    ctie_wormhole *slow = open_group_with(&options);
    ctie_send_options now = CTIE_SEND_OPTIONS_INIT;
    now.flags = CTIE_SEND_NOW;
    CHECK_STATUS(pass_int(slow, "slow", 1), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_signal(slow, CTIE_STR("slow"), NULL, NULL, NULL), CTIE_OK);
    CHECK(count_scheduled(slow, "slow") == 2 && stored_int(slow, CTIE_STR("slow")) == -1);
    CHECK_STATUS(ctie_wormhole_send(slow, CTIE_STR("slow"), ctie_value_int(2), &now, NULL, NULL, NULL), CTIE_OK);
    CHECK(stored_int(slow, CTIE_STR("slow")) == 2);
    CHECK_STATUS(ctie_wormhole_destroy_all(slow, NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(slow), CTIE_OK);
    options.delay_ms = UINT64_MAX;
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("test"), &options, &slow, NULL), CTIE_E_LIMIT);
}

static void a_group_in_memory_has_a_timer_too(void) {
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    struct ear ear = {0};
    options.flags = CTIE_WORMHOLE_MEMORY;
    ctie_wormhole *memory = open_group_with(&options);
    listen_to(memory, JOBS, "ear", &ear);
    send_later(memory, JOBS, 9, 20);
    AWAIT(ear.value == 9);
    CHECK_STATUS(ctie_wormhole_release(memory), CTIE_OK);
}

/* Two wormholes with a host's own transport share state through its records only. */
static void a_hosts_transport_has_a_timer_too(void) {
    host one, two;
    struct ear ear = {0};
    CHECK(mkdir(directory, 0700) == 0);
    host_init(&one, directory);
    host_init(&two, directory);
    ctie_wormhole *sender = open_host(&one, "sender"), *other = open_host(&two, "other");
    listen_to(other, JOBS, "ear", &ear);
    AWAIT(ear.calls == 1);
    uint64_t far = send_later(sender, JOBS, 8, YEAR_MS);
    send_later(sender, JOBS, 9, 60);
    AWAIT(ear.value == 9);
    CHECK(count_scheduled(other, "*") == 1);
    CHECK_STATUS(ctie_wormhole_cancel_scheduled(other, far, NULL), CTIE_OK);
    CHECK(count_scheduled(sender, "*") == 0);
    CHECK_STATUS(ctie_wormhole_release(other), CTIE_OK);
    /* Nobody listens any more. */
    send_later(sender, CTIE_STR("read"), 4, 10);
    CHECK_STATUS(ctie_wormhole_release(sender), CTIE_OK);
    sender = open_host(&one, "reader");
    AWAIT(stored_int(sender, CTIE_STR("read")) == 4);
    CHECK_STATUS(ctie_wormhole_release(sender), CTIE_OK);
}

int main(void) {
    name_directory();
    wormhole = open_group();
    scheduled_messages_are_listed();
    a_reader_finds_due_messages();
    a_listeners_process_sends_by_itself();
    many_come_in_the_order_of_their_times();
    another_process_gets_it();
    it_survives_closing();
    killed_senders_lose_nothing_and_double_nothing();
    what_is_refused_waits_on(CTIE_FULL_REFUSE);
    what_is_refused_waits_on(CTIE_FULL_WAIT);
    refused_messages_are_not_overtaken();
    a_group_delays_all_that_is_sent();
    a_group_in_memory_has_a_timer_too();
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
    a_hosts_transport_has_a_timer_too();
    remove_directory();
    return check_end();
}
