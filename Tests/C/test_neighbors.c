/* Limits count messages that a consumer needs: consumed messages take no room, at any position in the log. */
#include "group.h"

enum { BATCH = 1000 };

static _Atomic int64_t ticks, jobs, jobs_missed;

static void receive_tick(const ctie_message *message, void *unused) {
    (void)unused;
    CHECK(ctie_message_kind(message) == CTIE_MESSAGE_VALUE);
    ticks++;
}

static void receive_job(const ctie_message *message, void *unused) {
    (void)unused;
    jobs += ctie_message_kind(message) == CTIE_MESSAGE_VALUE;
    jobs_missed += (int64_t)ctie_message_missed(message);
}

static ctie_listener *receive_all(ctie_wormhole *wormhole, const char *identifier, ctie_receiver_fn fn, uint32_t flags) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    ctie_listener *listener = NULL;
    options.flags = CTIE_LISTEN_QUEUE | flags;
    options.name = CTIE_STR("worker");
    CHECK_STATUS(ctie_wormhole_listen(wormhole, ctie_str_from(identifier), CTIE_RECEIVER(fn, NULL), &options, &listener,
                                      NULL), CTIE_OK);
    return listener;
}

static ctie_wormhole *open_limited(uint64_t max_queued, uint64_t max_queued_size) {
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    options.directory = ctie_str_from(directory);
    options.max_queued = max_queued;
    options.max_queued_size = max_queued_size;
    ticks = jobs = jobs_missed = 0;
    return open_group_with(&options);
}

/* Makes the durable consumer, which nobody listens to for now. */
static void leave_billing(ctie_wormhole *wormhole) {
    CHECK_STATUS(ctie_listener_release(receive_all(wormhole, "billing", receive_job, CTIE_LISTEN_DURABLE)), CTIE_OK);
}

static void send_ticks(ctie_wormhole *wormhole, int count) {
    ctie_outgoing messages[BATCH];
    for (int i = 0; i < count; i++) { messages[i] = (ctie_outgoing){CTIE_STR("tick"), ctie_value_int(i)}; }
    CHECK_STATUS(ctie_wormhole_send_many(wormhole, messages, (size_t)count, NULL, NULL, NULL), CTIE_OK);
}

static void expect_jobs(ctie_wormhole *wormhole, int64_t count) {
    receive_all(wormhole, "billing", receive_job, CTIE_LISTEN_DURABLE);
    AWAIT(jobs + jobs_missed == count);
    CHECK(jobs_missed == 0);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* One job waits, while far more messages of another identifier than the limit are sent and consumed at once. */
static void a_chatty_neighbour_takes_nothing_away(int64_t count, uint32_t flags, uint64_t max_queued) {
    ctie_wormhole *wormhole = open_limited(max_queued, 0);
    leave_billing(wormhole);
    receive_all(wormhole, "tick", receive_tick, flags);
    CHECK_STATUS(pass_int(wormhole, "billing", 1), CTIE_OK);
    for (int64_t sent = 0; sent < count; sent += BATCH) {
        send_ticks(wormhole, BATCH);
        AWAIT(ticks + BATCH > sent);
    }
    AWAIT(ticks == count);
    expect_jobs(wormhole, 1);
}

/* As many jobs as are kept wait, and each came together with what nobody needs now. */
static void what_lies_between_takes_nothing_away(int64_t count, bool is_one_step) {
    ctie_wormhole *wormhole = open_limited((uint64_t)count, 0);
    leave_billing(wormhole);
    receive_all(wormhole, "tick", receive_tick, 0);
    for (int64_t i = 1; i <= count; i++) {
        ctie_outgoing both[] = {{CTIE_STR("tick"), NULL}, {CTIE_STR("billing"), NULL}, {CTIE_STR("tick"), NULL}};
        for (int j = 0; j < 3; j++) both[j].value = ctie_value_int(i);
        if (is_one_step) {
            CHECK_STATUS(ctie_wormhole_send_many(wormhole, both, 3, NULL, NULL, NULL), CTIE_OK);
        } else {
            for (int j = 0; j < 3; j++) {
                CHECK_STATUS(ctie_wormhole_send_many(wormhole, &both[j], 1, NULL, NULL, NULL), CTIE_OK);
            }
        }
        /* Few are on their way: they are needed, too. */
        if (i % 8 == 0 || i > count - 20) AWAIT(ticks == 2 * i);
    }
    expect_jobs(wormhole, count);
}

/* The same for the limit in bytes. */
static void large_neighbours_take_nothing_away(int count) {
    ctie_wormhole *wormhole = open_limited(0, 1 << 20);
    leave_billing(wormhole);
    receive_all(wormhole, "tick", receive_tick, 0);
    CHECK_STATUS(pass_int(wormhole, "billing", 1), CTIE_OK);
    for (int i = 1; i <= count; i++) {
        CHECK_STATUS(pass_bytes(wormhole, "tick", 100 << 10), CTIE_OK);
        AWAIT(ticks == i);
    }
    expect_jobs(wormhole, 1);
}

/* Needed messages beyond the limit are dropped, as before; and no others. */
static void what_is_too_much_goes(int count) {
    ctie_wormhole *wormhole = open_limited(1000, 0);
    leave_billing(wormhole);
    for (int i = 1; i <= count; i++) { CHECK_STATUS(pass_int(wormhole, "billing", i), CTIE_OK); }
    receive_all(wormhole, "billing", receive_job, CTIE_LISTEN_DURABLE);
    AWAIT(jobs + jobs_missed == count);
    CHECK(jobs >= 1000 && jobs <= 1000 + 125 + 64);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

int main(void) {
    name_directory();
    a_chatty_neighbour_takes_nothing_away(100 * BATCH, 0, 4 * BATCH);
    a_chatty_neighbour_takes_nothing_away(100 * BATCH, CTIE_LISTEN_DURABLE, 4 * BATCH);
    /* The defaults: 1,048,576 are kept. */
    a_chatty_neighbour_takes_nothing_away(test_rounds(1100) * (int64_t)BATCH, 0, 0);
    what_lies_between_takes_nothing_away(3000, false);
    what_lies_between_takes_nothing_away(3000, true);
    large_neighbours_take_nothing_away(60);
    what_is_too_much_goes(20000);
    return check_end();
}
