/*
 * Answers, cancels, deadlines and the end of the peer race to end calls between joined buses: each call completes once, with
 * the result of one of them, and nothing stays behind. The peer leaves the group, is closed with its bus, or is killed.
 */
#include "joining.h"

#include <sched.h>

enum { BATCH = 32, RACES = 12800, HELD = 4 * BATCH };

static ctie_bus *bus;
static ctie_join *joined;

/** A process that was forked from one with threads has no thread of ThreadSanitizer. */
static bool may_fork(void) {
#ifdef __SANITIZE_THREAD__
    return false;
#else
    return true;
#endif
}

static void pause_for(unsigned *seed, int most) {
    for (volatile int left = rand_r(seed) % most; left > 0; left--) {}
}

/* ---- The callee ---------------------------------------------------------------------------------- */

/** The requests whose answers wait for a thread. The handlers put them in, and it takes them out. */
static _Atomic(ctie_request *) kept[HELD];
static _Atomic unsigned keeping;
static _Atomic int shall_stop;

static void answer(ctie_request *request) {
    ctie_value *params = NULL;
    CHECK_STATUS(ctie_request_params(request, &params), CTIE_OK);
    ctie_status status = ctie_request_reply(request, params);
    CHECK(status == CTIE_OK || status == CTIE_E_ALREADY);
}

static void answer_now(ctie_request *request, void *user_data CTIE_UNUSED) { answer(request); }

static void answer_later(ctie_request *request, void *user_data CTIE_UNUSED) {
    CHECK_STATUS(ctie_request_retain(request), CTIE_OK);
    ctie_request *older = atomic_exchange(&kept[keeping++ % HELD], request);
    if (older != NULL) ctie_request_release(older);
}

/** Answers one of them; false if there is none. */
static bool answer_kept(size_t place) {
    ctie_request *request = atomic_exchange(&kept[place], NULL);
    if (request == NULL) return false;
    answer(request);
    CHECK_STATUS(ctie_request_release(request), CTIE_OK);
    return true;
}

static void *answer_all(void *unused) {
    unsigned seed = 3;
    while (!shall_stop) {
        for (size_t i = 0; i < HELD; i++) {
            if (answer_kept(i)) pause_for(&seed, 2000);
        }
        sched_yield();
    }
    return unused;
}

static ctie_bus *make_called_bus(void) {
    ctie_bus *called = make_bus();
    ctie_action actions[] = {action_of("now", answer_now, NULL, 0), action_of("later", answer_later, NULL, 0)};
    CHECK_STATUS(ctie_component_add(called, CTIE_STR("stock"), CTIE_ACTIONS(actions), CTIE_INSTANCE(NULL), NULL, NULL,
                                    NULL), CTIE_OK);
    return called;
}

/** In a process of its own, until it is killed. */
static int answer_until_killed(void *flags) {
    pthread_t thread;
    memset(kept, 0, sizeof kept);
    join_as(make_called_bus(), open_group(), "callee", "stock", NULL, *(uint32_t *)flags);
    pthread_create(&thread, NULL, answer_all, NULL);
    board->ready++;
    for (;;) pause();
    return 0;
}

/* ---- One call ------------------------------------------------------------------------------------ */

struct race {
    int64_t number;
    ctie_call *_Atomic call;
    _Atomic int completions, destroys, cancels, status;
};

static struct race races[BATCH];
static _Atomic int over, won_by[5]; /* answer, cancel, deadline, end of the peer; begun after that */
static int wrong;

static bool is_right(const ctie_response *response, int64_t number) {
    return ctie_response_status(response) != CTIE_OK || int_at(ctie_response_value(response), "number") == number;
}

static void complete(ctie_response *response, void *user_data) {
    struct race *own = user_data;
    CHECK(is_right(response, own->number) && own->destroys == 0);
    own->status = ctie_response_status(response);
    own->completions++;
}

static void destroy(void *user_data) {
    struct race *own = user_data;
    own->destroys++;
    over++;
}

static void count_winner(ctie_status status) {
    int winner = status == CTIE_OK ? 0 : status == CTIE_E_CANCELLED ? 1 : status == CTIE_E_TIMEOUT ? 2
               : status == CTIE_E_PEER_GONE ? 3 : status == CTIE_E_NO_COMPONENT ? 4 : -1;
    if (winner >= 0) won_by[winner]++;
    else if (wrong++ < 5) fprintf(stderr, "    a call ended with %s\n", ctie_status_name(status));
}

/** One in four calls has the shortest deadline. */
static ctie_request_options options_of(int64_t number) {
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.timeout_ms = number % 4 == 0 ? 1 : -1;
    return options;
}

static ctie_target target_of(int64_t number) {
    return number % 3 == 0 ? CTIE_TARGET("stock", "now") : CTIE_TARGET("stock", "later");
}

static void submit(struct race *own, int64_t number) {
    ctie_call *call = NULL;
    ctie_value *params = CTIE_MAP("number", ctie_value_int(number));
    ctie_request_options options = options_of(number);
    own->number = number;
    own->completions = own->destroys = own->cancels = 0;
    CHECK_STATUS(ctie_component_call_async(bus, target_of(number), params, CTIE_COMPLETION_OWNED(complete, own, destroy),
                                           &options, &call, NULL), CTIE_OK);
    ctie_value_release(params);
    own->call = call;
}

