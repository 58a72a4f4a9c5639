/* Replaying: queue listeners from a number or a time, and durable consumers that are moved. */
#include "group.h"

#define JOBS CTIE_STR("jobs")
#define WORKER CTIE_STR("worker")
#define DURABLE (CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE)

enum { ALL = 20 };

static ctie_wormhole *wormhole;
static uint64_t first; /* the number of the first job */
static int64_t times[ALL];

/* The messages that a listener has received, in order. */
struct account {
    _Atomic int count;
    _Atomic int64_t values[256];
    _Atomic unsigned deliveries[256];
    _Atomic uint64_t missed;
    int64_t pause_ms; /* rejects everything for so long; 0: nothing */
};

static void note(const ctie_message *message, void *user_data) {
    struct account *account = user_data;
    if (ctie_message_kind(message) == CTIE_MESSAGE_MISSED) {
        account->missed += ctie_message_missed(message);
        return;
    }
    int index = account->count;
    if (index < 256) {
        account->values[index] = int_of(message);
        account->deliveries[index] = ctie_message_delivery_count(message);
    }
    if (account->pause_ms > 0) { CHECK_STATUS(ctie_message_reject(message, account->pause_ms, CTIE_STR("")), CTIE_OK); }
    account->count++;
}

/** Whether a range of values has been received, in this order, from an index on. */
static bool holds(const struct account *account, int index, int64_t from, int64_t to) {
    for (int64_t value = from; value <= to; value++, index++) {
        if (account->values[index] != value) { return false; }
    }
    return account->count == index;
}

static ctie_listener *listen_with(const ctie_listen_options *options, struct account *account) {
    ctie_listener *listener = NULL;
    CHECK_STATUS(ctie_wormhole_listen(wormhole, JOBS, CTIE_RECEIVER(note, account), options, &listener, NULL), CTIE_OK);
    return listener;
}

static ctie_listen_options as_worker(uint32_t flags) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.name = WORKER;
    options.flags = DURABLE | flags;
    return options;
}

static ctie_status seek(uint64_t sequence, int64_t time) {
    return ctie_wormhole_seek(wormhole, JOBS, WORKER, sequence, time, NULL);
}

static int64_t number_of_worker(const char *key) {
    ctie_value *list = NULL;
    int64_t found = -1;
    CHECK_STATUS(ctie_wormhole_durables(wormhole, &list, NULL), CTIE_OK);
    const ctie_value *last = ctie_value_at(list, ctie_value_count(list) - 1);
    ctie_value_get_int(ctie_value_get(last, ctie_str_from(key)), &found);
    ctie_value_release(list);
    return found;
}

/* ---- Sending -------------------------------------------------------------------------------------- */

