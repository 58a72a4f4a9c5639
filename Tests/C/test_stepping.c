/*
 * A writer killed after any single instruction of a send: the message is there whole or not at all, and if it is there
 * it is delivered, even if its writer has not notified the listeners.
 */
#include "group.h"
#include "observer.h"
#include "sealed.h"

#include <sys/ptrace.h>
#include <sys/user.h>

/* The state that the writer shares with the process that steps it. */
struct stepped {
    uint32_t flags;
    int64_t before; /* what is stored */
    int64_t number; /* what is to be */
    _Atomic int64_t acknowledged;
};

/* Passes twice: first to have everything bound, mapped and cached, then between two stops, to be stepped. */
static int pass_between_stops(void *argument) {
    struct stepped *it = argument;
    ctie_wormhole_options options = group_options(it->flags);
    ctie_wormhole *wormhole = open_group_with(&options);
    CHECK_STATUS(ctie_wormhole_send(wormhole, WATCHED, sealed(it->before, 8), NULL, NULL, NULL, NULL), CTIE_OK);
    ctie_value *value = sealed(it->number, 8);
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) return 77;
    raise(SIGSTOP);
    if (ctie_wormhole_send(wormhole, WATCHED, value, NULL, NULL, NULL, NULL) == CTIE_OK) it->acknowledged = it->number;
    raise(SIGSTOP);
    return 0;
}

/* Starts a writer and brings it to its first stop; 0 if the system lets nobody be traced. */
static pid_t start_stepped(struct stepped *it) {
    int status = 0;
    it->acknowledged = -1;
    pid_t child = start_child(pass_between_stops, it);
    waitpid(child, &status, 0);
    if (WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP) return child;
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 77);
    return 0;
}

/* Goes on as `how` says until the next stop; true if that is a trap, and not the end of the passing. */
static bool go_on(pid_t child, enum __ptrace_request how) {
    int status = 0;
    if (ptrace(how, child, NULL, NULL) != 0 || waitpid(child, &status, 0) != child) abort();
    return WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP;
}

static unsigned long long place_of(pid_t child) {
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, child, NULL, &registers) != 0) abort();
    return registers.rip;
}

/*
 * Every instruction of a passing in its order; the same one each time around a loop. One that repeats itself, copying a
 * page, is one: a half copied page is nothing that anybody would see.
 */
struct trace {
    long length;
    unsigned long long places[100000];
};

/* Makes the step at a place, with all its repetitions. */
static bool step_off(pid_t child, unsigned long long place) {
    do {
        if (!go_on(child, PTRACE_SINGLESTEP)) return false;
    } while (place_of(child) == place);
    return true;
}

/* Every child has the library at the same place. */
static void follow(pid_t child, struct trace *trace) {
    const long most = sizeof trace->places / sizeof *trace->places;
    for (trace->length = 0; trace->length < most; trace->length++) {
        trace->places[trace->length] = place_of(child);
        if (!step_off(child, trace->places[trace->length])) return;
    }
}

/* Runs until an address is reached for the `times`th time: an int3 is there until then. */
static void run_to(pid_t child, unsigned long long place, long times) {
    long code = ptrace(PTRACE_PEEKTEXT, child, place, NULL), trap = (code & ~0xFFL) | 0xCC;
    for (;; times--) {
        struct user_regs_struct registers;
        ptrace(PTRACE_POKETEXT, child, place, trap);
        if (!go_on(child, PTRACE_CONT)) return;
        ptrace(PTRACE_GETREGS, child, NULL, &registers);
        registers.rip = place;
        ptrace(PTRACE_SETREGS, child, NULL, &registers);
        ptrace(PTRACE_POKETEXT, child, place, code);
        if (times == 1 || !step_off(child, place)) return;
    }
}

/* Brings a writer to the end of so many steps. The way there may differ from the one that was followed. */
static void run_steps(pid_t child, const struct trace *trace, long steps) {
    long times = 0;
    for (long i = 0; i <= steps; i++) times += trace->places[i] == trace->places[steps];
    if (place_of(child) == trace->places[steps]) times--;
    if (times > 0) run_to(child, trace->places[steps], times);
}

/* The points at which writers were killed. */
struct tally {
    int before; /* the commit */
    int after;  /* the commit, and before they knew of it */
    int known;
    int late; /* of the second kind: received only because listeners check by themselves, every second */
    _Atomic int64_t stalest_ns;
};

