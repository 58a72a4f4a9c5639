/*
 * Beginning in the middle of a long log, and moving there: others write meanwhile, and the counts are right whatever they
 * do. And listing durable consumers, for which nothing is counted.
 */
#include "group.h"
#include "interpose.h"

/* ---- What a step does, as LMDB sees it -------------------------------------------------------------- */

static _Thread_local struct {
    bool is_counted, is_writing;
    int looks, most_looks, looks_in_readings;
} work;

/* Another process, which does something to the log after each of this thread's readings. */
enum { NOTHING, PASS, TRIM, DESTROY_FEW, DESTROY_ALL };
static struct rival { _Atomic int asked, done, action, is_over; } *rival;

enum { READ_ONLY = 0x20000 };

int mdb_txn_begin(void *environment, void *parent, unsigned flags, void **transaction);
int mdb_txn_commit(void *transaction);
void mdb_txn_abort(void *transaction);
void mdb_txn_reset(void *transaction);
int mdb_cursor_get(void *cursor, void *key, void *data, int operation);

static void end_writing(void) {
    if (work.looks > work.most_looks) work.most_looks = work.looks;
    work.is_writing = false;
}

int mdb_txn_begin(void *environment, void *parent, unsigned flags, void **transaction) {
    static int (*real)(void *, void *, unsigned, void **);
    FIND_REAL(real, "mdb_txn_begin");
    if ((flags & READ_ONLY) == 0) {
        work.is_writing = true;
        work.looks = 0;
    }
    return real(environment, parent, flags, transaction);
}

int mdb_txn_commit(void *transaction) {
    static int (*real)(void *);
    FIND_REAL(real, "mdb_txn_commit");
    if (work.is_writing) end_writing();
    return real(transaction);
}

void mdb_txn_abort(void *transaction) {
    static void (*real)(void *);
    FIND_REAL(real, "mdb_txn_abort");
    if (work.is_writing) end_writing();
    real(transaction);
}

void mdb_txn_reset(void *transaction) {
    static void (*real)(void *);
    FIND_REAL(real, "mdb_txn_reset");
    real(transaction);
    if (!work.is_counted) return;
    if (rival->action == NOTHING || work.is_writing) return;
    int number = ++rival->asked;
    AWAIT(rival->done >= number);
}

int mdb_cursor_get(void *cursor, void *key, void *data, int operation) {
    static int (*real)(void *, void *, void *, int);
    FIND_REAL(real, "mdb_cursor_get");
    if (work.is_writing) work.looks++;
    else if (work.is_counted) work.looks_in_readings++;
    return real(cursor, key, data, operation);
}

static void begin_work(void) {
    memset(&work, 0, sizeof work);
    work.is_counted = true;
}

static void end_work(void) { work.is_counted = false; }

/* ---- The log ---------------------------------------------------------------------------------------- */

#define JOBS CTIE_STR("jobs.*")

enum { QUEUED = 20000, MANY = 100000, FEW = 1200 };

static ctie_wormhole *open_large(void) {
    ctie_wormhole_options options = group_options(0);
    options.map_size = options.max_map_size = 64 << 20;
    return open_group_with(&options);
}

static void pass_some(ctie_wormhole *wormhole, int count) {
    for (int i = 0; i < count; i++) {
        const char *identifier = i % 3 == 0 ? "other" : i % 50 == 1 ? "jobs.few" : "jobs.many";
        CHECK_STATUS(pass_int(wormhole, identifier, i), CTIE_OK);
    }
}

static void count_one(const ctie_message *message, void *count) {
    if (ctie_message_kind(message) != CTIE_MESSAGE_MISSED) ++*(_Atomic int *)count;
}

/** The number of messages that a consumer receives until nothing waits for it. A *destroyed* is one, too. */
static int received_by(ctie_wormhole *wormhole, const char *name, ctie_str topic) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    ctie_listener *listener = NULL;
    _Atomic int count = 0;
    options.flags = CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE;
    options.name = ctie_str_from(name);
    CHECK_STATUS(ctie_wormhole_listen(wormhole, topic, CTIE_RECEIVER(count_one, &count), &options, &listener, NULL),
                 CTIE_OK);
    AWAIT(durable_is_idle(wormhole, name));
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    return count;
}

/* ---- Cost ------------------------------------------------------------------------------------------- */

