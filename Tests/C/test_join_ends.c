/*
 * A join that ends in an orderly way sends the answers that were given first: also those of handlers that have not returned,
 * and those that the socket has no room for yet.
 */
#include "joining.h"

enum { LARGE = 900000, MANY = 24 };

static ctie_bus *bus;
static ctie_join *joined;

/** The ways in which a callee leaves. */
enum way {
    FROM_A_THREAD,     /* while the handlers wait, after their answer */
    INSIDE_A_HANDLER,  /* in the handler that has answered last */
    BY_CLOSING,        /* with its bus, when the handlers have returned */
};

struct leaving {
    enum way way;
    int calls;         /* that are answered before */
    uint32_t flags;
};

static struct {
    _Atomic int given;  /* answers */
    _Atomic int left;   /* the callee is without its join */
} *state;

/* ---- The callee ---------------------------------------------------------------------------------- */

static ctie_join *own_join;
static struct leaving own;

/** Answers, and returns when the join has been released. */
static void answer_and_stay(ctie_request *request, void *user_data CTIE_UNUSED) {
    ctie_value *params = NULL;
    CHECK_STATUS(ctie_request_params(request, &params), CTIE_OK);
    CHECK_STATUS(ctie_request_reply(request, params), CTIE_OK);
    int given = ++state->given;
    if (own.way == BY_CLOSING) return;
    if (own.way == INSIDE_A_HANDLER && given == own.calls) {
        CHECK_STATUS(ctie_join_release(own_join), CTIE_PENDING);
        state->left = 1;
    }
    AWAIT(state->left);
}

static void *answer_kept(void *request) {
    CHECK_STATUS(ctie_request_reply(request, ctie_value_int(5)), CTIE_OK);
    CHECK_STATUS(ctie_request_release(request), CTIE_OK);
    state->given++;
    return NULL;
}

/** The same with an answer from another thread. */
static void keep_and_stay(ctie_request *request, void *user_data CTIE_UNUSED) {
    pthread_t thread;
    CHECK_STATUS(ctie_request_retain(request), CTIE_OK);
    pthread_create(&thread, NULL, answer_kept, request);
    pthread_join(thread, NULL);
    AWAIT(state->left);
}

static void step_and_answer(ctie_request *request, void *user_data CTIE_UNUSED) {
    for (int i = 0; i < 3; i++) ctie_request_progress(request, ctie_value_int(i));
    CHECK_STATUS(ctie_request_reply(request, ctie_value_int(3)), CTIE_OK);
    state->given++;
    AWAIT(state->left);
}

static int serve_and_leave(void *argument) {
    own = *(struct leaving *)argument;
    ctie_bus *served = make_bus();
    ctie_action actions[] = {action_of("answer", answer_and_stay, NULL, 0), action_of("keep", keep_and_stay, NULL, 0),
                             action_of("step", step_and_answer, NULL, 0), action_of("hang", hang, NULL, 0)};
    CHECK_STATUS(ctie_component_add(served, CTIE_STR("stock"), CTIE_ACTIONS(actions), CTIE_INSTANCE(NULL), NULL, NULL,
                                    NULL), CTIE_OK);
    ctie_wormhole *wormhole = open_group();
    own_join = join_as(served, wormhole, "leaver", "stock", NULL, own.flags);
    board->ready++;
    AWAIT(state->given == own.calls);
    if (own.way == FROM_A_THREAD) CHECK_STATUS(ctie_join_release(own_join), CTIE_OK);
    if (own.way == BY_CLOSING) CHECK_STATUS(ctie_bus_close(served), CTIE_OK);
    AWAIT(own.way != INSIDE_A_HANDLER || state->left);
    state->left = 1;
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    if (own.way != BY_CLOSING) CHECK_STATUS(ctie_bus_close(served), CTIE_OK);
    return 0;
}

/* ---- The caller ---------------------------------------------------------------------------------- */

static pid_t start_leaver(struct leaving *how) {
    int before = board->ready;
    memset(state, 0, sizeof *state);
    pid_t child = start_child(serve_and_leave, how);
    AWAIT(board->ready > before);
    AWAIT(peer_count(joined) == 1);
    return child;
}

