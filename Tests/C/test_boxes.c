/*
 * One group on a host and in boxes with PID namespaces of their own, as containers that share a volume have it. A
 * process that comes and goes in a box takes nothing away from those outside, and two boxes whose application is
 * process 1 are two.
 */
#define _GNU_SOURCE
#include "box.h"
#include "listening.h"

#include <sys/stat.h>

enum { JOBS = 200, BOXES = 3 };

/* The state that the processes of one test share. */
static struct board {
    _Atomic int ready, go, wrong;
    _Atomic int handled[JOBS];
    _Atomic int taken; /* how many jobs the worker that is to be killed has */
} *board;

static size_t count_members(ctie_wormhole *wormhole) {
    ctie_value *members = NULL;
    CHECK_STATUS(ctie_wormhole_members(wormhole, &members, NULL), CTIE_OK);
    size_t count = ctie_value_count(members);
    ctie_value_release(members);
    return count;
}

static uint32_t pass_counting(ctie_wormhole *wormhole, const char *identifier, int64_t value) {
    uint32_t listeners = 0;
    CHECK_STATUS(ctie_wormhole_send(wormhole, ctie_str_from(identifier), ctie_value_int(value), NULL, NULL, &listeners, NULL),
                 CTIE_OK);
    return listeners;
}

/* ---- Coming and going ---------------------------------------------------------------------------------- */

static int look_once(void *unused) {
    (void)unused;
    ctie_wormhole *wormhole = open_group();
    CHECK(count_members(wormhole) == 2 && stored_int(wormhole, CTIE_STR("jobs")) >= 0);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

static ctie_listener *listen_queue(ctie_wormhole *wormhole, struct ear *ear) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.flags = CTIE_LISTEN_QUEUE;
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("jobs"), CTIE_RECEIVER_OWNED(receive, ear, forget), &options,
                                      &ear->listener, NULL), CTIE_OK);
    return ear->listener;
}

static void one_that_looks_in_and_goes_disturbs_nobody(void) {
    struct ear queue = {0}, state = {0};
    ctie_wormhole *wormhole = open_group();
    CHECK(pass_counting(wormhole, "jobs", 0) == 0);
    listen_queue(wormhole, &queue);
    listen_to(wormhole, CTIE_STR("jobs"), "", &state);
    for (int i = 1; i <= 10; i++) {
        if (i % 3 == 0) CHECK(end_of_child(start_boxed(look_once, NULL)) == 0);
        CHECK(pass_counting(wormhole, "jobs", i) == 1 && count_members(wormhole) == 1);
    }
    AWAIT(queue.calls == 10 && state.value == 10);
    CHECK(queue.kind == CTIE_MESSAGE_VALUE && queue.value == 10);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* ---- Equal numbers --------------------------------------------------------------------------------------- */

/* Each of several processes 1 receives and answers, until all have. */
static int answer(void *argument) {
    const char *own = argument;
    struct ear ear = {0};
    ctie_wormhole *wormhole = open_group();
    listen_to(wormhole, CTIE_STR("question"), "", &ear);
    AWAIT(ear.calls == 1);
    board->ready++;
    AWAIT(ear.kind == CTIE_MESSAGE_VALUE);
    CHECK(count_members(wormhole) == BOXES + 1 && stored_int(wormhole, CTIE_STR("question")) == 7);
    CHECK(getpid() == 1 && pass_counting(wormhole, own, 1) == 1);
    AWAIT(board->go);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

static void boxes_with_equal_numbers_are_several(void) {
    static char names[BOXES][16];
    pid_t boxes[BOXES];
    struct ear ear = {0};
    memset(board, 0, sizeof *board);
    ctie_wormhole *wormhole = open_group();
    listen_to(wormhole, CTIE_STR("answer.*"), "", &ear);
    for (int i = 0; i < BOXES; i++) {
        snprintf(names[i], sizeof names[i], "answer.%d", i);
        boxes[i] = start_boxed(answer, names[i]);
    }
    AWAIT(board->ready == BOXES);
    CHECK(pass_counting(wormhole, "question", 7) == BOXES);
    for (int i = 0; i < BOXES; i++) AWAIT(stored_int(wormhole, ctie_str_from(names[i])) == 1);
    CHECK(count_members(wormhole) == BOXES + 1);
    /* The end of one frees nothing of the others'. */
    kill_child(boxes[0]);
    AWAIT(count_members(wormhole) == BOXES);
    CHECK(pass_counting(wormhole, "question", 8) == BOXES - 1);
    board->go = 1;
    for (int i = 1; i < BOXES; i++) CHECK(end_of_child(boxes[i]) == 0);
    CHECK(count_members(wormhole) == 1);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* ---- Claims ---------------------------------------------------------------------------------------------- */

static void do_job(const ctie_message *message, void *stays) {
    int64_t number = int_of(message);
    if (stays != NULL) {
        board->taken++;
        for (;;) pause();
    }
    if (number < 0 || number >= JOBS || board->handled[number]++ > 0) board->wrong++;
    nap_ns(100000);
}

static void join_pool(ctie_wormhole *wormhole, void *stays) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.flags = CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE;
    options.name = CTIE_STR("pool");
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("job"), CTIE_RECEIVER(do_job, stays), &options, NULL, NULL),
                 CTIE_OK);
}

