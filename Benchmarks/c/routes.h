/* The route sets of datasets.py as Crosstie takes them: URLs, and a bus that has a set's routes. */
#ifndef BENCH_ROUTES_H
#define BENCH_ROUTES_H

#include "bench.h"

#include <crosstie.h>

typedef struct urls {
    ctie_str *url;
    size_t count;
} urls;

static inline urls read_urls(const char *directory, const char *set, const char *kind) {
    lines all = read_lines(directory, set, kind, "app:/");
    urls result = {calloc(all.count, sizeof(ctie_str)), all.count};
    for (size_t i = 0; i < all.count; i++) result.url[i] = ctie_str_from(all.line[i]);
    free(all.line); /* the texts stay */
    return result;
}

static inline void free_urls(urls all) {
    for (size_t i = 0; i < all.count; i++) free((void *)all.url[i].data);
    free(all.url);
}

static inline ctie_bus *new_bus(void) {
    ctie_bus *bus = NULL;
    require(ctie_bus_new(NULL, &bus, NULL) == CTIE_OK, "ctie_bus_new");
    return bus;
}

static inline void add_route(ctie_bus *bus, ctie_str pattern, ctie_handler_fn fn, void *user_data,
                             ctie_registration **out) {
    ctie_status status = ctie_route_add(bus, pattern, CTIE_HANDLER(fn, user_data), NULL, out, NULL);
    require(status == CTIE_OK, ctie_status_message(status));
}

/* The number of handled requests, and the number of the route that had the last one. */
static long handled;
static size_t last;

static inline void handle(ctie_request *request, void *user_data) {
    (void)request;
    last = (size_t)user_data;
    handled++;
}

/* A bus with these routes, each of which knows its number. */
static inline ctie_bus *build(urls patterns) {
    ctie_bus *bus = new_bus();
    for (size_t i = 0; i < patterns.count; i++) add_route(bus, patterns.url[i], handle, (void *)i, NULL);
    return bus;
}

/* Nanoseconds that an open takes, from the URL's text to the handler's return. */
static inline double open_all(ctie_bus *bus, urls all) {
    long before = handled;
    double begin = now_ns();
    for (size_t i = 0; i < all.count; i++) ctie_open(bus, all.url[i], CTIE_ORIGIN_LOCAL, NULL, NULL, NULL);
    double took = now_ns() - begin;
    require(handled - before == (long)all.count, "an open was not handled");
    return took / (double)all.count;
}

/* Nanoseconds of the question which part would open a URL; of all URLs it is to be this part. */
static inline double ask_all(ctie_bus *bus, urls all, ctie_opened_by expected) {
    size_t found = 0;
    double begin = now_ns();
    for (size_t i = 0; i < all.count; i++) {
        ctie_opened_by opener = CTIE_OPENED_BY_NONE;
        ctie_can_open(bus, all.url[i], CTIE_ORIGIN_LOCAL, CTIE_MATCH_DEFAULT, &opener);
        found += opener == expected;
    }
    double took = now_ns() - begin;
    require(found == all.count, "another part would open a URL");
    return took / (double)all.count;
}

static inline double find_all(ctie_bus *bus, urls all) { return ask_all(bus, all, CTIE_OPENED_BY_ROUTE); }
static inline double miss_all(ctie_bus *bus, urls all) { return ask_all(bus, all, CTIE_OPENED_BY_NONE); }

#endif