static void send_jobs(void) {
    CHECK_STATUS(ctie_wormhole_declare(wormhole, CTIE_STR("*"), CTIE_STR("keeper"), NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_declare(wormhole, JOBS, WORKER, NULL, NULL), CTIE_OK);
    for (int i = 0; i < ALL; i++) {
        ctie_message *message = NULL;
        CHECK_STATUS(pass_int(wormhole, "jobs", i), CTIE_OK);
        CHECK_STATUS(ctie_wormhole_message(wormhole, JOBS, &message, NULL), CTIE_OK);
        if (i == 0) { first = ctie_message_sequence(message); }
        times[i] = ctie_message_time(message);
        ctie_message_release(message);
        CHECK_STATUS(pass_int(wormhole, "noise", i), CTIE_OK);
    }
}

/** Two numbers for each job. */
static uint64_t sequence_of(int job) { return first + 2 * (uint64_t)job; }

/* ---- Live queues ---------------------------------------------------------------------------------- */

static void a_queue_begins_with_a_number(void) {
    struct account account = {0};
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.flags = CTIE_LISTEN_QUEUE;
    options.from_sequence = sequence_of(15);
    ctie_listener *listener = listen_with(&options, &account);
    AWAIT(account.count == 5);
    CHECK(holds(&account, 0, 15, 19) && account.missed == 0);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    /* A number between two of its own. */
    struct account other = {0};
    options.from_sequence = sequence_of(15) + 1;
    listener = listen_with(&options, &other);
    AWAIT(other.count == 4);
    CHECK(holds(&other, 0, 16, 19));
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
}

static void a_queue_begins_with_a_time(void) {
    struct account account = {0};
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.flags = CTIE_LISTEN_QUEUE;
    options.from_time = times[12];
    ctie_listener *listener = listen_with(&options, &account);
    AWAIT(account.count == 8);
    CHECK(holds(&account, 0, 12, 19));
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    /* A time before all: everything that is kept. */
    struct account all = {0};
    options.from_time = 1;
    listener = listen_with(&options, &all);
    AWAIT(all.count == ALL);
    CHECK(holds(&all, 0, 0, ALL - 1));
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    /* A future number: the next message. */
    struct account none = {0};
    options.from_time = INT64_MAX;
    listener = listen_with(&options, &none);
    CHECK_STATUS(pass_int(wormhole, "jobs", 99), CTIE_OK);
    AWAIT(none.count == 1);
    CHECK(none.values[0] == 99);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
}

static ctie_status try_to_listen(uint32_t flags, uint64_t sequence, int64_t time) {
    struct account account = {0};
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    ctie_listener *listener = NULL;
    options.flags = flags;
    options.from_sequence = sequence;
    options.from_time = time;
    ctie_status status = ctie_wormhole_listen(wormhole, JOBS, CTIE_RECEIVER(note, &account), &options, &listener, NULL);
    ctie_listener_release(listener);
    return status;
}

static void several_beginnings_are_refused(void) {
    CHECK_STATUS(try_to_listen(CTIE_LISTEN_QUEUE, 1, 1), CTIE_E_INVALID);
    CHECK_STATUS(try_to_listen(CTIE_LISTEN_QUEUE | CTIE_LISTEN_FROM_OLDEST, 1, 0), CTIE_E_INVALID);
    CHECK_STATUS(try_to_listen(CTIE_LISTEN_QUEUE | CTIE_LISTEN_FROM_OLDEST, 0, 1), CTIE_E_INVALID);
    CHECK_STATUS(try_to_listen(CTIE_LISTEN_QUEUE, 0, -1), CTIE_E_INVALID);
    CHECK_STATUS(try_to_listen(0, 1, 0), CTIE_E_INVALID);
    CHECK_STATUS(try_to_listen(0, 0, 1), CTIE_E_INVALID);
    CHECK_STATUS(try_to_listen(CTIE_LISTEN_QUEUE, UINT64_MAX, 0), CTIE_OK);
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.from_sequence = 1;
    CHECK_STATUS(ctie_wormhole_listen_members(wormhole, CTIE_RECEIVER(note, NULL), &options, NULL, NULL),
                 CTIE_E_INVALID);
}

/* ---- Durable consumers -------------------------------------------------------------------------------- */

/* Twenty jobs and one more of the value 99 wait. */
static void a_name_goes_forward_and_back(void) {
    struct account account = {0};
    CHECK(number_of_worker("waiting") == ALL + 1);
    CHECK_STATUS(seek(sequence_of(18), 0), CTIE_OK);
    CHECK(number_of_worker("waiting") == 3 && number_of_worker("missed") == 0);
    ctie_listen_options options = as_worker(0);
    ctie_listener *listener = listen_with(&options, &account);
    AWAIT(account.count == 3);
    CHECK(account.values[0] == 18 && account.values[1] == 19 && account.values[2] == 99);
    /* While it listens. */
    CHECK_STATUS(seek(sequence_of(10), 0), CTIE_OK);
    AWAIT(account.count == 14);
    for (int i = 0; i < 10; i++) { CHECK(account.values[3 + i] == 10 + i && account.deliveries[3 + i] == 1); }
    CHECK_STATUS(seek(0, times[19]), CTIE_OK);
    AWAIT(account.count == 16);
    CHECK(account.values[14] == 19 && account.values[15] == 99);
    CHECK_STATUS(seek(UINT64_MAX, 0), CTIE_OK);
    CHECK_STATUS(pass_int(wormhole, "jobs", 100), CTIE_OK);
    AWAIT(account.count == 17);
    CHECK(account.values[16] == 100 && account.missed == 0);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    CHECK(number_of_worker("waiting") == 0 && number_of_worker("waiting_size") == 0);
}

static void seeking_resets_redeliveries(void) {
    struct account account = {.pause_ms = 3600000};
    ctie_listen_options options = as_worker(0);
    CHECK_STATUS(seek(sequence_of(0), 0), CTIE_OK);
    ctie_listener *listener = listen_with(&options, &account);
    AWAIT(account.count == ALL + 2);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    CHECK(number_of_worker("retrying") == ALL + 2 && number_of_worker("waiting") == 0);
    CHECK_STATUS(seek(sequence_of(17), 0), CTIE_OK);
    CHECK(number_of_worker("retrying") == 0 && number_of_worker("waiting") == 5);
    struct account again = {0};
    listener = listen_with(&options, &again);
    AWAIT(again.count == 5);
    CHECK(again.values[0] == 17 && again.deliveries[0] == 1 && again.values[4] == 100);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    CHECK(number_of_worker("waiting") == 0 && number_of_worker("retrying") == 0);
}

/* A message in hand stays in hand if it is before the new position, and is delivered once more if it is after it. */
static void messages_in_hand_after_seeking(void) {
    struct account account = {0};
    ctie_listen_options options = as_worker(CTIE_LISTEN_MANUAL);
    options.max_unacknowledged = 4;
    CHECK_STATUS(seek(sequence_of(10), 0), CTIE_OK);
    ctie_listener *listener = listen_with(&options, &account);
    AWAIT(account.count == 4);
    CHECK_STATUS(seek(sequence_of(12), 0), CTIE_OK);
    CHECK(number_of_worker("waiting") == 10);
    /* 10 and 11 go back when it leaves; 12 and 13 were taken from it. */
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    CHECK(number_of_worker("waiting") == 12);
    struct account rest = {0};
    options = as_worker(0);
    listener = listen_with(&options, &rest);
    AWAIT(rest.count == 12);
    CHECK(rest.values[0] == 10 && rest.deliveries[0] == 2 && rest.values[2] == 12 && rest.deliveries[2] == 1);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
}

static const ctie_message *held[8];

static void hold(const ctie_message *message, void *user_data) {
    struct account *account = user_data;
    if (account->count < 8) { held[account->count] = ctie_message_retain(message); }
    note(message, user_data);
}

/* An answer to a message that was delivered before the consumer was moved does not count for its new delivery. */
static void an_answer_is_for_its_own_delivery(void) {
    struct account account = {0}, rest = {0};
    ctie_listen_options options = as_worker(CTIE_LISTEN_MANUAL);
    ctie_listener *listener = NULL;
    options.max_unacknowledged = 8;
    CHECK_STATUS(seek(sequence_of(19), 0), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_listen(wormhole, JOBS, CTIE_RECEIVER(hold, &account), &options, &listener, NULL),
                 CTIE_OK);
    AWAIT(account.count == 3);
    CHECK_STATUS(seek(sequence_of(19), 0), CTIE_OK);
    AWAIT(account.count == 6);
    /* Of 19 the older one, of 99 the newer one. */
    ctie_message_acknowledge(held[0]);
    CHECK_STATUS(ctie_message_acknowledge(held[4]), CTIE_OK);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    CHECK(number_of_worker("waiting") == 2);
    for (int i = 0; i < 6; i++) { ctie_message_release((ctie_message *)held[i]); }
    options = as_worker(0);
    listener = listen_with(&options, &rest);
    AWAIT(rest.count == 2);
    CHECK(rest.values[0] == 19 && rest.values[1] == 100);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
}

/* A name that goes back over its dead letters is given them no more, until they are retried. */
static void dead_letters_stay_dead(void) {
    ctie_durable_options once = CTIE_DURABLE_OPTIONS_INIT;
    ctie_listen_options options = as_worker(0);
    uint64_t retried = 0;
    once.max_deliveries = 1;
    once.flags = CTIE_DURABLE_CHANGE;
    CHECK_STATUS(ctie_wormhole_declare(wormhole, JOBS, WORKER, &once, NULL), CTIE_OK);
    struct account failing = {.pause_ms = 1};
    CHECK_STATUS(seek(sequence_of(18), 0), CTIE_OK);
    ctie_listener *listener = listen_with(&options, &failing);
    AWAIT(failing.count == 4);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    CHECK(number_of_worker("dead") == 4);
    struct account account = {0};
    CHECK_STATUS(seek(sequence_of(16), 0), CTIE_OK);
    listener = listen_with(&options, &account);
    CHECK_STATUS(pass_int(wormhole, "jobs", 101), CTIE_OK);
    AWAIT(account.count == 3);
    CHECK(account.values[0] == 16 && account.values[1] == 17 && account.values[2] == 101 && account.missed == 0);
    AWAIT(number_of_worker("waiting") == 0);
    CHECK(number_of_worker("dead") == 4);
    CHECK_STATUS(ctie_wormhole_retry(wormhole, JOBS, WORKER, 0, &retried, NULL), CTIE_OK);
    AWAIT(account.count == 7);
    CHECK(retried == 4 && account.values[3] == 18 && account.values[6] == 100 && number_of_worker("dead") == 0);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
}

/* Nor do they count among what waits, or what is missed; but what is retried before the name comes by it does. */
static void dead_letters_do_not_wait(void) {
    ctie_durable_options once = CTIE_DURABLE_OPTIONS_INIT;
    ctie_listen_options options = as_worker(0);
    struct account failing = {.pause_ms = 1}, account = {0};
    uint64_t count = 0;
    ctie_wormhole_options fresh = group_options(CTIE_WORMHOLE_MEMORY);
    ctie_wormhole *kept = wormhole;
    wormhole = open_group_with(&fresh);
    once.max_deliveries = 1;
    once.max_messages = 2;
    once.when_full = CTIE_FULL_REFUSE;
    once.flags = CTIE_DURABLE_CHANGE;
    CHECK_STATUS(ctie_wormhole_declare(wormhole, JOBS, WORKER, &once, NULL), CTIE_OK);
    ctie_listener *listener = listen_with(&options, &failing);
    for (int i = 0; i < 4; i++) {
        while (pass_int(wormhole, "jobs", i) == CTIE_E_FULL) { nap_ns(1000000); }
    }
    AWAIT(number_of_worker("dead") == 4);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    CHECK_STATUS(seek(1, 0), CTIE_OK);
    CHECK(number_of_worker("waiting") == 0 && number_of_worker("waiting_size") == 0 && number_of_worker("dead") == 4);
    CHECK_STATUS(pass_int(wormhole, "jobs", 4), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_retry(wormhole, JOBS, WORKER, 1, &count, NULL), CTIE_OK);
    CHECK(count == 1 && number_of_worker("waiting") == 2 && number_of_worker("waiting_size") == 2);
    CHECK_STATUS(pass_int(wormhole, "jobs", 5), CTIE_E_FULL);
    /* Where the oldest go it is those that wait. */
    once.when_full = CTIE_FULL_DROP_OLDEST;
    once.max_messages = 1;
    CHECK_STATUS(ctie_wormhole_declare(wormhole, JOBS, WORKER, &once, NULL), CTIE_OK);
    CHECK(number_of_worker("waiting") == 1 && number_of_worker("missed") == 1 && number_of_worker("dead") == 3);
    CHECK_STATUS(ctie_wormhole_destroy(wormhole, JOBS, NULL, NULL, NULL), CTIE_OK);
    CHECK(number_of_worker("missed") == 2 && number_of_worker("dead") == 0);
    listener = listen_with(&options, &account);
    AWAIT(account.count == 1 && account.missed == 2);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    wormhole = kept;
}

static void impossible_positions_are_refused(void) {
    CHECK_STATUS(seek(0, 0), CTIE_E_INVALID);
    CHECK_STATUS(seek(1, 1), CTIE_E_INVALID);
    CHECK_STATUS(seek(0, -1), CTIE_E_INVALID);
    CHECK_STATUS(ctie_wormhole_seek(wormhole, JOBS, CTIE_STR("nobody"), 1, 0, NULL), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_wormhole_seek(wormhole, CTIE_STR("no identifier"), WORKER, 1, 0, NULL), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_wormhole_seek(NULL, JOBS, WORKER, 1, 0, NULL), CTIE_E_HANDLE);
}

/* ---- Nothing is lost ------------------------------------------------------------------------------ */

/*
 * A process that moves a consumer is killed again and again: the consumer has moved or not, and its counts are right.
 */
static int seek_for_ever(void *unused) {
    (void)unused;
    wormhole = open_group();
    for (int i = 0;; i++) {
        if (seek(sequence_of(i % ALL), 0) != CTIE_OK) { return 1; }
    }
}

static void a_death_while_it_is_moved_leaves_it_whole(void) {
    CHECK_STATUS(seek(sequence_of(0), 0), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    for (int i = 0; i < 20; i++) {
        pid_t child = start_child(seek_for_ever, NULL);
        nap_ns(5000000 + i * 500000);
        kill_child(child);
        wormhole = open_group();
        int64_t position = number_of_worker("position");
        /* The jobs after it, 99, 100 and 101. */
        int64_t left = (int64_t)sequence_of(ALL) - (position + 1);
        CHECK(number_of_worker("waiting") == (left < 0 ? 0 : (left + 1) / 2) + 3);
        CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    }
    wormhole = open_group();
}

int main(void) {
    name_directory();
    wormhole = open_group();
    send_jobs();
    a_queue_begins_with_a_number();
    a_queue_begins_with_a_time();
    several_beginnings_are_refused();
    a_name_goes_forward_and_back();
    seeking_resets_redeliveries();
    messages_in_hand_after_seeking();
    an_answer_is_for_its_own_delivery();
    dead_letters_stay_dead();
    dead_letters_do_not_wait();
    impossible_positions_are_refused();
    a_death_while_it_is_moved_leaves_it_whole();
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
    return check_end();
}