static int work(void *stays) {
    ctie_wormhole *wormhole = open_group();
    join_pool(wormhole, stays);
    board->ready++;
    AWAIT(board->go);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

static bool are_done(int count) {
    int done = 0;
    for (int i = 0; i < count; i++) done += board->handled[i] > 0;
    return done == count;
}

static void a_job_has_one_worker_until_that_dies(void) {
    pid_t boxes[BOXES];
    memset(board, 0, sizeof *board);
    ctie_wormhole *wormhole = open_group();
    pid_t victim = start_boxed(work, board);
    AWAIT(board->ready == 1);
    CHECK_STATUS(pass_int(wormhole, "job", 0), CTIE_OK);
    AWAIT(board->taken == 1);
    join_pool(wormhole, NULL);
    for (int i = 1; i < BOXES; i++) boxes[i] = start_boxed(work, NULL);
    AWAIT(board->ready == BOXES);
    for (int i = 1; i < JOBS; i++) {
        CHECK_STATUS(pass_int(wormhole, "job", i), CTIE_OK);
        if (i % 50 == 0) CHECK(end_of_child(start_boxed(nothing, NULL)) == 0);
    }
    for (int i = 1; i < JOBS; i++) AWAIT(board->handled[i] == 1);
    CHECK(board->handled[0] == 0 && board->wrong == 0);
    kill_child(victim);
    AWAIT(board->handled[0] == 1);
    board->go = 1;
    for (int i = 1; i < BOXES; i++) CHECK(end_of_child(boxes[i]) == 0);
    CHECK(board->wrong == 0 && are_done(JOBS));
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* ---- Zombies ----------------------------------------------------------------------------------------------- */

/* A worker that leaves a child with its files behind, and ends while it has a job. */
static int work_and_die(void *unused) {
    (void)unused;
    ctie_wormhole *wormhole = open_group();
    join_pool(wormhole, board);
    AWAIT(board->taken == 1);
    pid_t child = fork();
    if (child == 0) {
        while (board->go == 0) nap_ns(1000000);
        _exit(0);
    }
    raise(SIGKILL);
    return 1;
}

static void a_dead_worker_that_nobody_has_waited_for_holds_no_job(void) {
    siginfo_t end;
    memset(board, 0, sizeof *board);
    ctie_wormhole *wormhole = open_group();
    pid_t zombie = start_child(work_and_die, NULL);
    AWAIT(count_members(wormhole) == 2);
    while (board->taken == 0) {
        CHECK_STATUS(pass_int(wormhole, "job", 0), CTIE_OK);
        nap_ns(1000000);
    }
    CHECK(waitid(P_PID, (id_t)zombie, &end, WEXITED | WNOWAIT) == 0);
    join_pool(wormhole, NULL);
    AWAIT(board->handled[0] > 0);
    CHECK(count_members(wormhole) == 1);
    board->go = 1;
    CHECK(end_of_child(zombie) == -SIGKILL);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* ---- Other users -------------------------------------------------------------------------------------------- */

enum { FOREIGN = 54321 };

/* In a user namespace that has another user of the host only, which is 0 there. */
static int try_as_another(void *unused) {
    (void)unused;
    ctie_wormhole_options options = group_options(0);
    ctie_wormhole *wormhole = NULL;
    ctie_error *error = NULL;
    CHECK(unshare(CLONE_NEWUSER) == 0);
    board->ready = 1;
    AWAIT(board->go);
    CHECK(setuid(0) == 0 && getuid() == 0);
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("test"), &options, &wormhole, &error), CTIE_E_UNSAFE);
    ctie_str message = ctie_error_message(error);
    CHECK(strstr(message.data, "belongs to another user: to 65534, as this process sees it, which runs as 0") != NULL);
    ctie_error_release(error);
    return checks_failed != 0;
}

static void another_user_is_refused_with_words(void) {
    char path[64], map[64];
    if (geteuid() != 0) return; /* only root can give a namespace another user */
    memset(board, 0, sizeof *board);
    ctie_wormhole *wormhole = open_group();
    for (int is_readable = 0; is_readable < 2; is_readable++) {
        board->ready = board->go = 0;
        CHECK(chmod(directory, is_readable ? 0755 : 0700) == 0);
        pid_t child = start_child(try_as_another, NULL);
        AWAIT(board->ready);
        snprintf(path, sizeof path, "/proc/%d/uid_map", (int)child);
        snprintf(map, sizeof map, "0 %d 1", FOREIGN);
        CHECK(write_text(path, map));
        board->go = 1;
        CHECK(end_of_child(child) == 0);
    }
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

int main(void) {
    name_directory();
    board = share(sizeof *board);
    a_dead_worker_that_nobody_has_waited_for_holds_no_job();
    if (!has_boxes()) return end_without_boxes();
    another_user_is_refused_with_words();
    one_that_looks_in_and_goes_disturbs_nobody();
    boxes_with_equal_numbers_are_several();
    a_job_has_one_worker_until_that_dies();
    return check_end();
}
