/* Durable consumers as a whole: how far each is behind, which process has which messages in hand, and consumers that expire. */
#include "group.h"

#include "host_transport.h"

#define JOBS CTIE_STR("jobs")
#define WORKER CTIE_STR("worker")
#define DURABLE (CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE)

static ctie_wormhole *wormhole;

/* ---- What the list says -------------------------------------------------------------------------- */

static ctie_value *durables(void) {
    ctie_value *list = NULL;
    CHECK_STATUS(ctie_wormhole_durables(wormhole, &list, NULL), CTIE_OK);
    return list;
}

/** A number of a durable consumer: of the first one of that name; -1 for null or where there is none. */
static int64_t number_of(const char *name, const char *key) {
    ctie_value *list = durables();
    int64_t found = -1;
    for (size_t i = 0; i < ctie_value_count(list); i++) {
        ctie_str text = {NULL, 0};
        ctie_value_get_string(ctie_value_get(ctie_value_at(list, i), CTIE_STR("name")), &text);
        if (!text_is(text, name)) { continue; }
        ctie_value_get_int(ctie_value_get(ctie_value_at(list, i), ctie_str_from(key)), &found);
        break;
    }
    ctie_value_release(list);
    return found;
}

static size_t count_names(void) {
    ctie_value *list = durables();
    size_t count = ctie_value_count(list);
    ctie_value_release(list);
    return count;
}

/** Of the process that has messages of the first name in hand: a number of the first one; -1 where nobody has. */
static int64_t in_hand(const char *key) {
    ctie_value *list = durables();
    int64_t found = -1;
    const ctie_value *holders = ctie_value_get(ctie_value_at(list, 0), CTIE_STR("in_hand"));
    ctie_value_get_int(ctie_value_get(ctie_value_at(holders, 0), ctie_str_from(key)), &found);
    ctie_value_release(list);
    return found;
}

static void declare(ctie_str identifier, ctie_str name, uint64_t expires_ms) {
    ctie_durable_options options = CTIE_DURABLE_OPTIONS_INIT;
    options.expires_ms = expires_ms;
    options.flags = CTIE_DURABLE_CHANGE;
    CHECK_STATUS(ctie_wormhole_declare(wormhole, identifier, name, &options, NULL), CTIE_OK);
}

static ctie_listener *listen_as_worker(ctie_receiver_fn fn, uint32_t flags, uint32_t most, struct ear *ear) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    ctie_listener *listener = NULL;
    options.name = WORKER;
    options.flags = DURABLE | flags;
    options.max_unacknowledged = most;
    CHECK_STATUS(ctie_wormhole_listen(wormhole, JOBS, CTIE_RECEIVER(fn, ear), &options, &listener, NULL), CTIE_OK);
    return listener;
}

static ctie_listener *listen_by_hand(uint32_t most, struct ear *ear) {
    return listen_as_worker(receive, CTIE_LISTEN_MANUAL, most, ear);
}

static int64_t wall_ns(void) { return clock_ns(CLOCK_REALTIME); }

static void the_list_says_how_far_a_name_is_behind(void) {
    struct ear ear = {0};
    int64_t begin = wall_ns();
    CHECK(count_names() == 0);
    declare(JOBS, WORKER, 0);
    CHECK(number_of("worker", "waiting") == 0 && number_of("worker", "oldest") == -1);
    for (int i = 0; i < 100; i++) { CHECK_STATUS(pass_int(wormhole, "jobs", 1000), CTIE_OK); }
    CHECK(number_of("worker", "waiting") == 100 && number_of("worker", "waiting_size") == 300);
    CHECK(number_of("worker", "oldest") >= begin && number_of("worker", "oldest") <= wall_ns());
    CHECK(number_of("worker", "listened") >= begin && in_hand("pid") == -1);
    ctie_listener *listener = listen_by_hand(10, &ear);
    AWAIT(ear.calls == 10);
    CHECK(in_hand("pid") == getpid() && in_hand("count") == 10);
    CHECK(in_hand("since") >= begin && in_hand("since") <= wall_ns());
    CHECK(number_of("worker", "waiting") == 90 && number_of("worker", "waiting_size") == 270);
    CHECK(number_of("worker", "deliveries") == 10 && number_of("worker", "position") == 10);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    CHECK(in_hand("pid") == -1 && number_of("worker", "waiting") == 100 && number_of("worker", "waiting_size") == 270);
}

