/* Durable consumers that keep so much and no more: the oldest go, or the sender is refused. */
#include "backlog.h"
#include "host_transport.h"

static ctie_wormhole *wormhole;

static void the_oldest_go(void) {
    declare(wormhole, "jobs", limited_to(10, CTIE_FULL_DROP_OLDEST));
    pass_from(wormhole, "jobs", 0, 25);
    take_all(wormhole, "jobs", 15, 10, 15);
    pass_from(wormhole, "jobs", 25, 3);
    take_all(wormhole, "jobs", 25, 3, 0);
    CHECK_STATUS(pass_batch(wormhole, "jobs", 100, 50), CTIE_OK);
    take_all(wormhole, "jobs", 140, 10, 40);
    forget_worker(wormhole, "jobs");
}

static void the_oldest_go_for_the_bytes_of_their_values(void) {
    ctie_durable_options options = limited_to(0, CTIE_FULL_DROP_OLDEST);
    struct record record = RECORD_INIT;
    options.max_size = 10000;
    declare(wormhole, "jobs", options);
    for (int i = 0; i < 30; i++) CHECK_STATUS(pass_bytes(wormhole, "jobs", 900), CTIE_OK);
    listen_durably(wormhole, "jobs", write_down, 0, &record);
    AWAIT(record.count + (int)record.missed == 30);
    CHECK(record.count == 11);
    stop_listening(&record);
    forget_worker(wormhole, "jobs");
}

