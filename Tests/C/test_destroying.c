/* Destroying what is queued: in short steps between which others write, at a cost of what is destroyed and not of what
 * is queued; and whole, though destroyers are killed. */
#include "group.h"
#include "interpose.h"

/* ---- What a destroying does, as LMDB sees it ------------------------------------------------------- */

static _Thread_local struct {
    bool is_counted;
    int commits, looks, changes, most_changes;
} work;

/* Another process, which passes one message whenever it is asked to. */
static struct rival { _Atomic int asked, passed, failed, is_over; } *rival;

static void begin_work(void) {
    memset(&work, 0, sizeof work);
    work.is_counted = true;
}

static void end_work(void) { work.is_counted = false; }

int mdb_txn_renew(void *transaction);
int mdb_txn_commit(void *transaction);
int mdb_put(void *transaction, unsigned database, void *key, void *data, unsigned flags);
int mdb_del(void *transaction, unsigned database, void *key, void *data);
int mdb_cursor_del(void *cursor, unsigned flags);
int mdb_cursor_get(void *cursor, void *key, void *data, int operation);

static void count_change(void) {
    if (work.is_counted && ++work.changes > work.most_changes) work.most_changes = work.changes;
}

/* Between two steps the log is read: the rival passes now, or finds the group locked. */
int mdb_txn_renew(void *transaction) {
    static int (*real)(void *);
    FIND_REAL(real, "mdb_txn_renew");
    if (work.is_counted && rival->asked >= 0) {
        int number = ++rival->asked;
        AWAIT(rival->passed + rival->failed >= number);
    }
    return real(transaction);
}

int mdb_txn_commit(void *transaction) {
    static int (*real)(void *);
    FIND_REAL(real, "mdb_txn_commit");
    work.changes = 0;
    if (work.is_counted) work.commits++;
    return real(transaction);
}

int mdb_put(void *transaction, unsigned database, void *key, void *data, unsigned flags) {
    static int (*real)(void *, unsigned, void *, void *, unsigned);
    FIND_REAL(real, "mdb_put");
    count_change();
    return real(transaction, database, key, data, flags);
}

int mdb_del(void *transaction, unsigned database, void *key, void *data) {
    static int (*real)(void *, unsigned, void *, void *);
    FIND_REAL(real, "mdb_del");
    count_change();
    return real(transaction, database, key, data);
}

int mdb_cursor_del(void *cursor, unsigned flags) {
    static int (*real)(void *, unsigned);
    FIND_REAL(real, "mdb_cursor_del");
    count_change();
    return real(cursor, flags);
}

int mdb_cursor_get(void *cursor, void *key, void *data, int operation) {
    static int (*real)(void *, void *, void *, int);
    FIND_REAL(real, "mdb_cursor_get");
    if (work.is_counted) work.looks++;
    return real(cursor, key, data, operation);
}

/* ---- A queue without a listener ----------------------------------------------------------------------- */

static ctie_wormhole *open_large(void) {
    ctie_wormhole_options options = group_options(0);
    options.map_size = options.max_map_size = 64 << 20;
    return open_group_with(&options);
}

static void nothing(const ctie_message *message, void *unused) {
    (void)message;
    (void)unused;
}

/* Has everything queued for a durable consumer from now on. */
static void declare(ctie_wormhole *wormhole) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    ctie_listener *listener = NULL;
    options.flags = CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE;
    options.name = CTIE_STR("kept");
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("*"), CTIE_RECEIVER(nothing, NULL), &options, &listener, NULL),
                 CTIE_OK);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
}

static void pass_some(ctie_wormhole *wormhole, int count) {
    for (int i = 0; i < count; i++) CHECK_STATUS(pass_int(wormhole, i % 2 == 0 ? "gone" : "stay", i), CTIE_OK);
}

/* The last messages of the durable consumer. */
static struct { _Atomic int ended, stay, destroyed, disorder, is_over; _Atomic uint64_t first_ended, last; } reported;

static void report(const ctie_message *message, void *unused) {
    (void)unused;
    ctie_str identifier = ctie_message_identifier(message);
    uint64_t sequence = ctie_message_sequence(message);
    if (ctie_message_kind(message) == CTIE_MESSAGE_MISSED) return;
    if (sequence <= reported.last) reported.disorder++;
    reported.last = sequence;
    if (ctie_message_kind(message) == CTIE_MESSAGE_DESTROYED) {
        reported.destroyed++;
    } else if (memcmp(identifier.data, "gone", 4) == 0) {
        if (reported.ended++ == 0) reported.first_ended = sequence;
    } else if (memcmp(identifier.data, "stay", 4) == 0) {
        reported.stay++;
    } else {
        reported.is_over = 1;
    }
}

static void receive_rest(ctie_wormhole *wormhole) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.flags = CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE;
    options.name = CTIE_STR("kept");
    memset(&reported, 0, sizeof reported);
    CHECK_STATUS(pass_int(wormhole, "over", 0), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("*"), CTIE_RECEIVER(report, NULL), &options, NULL, NULL),
                 CTIE_OK);
    AWAIT(reported.is_over);
    CHECK(reported.disorder == 0);
}

/* ---- Steps ----------------------------------------------------------------------------------------- */

