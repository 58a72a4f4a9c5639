/* The common part of the growth programs: large groups, numbered names, and a figure for one point of a curve. */
#ifndef BENCH_GROWING_H
#define BENCH_GROWING_H

#include "wormhole.h"

typedef struct name {
    char text[32];
} name;

static inline name name_of_number(const char *stem, int number) {
    name self;
    snprintf(self.text, sizeof self.text, "%s.%d", stem, number);
    return self;
}

/* The group of that work and number in <directory>, with room for everything that is measured here. */
static inline ctie_wormhole *open_large(const char *directory, const char *work, int number) {
    char path[4096];
    snprintf(path, sizeof path, "%s/crosstie-%s-%d", directory, work, number);
    ctie_wormhole *wormhole = NULL;
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    options.directory = ctie_str_from(path);
    options.max_map_size = UINT64_C(2) << 30;
    options.max_queued = 10000000;
    options.max_queued_size = UINT64_C(1) << 30;
    options.max_value_size = 64 << 20;
    check(ctie_wormhole_open(CTIE_STR("bench"), &options, &wormhole, NULL));
    return wormhole;
}

/* Closes the group of open_large() and removes its files: the next one has the memory. */
static inline void end_large(ctie_wormhole *wormhole, const char *directory, const char *work, int number) {
    static const char *const files[] = {"data.mdb", "lock.mdb", "wakeups", "opening"};
    char path[4200];
    check(ctie_wormhole_release(wormhole));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/crosstie-%s-%d/%s", directory, work, number, files[i]);
        remove(path);
    }
    snprintf(path, sizeof path, "%s/crosstie-%s-%d", directory, work, number);
    remove(path);
}

/* The figure of a curve at one place. */
static inline void report_at(const char *curve, double place, const char *who, double figure) {
    char title[64];
    snprintf(title, sizeof title, "growth.%s.%.0f", curve, place);
    report(title, who, figure);
}

static inline void nothing(const ctie_message *message, void *unused) { (void)message, (void)unused; }

/* Has messages of an identifier kept for a durable consumer that nobody listens to. */
static inline void keep_for(ctie_wormhole *wormhole, ctie_str identifier, ctie_str name) {
    check(ctie_wormhole_declare(wormhole, identifier, name, NULL, NULL));
}

#endif
