/*
 * The cost of a message by its size, beside copying that many bytes twice, into memory and from there into a file,
 * which is the least that storing costs; the first one beside copying into a new file. And what small messages cost after
 * large ones.
 */
#include "growing.h"

#include <fcntl.h>
#include <unistd.h>

enum { LARGEST = 64 << 20, FRAME = 64, ROUNDS = 25, SMALL_ROUNDS = 3000, LARGE_ROUNDS = 5 };

static const char *directory;
static char *content;

static ctie_value *value_of(size_t size) { return ctie_value_bytes((ctie_str){content, size}); }

static double pass_large(ctie_wormhole *wormhole, size_t size) {
    ctie_value *value = value_of(size);
    double begin = now_ns();
    check(ctie_wormhole_send(wormhole, CTIE_STR("large"), value, NULL, NULL, NULL, NULL));
    return now_ns() - begin;
}

static double copy_twice(int file, char *room, size_t size) {
    double begin = now_ns();
    memcpy(room, content, size);
    require(pwrite(file, room, size, 0) == (ssize_t)size, "pwrite");
    return now_ns() - begin;
}

static int scratch_file(void) {
    char path[4096];
    snprintf(path, sizeof path, "%s/scratch", directory);
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    require(file >= 0, path);
    return file;
}

/* The same into pages that no file had before, which the kernel has to clear. */
static double copy_into_new_pages(char *room, size_t size) {
    int file = scratch_file();
    double begin = now_ns();
    memcpy(room, content, size);
    require(posix_fallocate(file, 0, (off_t)size) == 0, "posix_fallocate");
    require(pwrite(file, room, size, 0) == (ssize_t)size, "pwrite");
    double took = now_ns() - begin;
    close(file);
    return took;
}

static void measure_sizes(void) {
    ctie_wormhole *wormhole = open_large(directory, "sizes", 0);
    char *room = malloc(LARGEST);
    double ours[ROUNDS], twice[ROUNDS], anew[ROUNDS];
    require(room != NULL, "malloc");
    for (size_t size = 64; size <= LARGEST; size *= 4) {
        /* A value is its bytes and a few that say how many. */
        size_t bytes = size < LARGEST ? size : size - FRAME;
        report_at("first-size", (double)size, "crosstie", pass_large(wormhole, bytes));
        for (int round = 0; round < ROUNDS; round++) anew[round] = copy_into_new_pages(room, bytes);
        report_at("first-size", (double)size, "new file", median(anew, ROUNDS));
        int file = scratch_file();
        for (int round = -5; round < ROUNDS; round++) {
            double took = pass_large(wormhole, bytes), copied = copy_twice(file, room, bytes);
            if (round >= 0) ours[round] = took, twice[round] = copied;
        }
        report_at("size", (double)size, "crosstie", median(ours, ROUNDS));
        report_at("size", (double)size, "two copies", median(twice, ROUNDS));
        close(file);
    }
    free(room);
    end_large(wormhole, directory, "sizes", 0);
}

static double median_of_small(ctie_wormhole *wormhole) {
    static double figures[SMALL_ROUNDS];
    for (int round = 0; round < SMALL_ROUNDS; round++) {
        double begin = now_ns();
        pass_small(wormhole, CTIE_STR("small"));
        figures[round] = now_ns() - begin;
    }
    return median(figures, SMALL_ROUNDS);
}

/* Small messages in a group that has had some of a size: 0 MiB stands for none. */
static void measure_after(int mebibytes) {
    ctie_wormhole *wormhole = open_large(directory, "after", mebibytes);
    for (int i = 0; i < LARGE_ROUNDS && mebibytes > 0; i++) pass_large(wormhole, ((size_t)mebibytes << 20) - FRAME);
    check(ctie_wormhole_destroy(wormhole, CTIE_STR("large"), NULL, NULL, NULL));
    median_of_small(wormhole);
    report_at("after", mebibytes, "crosstie", median_of_small(wormhole));
    end_large(wormhole, directory, "after", mebibytes);
}

int main(int argc, char **argv) {
    require(argc == 2, "usage: sizes <directory>");
    directory = argv[1];
    content = malloc(LARGEST);
    require(content != NULL, "malloc");
    memset(content, 'x', LARGEST);
    measure_sizes();
    measure_after(0);
    for (int mebibytes = 1; mebibytes <= 64; mebibytes *= 4) measure_after(mebibytes);
    free(content);
    return 0;
}
