/* Work handed to another thread: one piece at a time, waiting for each; and many pieces in one go. */
#ifndef BENCH_TRIPS_H
#define BENCH_TRIPS_H

#include "bench.h"

enum { TRIP_WARMUP = 200, TRIPS = 1000, TRIP_BATCHES = 15 };
enum { JOBS = 20000, JOB_ROUNDS = 15 };

/* Hands over one piece of work and waits until it is done. */
typedef void (*trip_fn)(void *context);

/* Reports what one trip takes on so many cores ("one" or "two"): the median of some batches. */
static inline void measure_trips(const char *cores, const char *who, trip_fn trip, void *context) {
    double figures[TRIP_BATCHES];
    for (int i = 0; i < TRIP_WARMUP; i++) trip(context);
    for (int batch = 0; batch < TRIP_BATCHES; batch++) {
        double begin = now_ns();
        for (int i = 0; i < TRIPS; i++) trip(context);
        figures[batch] = (now_ns() - begin) / TRIPS;
    }
    char work[32];
    snprintf(work, sizeof work, "trip.c.%s", cores);
    report(work, who, median(figures, TRIP_BATCHES));
}

/* Hands over so many pieces of work that do nothing, then waits until all are done. */
typedef void (*jobs_fn)(void *context, int count);

/* Reports what one job takes in the best round; on two cores alone. */
static inline void measure_jobs(const char *cores, const char *who, jobs_fn jobs, void *context) {
    double figures[JOB_ROUNDS];
    if (strcmp(cores, "two") != 0) return;
    for (int round = 0; round < JOB_ROUNDS; round++) {
        double begin = now_ns();
        jobs(context, JOBS);
        figures[round] = (now_ns() - begin) / JOBS;
    }
    report("jobs.c", who, lowest(figures, JOB_ROUNDS));
}

#endif
