/*
 * Calls by memory that two processes share: frames of every size stay in order, slots for answers are given back, whatever
 * ends a call; without the memory the same calls go by sockets.
 */
#define _GNU_SOURCE
#include "joining.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/resource.h>

enum { WAITERS = 80, IN_ORDER = 400 };

static ctie_bus *bus;
static ctie_wormhole *wormhole;
static ctie_join *joined;

static ctie_status call_stock(const char *action, const ctie_value *params, const ctie_request_options *options,
                              ctie_response **response) {
    return ctie_component_call(bus, (ctie_target){CTIE_STR("stock"), ctie_str_from(action)}, params, options, response,
                               NULL);
}

static ctie_value *bytes_of(size_t size, int number) {
    char *bytes = malloc(size + 1);
    for (size_t i = 0; i < size; i++) bytes[i] = (char)(i * 7 + (size_t)number);
    ctie_value *value = CTIE_MAP("number", ctie_value_int(number), "bytes", ctie_value_bytes((ctie_str){bytes, size}));
    free(bytes);
    return value;
}

/* ---- Sizes and order ----------------------------------------------------------------------------- */

static void every_size_comes_back(void) {
    static const size_t limits[] = {0, 64, 4096, 65536, 1 << 20, 3 << 20};
    for (size_t each = 0; each < sizeof limits / sizeof *limits; each++) {
        for (size_t less = 0; less <= 80 && less <= limits[each]; less += 8) {
            ctie_value *params = bytes_of(limits[each] - less, (int)less);
            ctie_response *response = NULL;
            CHECK_STATUS(call_stock("echo", params, without_end(), &response), CTIE_OK);
            CHECK(ctie_value_equal(ctie_response_value(response), params));
            ctie_response_release(response);
            ctie_value_release(params);
        }
    }
}

/* Parameters and user info with several large parts each, whose contents a frame in the memory has behind it, and one of the
   socket inside. */
static void large_parts_come_back(void) {
    static const size_t sizes[] = {65535, 65536, 70000, 200000, 1000000};
    for (size_t each = 0; each < sizeof sizes / sizeof *sizes; each++) {
        ctie_request_options options = *without_end();
        ctie_value *info = bytes_of(sizes[each], 3);
        ctie_value *params = CTIE_MAP("first", bytes_of(sizes[each], 1), "between", ctie_value_int(5), "second",
                                      bytes_of(66000, 2), "last", bytes_of(10, 4));
        ctie_response *response = NULL;
        options.user_info = info;
        CHECK_STATUS(call_stock("echo", params, &options, &response), CTIE_OK);
        CHECK(ctie_value_equal(ctie_response_value(response), params));
        ctie_response_release(response);
        CHECK_STATUS(ctie_component_call(bus, CTIE_TARGET("queue", "info"), params, &options, &response, NULL), CTIE_OK);
        CHECK(ctie_value_equal(ctie_response_value(response), info));
        ctie_response_release(response);
        ctie_value_release(params);
        ctie_value_release(info);
    }
}

static void note_end(ctie_response *response, void *user_data) {
    CHECK_STATUS(ctie_response_status(response), CTIE_OK);
    latch_add(user_data);
}

/* Small frames, frames that need a block, and some that only the socket can take, from one thread: the callee counts
   those that are not the next one. */
static void calls_stay_in_order(void) {
    static latch ended = LATCH_INIT;
    ctie_response *response = NULL;
    int64_t disorder = -1;
    int before = latch_count(&ended);
    for (int i = 0; i < IN_ORDER; i++) {
        ctie_value *params = bytes_of(i % 97 == 29 ? 2 << 20 : i % 7 == 6 ? 70000 : i % 5 == 4 ? 5000 : 10, i);
        CHECK_STATUS(ctie_component_call_async(bus, CTIE_TARGET("queue", "next"), params, CTIE_COMPLETION(note_end, &ended),
                                               without_end(), NULL, NULL), CTIE_OK);
        ctie_value_release(params);
    }
    latch_wait(&ended, before + IN_ORDER);
    CHECK_STATUS(ctie_component_call(bus, CTIE_TARGET("queue", "disorder"), NULL, without_end(), &response, NULL), CTIE_OK);
    ctie_value_get_int(ctie_response_value(response), &disorder);
    CHECK(disorder == 0);
    ctie_response_release(response);
}

