/* A host's transport gets what is left of the caller's time; its limits, and its single records. */
#define _GNU_SOURCE
#include "group.h"
#include "host_transport.h"
#include "moved_clock.h"

/* The time of a call. It passes only by the moved clock, however loaded the machine is. */
enum { TIME_MS = 60000 };

static host make_host(void) {
    host made;
    remove_directory();
    CHECK(mkdir(directory, 0700) == 0);
    host_init(&made, directory);
    made.take = move_clock;
    return made;
}

static ctie_status try_open(host *it, const ctie_transport *transport, uint32_t timeout_ms, uint64_t max_value_size,
                            ctie_wormhole **out) {
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    options.timeout_ms = timeout_ms;
    options.max_value_size = max_value_size;
    options.transport = transport;
    options.transport_data = it;
    return ctie_wormhole_open(CTIE_STR("hosted"), &options, out, NULL);
}

static ctie_wormhole *open_timed(host *it, uint32_t timeout_ms) {
    ctie_wormhole *wormhole = NULL;
    CHECK_STATUS(try_open(it, &HOST_TRANSPORT, timeout_ms, 0, &wormhole), CTIE_OK);
    return wormhole;
}

static void forget_times(host *it) { it->times = it->time_sum = it->risen = 0; }

/* ---- Time ---------------------------------------------------------------------------------------- */

/* Each function gets what those before have left. */
static void time_runs_out(void) {
    host one = make_host();
    ctie_wormhole *wormhole = open_timed(&one, TIME_MS);
    /* The first call also does what is due once a second, for which it has less time. Nothing is due again while the
       clock is stopped. */
    stop_clock();
    CHECK_STATUS(pass_int(wormhole, "a", 0), CTIE_OK);
    forget_times(&one);
    one.nap_ms = 3;
    CHECK_STATUS(pass_int(wormhole, "a", 1), CTIE_OK);
    CHECK(one.times >= 2 && one.risen == 0);
    /* All but the last one have taken three milliseconds. */
    CHECK(one.last_time == TIME_MS - 3 * (one.times - 1));
    one.nap_ms = 0;
    start_clock();
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

typedef ctie_status (*call)(ctie_wormhole *);

static ctie_status send_one(ctie_wormhole *wormhole) { return pass_int(wormhole, "a", 1); }
static ctie_status signal_one(ctie_wormhole *wormhole) {
    return ctie_wormhole_signal(wormhole, CTIE_STR("a"), NULL, NULL, NULL);
}
static ctie_status destroy_one(ctie_wormhole *wormhole) {
    return ctie_wormhole_destroy(wormhole, CTIE_STR("a"), NULL, NULL, NULL);
}
static ctie_status destroy_all(ctie_wormhole *wormhole) {
    return ctie_wormhole_destroy_all(wormhole, NULL, NULL, NULL);
}
static ctie_status read_one(ctie_wormhole *wormhole) {
    ctie_message *message = NULL;
    return ctie_wormhole_message(wormhole, CTIE_STR("a"), &message, NULL);
}
static ctie_status list_all(ctie_wormhole *wormhole) {
    ctie_value *list = NULL;
    return ctie_wormhole_identifiers(wormhole, CTIE_STR("*"), &list, NULL);
}
static ctie_status list_members(ctie_wormhole *wormhole) {
    ctie_value *list = NULL;
    return ctie_wormhole_members(wormhole, &list, NULL);
}
static ctie_status cancel_one(ctie_wormhole *wormhole) { return ctie_wormhole_cancel_scheduled(wormhole, 1, NULL); }

/* With the server away each function takes all the time that it is given: together not more than the caller has. */
static void no_call_takes_longer_than_its_time(void) {
    static const call CALLS[] = {send_one, signal_one, destroy_one, destroy_all, read_one, list_all, list_members,
                                 cancel_one};
    for (size_t i = 0; i < sizeof CALLS / sizeof *CALLS; i++) {
        host one = make_host();
        ctie_wormhole *wormhole = open_timed(&one, TIME_MS);
        one.waits_away = true;
        forget_times(&one);
        ctie_status status = CALLS[i](wormhole);
        CHECK(status == CTIE_E_UNAVAILABLE || status == CTIE_E_TIMEOUT);
        /* The rest is rounded up, each time. */
        CHECK(one.times >= 1 && one.time_sum <= TIME_MS + one.times);
        one.waits_away = false;
        CHECK_STATUS(pass_int(wormhole, "a", 2), CTIE_OK);
        CHECK(stored_int(wormhole, CTIE_STR("a")) == 2);
        CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    }
}

static void opening_takes_no_longer(void) {
    host one = make_host();
    ctie_wormhole *wormhole = NULL;
    one.waits_away = true;
    CHECK_STATUS(try_open(&one, &HOST_TRANSPORT, TIME_MS, 0, &wormhole), CTIE_E_UNAVAILABLE);
    CHECK(one.times >= 1 && one.time_sum <= TIME_MS + one.times && one.destroyed == 1);
}

/* A listener, and what it got from the wormhole after more time than a call has. */
struct slow {
    ctie_wormhole *wormhole;
    latch entered;
    _Atomic int answers;
    _Atomic int calls;
    _Atomic int64_t newest;
};

/* Whether the listener's removal, or the closing of its wormhole, has begun, so that its time has. */
static bool is_being_removed(ctie_wormhole *wormhole) {
    ctie_value *list = NULL;
    bool is_bound = ctie_wormhole_listeners(wormhole, &list, NULL) == CTIE_OK && ctie_value_count(list) > 0;
    ctie_value_release(list);
    return !is_bound;
}

static void outlast_its_removal(const ctie_message *message, void *user_data) {
    struct slow *own = user_data;
    own->newest = int_of(message);
    own->calls++;
    latch_add(&own->entered);
    AWAIT(is_being_removed(own->wormhole));
    nap_ns(5000000); /* the handle may have ended just before the call's time begins */
    move_clock(TIME_MS + 1);
    own->answers += pass_int(own->wormhole, "b", 1) == CTIE_OK;
}

static ctie_listener *listen_slowly(struct slow *slow, ctie_bus *bus) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    ctie_listener *listener = NULL;
    options.flags = CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE;
    options.name = CTIE_STR("slow");
    options.bus = bus;
    CHECK_STATUS(ctie_wormhole_listen(slow->wormhole, CTIE_STR("a"), CTIE_RECEIVER(outlast_its_removal, slow), &options,
                                      &listener, NULL), CTIE_OK);
    return listener;
}