static void end_leaver(pid_t child) {
    CHECK(end_of_child(child) == 0);
    AWAIT(peer_count(joined) == 0);
}

static ctie_value *params_of(size_t size) {
    char *bytes = calloc(1, size + 1);
    ctie_value *params = CTIE_MAP("bytes", ctie_value_bytes((ctie_str){bytes, size}));
    free(bytes);
    return params;
}

struct caller {
    size_t size;
    ctie_status status;
    bool is_right;
};

/** A call whose caller's thread takes the answer. */
static void *call_and_wait(void *argument) {
    struct caller *caller = argument;
    ctie_value *params = params_of(caller->size);
    ctie_response *response = NULL;
    caller->status = ctie_component_call(bus, CTIE_TARGET("stock", "answer"), params, without_end(), &response, NULL);
    caller->is_right = ctie_value_equal(ctie_response_value(response), params);
    ctie_response_release(response);
    ctie_value_release(params);
    return NULL;
}

static void waiting_callers_get_their_answers(struct leaving how, size_t size) {
    pthread_t threads[MANY];
    struct caller callers[MANY];
    pid_t child = start_leaver(&how);
    for (int i = 0; i < how.calls; i++) {
        callers[i] = (struct caller){size, CTIE_PENDING, false};
        pthread_create(&threads[i], NULL, call_and_wait, &callers[i]);
    }
    for (int i = 0; i < how.calls; i++) {
        pthread_join(threads[i], NULL);
        CHECK_STATUS(callers[i].status, CTIE_OK);
        CHECK(callers[i].is_right);
    }
    end_leaver(child);
}

/** The calls of a join's thread; beside them one that was not answered. */
static void calls_get_their_answers(struct leaving how, const char *action) {
    ctie_call *calls[MANY];
    pid_t child = start_leaver(&how);
    int before = board->running, cancelled = board->cancelled;
    ctie_call *open = call_later(bus, "stock", "hang", without_end());
    AWAIT(board->running == before + 1);
    for (int i = 0; i < how.calls; i++) calls[i] = call_later(bus, "stock", action, without_end());
    for (int i = 0; i < how.calls; i++) CHECK_STATUS(call_end(calls[i]), CTIE_OK);
    CHECK_STATUS(call_end(open), CTIE_E_PEER_GONE);
    end_leaver(child);
    CHECK(board->cancelled == cancelled + 1);
}

static void wait_for_the_end(const ctie_value *value CTIE_UNUSED, void *user_data CTIE_UNUSED) {
    AWAIT(peer_count(joined) == 0);
}

/* The answer has come, and its progress is still being delivered when the peer leaves. */
static void an_answer_behind_progress_counts(struct leaving how) {
    ctie_request_options options = *without_end();
    options.progress = CTIE_PROGRESS(wait_for_the_end, NULL);
    pid_t child = start_leaver(&how);
    CHECK_STATUS(ctie_component_call(bus, CTIE_TARGET("stock", "step"), NULL, &options, NULL, NULL), CTIE_OK);
    end_leaver(child);
}

static void play(uint32_t flags) {
    int rounds = test_rounds(5);
    for (int i = 0; i < rounds; i++) {
        for (enum way way = FROM_A_THREAD; way <= BY_CLOSING; way++) {
            waiting_callers_get_their_answers((struct leaving){way, 1, flags}, 10);
            waiting_callers_get_their_answers((struct leaving){way, 4, flags}, LARGE);
        }
        calls_get_their_answers((struct leaving){FROM_A_THREAD, 4, flags}, "answer");
        calls_get_their_answers((struct leaving){INSIDE_A_HANDLER, 4, flags}, "answer");
        calls_get_their_answers((struct leaving){FROM_A_THREAD, 4, flags}, "keep");
        an_answer_behind_progress_counts((struct leaving){FROM_A_THREAD, 1, flags});
    }
}

int main(void) {
    name_directory();
    board = share(sizeof *board);
    state = share(sizeof *state);
    bus = make_bus();
    int threads = thread_count(), files = open_files();
    ctie_wormhole *wormhole = open_group();
    joined = join_as(bus, wormhole, "caller", NULL, "stock", 0);
    play(0);
    play(CTIE_JOIN_NO_SHARED_MEMORY);
    return end_joined(joined, wormhole, bus, threads, files);
}
