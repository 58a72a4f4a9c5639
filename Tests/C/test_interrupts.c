/* A storm of signals that interrupt every system call, on every thread: nothing fails of it, and nothing is lost. */
#define _GNU_SOURCE
#include "group.h"

#include <sys/syscall.h>

static _Atomic int storm_is_over;
static _Atomic long interruptions;

static void interrupt(int number) {
    (void)number;
    interruptions++;
}

/* Sends a signal to every thread of the process but this one, over and over. */
static void *send_signals(void *unused) {
    (void)unused;
    pid_t process = getpid();
    long self = syscall(SYS_gettid);
    while (!storm_is_over) {
        DIR *threads = opendir("/proc/self/task");
        for (struct dirent *each; threads != NULL && (each = readdir(threads)) != NULL;) {
            long thread = atol(each->d_name);
            if (thread > 0 && thread != self) syscall(SYS_tgkill, process, thread, SIGUSR1);
        }
        if (threads != NULL) closedir(threads);
        nap_ns(20000);
    }
    return NULL;
}

static struct { _Atomic int64_t received, in_order, queued; } reported;

static void receive_state(const ctie_message *message, void *unused) {
    (void)unused;
    if (ctie_message_kind(message) == CTIE_MESSAGE_VALUE) reported.received = int_of(message);
}

static void receive_queue(const ctie_message *message, void *unused) {
    (void)unused;
    reported.in_order += int_of(message) == reported.queued;
    reported.queued++;
}

static int pass_to_all(void *argument) {
    int64_t messages = *(int64_t *)argument;
    ctie_wormhole *wormhole = open_group();
    for (int64_t i = 0; i < messages; i++) CHECK_STATUS(pass_int(wormhole, "q", i), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

/* Opens and closes, passes and reads, listens and removes, while another process passes too. */
static void work(int64_t rounds) {
    ctie_listen_options queue = CTIE_LISTEN_OPTIONS_INIT;
    ctie_wormhole *staying = open_group();
    queue.flags = CTIE_LISTEN_QUEUE;
    CHECK_STATUS(ctie_wormhole_listen(staying, CTIE_STR("w"), CTIE_RECEIVER(receive_state, NULL), NULL, NULL, NULL),
                 CTIE_OK);
    CHECK_STATUS(ctie_wormhole_listen(staying, CTIE_STR("q"), CTIE_RECEIVER(receive_queue, NULL), &queue, NULL, NULL),
                 CTIE_OK);
    /* Swift's runtime makes descriptions of types when they are first used, under locks of its own: a child that is
     * forked in the middle of that finds them held for ever. So the listening thread has been around once. */
    CHECK_STATUS(pass_int(staying, "w", -1), CTIE_OK);
    AWAIT(reported.received == -1);
    pid_t child = start_child(pass_to_all, &rounds);
    for (int64_t i = 1; i <= rounds; i++) {
        ctie_wormhole *wormhole = open_group();
        struct ear ear = {0};
        listen_to(wormhole, CTIE_STR("w"), "", &ear);
        CHECK_STATUS(pass_int(wormhole, "w", i), CTIE_OK);
        CHECK_STATUS(pass_bytes(wormhole, "big", 70000), CTIE_OK);
        CHECK(stored_int(wormhole, CTIE_STR("w")) == i);
        AWAIT(ear.value == i && reported.received == i);
        CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    }
    CHECK(end_of_child(child) == 0);
    AWAIT(reported.queued == rounds);
    CHECK(reported.in_order == rounds);
    CHECK_STATUS(ctie_wormhole_release(staying), CTIE_OK);
}

int main(void) {
    struct sigaction action = {.sa_handler = interrupt};
    pthread_t thread;
    name_directory();
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    pthread_create(&thread, NULL, send_signals, NULL);
    work(test_rounds(200));
    storm_is_over = 1;
    pthread_join(thread, NULL);
    CHECK(interruptions > 0);
    FIGURES("; %ld interruptions", (long)interruptions);
    remove_directory();
    return check_end();
}