/* The deadline of a call is not that of the listeners: neither of one on a worker, nor of one that is waited for. */
static void listeners_have_their_own_time(bool on_worker) {
    host one = make_host();
    struct slow slow = {open_timed(&one, TIME_MS), LATCH_INIT, 0, 0, 0};
    ctie_bus *bus = NULL;
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    ctie_listener *listener = listen_slowly(&slow, on_worker ? bus : NULL);
    CHECK_STATUS(pass_int(slow.wormhole, "a", 1), CTIE_OK);
    latch_wait(&slow.entered, 1);
    /* The acknowledgement of the message is stored after the wait, and it comes to no other listener. */
    if (on_worker) { CHECK_STATUS(ctie_listener_release(listener), CTIE_OK); }
    CHECK_STATUS(ctie_wormhole_release(slow.wormhole), CTIE_OK);
    CHECK(slow.answers == on_worker && slow.calls == 1);
    slow.wormhole = open_timed(&one, TIME_MS);
    listen_slowly(&slow, NULL);
    CHECK_STATUS(pass_int(slow.wormhole, "a", 2), CTIE_OK);
    latch_wait(&slow.entered, 2);
    CHECK_STATUS(ctie_wormhole_release(slow.wormhole), CTIE_OK);
    CHECK(slow.calls == 2 && slow.newest == 2);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* ---- Limits -------------------------------------------------------------------------------------- */

static void limits_are_known_at_opening(void) {
    ctie_transport limited = HOST_TRANSPORT;
    ctie_wormhole *wormhole = NULL;
    host one = make_host();
    limited.limits = host_limits;
    one.max_commit_size = 100000;
    CHECK_STATUS(try_open(&one, &limited, 0, 0, &wormhole), CTIE_E_LIMIT);
    CHECK_STATUS(try_open(&one, &limited, 0, 100001, &wormhole), CTIE_E_LIMIT);
    CHECK_STATUS(try_open(&one, &limited, 0, 60000, &wormhole), CTIE_E_LIMIT);
    CHECK(one.commits == 0 && one.destroyed == 3 && wormhole == NULL);
    CHECK_STATUS(try_open(&one, &limited, 0, 40000, &wormhole), CTIE_OK);
    /* The largest value fits, in the queue, too. */
    static char text[40000];
    struct ear ear = {0};
    ctie_listen_options every = CTIE_LISTEN_OPTIONS_INIT;
    every.flags = CTIE_LISTEN_QUEUE;
    memset(text, 'x', sizeof text);
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("*"), CTIE_RECEIVER(receive, &ear), &every, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_send(wormhole, CTIE_STR("a"), ctie_value_string((ctie_str){text, sizeof text - 5}), NULL,
                                    NULL, NULL, NULL), CTIE_OK);
    /* Several do not, and nothing is asked of the transport. */
    ctie_outgoing both[] = {{CTIE_STR("a"), ctie_value_string((ctie_str){text, sizeof text - 5})},
                            {CTIE_STR("b"), ctie_value_string((ctie_str){text, sizeof text - 5})}};
    int before = one.commits;
    CHECK_STATUS(ctie_wormhole_send_many(wormhole, both, 2, NULL, NULL, NULL), CTIE_E_LIMIT);
    CHECK(one.commits <= before + 1);
    ctie_message *message = NULL;
    CHECK_STATUS(ctie_wormhole_message(wormhole, CTIE_STR("b"), &message, NULL), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    one.max_commit_size = 0;
    CHECK_STATUS(try_open(&one, &limited, 0, 0, &wormhole), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

static void reject(const ctie_message *message, void *user_data) {
    CHECK_STATUS(ctie_message_reject(message, 0, CTIE_STR("no")), CTIE_OK);
    (void)user_data;
}

static size_t count_of_dead(ctie_wormhole *wormhole) {
    ctie_value *dead = NULL;
    CHECK_STATUS(ctie_wormhole_dead_letters(wormhole, CTIE_STR("a"), CTIE_STR("worker"), 0, 0, &dead, NULL), CTIE_OK);
    size_t count = ctie_value_count(dead);
    ctie_value_release(dead);
    return count;
}

/* Several messages that fail for the last time would make a step of more bytes than the transport takes. */
static void failures_are_stored_in_parts(void) {
    enum { MESSAGES = 8 };
    ctie_transport limited = HOST_TRANSPORT;
    ctie_wormhole *wormhole = NULL;
    ctie_durable_options options = CTIE_DURABLE_OPTIONS_INIT;
    ctie_listen_options durable = CTIE_LISTEN_OPTIONS_INIT;
    host one = make_host();
    static char text[30000];
    memset(text, 'x', sizeof text);
    limited.limits = host_limits;
    one.max_commit_size = 100000;
    CHECK_STATUS(try_open(&one, &limited, 0, 40000, &wormhole), CTIE_OK);
    options.max_deliveries = 1;
    options.dead_letter = CTIE_STR("failed");
    CHECK_STATUS(ctie_wormhole_declare(wormhole, CTIE_STR("a"), CTIE_STR("worker"), &options, NULL), CTIE_OK);
    for (int i = 0; i < MESSAGES; i++) {
        CHECK_STATUS(ctie_wormhole_send(wormhole, CTIE_STR("a"), ctie_value_string((ctie_str){text, sizeof text}), NULL,
                                        NULL, NULL, NULL), CTIE_OK);
    }
    durable.flags = CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE | CTIE_LISTEN_MANUAL;
    durable.name = CTIE_STR("worker");
    durable.max_unacknowledged = MESSAGES;
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("a"), CTIE_RECEIVER(reject, NULL), &durable, NULL, NULL), CTIE_OK);
    AWAIT(count_of_dead(wormhole) == MESSAGES);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

/* ---- Single records ------------------------------------------------------------------------------ */

static void single_records_come_together(uint32_t flags) {
    ctie_transport giving = HOST_TRANSPORT;
    ctie_wormhole *wormhole = NULL;
    struct ear ear = {0};
    ctie_listen_options every = CTIE_LISTEN_OPTIONS_INIT;
    host one = make_host();
    giving.get = host_get;
    giving.flags = flags;
    every.flags = CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE;
    every.name = CTIE_STR("worker");
    CHECK_STATUS(try_open(&one, &giving, 0, 0, &wormhole), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("a"), CTIE_RECEIVER(receive, &ear), &every, NULL, NULL), CTIE_OK);
    for (int i = 1; i <= 20; i++) {
        CHECK_STATUS(pass_int(wormhole, "a", i), CTIE_OK);
        AWAIT(ear.value == i);
        CHECK(stored_int(wormhole, CTIE_STR("a")) == i);
    }
    CHECK(one.gets > 0 && (flags == 0 ? one.most_keys > 1 : one.most_keys == 1));
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

/* Records that it was not asked for are not believed. */
static void other_records_are_refused(void) {
    ctie_transport giving = HOST_TRANSPORT;
    ctie_wormhole *wormhole = NULL;
    ctie_message *message = NULL;
    host one = make_host();
    giving.get = host_get;
    CHECK_STATUS(try_open(&one, &giving, 0, 0, &wormhole), CTIE_OK);
    CHECK_STATUS(pass_int(wormhole, "b", 1), CTIE_OK);
    one.gives_others = true;
    CHECK_STATUS(ctie_wormhole_message(wormhole, CTIE_STR("a"), &message, NULL), CTIE_E_CORRUPT);
    one.gives_others = false;
    CHECK_STATUS(ctie_wormhole_message(wormhole, CTIE_STR("a"), &message, NULL), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

int main(void) {
    name_directory();
    time_runs_out();
    no_call_takes_longer_than_its_time();
    opening_takes_no_longer();
    listeners_have_their_own_time(true);
    listeners_have_their_own_time(false);
    limits_are_known_at_opening();
    failures_are_stored_in_parts();
    single_records_come_together(0);
    single_records_come_together(CTIE_TRANSPORT_REPLICATED);
    other_records_are_refused();
    remove_directory();
    return check_end();
}