static void reject_for_an_hour(const ctie_message *message, void *user_data) {
    CHECK_STATUS(ctie_message_reject(message, 3600000, CTIE_STR("")), CTIE_OK);
    receive(message, user_data);
}

static void redeliveries_are_listed(void) {
    struct ear ear = {0};
    int64_t begin = wall_ns();
    ctie_listener *listener = listen_as_worker(reject_for_an_hour, 0, 0, &ear);
    AWAIT(ear.calls == 100);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    CHECK(number_of("worker", "retrying") == 100 && number_of("worker", "waiting") == 0);
    int64_t hour = INT64_C(3600000000000);
    /* The clock of the day may be set meanwhile, by a second or so. */
    CHECK(number_of("worker", "next_retry") > begin + hour - INT64_C(5000000000));
    CHECK(number_of("worker", "next_retry") < wall_ns() + hour + INT64_C(5000000000));
    CHECK(number_of("worker", "deliveries") == 110);
    CHECK_STATUS(ctie_wormhole_forget(wormhole, JOBS, WORKER, NULL), CTIE_OK);
    CHECK(count_names() == 0);
}

/* However much of others is queued before it, and was consumed meanwhile. */
static void the_oldest_is_found_behind_others(void) {
    declare(CTIE_STR("noise"), CTIE_STR("neighbour"), 0);
    declare(JOBS, WORKER, 0);
    enum { BATCH = 1000, NOISE = 30 * BATCH };
    static ctie_outgoing batch[BATCH];
    for (int i = 0; i < BATCH; i++) { batch[i] = (ctie_outgoing){CTIE_STR("noise"), NULL}; }
    for (int i = 0; i < NOISE; i += BATCH) {
        CHECK_STATUS(ctie_wormhole_send_many(wormhole, batch, BATCH, NULL, NULL, NULL), CTIE_OK);
    }
    int64_t begin = wall_ns();
    CHECK_STATUS(pass_int(wormhole, "jobs", 1), CTIE_OK);
    CHECK(number_of("worker", "waiting") == 1 && number_of("worker", "oldest") >= begin);
    CHECK(number_of("neighbour", "waiting") == NOISE && number_of("neighbour", "oldest") < begin);
    CHECK_STATUS(ctie_wormhole_forget(wormhole, JOBS, WORKER, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_forget(wormhole, CTIE_STR("noise"), CTIE_STR("neighbour"), NULL), CTIE_OK);
}

/* ---- Names that go by themselves ------------------------------------------------------------------ */

/** A time that does not end before a listener is bound. */
#define HOUR_MS 3600000

static void a_name_that_nobody_listens_to_goes(void) {
    declare(JOBS, WORKER, 1);
    declare(JOBS, CTIE_STR("stays"), 0);
    /* A process that sends notices it. */
    AWAIT(pass_int(wormhole, "jobs", 1) == CTIE_OK && count_names() == 1);
    CHECK(number_of("stays", "waiting") > 0);
    CHECK_STATUS(ctie_wormhole_forget(wormhole, JOBS, WORKER, NULL), CTIE_E_NOT_FOUND);
    declare(JOBS, WORKER, 1);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    nap_ns(2000000);
    wormhole = open_group();
    CHECK(count_names() == 1);
    CHECK_STATUS(ctie_wormhole_forget(wormhole, JOBS, CTIE_STR("stays"), NULL), CTIE_OK);
}

static void a_name_that_somebody_listens_to_stays(void) {
    struct ear ear = {0};
    declare(JOBS, WORKER, HOUR_MS);
    ctie_listener *listener = listen_by_hand(1, &ear);
    declare(JOBS, WORKER, 1);
    /* Its listener has nothing to do; others open and close the group. */
    for (int i = 0; i < 25; i++) {
        CHECK_STATUS(ctie_wormhole_release(open_group()), CTIE_OK);
        nap_ns(100000000);
        CHECK(count_names() == 1);
    }
    CHECK_STATUS(pass_int(wormhole, "jobs", 5), CTIE_OK);
    AWAIT(ear.calls == 1);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    AWAIT(pass_int(wormhole, "other", 1) == CTIE_OK && count_names() == 0);
}

/** A time that others_send_for_a_while() outlasts, also where a death has to be noticed first. */
#define NOT_LONG_MS 3000

static void others_send_for_a_while(void) {
    for (int i = 0; i < 60; i++) {
        CHECK_STATUS(pass_int(wormhole, "other", 1), CTIE_OK);
        nap_ns(100000000);
    }
}

static int hold_a_name(void *reported) {
    struct ear ear = {0};
    wormhole = open_group();
    listen_by_hand(1, &ear);
    *(_Atomic int *)reported = 1;
    for (;;) { pause(); }
    return 0;
}

static void a_death_lets_its_time_run(void) {
    _Atomic int *reported = share(sizeof *reported);
    declare(JOBS, WORKER, HOUR_MS);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    pid_t child = start_child(hold_a_name, reported);
    AWAIT(*reported == 1);
    wormhole = open_group();
    declare(JOBS, WORKER, NOT_LONG_MS);
    others_send_for_a_while();
    CHECK(count_names() == 1);
    kill_child(child);
    AWAIT(pass_int(wormhole, "other", 1) == CTIE_OK && count_names() == 0);
}

/** A listener counts as a listener when a durable consumer gets an expiry time, however short that is. */
static void a_time_that_is_given_later_spares_who_listens(uint64_t expires_ms) {
    struct ear ear = {0};
    declare(JOBS, WORKER, 0);
    ctie_listener *listener = listen_by_hand(1, &ear);
    declare(JOBS, WORKER, expires_ms);
    CHECK(number_of("worker", "listened") <= wall_ns());
    others_send_for_a_while();
    CHECK(count_names() == 1);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_forget(wormhole, JOBS, WORKER, NULL), CTIE_OK);
}

