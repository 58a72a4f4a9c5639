/* Memory, descriptors and threads stay flat under mixed load, in two processes that share a group.
 *
 *   flat [<load>...]     runs these loads, or all of them, for CTIE_TEST_ROUNDS seconds, 600 by default
 *   flat --idle          judges only what is left when everything is closed, whatever the time
 *
 * A session opens a bus and a group in each process, loads them by several threads, and closes them. The first session
 * is short: what a process holds after it is what it holds for ever. The second one is paused again and again; once
 * nothing is under way its processes are measured. Flat is: after the second session there are as many descriptors and
 * threads as after the first one, and during it nothing has grown, neither by the straight line that fits its samples
 * best nor from their first tenth to their last one.
 *
 * Memory may seem to grow by 1 MiB: a pool or table that comes to its size late is no leak. In ten minutes each load
 * runs over 100,000 times, so that a loss of ten bytes each time is noticed; a few seconds show little. Pages of files
 * grow until the whole store has been touched, and no further. */
#include "bus_loads.h"
#include "gauges.h"
#include "group_loads.h"

enum { OF_PARENT = 2, LOADERS = 3 }; /* threads: two here, the last one in the child */
enum { WARMING = 20 };               /* this part of the time is not measured, in each session */
enum { IDLE, LOADED, OVER };         /* phases */

/* Growth in the whole run. To a straight line one step, in the middle, looks half as large again: a worker more that
 * stays is none, and neither is a store of which the rest is touched. */
static const double MOST[GAUGES] = {1 << 20, 2 * STORE_SIZE, 2, 2};
static const char *const NAMES[GAUGES] = {"memory", "file pages", "descriptors", "threads"};

static const load ALL_LOADS[] = {
    {"routes", load_routes},         {"rules", load_rules},           {"interceptors", load_interceptors},
    {"components", load_components}, {"events", load_events},         {"performers", load_performers},
    {"buses", load_buses},           {"loops", load_loops},           {"threads", load_threads},
    {"values", load_values},         {"states", load_states},         {"queues", load_queues},
    {"listeners", load_listeners},   {"durables", load_durables},     {"wormholes", load_wormholes},
};
enum { ALL = sizeof ALL_LOADS / sizeof *ALL_LOADS };

static load loads[ALL];
static int load_count;
static bool is_idle_alone;   /* --idle */
static series measured[2];   /* by side */
static double operations[2]; /* while it was measured */

/* ---- A session ----------------------------------------------------------------------------------- */

/* Waits while the load is paused. */
static void wait_while_paused(void) {
    shared->operations[side] = (unsigned)checks_passed;
    shared->waiting++;
    while (shared->pausing) nap_ns(1000000);
    shared->waiting--;
}

static void *run_loads(void *argument) {
    loader *self = argument;
    for (int next = self->number; shared->phase == LOADED; next++) {
        loads[next % load_count].run(self);
        shared->turns[self->number]++;
        if (shared->pausing) wait_while_paused();
    }
    return NULL;
}

/*
 * From opening to closing. It begins with a pause, until both processes receive each other's messages, and ends after
 * one.
 */
