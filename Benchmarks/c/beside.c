/*
 * Reading beside writing: what a reader loses when another thread registers and removes routes without pause.
 *
 * Two busy cores slow each other down whatever they do. So there are three kinds of rounds, in turn: the reader alone,
 * beside a writer of another bus, and beside a writer of its own. They are short, so that on a busy machine there are
 * some in which both threads had their cores for themselves: the others do not count.
 */
#include "pair.h"
#include "routes.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>

enum { ROUNDS = 100, BATCH = 2000, WRITES = 5, TRIES = 1000, EXTRA = 200 };
enum { ALONE, OTHER_BUS, SAME_BUS, KINDS };

typedef double (*reading)(ctie_bus *bus, urls all);

typedef struct writer {
    ctie_bus *bus;
    urls patterns;
    atomic_long written;
    atomic_int stop;
} writer;

static void *write_without_pause(void *argument) {
    writer *self = argument;
    run_on_core(0);
    for (size_t i = 0; !self->stop; i = (i + 1) % self->patterns.count) {
        ctie_registration *registration = NULL;
        add_route(self->bus, self->patterns.url[i], handle, NULL, &registration);
        ctie_registration_release(registration);
        self->written++;
    }
    return NULL;
}

/* New routes on the way of those that are read: each a step below one of them. */
static urls below(urls patterns) {
    urls result = {calloc(EXTRA, sizeof(ctie_str)), patterns.count < EXTRA ? patterns.count : EXTRA};
    for (size_t i = 0; i < result.count; i++) {
        char *text = malloc(patterns.url[i].size + sizeof "/extra");
        strcat(strcpy(text, patterns.url[i].data), "/extra");
        result.url[i] = ctie_str_from(text);
    }
    return result;
}

static void start(writer *self, pthread_t *thread) {
    self->stop = 0;
    self->written = 0;
    require(pthread_create(thread, NULL, write_without_pause, self) == 0, "pthread_create");
    while (self->written == 0) sched_yield();
}

/* The number of times that others have taken this thread's core; waiting for a lock would be a switch of the other kind. */
static long taken_off(void) {
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw;
}

/* The time of reading while `writing` messages are written, if any. Whether both had their cores for themselves. */
static int read_once(writer *writing, reading read, ctie_bus *bus, urls all, double *took) {
    pthread_t thread;
    if (writing) start(writing, &thread);
    long written = writing ? writing->written : 0, off = taken_off();
    *took = read(bus, all);
    int undisturbed = taken_off() == off && (!writing || writing->written - written >= WRITES);
    if (writing) {
        writing->stop = 1;
        pthread_join(thread, NULL);
    }
    return undisturbed;
}

static double read_undisturbed(writer *writing, reading read, ctie_bus *bus, urls all) {
    double took = 0;
    for (int i = 0; i < TRIES; i++) {
        if (read_once(writing, read, bus, all, &took)) return took;
    }
    require(0, "this machine is too busy to see what writing costs a reader");
    return took;
}

/* Percent of the reader's speed that are lost. */
static double loss(double alone, double beside) { return 100 * (1 - alone / beside); }

static void measure(reading read, const char *work, writer writers[KINDS], urls all) {
    double figures[KINDS][ROUNDS];
    ctie_bus *bus = writers[SAME_BUS].bus;
    for (int round = 0; round < ROUNDS; round++) {
        urls batch = {all.url + (size_t)round * BATCH % (all.count - BATCH), BATCH};
        for (int kind = ALONE; kind < KINDS; kind++) {
            writer *writing = kind == ALONE ? NULL : &writers[kind];
            figures[kind][round] = read_undisturbed(writing, read, bus, batch);
        }
    }
    double alone = median(figures[ALONE], ROUNDS);
    report(work, "a writer elsewhere", loss(alone, median(figures[OTHER_BUS], ROUNDS)));
    report(work, "crosstie", loss(alone, median(figures[SAME_BUS], ROUNDS)));
}

int main(int argc, char **argv) {
    require(argc == 3, "usage: beside <data> <set>");
    urls patterns = read_urls(argv[1], argv[2], "routes"), all = read_urls(argv[1], argv[2], "paths");
    require(all.count > BATCH, "too few requests");
    urls extra = below(patterns);
    writer writers[KINDS] = {
        [OTHER_BUS] = {.bus = build(patterns), .patterns = extra},
        [SAME_BUS] = {.bus = build(patterns), .patterns = extra},
    };
    run_on_core(1);
    measure(find_all, "beside.find", writers, all);
    measure(open_all, "beside.open", writers, all);
    for (int kind = OTHER_BUS; kind < KINDS; kind++) ctie_bus_release(writers[kind].bus);
    return 0;
}