static void kill_after(long steps, const struct trace *trace, struct stepped *it, struct observer *observer,
                       struct tally *tally) {
    int64_t before = it->before = observer_look(observer);
    it->number++;
    pid_t child = start_stepped(it);
    run_steps(child, trace, steps);
    int64_t killed_at = now_ns();
    kill_child(child);
    int64_t stored = observer_look(observer);
    CHECK(stored == before || stored == it->number);
    CHECK(stored == it->number || it->acknowledged == -1);
    AWAIT(observer->received == stored);
    int64_t span = observer->received_at - killed_at;
    tally->before += stored == before;
    tally->known += it->acknowledged == it->number;
    if (stored != before && it->acknowledged == -1) {
        tally->after++;
        tally->late += span > 400000000;
        raise_to(&tally->stalest_ns, span);
    }
    /* A writer that died between two of LMDB's words has stored what only the next one's passing shows. */
    observer_try(observer);
    stored = observer_look(observer);
    CHECK(stored == before || stored == it->number);
    AWAIT(observer->received == stored && observer->queued == stored);
}

/* A writer's death wakes the listeners: hardly ever may one of them have to find out by itself. */
static void test_every_step(uint32_t flags, const char *what, int kills) {
    struct observer *observer = observer_start(flags);
    struct stepped *it = share(sizeof *it);
    struct trace *trace = share(sizeof *trace);
    struct tally tally = {0};
    it->flags = flags;
    it->number = 1;
    pid_t child = start_stepped(it);
    follow(child, trace);
    kill_child(child);
    CHECK(it->acknowledged == 1 && trace->length > 100);
    AWAIT(observer->stored == 1 && observer->received == 1);
    long stride = trace->length / kills + 1;
    for (long steps = 0; steps < trace->length; steps += stride) kill_after(steps, trace, it, observer, &tally);
    CHECK(tally.before > 0 && tally.after > 0);
    CHECK(tally.late <= tally.after / 4);
    FIGURES("; %s, of %ld steps killed after every %ld.: %d before the commit, %d after it, %d after the return; "
            "stale %.2f ms, %d by the tick alone; another blocked %.2f ms", what, trace->length, stride, tally.before,
            tally.after, tally.known, (double)tally.stalest_ns / 1e6, tally.late, (double)observer->blocked_ns / 1e6);
    observer_end(observer);
    munmap(trace, sizeof *trace);
    munmap(it, sizeof *it);
    remove_directory();
}

static int64_t read_watched(ctie_wormhole *wormhole) {
    ctie_message *message = NULL;
    ctie_wormhole_message(wormhole, WATCHED, &message, NULL);
    int64_t number = unsealed(ctie_message_value(message));
    ctie_message_release(message);
    return number;
}

/* No other process has the group open; the next one finds it whole. */
static void test_alone(uint32_t flags, int kills) {
    struct stepped *it = share(sizeof *it);
    struct trace *trace = share(sizeof *trace);
    ctie_wormhole_options options = group_options(flags);
    it->flags = flags;
    it->number = 1;
    pid_t child = start_stepped(it);
    follow(child, trace);
    kill_child(child);
    it->before = 1;
    for (long steps = 0; steps < trace->length; steps += trace->length / kills + 1) {
        it->number++;
        child = start_stepped(it);
        run_steps(child, trace, steps);
        kill_child(child);
        ctie_wormhole *wormhole = open_group_with(&options);
        int64_t stored = read_watched(wormhole);
        CHECK(stored == it->number || (stored == it->before && it->acknowledged == -1));
        CHECK_STATUS(pass_int(wormhole, "rival", steps), CTIE_OK);
        CHECK(read_watched(wormhole) == stored);
        CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
        it->before = stored;
    }
    munmap(trace, sizeof *trace);
    munmap(it, sizeof *it);
    remove_directory();
}

static bool may_trace(void) {
    struct stepped it = {.number = 1};
    pid_t child = start_stepped(&it);
    if (child != 0) kill_child(child);
    remove_directory();
    return child != 0;
}

int main(void) {
    name_directory();
    if (!may_trace()) {
        printf("the system lets no process be traced\n");
        return 77;
    }
    test_every_step(0, "safe map", test_rounds(100));
    test_every_step(CTIE_WORMHOLE_FAST, "writable map", test_rounds(100));
    test_alone(0, test_rounds(100));
    test_alone(CTIE_WORMHOLE_FAST, test_rounds(100));
    return check_end();
}
