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

enum { JOBS = 40, STUCK_AT = 13 };

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

static int64_t number_in(const ctie_message *message) {
    int64_t number = 0;
    ctie_value_get_int(ctie_message_value(message), &number);
    return number;
}

/* One write for each line, so that those of two processes do not mix. */
static void report(const char *what, int64_t number, unsigned count) {
    char line[64];
    int size = snprintf(line, sizeof line, "%s %d %d %u\n", what, (int)getpid(), (int)number, count);
    if (write(STDOUT_FILENO, line, (size_t)size) != size) exit(1);
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
    ctie_status status = ctie_wormhole_listen(wormhole, CTIE_STR("jobs"), CTIE_RECEIVER(pack, &stuck_at), &options, NULL,
                                              NULL);
    if (status != CTIE_OK) return 1;
    report("ready", 0, 0);
    while (read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR) continue; /* until the other end is closed */
    ctie_wormhole_release(wormhole);
    return 0;
}

/* ---- Its master ------------------------------------------------------------------------------------------ */

/* Starts a worker that lives as long as `input` is open, and writes to `output`. */
static pid_t start_worker(const char *directory, int input, int output) {
    pid_t pid = fork();
    if (pid != 0) return pid;
    if (dup2(input, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0) {
        execl("/proc/self/exe", "main", "worker", directory, (char *)NULL);
    }
    _exit(1);
}

/* Reads what the workers report until all jobs are done; kills the one that is stuck. Gives how many were done once. */
static int follow(FILE *reports, pid_t *workers) {
    int done[JOBS + 1] = {0}, count = 0, once = 0;
    char what[8];
    for (int pid, number, delivery; count < JOBS && fscanf(reports, "%7s %d %d %d", what, &pid, &number, &delivery) == 4;) {
        if (strcmp(what, "stuck") == 0) {
            int victim = workers[0] == pid ? 0 : 1;
            kill(workers[victim], SIGKILL);
            waitpid(workers[victim], NULL, 0);
            workers[victim] = 0;
            printf("one worker is killed in the middle of number %d\n", number);
        } else if (strcmp(what, "done") == 0 && number >= 1 && number <= JOBS) {
            count += done[number]++ == 0;
            if (number == STUCK_AT) printf("the other one has done it, at delivery %d\n", delivery);
        }
    }
    for (int i = 1; i <= JOBS; i++) once += done[i] == 1;
    return once;
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *where) {
    (void)about, (void)kind, (void)where;
    return remove(path);
}

static int lead(const char *directory) {
    int input[2], output[2], pid, number, count;
    pid_t workers[2];
    char what[8];
    if (pipe2(input, O_CLOEXEC) != 0 || pipe2(output, O_CLOEXEC) != 0) return 1;
    ctie_wormhole *wormhole = open_group(directory, "master");
    ctie_wormhole_send(wormhole, CTIE_STR("trouble"), ctie_value_int(STUCK_AT), NULL, NULL, NULL, NULL);
    for (int i = 0; i < 2; i++) workers[i] = start_worker(directory, input[0], output[1]);
    close(input[0]), close(output[1]);
    FILE *reports = fdopen(output[0], "r");
    for (int i = 0; i < 2; i++) {
        if (fscanf(reports, "%7s %d %d %d", what, &pid, &number, &count) != 4) return 1;
    }
    puts("two workers are ready");
    for (int i = 1; i <= JOBS; i++) {
        ctie_status status = ctie_wormhole_send(wormhole, CTIE_STR("jobs"), ctie_value_int(i), NULL, NULL, NULL, NULL);
        if (status != CTIE_OK) puts(ctie_status_message(status));
    }
    int once = follow(reports, workers);
    printf("%d of %d jobs are done, each once\n", once, JOBS);
    close(input[1]);
    for (int i = 0; i < 2; i++) {
        if (workers[i] > 0) waitpid(workers[i], NULL, 0);
    }
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
