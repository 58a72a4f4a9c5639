/* Messages with headers, and messages that expire. */
#include "listening.h"

#define JOBS CTIE_STR("jobs")

static ctie_wormhole *wormhole;

static ctie_send_options with_headers(const ctie_header *headers, size_t count) {
    ctie_send_options options = CTIE_SEND_OPTIONS_INIT;
    options.headers = headers;
    options.header_count = count;
    return options;
}

static ctie_status send_int(ctie_str identifier, int64_t value, const ctie_send_options *options) {
    return ctie_wormhole_send(wormhole, identifier, ctie_value_int(value), options, NULL, NULL, NULL);
}

/* ---- Headers --------------------------------------------------------------------------------------- */

static void check_headers(const ctie_message *message) {
    ctie_str name, value;
    CHECK(ctie_message_header_count(message) == 3);
    CHECK(text_is(ctie_message_header(message, CTIE_HEADER_CORRELATION), "42"));
    CHECK(text_is(ctie_message_header(message, CTIE_HEADER_REPLY_TO), ""));
    CHECK(ctie_message_header(message, CTIE_HEADER_REPLY_TO).data != NULL);
    CHECK(ctie_message_header(message, CTIE_HEADER_TRACEPARENT).data == NULL);
    CHECK(ctie_message_header_at(message, 2, &name, &value) && text_is(name, "l\xc3\xa4nge") && text_is(value, "x y"));
    CHECK(!ctie_message_header_at(message, 3, &name, &value) && text_is(name, "l\xc3\xa4nge") && text_is(value, "x y"));
    CHECK(ctie_message_header_at(message, 0, NULL, NULL));
    CHECK(!ctie_message_header_at(message, SIZE_MAX, NULL, NULL));
    CHECK(ctie_message_expires(message) == 0);
}

static atomic_int checked;

static void check_received(const ctie_message *message, void *user_data) {
    (void)user_data;
    if (ctie_message_kind(message) == CTIE_MESSAGE_NONE) { return; }
    check_headers(message);
    checked++;
}

static ctie_listener *bind(ctie_receiver_fn fn, void *user_data, const char *name, uint32_t flags) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    ctie_listener *listener = NULL;
    options.name = ctie_str_from(name);
    options.flags = flags;
    CHECK_STATUS(ctie_wormhole_listen(wormhole, JOBS, CTIE_RECEIVER(fn, user_data), &options, &listener, NULL),
                 CTIE_OK);
    return listener;
}

static void headers_come_with_a_message(void) {
    const ctie_header headers[] = {
        {CTIE_HEADER_CORRELATION, CTIE_STR("42")},
        {CTIE_HEADER_REPLY_TO, CTIE_STR("")},
        {CTIE_STR("l\xc3\xa4nge"), CTIE_STR("x y")},
    };
    ctie_send_options options = with_headers(headers, 3);
    ctie_listener *listeners[] = {
        bind(check_received, NULL, "state", 0),
        bind(check_received, NULL, "queue", CTIE_LISTEN_QUEUE),
        bind(check_received, NULL, "durable", CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE),
    };
    CHECK_STATUS(send_int(JOBS, 1, &options), CTIE_OK);
    AWAIT(checked == 3);
    options.flags = CTIE_SEND_SIGNAL;
    CHECK_STATUS(ctie_wormhole_send(wormhole, JOBS, NULL, &options, NULL, NULL, NULL), CTIE_OK);
    AWAIT(checked == 6);
    ctie_message *message = NULL;
    CHECK_STATUS(ctie_wormhole_message(wormhole, JOBS, &message, NULL), CTIE_OK);
    CHECK(int_of(message) == 1);
    check_headers(message);
    ctie_message_release(message);
    for (size_t i = 0; i < 3; i++) { CHECK_STATUS(ctie_listener_release(listeners[i]), CTIE_OK); }
    CHECK_STATUS(ctie_wormhole_forget(wormhole, JOBS, CTIE_STR("durable"), NULL), CTIE_OK);
}

