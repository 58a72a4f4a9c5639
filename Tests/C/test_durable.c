/* Durable consumers: sharing, acknowledging, and redelivery. */
#include "group.h"

#include <pthread.h>

#define DURABLE (CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE)

/* A worker's action for each message, and the messages it got: by value, below MAX_VALUES. */
#define MAX_VALUES 400

struct worker {
    _Atomic int calls;
    _Atomic int given[MAX_VALUES];
    _Atomic unsigned delivery[MAX_VALUES];
    _Atomic int destroyed;
    _Atomic int status;
    int64_t rejected;        /* the value that is rejected the first two times */
    int64_t closes;          /* the value at which the wormhole is closed */
    ctie_wormhole *wormhole; /* that one */
    ctie_message *kept[8];   /* retained */
    _Atomic int kept_count;
};

#define WORKER_INIT {.rejected = -1, .closes = -1}

static void work(const ctie_message *message, void *user_data) {
    struct worker *worker = user_data;
    int64_t value = int_of(message);
    if (value >= 0 && value < MAX_VALUES) {
        worker->given[value]++;
        worker->delivery[value] = ctie_message_delivery_count(message);
    }
    if (value == worker->rejected && ctie_message_delivery_count(message) < 3) {
        CHECK_STATUS(ctie_message_reject(message, 0, CTIE_STR("")), CTIE_OK);
        CHECK_STATUS(ctie_message_acknowledge(message), CTIE_E_ALREADY);
    }
    if (value == worker->closes) worker->status = ctie_wormhole_release(worker->wormhole);
    worker->calls++;
}

static void keep(const ctie_message *message, void *user_data) {
    struct worker *worker = user_data;
    worker->kept[worker->kept_count] = ctie_message_retain(message);
    worker->kept_count++;
}

static void end_worker(void *user_data) { ((struct worker *)user_data)->destroyed++; }

static ctie_listen_options durable_options(const char *name, uint32_t flags) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.name = ctie_str_from(name);
    options.flags = flags;
    return options;
}

static ctie_listener *hire(ctie_wormhole *wormhole, const char *identifier, ctie_receiver_fn fn,
                           struct worker *worker) {
    ctie_listener *listener = NULL;
    ctie_listen_options options = durable_options("worker", DURABLE);
    CHECK_STATUS(ctie_wormhole_listen(wormhole, ctie_str_from(identifier), CTIE_RECEIVER_OWNED(fn, worker, end_worker),
                                      &options, &listener, NULL), CTIE_OK);
    return listener;
}

/* Makes the name, so that what is passed from here on is kept for it. */
static void make_name(ctie_wormhole *wormhole, const char *identifier) {
    struct worker nobody = WORKER_INIT;
    CHECK_STATUS(ctie_listener_release(hire(wormhole, identifier, work, &nobody)), CTIE_OK);
}

static void pass_numbers(ctie_wormhole *wormhole, const char *identifier, int count) {
    for (int i = 0; i < count; i++) CHECK_STATUS(pass_int(wormhole, identifier, i), CTIE_OK);
}

static int count_given(const struct worker *worker, int count) {
    int given = 0;
    for (int i = 0; i < count; i++) given += worker->given[i];
    return given;
}