/* Its name, and nothing has changed. */
static void the_sender_is_refused(void) {
    ctie_error *error = NULL;
    uint64_t before = 0, after = 0;
    declare(wormhole, "jobs", limited_to(10, CTIE_FULL_REFUSE));
    pass_from(wormhole, "jobs", 0, 10);
    CHECK_STATUS(ctie_wormhole_send(wormhole, CTIE_STR("other"), ctie_value_int(1), NULL, &before, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_send(wormhole, JOBS, ctie_value_int(10), NULL, NULL, NULL, &error), CTIE_E_FULL);
    CHECK(strstr(ctie_error_message(error).data, "worker") != NULL);
    ctie_error_release(error);
    CHECK_STATUS(ctie_wormhole_signal(wormhole, JOBS, NULL, NULL, NULL), CTIE_E_FULL);
    CHECK_STATUS(pass_batch(wormhole, "jobs", 10, 1), CTIE_E_FULL);
    CHECK(stored_int(wormhole, JOBS) == 9);
    CHECK_STATUS(ctie_wormhole_send(wormhole, CTIE_STR("other"), ctie_value_int(2), NULL, &after, NULL, NULL), CTIE_OK);
    CHECK(after == before + 1);
    take_all(wormhole, "jobs", 0, 10, 0);
    pass_from(wormhole, "jobs", 10, 1);
    take_all(wormhole, "jobs", 10, 1, 0);
    forget_worker(wormhole, "jobs");
}

static void a_batch_is_taken_or_refused_as_a_whole(void) {
    declare(wormhole, "jobs", limited_to(10, CTIE_FULL_REFUSE));
    CHECK_STATUS(pass_batch(wormhole, "jobs", 0, 5), CTIE_OK);
    CHECK_STATUS(pass_batch(wormhole, "jobs", 5, 6), CTIE_E_FULL);
    CHECK_STATUS(pass_batch(wormhole, "jobs", 5, 5), CTIE_OK);
    /* More than it takes at all. */
    CHECK_STATUS(pass_batch(wormhole, "jobs", 5, 11), CTIE_E_LIMIT);
    take_all(wormhole, "jobs", 0, 10, 0);
    forget_worker(wormhole, "jobs");
}

static void a_value_that_never_fits_is_said_to_be_too_large(void) {
    ctie_durable_options options = limited_to(0, CTIE_FULL_REFUSE);
    options.max_size = 1000;
    declare(wormhole, "jobs", options);
    CHECK_STATUS(pass_bytes(wormhole, "jobs", 2000), CTIE_E_LIMIT);
    CHECK_STATUS(pass_bytes(wormhole, "jobs", 900), CTIE_OK);
    CHECK_STATUS(pass_bytes(wormhole, "jobs", 900), CTIE_E_FULL);
    forget_worker(wormhole, "jobs");
}

static void destroying_is_never_refused(void) {
    declare(wormhole, "jobs", limited_to(3, CTIE_FULL_REFUSE));
    pass_from(wormhole, "jobs", 0, 3);
    CHECK_STATUS(ctie_wormhole_destroy(wormhole, JOBS, NULL, NULL, NULL), CTIE_OK);
    /* Destroyed messages wait no more; the destroying does. */
    pass_from(wormhole, "jobs", 3, 2);
    CHECK_STATUS(pass_int(wormhole, "jobs", 5), CTIE_E_FULL);
    take_all(wormhole, "jobs", 3, 2, 3);
    pass_from(wormhole, "jobs", 5, 3);
    CHECK_STATUS(ctie_wormhole_destroy_all(wormhole, NULL, NULL, NULL), CTIE_OK);
    pass_from(wormhole, "jobs", 8, 2);
    take_all(wormhole, "jobs", 8, 2, 3);
    forget_worker(wormhole, "jobs");
}

/* A message that one of its full consumers refuses comes to none of them. */
static void the_strictest_counts(void) {
    struct record all = RECORD_INIT;
    declare(wormhole, "jobs.*", limited_to(2, CTIE_FULL_REFUSE));
    declare(wormhole, "jobs.a", limited_to(0, CTIE_FULL_DROP_OLDEST));
    pass_from(wormhole, "jobs.a", 0, 2);
    CHECK_STATUS(pass_int(wormhole, "jobs.a", 2), CTIE_E_FULL);
    CHECK_STATUS(pass_int(wormhole, "jobs.b", 2), CTIE_E_FULL);
    CHECK_STATUS(pass_int(wormhole, "job", 2), CTIE_OK);
    listen_durably(wormhole, "jobs.*", write_down, 0, &all);
    latch_wait(&all.reported, 2);
    /* A received message was taken before. */
    CHECK_STATUS(pass_int(wormhole, "jobs.a", 2), CTIE_OK);
    latch_wait(&all.reported, 3);
    stop_listening(&all);
    take_all(wormhole, "jobs.a", 0, 3, 0);
    forget_worker(wormhole, "jobs.a");
    forget_worker(wormhole, "jobs.*");
}

/* Messages in hand do not count as waiting, and neither do rejected ones. */
static void reject(const ctie_message *message, void *user_data) {
    CHECK_STATUS(ctie_message_reject(message, 3600000, CTIE_STR("")), CTIE_OK);
    write_down(message, user_data);
}

static void delayed_messages_do_not_count(void) {
    struct record record = RECORD_INIT;
    declare(wormhole, "jobs", limited_to(5, CTIE_FULL_REFUSE));
    pass_from(wormhole, "jobs", 0, 5);
    listen_durably(wormhole, "jobs", reject, 0, &record);
    latch_wait(&record.reported, 5);
    stop_listening(&record);
    pass_from(wormhole, "jobs", 5, 5);
    CHECK_STATUS(pass_int(wormhole, "jobs", 10), CTIE_E_FULL);
    take_all(wormhole, "jobs", 5, 5, 0);
    forget_worker(wormhole, "jobs");
}

static void limits_may_change(void) {
    declare(wormhole, "jobs", limited_to(0, CTIE_FULL_DROP_OLDEST));
    pass_from(wormhole, "jobs", 0, 20);
    declare(wormhole, "jobs", limited_to(20, CTIE_FULL_REFUSE));
    CHECK_STATUS(pass_int(wormhole, "jobs", 20), CTIE_E_FULL);
    declare(wormhole, "jobs", limited_to(21, CTIE_FULL_REFUSE));
    CHECK_STATUS(pass_int(wormhole, "jobs", 20), CTIE_OK);
    declare(wormhole, "jobs", limited_to(4, CTIE_FULL_DROP_OLDEST));
    take_all(wormhole, "jobs", 17, 4, 17);
    forget_worker(wormhole, "jobs");
    /* Nobody remembers the limits of a name that has been forgotten. */
    CHECK_STATUS(ctie_wormhole_declare(wormhole, JOBS, WORKER, NULL, NULL), CTIE_OK);
    pass_from(wormhole, "jobs", 0, 40);
    take_all(wormhole, "jobs", 0, 40, 0);
    forget_worker(wormhole, "jobs");
}

static void a_name_that_begins_with_the_oldest_keeps_its_limit(void) {
    ctie_durable_options options = limited_to(3, CTIE_FULL_DROP_OLDEST);
    CHECK_STATUS(ctie_wormhole_declare(wormhole, CTIE_STR("fresh"), CTIE_STR("first"), NULL, NULL), CTIE_OK);
    pass_from(wormhole, "fresh", 0, 10);
    options.flags = CTIE_DURABLE_FROM_OLDEST;
    declare(wormhole, "fresh", options);
    take_all(wormhole, "fresh", 7, 3, 7);
    forget_worker(wormhole, "fresh");
    CHECK_STATUS(ctie_wormhole_forget(wormhole, CTIE_STR("fresh"), CTIE_STR("first"), NULL), CTIE_OK);
}

/* A process that opens the group later keeps the limits, too. */
static int pass_as_another(void *unused) {
    ctie_wormhole *other = open_group();
    (void)unused;
    CHECK_STATUS(pass_int(other, "jobs", 2), CTIE_E_FULL);
    CHECK_STATUS(ctie_wormhole_release(other), CTIE_OK);
    return 0;
}

static void every_process_keeps_them(void) {
    declare(wormhole, "jobs", limited_to(2, CTIE_FULL_REFUSE));
    pass_from(wormhole, "jobs", 0, 2);
    CHECK(in_child(pass_as_another, NULL) == 0);
    take_all(wormhole, "jobs", 0, 2, 0);
    forget_worker(wormhole, "jobs");
}

/* In number and in size. */
static int pass_ten(void *unused) {
    (void)unused;
    ctie_wormhole *other = open_group();
    for (int i = 0; i < 10; i++) CHECK_STATUS(pass_bytes(other, "jobs", 900), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(other), CTIE_OK);
    return 0;
}

static void every_process_knows_of_the_others(void) {
    ctie_durable_options by_count = limited_to(20, CTIE_FULL_REFUSE), by_size = limited_to(0, CTIE_FULL_REFUSE);
    by_size.max_size = 20 * 903;
    for (int i = 0; i < 2; i++) {
        declare(wormhole, "jobs", i == 0 ? by_count : by_size);
        for (int j = 0; j < 10; j++) CHECK_STATUS(pass_bytes(wormhole, "jobs", 900), CTIE_OK);
        CHECK(in_child(pass_ten, NULL) == 0);
        CHECK_STATUS(pass_bytes(wormhole, "jobs", 900), CTIE_E_FULL);
        forget_worker(wormhole, "jobs");
    }
}

/*
 * Headers are not part of the value: a message with headers counts like one without, however often it comes and goes.
 */
static void headers_do_not_count(void) {
    static char text[1000];
    ctie_header header = {CTIE_STR("note"), {text, sizeof text}};
    ctie_send_options tagged = CTIE_SEND_OPTIONS_INIT;
    ctie_durable_options options = limited_to(0, CTIE_FULL_REFUSE);
    memset(text, 'x', sizeof text);
    tagged.headers = &header;
    tagged.header_count = 1;
    options.max_size = 2000;
    declare(wormhole, "jobs", options);
    for (int64_t round = 0; round < 10; round++) {
        for (int64_t i = 0; i < 40; i++) {
            CHECK_STATUS(ctie_wormhole_send(wormhole, JOBS, ctie_value_int(40 * round + i), &tagged, NULL, NULL, NULL),
                         CTIE_OK);
        }
        take_all(wormhole, "jobs", 40 * round, 40, 0);
    }
    options.max_size = 1;
    declare(wormhole, "jobs", options);
    CHECK_STATUS(ctie_wormhole_send(wormhole, JOBS, ctie_value_int(1), &tagged, NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_send(wormhole, JOBS, ctie_value_int(2), &tagged, NULL, NULL, NULL), CTIE_E_FULL);
    forget_worker(wormhole, "jobs");
}

/* A backlog that a sender knew as small may have grown. */
static void a_name_that_is_moved_back_may_be_full(void) {
    declare(wormhole, "jobs", limited_to(10, CTIE_FULL_REFUSE));
    CHECK_STATUS(ctie_wormhole_declare(wormhole, JOBS, CTIE_STR("keeper"), NULL, NULL), CTIE_OK);
    pass_from(wormhole, "jobs", 0, 6);
    take_all(wormhole, "jobs", 0, 6, 0);
    pass_from(wormhole, "jobs", 6, 1);
    CHECK_STATUS(ctie_wormhole_seek(wormhole, JOBS, WORKER, 1, 0, NULL), CTIE_OK);
    pass_from(wormhole, "jobs", 7, 3);
    CHECK_STATUS(pass_int(wormhole, "jobs", 10), CTIE_E_FULL);
    take_all(wormhole, "jobs", 0, 10, 0);
    forget_worker(wormhole, "jobs");
    CHECK_STATUS(ctie_wormhole_forget(wormhole, JOBS, CTIE_STR("keeper"), NULL), CTIE_OK);
}

static void limits_are_kept(void) {
    headers_do_not_count();
    the_oldest_go();
    the_oldest_go_for_the_bytes_of_their_values();
    the_sender_is_refused();
    a_batch_is_taken_or_refused_as_a_whole();
    a_value_that_never_fits_is_said_to_be_too_large();
    destroying_is_never_refused();
    the_strictest_counts();
    delayed_messages_do_not_count();
    limits_may_change();
    a_name_that_begins_with_the_oldest_keeps_its_limit();
    a_name_that_is_moved_back_may_be_full();
}

static void reject_it(const ctie_message *message, void *user_data) {
    ctie_message_reject(message, 0, CTIE_STR("bad"));
    write_down(message, user_data);
}

/* A name on a prefix is not given dead letters, so its limit does not count them. */
static void dead_letters_take_no_room(uint32_t when_full) {
    ctie_durable_options options = limited_to(3, when_full);
    struct record failing = RECORD_INIT;
    options.max_deliveries = 1;
    declare(wormhole, "jobs.*", options);
    pass_from(wormhole, "jobs.a", 0, 3);
    listen_durably(wormhole, "jobs.*", reject_it, 0, &failing);
    AWAIT(failing.count == 3);
    stop_listening(&failing);
    pass_from(wormhole, "jobs.a", 10, 2);
    for (int i = 0; i < 4; i++) pass_from(wormhole, i % 2 ? "jobs.a.dead" : "jobs.b.dead", 100 + i, 1);
    pass_from(wormhole, "jobs.a", 12, 1);
    CHECK_STATUS(pass_batch(wormhole, "jobs.a", 13, 2),
                 when_full == CTIE_FULL_REFUSE ? CTIE_E_FULL : CTIE_OK);
    if (when_full == CTIE_FULL_REFUSE) {
        take_all(wormhole, "jobs.*", 10, 3, 0);
    } else {
        take_all(wormhole, "jobs.*", 12, 3, 2);
    }
    forget_worker(wormhole, "jobs.*");
}

int main(void) {
    host mine;
    ctie_wormhole_options options;
    name_directory();
    wormhole = open_group();
    limits_are_kept();
    dead_letters_take_no_room(CTIE_FULL_REFUSE);
    dead_letters_take_no_room(CTIE_FULL_DROP_OLDEST);
    every_process_keeps_them();
    every_process_knows_of_the_others();
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
    options = group_options(CTIE_WORMHOLE_MEMORY);
    wormhole = open_group_with(&options);
    limits_are_kept();
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    CHECK(mkdir(directory, 0700) == 0);
    host_init(&mine, directory);
    wormhole = open_host(&mine, "host");
    limits_are_kept();
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
    return check_end();
}
