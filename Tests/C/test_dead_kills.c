/*
 * Workers that fail and are killed at any instant, and dead letters that are retried meanwhile: each message is in the
 * end handled or a dead letter, and none is both.
 */
#include "dead.h"

#define WORKERS 3
#define MESSAGES 100000
#define DELIVERIES 3

/* The fate of a message, in memory that the processes share. */
static struct ledger {
    _Atomic int shall_end, is_gentle;
    _Atomic int wrong;
    _Atomic int handled[MESSAGES]; /* the listener has returned, or was about to */
    _Atomic int failed[MESSAGES];
} *ledger;

struct worker {
    unsigned seed;
};

/* One in four messages fails at each try, and every eighth always does. */
static void work(const ctie_message *message, void *user_data) {
    struct worker *self = user_data;
    int64_t number = int_of(message);
    if (ctie_message_kind(message) != CTIE_MESSAGE_VALUE || number < 0 || number >= MESSAGES ||
        ctie_message_delivery_count(message) > DELIVERIES) {
        ledger->wrong++;
        return;
    }
    if (rand_r(&self->seed) % 8 == 0) nap_ns(rand_r(&self->seed) % 300000);
    bool fails = number % 8 == 0 || (!ledger->is_gentle && rand_r(&self->seed) % 4 == 0);
    if (fails) {
        ledger->failed[number]++;
        CHECK_STATUS(ctie_message_reject(message, -1, CTIE_STR("it fails")), CTIE_OK);
    } else {
        ledger->handled[number]++;
    }
}

static int run_worker(void *argument) {
    struct worker self = *(struct worker *)argument;
    ctie_wormhole *wormhole = open_group();
    listen_as_worker(wormhole, "jobs", work, &self, 0);
    while (!ledger->shall_end) nap_ns(1000000);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

static pid_t start_worker(unsigned seed) {
    struct worker worker = {seed};
    return start_child(run_worker, &worker);
}

/* Puts some back while others work, fail and die. */
static int retry_some(void *argument) {
    unsigned seed = *(unsigned *)argument;
    ctie_wormhole *wormhole = open_group();
    while (!ledger->shall_end) {
        ctie_value *found = dead_letters(wormhole, "jobs", 0, 20);
        for (size_t i = 0; i < ctie_value_count(found); i++) {
            uint64_t sequence = (uint64_t)int_at(ctie_value_at(found, i), "sequence");
            if (rand_r(&seed) % 2 == 0) retry(wormhole, "jobs", sequence);
        }
        ctie_value_release(found);
        nap_ns(3000000);
    }
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

/* Whether each message is handled or dead. */
static bool is_resolved(int64_t from, int64_t to, const bool *is_dead) {
    for (int64_t i = from; i < to; i++) {
        if (ledger->handled[i] == 0 && !is_dead[i]) return false;
    }
    return true;
}

static int64_t read_dead(ctie_wormhole *wormhole, bool *is_dead) {
    uint64_t after = 0;
    int64_t total = 0;
    memset(is_dead, 0, MESSAGES * sizeof *is_dead);
    for (size_t count = 1; count > 0;) {
        ctie_value *found = dead_letters(wormhole, "jobs", after, 0);
        count = ctie_value_count(found);
        for (size_t i = 0; i < count; i++) {
            const ctie_value *letter = ctie_value_at(found, i);
            ctie_message *message = NULL;
            after = (uint64_t)int_at(letter, "sequence");
            if (ctie_wormhole_dead_letter(wormhole, CTIE_STR("jobs"), WORKER, after, &message, NULL) == CTIE_OK) {
                int64_t number = int_of(message);
                CHECK(number >= 0 && number < MESSAGES);
                if (number >= 0 && number < MESSAGES) is_dead[number] = true;
                CHECK(ctie_message_delivery_count(message) == DELIVERIES);
                total++;
            }
            ctie_message_release(message);
        }
        ctie_value_release(found);
    }
    return total;
}

static ctie_wormhole *wormhole;
static pid_t workers[WORKERS];
static int64_t passed;
static bool is_dead[MESSAGES], is_dead_again[MESSAGES];
static int before[MESSAGES];

static void pass_more(int64_t count) {
    for (int64_t i = 0; i < count && passed < MESSAGES; i++) {
        CHECK_STATUS(pass_int(wormhole, "jobs", passed), CTIE_OK);
        passed++;
    }
}

static void kill_again_and_again(int kills) {
    unsigned seed = 11;
    pid_t retrier = start_child(retry_some, &seed);
    for (int i = 0; i < WORKERS; i++) workers[i] = start_worker((unsigned)rand_r(&seed));
    for (int round = 0; round < kills; round++) {
        pass_more(rand_r(&seed) % 60);
        nap_ns(rand_r(&seed) % 3000000);
        int victim = rand_r(&seed) % (WORKERS + 1);
        if (victim == WORKERS) {
            kill_child(retrier);
            retrier = start_child(retry_some, &seed);
        } else {
            kill_child(workers[victim]);
            workers[victim] = start_worker((unsigned)rand_r(&seed));
        }
    }
    kill_child(retrier);
    AWAIT((read_dead(wormhole, is_dead), is_resolved(0, passed, is_dead)));
}

/* While others are handled nobody is given one that is dead. */
static void check_that_the_dead_rest(void) {
    int64_t known = passed;
    read_dead(wormhole, is_dead);
    for (int64_t i = 0; i < known; i++) before[i] = ledger->handled[i] + ledger->failed[i];
    pass_more(200);
    AWAIT((read_dead(wormhole, is_dead_again), is_resolved(known, passed, is_dead_again)));
    for (int64_t i = 0; i < known; i++) {
        if (is_dead[i]) CHECK(is_dead_again[i] && before[i] == ledger->handled[i] + ledger->failed[i]);
    }
}

/* Of those that are put back each is handled once more, but those that always fail: they die again. */
static void check_that_all_come_back(void) {
    ledger->shall_end = 1;
    for (int i = 0; i < WORKERS; i++) CHECK(end_of_child(workers[i]) == 0);
    ledger->shall_end = 0;
    ledger->is_gentle = 1;
    int64_t dead = read_dead(wormhole, is_dead);
    for (int64_t i = 0; i < passed; i++) before[i] = ledger->handled[i];
    CHECK(retry(wormhole, "jobs", 0) == (uint64_t)dead);
    workers[0] = start_worker(1);
    for (int64_t i = 0; i < passed; i++) {
        if (is_dead[i] && i % 8 != 0) AWAIT(ledger->handled[i] == before[i] + 1);
        if (is_dead[i] && i % 8 == 0) AWAIT((read_dead(wormhole, is_dead_again), is_dead_again[i]));
    }
    ledger->shall_end = 1;
    CHECK(end_of_child(workers[0]) == 0);
    FIGURES(", %lld dead letters put back", (long long)dead);
}

int main(void) {
    int kills = test_rounds(40);
    name_directory();
    ledger = share(sizeof *ledger);
    ctie_wormhole_options options = group_options(0);
    options.max_map_size = 64 << 20;
    wormhole = open_group_with(&options);
    declare_worker(wormhole, "jobs", DELIVERIES);
    kill_again_and_again(kills);
    check_that_the_dead_rest();
    check_that_all_come_back();
    CHECK(ledger->wrong == 0);
    FIGURES("; %d killed: %lld messages, none lost, none dead and delivered", kills, (long long)passed);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
    return check_end();
}