static void run_session(void (*meanwhile)(void)) {
    pthread_t threads[LOADERS];
    loader loaders[LOADERS];
    int begin = side == 0 ? 0 : OF_PARENT, end = side == 0 ? OF_PARENT : LOADERS;
    ctie_bus_options options = CTIE_BUS_OPTIONS_INIT;
    options.max_workers = 2;
    CHECK_STATUS(ctie_bus_new(&options, &bus, NULL), CTIE_OK);
    group = open_store();
    receive_the_other_durably();
    shared->ready++;
    AWAIT(shared->ready == 2);
    for (int i = begin; i < end; i++) {
        loaders[i] = (loader){.number = i, .seed = (unsigned)i + 1};
        snprintf(loaders[i].name, sizeof loaders[i].name, "l%d", i);
        CHECK(pthread_create(&threads[i], NULL, run_loads, &loaders[i]) == 0);
    }
    if (meanwhile != NULL) meanwhile();
    for (int i = begin; i < end; i++) pthread_join(threads[i], NULL);
    CHECK_STATUS(ctie_wormhole_release(group), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    shared->ended++;
}

/* ---- The child ----------------------------------------------------------------------------------- */

static int run_child(void *unused) {
    (void)unused;
    side = 1;
    while (shared->phase != OVER) {
        run_session(NULL);
        while (shared->phase == IDLE) nap_ns(1000000);
    }
    return checks_failed != 0;
}

/* ---- Measuring ----------------------------------------------------------------------------------- */

static pid_t child;
static double time_to_run;

static double seconds(void) { return (double)now_ns() / 1e9; }

/* Until nothing is under way: every loader waits, every completion has run, every message has been received. */
static void pause_all(void) {
    shared->pausing = true;
    AWAIT(shared->waiting == LOADERS);
    AWAIT(shared->pending == 0);
    for (int i = 0; i < 2; i++) AWAIT(shared->passed[i] == shared->received[i]);
    if (checks_failed == 0) return;
    kill_child(child);
    remove_directory();
    exit(1);
}

/* The least number of times that each thread has run each load. */
static long fewest_rounds(void) {
    long fewest = shared->turns[0];
    for (int i = 1; i < LOADERS; i++) fewest = shared->turns[i] < fewest ? shared->turns[i] : fewest;
    return fewest / load_count;
}

/* A second from pause to pause, unless that makes few samples or very many. */
static double time_between(void) {
    if (time_to_run < 100) return time_to_run / 100;
    return time_to_run < MOST_SAMPLES ? 1 : time_to_run / MOST_SAMPLES;
}

static void load_for(double span, bool is_measured) {
    double begin = seconds();
    while (seconds() < begin + span || fewest_rounds() == 0) {
        nap_ns((int64_t)(time_between() * 1e9));
        pause_all();
        for (int i = 0; i < 2 && is_measured; i++) add_sample(&measured[i], seconds());
        shared->pausing = false;
    }
}

static void end_load(void) {
    pause_all();
    shared->phase = IDLE;
    shared->pausing = false;
}

static void warm(void) {
    load_for(time_to_run / WARMING, false);
    end_load();
}

static void measure(void) {
    load_for(time_to_run / WARMING, false);
    for (int i = 0; i < 2; i++) operations[i] = -(double)shared->operations[i];
    load_for(time_to_run - 2 * time_to_run / WARMING, true);
    for (int i = 0; i < 2; i++) operations[i] += (double)shared->operations[i];
    end_load();
}

static void run_in_both(void (*meanwhile)(void)) {
    shared->ready = shared->ended = 0;
    shared->phase = LOADED;
    if (child == 0) child = measured[1].pid = start_child(run_child, NULL);
    run_session(meanwhile);
    AWAIT(shared->ended == 2);
}

/*
 * The resources of both processes with nothing open: one thread each, though one that has ended may be listed for a
 * moment.
 */
static void read_idle(sample idle[2]) {
    for (int i = 0; i < 2; i++) {
        AWAIT(count_entries(measured[i].pid, "task") == 1);
        idle[i] = read_gauges(measured[i].pid, seconds());
    }
}

/* A line for each sample, for a chart. */
static void print_samples(void) {
    for (int i = 0; i < measured[0].count; i++) {
        printf("# %.2f", measured[0].samples[i].time - measured[0].samples[0].time);
        for (int j = 0; j < 2 * GAUGES; j++) printf(" %.0f", measured[j / GAUGES].samples[i].of[j % GAUGES]);
        printf("\n");
    }
}

/* ---- The verdict --------------------------------------------------------------------------------- */

/* Growth over the whole run: by the line that fits, or from tenth to tenth, whichever is more. */
static double growth_of(const series *all, int gauge) {
    double fitted = slope_of(all, gauge) * span_of(all);
    double seen = mean_of_tenth(all, gauge, 9) - mean_of_tenth(all, gauge, 0);
    return fitted > seen ? fitted : seen;
}

static bool is_flat(int of, int gauge, double before, double after) {
    const series *all = &measured[of];
    double growth = growth_of(all, gauge);
    printf("%-7s %-11s %12.1f %12.1f %12.3f %12.0f %12.0f\n", of == 0 ? "parent" : "child", NAMES[gauge],
           mean_of_tenth(all, gauge, 0), mean_of_tenth(all, gauge, 9), slope_of(all, gauge), before, after);
    if ((gauge == DESCRIPTORS || gauge == THREADS) && before != after) return false;
    return before > 0 && (is_idle_alone || growth < MOST[gauge]);
}

static bool all_flat(const sample before[2], const sample after[2]) {
    bool flat = true;
    printf("%-7s %-11s %12s %12s %12s %12s %12s\n", "process", "", "first tenth", "last tenth", "a second",
           "idle before", "idle after");
    for (int i = 0; i < 2; i++) {
        for (int gauge = 0; gauge < GAUGES; gauge++) {
            flat &= is_flat(i, gauge, before[i].of[gauge], after[i].of[gauge]);
        }
    }
    return flat;
}

static void print_memory(const char *name, int of) {
    const series *all = &measured[of];
    double slope = slope_of(all, MEMORY);
    printf("; %s %.1f MiB, %+.1f bytes/s, %+.5f bytes/operation", name, mean_of_tenth(all, MEMORY, 9) / (1 << 20),
           slope, slope * span_of(all) / operations[of]);
}

/* Those that are named, or all; without any of that name it lists them. */
static bool choose_loads(int count, char **names) {
    for (int i = 0; i < ALL; i++) {
        bool is_chosen = count == 0;
        for (int j = 0; j < count; j++) is_chosen |= strcmp(names[j], ALL_LOADS[i].name) == 0;
        if (is_chosen) loads[load_count++] = ALL_LOADS[i];
    }
    for (int i = 0; load_count == 0 && i < ALL; i++) fprintf(stderr, "%s\n", ALL_LOADS[i].name);
    return load_count > 0;
}

int main(int count, char **arguments) {
    sample before[2], after[2];
    is_idle_alone = count == 2 && strcmp(arguments[1], "--idle") == 0;
    if (!choose_loads(is_idle_alone ? 0 : count - 1, arguments + 1)) return 2;
    time_to_run = test_rounds(600);
    shared = share(sizeof *shared);
    measured[0].pid = getpid();
    name_directory();
    run_in_both(warm);
    read_idle(before);
    run_in_both(measure);
    read_idle(after);
    shared->phase = OVER;
    CHECK(end_of_child(child) == 0);
    CHECK(shared->missed == 0);
    remove_directory();
    print_samples();
    bool flat = all_flat(before, after) && checks_failed == 0;
    printf("%.0f operations, each load %ld times or more", operations[0] + operations[1], LOADERS * fewest_rounds());
    print_memory("parent", 0);
    print_memory("child", 1);
    printf("; %s\n", flat ? "flat" : "NOT FLAT");
    return flat ? 0 : 1;
}
