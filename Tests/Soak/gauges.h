/* The resources of a process, sampled regularly: memory, pages of files, descriptors and threads; and their growth. */
#ifndef GAUGES_H
#define GAUGES_H

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

enum { MEMORY, FILE_PAGES, DESCRIPTORS, THREADS, GAUGES, MOST_SAMPLES = 4096 };

/** One reading of all gauges. */
typedef struct sample {
    double time; /**< seconds */
    double of[GAUGES];
} sample;

/** All readings of one process, in their order. */
typedef struct series {
    pid_t pid;
    int count;
    sample samples[MOST_SAMPLES];
} series;

/** Bytes that are resident: the process's own, and those of the files that it has mapped; -1 if nobody can say. */
static inline void read_memory(pid_t pid, double *own, double *of_files) {
    char path[64];
    double resident, shared_with_files, page = (double)sysconf(_SC_PAGESIZE);
    *own = *of_files = -1;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    FILE *file = fopen(path, "r");
    if (file == NULL) return;
    if (fscanf(file, "%*f %lf %lf", &resident, &shared_with_files) == 2) {
        *own = (resident - shared_with_files) * page;
        *of_files = shared_with_files * page;
    }
    fclose(file);
}

/** The entries of /proc/<pid>/<name>; -1 if nobody can say. */
static inline double count_entries(pid_t pid, const char *name) {
    char path[64];
    int count = 0;
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    DIR *entries = opendir(path);
    if (entries == NULL) return -1;
    for (struct dirent *each; (each = readdir(entries)) != NULL;) count += each->d_name[0] != '.';
    closedir(entries);
    return pid == getpid() && name[0] == 'f' ? count - 1 : count; /* the one that reads them is not counted */
}

static inline sample read_gauges(pid_t pid, double time) {
    sample now = {.time = time};
    read_memory(pid, &now.of[MEMORY], &now.of[FILE_PAGES]);
    now.of[DESCRIPTORS] = count_entries(pid, "fd");
    now.of[THREADS] = count_entries(pid, "task");
    return now;
}

static inline void add_sample(series *to, double time) {
    if (to->count < MOST_SAMPLES) to->samples[to->count++] = read_gauges(to->pid, time);
}

/** The slope of the straight line that fits best, by least squares: so much more each second. */
static inline double slope_of(const series *all, int gauge) {
    double time = 0, level = 0, both = 0, square = 0;
    for (int i = 0; i < all->count; i++) {
        time += all->samples[i].time / all->count;
        level += all->samples[i].of[gauge] / all->count;
    }
    for (int i = 0; i < all->count; i++) {
        double distance = all->samples[i].time - time;
        both += distance * (all->samples[i].of[gauge] - level);
        square += distance * distance;
    }
    return square > 0 ? both / square : 0;
}

/** The mean of a tenth of the samples: of the first one, 0, to the last one, 9. */
static inline double mean_of_tenth(const series *all, int gauge, int tenth) {
    int begin = all->count * tenth / 10, end = all->count * (tenth + 1) / 10;
    double sum = 0;
    for (int i = begin; i < end; i++) sum += all->samples[i].of[gauge];
    return end > begin ? sum / (end - begin) : 0;
}

/** Seconds from the first sample to the last one. */
static inline double span_of(const series *all) {
    return all->count == 0 ? 0 : all->samples[all->count - 1].time - all->samples[0].time;
}

#endif
