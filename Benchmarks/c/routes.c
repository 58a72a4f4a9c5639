/* Crosstie's routes from C: what a route costs to add, what an open costs, and what a look-up without a handler. */
#include "bench.h"

#include <crosstie.h>
#include <malloc.h>

enum { ROUNDS = 15, BUILDS = 5 };

typedef struct urls {
    ctie_str *url;
    size_t count;
} urls;

static urls read_urls(const char *directory, const char *set, const char *kind) {
    lines all = read_lines(directory, set, kind, "app:/");
    urls result = {calloc(all.count, sizeof(ctie_str)), all.count};
    for (size_t i = 0; i < all.count; i++) result.url[i] = ctie_str_from(all.line[i]);
    return result;
}

static long handled;

static void handle(ctie_request *request, void *user_data) {
    (void)request;
    (void)user_data;
    handled++;
}

static size_t allocated(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

/* A bus with these routes, and what it took for each. */
static ctie_bus *build(urls patterns, double *took) {
    ctie_bus *bus = NULL;
    require(ctie_bus_new(NULL, &bus, NULL) == CTIE_OK, "ctie_bus_new");
    double begin = now_ns();
    for (size_t i = 0; i < patterns.count; i++) {
        ctie_status status = ctie_route_add(bus, patterns.url[i], handle, NULL, NULL, NULL, NULL, NULL);
        require(status == CTIE_OK, ctie_status_message(status));
    }
    *took = (now_ns() - begin) / (double)patterns.count;
    return bus;
}

static void measure_build(urls patterns) {
    double figures[BUILDS], memory = 0;
    for (int round = 0; round < BUILDS; round++) {
        size_t before = allocated();
        ctie_bus *bus = build(patterns, &figures[round]);
        if (round == 0) memory = (double)(allocated() - before) / (double)patterns.count;
        ctie_bus_release(bus);
    }
    report("build.time", "crosstie", lowest(figures, BUILDS));
    report("build.memory", "crosstie", memory);
}

static double open_all(ctie_bus *bus, urls all) {
    long before = handled;
    double begin = now_ns();
    for (size_t i = 0; i < all.count; i++) ctie_open(bus, all.url[i], CTIE_ORIGIN_LOCAL, NULL, NULL, NULL);
    double took = now_ns() - begin;
    require(handled - before == (long)all.count, "an open was not handled");
    return took / (double)all.count;
}

static double find_all(ctie_bus *bus, urls all) {
    size_t found = 0;
    double begin = now_ns();
    for (size_t i = 0; i < all.count; i++) {
        ctie_opener opener = CTIE_OPENER_NONE;
        ctie_can_open(bus, all.url[i], CTIE_ORIGIN_LOCAL, &opener);
        found += opener == CTIE_OPENER_ROUTE;
    }
    double took = now_ns() - begin;
    require(found == all.count, "a URL was not found");
    return took / (double)all.count;
}

static void measure(const char *directory, const char *set) {
    urls patterns = read_urls(directory, set, "routes"), all = read_urls(directory, set, "paths");
    double took, opens[ROUNDS], finds[ROUNDS];
    if (strcmp(set, "deep10k") == 0) measure_build(patterns);
    ctie_bus *bus = build(patterns, &took);
    char work[64];
    for (int round = 0; round < ROUNDS; round++) {
        finds[round] = find_all(bus, all);
        opens[round] = open_all(bus, all);
    }
    snprintf(work, sizeof work, "find.%s", set);
    report(work, "crosstie", lowest(finds, ROUNDS));
    if (strcmp(set, "github") == 0) report("open.c", "crosstie", lowest(opens, ROUNDS));
    ctie_bus_release(bus);
}

int main(int argc, char **argv) {
    require(argc >= 3, "usage: routes <data> <set>…");
    for (int i = 2; i < argc; i++) measure(argv[1], argv[i]);
    return 0;
}