static void as_many_as_may_be_come_with_a_message(void) {
    static char names[32][8], text[4096];
    ctie_header headers[33];
    size_t used = 0;
    memset(text, 'x', sizeof text);
    for (size_t i = 0; i < 32; i++) {
        snprintf(names[i], sizeof names[i], "h%02zu", i);
        headers[i] = (ctie_header){ctie_str_from(names[i]), {text, i == 0 ? sizeof text - 32 * 3 - 31 : 1}};
        used += headers[i].name.size + headers[i].value.size;
    }
    CHECK(used == 4096);
    ctie_send_options options = with_headers(headers, 32);
    CHECK_STATUS(send_int(CTIE_STR("most"), 5, &options), CTIE_OK);
    ctie_message *message = NULL;
    CHECK_STATUS(ctie_wormhole_message(wormhole, CTIE_STR("most"), &message, NULL), CTIE_OK);
    CHECK(ctie_message_header_count(message) == 32 && int_of(message) == 5);
    for (size_t i = 0; i < 32; i++) {
        CHECK(ctie_message_header(message, headers[i].name).size == headers[i].value.size);
    }
    ctie_message_release(message);
    headers[5].value.size = 2;
    CHECK_STATUS(send_int(CTIE_STR("most"), 6, &options), CTIE_E_LIMIT);
    headers[5].value.size = 1;
    headers[32] = (ctie_header){CTIE_STR("one"), CTIE_STR("")};
    options.header_count = 33;
    CHECK_STATUS(send_int(CTIE_STR("most"), 6, &options), CTIE_E_LIMIT);
    CHECK(stored_int(wormhole, CTIE_STR("most")) == 5);
}

static void check_refused(ctie_send_options options, ctie_status expected, const char *where) {
    uint64_t sequence = 99;
    ctie_error *error = NULL;
    ctie_status status =
        ctie_wormhole_send(wormhole, JOBS, ctie_value_int(1), &options, &sequence, NULL, &error);
    CHECK_STATUS(status, expected);
    CHECK(sequence == 99 && strstr(ctie_error_location(error).data, where) != NULL);
    ctie_error_release(error);
}

static void malformed_headers_are_refused(void) {
    ctie_header twice[] = {{CTIE_STR("a"), CTIE_STR("1")}, {CTIE_STR("a"), CTIE_STR("2")}};
    ctie_header nameless = {CTIE_STR(""), CTIE_STR("1")};
    ctie_send_options plain = CTIE_SEND_OPTIONS_INIT, options = with_headers(twice, 2);
    check_refused(options, CTIE_E_INVALID, "options.headers[1]");
    options = with_headers(&nameless, 1);
    check_refused(options, CTIE_E_INVALID, "options.headers[0]");
    options = with_headers(NULL, 1);
    check_refused(options, CTIE_E_INVALID, "options.headers");
    options = with_headers(twice, SIZE_MAX);
    check_refused(options, CTIE_E_LIMIT, "options.headers");
    options = plain;
    options.flags = CTIE_SEND_LASTING;
    options.expires_ms = 1;
    check_refused(options, CTIE_E_INVALID, "options.expires_ms");
    options = plain;
    options.delay_ms = 1;
    options.not_before = 1;
    check_refused(options, CTIE_E_INVALID, "options.not_before");
    options = plain;
    options.delay_ms = UINT64_MAX;
    check_refused(options, CTIE_E_LIMIT, "options.delay_ms");
    options = plain;
    options.flags = 64;
    check_refused(options, CTIE_E_INVALID, "options.flags");
    CHECK_STATUS(ctie_wormhole_send(wormhole, JOBS, NULL, &plain, NULL, NULL, NULL), CTIE_E_INVALID);
    plain.flags = CTIE_SEND_SIGNAL;
    CHECK_STATUS(ctie_wormhole_send(wormhole, JOBS, ctie_value_int(1), &plain, NULL, NULL, NULL), CTIE_E_INVALID);
    CHECK(ctie_message_header_count(NULL) == 0 && ctie_message_header(NULL, JOBS).data == NULL);
}

/* ---- Expiring -------------------------------------------------------------------------------------- */

/** Sends what expires at once, and waits until it has. */
static void send_expired(ctie_str identifier, int64_t value) {
    ctie_send_options options = CTIE_SEND_OPTIONS_INIT;
    options.expires_ms = 1;
    CHECK_STATUS(send_int(identifier, value, &options), CTIE_OK);
    int64_t end = clock_ns(CLOCK_REALTIME) + 1100000;
    while (clock_ns(CLOCK_REALTIME) <= end) { nap_ns(200000); }
}

