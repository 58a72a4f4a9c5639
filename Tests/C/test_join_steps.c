/*
 * A callee, a caller, or both, killed at each of the victim's system calls while they join, call, answer and leave: each call
 * of the survivor ends once, for the reason that there is, and nothing of the victim stays behind. The next pair joins.
 */
#include "joining.h"

#include <limits.h>
#include <sys/ptrace.h>

enum { KILLS = 120, DEADLINE_MS = 30000 };

/* The acts of a victim; this process counts its system calls from its joining to its end. */
enum stage { COMING, JOINING, JOINED, LEFT };

static ctie_bus *bus;
static ctie_join *joined;

/* ---- The victims --------------------------------------------------------------------------------- */

/** Begins to be traced: every thread that it starts is, too. */
static void be_traced(void) {
    board->stage = COMING;
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(77);
    raise(SIGSTOP);
}

static void leave(ctie_join *join, ctie_wormhole *wormhole, ctie_bus *served) {
    CHECK_STATUS(ctie_join_release(join), CTIE_OK);
    board->stage = LEFT;
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    CHECK_STATUS(ctie_bus_release(served), CTIE_OK);
}

/** Answers some calls. */
static int be_called(void *flags) {
    be_traced();
    ctie_bus *served = make_bus();
    add_stock(served);
    ctie_wormhole *wormhole = open_group();
    board->stage = JOINING;
    ctie_join *join = join_as(served, wormhole, "victim", "stock", NULL, *(uint32_t *)flags);
    board->stage = JOINED;
    int64_t end = now_ns() + 5000000;
    while (now_ns() < end) nap_ns(500000);
    leave(join, wormhole, served);
    return 0;
}

static void call_as_victim(ctie_bus *own) {
    ctie_request_options soon = CTIE_REQUEST_OPTIONS_INIT;
    soon.timeout_ms = 2;
    ctie_component_call(own, CTIE_TARGET("stock", "echo"), NULL, without_end(), NULL, NULL);
    ctie_call *step = call_later(own, "stock", "step", without_end()), *kept = call_later(own, "stock", "hang", without_end());
    call_end(step);
    ctie_component_call(own, CTIE_TARGET("stock", "hang"), NULL, &soon, NULL, NULL);
    ctie_call_cancel(kept);
    call_end(kept);
    call_later(own, "stock", "hang", without_end());
}

/** Makes calls that are answered, cancelled, late, and open when it leaves. */
static int call_some(void *flags) {
    be_traced();
    ctie_bus *own = make_bus();
    ctie_wormhole *wormhole = open_group();
    board->stage = JOINING;
    ctie_join *join = join_as(own, wormhole, "victim", NULL, "stock", *(uint32_t *)flags);
    board->stage = JOINED;
    call_as_victim(own);
    leave(join, wormhole, own);
    return 0;
}

/* ---- Steps --------------------------------------------------------------------------------------- */

/** Waits for the end of a traced process and of all its threads. */
static void reap(pid_t child) {
    int status = 0;
    for (pid_t thread = 0; thread != child || WIFSTOPPED(status);) {
        thread = waitpid(-1, &status, __WALL);
        if (thread < 0) return;
        if (WIFSTOPPED(status)) ptrace(PTRACE_CONT, thread, NULL, NULL);
    }
}

static void end_traced(pid_t child) {
    kill(child, SIGKILL);
    reap(child);
}

/** The signal that a stop of a thread hands on; 0 for the stops of tracing. */
static long signal_of(int status) {
    int number = WSTOPSIG(status);
    return number == SIGSTOP || number == SIGTRAP || number == (SIGTRAP | 0x80) ? 0 : number;
}

static long last_count;

/**
 * Goes on to a stop of any of the victim's threads before or after a system call, by its number since the victim began
 * to join. False if the victim has ended before; then `last_count` is the number of its stops.
 */
static bool run_to_stop(pid_t child, long last) {
    long count = 0;
    for (;;) {
        int status = 0;
        pid_t thread = waitpid(-1, &status, __WALL);
        if (thread == child && !WIFSTOPPED(status)) {
            CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
            last_count = count;
            return false;
        }
        if (!WIFSTOPPED(status)) continue;
        bool is_call = WSTOPSIG(status) == (SIGTRAP | 0x80), counts = board->stage != COMING && board->stage != LEFT;
        if (is_call && counts && ++count == last) return true;
        ptrace(PTRACE_SYSCALL, thread, NULL, signal_of(status));
    }
}

/** Starts a victim, which stops before its first step. 0 where the system lets nobody be traced. */
static pid_t start_victim(int (*body)(void *), uint32_t flags) {
    int status = 0;
    pid_t child = start_child(body, &flags);
    waitpid(child, &status, 0);
    if (!WIFSTOPPED(status)) return 0;
    long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL;
    CHECK(ptrace(PTRACE_SETOPTIONS, child, NULL, options) == 0);
    ptrace(PTRACE_SYSCALL, child, NULL, NULL);
    return child;
}

/* ---- The survivors ------------------------------------------------------------------------------- */

static _Atomic int shall_rest = 1, resting, answered, unanswered, missing, other, begun, completed;

static void count_status(ctie_status status) {
    if (status == CTIE_OK) answered++;
    else if (status == CTIE_E_PEER_GONE) unanswered++;
    else if (status == CTIE_E_NO_COMPONENT) missing++;
    else if (other++ < 5) fprintf(stderr, "    a call ended with %s\n", ctie_status_name(status));
}

static void note_completion(ctie_response *response, void *user_data CTIE_UNUSED) {
    count_status(ctie_response_status(response));
    completed++;
}

