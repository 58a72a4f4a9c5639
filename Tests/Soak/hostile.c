/* The longest that one open takes: URLs and tables made to be slow, some 10,000 routes each.
 *
 *   hostile          prints for each URL the fastest of many opens: what the work itself takes; and the same with
 *                    nothing of the table in the processor's caches
 *   hostile --once   opens each URL once, for callgrind to count the instructions (count-instructions)
 */
#include "latch.h"
#include "tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <valgrind/callgrind.h>

enum { COLD_OPENS = 5, CACHES = 64 << 20, LIMIT_NS = 1000000 };

/* Where no route takes the whole URL, this mode looks on. */
static const ctie_request_options nearest = {.size = sizeof nearest, .mode = CTIE_MATCH_NEAREST};
static double worst;
static int opens, slower;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* Writes over more memory than the caches hold. */
static void forget(void) {
    static volatile char *memory;
    if (memory == NULL) memory = malloc(CACHES);
    for (size_t i = 0; memory != NULL && i < CACHES; i += 64) memory[i]++;
}

static double fastest(ctie_bus *bus, ctie_str url, bool cold, ctie_status *status) {
    double best = 1e18;
    for (int i = 0; i < (cold ? COLD_OPENS : test_rounds(50)); i++) {
        if (cold) forget();
        double begin = now();
        *status = ctie_open(bus, url, CTIE_ORIGIN_LOCAL, &nearest, NULL, NULL);
        double took = now() - begin;
        if (took < best) best = took;
    }
    return best;
}

static void time_open(ctie_bus *bus, const table *table, const shape *shape, ctie_str url) {
    ctie_status status;
    double warm = fastest(bus, url, false, &status), cold = fastest(bus, url, true, &status);
    double slowest = warm > cold ? warm : cold;
    if (slowest > worst) worst = slowest;
    if (slowest > LIMIT_NS) slower++;
    opens++;
    printf("%-23s %-25s %5zu %9.1f %9.1f  %s\n", table->name, shape->name, url.size, warm / 1000, cold / 1000,
           ctie_status_name(status));
}

/* Callgrind writes a file that has the names and the count in it. */
static void count_open(ctie_bus *bus, const table *table, const shape *shape, ctie_str url) {
    char name[128];
    snprintf(name, sizeof name, "%s, %s", table->name, shape->name);
    CALLGRIND_START_INSTRUMENTATION;
    ctie_open(bus, url, CTIE_ORIGIN_LOCAL, &nearest, NULL, NULL);
    CALLGRIND_STOP_INSTRUMENTATION;
    CALLGRIND_DUMP_STATS_AT(name);
}

static void try_table(const table *table, bool once) {
    static char room[2 * URL_LIMIT];
    ctie_bus *bus = NULL;
    if (ctie_bus_new(NULL, &bus, NULL) != CTIE_OK) abort();
    int routes = table->fill(bus);
    fprintf(stderr, "# %s: %d routes\n", table->name, routes);
    for (const shape *shape = table->urls; shape->name != NULL; shape++) {
        ctie_str url = {room, write_url(room, shape)};
        if (once) {
            count_open(bus, table, shape, url);
        } else {
            time_open(bus, table, shape, url);
        }
    }
    ctie_bus_close(bus);
}

int main(int count, char **arguments) {
    bool once = count > 1 && strcmp(arguments[1], "--once") == 0;
    if (!once) printf("%-23s %-25s %5s %9s %9s\n", "table", "URL", "bytes", "warm, us", "cold, us");
    for (const table *table = tables; table->name != NULL; table++) try_table(table, once);
    if (once) return 0;
    printf("%d URLs, %d of them over 1 ms; the worst open took %.1f us\n", opens, slower, worst / 1000);
    return slower != 0;
}