static void test_options(void) {
    ctie_wormhole *wormhole = open_group();
    static const struct {
        uint32_t flags;
        const char *name;
        uint32_t limit;
        ctie_status expected;
    } cases[] = {
        {CTIE_LISTEN_DURABLE, "n", 0, CTIE_E_INVALID},     {CTIE_LISTEN_MANUAL, "n", 0, CTIE_E_INVALID},
        {CTIE_LISTEN_FROM_OLDEST, "n", 0, CTIE_E_INVALID}, {DURABLE, "", 0, CTIE_E_INVALID},
        {DURABLE | 32, "n", 0, CTIE_E_INVALID},            {DURABLE, "n", 1025, CTIE_E_LIMIT},
        {CTIE_LISTEN_QUEUE, "n", 1025, CTIE_E_LIMIT},      {DURABLE, "n", 1024, CTIE_OK},
        {DURABLE | CTIE_LISTEN_FROM_OLDEST | CTIE_LISTEN_MANUAL, "n", 1, CTIE_OK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct worker worker = WORKER_INIT;
        ctie_listen_options options = durable_options(cases[i].name, cases[i].flags);
        options.max_unacknowledged = cases[i].limit;
        CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("o"), CTIE_RECEIVER_OWNED(work, &worker, end_worker),
                                          &options, NULL, NULL), cases[i].expected);
        CHECK_STATUS(ctie_wormhole_remove_all_listeners(wormhole), CTIE_OK);
        CHECK(worker.destroyed == 1);
    }
    CHECK_STATUS(ctie_message_acknowledge(NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_message_reject(NULL, 0, CTIE_STR("")), CTIE_E_INVALID);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

/* A process that works until it has received `quits`. */
struct shift {
    const char *identifier;
    struct worker *worker;
    _Atomic int *stop;
};

static int work_shift(void *argument) {
    struct shift *shift = argument;
    ctie_wormhole *wormhole = open_group();
    hire(wormhole, shift->identifier, work, shift->worker);
    while (!*shift->stop) nap_ns(1000000);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

static void test_processes_share(void) {
    enum { workers = 3, count = MAX_VALUES };
    struct worker *shared = share(sizeof(struct worker) * workers);
    _Atomic int *stop = share(sizeof *stop);
    pid_t children[workers];
    struct shift shifts[workers];
    ctie_wormhole *wormhole = open_group();
    make_name(wormhole, "share.*");
    for (int i = 0; i < workers; i++) {
        shared[i].rejected = shared[i].closes = -1;
        shifts[i] = (struct shift){"share.*", &shared[i], stop};
        children[i] = start_child(work_shift, &shifts[i]);
    }
    pass_numbers(wormhole, "share.x", count);
    AWAIT(shared[0].calls + shared[1].calls + shared[2].calls >= count);
    *stop = 1;
    for (int i = 0; i < workers; i++) CHECK(end_of_child(children[i]) == 0);
    for (int value = 0; value < count; value++) {
        CHECK(shared[0].given[value] + shared[1].given[value] + shared[2].given[value] == 1);
    }
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

/* Says that it has been given something, and never returns. */
static void hang(const ctie_message *message, void *user_data) {
    struct worker *worker = user_data;
    worker->given[int_of(message)]++;
    worker->calls++;
    for (;;) pause();
}

static int hang_in_child(void *argument) {
    hire(open_group(), "kill", hang, argument);
    return pause();
}

static void test_what_a_killed_one_had_goes_to_others(void) {
    struct worker *shared = share(sizeof *shared);
    struct worker heir = WORKER_INIT;
    ctie_wormhole *wormhole = open_group();
    make_name(wormhole, "kill");
    pass_numbers(wormhole, "kill", 5);
    pid_t child = start_child(hang_in_child, shared);
    AWAIT(shared->calls == 1);
    CHECK(shared->given[0] == 1);
    ctie_listener *listener = hire(wormhole, "kill", work, &heir);
    AWAIT(heir.calls == 4);
    CHECK(heir.given[0] == 0);
    kill_child(child);
    AWAIT(heir.calls == 5);
    CHECK(heir.given[0] == 1 && heir.delivery[0] == 2 && heir.delivery[1] == 1);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

static void test_rejected_ones_come_again(void) {
    struct worker worker = WORKER_INIT;
    ctie_wormhole *wormhole = open_group();
    worker.rejected = 1;
    hire(wormhole, "again", work, &worker);
    pass_numbers(wormhole, "again", 3);
    AWAIT(worker.calls == 5);
    CHECK(worker.given[0] == 1 && worker.given[1] == 3 && worker.given[2] == 1);
    CHECK(worker.delivery[1] == 3 && worker.delivery[2] == 1);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    CHECK(worker.destroyed == 1);
}

/* From a thread of its own. */
static void *answer_first(void *argument) {
    struct worker *worker = argument;
    CHECK_STATUS(ctie_message_acknowledge(worker->kept[0]), CTIE_OK);
    CHECK_STATUS(ctie_message_acknowledge(worker->kept[0]), CTIE_E_ALREADY);
    CHECK_STATUS(ctie_message_reject(worker->kept[1], -1, CTIE_STR("")), CTIE_OK);
    return NULL;
}

static void test_manual(void) {
    struct worker worker = WORKER_INIT, heir = WORKER_INIT;
    ctie_wormhole *wormhole = open_group();
    ctie_listener *listener = NULL;
    ctie_listen_options options = durable_options("worker", DURABLE | CTIE_LISTEN_MANUAL);
    options.max_unacknowledged = 2;
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("manual"), CTIE_RECEIVER_OWNED(keep, &worker, end_worker),
                                      &options, &listener, NULL), CTIE_OK);
    pass_numbers(wormhole, "manual", 3);
    AWAIT(worker.kept_count == 2);
    nap_ns(20000000);
    CHECK(worker.kept_count == 2);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, answer_first, &worker) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    AWAIT(worker.kept_count == 4);
    CHECK(int_of(worker.kept[2]) == 2 && int_of(worker.kept[3]) == 1);
    CHECK(ctie_message_delivery_count(worker.kept[2]) == 1 && ctie_message_delivery_count(worker.kept[3]) == 2);
    CHECK_STATUS(ctie_message_acknowledge(worker.kept[2]), CTIE_OK);
    CHECK_STATUS(ctie_listener_release(listener), CTIE_OK);
    CHECK_STATUS(ctie_message_acknowledge(worker.kept[3]), CTIE_E_ALREADY);
    CHECK(worker.destroyed == 1);
    hire(wormhole, "manual", work, &heir);
    AWAIT(heir.calls == 1);
    CHECK(heir.given[1] == 1 && heir.delivery[1] == 3);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    for (int i = 0; i < worker.kept_count; i++) ctie_message_release(worker.kept[i]);
}

static void test_not_durable(void) {
    struct worker worker = WORKER_INIT;
    ctie_wormhole *wormhole = open_group();
    ctie_listen_options options = durable_options("", CTIE_LISTEN_QUEUE | CTIE_LISTEN_MANUAL);
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("plain"), CTIE_RECEIVER_OWNED(keep, &worker, end_worker),
                                      &options, NULL, NULL), CTIE_OK);
    pass_numbers(wormhole, "plain", 3);
    for (int i = 0; i < 3; i++) {
        AWAIT(worker.kept_count == i + 1);
        CHECK(int_of(worker.kept[i]) == i && ctie_message_delivery_count(worker.kept[i]) == 0);
        CHECK_STATUS(i == 1 ? ctie_message_reject(worker.kept[i], 0, CTIE_STR("")) : ctie_message_acknowledge(worker.kept[i]),
                     CTIE_OK);
    }
    ctie_message *stored = NULL;
    CHECK_STATUS(ctie_wormhole_message(wormhole, CTIE_STR("plain"), &stored, NULL), CTIE_OK);
    CHECK_STATUS(ctie_message_acknowledge(stored), CTIE_E_INVALID);
    CHECK_STATUS(ctie_message_reject(stored, 0, CTIE_STR("")), CTIE_E_INVALID);
    ctie_message_release(stored);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    CHECK(worker.kept_count == 3);
    for (int i = 0; i < 3; i++) ctie_message_release(worker.kept[i]);
}

