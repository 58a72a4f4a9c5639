/*
 * A work queue that refuses, or has its senders wait, loses no job whose sending has returned: several processes send
 * in batches of all sizes, workers are killed at any instant, and the group's own limit is far below what waits.
 */
#include "backlog.h"

enum { SENDERS = 3, WORKERS = 3, MOST = 400, JOBS_OF_ONE = 1 << 20 };

static struct yard {
    _Atomic int shall_end, senders_left;
    _Atomic int64_t refused, batches, missed, unknown;
    /** Of each sender: jobs that were sent, those before it, and how often each was done. */
    _Atomic int64_t sent[SENDERS];
    _Atomic uint8_t done[SENDERS][JOBS_OF_ONE];
} *yard;

static ctie_wormhole *open_yard(uint32_t timeout_ms) {
    ctie_wormhole_options options = group_options(0);
    options.map_size = 16 << 20;
    options.max_map_size = 256 << 20;
    options.max_queued = 64;
    options.timeout_ms = timeout_ms;
    return open_group_with(&options);
}

struct role {
    int number;
    int64_t jobs;
    uint32_t when_full;
};

static ctie_value *job(int sender, int64_t number) { return ctie_value_int((int64_t)sender * JOBS_OF_ONE + number); }

static ctie_status send_some(ctie_wormhole *wormhole, int sender, int64_t first, size_t count) {
    ctie_outgoing messages[MOST];
    if (count == 1) return ctie_wormhole_send(wormhole, JOBS, job(sender, first), NULL, NULL, NULL, NULL);
    for (size_t i = 0; i < count; i++) {
        messages[i] = (ctie_outgoing){JOBS, job(sender, first + (int64_t)i)};
    }
    return ctie_wormhole_send_many(wormhole, messages, count, NULL, NULL, NULL);
}

static int send_jobs(void *argument) {
    struct role role = *(struct role *)argument;
    unsigned seed = (unsigned)role.number + 1;
    ctie_wormhole *wormhole = open_yard(60000);
    int64_t next = 0;
    while (next < role.jobs) {
        int64_t left = role.jobs - next, count = rand_r(&seed) % 4 == 0 ? 1 + rand_r(&seed) % MOST : 1;
        if (count > left) count = left;
        ctie_status status = send_some(wormhole, role.number, next, (size_t)count);
        if (status == CTIE_E_FULL && role.when_full == CTIE_FULL_REFUSE) {
            yard->refused++;
            nap_ns(200000);
            continue;
        }
        CHECK_STATUS(status, CTIE_OK);
        if (status != CTIE_OK) break;
        yard->batches++;
        next += count;
        yard->sent[role.number] = next;
    }
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    yard->senders_left--;
    return 0;
}

static void do_job(const ctie_message *message, void *user_data) {
    unsigned *seed = user_data;
    int64_t number = int_of(message);
    yard->missed += (int64_t)ctie_message_missed(message);
    if (ctie_message_kind(message) != CTIE_MESSAGE_VALUE) return;
    if (number < 0 || number >= (int64_t)SENDERS * JOBS_OF_ONE) {
        yard->unknown++;
        return;
    }
    if (rand_r(seed) % 64 == 0) {
        CHECK_STATUS(ctie_message_reject(message, rand_r(seed) % 3, CTIE_STR("")), CTIE_OK);
        return;
    }
    if (rand_r(seed) % 32 == 0) nap_ns(rand_r(seed) % 300000);
    yard->done[number / JOBS_OF_ONE][number % JOBS_OF_ONE]++;
}

static int work(void *argument) {
    unsigned seed = ((struct role *)argument)->number + 100u;
    ctie_wormhole *wormhole = open_yard(60000);
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.name = WORKER;
    options.flags = CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE;
    CHECK_STATUS(ctie_wormhole_listen(wormhole, JOBS, CTIE_RECEIVER(do_job, &seed), &options, NULL, NULL), CTIE_OK);
    while (!yard->shall_end) nap_ns(1000000);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    return 0;
}

/** The first job, from `start` on, that nobody has done. */
static int64_t done_from(int sender, int64_t start, int64_t end) {
    while (start < end && yard->done[sender][start] > 0) start++;
    return start;
}

static void no_job_is_lost(uint32_t when_full, int64_t jobs, int kills) {
    ctie_wormhole *wormhole = open_yard(60000);
    pid_t senders[SENDERS], workers[WORKERS];
    unsigned seed = 7;
    int number = 0, killed = 0;
    memset(yard, 0, sizeof *yard);
    declare(wormhole, "jobs", limited_to(MOST, when_full));
    /* A neighbor without listeners takes what the group's limit leaves it. */
    declare(wormhole, "ticks", limited_to(0, CTIE_FULL_DROP_OLDEST));
    yard->senders_left = SENDERS;
    for (int i = 0; i < SENDERS; i++) {
        struct role role = {i, jobs, when_full};
        senders[i] = start_child(send_jobs, &role);
    }
    for (int i = 0; i < WORKERS; i++) {
        struct role role = {++number, 0, 0};
        workers[i] = start_child(work, &role);
    }
    while (yard->senders_left > 0) {
        nap_ns(rand_r(&seed) % 3000000);
        CHECK_STATUS(pass_int(wormhole, "ticks", 0), CTIE_OK);
        if (killed >= kills) continue;
        int victim = rand_r(&seed) % WORKERS;
        struct role role = {++number, 0, 0};
        kill_child(workers[victim]);
        workers[victim] = start_child(work, &role);
        killed++;
    }
    int64_t all = 0, done = 0;
    for (int i = 0; i < SENDERS; i++) {
        CHECK(end_of_child(senders[i]) == 0);
        CHECK(yard->sent[i] == jobs);
        AWAIT((done = done_from(i, done, jobs)) == jobs);
        done = 0;
        all += yard->sent[i];
    }
    yard->shall_end = 1;
    for (int i = 0; i < WORKERS; i++) CHECK(end_of_child(workers[i]) == 0);
    CHECK(yard->missed == 0 && yard->unknown == 0);
    FIGURES("; %s: %lld jobs in %lld batches, %lld refused, %d workers killed, 0 lost",
            when_full == CTIE_FULL_REFUSE ? "refusing" : "waiting", (long long)all, (long long)yard->batches,
            (long long)yard->refused, killed);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

int main(void) {
    int64_t jobs = test_rounds(6000);
    name_directory();
    yard = share(sizeof *yard);
    no_job_is_lost(CTIE_FULL_REFUSE, jobs, test_rounds(30));
    no_job_is_lost(CTIE_FULL_WAIT, jobs, test_rounds(30));
    return check_end();
}
