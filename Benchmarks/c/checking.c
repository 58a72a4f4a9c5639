/*
 * Opening a closed store of so many MiB, which has every page and key checked first, beside copying as many bytes in
 * memory. Both are the processor's time.
 */
#include "growing.h"

enum { VALUE = 900, ROUNDS = 5 };

static const char *directory;

static double worked_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* The used bytes: the last used page is in the newer one of the two pages that describe a store. */
static size_t used_bytes(const char *path) {
    enum { LAST_PAGE = 136, PAGE = 4096 };
    uint64_t last = 0;
    FILE *file = fopen(path, "r");
    require(file != NULL, path);
    for (long page = 0; page < 2; page++) {
        uint64_t number = 0;
        require(fseek(file, page * PAGE + LAST_PAGE, SEEK_SET) == 0 && fread(&number, sizeof number, 1, file) == 1, path);
        if (number > last) last = number;
    }
    fclose(file);
    return (last + 1) * PAGE;
}

/* Adds messages, each under an identifier of its own, until the store has so many bytes. */
static void fill(ctie_wormhole *wormhole, int mebibytes, const char *path) {
    static char content[VALUE];
    size_t size = 0;
    for (int number = 0; size < (size_t)mebibytes << 20; number++) {
        name own = name_of_number("k", number);
        ctie_value *value = ctie_value_bytes((ctie_str){content, sizeof content});
        check(ctie_wormhole_send(wormhole, ctie_str_from(own.text), value, NULL, NULL, NULL, NULL));
        if (number % 1024 == 0) size = used_bytes(path);
    }
}

static double copy(const char *from, char *to, size_t size) {
    double begin = worked_ns();
    memcpy(to, from, size);
    return worked_ns() - begin;
}

static void measure(int mebibytes) {
    char path[4096];
    double opened[ROUNDS], copied[ROUNDS];
    snprintf(path, sizeof path, "%s/crosstie-checking-%d/data.mdb", directory, mebibytes);
    ctie_wormhole *wormhole = open_large(directory, "checking", mebibytes);
    fill(wormhole, mebibytes, path);
    check(ctie_wormhole_release(wormhole));
    size_t size = used_bytes(path);
    /* It has somewhat more. */
    double share = mebibytes * 1048576.0 / (double)size;
    char *from = malloc(size), *to = malloc(size);
    require(from != NULL && to != NULL, "malloc");
    memset(from, 'x', size);
    for (int round = -1; round < ROUNDS; round++) {
        double begin = worked_ns();
        wormhole = open_large(directory, "checking", mebibytes);
        double took = worked_ns() - begin, copied_in = copy(from, to, size);
        if (round >= 0) opened[round] = took * share, copied[round] = copied_in * share;
        if (round + 1 < ROUNDS) check(ctie_wormhole_release(wormhole));
    }
    report_at("check", mebibytes, "crosstie", lowest(opened, ROUNDS));
    report_at("check", mebibytes, "memcpy", lowest(copied, ROUNDS));
    free(from);
    free(to);
    end_large(wormhole, directory, "checking", mebibytes);
}

int main(int argc, char **argv) {
    require(argc == 2, "usage: checking <directory>");
    directory = argv[1];
    measure(16);
    measure(256);
    measure(1024);
    return 0;
}