static void test_replaced_and_forgotten(void) {
    struct worker first = WORKER_INIT, second = WORKER_INIT;
    ctie_error *error = NULL;
    ctie_wormhole *wormhole = open_group();
    ctie_listener *replaced = hire(wormhole, "name", work, &first);
    pass_numbers(wormhole, "name", 1);
    AWAIT(first.calls == 1);
    hire(wormhole, "name", work, &second);
    CHECK(first.destroyed == 1);
    CHECK_STATUS(ctie_listener_release(replaced), CTIE_E_HANDLE);
    pass_numbers(wormhole, "name", 2);
    AWAIT(second.calls == 2);
    CHECK_STATUS(ctie_wormhole_forget(wormhole, CTIE_STR("name"), CTIE_STR("other"), &error), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_error_status(error), CTIE_E_NOT_FOUND);
    ctie_error_release(error);
    CHECK_STATUS(ctie_wormhole_forget(wormhole, CTIE_STR("name"), CTIE_STR("worker"), NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_forget(wormhole, CTIE_STR("name"), CTIE_STR("worker"), NULL), CTIE_E_NOT_FOUND);
    CHECK_STATUS(ctie_wormhole_forget(wormhole, CTIE_STR("no name"), CTIE_STR("worker"), NULL), CTIE_E_NOT_FOUND);
    pass_numbers(wormhole, "name", 1);
    /* A listener that takes the name now starts from the beginning. */
    struct worker third = WORKER_INIT;
    hire(wormhole, "name", work, &third);
    CHECK_STATUS(pass_int(wormhole, "name", 9), CTIE_OK);
    AWAIT(third.calls == 1);
    CHECK(third.given[9] == 1 && second.calls == 2 && first.calls == 1);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

static void test_closed_from_inside(void) {
    enum { count = 50, last = 20 };
    struct worker worker = WORKER_INIT, heir = WORKER_INIT;
    ctie_wormhole *wormhole = open_group();
    make_name(wormhole, "close");
    pass_numbers(wormhole, "close", count);
    worker.wormhole = wormhole;
    worker.closes = last;
    hire(wormhole, "close", work, &worker);
    AWAIT(worker.destroyed == 1);
    CHECK(worker.status == CTIE_PENDING && worker.calls == last + 1);
    wormhole = open_group();
    hire(wormhole, "close", work, &heir);
    AWAIT(heir.calls == count - last - 1);
    CHECK(count_given(&heir, last + 1) == 0 && count_given(&heir, count) == count - last - 1);
    CHECK(heir.delivery[count - 1] == 1);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

static void leave(const ctie_message *message, void *user_data) {
    struct worker *worker = user_data;
    work(message, user_data);
    CHECK_STATUS(ctie_wormhole_remove_listener(worker->wormhole, CTIE_STR("untold"), CTIE_STR("worker"), NULL), CTIE_PENDING);
}

/* A delivery counts a failed attempt at a message, not a message that was put aside. */
static void test_an_unreported_message_was_not_delivered(void) {
    struct worker worker = WORKER_INIT, heir = WORKER_INIT;
    ctie_listen_options options = durable_options("worker", DURABLE | CTIE_LISTEN_MANUAL);
    ctie_wormhole *wormhole = worker.wormhole = open_group();
    make_name(wormhole, "untold");
    pass_numbers(wormhole, "untold", 3);
    options.max_unacknowledged = 3;
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("untold"), CTIE_RECEIVER_OWNED(leave, &worker, end_worker),
                                      &options, NULL, NULL), CTIE_OK);
    AWAIT(worker.destroyed == 1);
    CHECK(worker.calls == 1 && worker.given[0] == 1 && worker.delivery[0] == 1);
    hire(wormhole, "untold", work, &heir);
    AWAIT(heir.calls == 3);
    CHECK(heir.delivery[0] == 2 && heir.delivery[1] == 1 && heir.delivery[2] == 1);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

int main(void) {
    name_directory();
    test_options();
    test_processes_share();
    test_what_a_killed_one_had_goes_to_others();
    test_rejected_ones_come_again();
    test_manual();
    test_not_durable();
    test_replaced_and_forgotten();
    test_closed_from_inside();
    test_an_unreported_message_was_not_delivered();
    remove_directory();
    return check_end();
}