/** The resident bytes of shared memory in this process. */
static long resident_bytes(void) {
    char line[512];
    long total = 0, kilobytes = 0;
    bool is_shared = false;
    FILE *maps = fopen("/proc/self/smaps", "r");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        if (strchr(line, '-') != NULL && strstr(line, " rw") != NULL) is_shared = strstr(line, "memfd:crosstie-join") != NULL;
        if (is_shared && sscanf(line, "Rss: %ld", &kilobytes) == 1) total += kilobytes * 1024;
    }
    if (maps != NULL) fclose(maps);
    return total;
}

/* ---- Ends of calls that a thread waits for ------------------------------------------------------- */

static ctie_status waited[WAITERS];

static void *wait_for_nothing(void *argument) {
    int index = (int)(uintptr_t)argument;
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.timeout_ms = index % 2 == 0 ? -1 : SOON_MS;
    waited[index] = call_stock("hang", NULL, &options, NULL);
    return NULL;
}

/** More threads than there are slots for answers wait; half of them for a while only. Then `end` runs. */
static void many_wait_until(void (*end)(void), ctie_status expected) {
    pthread_t threads[WAITERS];
    int before = board->running, cancelled = board->cancelled;
    for (int i = 0; i < WAITERS; i++) pthread_create(&threads[i], NULL, wait_for_nothing, (void *)(uintptr_t)i);
    AWAIT(board->running == before + WAITERS);
    AWAIT(board->cancelled == cancelled + WAITERS / 2);
    end();
    for (int i = 0; i < WAITERS; i++) {
        pthread_join(threads[i], NULL);
        CHECK_STATUS(waited[i], i % 2 == 0 ? expected : CTIE_E_TIMEOUT);
    }
}

static pid_t callee;

static void kill_callee(void) { kill_child(callee); }

static void leave(void) { CHECK_STATUS(ctie_join_release(joined), CTIE_OK); }

/* ---- The callee ---------------------------------------------------------------------------------- */

static int64_t next_number, disorder;

static void take_number(ctie_request *request, void *user_data CTIE_UNUSED) {
    ctie_value *params = NULL;
    CHECK_STATUS(ctie_request_params(request, &params), CTIE_OK);
    disorder += int_at(params, "number") != next_number;
    next_number = int_at(params, "number") + 1;
    ctie_request_reply(request, params);
}

static void report_disorder(ctie_request *request, void *user_data CTIE_UNUSED) {
    ctie_request_reply(request, ctie_value_int(disorder));
    disorder = next_number = 0;
}

static void reply_info(ctie_request *request, void *user_data CTIE_UNUSED) {
    const ctie_value *info = NULL;
    CHECK_STATUS(ctie_request_user_info(request, &info), CTIE_OK);
    ctie_request_reply(request, ctie_value_retain(info));
}

static ctie_join *join_with(ctie_bus *own, ctie_wormhole *group, const char *exported, const char *imported, uint32_t flags) {
    ctie_join_options options = CTIE_JOIN_OPTIONS_INIT;
    ctie_str exports[] = {ctie_str_from(exported), CTIE_STR("queue")}, imports[] = {ctie_str_from(imported), CTIE_STR("queue")};
    ctie_join *join = NULL;
    options.exports = (ctie_str_list){exports, exported != NULL ? 2 : 0};
    options.imports = (ctie_str_list){imports, imported != NULL ? 2 : 0};
    options.max_frame_size = 8 << 20;
    options.max_calls = 4096;
    options.flags = flags;
    CHECK_STATUS(ctie_bus_join(own, group, &options, &join, NULL), CTIE_OK);
    return join;
}

static void limit_files(void) {
    struct rlimit limit = {32, 32};
    CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

/** Has a system call fail with ENOSYS from now on. */
static void forbid(unsigned number) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0);
}

static void forbid_waiting(void) { forbid(449 /* futex_waitv */); }
static void forbid_memory(void) { forbid(SYS_memfd_create); }

struct surroundings {
    void (*before)(void); /* runs before the callee joins; may be NULL */
    void (*after)(void);  /* runs after it has */
    uint32_t flags;
};

