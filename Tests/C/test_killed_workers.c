/*
 * Processes that share a durable consumer, killed at any instant: an unacknowledged message of one is redelivered to
 * another. Every message is handled, and by those that were not killed only once.
 */
#include "group.h"

#define WORKERS 4
#define MESSAGES 200000
#define HANDLINGS 6
#define WORK CTIE_STR("work")

/* The workers that have handled a message, in order: numbers from 1. An entry is one step, so that a kill leaves all of it
   or nothing. */
struct handled {
    _Atomic int32_t by[HANDLINGS];
};

static struct pool {
    _Atomic int shall_end;
    _Atomic int wrong;          /* unknown numbers, or counts of deliveries that are too small */
    int32_t was_killed[100000]; /* by number of worker */
    struct handled messages[MESSAGES];
} *pool;

struct worker {
    int32_t number;
    uint32_t flags; /* of the listener */
    unsigned seed;
};

/* Enters a worker, and returns the number of those before it. */
static int note_handling(struct handled *it, int32_t number) {
    for (int i = 0; i < HANDLINGS; i++) {
        int32_t nobody = 0;
        if (atomic_compare_exchange_strong(&it->by[i], &nobody, number)) return i;
    }
    return HANDLINGS;
}

static int handlings(const struct handled *it) {
    int count = 0;
    while (count < HANDLINGS && it->by[count] != 0) count++;
    return count;
}

static void handle(const ctie_message *message, void *user_data) {
    struct worker *self = user_data;
    int64_t number = int_of(message);
    if (ctie_message_kind(message) != CTIE_MESSAGE_VALUE || number < 0 || number >= MESSAGES) {
        pool->wrong++;
        return;
    }
    if (rand_r(&self->seed) % 8 == 0) nap_ns(rand_r(&self->seed) % 300000);
    int before = note_handling(&pool->messages[number], self->number);
    if (ctie_message_delivery_count(message) < (uint32_t)before + 1) pool->wrong++;
    if (self->flags & CTIE_LISTEN_MANUAL) CHECK_STATUS(ctie_message_acknowledge(message), CTIE_OK);
}

static ctie_listener *join_pool(ctie_wormhole *wormhole, struct worker *self) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    ctie_listener *listener = NULL;
    options.flags = CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE | self->flags;
    options.name = CTIE_STR("pool");
    options.max_unacknowledged = 16;
    CHECK_STATUS(ctie_wormhole_listen(wormhole, WORK, CTIE_RECEIVER(handle, self), &options, &listener, NULL), CTIE_OK);
    return listener;
}

static int work(void *argument) {
    struct worker self = *(struct worker *)argument;
    ctie_wormhole *wormhole = open_group();
    join_pool(wormhole, &self);
    while (!pool->shall_end) nap_ns(1000000);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

static pid_t start_worker(int32_t number, uint32_t flags) {
    struct worker worker = {number, flags, (unsigned)number};
    return start_child(work, &worker);
}

/* A killed worker leaves its messages; a living one has handled its own, and none is handled again. */
static int check_handlings(int64_t messages) {
    int again = 0;
    for (int64_t i = 0; i < messages; i++) {
        const struct handled *it = &pool->messages[i];
        int count = handlings(it);
        CHECK(count > 0);
        for (int j = 0; j + 1 < count; j++) CHECK(pool->was_killed[it->by[j]]);
        again += count - 1;
    }
    return again;
}

static int64_t pass_some(ctie_wormhole *wormhole, int64_t from, int64_t count) {
    for (int64_t i = from; i < from + count; i++) CHECK_STATUS(pass_int(wormhole, "work", i), CTIE_OK);
    return from + count;
}

/* The first message, from `start` on, that nobody has handled; `end` if there is none. */
static int64_t handled_from(int64_t start, int64_t end) {
    while (start < end && pool->messages[start].by[0] != 0) start++;
    return start;
}

static void test_killed_workers(uint32_t flags, int kills) {
    ctie_wormhole *wormhole = open_group();
    pid_t workers[WORKERS];
    int32_t numbers[WORKERS], last = 0;
    unsigned seed = 21;
    int64_t passed = 0;
    struct worker first = {0};
    memset(pool, 0, sizeof *pool);
    /* From its first binding on the consumer gets every message, whichever process listens. */
    CHECK_STATUS(ctie_listener_release(join_pool(wormhole, &first)), CTIE_OK);
    for (int i = 0; i < WORKERS; i++) workers[i] = start_worker(numbers[i] = ++last, flags);
    for (int round = 0; round < kills; round++) {
        passed = pass_some(wormhole, passed, 20 + rand_r(&seed) % 40);
        nap_ns(rand_r(&seed) % 3000000);
        int victim = rand_r(&seed) % WORKERS;
        pool->was_killed[numbers[victim]] = 1;
        kill(workers[victim], SIGKILL);
        CHECK(end_of_child(workers[victim]) == -SIGKILL);
        workers[victim] = start_worker(numbers[victim] = ++last, flags);
    }
    int64_t done = 0;
    AWAIT((done = handled_from(done, passed)) == passed);
    pool->shall_end = 1;
    for (int i = 0; i < WORKERS; i++) CHECK(end_of_child(workers[i]) == 0);
    int again = check_handlings(passed);
    CHECK(pool->wrong == 0);
    FIGURES("; %d workers killed%s: %lld messages, 0 lost, %d handled again after a death", kills,
            flags & CTIE_LISTEN_MANUAL ? " (manual)" : "", (long long)passed, again);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

int main(void) {
    int kills = test_rounds(40);
    name_directory();
    pool = share(sizeof *pool);
    test_killed_workers(0, kills);
    test_killed_workers(CTIE_LISTEN_MANUAL, kills);
    return check_end();
}
