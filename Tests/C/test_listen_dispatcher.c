/* Listeners that are called on workers of a bus. */
#define _GNU_SOURCE /* gettid */
#include "listening.h"

static ctie_wormhole *wormhole;
static ctie_bus *bus;

static void begin_with(uint32_t workers, uint32_t queued) {
    ctie_bus_options options = CTIE_BUS_OPTIONS_INIT;
    options.max_workers = workers;
    options.max_queued = queued;
    wormhole = open_group();
    CHECK_STATUS(ctie_bus_new(&options, &bus, NULL), CTIE_OK);
}

static void begin(void) { begin_with(0, 0); }

static void end(void) {
    CHECK_STATUS(ctie_wormhole_destroy_all(wormhole, NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void release(struct ear *ear) { CHECK_STATUS(ctie_listener_release(ear->listener), CTIE_OK); }

static void a_listener_is_called_on_workers(void) {
    struct ear plain = {0}, named = {0};
    begin();
    CHECK_STATUS(ctie_dispatcher_add(bus, CTIE_STR("d"), NULL, NULL), CTIE_OK);
    ctie_listen_options options = on_workers(bus, NULL);
    CHECK_STATUS(listen_with(wormhole, "a", receive, &plain, &options), CTIE_OK);
    options = on_workers(bus, "d");
    CHECK_STATUS(listen_with(wormhole, "a", receive, &named, &options), CTIE_OK);
    AWAIT(plain.calls == 1 && named.calls == 1);
    for (int i = 1; i <= 100; i++) { CHECK_STATUS(pass_int(wormhole, "a", i), CTIE_OK); }
    AWAIT(plain.value == 100 && named.value == 100);
    CHECK(plain.went_back + named.went_back == 0);
    release(&plain);
    release(&named);
    CHECK(plain.destroyed == 1 && named.destroyed == 1);
    end();
}

/* ---- Several at once, each alone ------------------------------------------------------------------------- */

enum { EARS = 4, MESSAGES = 400 };

struct worker {
    struct ear ear;
    atomic_int inside, overlaps;
};

static latch together = LATCH_INIT;

/* The first call of each waits for all the others: on one thread it would hang. */
static void receive_together(const ctie_message *message, void *user_data) {
    struct worker *own = user_data;
    own->overlaps += atomic_fetch_add(&own->inside, 1) != 0;
    if (own->ear.calls == 0) {
        latch_add(&together);
        latch_wait(&together, EARS);
    }
    receive(message, user_data);
    atomic_fetch_sub(&own->inside, 1);
}

static void several_run_at_once_and_none_overlaps(void) {
    struct worker workers[EARS] = {0};
    begin();
    ctie_listen_options options = on_workers(bus, NULL);
    options.flags = CTIE_LISTEN_QUEUE;
    for (int i = 0; i < EARS; i++) {
        CHECK_STATUS(listen_with(wormhole, "a", receive_together, &workers[i].ear, &options), CTIE_OK);
    }
    for (int i = 1; i <= MESSAGES; i++) { CHECK_STATUS(pass_int(wormhole, "a", i), CTIE_OK); }
    for (int i = 0; i < EARS; i++) {
        AWAIT(workers[i].ear.calls == MESSAGES);
        CHECK(workers[i].ear.value == MESSAGES && workers[i].ear.went_back + workers[i].overlaps == 0);
        release(&workers[i].ear);
    }
    end();
}

/* A blocked worker delays only others of its own pool. */
static void one_that_blocks_keeps_nobody_else(void) {
    struct gate blocked = GATE_OF_LISTENER_INIT;
    struct ear free_one = {0};
    begin();
    ctie_listen_options options = on_workers(bus, NULL);
    CHECK_STATUS(listen_with(wormhole, "a", receive_behind_gate, &blocked.ear, &options), CTIE_OK);
    latch_wait(&blocked.entered, 1);
    CHECK_STATUS(listen_with(wormhole, "a", receive, &free_one, NULL), CTIE_OK);
    CHECK_STATUS(pass_int(wormhole, "a", 1), CTIE_OK);
    CHECK_STATUS(pass_int(wormhole, "a", 2), CTIE_OK);
    AWAIT(free_one.value == 2);
    CHECK(blocked.ear.calls == 0);
    latch_add(&blocked.open);
    AWAIT(blocked.ear.value == 2);
    release(&blocked.ear);
    end();
}

/* ---- No room ------------------------------------------------------------------------------------------- */

static void a_full_queue_loses_nothing(void) {
    struct gate blocked = GATE_OF_LISTENER_INIT;
    struct ear others[8] = {0};
    begin_with(1, 1);
    ctie_listen_options options = on_workers(bus, NULL);
    CHECK_STATUS(listen_with(wormhole, "a", receive_behind_gate, &blocked.ear, &options), CTIE_OK);
    latch_wait(&blocked.entered, 1);
    options.flags = CTIE_LISTEN_QUEUE;
    for (int i = 0; i < 8; i++) { CHECK_STATUS(listen_with(wormhole, "a", receive, &others[i], &options), CTIE_OK); }
    for (int i = 1; i <= 10; i++) { CHECK_STATUS(pass_int(wormhole, "a", i), CTIE_OK); }
    struct ear witness = {0};
    CHECK_STATUS(listen_with(wormhole, "a", receive, &witness, NULL), CTIE_OK);
    AWAIT(witness.value == 10);
    latch_add(&blocked.open);
    for (int i = 0; i < 8; i++) {
        AWAIT(others[i].calls == 10);
        CHECK(others[i].went_back == 0);
    }
    AWAIT(blocked.ear.value == 10);
    end();
}

/* ---- The end ------------------------------------------------------------------------------------------- */

static void *open_gate(void *gate) {
    latch_add(&((struct gate *)gate)->open);
    return NULL;
}

static void removing_waits_for_a_call_that_runs(void) {
    struct gate gate = GATE_OF_LISTENER_INIT;
    struct ear fresh = {0};
    begin();
    ctie_listen_options options = on_workers(bus, NULL);
    options.name = CTIE_STR("n");
    CHECK_STATUS(listen_with(wormhole, "a", receive_behind_gate, &gate.ear, &options), CTIE_OK);
    latch_wait(&gate.entered, 1);
    pthread_t opener;
    pthread_create(&opener, NULL, open_gate, &gate);
    CHECK_STATUS(listen_with(wormhole, "a", receive, &fresh, &options), CTIE_OK);
    CHECK(gate.ear.calls == 1 && gate.ear.destroyed == 1);
    pthread_join(opener, NULL);
    AWAIT(fresh.calls == 1);
    end();
}

static void a_listener_removes_itself(void) {
    struct ear ear = {0};
    begin();
    ctie_listen_options options = on_workers(bus, NULL);
    CHECK_STATUS(listen_with(wormhole, "a", remove_self, &ear, &options), CTIE_OK);
    AWAIT(ear.destroyed == 1);
    CHECK(ear.calls == 1 && ear.status == CTIE_PENDING);
    end();
}

static void a_listener_closes_its_wormhole(void) {
    struct ear closer = {0}, other = {0};
    begin();
    ctie_listen_options options = on_workers(bus, NULL);
    CHECK_STATUS(listen_with(wormhole, "b", receive, &other, &options), CTIE_OK);
    AWAIT(other.calls == 1);
    CHECK_STATUS(listen_with(wormhole, "a", close_self, &closer, &options), CTIE_OK);
    AWAIT(closer.destroyed == 1 && other.destroyed == 1);
    CHECK(closer.calls == 1 && closer.status == CTIE_PENDING);
    CHECK_STATUS(ctie_wormhole_signal(wormhole, CTIE_STR("a"), NULL, NULL, NULL), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void close_bus(const ctie_message *message, void *user_data) {
    struct ear *ear = user_data;
    (void)message;
    ear->status = ctie_bus_close(bus);
    ear->calls++;
}

static void a_listener_closes_its_bus(void) {
    struct ear closer = {0}, other = {0};
    begin();
    ctie_listen_options options = on_workers(bus, NULL);
    CHECK_STATUS(listen_with(wormhole, "a", close_bus, &closer, &options), CTIE_OK);
    AWAIT(closer.calls == 1);
    CHECK(closer.status == CTIE_PENDING);
    CHECK_STATUS(listen_with(wormhole, "a", receive, &other, NULL), CTIE_OK);
    CHECK_STATUS(pass_int(wormhole, "a", 1), CTIE_OK);
    AWAIT(other.value == 1);
    release(&closer);
    CHECK(closer.calls == 1 && closer.destroyed == 1);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

static _Atomic int closer_id;

static void *close_bus_elsewhere(void *unused) {
    (void)unused;
    closer_id = gettid();
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    return NULL;
}

static bool bus_is_closing(void) {
    if (ctie_bus_retain(bus) != CTIE_OK) { return true; }
    ctie_bus_release(bus);
    return false;
}

/* Whether the thread that closes waits for the handlers: the jobs in the queue have been dropped then. */
static bool closer_waits(void) {
    char path[64], text[256] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", closer_id);
    FILE *file = fopen(path, "r");
    if (file == NULL) { return false; }
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    const char *name_end = strrchr(text, ')');
    return name_end != NULL && strncmp(name_end, ") S", 3) == 0;
}

/* Jobs in the queue of a closing bus do not run, and its listener gets no more messages. */
static void a_bus_that_closes_silences_its_listeners(void) {
    struct gate gate = GATE_OF_LISTENER_INIT;
    struct ear queued = {0}, witness = {0};
    begin_with(1, 0);
    ctie_listen_options options = on_workers(bus, NULL);
    CHECK_STATUS(listen_with(wormhole, "a", receive_behind_gate, &gate.ear, &options), CTIE_OK);
    latch_wait(&gate.entered, 1);
    CHECK_STATUS(listen_with(wormhole, "a", receive, &queued, &options), CTIE_OK);
    CHECK_STATUS(listen_with(wormhole, "a", receive, &witness, NULL), CTIE_OK);
    AWAIT(witness.calls == 1);
    pthread_t closer;
    pthread_create(&closer, NULL, close_bus_elsewhere, NULL);
    AWAIT(bus_is_closing() && closer_waits());
    latch_add(&gate.open);
    pthread_join(closer, NULL);
    int calls = gate.ear.calls;
    CHECK_STATUS(pass_int(wormhole, "a", 1), CTIE_OK);
    AWAIT(witness.value == 1);
    CHECK(queued.calls == 0 && gate.ear.calls == calls);
    release(&queued);
    release(&gate.ear);
    CHECK(queued.destroyed == 1 && gate.ear.destroyed == 1);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

int main(void) {
    name_directory();
    a_listener_is_called_on_workers();
    several_run_at_once_and_none_overlaps();
    one_that_blocks_keeps_nobody_else();
    a_full_queue_loses_nothing();
    removing_waits_for_a_call_that_runs();
    a_listener_removes_itself();
    a_listener_closes_its_wormhole();
    a_listener_closes_its_bus();
    a_bus_that_closes_silences_its_listeners();
    remove_directory();
    return check_end();
}