static int serve_in(void *argument) {
    const struct surroundings *own = argument;
    if (own->before != NULL) own->before();
    ctie_bus *served = make_bus();
    ctie_dispatcher_options one = CTIE_DISPATCHER_OPTIONS_INIT;
    ctie_component_options options = CTIE_COMPONENT_OPTIONS_INIT;
    one.max_workers = 1;
    one.max_queued = 4096;
    CHECK_STATUS(ctie_dispatcher_add(served, CTIE_STR("one"), &one, NULL), CTIE_OK);
    add_stock(served);
    ctie_action actions[] = {action_of("next", take_number, NULL, 0), action_of("disorder", report_disorder, NULL, 0),
                             action_of("info", reply_info, NULL, 0)};
    options.dispatcher = CTIE_STR("one");
    CHECK_STATUS(ctie_component_add(served, CTIE_STR("queue"), CTIE_ACTIONS(actions), CTIE_INSTANCE(NULL), &options, NULL,
                                    NULL), CTIE_OK);
    ctie_wormhole *group = open_group();
    ctie_join *join = join_with(served, group, "stock", NULL, own->flags);
    board->ready++;
    AWAIT(board->stage > 0);
    if (own->after != NULL) own->after();
    board->ready++;
    while (!board->shall_end) nap_ns(500000);
    CHECK_STATUS(ctie_join_release(join), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(group), CTIE_OK);
    CHECK_STATUS(ctie_bus_release(served), CTIE_OK);
    CHECK(shared_mappings() == 0);
    return checks_failed != 0;
}

static void start_callee(struct surroundings *in) {
    int before = board->ready;
    board->stage = 0;
    callee = start_child(serve_in, in);
    AWAIT(board->ready > before);
    AWAIT(peer_count(joined) == 1);
    CHECK_STATUS(call_stock("echo", NULL, without_end(), NULL), CTIE_OK);
    before = board->ready;
    board->stage = 1;
    AWAIT(board->ready > before);
}

static void end_callee(void) {
    end_stock(callee);
    AWAIT(peer_count(joined) == 0);
}

static void play_in(struct surroundings in, int mappings) {
    start_callee(&in);
    if (!can_share_memory()) mappings = 0;
    AWAIT(shared_mappings() == mappings);
    every_size_comes_back();
    large_parts_come_back();
    calls_stay_in_order();
    end_callee();
    AWAIT(shared_mappings() == 0);
}

/** The number of times that the threads of a name in a process have slept. */
static long sleeps_of(pid_t process, const char *name) {
    char path[64], line[256];
    long total = 0, count = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *tasks = opendir(path);
    for (struct dirent *each; tasks != NULL && (each = readdir(tasks)) != NULL;) {
        bool is_named = false;
        snprintf(path, sizeof path, "/proc/%d/task/%.12s/status", (int)process, each->d_name);
        FILE *status = fopen(path, "r");
        while (status != NULL && fgets(line, sizeof line, status) != NULL) {
            if (strncmp(line, "Name:\t", 6) == 0) {
                is_named = strncmp(line + 6, name, strlen(name)) == 0 && line[6 + strlen(name)] == '\n';
            }
            if (is_named && sscanf(line, "voluntary_ctxt_switches: %ld", &count) == 1) total += count;
        }
        if (status != NULL) fclose(status);
    }
    if (tasks != NULL) closedir(tasks);
    return total;
}

/* A call wakes a worker of the callee and then its caller, and no other thread. A worker that has just answered may come too
 * late for the next call on a loaded machine, so calls have pauses, and one round of several is enough. */
static void nobody_is_between(void) {
    enum { CALLS = 200, ROUNDS = 20 };
    struct surroundings plain = {NULL, NULL, 0};
    long here = 0, there = 0;
    start_callee(&plain);
    for (int round = 0; round < ROUNDS; round++) {
        here = sleeps_of(getpid(), "crosstie-join"), there = sleeps_of(callee, "crosstie-join");
        for (int i = 0; i < CALLS; i++) {
            CHECK_STATUS(call_stock("echo", NULL, without_end(), NULL), CTIE_OK);
            usleep(1000);
        }
        here = sleeps_of(getpid(), "crosstie-join") - here;
        there = sleeps_of(callee, "crosstie-join") - there;
        if (here < CALLS / 2 && there < CALLS / 2) break;
    }
    FIGURES(", %d calls: the joins' threads slept %ld and %ld times", CALLS, here, there);
    CHECK(!can_share_memory() || (here < CALLS / 2 && there < CALLS / 2));
    end_callee();
}

