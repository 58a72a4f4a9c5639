/* A rejected message waits for its redelivery beside the rest: however many wait, the others are handled. */
#include "group.h"

#define DURABLE (CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE)
#define JOBS CTIE_STR("jobs")
#define HOUR_MS INT64_C(3600000)

enum { POISON = 2000, GOOD = 1000, ALL = POISON + GOOD };

/* The results of the workers of all processes for each message. */
struct ledger {
    _Atomic int handled[ALL]; /* acknowledged */
    _Atomic int failed[ALL];  /* rejected */
    _Atomic unsigned delivery[ALL];
    _Atomic int64_t due[ALL]; /* not to be given again before */
    _Atomic int poison_count, good_count;
    _Atomic int early, destroyed, other;
    _Atomic uint64_t missed;
    _Atomic int shall_end;
    /* How: values below `poison` are rejected for so long, as long as they have been delivered no more often than that. */
    int poison;
    int64_t pause_ms;
    unsigned fails;
};

static void handle(const ctie_message *message, void *user_data) {
    struct ledger *ledger = user_data;
    if (ctie_message_kind(message) == CTIE_MESSAGE_MISSED) {
        ledger->missed += ctie_message_missed(message);
        return;
    }
    if (ctie_message_kind(message) == CTIE_MESSAGE_DESTROYED) {
        ledger->destroyed++;
        return;
    }
    int64_t value = int_of(message);
    if (value < 0 || value >= ALL) {
        ledger->other++;
        return;
    }
    if (now_ns() < ledger->due[value]) ledger->early++;
    ledger->delivery[value] = ctie_message_delivery_count(message);
    if (value < ledger->poison && ctie_message_delivery_count(message) <= ledger->fails) {
        ledger->due[value] = now_ns() + ledger->pause_ms * 1000000;
        CHECK_STATUS(ctie_message_reject(message, ledger->pause_ms, CTIE_STR("")), CTIE_OK);
        ledger->failed[value]++;
        ledger->poison_count++;
    } else {
        ledger->handled[value]++;
        if (value >= POISON) ledger->good_count++;
    }
}

/* A ledger in memory that processes share: poison is rejected for so long, so many times. */
static struct ledger *new_ledger(int poison, int64_t pause_ms, unsigned fails) {
    struct ledger *ledger = share(sizeof *ledger);
    ledger->poison = poison;
    ledger->pause_ms = pause_ms;
    ledger->fails = fails;
    return ledger;
}

static int count_of(const _Atomic int *counts, int from, int to) {
    int sum = 0;
    for (int i = from; i < to; i++) sum += counts[i];
    return sum;
}

static ctie_listener *hire_with(ctie_wormhole *wormhole, ctie_receiver_fn fn, void *user_data, uint32_t flags,
                                uint32_t most) {
    ctie_listener *listener = NULL;
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.name = CTIE_STR("worker");
    options.flags = DURABLE | flags;
    options.max_unacknowledged = most;
    CHECK_STATUS(ctie_wormhole_listen(wormhole, JOBS, CTIE_RECEIVER(fn, user_data), &options, &listener, NULL),
                 CTIE_OK);
    return listener;
}

static ctie_listener *hire(ctie_wormhole *wormhole, struct ledger *ledger) {
    return hire_with(wormhole, handle, ledger, 0, 0);
}

/* A group with these messages in it, which wait for the name. */
static ctie_wormhole *open_with_jobs(const ctie_wormhole_options *options, int count) {
    ctie_wormhole *wormhole = options != NULL ? open_group_with(options) : open_group();
    struct ledger *nobody = new_ledger(0, 0, 0);
    CHECK_STATUS(ctie_listener_release(hire(wormhole, nobody)), CTIE_OK);
    for (int i = 0; i < count; i++) CHECK_STATUS(pass_int(wormhole, "jobs", i), CTIE_OK);
    return wormhole;
}

