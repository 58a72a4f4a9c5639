/* Senders that wait until a durable consumer has room: whatever makes room wakes them, and nothing else has to. */
#define _GNU_SOURCE
#include "backlog.h"
#include "interpose.h"

#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>

static ctie_wormhole *wormhole;

/** A thread that sends to a name that is full. */
struct sender {
    ctie_wormhole *wormhole;
    int64_t value;
    _Atomic int status; /**< 1 while it waits */
    _Atomic int sleeps; /**< the number of times it has gone to sleep */
    pthread_t thread;
};

/** The sender that the calling thread is. */
static _Thread_local struct sender *self;

/* Replaces the kernel's call: a sender that sleeps for others is woken by them or never. */
long syscall(long number, ...) {
    static long (*real)(long, ...);
    long given[6];
    va_list more;
    va_start(more, number);
    for (int i = 0; i < 6; i++) given[i] = va_arg(more, long);
    va_end(more);
    FIND_REAL(real, "syscall");
    if (self != NULL && number == SYS_futex && given[1] == FUTEX_WAIT) {
        given[3] = 0; /* the time after which it would look by itself */
        self->sleeps++;
    }
    return real(number, given[0], given[1], given[2], given[3], given[4], given[5]);
}

static void *send_one(void *argument) {
    struct sender *sender = self = argument;
    sender->status = pass_int(sender->wormhole, "jobs", sender->value);
    return NULL;
}

/** The sender has found no room when this returns. */
static void start_sender(struct sender *sender, ctie_wormhole *through, int64_t value) {
    *sender = (struct sender){.wormhole = through, .value = value, .status = 1};
    CHECK(pthread_create(&sender->thread, NULL, send_one, sender) == 0);
    AWAIT(sender->sleeps > 0);
}

static ctie_status end_sender(struct sender *sender) {
    AWAIT(sender->status != 1);
    if (sender->status == 1) exit(check_end()); /* It would never be joined. */
    CHECK(pthread_join(sender->thread, NULL) == 0);
    return sender->status;
}

/** With room for three, all of it taken. */
static void fill(void) {
    declare(wormhole, "jobs", limited_to(3, CTIE_FULL_WAIT));
    pass_from(wormhole, "jobs", 0, 3);
}

static void a_sender_waits_until_one_is_taken(void) {
    struct sender senders[4];
    struct record record = RECORD_INIT;
    fill();
    for (int i = 0; i < 4; i++) start_sender(&senders[i], wormhole, 3 + i);
    for (int i = 0; i < 4; i++) CHECK(senders[i].status == 1);
    listen_durably(wormhole, "jobs", write_down, 0, &record);
    for (int i = 0; i < 4; i++) CHECK_STATUS(end_sender(&senders[i]), CTIE_OK);
    latch_wait(&record.reported, 7);
    CHECK(record.count == 7 && record.missed == 0);
    stop_listening(&record);
    forget_worker(wormhole, "jobs");
}

/* In another process. */
static int take_them(void *is_sleeping) {
    struct record record = RECORD_INIT;
    ctie_wormhole *other = open_group();
    AWAIT(*(_Atomic int *)is_sleeping);
    listen_durably(other, "jobs", write_down, 0, &record);
    latch_wait(&record.reported, 4);
    CHECK_STATUS(ctie_wormhole_release(other), CTIE_OK);
    return 0;
}

static void another_process_makes_room(void) {
    _Atomic int *is_sleeping = share(sizeof *is_sleeping);
    struct sender sender;
    fill();
    pid_t child = start_child(take_them, is_sleeping);
    start_sender(&sender, wormhole, 3);
    *is_sleeping = 1;
    CHECK_STATUS(end_sender(&sender), CTIE_OK);
    CHECK(end_of_child(child) == 0);
    forget_worker(wormhole, "jobs");
}