static void a_pair_needs_little(void) {
    struct surroundings plain = {NULL, NULL, 0};
    start_callee(&plain);
    for (int i = 0; i < 300; i++) CHECK_STATUS(call_stock("echo", NULL, without_end(), NULL), CTIE_OK);
    CHECK(resident_bytes() > 0 || !can_share_memory());
    CHECK(resident_bytes() <= 300 * 1024);
    FIGURES(", %ld bytes for a pair", resident_bytes());
    end_callee();
}

/* A process that is forbidden to wait for several words while it shares memory already. */
static int call_and_nap(void *unused CTIE_UNUSED) {
    ctie_request_options soon = CTIE_REQUEST_OPTIONS_INIT;
    soon.timeout_ms = SOON_MS;
    bus = make_bus();
    wormhole = open_group();
    joined = join_with(bus, wormhole, NULL, "stock", 0);
    CHECK(peer_count(joined) == 2); /* the callee, and the process that starts both */
    CHECK_STATUS(call_stock("echo", NULL, without_end(), NULL), CTIE_OK);
    forbid_waiting();
    for (int i = 0; i < 20; i++) CHECK_STATUS(call_stock("echo", NULL, without_end(), NULL), CTIE_OK);
    CHECK_STATUS(call_stock("hang", NULL, &soon, NULL), CTIE_E_TIMEOUT);
    leave();
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    return checks_failed != 0;
}

static void a_caller_may_be_forbidden_to_wait(void) {
    struct surroundings plain = {NULL, NULL, 0};
    start_callee(&plain);
    CHECK(end_of_child(start_child(call_and_nap, NULL)) == 0);
    AWAIT(peer_count(joined) == 1);
    end_callee();
}

static int count_in_child(void *unused CTIE_UNUSED) { return shared_mappings(); }

static void a_forked_child_has_no_memory(void) {
    struct surroundings plain = {NULL, NULL, 0};
    start_callee(&plain);
    AWAIT(shared_mappings() == can_share_memory());
    CHECK(end_of_child(start_child(count_in_child, NULL)) == 0);
    CHECK_STATUS(call_stock("echo", NULL, without_end(), NULL), CTIE_OK);
    end_callee();
}

static void join_again(void) { joined = join_with(bus, wormhole, NULL, "stock", 0); }

int main(void) {
    struct surroundings plain = {NULL, NULL, 0};
    ctie_bus_options one_worker = CTIE_BUS_OPTIONS_INIT;
    name_directory();
    board = share(sizeof *board);
    one_worker.max_workers = 1; /* so that calls leave in order */
    CHECK_STATUS(ctie_bus_new(&one_worker, &bus, NULL), CTIE_OK);
    int threads = thread_count(), files = open_files();
    wormhole = open_group();
    join_again();
    CHECK(shared_mappings() == 0);
    play_in(plain, 1);
    play_in((struct surroundings){NULL, NULL, CTIE_JOIN_NO_SHARED_MEMORY}, 0);
    play_in((struct surroundings){forbid_waiting, NULL, 0}, 0);
    play_in((struct surroundings){forbid_memory, NULL, 0}, 0);
    play_in((struct surroundings){limit_files, NULL, 0}, 1);
    play_in((struct surroundings){NULL, forbid_waiting, 0}, 1); /* a worker sleeps on the memory already */
    a_forked_child_has_no_memory();
    nobody_is_between();
    a_pair_needs_little();
    a_caller_may_be_forbidden_to_wait();
    start_callee(&plain);
    many_wait_until(kill_callee, CTIE_E_PEER_GONE);
    AWAIT(peer_count(joined) == 0);
    start_callee(&plain);
    many_wait_until(leave, CTIE_E_CLOSED);
    end_stock(callee);
    CHECK(shared_mappings() == 0);
    join_again();
    start_callee(&plain);
    every_size_comes_back();
    end_callee();
    CHECK_STATUS(ctie_join_release(joined), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(threads_end(threads));
    CHECK(open_files() == files);
    CHECK(shared_mappings() == 0);
    remove_directory();
    return check_end();
}
