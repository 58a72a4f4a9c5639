/* What must not grow with what is stored: a message to a listener on a prefix with so many identifiers below it, beside
   the same message to listeners on these identifiers, and one to a neighbour in the same process; and binding many
   listeners. */
#include "wormhole.h"

#include <semaphore.h>
#include <stdbool.h>

enum { ROUNDS = 400, MOST_LISTENERS = 65536, SPARE = 512u << 20 };

static sem_t heard;

static void hear(const ctie_message *message, void *user_data) {
    (void)message, (void)user_data;
    sem_post(&heard);
}

static void ignore(const ctie_message *message, void *user_data) { (void)message, (void)user_data; }

static ctie_wormhole *open_large(const char *directory, const char *work, int count) {
    char path[4096];
    snprintf(path, sizeof path, "%s/crosstie-growth-%s-%d", directory, work, count);
    ctie_wormhole *wormhole = NULL;
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    options.directory = ctie_str_from(path);
    options.max_map_size = SPARE;
    check(ctie_wormhole_open(CTIE_STR("bench"), &options, &wormhole, NULL));
    return wormhole;
}

static void name_one(int which, char (*name)[32]) { snprintf(*name, sizeof *name, "k.%d", which); }

/* Another one in each round. */
static int which_of(int round, int count) { return (int)((unsigned)round * 7919u % (unsigned)count); }

static void fill(ctie_wormhole *wormhole, int count) {
    char name[32];
    for (int i = 0; i < count; i++) {
        name_one(i, &name);
        pass_small(wormhole, ctie_str_from(name));
    }
}

/* Reports the median of so many messages, each from the sender's call to its return, or to the listener's call. */
static void measure(const char *work, int count, ctie_wormhole *wormhole, bool waits, bool is_neighbour) {
    double figures[ROUNDS];
    char name[32] = "tick", title[64];
    for (int round = 0; round < ROUNDS; round++) {
        if (!is_neighbour) name_one(which_of(round, count), &name);
        double begin = now_ns();
        pass_small(wormhole, ctie_str_from(name));
        if (waits) sem_wait(&heard);
        figures[round] = now_ns() - begin;
    }
    snprintf(title, sizeof title, "growth.%s.%d", work, count);
    report(title, "crosstie", median(figures, ROUNDS));
}

static void measure_prefix(ctie_wormhole *wormhole, int count) {
    listen_to(wormhole, CTIE_STR("k.*"), CTIE_LISTEN_NO_FIRST_FIRE, hear, NULL);
    measure("prefix", count, wormhole, true, false);
    listen_to(wormhole, CTIE_STR("k.*"), CTIE_LISTEN_NO_FIRST_FIRE, ignore, NULL); /* in its place */
    listen_to(wormhole, CTIE_STR("tick"), CTIE_LISTEN_NO_FIRST_FIRE, hear, NULL);
    measure("neighbour", count, wormhole, true, true);
    check(ctie_wormhole_remove_listeners(wormhole));
}

static void measure_exact(ctie_wormhole *wormhole, int count) {
    char name[32];
    for (int round = 0; round < ROUNDS; round++) {
        name_one(which_of(round, count), &name);
        listen_to(wormhole, ctie_str_from(name), CTIE_LISTEN_NO_FIRST_FIRE, hear, NULL);
    }
    measure("exact", count, wormhole, true, false);
}

/* So many identifiers below a prefix. */
static void measure_identifiers(const char *directory, int count) {
    ctie_wormhole *wormhole = open_large(directory, "prefix", count);
    fill(wormhole, count);
    measure("pass", count, wormhole, false, false);
    measure_prefix(wormhole, count);
    measure_exact(wormhole, count);
    ctie_wormhole_release(wormhole);
}

/* So many named listeners on one identifier: each, and its removal. */
static void measure_binding(const char *directory, int count) {
    ctie_wormhole *wormhole = open_large(directory, "bind", count);
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.flags = CTIE_LISTEN_NO_FIRST_FIRE;
    char name[32], title[64];
    double begin = now_ns();
    for (int i = 0; i < count; i++) {
        name_one(i, &name);
        options.name = ctie_str_from(name);
        check(ctie_wormhole_listen(wormhole, CTIE_STR("one"), ignore, NULL, NULL, &options, NULL, NULL));
    }
    double middle = now_ns();
    for (int i = 0; i < count; i++) {
        name_one(i, &name);
        check(ctie_wormhole_remove_listener(wormhole, CTIE_STR("one"), ctie_str_from(name)));
    }
    double end = now_ns();
    snprintf(title, sizeof title, "growth.bind.%d", count);
    report(title, "crosstie", (middle - begin) / count);
    snprintf(title, sizeof title, "growth.remove.%d", count);
    report(title, "crosstie", (end - middle) / count);
    ctie_wormhole_release(wormhole);
}

int main(int argc, char **argv) {
    require(argc == 2, "usage: growth <directory>");
    sem_init(&heard, 0, 0);
    for (int count = 1; count <= 100000; count *= 10) measure_identifiers(argv[1], count);
    for (int count = 64; count <= MOST_LISTENERS; count *= 32) measure_binding(argv[1], count);
    return 0;
}
