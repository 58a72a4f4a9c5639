/*
 * An allocator that fails: within one call the n-th request for memory, or that one and all after it. Each call runs in
 * a child of its own, cold (its first run in the process) and warm, for n = 1, 2, 3, ... until it needs no n-th
 * request.
 */
#ifndef NO_MEMORY_H
#define NO_MEMORY_H

#include "group.h"

#include <malloc.h>
#include <signal.h>

/* ---- The allocator ------------------------------------------------------------------------------- */

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

/* `asked` counts while it is armed; `live` what has been given and not been freed. */
static struct { _Atomic bool is_armed; _Atomic int asked; int first; bool is_lasting; } failing;
static _Atomic long live;

static bool fails(void) {
    if (!failing.is_armed) return false;
    int number = ++failing.asked;
    return failing.is_lasting ? number >= failing.first : number == failing.first;
}

static void *counted(void *memory) {
    live += memory != NULL;
    return memory;
}

static void *refused(void) {
    errno = ENOMEM;
    return NULL;
}

void *malloc(size_t size) { return fails() ? refused() : counted(__libc_malloc(size)); }

void *calloc(size_t count, size_t size) { return fails() ? refused() : counted(__libc_calloc(count, size)); }

void *realloc(void *memory, size_t size) {
    if (fails()) return refused();
    void *moved = __libc_realloc(memory, size);
    live += memory == NULL && moved != NULL;
    return moved;
}

void *aligned_alloc(size_t alignment, size_t size) {
    return fails() ? refused() : counted(__libc_memalign(alignment, size));
}

void *memalign(size_t alignment, size_t size) { return aligned_alloc(alignment, size); }

int posix_memalign(void **out, size_t alignment, size_t size) {
    void *memory = fails() ? NULL : counted(__libc_memalign(alignment, size));
    if (memory == NULL) return ENOMEM;
    *out = memory;
    return 0;
}

void free(void *memory) {
    live -= memory != NULL;
    __libc_free(memory);
}

/* ---- Jobs ---------------------------------------------------------------------------------------- */

struct world;

/** One call of a function. It answers CTIE_E_NO_MEMORY, or `expected` where it could do without what was refused. */
struct job {
    const char *name;
    ctie_status (*call)(struct world *world); /**< alone runs without memory */
    ctie_status expected;
    uint32_t needs;
    void (*undo)(struct world *world);        /**< with memory again: leaves the world as it was; NULL for nothing */
};

struct world {
    const struct job *job;
    ctie_status status; /**< of the job's call */
    ctie_bus *bus;
    ctie_wormhole *wormhole;
    ctie_request *request;
    ctie_response *response;
    ctie_message *message;
    ctie_value *value, *made;
    ctie_call *call;
    ctie_error *error;
    void *handle;
    ctie_str text;
};

/* Runs the call with memory that fails. */
static void call_armed(struct world *world) {
    failing.asked = 0;
    failing.is_armed = true;
    world->status = world->job->call(world);
    failing.is_armed = false;
}

/* The job of a child, and its result. */
static struct {
    const struct job *job;
    int first;
    bool is_lasting, is_warm;
    _Atomic int asked, refusals, ending_status;
    _Atomic long leaked;
} *plan;

static void build_world(struct world *world, const struct job *job);
static void run_call(struct world *world);
static bool is_well(struct world *world);

static void run_once(struct world *world) {
    run_call(world);
    ctie_error_release(world->error);
    world->error = NULL;
    if (world->job->undo != NULL) world->job->undo(world);
}

/** In a job's `needs`. */
enum {
    THREADS = 1 << 16, /**< it may start a thread, which the system refuses without saying why */
    LASTING = 1 << 17, /**< memory that is refused stays refused: Jansson cannot do with less */
    GROWS = 1 << 18,   /**< each call adds something that stays */
};

static bool job_needs(uint32_t what) { return (plan->job->needs & what) != 0; }

static bool is_soft(const struct world *world) {
    return world->status == world->job->expected || world->status == CTIE_E_NO_MEMORY
           || (job_needs(THREADS) && world->status == CTIE_E_SYSTEM);
}

/* Exit statuses: 2 for another answer than expected, 3 for a world that does not work any more, 4 for a leak. */
static int run_plan(void *argument) {
    (void)argument;
    struct world world = {0};
    alarm(60);
    build_world(&world, plan->job);
    failing.first = 0, failing.is_lasting = false;
    if (plan->is_warm) run_once(&world);
    failing.first = plan->first, failing.is_lasting = plan->is_lasting;
    run_once(&world);
    plan->asked = failing.asked;
    plan->refusals += world.status == CTIE_E_NO_MEMORY;
    plan->ending_status = world.status;
    if (!is_soft(&world)) return 2;
    failing.first = 0, failing.is_lasting = false;
    run_once(&world);
    plan->ending_status = world.status;
    if (world.status != plan->job->expected || !is_well(&world)) return 3;
    failing.first = plan->first, failing.is_lasting = plan->is_lasting;
    for (int i = 0; i < 4; i++) run_once(&world);
    long before = live;
    for (int i = 0; i < 8; i++) run_once(&world);
    /* Other threads may not be done yet. */
    for (int i = 0; job_needs(THREADS) && live - before >= 8 && i < 20000; i++) nap_ns(1000000);
    plan->leaked = live - before;
    return plan->leaked >= 8 && !job_needs(GROWS) ? 4 : 0;
}

/** The result of one job. */
struct tally { int requests, signals, wrong, broken, leaks, refusals; };

static void run_mode(const struct job *job, bool is_warm, bool is_lasting, struct tally *tally) {
    bool is_reported = getenv("CTIE_NO_MEMORY_TELLS") != NULL;
    plan->job = job, plan->is_warm = is_warm, plan->is_lasting = is_lasting, plan->refusals = 0;
    for (int first = 1; first < 5000; first++) {
        plan->first = first;
        plan->asked = INT32_MAX;
        plan->leaked = 0;
        int end = in_child(run_plan, NULL);
        if (is_reported && end != 0) {
            fprintf(stderr, "    %s, request %d%s%s: end %d, status %s, %ld leaked\n", job->name, first,
                    is_lasting ? " and all after it" : "", is_warm ? ", warm" : "", end,
                    ctie_status_name(plan->ending_status), plan->leaked);
        }
        tally->signals += end < 0, tally->wrong += end == 2, tally->broken += end == 3 || end == 1;
        tally->leaks += end == 4;
        if (plan->asked != INT32_MAX && plan->asked < first) break;
        tally->requests++;
    }
    tally->refusals += plan->refusals;
}

static struct tally run_job(const struct job *job) {
    struct tally tally = {0};
    for (int mode = job->needs & LASTING ? 2 : 0; mode < 4; mode++) run_mode(job, mode & 1, mode & 2, &tally);
    return tally;
}

#endif