static bool call_once(int number) {
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.timeout_ms = DEADLINE_MS;
    int before = missing;
    if (number % 3 > 0) {
        ctie_target target = CTIE_TARGET("stock", "echo");
        count_status(ctie_component_call(bus, target, NULL, &options, NULL, NULL));
    } else {
        ctie_call *call = NULL;
        begun++;
        CHECK_STATUS(ctie_component_call_async(bus, CTIE_TARGET("stock", "step"), NULL, CTIE_COMPLETION(note_completion, NULL),
                                               &options, &call, NULL), CTIE_OK);
        CHECK_STATUS(ctie_call_wait(call, 2 * DEADLINE_MS, NULL), CTIE_OK);
        CHECK_STATUS(ctie_call_release(call), CTIE_OK);
    }
    return missing == before;
}

/** Calls the victim, if there is one; rests when told to: `shall_rest` is the number of the rest, 0 to go on, or -1 to end. */
static void *call_on(void *unused) {
    for (int i = 0; shall_rest >= 0; i++) {
        bool is_there = shall_rest == 0 && call_once(i);
        resting = shall_rest;
        if (!is_there) nap_ns(200000);
    }
    return unused;
}

/** A callee dies, and this process has called it. */
static bool kill_callee(long at, uint32_t flags) {
    static int rests = 1;
    shall_rest = 0;
    pid_t child = start_victim(be_called, flags);
    bool is_killed = run_to_stop(child, at);
    if (is_killed) end_traced(child);
    shall_rest = ++rests;
    AWAIT(resting == rests);
    AWAIT(completed == begun);
    return is_killed;
}

/** A caller dies, and this process was called. */
static bool kill_caller(long at, uint32_t flags) {
    pid_t child = start_victim(call_some, flags);
    bool is_killed = run_to_stop(child, at);
    if (is_killed) end_traced(child);
    return is_killed;
}

/** Both die at once; this process only shares their group. */
static bool kill_both(long at, uint32_t flags) {
    board->shall_end = 0;
    pid_t partner = start_stock("partner", flags), child = start_victim(call_some, flags);
    bool is_killed = run_to_stop(child, at);
    if (is_killed) kill(child, SIGKILL);
    kill_child(partner);
    if (is_killed) reap(child);
    return is_killed;
}

/* ---- The rounds ---------------------------------------------------------------------------------- */

struct victims {
    const char *what;
    int (*body)(void *);
    bool (*kill)(long at, uint32_t flags);
    const char *exported, *imported; /* by this process */
};

static const struct victims CALLEES = {"callees", be_called, kill_callee, NULL, "stock"};
static const struct victims CALLERS = {"callers", call_some, kill_caller, "stock", NULL};
static const struct victims PAIRS = {"pairs", call_some, kill_both, NULL, NULL};

/** Nothing is left of a victim. Handlers of the partner that is killed with its caller are not cancelled any more. */
static void nothing_stays(const struct victims *victims, int files) {
    /* All at once: the victim may have connected, and this side accept that after its death. */
    AWAIT(peer_count(joined) == 0 && shared_mappings() == 0 && open_files() == files);
    if (victims->exported != NULL) AWAIT(board->running == board->cancelled);
}

/** Kills at about so many of the victim's stops, beginning again where there are fewer. */
static void kill_at_each_stop(const struct victims *victims, uint32_t flags, int kills, int files) {
    long stops = LONG_MAX, number = 0, killed = 0;
    /* A victim that nobody kills shows their number. Another one may have a few more or less. */
    CHECK(!victims->kill(stops, flags));
    nothing_stays(victims, files);
    stops = last_count;
    CHECK(stops > 50);
    for (int i = 0; i < kills; i++) {
        number = kills < stops ? (long)i * stops / kills : i % stops;
        killed += victims->kill(number + 1, flags);
        nothing_stays(victims, files);
    }
    /* Under load a callee may be called less often than the one that showed the number. */
    CHECK(killed > kills / 8);
    FIGURES("; %ld %s of %ld stops", killed, victims->what, stops);
    /* The next pair joins and calls. */
    CHECK(!victims->kill(LONG_MAX, flags));
    nothing_stays(victims, files);
}

static void play(const struct victims *victims, uint32_t flags, int kills) {
    pthread_t caller;
    bus = make_bus();
    if (victims->exported != NULL) add_stock(bus);
    ctie_wormhole *wormhole = open_group();
    joined = join_as(bus, wormhole, "survivor", victims->exported, victims->imported, 0);
    int files = open_files();
    board->running = board->cancelled = 0;
    shall_rest = 1;
    pthread_create(&caller, NULL, call_on, NULL);
    kill_at_each_stop(victims, flags, kills, files);
    shall_rest = -1;
    pthread_join(caller, NULL);
    CHECK_STATUS(ctie_join_release(joined), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static bool may_trace(void) {
    uint32_t flags = 0;
    pid_t child = start_victim(be_called, flags);
    if (child != 0) end_traced(child);
    return child != 0;
}

int main(void) {
    name_directory();
    board = share(sizeof *board);
    if (!may_trace()) return check_skipped("the system lets no process be traced");
    const struct victims *all[] = {&CALLEES, &CALLERS, &PAIRS};
    int threads = thread_count(), files = open_files(), kills = test_rounds(KILLS);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        play(all[i], 0, kills * 2 / 3);
        play(all[i], CTIE_JOIN_NO_SHARED_MEMORY, kills / 3);
    }
    CHECK(answered > 0 && unanswered > 0 && other == 0);
    CHECK(threads_end(threads));
    CHECK(open_files() == files);
    FIGURES("; %d answered, %d without their peer", (int)answered, (int)unanswered);
    remove_directory();
    return check_end();
}
