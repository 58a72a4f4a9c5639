/* Processes killed while they read or listen: their places come back, and what they kept in the store is free again. */
#include "group.h"
#include "interpose.h"
#include "sealed.h"

#define READ CTIE_STR("read")

static struct { _Atomic int64_t reads; } *shared;

static int read_until_killed(void *unused) {
    (void)unused;
    ctie_wormhole *wormhole = open_group();
    for (;;) {
        ctie_message *message = NULL;
        if (ctie_wormhole_message(wormhole, READ, &message, NULL) != CTIE_OK) return 2;
        if (unsealed(ctie_message_value(message)) < 0) return 3;
        ctie_message_release(message);
        shared->reads++;
    }
}

static void receive_whole(const ctie_message *message, void *unused) {
    (void)unused;
    bool has_value = ctie_message_kind(message) == CTIE_MESSAGE_VALUE;
    if (has_value && unsealed(ctie_message_value(message)) < 0) _exit(3);
    shared->reads++;
}

static int listen_until_killed(void *flags) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    ctie_wormhole *wormhole = open_group();
    options.flags = *(uint32_t *)flags;
    if (ctie_wormhole_listen(wormhole, READ, CTIE_RECEIVER(receive_whole, NULL), &options, NULL,
                             NULL) != CTIE_OK) return 2;
    for (;;) nap_ns(1000000000);
    return 0;
}

/* A process that reads, or listens, in turn. */
static pid_t start_reader(int round) {
    static uint32_t flags[] = {0, CTIE_LISTEN_QUEUE, CTIE_LISTEN_QUEUE | CTIE_LISTEN_FROM_OLDEST};
    return round % 4 == 3 ? start_child(read_until_killed, NULL) : start_child(listen_until_killed, &flags[round % 4]);
}

/* A reader that lives, and is slow, may leave no room for a moment. */
static bool pass_large(ctie_wormhole *wormhole, int64_t number, size_t words) {
    ctie_status status = ctie_wormhole_send(wormhole, READ, sealed(number, words), NULL, NULL, NULL, NULL);
    CHECK(status == CTIE_OK || status == CTIE_E_NO_SPACE || status == CTIE_E_BUSY);
    return status == CTIE_OK;
}

/* LMDB has room for 126 readers, and 4 MiB for 65 of these messages: nothing may be kept for the dead. */
static void test_killed_readers(int kills) {
    ctie_wormhole *wormhole = open_group();
    unsigned seed = 3;
    int64_t number = 0;
    CHECK_STATUS(ctie_wormhole_send(wormhole, READ, sealed(0, SEALED_MAX_WORDS), NULL, NULL, NULL, NULL), CTIE_OK);
    for (int round = 0; round < kills; round++) {
        pid_t child = start_reader(round);
        int64_t end = now_ns() + rand_r(&seed) % 3000000, watchdog = now_ns() + INT64_C(60000000000);
        int64_t before = shared->reads;
        /* One of each kind dies while it reads one message after the other, however slow it is to begin. */
        bool has_to_read = round < 4;
        do {
            number++;
            AWAIT(pass_large(wormhole, number, SEALED_MAX_WORDS - (size_t)rand_r(&seed) % 1000));
        } while (now_ns() < end || (has_to_read && shared->reads == before && now_ns() < watchdog));
        kill(child, SIGKILL);
        CHECK(end_of_child(child) == -SIGKILL);
    }
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    CHECK(shared->reads > 0);
    FIGURES("; %d readers killed among %lld passings and %lld readings of 64 KiB", kills, (long long)number,
            (long long)shared->reads);
}

/* Interposes LMDB's function, so that a reader can die while it reads. */
static bool dies_reading;

void mdb_txn_reset(void *transaction);

void mdb_txn_reset(void *transaction) {
    static void (*real)(void *);
    FIND_REAL(real, "mdb_txn_reset");
    if (dies_reading) raise(SIGKILL);
    real(transaction);
}

static int read_and_die(void *unused) {
    (void)unused;
    ctie_wormhole *wormhole = open_group();
    dies_reading = true;
    ctie_message *message = NULL;
    ctie_wormhole_message(wormhole, READ, &message, NULL);
    return 0;
}

/* Without listeners no process looks for the dead from time to time: a process that needs their resources does. */
static void test_death_while_reading(void) {
    ctie_wormhole *wormhole = open_group();
    for (int round = 0; round < 3; round++) {
        CHECK(in_child(read_and_die, NULL) == -SIGKILL);
        for (int64_t number = 0; number < 200; number++) {
            CHECK_STATUS(ctie_wormhole_send(wormhole, READ, sealed(number, SEALED_MAX_WORDS), NULL, NULL, NULL, NULL),
                         CTIE_OK);
        }
    }
    for (int round = 0; round < 150; round++) CHECK(in_child(read_and_die, NULL) == -SIGKILL);
    ctie_message *message = NULL;
    CHECK_STATUS(ctie_wormhole_message(wormhole, READ, &message, NULL), CTIE_OK);
    CHECK(unsealed(ctie_message_value(message)) == 199);
    ctie_message_release(message);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

int main(void) {
    name_directory();
    shared = share(sizeof *shared);
    test_killed_readers(test_rounds(200));
    test_death_while_reading();
    remove_directory();
    return check_end();
}