static int pass_when_asked(void *unused) {
    (void)unused;
    ctie_wormhole *wormhole = open_large();
    for (int number = 1; !rival->is_over;) {
        if (rival->asked < number) {
            nap_ns(50000);
            continue;
        }
        ctie_status status = pass_int(wormhole, "stay", number++);
        if (status == CTIE_OK) rival->passed++; else rival->failed++;
    }
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

enum { QUEUED = 8000, STEP = 256, AT_ONCE = 4096 };

/* Of 8,000 messages, each in a block of its own, half are destroyed, or all: those are dropped when few enough are left. */
static void test_steps(bool everything) {
    ctie_wormhole *wormhole = open_large();
    uint64_t sequence = 0, before = 0;
    declare(wormhole);
    pass_some(wormhole, QUEUED);
    CHECK_STATUS(ctie_wormhole_signal(wormhole, CTIE_STR("stay"), &before, NULL, NULL), CTIE_OK);
    rival->asked = rival->passed = rival->failed = rival->is_over = 0;
    pid_t child = start_child(pass_when_asked, NULL);
    begin_work();
    ctie_status status = everything ? ctie_wormhole_destroy_all(wormhole, &sequence, NULL, NULL)
                                    : ctie_wormhole_destroy(wormhole, CTIE_STR("gone"), &sequence, NULL, NULL);
    end_work();
    CHECK_STATUS(status, CTIE_OK);
    rival->is_over = 1;
    CHECK(end_of_child(child) == 0);
    CHECK(rival->failed == 0);
    CHECK(rival->passed >= (everything ? QUEUED - AT_ONCE : QUEUED / 2) / STEP);
    CHECK(work.most_changes <= STEP + 16);
    CHECK(sequence > before);
    receive_rest(wormhole);
    CHECK(reported.ended == 0);
    if (!everything) CHECK(reported.stay == QUEUED / 2 + 1 + rival->passed && reported.destroyed == 1);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* ---- Cost ------------------------------------------------------------------------------------------ */

static int looks_to_destroy(ctie_wormhole *wormhole, const char *identifier) {
    begin_work();
    CHECK_STATUS(ctie_wormhole_destroy(wormhole, ctie_str_from(identifier), NULL, NULL, NULL), CTIE_OK);
    end_work();
    return work.looks;
}

/* Behind 20,000 messages of another identifier, a few are found without a look at all of those. */
static void test_cost(void) {
    ctie_wormhole *wormhole = open_large();
    rival->asked = -1;
    declare(wormhole);
    int queued = test_size(20000, 4000);
    for (int i = 0; i < queued; i++) {
        CHECK_STATUS(pass_int(wormhole, i == queued / 2 ? "gone" : i == queued / 2 + 1 ? "gone.too" : "stay", i), CTIE_OK);
    }
    int none = looks_to_destroy(wormhole, "nothing"), few = looks_to_destroy(wormhole, "gone");
    FIGURES("; to destroy 0 and 1 of %d takes %d and %d looks", queued, none, few);
    CHECK(none < 2500 && few < 2500);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    /* Messages queued before all processes left are found, too. */
    wormhole = open_large();
    looks_to_destroy(wormhole, "gone.too");
    receive_rest(wormhole);
    CHECK(reported.ended == 0 && reported.stay == queued - 2);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* ---- Batches --------------------------------------------------------------------------------------- */

/* Blocks with other messages keep those; later messages stay. */
static void test_batches(void) {
    ctie_wormhole *wormhole = open_large();
    ctie_outgoing messages[500];
    uint64_t sequence = 0;
    rival->asked = -1;
    declare(wormhole);
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 500; i++) {
            messages[i].identifier = i % 5 == round % 5 || (round == 3 && i < 100) ? CTIE_STR("gone") : CTIE_STR("stay");
            messages[i].value = i % 7 == 0 ? NULL : ctie_value_int(i);
        }
        CHECK_STATUS(ctie_wormhole_send_many(wormhole, messages, 500, NULL, NULL, NULL), CTIE_OK);
    }
    CHECK_STATUS(ctie_wormhole_destroy(wormhole, CTIE_STR("gone"), &sequence, NULL, NULL), CTIE_OK);
    CHECK_STATUS(pass_int(wormhole, "gone", 1), CTIE_OK);
    receive_rest(wormhole);
    CHECK(reported.stay == 20 * 400 - 80 && reported.ended == 1 && reported.first_ended == sequence + 1 && reported.destroyed == 1);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* ---- Deaths ---------------------------------------------------------------------------------------- */

static _Atomic int *begun;

static int destroy_one(void *unused) {
    (void)unused;
    ctie_wormhole *wormhole = open_large();
    *begun += 1;
    CHECK_STATUS(ctie_wormhole_destroy(wormhole, CTIE_STR("gone"), NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

/*
 * Two processes destroy the same identifier, and one of them is killed at any moment: every other message arrives, in
 * order, and the survivor, or the next process, has removed all.
 */
static void test_killed_destroyers(int kills) {
    unsigned seed = 5;
    rival->asked = -1;
    for (int round = 0; round < kills; round++) {
        ctie_wormhole *wormhole = open_large();
        declare(wormhole);
        pass_some(wormhole, 1500);
        *begun = 0;
        bool is_alone = round % 2 == 0;
        pid_t victim = start_child(destroy_one, NULL), other = is_alone ? 0 : start_child(destroy_one, NULL);
        AWAIT(*begun == (is_alone ? 1 : 2));
        nap_ns(rand_r(&seed) % 4000000);
        kill(victim, SIGKILL);
        int end = end_of_child(victim);
        CHECK(end == -SIGKILL || end == 0);
        if (!is_alone) CHECK(end_of_child(other) == 0);
        if (is_alone && round % 4 == 0) CHECK(destroy_one(NULL) == 0);
        receive_rest(wormhole);
        CHECK(reported.stay == 750);
        if (!is_alone || round % 4 == 0) CHECK(reported.ended == 0);
        CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
        remove_directory();
    }
}

int main(void) {
    name_directory();
    rival = share(sizeof *rival);
    begun = share(sizeof *begun);
    test_steps(false);
    test_steps(true);
    test_cost();
    test_batches();
    test_killed_destroyers(test_size(40, 8));
    return check_end();
}