static void expired_messages_are_not_found(void) {
    ctie_str identifier = CTIE_STR("brief.news");
    struct ear exact = {0}, prefix = {0};
    send_expired(identifier, 1);
    CHECK_STATUS(ctie_wormhole_message(wormhole, identifier, &(ctie_message *){NULL}, NULL), CTIE_E_NOT_FOUND);
    ctie_value *list = NULL;
    CHECK_STATUS(ctie_wormhole_identifiers(wormhole, CTIE_STR("brief.*"), &list, NULL), CTIE_OK);
    CHECK(ctie_value_count(list) == 0);
    ctie_value_release(list);
    listen_to(wormhole, CTIE_STR("brief.*"), "prefix", &prefix);
    listen_to(wormhole, identifier, "exact", &exact);
    AWAIT(exact.calls == 1 && exact.kind == CTIE_MESSAGE_NONE);
    CHECK_STATUS(send_int(identifier, 2, NULL), CTIE_OK);
    AWAIT(exact.value == 2 && prefix.value == 2);
    CHECK(prefix.calls == 1 && exact.calls == 2);
    CHECK_STATUS(ctie_listener_release(exact.listener), CTIE_OK);
    CHECK_STATUS(ctie_listener_release(prefix.listener), CTIE_OK);
}

static void expiry_times_are_readable(void) {
    ctie_send_options options = CTIE_SEND_OPTIONS_INIT;
    options.expires_ms = 3600000;
    int64_t before = clock_ns(CLOCK_REALTIME);
    CHECK_STATUS(send_int(CTIE_STR("hour"), 1, &options), CTIE_OK);
    int64_t after = clock_ns(CLOCK_REALTIME);
    ctie_message *message = NULL;
    CHECK_STATUS(ctie_wormhole_message(wormhole, CTIE_STR("hour"), &message, NULL), CTIE_OK);
    int64_t expires = ctie_message_expires(message) - INT64_C(3600000000000);
    CHECK(expires >= before && expires <= after && ctie_message_header_count(message) == 0);
    ctie_message_release(message);
    options.expires_ms = UINT64_MAX;
    CHECK_STATUS(send_int(CTIE_STR("hour"), 2, &options), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_message(wormhole, CTIE_STR("hour"), &message, NULL), CTIE_OK);
    CHECK(ctie_message_expires(message) == 0);
    ctie_message_release(message);
}

/* Deliveries and missed messages, one after the other. */
static atomic_int received, missed;
static _Atomic int64_t last;
static latch may_go_on = LATCH_INIT;

static void count(const ctie_message *message, void *user_data) {
    (void)user_data;
    if (ctie_message_kind(message) == CTIE_MESSAGE_MISSED) {
        missed += (int)ctie_message_missed(message);
        return;
    }
    last = int_of(message);
    received++;
    if (last == 0) { latch_wait(&may_go_on, 1); }
}

/*
 * A message that expires before a queue listener gets it is missed: delivered and missed messages are all that was
 * sent.
 */
static void a_queue_is_notified_of_expired_messages(const char *name, uint32_t flags) {
    may_go_on = (latch)LATCH_INIT;
    received = missed = 0;
    ctie_listener *listener = bind(count, NULL, name, CTIE_LISTEN_QUEUE | flags);
    CHECK_STATUS(send_int(JOBS, 0, NULL), CTIE_OK);
    AWAIT(received == 1);
    for (int i = 1; i <= 10; i++) {
        CHECK_STATUS(send_int(JOBS, i, NULL), CTIE_OK);
        send_expired(JOBS, -i);
    }
    send_expired(JOBS, -11);
    latch_add(&may_go_on);
    AWAIT(received + missed == 22);
    CHECK(received == 11 && last == 10);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
}

/* Nobody listens meanwhile. */
static void a_durable_consumer_misses_expired_messages(void) {
    ctie_str name = CTIE_STR("away");
    received = missed = 0;
    CHECK_STATUS(ctie_wormhole_declare(wormhole, JOBS, name, NULL, NULL), CTIE_OK);
    for (int i = 1; i <= 5; i++) { send_expired(JOBS, -i); }
    CHECK_STATUS(send_int(JOBS, 7, NULL), CTIE_OK);
    send_expired(JOBS, -6);
    ctie_listener *listener = bind(count, NULL, "away", CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE);
    AWAIT(received == 1 && missed == 6);
    CHECK(last == 7);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_forget(wormhole, JOBS, name, NULL), CTIE_OK);
}

/* A rejected message that has expired before its redelivery has been delivered. */
static atomic_int refused;

static void refuse(const ctie_message *message, void *user_data) {
    (void)user_data;
    if (ctie_message_kind(message) == CTIE_MESSAGE_MISSED) {
        missed += (int)ctie_message_missed(message);
        return;
    }
    if (ctie_message_expires(message) == 0) {
        received++;
        return;
    }
    refused++;
    while (clock_ns(CLOCK_REALTIME) <= ctie_message_expires(message)) { nap_ns(1000000); }
    CHECK_STATUS(ctie_message_reject(message, 0, CTIE_STR("")), CTIE_OK);
}

