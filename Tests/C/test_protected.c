/*
 * Refusing durable consumers lose nothing to the group's limits, and take nothing from others: a small group in which a
 * work queue is blocked while all others go on.
 */
#include "backlog.h"

enum { GROUP_LIMIT = 200, FLOOD = 5000 };

static ctie_wormhole *wormhole;

static void open_small(void) {
    ctie_wormhole_options options = group_options(0);
    options.max_queued = GROUP_LIMIT;
    options.map_size = 16 << 20;
    options.max_map_size = 64 << 20;
    wormhole = open_group_with(&options);
}

static void close_small(void) {
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/** The messages of a flood that a consumer without limits gets, and those reported as missed. */
static void receive_the_flood(const char *identifier, uint64_t sent, int at_most) {
    struct record *record = calloc(1, sizeof *record);
    *record = (struct record)RECORD_INIT;
    listen_durably(wormhole, identifier, write_down, 0, record);
    AWAIT((uint64_t)record->count + record->missed >= sent);
    CHECK((uint64_t)record->count + record->missed == sent);
    CHECK(record->out_of_order == 0);
    CHECK(record->count <= at_most);
    CHECK(record->count >= GROUP_LIMIT);
    stop_listening(record);
    free(record);
}

static void jobs_outlive_a_flood_of_others(void) {
    open_small();
    declare(wormhole, "jobs", limited_to(1000, CTIE_FULL_REFUSE));
    declare(wormhole, "ticks", limited_to(0, CTIE_FULL_DROP_OLDEST));
    pass_from(wormhole, "jobs", 0, 500);
    pass_from(wormhole, "ticks", 0, FLOOD);
    pass_from(wormhole, "jobs", 500, 500);
    CHECK_STATUS(pass_int(wormhole, "jobs", 1000), CTIE_E_FULL);
    pass_from(wormhole, "ticks", FLOOD, FLOOD);
    take_all(wormhole, "jobs", 0, 1000, 0);
    /* An eighth of what may be there, or 32, may come before somebody looks. */
    receive_the_flood("ticks", 2 * FLOOD, GROUP_LIMIT + 1000 / 8 + 1000 + 64);
    close_small();
}

/* Jobs and flood under one prefix, so that some want both. */
static void a_listener_to_both_loses_the_excess(void) {
    open_small();
    declare(wormhole, "all.jobs", limited_to(300, CTIE_FULL_REFUSE));
    declare(wormhole, "all.*", limited_to(0, CTIE_FULL_DROP_OLDEST));
    for (int64_t i = 0; i < 300; i++) {
        pass_from(wormhole, "all.jobs", 20 * i, 1);
        pass_from(wormhole, "all.ticks", 20 * i + 1, 19);
    }
    struct record *jobs = calloc(1, sizeof *jobs);
    *jobs = (struct record)RECORD_INIT;
    listen_durably(wormhole, "all.jobs", write_down, 0, jobs);
    latch_wait(&jobs->reported, 300);
    stop_listening(jobs);
    CHECK(jobs->count == 300 && jobs->missed == 0 && jobs->out_of_order == 0);
    for (int i = 0; i < jobs->count; i++) CHECK(jobs->values[i] == 20 * i);
    free(jobs);
    receive_the_flood("all.*", 6000, 6000);
    close_small();
}

/* A message that was delivered once and is delayed is as safe as a waiting one. */
static void reject_for_long(const ctie_message *message, void *user_data) {
    if (ctie_message_delivery_count(message) == 1) {
        CHECK_STATUS(ctie_message_reject(message, 1, CTIE_STR("")), CTIE_OK);
    }
    write_down(message, user_data);
}

static void messages_in_hand_or_delayed_stay(void) {
    static struct record first = RECORD_INIT, held = RECORD_INIT;
    open_small();
    declare(wormhole, "jobs", limited_to(100, CTIE_FULL_REFUSE));
    declare(wormhole, "ticks", limited_to(0, CTIE_FULL_DROP_OLDEST));
    pass_from(wormhole, "jobs", 0, 100);
    listen_durably(wormhole, "jobs", reject_for_long, 0, &first);
    latch_wait(&first.reported, 1);
    stop_listening(&first);
    pass_from(wormhole, "ticks", 0, FLOOD);
    pass_from(wormhole, "jobs", 100, first.count < 100 ? first.count : 100);
    listen_durably(wormhole, "jobs", write_down, CTIE_LISTEN_MANUAL, &held);
    latch_wait(&held.reported, 1);
    pass_from(wormhole, "ticks", FLOOD, FLOOD);
    stop_listening(&held);
    pass_from(wormhole, "ticks", 2 * FLOOD, FLOOD);
    /* All of them come, those that were rejected in whatever order. */
    struct record *rest = calloc(1, sizeof *rest);
    *rest = (struct record)RECORD_INIT;
    char seen[200] = {0};
    int sent = 100 + (first.count < 100 ? first.count : 100), distinct = 0;
    for (int i = 0; i < first.count && i < 4096; i++) {
        /* Those that were delivered twice are done. */
        for (int j = 0; j < i; j++) {
            if (first.values[i] == first.values[j]) seen[first.values[i]] = 1;
        }
    }
    listen_durably(wormhole, "jobs", write_down, 0, rest);
    for (int i = 0; i < 60000 && distinct < sent; i++) {
        int count = rest->count;
        distinct = 0;
        for (int j = 0; j < count; j++) seen[rest->values[j]] = 1;
        for (int j = 0; j < sent; j++) distinct += seen[j];
        nap_ns(1000000);
    }
    CHECK(distinct == sent);
    CHECK(rest->missed == 0);
    stop_listening(rest);
    free(rest);
    receive_the_flood("ticks", 3 * FLOOD, FLOOD);
    close_small();
}

/* A slow listener that needs messages kept for a refusing consumer gets a report of those it loses. */
static struct gate_record {
    struct record record;
    latch entered, open;
} slow = {RECORD_INIT, LATCH_INIT, LATCH_INIT};

static void receive_slowly(const ctie_message *message, void *unused) {
    (void)unused;
    latch_add(&slow.entered);
    latch_wait(&slow.open, 1);
    write_down(message, &slow.record);
}

static void a_live_listener_counts_right(void) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    ctie_listener *listener = NULL;
    open_small();
    options.flags = CTIE_LISTEN_QUEUE;
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("all.*"), CTIE_RECEIVER(receive_slowly, NULL), &options,
                                      &listener, NULL), CTIE_OK);
    declare(wormhole, "all.jobs", limited_to(100, CTIE_FULL_REFUSE));
    pass_int(wormhole, "all.ticks", -1);
    latch_wait(&slow.entered, 1);
    for (int64_t i = 0; i < 100; i++) {
        pass_from(wormhole, "all.jobs", 20 * i, 1);
        pass_from(wormhole, "all.ticks", 20 * i + 1, 19);
    }
    latch_add(&slow.open);
    AWAIT((uint64_t)slow.record.count + slow.record.missed >= 2001);
    CHECK((uint64_t)slow.record.count + slow.record.missed == 2001);
    CHECK(slow.record.out_of_order == 0 && slow.record.missed > 0);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    close_small();
}

/* A name that refuses no more loses, with a word, what was kept for it alone. */
static void protection_ends(void) {
    open_small();
    declare(wormhole, "jobs", limited_to(500, CTIE_FULL_REFUSE));
    declare(wormhole, "ticks", limited_to(0, CTIE_FULL_DROP_OLDEST));
    pass_from(wormhole, "jobs", 0, 500);
    pass_from(wormhole, "ticks", 0, FLOOD);
    declare(wormhole, "jobs", limited_to(0, CTIE_FULL_DROP_OLDEST));
    pass_from(wormhole, "jobs", 500, 10);
    struct record *record = calloc(1, sizeof *record);
    *record = (struct record)RECORD_INIT;
    listen_durably(wormhole, "jobs", write_down, 0, record);
    AWAIT((uint64_t)record->count + record->missed >= 510);
    CHECK((uint64_t)record->count + record->missed == 510);
    CHECK(record->count >= 10 && record->out_of_order == 0);
    stop_listening(record);
    free(record);
    close_small();
}

int main(void) {
    name_directory();
    jobs_outlive_a_flood_of_others();
    a_listener_to_both_loses_the_excess();
    messages_in_hand_or_delayed_stay();
    a_live_listener_counts_right();
    protection_ends();
    return check_end();
}
