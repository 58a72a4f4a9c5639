/*
 * The engine of the examples, over a directory of files: senders and workers are killed at any instant. Every message that was
 * sent is handled, and received once by a listener that lives.
 */
#include "group.h"

#include "engine.h"

#include <fcntl.h>

enum { WORKERS = 3, SENDERS = 2, CHILDREN = WORKERS + SENDERS, MESSAGES = 100000 };

/** The memory that the processes share. */
static struct shared {
    _Atomic int shall_end;
    _Atomic int next;   /* the number of the next message */
    _Atomic int wrong;  /* failures, unknown numbers, and counts of deliveries that are too small */
    _Atomic int handled[MESSAGES], received[MESSAGES];
    _Atomic bool sent[MESSAGES]; /* the sender has got CTIE_OK */
} *shared;

/* A child may be killed before it can report. */
static bool is_well(ctie_status status) {
    CHECK_STATUS(status, CTIE_OK);
    shared->wrong += status != CTIE_OK;
    return status == CTIE_OK;
}

static ctie_wormhole *open_files(void) {
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    ctie_wormhole *wormhole = NULL;
    options.engine = &ENGINE_OF_FILES;
    options.engine_data = engine_of_files(directory);
    options.timeout_ms = 60000;
    is_well(ctie_wormhole_open(CTIE_STR("files"), &options, &wormhole, NULL));
    return wormhole;
}

static void count(const ctie_message *message, void *counts) {
    int64_t number = int_of(message);
    bool is_known = ctie_message_kind(message) == CTIE_MESSAGE_VALUE && number >= 0 && number < MESSAGES;
    if (!is_known) {
        shared->wrong++;
        return;
    }
    int before = ((_Atomic int *)counts)[number]++;
    if (counts == shared->handled && ctie_message_delivery_count(message) < (uint32_t)before + 1) { shared->wrong++; }
}

static ctie_listener *listen_to_jobs(ctie_wormhole *wormhole, _Atomic int *counts, uint32_t flags) {
    ctie_listener *listener = NULL;
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.flags = CTIE_LISTEN_QUEUE | flags;
    if (flags != 0) { options.name = CTIE_STR("pool"); }
    is_well(ctie_wormhole_listen(wormhole, CTIE_STR("jobs"), CTIE_RECEIVER(count, counts), &options, &listener, NULL));
    return listener;
}

static int work(void *argument) {
    (void)argument;
    ctie_wormhole *wormhole = open_files();
    listen_to_jobs(wormhole, shared->handled, CTIE_LISTEN_DURABLE);
    while (!shared->shall_end) { nap_ns(1000000); }
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

static int send_jobs(void *argument) {
    (void)argument;
    ctie_wormhole *wormhole = open_files();
    while (!shared->shall_end) {
        int number = shared->next++;
        if (number >= MESSAGES) { break; }
        if (!is_well(pass_int(wormhole, "jobs", number))) { break; }
        shared->sent[number] = true;
    }
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

static pid_t start(int child) { return start_child(child < WORKERS ? work : send_jobs, NULL); }

/** The first number that was sent and is not handled or not received; the end of the numbers if there is none. */
static int first_lacking(void) {
    int number = 0;
    while (number < MESSAGES &&
           (!shared->sent[number] || (shared->handled[number] > 0 && shared->received[number] > 0))) { number++; }
    return number;
}

/* A process that is killed between two steps leaves a second name of a message's file, and a message without consequences. */
static void steps_are_made_again(void) {
    const uint64_t none = 0;
    char message[128], second[128], lock[128];
    ctie_wormhole *wormhole = open_files();
    CHECK_STATUS(pass_int(wormhole, "jobs", 1), CTIE_OK);
    CHECK_STATUS(pass_int(wormhole, "other", 2), CTIE_OK);
    CHECK(stored_int(wormhole, CTIE_STR("other")) == 2);
    snprintf(message, sizeof message, "%s/files/messages/%020d", directory, 1);
    snprintf(second, sizeof second, "%s/files/new", directory);
    snprintf(lock, sizeof lock, "%s/files/lock", directory);
    CHECK(link(message, second) == 0);
    CHECK_STATUS(pass_int(wormhole, "other", 3), CTIE_OK);
    CHECK(stored_int(wormhole, CTIE_STR("jobs")) == 1 && stored_int(wormhole, CTIE_STR("other")) == 3);
    int file = open(lock, O_RDWR | O_CLOEXEC);
    CHECK(file >= 0 && pwrite(file, &none, sizeof none, sizeof none) == sizeof none);
    close(file);
    CHECK(stored_int(wormhole, CTIE_STR("jobs")) == 1 && stored_int(wormhole, CTIE_STR("other")) == 3);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

static void processes_are_killed(int kills) {
    pid_t children[CHILDREN];
    unsigned seed = 7;
    int sent = 0, again = 0;
    ctie_wormhole *wormhole = open_files();
    listen_to_jobs(wormhole, shared->received, 0);
    /* From its first binding on the consumer gets every message, whichever process listens. */
    CHECK_STATUS(ctie_listener_release(listen_to_jobs(wormhole, shared->handled, CTIE_LISTEN_DURABLE)), CTIE_OK);
    for (int i = 0; i < CHILDREN; i++) { children[i] = start(i); }
    AWAIT(shared->next > 10);
    for (int i = 0; i < kills; i++) {
        int victim = (int)(rand_r(&seed) % CHILDREN);
        nap_ns(rand_r(&seed) % 20000000);
        kill(children[victim], SIGKILL);
        CHECK(end_of_child(children[victim]) == -SIGKILL);
        children[victim] = start(victim);
    }
    /* The senders end first; the workers handle the rest. */
    AWAIT(shared->next > kills);
    int passed = shared->next;
    shared->next = MESSAGES;
    for (int i = WORKERS; i < CHILDREN; i++) { CHECK(end_of_child(children[i]) == 0); }
    AWAIT(first_lacking() == MESSAGES);
    shared->shall_end = 1;
    for (int i = 0; i < WORKERS; i++) { CHECK(end_of_child(children[i]) == 0); }
    CHECK(shared->wrong == 0);
    for (int i = 0; i < passed; i++) {
        CHECK(shared->received[i] <= 1);
        sent += shared->sent[i], again += shared->handled[i] > 1;
    }
    CHECK(sent > 0);
    FIGURES("; %d processes killed: %d messages, 0 lost, %d handled again after a death", kills, sent, again);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

int main(void) {
    name_directory();
    shared = share(sizeof *shared);
    steps_are_made_again();
    processes_are_killed(test_rounds(60));
    return check_end();
}
