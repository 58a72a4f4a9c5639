/* Registering routes in bulk, from C: time and memory for each of them. */
#include "routes.h"

#include <malloc.h>

enum { BUILDS = 5 };

static size_t allocated(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static void measure(const char *directory, const char *set) {
    urls patterns = read_urls(directory, set, "routes");
    double times[BUILDS], memory[BUILDS];
    for (int round = 0; round < BUILDS; round++) {
        size_t before = allocated();
        double begin = now_ns();
        ctie_bus *bus = build(patterns);
        times[round] = (now_ns() - begin) / (double)patterns.count;
        memory[round] = ((double)allocated() - (double)before) / (double)patterns.count;
        ctie_bus_release(bus);
    }
    char work[64];
    snprintf(work, sizeof work, "build.%s", set);
    report(work, "crosstie", lowest(times, BUILDS));
    snprintf(work, sizeof work, "memory.%s", set);
    report(work, "crosstie", memory[0]); /* later rounds find memory that the first one made ready */
    free_urls(patterns);
}

int main(int argc, char **argv) {
    require(argc >= 3, "usage: bulk <data> <set>…");
    for (int i = 2; i < argc; i++) measure(argv[1], argv[i]);
    return 0;
}
