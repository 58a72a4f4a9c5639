/* Crosstie's routes from C: what an open costs, and what a look-up without a handler. */
#include "routes.h"

enum { ROUNDS = 15 };

/* Every request goes to the route that the precedence says. */
static void check(ctie_bus *bus, urls all, const char *directory, const char *set) {
    lines expected = read_lines(directory, set, "expected", "");
    require(expected.count == all.count, "as many answers as requests");
    for (size_t i = 0; i < all.count; i++) {
        ctie_open(bus, all.url[i], CTIE_ORIGIN_LOCAL, NULL, NULL, NULL);
        require(last == strtoul(expected.line[i], NULL, 10), all.url[i].data);
    }
}

static void measure_opens(ctie_bus *bus, urls all, const char *work) {
    double figures[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) figures[round] = open_all(bus, all);
    report(work, "crosstie", lowest(figures, ROUNDS));
}

static void measure_misses(ctie_bus *bus, const char *directory, const char *set) {
    urls all = read_urls(directory, set, "misses");
    double figures[ROUNDS];
    char work[64];
    for (int round = 0; round < ROUNDS; round++) figures[round] = miss_all(bus, all);
    snprintf(work, sizeof work, "miss.%s", set);
    report(work, "crosstie", lowest(figures, ROUNDS));
    free_urls(all);
}

static void measure(const char *directory, const char *set) {
    urls patterns = read_urls(directory, set, "routes"), all = read_urls(directory, set, "paths");
    ctie_bus *bus = build(patterns);
    check(bus, all, directory, set);
    double figures[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) figures[round] = find_all(bus, all);
    char work[64];
    snprintf(work, sizeof work, "find.%s", set);
    report(work, "crosstie", lowest(figures, ROUNDS));
    snprintf(work, sizeof work, "open.%s", set);
    measure_opens(bus, all, work);
    if (strcmp(set, "github") == 0) {
        measure_opens(bus, read_urls(directory, set, "escaped"), "open.escaped");
        measure_opens(bus, read_urls(directory, set, "long"), "open.long");
        measure_opens(bus, read_urls(directory, set, "query"), "open.query");
    }
    if (strcmp(set, "github") == 0 || strcmp(set, "siblings10k") == 0) measure_misses(bus, directory, set);
    ctie_bus_release(bus);
    free_urls(patterns);
    free_urls(all);
}

int main(int argc, char **argv) {
    require(argc >= 3, "usage: routes <data> <set>…");
    for (int i = 2; i < argc; i++) measure(argv[1], argv[i]);
    return 0;
}