static void rejected_messages_expire(void) {
    ctie_send_options options = CTIE_SEND_OPTIONS_INIT;
    options.expires_ms = 300;
    received = missed = 0;
    ctie_listener *listener = bind(refuse, NULL, "refusing", CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE);
    CHECK_STATUS(send_int(JOBS, 1, &options), CTIE_OK);
    AWAIT(refused == 1 || missed == 1);
    for (int i = 0; i < 20; i++) { CHECK_STATUS(send_int(JOBS, 2, NULL), CTIE_OK); }
    AWAIT(received == 20);
    CHECK(refused + missed == 1);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_forget(wormhole, JOBS, CTIE_STR("refusing"), NULL), CTIE_OK);
}

/* ---- The wormhole's own ---------------------------------------------------------------------------- */

static void count_fill(const ctie_message *message, void *user_data) {
    (void)user_data;
    if (ctie_message_kind(message) == CTIE_MESSAGE_VALUE) { received++; }
    missed += (int)ctie_message_missed(message);
}

/* ---- Room ------------------------------------------------------------------------------------------- */

/* Long enough to fill the store in it on a slow machine. */
enum { EXPIRES_MS = 4000 };

/** Sends messages that expire until the store is full. Returns how many that were. */
static int fill(bool is_queued) {
    enum { MOST = 10000, SIZE = 60000 };
    static char bytes[SIZE];
    int count = 0;
    for (; count < MOST; count++) {
        char identifier[32];
        ctie_send_options options = CTIE_SEND_OPTIONS_INIT;
        options.expires_ms = EXPIRES_MS;
        snprintf(identifier, sizeof identifier, is_queued ? "fill" : "fill.%d", count);
        ctie_value *value = ctie_value_bytes((ctie_str){bytes, SIZE});
        ctie_status status =
            ctie_wormhole_send(wormhole, ctie_str_from(identifier), value, &options, NULL, NULL, NULL);
        if (status == CTIE_E_NO_SPACE) { break; }
        CHECK_STATUS(status, CTIE_OK);
    }
    CHECK(count > 10 && count < MOST);
    return count;
}

/* Nobody asks for it and nobody passes over it: it makes room all the same. */
static void what_has_expired_makes_room(bool is_queued) {
    ctie_wormhole_options options = group_options(0);
    ctie_str name = CTIE_STR("nobody");
    struct ear ear = {0};
    options.max_queued_size = 1 << 30;
    wormhole = open_group_with(&options);
    if (is_queued) { CHECK_STATUS(ctie_wormhole_declare(wormhole, CTIE_STR("fill"), name, NULL, NULL), CTIE_OK); }
    int count = fill(is_queued);
    nap_ns((int64_t)EXPIRES_MS * 1000000); /* now the last one has expired, too */
    /* Any listener's process removes them. */
    listen_to(wormhole, CTIE_STR("other"), "other", &ear);
    bool has_room = false;
    AWAIT(has_room || (has_room = pass_bytes(wormhole, "fill", 60000) == CTIE_OK));
    if (is_queued) {
        ctie_listen_options listen = CTIE_LISTEN_OPTIONS_INIT;
        received = missed = 0;
        listen.name = name;
        listen.flags = CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE;
        CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("fill"), CTIE_RECEIVER(count_fill, NULL), &listen, NULL,
                                          NULL), CTIE_OK);
        AWAIT(received + missed == count + 1);
        CHECK(received == 1);
    }
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* ---- A group's defaults ------------------------------------------------------------------------------ */