static void judge(struct race *own) {
    ctie_response *response = NULL;
    ctie_call *call = own->call;
    CHECK_STATUS(ctie_call_wait(call, 60000, &response), CTIE_OK);
    CHECK(ctie_response_status(response) == own->status);
    CHECK(own->completions == 1 && own->destroys == 1);
    CHECK((own->cancels == 1) == (own->status == CTIE_E_CANCELLED));
    count_winner(own->status);
    ctie_response_release(response);
    CHECK_STATUS(ctie_call_release(call), CTIE_OK);
    own->call = NULL;
}

/* ---- The threads --------------------------------------------------------------------------------- */

static _Atomic int turn, cancelled, waited;

/** The next batch after one; 0 at the end. */
static int next_turn(int last) {
    while (turn == last) sched_yield();
    return turn;
}

static void *cancel_most(void *unused) {
    unsigned seed = 1;
    for (int batch = 0; (batch = next_turn(batch)) != 0; cancelled = batch) {
        for (struct race *own = races; own < races + BATCH; own++) {
            while (own->call == NULL) sched_yield();
            pause_for(&seed, 40000);
            if (rand_r(&seed) % 2 == 0 && ctie_call_cancel(own->call) == CTIE_OK) own->cancels++;
        }
    }
    return unused;
}

/** Calls whose caller's thread waits. */
static void *call_and_wait(void *unused) {
    for (int batch = 0; (batch = next_turn(batch)) != 0; waited = batch) {
        for (int64_t i = 0; i < BATCH / 4; i++) {
            ctie_response *response = NULL;
            ctie_value *params = CTIE_MAP("number", ctie_value_int(i));
            ctie_request_options options = options_of(i);
            count_winner(ctie_component_call(bus, target_of(i), params, &options, &response, NULL));
            CHECK(is_right(response, i));
            ctie_response_release(response);
            ctie_value_release(params);
        }
    }
    return unused;
}

/* ---- The batches --------------------------------------------------------------------------------- */

/** The ways in which the peer ends in the middle of a batch. */
enum way { LEAVES, CLOSES, DIES, WAYS };

static void run_batch(int batch, ctie_wormhole *wormhole, unsigned *seed) {
    enum way way = (enum way)(batch % (may_fork() ? WAYS : DIES));
    uint32_t flags = batch % 5 == 0 ? CTIE_JOIN_NO_SHARED_MEMORY : 0;
    int ready = board->ready;
    ctie_bus *called = way == DIES ? NULL : make_called_bus();
    ctie_join *callee = way == DIES ? NULL : join_as(called, wormhole, "callee", "stock", NULL, flags);
    pid_t child = way == DIES ? start_child(answer_until_killed, &flags) : 0;
    AWAIT(way != DIES || board->ready > ready);
    AWAIT(peer_count(joined) == 1);
    over = 0;
    turn = batch;
    int end = rand_r(seed) % (BATCH + 1);
    for (int i = 0; i < BATCH; i++) {
        if (i == end) pause_for(seed, 50000);
        submit(&races[i], (int64_t)batch * BATCH + i);
    }
    pause_for(seed, 2000000);
    if (way == LEAVES) CHECK_STATUS(ctie_join_release(callee), CTIE_OK);
    if (way == CLOSES) CHECK_STATUS(ctie_bus_close(called), CTIE_OK);
    if (way == DIES) kill_child(child);
    AWAIT(over == BATCH && cancelled == batch && waited == batch);
    for (int i = 0; i < BATCH; i++) judge(&races[i]);
    if (way == LEAVES) CHECK_STATUS(ctie_bus_close(called), CTIE_OK);
    if (way == CLOSES) CHECK_STATUS(ctie_join_release(callee), CTIE_OK);
    AWAIT(peer_count(joined) == 0);
    AWAIT(shared_mappings() == 0);
}

static void race_all(ctie_wormhole *wormhole, int batches) {
    unsigned seed = 1;
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, answer_all, NULL);
    pthread_create(&threads[1], NULL, cancel_most, NULL);
    pthread_create(&threads[2], NULL, call_and_wait, NULL);
    int files = open_files();
    for (int batch = 1; batch <= batches && checks_failed == 0; batch++) {
        run_batch(batch, wormhole, &seed);
        AWAIT(open_files() == files);
    }
    shall_stop = 1;
    turn = 0;
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    for (size_t i = 0; i < HELD; i++) answer_kept(i);
}

int main(void) {
    name_directory();
    board = share(sizeof *board);
    bus = make_bus();
    int threads = thread_count(), files = open_files(), batches = test_rounds(RACES) / BATCH + 1;
    if (!may_fork()) { threads++; } /* the one of ThreadSanitizer begins with the first other one */
    ctie_wormhole *wormhole = open_group();
    joined = join_as(bus, wormhole, "caller", NULL, "stock", 0);
    race_all(wormhole, batches);
    CHECK(wrong == 0 && won_by[0] > 0);
    FIGURES(", %d answered, %d cancelled, %d too late, %d without their peer, %d after its end", won_by[0], won_by[1],
            won_by[2], won_by[3], won_by[4]);
    return end_joined(joined, wormhole, bus, threads, files);
}
