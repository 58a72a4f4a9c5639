/*
 * Everything that a work queue offers at once: delayed and large jobs, a limit at which senders wait, jobs that always fail,
 * backing off, and workers in boxes with PID namespaces of their own that are killed all the time. Each job is handled
 * or is a dead letter; a job that always fails is a dead letter; and all that are retried are handled once they no
 * longer fail.
 *
 * A round is one worker's life; two of three are killed, so CTIE_TEST_ROUNDS=15000 kills ten thousand.
 */
#define _GNU_SOURCE
#include "box.h"
#include "job.h"

#define JOBS CTIE_STR("job")
#define WORKERS CTIE_STR("workers")

enum { MOST_JOBS = 1 << 24, DELIVERIES = 6, MOST_WAITING = 500, POISONED = 50, DELAYED = 5, PAGE = 1000 };

static struct scene {
    _Atomic int64_t sent, rejected;
    _Atomic int is_over, is_mended, workers;
    _Atomic uint8_t handled[MOST_JOBS], dead[MOST_JOBS];
} *scene;

static bool fails(int64_t number) { return number % POISONED == 0 && !scene->is_mended; }

/* Dead letters stay until they are retried: ten thousand kills leave twenty thousand of them. */
static ctie_wormhole *open_roomy_group(uint32_t timeout_ms) {
    ctie_wormhole_options options = group_options(0);
    options.max_map_size = 1 << 30;
    options.timeout_ms = timeout_ms;
    return open_group_with(&options);
}

/* ---- Working --------------------------------------------------------------------------------------------- */

static void do_job(const ctie_message *message, void *unused) {
    (void)unused;
    int64_t number = job_of(message);
    CHECK(ctie_message_kind(message) == CTIE_MESSAGE_VALUE && number >= 0 && number < MOST_JOBS);
    CHECK(ctie_message_delivery_count(message) <= DELIVERIES);
    if (!fails(number)) {
        scene->handled[number] = 1;
        return;
    }
    scene->rejected++;
    CHECK_STATUS(ctie_message_reject(message, -1, CTIE_STR("it always fails")), CTIE_OK);
}

static void become_worker(ctie_wormhole *wormhole) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.name = WORKERS;
    options.flags = CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE;
    CHECK_STATUS(ctie_wormhole_listen(wormhole, JOBS, CTIE_RECEIVER(do_job, NULL), &options, NULL, NULL), CTIE_OK);
}