/* Of 20,000 messages few are read while others are locked out. */
static void test_cost(void) {
    ctie_wormhole *wormhole = open_large();
    ctie_durable_options oldest = CTIE_DURABLE_OPTIONS_INIT;
    ctie_listen_options live = CTIE_LISTEN_OPTIONS_INIT;
    ctie_listener *listener = NULL;
    _Atomic int count = 0;
    rival->action = NOTHING;
    CHECK_STATUS(ctie_wormhole_declare(wormhole, CTIE_STR("*"), CTIE_STR("keeper"), NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_declare(wormhole, JOBS, CTIE_STR("mover"), NULL, NULL), CTIE_OK);
    int queued = test_size(QUEUED, QUEUED / 10);
    pass_some(wormhole, queued);
    int64_t waiting = durable_number(wormhole, "mover", "waiting");
    begin_work();
    CHECK_STATUS(ctie_wormhole_seek(wormhole, JOBS, CTIE_STR("mover"), 1, 0, NULL), CTIE_OK);
    int to_seek = work.most_looks;
    oldest.flags = CTIE_DURABLE_FROM_OLDEST;
    CHECK_STATUS(ctie_wormhole_declare(wormhole, JOBS, CTIE_STR("late"), &oldest, NULL), CTIE_OK);
    int to_declare = work.most_looks;
    live.flags = CTIE_LISTEN_QUEUE | CTIE_LISTEN_FROM_OLDEST;
    CHECK_STATUS(ctie_wormhole_listen(wormhole, JOBS, CTIE_RECEIVER(count_one, &count), &live, &listener, NULL), CTIE_OK);
    int to_listen = work.most_looks;
    end_work();
    FIGURES("; to seek, declare and listen in %d takes at most %d, %d and %d looks", queued, to_seek, to_declare,
            to_listen);
    CHECK(to_seek < 600 && to_declare < 600 && to_listen < 600);
    CHECK(waiting > queued / 2 && durable_number(wormhole, "mover", "waiting") == waiting);
    CHECK(durable_number(wormhole, "late", "waiting") == waiting);
    AWAIT(count == waiting);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* Gives how many records are looked at to list two consumers, of which one wants every tenth message. */
static int looks_to_list(int waiting) {
    ctie_wormhole *wormhole = open_large();
    ctie_value *list = NULL;
    rival->action = NOTHING;
    CHECK_STATUS(ctie_wormhole_declare(wormhole, CTIE_STR("*"), CTIE_STR("all"), NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_declare(wormhole, CTIE_STR("tenth"), CTIE_STR("some"), NULL, NULL), CTIE_OK);
    for (int i = 1; i <= waiting; i++) CHECK_STATUS(pass_int(wormhole, i % 10 == 0 ? "tenth" : "other", i), CTIE_OK);
    begin_work();
    CHECK_STATUS(ctie_wormhole_durables(wormhole, &list, NULL), CTIE_OK);
    end_work();
    CHECK(ctie_value_count(list) == 2);
    CHECK(int_at(ctie_value_at(list, 0), "waiting") == waiting && int_at(ctie_value_at(list, 1), "waiting") == waiting / 10);
    ctie_value_release(list);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
    return work.looks_in_readings;
}

static void test_listing(void) {
    int number = test_size(MANY, MANY / 20), few = looks_to_list(1000), many = looks_to_list(number);
    FIGURES("; to list consumers with 1,000 and with %d messages takes %d and %d looks", number, few, many);
    CHECK(few > 0 && many <= few + 64);
}

/* ---- What happens between counting and moving -------------------------------------------------------- */

static void act(ctie_wormhole *wormhole) {
    switch (rival->action) {
    case PASS: pass_some(wormhole, 50); break;
    case TRIM: /* its messages are trimmed as it passes others */
        CHECK_STATUS(ctie_wormhole_seek(wormhole, CTIE_STR("*"), CTIE_STR("keeper"), rival->asked * 600u, 0, NULL),
                     CTIE_OK);
        pass_some(wormhole, 200);
        break;
    case DESTROY_FEW:
        CHECK_STATUS(ctie_wormhole_destroy(wormhole, CTIE_STR("jobs.few"), NULL, NULL, NULL), CTIE_OK);
        pass_some(wormhole, 100);
        break;
    case DESTROY_ALL:
        CHECK_STATUS(ctie_wormhole_destroy_all(wormhole, NULL, NULL, NULL), CTIE_OK);
        pass_some(wormhole, 30);
        break;
    }
}

static int act_when_asked(void *unused) {
    (void)unused;
    ctie_wormhole *wormhole = open_large();
    for (int number = 1; !rival->is_over;) {
        if (rival->asked < number) {
            nap_ns(50000);
            continue;
        }
        act(wormhole);
        rival->done = number++;
    }
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

/* A consumer that is moved to the oldest message then receives as many as wait for it. */
static void test_rival(int action) {
    ctie_wormhole *wormhole = open_large();
    memset(rival, 0, sizeof *rival);
    rival->action = action;
    CHECK_STATUS(ctie_wormhole_declare(wormhole, CTIE_STR("*"), CTIE_STR("keeper"), NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_declare(wormhole, JOBS, CTIE_STR("mover"), NULL, NULL), CTIE_OK);
    pass_some(wormhole, FEW);
    CHECK_STATUS(ctie_wormhole_seek(wormhole, JOBS, CTIE_STR("mover"), UINT64_MAX, 0, NULL), CTIE_OK);
    pid_t child = start_child(act_when_asked, NULL);
    begin_work();
    CHECK_STATUS(ctie_wormhole_seek(wormhole, JOBS, CTIE_STR("mover"), 1, 0, NULL), CTIE_OK);
    end_work();
    rival->is_over = 1;
    CHECK(end_of_child(child) == 0);
    CHECK(rival->done > 0);
    int64_t waiting = durable_number(wormhole, "mover", "waiting");
    int received = received_by(wormhole, "mover", JOBS);
    CHECK(waiting > 0 && received == waiting);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

int main(void) {
    name_directory();
    rival = share(sizeof *rival);
    test_cost();
    test_listing();
    for (int action = PASS; action <= DESTROY_ALL; action++) test_rival(action);
    return check_end();
}