static void whatever_else_makes_room_wakes_them(void) {
    struct sender sender;
    fill();
    start_sender(&sender, wormhole, 3);
    declare(wormhole, "jobs", limited_to(4, CTIE_FULL_WAIT));
    CHECK_STATUS(end_sender(&sender), CTIE_OK);
    start_sender(&sender, wormhole, 4);
    CHECK_STATUS(ctie_wormhole_destroy(wormhole, JOBS, NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(end_sender(&sender), CTIE_OK);
    pass_from(wormhole, "jobs", 5, 2);
    start_sender(&sender, wormhole, 7);
    CHECK_STATUS(ctie_wormhole_destroy_all(wormhole, NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(end_sender(&sender), CTIE_OK);
    pass_from(wormhole, "jobs", 8, 2);
    start_sender(&sender, wormhole, 10);
    forget_worker(wormhole, "jobs");
    CHECK_STATUS(end_sender(&sender), CTIE_OK);
}

static void there_is_an_end_to_waiting(void) {
    ctie_wormhole_options options = group_options(0);
    options.timeout_ms = 50;
    ctie_wormhole *hasty = open_group_with(&options);
    int64_t begin = now_ns();
    fill();
    CHECK_STATUS(pass_int(hasty, "jobs", 3), CTIE_E_FULL);
    CHECK(now_ns() - begin >= 50000000);
    CHECK_STATUS(pass_batch(hasty, "jobs", 3, 4), CTIE_E_LIMIT);
    CHECK(stored_int(wormhole, JOBS) == 2);
    CHECK_STATUS(ctie_wormhole_release(hasty), CTIE_OK);
    take_all(wormhole, "jobs", 0, 3, 0);
    forget_worker(wormhole, "jobs");
}

static void closing_ends_the_wait(void) {
    ctie_wormhole_options options = group_options(0);
    struct sender sender;
    options.timeout_ms = 600000;
    ctie_wormhole *patient = open_group_with(&options);
    fill();
    start_sender(&sender, patient, 3);
    CHECK_STATUS(ctie_wormhole_release(patient), CTIE_OK);
    CHECK_STATUS(end_sender(&sender), CTIE_E_CLOSED);
    forget_worker(wormhole, "jobs");
}

static bool is_unwanted(void *user_data) {
    atomic_int *asked = user_data;
    return atomic_fetch_add(asked, 1) == 1;
}

static void the_host_may_end_the_wait(void) {
    ctie_wormhole_options options = group_options(0);
    atomic_int asked = 0;
    options.timeout_ms = 600000;
    ctie_wormhole *patient = open_group_with(&options);
    fill();
    CHECK_STATUS(ctie_thread_set_wait(CTIE_WAIT(is_unwanted, &asked)), CTIE_OK);
    CHECK_STATUS(pass_int(patient, "jobs", 3), CTIE_E_CANCELLED);
    CHECK_STATUS(ctie_thread_set_wait(CTIE_WAIT(NULL, NULL)), CTIE_OK);
    CHECK(asked == 2);
    CHECK_STATUS(ctie_wormhole_release(patient), CTIE_OK);
    take_all(wormhole, "jobs", 0, 3, 0);
    forget_worker(wormhole, "jobs");
}

/* While senders wait everybody else goes on: they hold no lock. */
static void a_waiting_sender_blocks_no_other(void) {
    struct sender sender;
    fill();
    start_sender(&sender, wormhole, 3);
    pass_from(wormhole, "other", 0, 100);
    CHECK(sender.status == 1);
    take_all(wormhole, "jobs", 0, 4, 0);
    CHECK_STATUS(end_sender(&sender), CTIE_OK);
    forget_worker(wormhole, "jobs");
}

static void all_of_it(void) {
    a_sender_waits_until_one_is_taken();
    another_process_makes_room();
    whatever_else_makes_room_wakes_them();
    there_is_an_end_to_waiting();
    closing_ends_the_wait();
    the_host_may_end_the_wait();
    a_waiting_sender_blocks_no_other();
}

int main(void) {
    ctie_wormhole_options options;
    name_directory();
    options = group_options(0);
    options.timeout_ms = 60000;
    wormhole = open_group_with(&options);
    all_of_it();
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
    /* Where the threads of a process pass together. */
    options = group_options(CTIE_WORMHOLE_SYSTEM);
    options.timeout_ms = 60000;
    wormhole = open_group_with(&options);
    a_sender_waits_until_one_is_taken();
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
    return check_end();
}