static void nothing_to_write_to_is_refused(void) {
    ctie_value *list = NULL;
    CHECK_STATUS(ctie_wormhole_durables(wormhole, NULL, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_wormhole_durables(NULL, &list, NULL), CTIE_E_HANDLE);
}

/* ---- In memory and on a host's transport ----------------------------------------------------------- */

static void holds_elsewhere(ctie_wormhole *opened) {
    struct ear ear = {0};
    wormhole = opened;
    declare(JOBS, WORKER, 0);
    for (int i = 0; i < 50; i++) { CHECK_STATUS(pass_int(wormhole, "jobs", 1000), CTIE_OK); }
    CHECK(number_of("worker", "waiting") == 50 && number_of("worker", "waiting_size") == 150);
    CHECK(number_of("worker", "oldest") > 0);
    ctie_listener *listener = listen_by_hand(10, &ear);
    AWAIT(ear.calls == 10);
    CHECK(in_hand("pid") == getpid() && in_hand("count") == 10 && number_of("worker", "waiting") == 40);
    CHECK_STATUS(ctie_wormhole_seek(wormhole, JOBS, WORKER, UINT64_MAX, 0, NULL), CTIE_OK);
    CHECK(in_hand("count") == 10 && number_of("worker", "waiting") == 0);
    CHECK_STATUS(ctie_wormhole_seek(wormhole, JOBS, WORKER, 1, 0, NULL), CTIE_OK);
    AWAIT(ear.calls > 10 || number_of("worker", "waiting") > 0);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    CHECK(in_hand("count") == -1 && number_of("worker", "waiting") >= 10);
    /* Its listener keeps it, also with nothing in hand, and nobody else does. */
    declare(JOBS, WORKER, HOUR_MS);
    listener = listen_as_worker(receive, 0, 0, &ear);
    AWAIT(durable_is_idle(wormhole, "worker"));
    declare(JOBS, WORKER, 1);
    nap_ns(1500000000);
    CHECK(count_names() == 1);
    declare(CTIE_STR("other"), CTIE_STR("listened"), 0);
    struct ear other = {0};
    listen_to(wormhole, CTIE_STR("other"), "state", &other);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    AWAIT(count_names() == 1);
    CHECK_STATUS(ctie_wormhole_forget(wormhole, CTIE_STR("other"), CTIE_STR("listened"), NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

static void it_holds_elsewhere(void) {
    ctie_wormhole_options options = group_options(CTIE_WORMHOLE_MEMORY);
    holds_elsewhere(open_group_with(&options));
    host one;
    host_init(&one, directory);
    holds_elsewhere(open_host(&one, "tester"));
}

int main(void) {
    name_directory();
    wormhole = open_group();
    the_list_says_how_far_a_name_is_behind();
    redeliveries_are_listed();
    the_oldest_is_found_behind_others();
    a_name_that_nobody_listens_to_goes();
    a_name_that_somebody_listens_to_stays();
    a_death_lets_its_time_run();
    a_time_that_is_given_later_spares_who_listens(NOT_LONG_MS);
    a_time_that_is_given_later_spares_who_listens(1);
    nothing_to_write_to_is_refused();
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    it_holds_elsewhere();
    remove_directory();
    return check_end();
}
