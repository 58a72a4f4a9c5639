/*
 * Processes that all pass and listen, and are stopped and continued at random: every state listener ends at the last
 * message, and every queue listener gets each message once, each sender's in order.
 */
#include "group.h"

#define PROCESSES 16
#define STORM CTIE_STR("storm")

/* The messages that a process has received. Its numbers are its own; the others read them at the end. */
struct received {
    _Atomic uint64_t newest;          /* state: the sequence of the last call */
    _Atomic int64_t queued;           /* queue: how many messages */
    _Atomic int64_t next[PROCESSES];  /* queue: the number that has to come next from each sender */
    _Atomic uint64_t sequence;
    _Atomic int wrong;                /* what came twice, not at all, or in the wrong order */
};

static struct storm {
    int64_t messages; /* that each process passes */
    _Atomic int listening;
    _Atomic int done;
    _Atomic int shall_end;
    struct received received[PROCESSES];
} *storm;

static void receive_state(const ctie_message *message, void *user_data) {
    struct received *received = user_data;
    uint64_t sequence = ctie_message_sequence(message);
    if (ctie_message_kind(message) == CTIE_MESSAGE_NONE) return;
    if (sequence <= received->newest) received->wrong++;
    received->newest = sequence;
}

static void receive_queue(const ctie_message *message, void *user_data) {
    struct received *received = user_data;
    int64_t value = int_of(message), sender = value >> 32, number = value & 0xFFFFFFFF;
    uint64_t sequence = ctie_message_sequence(message);
    bool is_known = ctie_message_kind(message) == CTIE_MESSAGE_VALUE && sender >= 0 && sender < PROCESSES;
    if (!is_known || number != received->next[sender] || sequence <= received->sequence) received->wrong++;
    if (is_known) received->next[sender] = number + 1;
    received->sequence = sequence;
    received->queued++;
}

static ctie_wormhole *open_storm(void) {
    ctie_wormhole_options options = group_options(0);
    options.timeout_ms = 600000;
    options.map_size = 64 << 20;
    options.max_map_size = (uint64_t)2 << 30;
    options.max_queued = 1 << 24;
    options.max_queued_size = (uint64_t)1 << 30;
    return open_group_with(&options);
}

static int take_part(void *argument) {
    int64_t self = *(int *)argument;
    struct received *received = &storm->received[self];
    ctie_listen_options queue = CTIE_LISTEN_OPTIONS_INIT;
    ctie_wormhole *wormhole = open_storm();
    queue.flags = CTIE_LISTEN_QUEUE;
    CHECK_STATUS(ctie_wormhole_listen(wormhole, STORM, CTIE_RECEIVER(receive_state, received), NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_listen(wormhole, STORM, CTIE_RECEIVER(receive_queue, received), &queue, NULL, NULL), CTIE_OK);
    storm->listening++;
    AWAIT(storm->listening == PROCESSES);
    for (int64_t number = 0; number < storm->messages; number++) {
        CHECK_STATUS(pass_int(wormhole, "storm", self << 32 | number), CTIE_OK);
    }
    storm->done++;
    while (!storm->shall_end) nap_ns(1000000);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

/* Stops a few at a time, and lets them go on after some milliseconds, until all have passed what they had to. */
static int stop_at_random(const pid_t *processes) {
    unsigned seed = 9;
    int stops = 0;
    while (storm->done < PROCESSES) {
        pid_t stopped[3];
        for (int i = 0; i < 3; i++) kill(stopped[i] = processes[rand_r(&seed) % PROCESSES], SIGSTOP), stops++;
        nap_ns(rand_r(&seed) % 2000000);
        for (int i = 0; i < 3; i++) kill(stopped[i], SIGCONT);
        nap_ns(rand_r(&seed) % 3000000);
    }
    return stops;
}

static uint64_t last_sequence(void) {
    ctie_wormhole *wormhole = open_storm();
    ctie_message *message = NULL;
    CHECK_STATUS(ctie_wormhole_message(wormhole, STORM, &message, NULL), CTIE_OK);
    uint64_t sequence = ctie_message_sequence(message);
    ctie_message_release(message);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return sequence;
}

static void test_storm(int64_t messages) {
    pid_t processes[PROCESSES];
    int selves[PROCESSES];
    storm->messages = messages;
    for (int i = 0; i < PROCESSES; i++) selves[i] = i, processes[i] = start_child(take_part, &selves[i]);
    AWAIT(storm->listening == PROCESSES);
    int stops = stop_at_random(processes);
    int64_t end = now_ns();
    uint64_t last = last_sequence();
    for (int i = 0; i < PROCESSES; i++) AWAIT(storm->received[i].newest == last);
    int64_t late = now_ns() - end;
    for (int i = 0; i < PROCESSES; i++) AWAIT(storm->received[i].queued >= PROCESSES * messages);
    int64_t queue_late = now_ns() - end;
    storm->shall_end = 1;
    for (int i = 0; i < PROCESSES; i++) {
        CHECK(end_of_child(processes[i]) == 0);
        CHECK(storm->received[i].newest == last && storm->received[i].wrong == 0);
        CHECK(storm->received[i].queued == PROCESSES * messages);
        for (int j = 0; j < PROCESSES; j++) CHECK(storm->received[i].next[j] == messages);
    }
    FIGURES("; %d processes with %lld messages each, %d stops: all at the last one after %.0f ms, the queues at their "
            "end after %.0f", PROCESSES, (long long)messages, stops, (double)late / 1e6, (double)queue_late / 1e6);
}

int main(void) {
    name_directory();
    storm = share(sizeof *storm);
    test_storm(test_rounds(500));
    remove_directory();
    return check_end();
}
