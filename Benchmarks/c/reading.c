/* The parameters of a URL in a handler: one by its name, all as a map, the pairs of a query by position; and back: generating
   URLs. Figures are the difference to the same open with a handler that reads nothing. */
#include "bench.h"

#include <crosstie.h>
#include <crosstie/convenience.h>

enum { OPENS = 2000, ROUNDS = 15, MOST = 128 };

static ctie_bus *bus;
static size_t expected;
static char names[MOST][8];

static void read_nothing(ctie_request *request, void *user_data) { (void)request, (void)user_data; }

static void read_map(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_value *all = NULL;
    require(ctie_request_params(request, &all) == CTIE_OK && ctie_value_count(all) == expected, "a map of parameters");
    ctie_value_release(all);
}

static void read_pairs(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_str key, text;
    size_t count = 0;
    while (ctie_request_query_at(request, count, &key, &text) == CTIE_OK) count++;
    require(count == expected, "the pairs of a query");
}

static void read_names(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_str text;
    for (const char *name = "a"; *name != 0; name++) {
        require(ctie_request_param(request, (ctie_str){name, 1}, &text) == CTIE_OK, "a parameter");
    }
}

/* The open of a URL with a handler, in the best round. */
static double open_with(const char *pattern, const char *url, ctie_handler_fn fn) {
    double figures[ROUNDS];
    ctie_status added = ctie_route_add(bus, ctie_str_from(pattern), CTIE_HANDLER(fn, NULL), NULL, NULL, NULL);
    require(added == CTIE_OK, "a route");
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now_ns();
        for (int i = 0; i < OPENS; i++) {
            ctie_status status = ctie_open(bus, ctie_str_from(url), CTIE_ORIGIN_LOCAL, NULL, NULL, NULL);
            require(status == CTIE_OK, "an open");
        }
        figures[round] = (now_ns() - begin) / OPENS;
    }
    require(ctie_route_remove(bus, ctie_str_from(pattern), NULL) == CTIE_OK, "no route");
    return lowest(figures, ROUNDS);
}

static double reading(const char *pattern, const char *url, ctie_handler_fn fn) {
    double more = open_with(pattern, url, fn) - open_with(pattern, url, read_nothing);
    return more > 0 ? more : 0;
}

/* A map of as many texts, made by hand. */
static void make_by_hand(void *context) {
    ctie_pair pairs[MOST];
    const size_t count = *(size_t *)context;
    for (size_t i = 0; i < count; i++) pairs[i] = (ctie_pair){ctie_str_from(names[i]), ctie_text("value")};
    ctie_value_release(ctie_value_map(pairs, count));
}

static const char *url_of(size_t pairs) {
    static char url[16 * MOST + 16];
    char *at = url + sprintf(url, "app://query");
    for (size_t i = 0; i < pairs; i++) at += sprintf(at, "%ck%zu=value", i == 0 ? '?' : '&', i);
    return url;
}

static void measure_maps(void) {
    static const size_t counts[] = {1, 3, MOST};
    char work[32];
    for (int i = 0; i < MOST; i++) snprintf(names[i], sizeof names[i], "k%d", i);
    for (int i = 0; i < 3; i++) {
        expected = counts[i];
        snprintf(work, sizeof work, "params.%zu", expected);
        report(work, "crosstie", reading("app://query", url_of(expected), read_map) / (double)expected);
        double figures[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            double begin = now_ns();
            for (int turn = 0; turn < OPENS; turn++) make_by_hand(&expected);
            figures[round] = (now_ns() - begin) / OPENS / (double)expected;
        }
        report(work, "the map made by hand", lowest(figures, ROUNDS));
    }
}

static void measure_pairs(void) {
    static const size_t counts[] = {10, 64, MOST};
    char work[32];
    for (int i = 0; i < 3; i++) {
        expected = counts[i];
        snprintf(work, sizeof work, "pairs.%zu", expected);
        report(work, "crosstie", reading("app://query", url_of(expected), read_pairs) / (double)expected);
    }
}

static void generate(void *params) {
    ctie_value *url = NULL;
    ctie_status status = ctie_generate(bus, CTIE_STR("app://users/:id/posts/:post"), params, &url, NULL);
    require(status == CTIE_OK, "a URL is generated");
    ctie_value_release(url);
}

int main(void) {
    require(ctie_bus_new(NULL, &bus, NULL) == CTIE_OK, "no bus");
    report("param.one", "crosstie", reading("app://users/:a", "app://users/ada", read_names));
    measure_maps();
    measure_pairs();
    ctie_handler handler = CTIE_HANDLER(read_nothing, NULL);
    require(ctie_route_add(bus, CTIE_STR("app://users/:id/posts/:post"), handler, NULL, NULL, NULL) == CTIE_OK, "a route");
    ctie_value *params = CTIE_MAP("id", ctie_text("42"), "post", ctie_text("hello world"));
    measure_rounds("generate", "crosstie", OPENS, generate, params);
    ctie_value_release(params);
    ctie_bus_release(bus);
    return 0;
}
