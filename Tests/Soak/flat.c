/* Memory, descriptors and threads stay flat under mixed load, in two processes that share a group.
 *
 *   flat [<load>...]     runs these loads, or all of them, for CTIE_TEST_ROUNDS seconds
 *
 * A session opens a bus and a group in each process, loads them by several threads, and closes them. The first session
 * is short: what a process holds after it is what it holds for ever. The second one is paused again and again; once
 * nothing is under way its processes are measured. Flat is: after the second session there are as many descriptors and
 * threads as after the first one, and during it nothing has grown, neither by the straight line that fits its samples
 * best nor from their first tenth to their last one.
 *
 * Memory may seem to grow by MOST_MEMORY: what the allocator keeps differs by so much from pause to pause. In ten
 * minutes each load runs some 20,000 times, so that 50 bytes lost by any of them are told apart. The pages of mapped
 * files grow until the whole store has been touched, and no further. */
#include "bus_loads.h"
#include "gauges.h"
#include "group_loads.h"

enum { LOADERS = 3, WARMING = 20 }; /* two threads here, one in the child; a part of the time, twice */
enum phase { IDLE, LOADED, OVER };

static const double MOST[GAUGES] = {1 << 20, STORE_SIZE, 1, 1}, MOST_OF_AN_OPERATION = 1;
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
static series measured[2];      /* by side */
static double operations[2]; /* while it was measured */

/* ---- A session ----------------------------------------------------------------------------------- */

/* Stands while the load is paused. */
static void stand_still(void) {
    shared->operations[side] = checks_passed;
    shared->standing++;
    while (shared->pausing) nap_ns(1000000);
    shared->standing--;
}

static void *run_loads(void *argument) {
    loader *self = argument;
    for (int next = self->number; shared->phase == LOADED; next++) {
        loads[next % load_count].run(self);
        if (shared->pausing) stand_still();
    }
    return NULL;
}

/* From opening to closing. It begins with a pause, until both processes hear each other, and ends after one. */
static void run_session(void (*meanwhile)(void)) {
    pthread_t threads[LOADERS];
    loader loaders[LOADERS];
    int begin = side == 0 ? 0 : 2, end = side == 0 ? 2 : 3;
    ctie_bus_options options = CTIE_BUS_OPTIONS_INIT;
    options.max_workers = 2;
    CHECK_STATUS(ctie_bus_new(&options, &bus, NULL), CTIE_OK);
    group = open_store();
    hear_the_other_durably();
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
    for (int sessions = 1; shared->phase != OVER; sessions++) {
        run_session(NULL);
        while (shared->phase == IDLE) nap_ns(1000000);
    }
    return checks_failed != 0;
}

/* ---- Measuring ----------------------------------------------------------------------------------- */

static pid_t child;
static double time_to_run;

static double seconds(void) { return (double)now_ns() / 1e9; }

/* Until nothing is under way: every loader stands, every completion has run, every message has been heard. */
static void pause_all(void) {
    shared->pausing = true;
    AWAIT(shared->standing == LOADERS);
    AWAIT(shared->pending == 0);
    for (int i = 0; i < 2; i++) AWAIT(shared->passed[i] == shared->heard[i]);
    if (checks_failed == 0) return;
    kill_child(child);
    remove_directory();
    exit(1);
}

static void load_for(double span, bool is_measured) {
    double begin = seconds(), period = time_to_run < 100 ? time_to_run / 100 : 1;
    while (seconds() < begin + span) {
        nap_ns((int64_t)(period * 1e9));
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

/* What both processes hold with nothing open. A thread that has ended may stand in the list for a moment. */
static void read_idle(sample of[2], const sample expected[2]) {
    for (int i = 0; i < 2; i++) {
        of[i] = read_gauges(measured[i].pid, seconds());
        for (int turn = 0; expected != NULL && turn < 10000 && of[i].of[THREADS] != expected[i].of[THREADS]; turn++) {
            nap_ns(1000000);
            of[i] = read_gauges(measured[i].pid, seconds());
        }
    }
}

/* A line for each sample, for whoever wants to draw it. */
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
    if (gauge == MEMORY && growth >= MOST_OF_AN_OPERATION * operations[of]) return false;
    if ((gauge == DESCRIPTORS || gauge == THREADS) && before != after) return false;
    return growth < MOST[gauge] && before > 0;
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

int main(int count, char **arguments) {
    sample before[2], after[2];
    for (int i = 0; i < ALL; i++) {
        bool is_chosen = count == 1;
        for (int j = 1; j < count; j++) is_chosen |= strcmp(arguments[j], ALL_LOADS[i].name) == 0;
        if (is_chosen) loads[load_count++] = ALL_LOADS[i];
    }
    if (load_count == 0) return 2;
    time_to_run = test_rounds(600);
    shared = share(sizeof *shared);
    measured[0].pid = getpid();
    name_directory();
    run_in_both(warm);
    read_idle(before, NULL);
    run_in_both(measure);
    read_idle(after, before);
    shared->phase = OVER;
    CHECK(end_of_child(child) == 0);
    CHECK(shared->missed == 0);
    remove_directory();
    print_samples();
    bool flat = all_flat(before, after);
    printf("%.0f operations", operations[0] + operations[1]);
    print_memory("parent", 0);
    print_memory("child", 1);
    printf("; %s\n", flat ? "flat" : "NOT FLAT");
    return flat && checks_failed == 0 ? 0 : 1;
}
