/* Processes killed at any instant: nothing that was acknowledged is lost, nothing is torn, nobody stays behind. */
#include "group.h"
#include "interpose.h"
#include "observer.h"
#include "sealed.h"

/* The state that a writer to be killed shares with its killer. */
struct writer {
    uint32_t flags;
    unsigned seed;
    int64_t first;                /* the number to begin with */
    _Atomic bool has_opened;
    _Atomic int64_t acknowledged; /* the last one for which ctie_wormhole_send() has returned */
};

static size_t any_size(unsigned *seed) {
    switch (rand_r(seed) % 8) {
    case 0: return 3 + (size_t)rand_r(seed) % 700;
    case 1: return 3 + (size_t)rand_r(seed) % 6000;
    default: return 3 + (size_t)rand_r(seed) % 16;
    }
}

static int write_until_killed(void *argument) {
    struct writer *it = argument;
    ctie_wormhole_options options = group_options(it->flags);
    ctie_wormhole *wormhole = NULL;
    if (ctie_wormhole_open(CTIE_STR("test"), &options, &wormhole, NULL) != CTIE_OK) return 2;
    it->has_opened = true;
    for (int64_t number = it->first;; number++) {
        ctie_value *value = sealed(number, any_size(&it->seed));
        if (ctie_wormhole_send(wormhole, WATCHED, value, NULL, NULL, NULL, NULL) != CTIE_OK) return 3;
        it->acknowledged = number;
    }
}

/* Every second writer has a rival that passes, too; beside the others nobody takes the lock after their death. Every
 * fourth may be killed as it opens the group, which can take longer than it lives. */
static void kill_one(struct observer *observer, struct writer *writer, int round, unsigned *seed) {
    writer->seed = *seed;
    writer->first = writer->acknowledged + 1;
    writer->has_opened = false;
    observer->shall_pass = round % 2;
    pid_t child = start_child(write_until_killed, writer);
    if (round % 4 != 3) AWAIT(writer->has_opened);
    nap_ns(rand_r(seed) % 3000000);
    kill(child, SIGKILL);
    CHECK(end_of_child(child) == -SIGKILL);
    int64_t stored = observer_look(observer), acknowledged = writer->acknowledged;
    CHECK(stored == acknowledged || stored == acknowledged + 1);
    AWAIT(observer->received == stored && observer->queued == stored);
    writer->acknowledged = stored;
}

static void test_killed_writers(uint32_t flags, int kills) {
    struct observer *observer = observer_start(flags);
    struct writer *writer = share(sizeof *writer);
    unsigned seed = (unsigned)kills + flags;
    writer->flags = flags;
    writer->acknowledged = -1;
    for (int round = 0; round < kills; round++) kill_one(observer, writer, round, &seed);
    observer_try(observer);
    int64_t last = writer->acknowledged;
    CHECK(last >= 0 && observer->blocked_ns > 0 && observer->gaps == 0);
    FIGURES("; %d writers killed%s: %lld messages, 0 lost, 0 torn; another was blocked %.2f ms, a listener stale "
            "%.2f ms", kills, flags & CTIE_WORMHOLE_FAST ? " (writable map)" : "", (long long)last + 1,
            (double)observer->blocked_ns / 1e6, (double)observer->stalest_ns / 1e6);
    observer_end(observer);
    munmap(writer, sizeof *writer);
    remove_directory();
}

/* A process that creates a group and dies leaves one that can be opened, with the messages it has sent. */
static void test_killed_founders(int kills) {
    struct writer *writer = share(sizeof *writer);
    unsigned seed = 7;
    int had_passed = 0;
    for (int round = 0; round < kills; round++) {
        writer->acknowledged = -1;
        writer->first = 0;
        pid_t child = start_child(write_until_killed, writer);
        nap_ns(rand_r(&seed) % 4000000);
        kill_child(child);
        ctie_wormhole *wormhole = open_group();
        ctie_message *message = NULL;
        ctie_wormhole_message(wormhole, WATCHED, &message, NULL);
        int64_t stored = unsealed(ctie_message_value(message));
        CHECK(stored == writer->acknowledged || stored == writer->acknowledged + 1);
        had_passed += stored >= 0;
        ctie_message_release(message);
        CHECK_STATUS(pass_int(wormhole, "next", round), CTIE_OK);
        CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
        remove_directory();
    }
    FIGURES("; %d founders killed, %d after passing", kills, had_passed);
    munmap(writer, sizeof *writer);
}

/* Interposes LMDB's function, so that a writer can die just before or just after it. */
static enum { LIVE, DIE_BEFORE_COMMIT, DIE_AFTER_COMMIT } fate = LIVE;

int mdb_txn_commit(void *transaction);

int mdb_txn_commit(void *transaction) {
    static int (*real)(void *);
    FIND_REAL(real, "mdb_txn_commit");
    if (fate == DIE_BEFORE_COMMIT) raise(SIGKILL);
    int result = real(transaction);
    if (fate == DIE_AFTER_COMMIT) raise(SIGKILL);
    return result;
}

static int pass_and_die(void *value) {
    ctie_wormhole *wormhole = open_group();
    fate = *(int64_t *)value % 2 == 0 ? DIE_BEFORE_COMMIT : DIE_AFTER_COMMIT;
    pass_int(wormhole, "d", *(int64_t *)value);
    return 0;
}

/* A committed message is delivered although its writer notified no process; an uncommitted one does not exist. */
static void test_death_around_the_commit(void) {
    ctie_wormhole *wormhole = open_group();
    struct ear first = {0}, second = {0};
    CHECK_STATUS(pass_int(wormhole, "d", 0), CTIE_OK);
    listen_to(wormhole, CTIE_STR("d"), "", &first);
    listen_to(wormhole, CTIE_STR("*"), "", &second);
    for (int64_t value = 1; value <= 10; value++) {
        int64_t expected = value % 2 == 0 ? value - 1 : value;
        CHECK(in_child(pass_and_die, &value) == -SIGKILL);
        CHECK(stored_int(wormhole, CTIE_STR("d")) == expected);
        AWAIT(first.value == expected);
    }
    CHECK_STATUS(pass_int(wormhole, "d", 99), CTIE_OK);
    AWAIT(first.value == 99 && second.value == 99);
    CHECK(first.went_back == 0);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

int main(void) {
    int kills = test_rounds(200);
    name_directory();
    test_killed_writers(0, kills - kills / 4);
    test_killed_writers(CTIE_WORMHOLE_FAST, kills / 4);
    test_killed_founders(kills / 10);
    test_death_around_the_commit();
    return check_end();
}
