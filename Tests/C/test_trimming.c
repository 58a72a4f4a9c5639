/* Senders and listeners trim the log, so that a small store goes on forever. */
#include "group.h"

enum { JOB = 400 << 10 };

static _Atomic int received;
static _Atomic int64_t last;

static void receive_job(const ctie_message *message, void *unused) {
    (void)unused;
    if (ctie_message_kind(message) != CTIE_MESSAGE_VALUE) return;
    last = int_of(message);
    received++;
}

static void receive_durably(ctie_wormhole *wormhole, ctie_listener **out) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.flags = CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE;
    options.name = CTIE_STR("worker");
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("jobs"), CTIE_RECEIVER(receive_job, NULL), &options, out, NULL),
                 CTIE_OK);
}

/* Some ten of them fill the store: each is acknowledged before the next one, and none is refused. */
static void large_messages_that_are_consumed_make_room(int jobs) {
    ctie_wormhole *wormhole = open_group();
    received = 0;
    receive_durably(wormhole, NULL);
    for (int i = 1; i <= jobs; i++) {
        CHECK_STATUS(pass_bytes(wormhole, "jobs", JOB), CTIE_OK);
        AWAIT(received == i);
    }
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* Senders that pass a few messages each and go again keep the limit as one does that stays. */
static void short_lived_senders_keep_the_limit(int senders) {
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    ctie_wormhole *wormhole = NULL;
    ctie_listener *listener = NULL;
    options.directory = ctie_str_from(directory);
    options.max_queued = 100;
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("test"), &options, &wormhole, NULL), CTIE_OK);
    receive_durably(wormhole, &listener);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    for (int i = 0; i < senders; i++) {
        ctie_wormhole *sender = open_group();
        for (int j = 0; j < 5; j++) { CHECK_STATUS(pass_int(sender, "jobs", j), CTIE_OK); }
        CHECK_STATUS(ctie_wormhole_release(sender), CTIE_OK);
    }
    received = 0;
    receive_durably(wormhole, NULL);
    CHECK_STATUS(pass_int(wormhole, "jobs", 99), CTIE_OK);
    AWAIT(last == 99);
    CHECK(received <= 100 + 31 + 1);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* With many names, all of which are asked what they need, the log is looked at more seldom. */
static void many_names_keep_the_limit(void) {
    enum { NAMES = 200, LIMIT = 1600, MESSAGES = 4000 };
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    ctie_wormhole *wormhole = NULL;
    ctie_listener *listener = NULL;
    char name[32];
    options.directory = ctie_str_from(directory);
    options.max_queued = LIMIT;
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("test"), &options, &wormhole, NULL), CTIE_OK);
    receive_durably(wormhole, &listener);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    for (int i = 0; i < NAMES; i++) {
        snprintf(name, sizeof name, "name.%d", i);
        CHECK_STATUS(ctie_wormhole_declare(wormhole, CTIE_STR("other"), ctie_str_from(name), NULL, NULL), CTIE_OK);
    }
    for (int i = 0; i < MESSAGES; i++) { CHECK_STATUS(pass_int(wormhole, "jobs", i), CTIE_OK); }
    received = 0;
    receive_durably(wormhole, NULL);
    CHECK_STATUS(pass_int(wormhole, "jobs", MESSAGES), CTIE_OK);
    AWAIT(last == MESSAGES);
    CHECK(received >= LIMIT && received <= LIMIT + LIMIT / 8 + NAMES + 1);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* The limit in bytes counts as that in messages does, long before there are too many of these. */
static void the_limit_in_bytes_is_kept(void) {
    enum { SIZE = 100 << 10, LIMIT = 1 << 20, MESSAGES = 60 };
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    ctie_wormhole *wormhole = NULL;
    ctie_listener *listener = NULL;
    options.directory = ctie_str_from(directory);
    options.max_queued_size = LIMIT;
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("test"), &options, &wormhole, NULL), CTIE_OK);
    receive_durably(wormhole, &listener);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    for (int i = 0; i < MESSAGES; i++) { CHECK_STATUS(pass_bytes(wormhole, "jobs", SIZE), CTIE_OK); }
    received = 0;
    receive_durably(wormhole, NULL);
    CHECK_STATUS(pass_int(wormhole, "jobs", 77), CTIE_OK);
    AWAIT(last == 77);
    /* An eighth more may come together before somebody looks. */
    CHECK(received >= LIMIT / SIZE - 1 && received <= (LIMIT + LIMIT / 8) / SIZE + 3);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

int main(void) {
    name_directory();
    the_limit_in_bytes_is_kept();
    large_messages_that_are_consumed_make_room(test_rounds(60));
    short_lived_senders_keep_the_limit(test_rounds(60));
    many_names_keep_the_limit();
    return check_end();
}
