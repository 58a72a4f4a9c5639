/*
 * A work queue while its surroundings change: workers come in boxes with PID namespaces of their own and go or are
 * killed, a file cleaner runs, files of the group are removed. No job whose send has returned is lost, one is done
 * twice only if a worker was killed, and a queue listener gets all of them once and in order.
 *
 * A round is one worker's life. CTIE_TEST_ROUNDS=31000 takes about an hour, and cleans every five seconds.
 */
#define _GNU_SOURCE
#include "box.h"
#include "cleaner.h"
#include "job.h"
#include "removal.h"

enum { MOST_JOBS = 1 << 24, CLEANING = 40, REMOVING = 16 };

static struct scene {
    _Atomic int64_t sent, done, repeated;
    _Atomic int is_over, workers;
    _Atomic uint8_t handled[MOST_JOBS];
} *scene;

/* A share of the size is for what is queued, which is up to 4,096 jobs. */
static ctie_wormhole *open_roomy_group(void) {
    ctie_wormhole_options options = group_options(0);
    options.max_map_size = 256 << 20;
    return open_group_with(&options);
}

/* ---- Working --------------------------------------------------------------------------------------------- */

static void do_job(const ctie_message *message, void *unused) {
    (void)unused;
    int64_t number = job_of(message);
    CHECK(ctie_message_kind(message) == CTIE_MESSAGE_VALUE && number >= 0 && number < MOST_JOBS);
    if (scene->handled[number]++ == 0) {
        scene->done++;
    } else {
        CHECK(ctie_message_delivery_count(message) > 1);
        scene->repeated++;
    }
}

static void become_worker(ctie_wormhole *wormhole) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.name = CTIE_STR("workers");
    options.flags = CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE;
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("job"), CTIE_RECEIVER(do_job, NULL), &options, NULL, NULL),
                 CTIE_OK);
}

/* Works until a number of jobs has been sent. */
static int work_until(void *argument) {
    const int64_t *until = argument;
    ctie_wormhole *wormhole = open_roomy_group();
    become_worker(wormhole);
    scene->workers++;
    while (scene->sent < *until && !scene->is_over) nap_ns(1000000);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

/* ---- Sending --------------------------------------------------------------------------------------------- */

static int send_jobs(void *unused) {
    (void)unused;
    ctie_wormhole *wormhole = open_roomy_group();
    while (!scene->is_over && scene->sent < MOST_JOBS) {
        ctie_error *error = NULL;
        ctie_status status =
            ctie_wormhole_send(wormhole, CTIE_STR("job"), job_value(scene->sent), NULL, NULL, NULL, &error);
        if (status != CTIE_OK) {
            ctie_str message = ctie_error_message(error);
            fprintf(stderr, "sending: %.*s\n", (int)message.size, message.data);
            CHECK_STATUS(status, CTIE_OK);
            ctie_error_release(error);
            scene->is_over = true;
            break;
        }
        if (++scene->sent % 8 == 0) nap_ns(4000000);
        while (scene->sent - scene->done > 4096 && !scene->is_over) nap_ns(1000000);
    }
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

/* Receives each job once, in order. */
static void follow(const ctie_message *message, void *received) {
    _Atomic int64_t *next = received;
    CHECK(ctie_message_kind(message) == CTIE_MESSAGE_VALUE && job_of(message) == *next);
    ++*next;
}

/* ---- The surroundings ------------------------------------------------------------------------------------ */

static void live_through(int round, unsigned *seed) {
    static int64_t until;
    bool is_killed = round % 3 == 0;
    int64_t span = 50 + rand_r(seed) % 200;
    int workers = scene->workers;
    until = is_killed ? INT64_MAX : scene->sent + span;
    pid_t worker = round % 4 == 1 ? start_child(work_until, &until) : start_boxed(work_until, &until);
    AWAIT(scene->workers > workers);
    if (round % REMOVING == REMOVING - 1) remove_all();
    if (!is_killed) {
        CHECK(end_of_child(worker) == 0);
        return;
    }
    nap_ns(span * 1000000);
    kill_child(worker);
}

/* Looks at each job: a worker may have been killed after it had handled one and before it counted that. */
static bool all_jobs_are_done(void) {
    for (int64_t number = 0; number < scene->sent; number++) {
        if (scene->handled[number] == 0) return false;
    }
    return true;
}

static void test_surroundings(const char *parent, int rounds) {
    _Atomic int64_t received = 0;
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    unsigned seed = 1;
    ctie_wormhole *wormhole = open_roomy_group();
    CHECK_STATUS(ctie_wormhole_declare(wormhole, CTIE_STR("job"), CTIE_STR("workers"), NULL, NULL), CTIE_OK);
    options.flags = CTIE_LISTEN_QUEUE;
    CHECK_STATUS(ctie_wormhole_listen(wormhole, CTIE_STR("job"), CTIE_RECEIVER(follow, &received), &options, NULL, NULL),
                 CTIE_OK);
    pid_t sender = start_child(send_jobs, NULL);
    for (int round = 0; round < rounds && !scene->is_over; round++) {
        live_through(round, &seed);
        if (round % CLEANING == 0) clean_with_systemd(parent);
    }
    scene->is_over = true;
    CHECK(end_of_child(sender) == 0);
    become_worker(wormhole);
    AWAIT(all_jobs_are_done() && received == scene->sent);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    FIGURES("; %lld jobs, %lld of them done twice", (long long)scene->sent, (long long)scene->repeated);
}

int main(void) {
    char parent[64];
    scene = share(sizeof *scene);
    name_directory();
    if (!has_boxes()) return end_without_boxes();
    name_directory_inside(parent);
    test_surroundings(parent, test_rounds(24));
    memcpy(directory, parent, sizeof directory);
    remove_directory();
    return check_end();
}
