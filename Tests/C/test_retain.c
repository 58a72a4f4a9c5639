/* A group that keeps messages for queues that nobody has yet. */
#include "backlog.h"

static ctie_wormhole *wormhole;

static void open_retaining(uint64_t ms, uint64_t count, uint64_t size) {
    ctie_wormhole_options options = group_options(0);
    options.retain_ms = ms;
    options.retain_count = count;
    options.retain_size = size;
    wormhole = open_group_with(&options);
}

static void close_retaining(void) {
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/** Begins with the oldest, under a name that is removed again, and receives so many. */
static void receive_from_oldest(const char *identifier, int64_t first, int least, int most, int64_t last) {
    const char *passed = strcmp(identifier, "events.*") == 0 ? "events.a" : identifier;
    ctie_durable_options options = CTIE_DURABLE_OPTIONS_INIT;
    struct record *record = calloc(1, sizeof *record);
    *record = (struct record)RECORD_INIT;
    options.flags = CTIE_DURABLE_FROM_OLDEST;
    declare(wormhole, identifier, options);
    CHECK_STATUS(pass_int(wormhole, passed, last), CTIE_OK);
    listen_durably(wormhole, identifier, write_down, 0, record);
    AWAIT(record->count > 0 && record->values[record->count - 1] == last);
    stop_listening(record);
    CHECK(record->missed == 0 && record->out_of_order == 0);
    CHECK(record->count - 1 >= least && record->count - 1 <= most);
    if (first >= 0) CHECK(record->values[0] == first);
    forget_worker(wormhole, identifier);
    free(record);
}

static void retained_messages_reach_later_queues(void) {
    open_retaining(3600000, 0, 0);
    pass_from(wormhole, "events.a", 0, 300);
    pass_from(wormhole, "other", 0, 10);
    receive_from_oldest("events.*", 0, 300, 300, 300);
    /* Also messages that have been consumed. */
    receive_from_oldest("events.*", 0, 301, 301, 1000);
    /* A new name that does not ask for them gets what comes. */
    declare(wormhole, "events.a", limited_to(0, CTIE_FULL_DROP_OLDEST));
    pass_from(wormhole, "events.a", 2000, 3);
    take_all(wormhole, "events.a", 2000, 3, 0);
    close_retaining();
}

static void a_live_listener_begins_with_them(void) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    struct record record = RECORD_INIT;
    open_retaining(0, 1000, 0);
    pass_from(wormhole, "events", 0, 50);
    options.flags = CTIE_LISTEN_QUEUE | CTIE_LISTEN_FROM_OLDEST;
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("events"), CTIE_RECEIVER(write_down, &record), &options,
                                      &record.listener, NULL), CTIE_OK);
    latch_wait(&record.reported, 50);
    stop_listening(&record);
    CHECK(record.count == 50 && record.missed == 0 && record.values[0] == 0);
    close_retaining();
}

static void there_is_a_limit_to_their_number(void) {
    open_retaining(0, 100, 0);
    pass_from(wormhole, "events", 0, 1000);
    /* Looked at when 32 have come, and removed by whole steps. */
    receive_from_oldest("events", -1, 100, 164, 1000);
    close_retaining();
}

static void there_is_a_limit_to_their_size(void) {
    open_retaining(0, 0, 100 << 10);
    for (int i = 0; i < 100; i++) CHECK_STATUS(pass_bytes(wormhole, "events", 10 << 10), CTIE_OK);
    receive_from_oldest("events", -1, 9, 9 + 33, 5);
    close_retaining();
}

static void old_messages_are_dropped(void) {
    open_retaining(200, 0, 0);
    pass_from(wormhole, "events", 0, 100);
    nap_ns(300000000);
    receive_from_oldest("events", -1, 0, 0, 100);
    close_retaining();
}

/* The same in a group that has dropped messages beyond its limit before. */
static void old_messages_are_dropped_after_others(void) {
    ctie_wormhole_options options = group_options(0);
    options.retain_ms = 200;
    options.max_queued = 100;
    wormhole = open_group_with(&options);
    declare(wormhole, "jobs", limited_to(0, CTIE_FULL_DROP_OLDEST));
    pass_from(wormhole, "jobs", 0, 3000);
    forget_worker(wormhole, "jobs");
    pass_from(wormhole, "events", 0, 50);
    nap_ns(300000000);
    receive_from_oldest("events", -1, 0, 0, 50);
    close_retaining();
}

/* They go when the store is full, and keep nobody from passing. */
static void they_make_room(void) {
    open_retaining(3600000, 1 << 20, 1 << 30);
    for (int i = 0; i < 600; i++) CHECK_STATUS(pass_bytes(wormhole, "events", 20 << 10), CTIE_OK);
    close_retaining();
}

/* Messages that queues need are neither dropped because of these limits nor kept longer. */
static void they_take_nothing_from_queues(void) {
    ctie_wormhole_options options = group_options(0);
    options.retain_count = 1000;
    options.max_queued = 100;
    wormhole = open_group_with(&options);
    declare(wormhole, "jobs", limited_to(0, CTIE_FULL_DROP_OLDEST));
    pass_from(wormhole, "jobs", 0, 90);
    pass_from(wormhole, "events", 0, 3000);
    take_all(wormhole, "jobs", 0, 90, 0);
    close_retaining();
}

/* The process that creates the group decides, and the limits outlive closing. */
static void it_is_the_groups(void) {
    open_retaining(0, 500, 0);
    pass_from(wormhole, "events", 0, 100);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    wormhole = open_group();
    pass_from(wormhole, "events", 100, 100);
    receive_from_oldest("events", 0, 200, 200, 200);
    close_retaining();
}

/* A group without it keeps what somebody wants, and no more. */
static void without_it_nothing_is_kept(void) {
    wormhole = open_group();
    pass_from(wormhole, "events", 0, 100);
    receive_from_oldest("events", -1, 0, 0, 100);
    close_retaining();
}

static void destroying_takes_them_away(void) {
    open_retaining(0, 500, 0);
    pass_from(wormhole, "events", 0, 100);
    CHECK_STATUS(ctie_wormhole_destroy(wormhole, CTIE_STR("events"), NULL, NULL, NULL), CTIE_OK);
    receive_from_oldest("events", -1, 0, 0, 100);
    CHECK_STATUS(ctie_wormhole_destroy_all(wormhole, NULL, NULL, NULL), CTIE_OK);
    receive_from_oldest("events", -1, 0, 0, 101);
    close_retaining();
}

int main(void) {
    name_directory();
    retained_messages_reach_later_queues();
    a_live_listener_begins_with_them();
    there_is_a_limit_to_their_number();
    there_is_a_limit_to_their_size();
    old_messages_are_dropped();
    old_messages_are_dropped_after_others();
    they_make_room();
    they_take_nothing_from_queues();
    it_is_the_groups();
    without_it_nothing_is_kept();
    destroying_takes_them_away();
    return check_end();
}
