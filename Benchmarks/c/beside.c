/*
 * Reading beside writing: what a reader loses when another thread registers and removes routes without pause.
 *
 * Two busy cores slow each other down whatever they do. So there are three kinds of rounds, in turn: the reader alone,
 * beside a writer of another bus, and beside a writer of its own.
 */
#include "pair.h"
#include "routes.h"

#include <pthread.h>
#include <stdatomic.h>

enum { ROUNDS = 21, EXTRA = 200, WRITES = 50, TRIES = 20 };
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

/* What reading takes meanwhile, and whether the writer got on at all: others may have had its core. */
static int read_once(writer *writing, reading read, urls all, ctie_bus *bus, double *took) {
    pthread_t thread;
    writing->stop = 0;
    writing->written = 0;
    require(pthread_create(&thread, NULL, write_without_pause, writing) == 0, "pthread_create");
    while (writing->written == 0) sched_yield();
    long before = writing->written;
    *took = read(bus, all);
    long written = writing->written - before;
    writing->stop = 1;
    pthread_join(thread, NULL);
    return written >= WRITES;
}

static double read_beside(writer *writing, reading read, urls all, ctie_bus *bus) {
    double took = 0;
    for (int i = 0; i < TRIES; i++) {
        if (read_once(writing, read, all, bus, &took)) return took;
    }
    require(0, "nothing is written meanwhile");
    return took;
}

/* Percent of the reader's speed that are lost. */
static double loss(double alone, double beside) { return 100 * (1 - alone / beside); }

static void measure(reading read, const char *work, writer writers[KINDS], urls all) {
    double figures[KINDS][ROUNDS];
    ctie_bus *bus = writers[SAME_BUS].bus;
    for (int round = 0; round < ROUNDS; round++) {
        figures[ALONE][round] = read(bus, all);
        for (int kind = OTHER_BUS; kind < KINDS; kind++) {
            figures[kind][round] = read_beside(&writers[kind], read, all, bus);
        }
    }
    double alone = median(figures[ALONE], ROUNDS);
    report(work, "a writer elsewhere", loss(alone, median(figures[OTHER_BUS], ROUNDS)));
    report(work, "crosstie", loss(alone, median(figures[SAME_BUS], ROUNDS)));
}

int main(int argc, char **argv) {
    require(argc == 3, "usage: beside <data> <set>");
    urls patterns = read_urls(argv[1], argv[2], "routes"), all = read_urls(argv[1], argv[2], "paths");
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
