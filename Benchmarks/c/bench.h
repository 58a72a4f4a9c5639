/* The base of every benchmark in C: a clock, files of lines, the median, and the form of a figure. */
#ifndef BENCH_H
#define BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline double now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static inline int by_size(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The median; sorts in place. */
static inline double median(double *figures, size_t count) {
    qsort(figures, count, sizeof *figures, by_size);
    return figures[count / 2];
}

/* The lowest: of work that waits for nobody, what is above it is somebody else's. */
static inline double lowest(const double *figures, size_t count) {
    double least = figures[0];
    for (size_t i = 1; i < count; i++) least = figures[i] < least ? figures[i] : least;
    return least;
}

/* One figure for run.py: the measurement, its subject, and nanoseconds (or bytes). */
static inline void report(const char *work, const char *who, double figure) {
    printf("%s\t%s\t%.2f\n", work, who, figure);
    fflush(stdout);
}

static inline void require(int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "benchmark: %s\n", what);
        exit(1);
    }
}

/* Reports the best of some rounds of so many calls: for work that waits for nobody else's turn. */
static inline void measure_rounds(const char *work, const char *who, int calls, void (*call)(void *), void *context) {
    enum { BENCH_ROUNDS = 15 };
    double figures[BENCH_ROUNDS];
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        double begin = now_ns();
        for (int i = 0; i < calls; i++) call(context);
        figures[round] = (now_ns() - begin) / calls;
    }
    report(work, who, lowest(figures, BENCH_ROUNDS));
}

typedef struct lines {
    char **line;
    size_t count;
} lines;

/* The lines of <directory>/<set>.<kind>, each after `prefix`. */
static inline lines read_lines(const char *directory, const char *set, const char *kind, const char *prefix) {
    char path[4096], text[9000];
    snprintf(path, sizeof path, "%s/%s.%s", directory, set, kind);
    FILE *file = fopen(path, "r");
    require(file != NULL, path);
    lines all = {NULL, 0};
    size_t room = 0;
    while (fgets(text, sizeof text, file) != NULL) {
        text[strcspn(text, "\n")] = 0;
        if (all.count == room) {
            room = room == 0 ? 1024 : room * 2;
            all.line = realloc(all.line, room * sizeof *all.line);
        }
        size_t size = strlen(prefix) + strlen(text) + 1;
        all.line[all.count] = malloc(size);
        snprintf(all.line[all.count++], size, "%s%s", prefix, text);
    }
    fclose(file);
    return all;
}

#endif
