/* Large and small messages by turns, in a store that may not grow: there is room as long as there is some in all, however
   scattered it is. Other processes have the group open meanwhile, write and listen; some of them die. */
#include "group.h"

enum { LARGEST = 1500000, KEPT = 3, SMALL = 60, NAMES = 5000 };

static ctie_wormhole_options scarce(uint32_t flags) {
    ctie_wormhole_options options = group_options(flags);
    options.map_size = 1 << 20;
    options.max_map_size = 16 << 20;
    options.max_value_size = 2 << 20;
    return options;
}

/* Sizes that do not fit into each other's places. */
static size_t size_of_round(int round) {
    return LARGEST / 3 + (size_t)((uint32_t)round * 2654435761u >> 8) % LARGEST * 2 / 3;
}

static ctie_str large_name(char *room, size_t size, int round) {
    snprintf(room, size, "large.%d", round);
    return ctie_str_from(room);
}

static void check_large(ctie_wormhole *wormhole, int round) {
    char name[32];
    ctie_message *message = NULL;
    ctie_str bytes = {NULL, 0};
    CHECK_STATUS(ctie_wormhole_message(wormhole, large_name(name, sizeof name, round), &message, NULL), CTIE_OK);
    ctie_value_get_bytes(ctie_message_value(message), &bytes);
    CHECK(bytes.size == size_of_round(round));
    ctie_message_release(message);
}

/* One large message more, and the oldest one less. */
static void take_turn(ctie_wormhole *wormhole, int round) {
    char name[32];
    CHECK_STATUS(pass_bytes(wormhole, large_name(name, sizeof name, round).data, size_of_round(round)), CTIE_OK);
    if (round < KEPT) return;
    check_large(wormhole, round - KEPT);
    CHECK_STATUS(ctie_wormhole_destroy(wormhole, large_name(name, sizeof name, round - KEPT), NULL, NULL, NULL), CTIE_OK);
}

static void pass_some_small(ctie_wormhole *wormhole, int round) {
    char name[32];
    for (int i = 0; i < SMALL; i++) {
        snprintf(name, sizeof name, "small.%d", (round * SMALL + i) % NAMES);
        CHECK_STATUS(pass_bytes(wormhole, name, 64), CTIE_OK);
    }
}

static void test_turns(uint32_t flags) {
    ctie_wormhole_options options = scarce(flags);
    ctie_wormhole *wormhole = open_group_with(&options);
    int rounds = test_rounds(400);
    for (int round = 0; round < rounds; round++) {
        take_turn(wormhole, round);
        pass_some_small(wormhole, round);
    }
    for (int round = rounds - KEPT; round < rounds; round++) check_large(wormhole, round);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* ---- With others ----------------------------------------------------------------------------------------- */

/* Counts in a queue, in order, until its parent has received enough. */
static int count_for_ever(void *unused) {
    (void)unused;
    ctie_wormhole_options options = scarce(0);
    ctie_wormhole *wormhole = open_group_with(&options);
    for (int64_t i = 0; pass_int(wormhole, "count", i) == CTIE_OK; i++) nap_ns(100000);
    return 1;
}

static _Atomic int64_t received;
static _Atomic int out_of_order;

static void receive_count(const ctie_message *message, void *unused) {
    (void)unused;
    if (ctie_message_kind(message) != CTIE_MESSAGE_VALUE) {
        out_of_order++;
        return;
    }
    if (int_of(message) != received) out_of_order++;
    received++;
}

static void test_turns_with_others(void) {
    ctie_wormhole_options options = scarce(0);
    ctie_wormhole *wormhole = open_group_with(&options);
    ctie_listen_options durable = CTIE_LISTEN_OPTIONS_INIT;
    durable.flags = CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE;
    durable.name = CTIE_STR("counter");
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("count"), CTIE_RECEIVER(receive_count, NULL), &durable, NULL,
                                      NULL), CTIE_OK);
    pid_t child = start_child(count_for_ever, NULL);
    for (int round = 0, rounds = test_rounds(400); round < rounds; round++) {
        take_turn(wormhole, round);
        pass_some_small(wormhole, round);
    }
    int64_t before = received;
    AWAIT(received > before + 100);
    CHECK(out_of_order == 0);
    kill_child(child);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* A process killed while the store is copied leaves one that works. */
static int take_turns_for_ever(void *first) {
    ctie_wormhole_options options = scarce(0);
    ctie_wormhole *wormhole = open_group_with(&options);
    for (int round = *(int *)first;; round++) {
        take_turn(wormhole, round);
        pass_some_small(wormhole, round);
    }
    return 1;
}

static void test_killed_in_the_middle(void) {
    ctie_wormhole_options options = scarce(0);
    ctie_wormhole *wormhole = open_group_with(&options);
    for (int i = 0; i < 12; i++) {
        int first = 0;
        pid_t child = start_child(take_turns_for_ever, &first);
        nap_ns(150000000 + i * 17000000);
        kill_child(child);
        CHECK_STATUS(ctie_wormhole_destroy_all(wormhole, NULL, NULL, NULL), CTIE_OK);
        CHECK_STATUS(pass_int(wormhole, "after", i), CTIE_OK);
        CHECK(stored_int(wormhole, CTIE_STR("after")) == i);
    }
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

int main(void) {
    name_directory();
    test_turns(0);
    test_turns(CTIE_WORMHOLE_FAST);
    test_turns_with_others();
    test_killed_in_the_middle();
    return check_end();
}
