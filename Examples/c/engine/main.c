/*
 * Two processes work through a queue over the engine of files. One of them is killed in the middle of a job, and the
 * other one does it. The program starts itself as its workers: main worker <directory>
 */
#define _GNU_SOURCE
#include "engine.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { JOBS = 40, STUCK_AT = 13, WORKERS = 2 };

/* [open] */
static ctie_wormhole *open_group(const char *directory, const char *name) {
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    ctie_wormhole *wormhole = NULL;
    options.name = ctie_str_from(name);
    options.engine = &ENGINE_OF_FILES;
    options.engine_data = engine_of_files(directory);
    if (options.engine_data == NULL) exit((puts("out of memory"), 1));
    ctie_status status = ctie_wormhole_open(CTIE_STR("packing"), &options, &wormhole, NULL);
    if (status != CTIE_OK) exit((puts(ctie_status_message(status)), 1));
    return wormhole;
}
/* [end] */

/* ---- A worker ---------------------------------------------------------------------------------------- */

/* -1 without a number. */
static int64_t number_in(const ctie_message *message) {
    int64_t number = -1;
    return ctie_value_get_int(ctie_message_value(message), &number) == CTIE_OK ? number : -1;
}

/* One write for each line, so that those of two processes do not mix. */
static void report(const char *what, int64_t number, unsigned count) {
    char line[64];
    int size = snprintf(line, sizeof line, "%s %d %d %u\n", what, (int)getpid(), (int)number, count);
    if (size < 0 || size >= (int)sizeof line || write(STDOUT_FILENO, line, (size_t)size) != size) _exit(1);
}

static void pack(const ctie_message *message, void *data) {
    const int64_t *stuck_at = (const int64_t *)data;
    unsigned count = ctie_message_delivery_count(message);
    if (ctie_message_kind(message) != CTIE_MESSAGE_VALUE) return;
    if (number_in(message) == *stuck_at && count == 1) {
        report("stuck", number_in(message), count);
        for (;;) pause();
    }
    report("done", number_in(message), count);
} /* the message is acknowledged when it returns */

static int work(const char *directory) {
    ctie_wormhole *wormhole = open_group(directory, "worker");
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    ctie_message *trouble = NULL;
    char byte;
    /* A message that was sent before this process was there. */
    if (ctie_wormhole_message(wormhole, CTIE_STR("trouble"), &trouble, NULL) != CTIE_OK) return 1;
    int64_t stuck_at = number_in(trouble);
    ctie_message_release(trouble);
    options.flags = CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE;
    options.name = CTIE_STR("packer");
    options.max_unacknowledged = 1;
    ctie_status status = ctie_wormhole_listen(wormhole, CTIE_STR("jobs"), CTIE_RECEIVER(pack, &stuck_at), &options,
                                              NULL, NULL);
    if (status != CTIE_OK) return 1;
    report("ready", 0, 0);
    while (read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR) continue; /* until the other end is closed */
    ctie_wormhole_release(wormhole);
    return 0;
}

/* ---- The leader ---------------------------------------------------------------------------------------- */

/* Starts a worker that lives as long as `input` is open, and writes to `output`. Returns 0 if it cannot be started. */
static pid_t start_worker(const char *directory, int input, int output) {
    pid_t pid = fork();
    if (pid != 0) return pid > 0 ? pid : 0;
    if (dup2(input, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0) {
        execl("/proc/self/exe", "main", "worker", directory, (char *)NULL);
    }
    _exit(1);
}

/* A number of 0 or below is no worker: kill() takes it for a group of processes, or for all of them. */
static void end_worker(pid_t *worker, bool kills) {
    if (*worker <= 0) return;
    if (kills) kill(*worker, SIGKILL);
    while (waitpid(*worker, NULL, 0) < 0 && errno == EINTR) continue;
    *worker = 0;
}

typedef struct line {
    char what[8];
    int pid, number, delivery;
} line;

static bool read_line(FILE *reports, line *out) {
    return fscanf(reports, "%7s %d %d %d", out->what, &out->pid, &out->number, &out->delivery) == 4;
}

/* Reads the reports until all jobs are done, and kills the worker that is stuck. Returns how many were done once. */
static int follow(FILE *reports, pid_t *workers) {
    int done[JOBS + 1] = {0}, count = 0, once = 0;
    for (line next; count < JOBS && read_line(reports, &next);) {
        if (strcmp(next.what, "stuck") == 0) {
            int victim = 0;
            while (victim < WORKERS && workers[victim] != next.pid) victim++;
            if (victim == WORKERS) continue;
            end_worker(&workers[victim], true);
            printf("one worker is killed in the middle of number %d\n", next.number);
        } else if (strcmp(next.what, "done") == 0 && next.number >= 1 && next.number <= JOBS) {
            count += done[next.number]++ == 0;
            if (next.number == STUCK_AT) printf("the other one has done it, at delivery %d\n", next.delivery);
        }
    }
    for (int i = 1; i <= JOBS; i++) once += done[i] == 1;
    return once;
}

static bool send_number(ctie_wormhole *wormhole, const char *identifier, int number) {
    ctie_status status = ctie_wormhole_send(wormhole, ctie_str_from(identifier), ctie_value_int(number), NULL, NULL,
                                            NULL, NULL);
    if (status != CTIE_OK) puts(ctie_status_message(status));
    return status == CTIE_OK;
}

/* Starts the workers, and waits until each has said that it is ready. */
static bool start_workers(const char *directory, int input, int output, FILE *reports, pid_t *workers) {
    bool are_ready = true;
    for (int i = 0; i < WORKERS; i++) {
        workers[i] = start_worker(directory, input, output);
        are_ready &= workers[i] > 0;
    }
    close(input), close(output); /* otherwise the leader's own copies would keep them open */
    line ready;
    for (int i = 0; i < WORKERS; i++) are_ready = are_ready && read_line(reports, &ready);
    if (!are_ready) puts("the workers do not start");
    return are_ready;
}

static int lead_work(ctie_wormhole *wormhole, FILE *reports, pid_t *workers) {
    puts("two workers are ready");
    for (int i = 1; i <= JOBS; i++) {
        if (!send_number(wormhole, "jobs", i)) return 0;
    }
    int once = follow(reports, workers);
    printf("%d of %d jobs are done, each once\n", once, JOBS);
    return once;
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *where) {
    (void)about, (void)kind, (void)where;
    return remove(path);
}

static int lead(const char *directory) {
    int input[2], output[2], once = 0;
    pid_t workers[WORKERS] = {0};
    if (pipe2(input, O_CLOEXEC) != 0 || pipe2(output, O_CLOEXEC) != 0) return 1;
    FILE *reports = fdopen(output[0], "r");
    if (reports == NULL) return 1;
    ctie_wormhole *wormhole = open_group(directory, "leader");
    bool begins = send_number(wormhole, "trouble", STUCK_AT);
    bool are_ready = start_workers(directory, input[0], output[1], reports, workers);
    if (begins && are_ready) once = lead_work(wormhole, reports, workers);
    close(input[1]); /* the workers end; after a failure one may be stuck */
    for (int i = 0; i < WORKERS; i++) end_worker(&workers[i], once != JOBS);
    fclose(reports);
    ctie_wormhole_release(wormhole);
    return once == JOBS ? 0 : 1;
}

int main(int count, char **arguments) {
    if (count == 3 && strcmp(arguments[1], "worker") == 0) return work(arguments[2]);
    char directory[] = "/tmp/crosstie-engine-XXXXXX";
    if (mkdtemp(directory) == NULL) return 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    int result = lead(directory);
    nftw(directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    return result;
}