/* Works until a number of jobs has been sent. */
static int work_until(void *argument) {
    const int64_t *until = argument;
    ctie_wormhole *wormhole = open_roomy_group(0);
    become_worker(wormhole);
    scene->workers++;
    while (scene->sent < *until && !scene->is_over) nap_ns(1000000);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

/* ---- Sending --------------------------------------------------------------------------------------------- */

static void send_job(ctie_wormhole *wormhole, int64_t number) {
    ctie_header header = {CTIE_HEADER_CORRELATION, CTIE_STR("a job")};
    ctie_send_options options = CTIE_SEND_OPTIONS_INIT;
    options.headers = &header;
    options.header_count = number % 3 == 0;
    options.delay_ms = number % DELAYED == 0 ? 1 + (uint64_t)number % 50 : 0;
    CHECK_STATUS(ctie_wormhole_send(wormhole, JOBS, job_value(number), &options, NULL, NULL, NULL), CTIE_OK);
}

static int send_jobs(void *unused) {
    (void)unused;
    ctie_wormhole *wormhole = open_roomy_group(60000);
    while (!scene->is_over && scene->sent < MOST_JOBS) {
        send_job(wormhole, scene->sent);
        if (++scene->sent % 8 == 0) nap_ns(4000000);
    }
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

/* ---- What has become of the jobs --------------------------------------------------------------------------- */

static void note_dead_letter(ctie_wormhole *wormhole, uint64_t sequence) {
    ctie_message *message = NULL;
    CHECK_STATUS(ctie_wormhole_dead_letter(wormhole, JOBS, WORKERS, sequence, &message, NULL), CTIE_OK);
    int64_t number = job_of(message);
    CHECK(number >= 0 && number < MOST_JOBS && scene->dead[number] == 0);
    if (number >= 0 && number < MOST_JOBS) scene->dead[number] = 1;
    ctie_message_release(message);
}

/* Notes the dead letters after one; gives the last one's number, or 0. */
static uint64_t note_dead_letters(ctie_wormhole *wormhole, uint64_t after) {
    ctie_value *list = NULL;
    CHECK_STATUS(ctie_wormhole_dead_letters(wormhole, JOBS, WORKERS, after, PAGE, &list, NULL), CTIE_OK);
    size_t count = ctie_value_count(list);
    for (size_t i = 0; i < count; i++) {
        after = (uint64_t)int_at(ctie_value_at(list, i), "sequence");
        note_dead_letter(wormhole, after);
    }
    ctie_value_release(list);
    return count == PAGE ? after : 0;
}

static int64_t count_dead(ctie_wormhole *wormhole) {
    memset((void *)scene->dead, 0, sizeof scene->dead);
    uint64_t after = 0;
    do { after = note_dead_letters(wormhole, after); } while (after > 0);
    int64_t dead = 0;
    for (int64_t number = 0; number < scene->sent; number++) dead += scene->dead[number];
    return dead;
}

static bool is_all_handled(void) {
    for (int64_t number = 0; number < scene->sent; number++) {
        if (!scene->handled[number]) return false;
    }
    return true;
}

static bool is_all_handled_or_dead(ctie_wormhole *wormhole) {
    count_dead(wormhole);
    for (int64_t number = 0; number < scene->sent; number++) {
        if (fails(number) ? !scene->dead[number] : !scene->handled[number] && !scene->dead[number]) return false;
    }
    return true;
}

/* ---- All of it --------------------------------------------------------------------------------------------- */

static void declare(ctie_wormhole *wormhole) {
    ctie_durable_options options = CTIE_DURABLE_OPTIONS_INIT;
    options.max_deliveries = DELIVERIES;
    options.backoff_first_ms = 1;
    options.backoff_most_ms = 20;
    options.backoff_jitter = 0.5;
    options.max_messages = MOST_WAITING;
    options.when_full = CTIE_FULL_WAIT;
    CHECK_STATUS(ctie_wormhole_declare(wormhole, JOBS, WORKERS, &options, NULL), CTIE_OK);
}

static void live_through(int round, unsigned *seed) {
    static int64_t until;
    bool is_killed = round % 3 != 0;
    int64_t span = 5 + rand_r(seed) % 60;
    int workers = scene->workers;
    until = is_killed ? INT64_MAX : scene->sent + span;
    pid_t worker = round % 4 == 1 ? start_child(work_until, &until) : start_boxed(work_until, &until);
    AWAIT(scene->workers > workers);
    if (!is_killed) {
        CHECK(end_of_child(worker) == 0);
        return;
    }
    nap_ns(span * 1000000);
    kill_child(worker);
}

static void test_all_together(int rounds) {
    unsigned seed = 1;
    uint64_t retried = 0;
    ctie_wormhole *wormhole = open_roomy_group(0);
    declare(wormhole);
    pid_t sender = start_child(send_jobs, NULL);
    for (int round = 0; round < rounds; round++) live_through(round, &seed);
    scene->is_over = true;
    become_worker(wormhole);
    CHECK(end_of_child(sender) == 0);
    AWAIT(is_all_handled_or_dead(wormhole));
    int64_t dead = count_dead(wormhole);
    scene->is_mended = true;
    CHECK_STATUS(ctie_wormhole_retry(wormhole, JOBS, WORKERS, 0, &retried, NULL), CTIE_OK);
    CHECK(retried == (uint64_t)dead);
    AWAIT(is_all_handled());
    CHECK(count_dead(wormhole) == 0);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    FIGURES("; %lld jobs, %lld rejections, %lld dead letters retried", (long long)scene->sent,
            (long long)scene->rejected, (long long)dead);
}

int main(void) {
    scene = share(sizeof *scene);
    name_directory();
    if (!has_boxes()) return end_without_boxes();
    test_all_together(test_rounds(30));
    remove_directory();
    return check_end();
}