static void close_group(ctie_wormhole *wormhole) {
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* Twice as many as may be in somebody's hands fail and wait for long. */
static void test_waiting_ones_are_in_nobodys_hands(void) {
    struct ledger *ledger = new_ledger(POISON, HOUR_MS, 1000);
    ctie_wormhole *wormhole = open_with_jobs(NULL, ALL);
    hire(wormhole, ledger);
    AWAIT(ledger->good_count == GOOD);
    CHECK(count_of(ledger->failed, 0, POISON) == POISON && count_of(ledger->handled, 0, POISON) == 0);
    CHECK(count_of(ledger->handled, POISON, ALL) == GOOD);
    close_group(wormhole);
}

/*
 * They are always due: new ones are handled all the same, by a worker that takes many at a time and by one that takes
 * one.
 */
static void test_those_that_fail_at_once_do_not_starve_the_others(uint32_t most) {
    struct ledger *ledger = new_ledger(POISON, 0, 1000000);
    ctie_wormhole *wormhole = open_with_jobs(NULL, ALL);
    hire_with(wormhole, handle, ledger, 0, most);
    AWAIT(ledger->good_count == GOOD);
    CHECK(count_of(ledger->handled, POISON, ALL) == GOOD && count_of(ledger->handled, 0, POISON) == 0);
    /* And new ones do not starve those that are due again. */
    CHECK(ledger->poison_count > POISON + GOOD / 4);
    close_group(wormhole);
}

static int work(void *argument) {
    struct ledger *ledger = argument;
    ctie_wormhole *wormhole = open_group();
    hire(wormhole, ledger);
    while (!ledger->shall_end) nap_ns(1000000);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

/* Each message fails two times somewhere, and comes a third time, once its pause is over and not before. */
static void test_listeners_share_what_waits(void) {
    enum { WORKERS = 3 };
    struct ledger *ledger = new_ledger(POISON, 50, 2);
    ctie_wormhole *wormhole = open_with_jobs(NULL, ALL);
    pid_t workers[WORKERS];
    for (int i = 0; i < WORKERS; i++) workers[i] = start_child(work, ledger);
    AWAIT(ledger->good_count == GOOD && count_of(ledger->handled, 0, POISON) == POISON);
    ledger->shall_end = 1;
    for (int i = 0; i < WORKERS; i++) CHECK(end_of_child(workers[i]) == 0);
    CHECK(ledger->early == 0);
    for (int i = 0; i < ALL; i++) {
        CHECK(ledger->handled[i] == 1 && ledger->failed[i] == (i < POISON ? 2 : 0));
        CHECK(ledger->delivery[i] == (i < POISON ? 3u : 1u));
    }
    close_group(wormhole);
}

static void take(const ctie_message *message, void *user_data) {
    struct ledger *ledger = user_data;
    ledger->handled[int_of(message)]++;
    ledger->good_count++;
}

static int take_and_pause(void *argument) {
    hire_with(open_group(), take, argument, CTIE_LISTEN_MANUAL, 1024);
    return pause();
}

/* The most messages allowed are in hand while others wait: the next listener gets those at once. */
static void test_a_killed_worker_had_its_hands_full(void) {
    enum { HELD = 1024, WAITING = 500 };
    struct ledger *first = new_ledger(WAITING, HOUR_MS, 1), *second = new_ledger(0, 0, 0), *heir = new_ledger(0, 0, 0);
    ctie_wormhole *wormhole = open_with_jobs(NULL, WAITING);
    ctie_listener *listener = hire(wormhole, first);
    AWAIT(first->poison_count == WAITING);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    for (int i = WAITING; i < ALL; i++) CHECK_STATUS(pass_int(wormhole, "jobs", i), CTIE_OK);
    pid_t child = start_child(take_and_pause, second);
    AWAIT(second->good_count == HELD);
    kill_child(child);
    hire(wormhole, heir);
    AWAIT(count_of(heir->handled, WAITING, ALL) == ALL - WAITING);
    CHECK(count_of(heir->handled, 0, WAITING) == 0);
    for (int i = WAITING; i < ALL; i++) {
        CHECK(heir->handled[i] == 1 && heir->delivery[i] == (second->handled[i] > 0 ? 2u : 1u));
    }
    close_group(wormhole);
}

static void test_waiting_outlasts_everybody(void) {
    struct ledger *ledger = new_ledger(POISON, 300, 1);
    ctie_wormhole *wormhole = open_with_jobs(NULL, ALL);
    hire(wormhole, ledger);
    AWAIT(ledger->good_count == GOOD);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    wormhole = open_group();
    hire(wormhole, ledger);
    AWAIT(count_of(ledger->handled, 0, POISON) == POISON);
    CHECK(ledger->early == 0 && count_of(ledger->handled, POISON, ALL) == GOOD);
    for (int i = 0; i < POISON; i++) CHECK(ledger->handled[i] == 1 && ledger->delivery[i] == 2);
    close_group(wormhole);
}

/* A message that is destroyed while it waits is not redelivered; nor is it missed, because it was delivered. */
static void test_destroyed_while_waiting(ctie_status (*destroy)(ctie_wormhole *)) {
    struct ledger *ledger = new_ledger(POISON, 200, 1);
    ctie_wormhole *wormhole = open_with_jobs(NULL, POISON);
    hire(wormhole, ledger);
    AWAIT(ledger->poison_count == POISON);
    int before = count_of(ledger->handled, 0, POISON);
    CHECK_STATUS(destroy(wormhole), CTIE_OK);
    AWAIT(ledger->destroyed == 1);
    /* A message that was due while it was being destroyed may have been delivered before its removal. */
    CHECK_STATUS(pass_int(wormhole, "jobs", POISON), CTIE_OK);
    AWAIT(ledger->good_count == 1);
    int after = count_of(ledger->handled, 0, POISON);
    /* One more that waits as long, and is due after them. */
    ledger->due[0] = 0;
    CHECK_STATUS(pass_int(wormhole, "jobs", 0), CTIE_OK);
    AWAIT(count_of(ledger->handled, 0, POISON) == after + 1);
    CHECK(ledger->missed == 0 && ledger->early == 0 && before <= after);
    close_group(wormhole);
}

static ctie_status destroy_jobs(ctie_wormhole *wormhole) { return ctie_wormhole_destroy(wormhole, JOBS, NULL, NULL, NULL); }

static ctie_status destroy_all(ctie_wormhole *wormhole) { return ctie_wormhole_destroy_all(wormhole, NULL, NULL, NULL); }

/* A new consumer of the same name does not get the old one's waiting messages. */
static void test_forgotten_while_waiting(void) {
    struct ledger *ledger = new_ledger(POISON, 50, 1), *heir = new_ledger(0, 0, 0);
    ctie_wormhole *wormhole = open_with_jobs(NULL, POISON);
    ctie_listener *listener = hire(wormhole, ledger);
    AWAIT(ledger->poison_count == POISON);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    int handled = count_of(ledger->handled, 0, POISON);
    CHECK_STATUS(ctie_wormhole_forget(wormhole, JOBS, CTIE_STR("worker"), NULL), CTIE_OK);
    hire(wormhole, heir);
    for (int i = POISON; i < ALL; i++) CHECK_STATUS(pass_int(wormhole, "jobs", i), CTIE_OK);
    AWAIT(heir->good_count == GOOD);
    nap_ns(100000000);
    CHECK(count_of(heir->handled, 0, POISON) == 0 && heir->missed == 0);
    CHECK(count_of(ledger->handled, 0, POISON) == handled);
    close_group(wormhole);
}

/* Gives how many messages under identifiers of their own it took until nothing could be added to the store. */
static int fill(ctie_wormhole *wormhole, size_t size) {
    char identifier[32];
    int count = 0;
    ctie_status status = CTIE_OK;
    while (status == CTIE_OK) {
        snprintf(identifier, sizeof identifier, "filler%d.i%d", (int)size, count++);
        status = pass_bytes(wormhole, identifier, size);
    }
    CHECK_STATUS(status, CTIE_E_NO_SPACE);
    return count;
}

/* A message that is rejected while nothing can be added stays in hand until there is room, or others have it. */
static void test_rejected_in_a_full_store(bool is_closed) {
    enum { JOBS_THERE = 300 };
    struct ledger *ledger = new_ledger(POISON, 10, 1), *heir = new_ledger(0, 0, 0);
    ctie_wormhole *wormhole = open_with_jobs(NULL, JOBS_THERE);
    int fillers = fill(wormhole, 2000);
    hire(wormhole, ledger);
    AWAIT(ledger->poison_count == JOBS_THERE);
    if (is_closed) {
        CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
        wormhole = open_group();
        hire(wormhole, heir);
        AWAIT(count_of(heir->handled, 0, POISON) + count_of(ledger->handled, 0, POISON) == JOBS_THERE);
    } else {
        for (int i = 0; i < fillers; i++) {
            char identifier[32];
            snprintf(identifier, sizeof identifier, "filler2000.i%d", i);
            CHECK_STATUS(ctie_wormhole_destroy(wormhole, ctie_str_from(identifier), NULL, NULL, NULL), CTIE_OK);
        }
        AWAIT(count_of(ledger->handled, 0, POISON) == JOBS_THERE);
    }
    CHECK(ledger->early == 0);
    close_group(wormhole);
}

static void take_and_reject(const ctie_message *message, void *user_data) {
    (*(_Atomic int *)user_data)++;
    CHECK_STATUS(ctie_message_reject(message, -1, CTIE_STR("")), CTIE_OK);
}

/* A pause that is longer than any clock can count is no short one. */
static void test_a_pause_for_ever(void) {
    ctie_durable_options options = CTIE_DURABLE_OPTIONS_INIT;
    _Atomic int count = 0;
    options.backoff_first_ms = UINT64_MAX / 1000000;
    options.backoff_most_ms = options.backoff_first_ms;
    ctie_wormhole *wormhole = open_group();
    CHECK_STATUS(ctie_wormhole_declare(wormhole, JOBS, CTIE_STR("worker"), &options, NULL), CTIE_OK);
    hire_with(wormhole, take_and_reject, (void *)&count, 0, 0);
    for (int i = 0; i < 3; i++) {
        CHECK_STATUS(pass_int(wormhole, "jobs", i), CTIE_OK);
        AWAIT(count >= i + 1);
    }
    nap_ns(100000000);
    CHECK(count == 3);
    close_group(wormhole);
}

/* A listener that is removed keeps nothing in hand, also where there is no room for what it rejected. */
static void test_removed_in_a_full_store(void) {
    struct ledger *heir = new_ledger(0, 0, 0);
    _Atomic int count = 0;
    ctie_wormhole *wormhole = open_with_jobs(NULL, 10);
    fill(wormhole, 2000);
    fill(wormhole, 1);
    ctie_listener *listener = hire_with(wormhole, take_and_reject, (void *)&count, 0, 0);
    AWAIT(count >= 10);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    hire(wormhole, heir);
    AWAIT(count_of(heir->handled, 0, POISON) == 10);
    close_group(wormhole);
}

int main(void) {
    name_directory();
    test_waiting_ones_are_in_nobodys_hands();
    test_those_that_fail_at_once_do_not_starve_the_others(0);
    test_those_that_fail_at_once_do_not_starve_the_others(1);
    test_listeners_share_what_waits();
    test_a_killed_worker_had_its_hands_full();
    test_waiting_outlasts_everybody();
    test_destroyed_while_waiting(destroy_jobs);
    test_destroyed_while_waiting(destroy_all);
    test_forgotten_while_waiting();
    test_rejected_in_a_full_store(true);
    test_rejected_in_a_full_store(false);
    test_removed_in_a_full_store();
    test_a_pause_for_ever();
    return check_end();
}