static int send_plainly(void *unused) {
    (void)unused;
    ctie_wormhole_options options = group_options(0);
    options.delay_ms = 1; /* Too late: the process that created the group has decided. */
    wormhole = open_group_with(&options);
    ctie_send_options now = CTIE_SEND_OPTIONS_INIT, lasting = CTIE_SEND_OPTIONS_INIT;
    now.flags = CTIE_SEND_NOW;
    lasting.flags = CTIE_SEND_NOW | CTIE_SEND_LASTING;
    CHECK_STATUS(send_int(CTIE_STR("later"), 1, NULL), CTIE_OK);
    CHECK_STATUS(send_int(CTIE_STR("now"), 2, &now), CTIE_OK);
    CHECK_STATUS(send_int(CTIE_STR("lasting"), 3, &lasting), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return check_end();
}

/** When the current message of an identifier expires; -1 where there is none. */
static int64_t expiry_of(ctie_str identifier) {
    ctie_message *message = NULL;
    if (ctie_wormhole_message(wormhole, identifier, &message, NULL) != CTIE_OK) return -1;
    int64_t expires = ctie_message_expires(message);
    ctie_message_release(message);
    return expires;
}

static void the_creating_process_decides_for_all(void) {
    ctie_wormhole_options options = group_options(0);
    ctie_value *list = NULL;
    options.expires_ms = 3600000;
    options.delay_ms = 1800000;
    wormhole = open_group_with(&options);
    CHECK(end_of_child(start_child(send_plainly, NULL)) == 0);
    CHECK(expiry_of(CTIE_STR("later")) == -1 && expiry_of(CTIE_STR("now")) > 0);
    CHECK(expiry_of(CTIE_STR("lasting")) == 0);
    CHECK_STATUS(ctie_wormhole_scheduled(wormhole, CTIE_STR("*"), &list, NULL), CTIE_OK);
    CHECK(ctie_value_count(list) == 1);
    const ctie_value *later = ctie_value_at(list, 0);
    CHECK(int_at(later, "not_before") - int_at(later, "sent") > INT64_C(1700000000000));
    CHECK(int_at(later, "expires") - int_at(later, "not_before") == INT64_C(3600000000000));
    ctie_value_release(list);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

static void batches_and_passing_follow_it(void) {
    ctie_wormhole_options options = group_options(0);
    options.expires_ms = 1;
    wormhole = open_group_with(&options);
    CHECK_STATUS(pass_int(wormhole, "passed", 1), CTIE_OK);
    ctie_outgoing batch[] = {{CTIE_STR("batch"), ctie_value_int(1)}};
    CHECK_STATUS(ctie_wormhole_send_many(wormhole, batch, 1, NULL, NULL, NULL), CTIE_OK);
    AWAIT(stored_int(wormhole, CTIE_STR("passed")) == -1 && stored_int(wormhole, CTIE_STR("batch")) == -1);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

static ctie_wormhole *open_large(void) {
    ctie_wormhole_options options = group_options(CTIE_WORMHOLE_FAST);
    options.map_size = 64 << 20;
    options.max_map_size = 64 << 20;
    return open_group_with(&options);
}

static int listen_for_ever(void *is_there) {
    static struct ear ear;
    listen_to(open_large(), CTIE_STR("other"), "other", &ear);
    *(_Atomic bool *)is_there = true;
    for (;;) { pause(); }
    return 0;
}

/** The number of messages that wait for the only durable consumer. */
static int64_t count_waiting(void) {
    ctie_value *list = NULL;
    int64_t count = -1;
    CHECK_STATUS(ctie_wormhole_durables(wormhole, &list, NULL), CTIE_OK);
    ctie_value_get_int(ctie_value_get(ctie_value_at(list, 0), CTIE_STR("waiting")), &count);
    ctie_value_release(list);
    return count;
}

/* A process that looks for expired messages is killed while it removes them: another process goes on. */
static void another_one_goes_on_with_what_has_expired(void) {
    enum { COUNT = 100000 };
    _Atomic bool *is_there = share(sizeof *is_there);
    ctie_send_options options = CTIE_SEND_OPTIONS_INIT;
    options.expires_ms = 1;
    wormhole = open_large();
    CHECK_STATUS(ctie_wormhole_declare(wormhole, JOBS, CTIE_STR("nobody"), NULL, NULL), CTIE_OK);
    for (int i = 0; i < COUNT; i++) { CHECK_STATUS(send_int(JOBS, i, &options), CTIE_OK); }
    for (int i = 0; i < 20 && count_waiting() == COUNT; i++) {
        *is_there = false;
        pid_t child = start_child(listen_for_ever, is_there);
        AWAIT(*is_there);
        nap_ns(5000000 + 3000000 * i);
        kill_child(child);
        /* So often somebody looks. */
        nap_ns(950000000);
    }
    pid_t child = start_child(listen_for_ever, is_there);
    AWAIT(count_waiting() == 0);
    kill_child(child);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

int main(void) {
    name_directory();
    wormhole = open_group();
    headers_come_with_a_message();
    as_many_as_may_be_come_with_a_message();
    malformed_headers_are_refused();
    expired_messages_are_not_found();
    expiry_times_are_readable();
    a_queue_is_notified_of_expired_messages("live", 0);
    a_queue_is_notified_of_expired_messages("kept", CTIE_LISTEN_DURABLE);
    CHECK_STATUS(ctie_wormhole_forget(wormhole, JOBS, CTIE_STR("kept"), NULL), CTIE_OK);
    a_durable_consumer_misses_expired_messages();
    rejected_messages_expire();
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
    the_creating_process_decides_for_all();
    remove_directory();
    batches_and_passing_follow_it();
    remove_directory();
    what_has_expired_makes_room(false);
    what_has_expired_makes_room(true);
    another_one_goes_on_with_what_has_expired();
    return check_end();
}
