/*
 * Calls between two processes whose buses are joined: names, values, errors, origin, deadline, cancel, progress, depth,
 * and the end of either side.
 */
#include "joining.h"

static ctie_bus *bus;
static ctie_wormhole *wormhole;
static ctie_join *joined;

static ctie_status call_stock(const char *action, const ctie_value *params, const ctie_request_options *options,
                              ctie_response **response) {
    return ctie_component_call(bus, (ctie_target){CTIE_STR("stock"), ctie_str_from(action)}, params, options, response,
                               NULL);
}

static void values_arrive_unchanged(void) {
    ctie_value *params = CTIE_MAP("name", ctie_text("Ada"), "list", CTIE_LIST(ctie_value_int(-5), ctie_value_null()),
                                  "bytes", ctie_value_bytes(CTIE_STR("\0\xFF")));
    ctie_response *response = NULL;
    CHECK_STATUS(call_stock("echo", params, without_end(), &response), CTIE_OK);
    CHECK(ctie_value_equal(ctie_response_value(response), params));
    ctie_response_release(response);
    CHECK_STATUS(call_stock("echo", NULL, without_end(), &response), CTIE_OK);
    CHECK(ctie_value_kind(ctie_response_value(response)) == CTIE_KIND_NULL);
    ctie_response_release(response);
    ctie_value_release(params);
}

static void large_values_take_several_packets(void) {
    size_t size = 900000;
    char *bytes = malloc(size);
    for (size_t i = 0; i < size; i++) bytes[i] = (char)(i * 7);
    ctie_value *params = CTIE_MAP("bytes", ctie_value_bytes((ctie_str){bytes, size}));
    ctie_response *response = NULL;
    for (int i = 0; i < 5; i++) {
        CHECK_STATUS(call_stock("echo", params, without_end(), &response), CTIE_OK);
        CHECK(ctie_value_equal(ctie_response_value(response), params));
        ctie_response_release(response);
    }
    ctie_value_release(params);
    params = CTIE_MAP("a", ctie_value_bytes((ctie_str){bytes, size}), "b", ctie_value_bytes((ctie_str){bytes, size}));
    CHECK_STATUS(call_stock("echo", params, without_end(), NULL), CTIE_E_LIMIT);
    ctie_value_release(params);
    free(bytes);
}

static void failures_arrive_unchanged(void) {
    ctie_response *response = NULL;
    int64_t value = 0;
    CHECK_STATUS(call_stock("fail", NULL, without_end(), &response), CTIE_E_HANDLER);
    CHECK(ctie_response_code(response) == 7);
    CHECK(text_is(ctie_response_message(response), "no wheels left"));
    CHECK_STATUS(ctie_value_get_int(ctie_response_value(response), &value), CTIE_OK);
    CHECK(value == 70);
    ctie_response_release(response);
    CHECK_STATUS(call_stock("missing", NULL, without_end(), &response), CTIE_E_NO_ACTION);
    ctie_response_release(response);
}

/* A name that is not exported has the words of a name that is not there. */
static void unexported_names_are_missing(void) {
    ctie_response *hidden = NULL, *missing = NULL;
    ctie_target there = CTIE_TARGET("secret", "echo"), nowhere = CTIE_TARGET("nobody", "echo");
    CHECK_STATUS(ctie_component_call(bus, there, NULL, without_end(), &hidden, NULL), CTIE_E_NO_COMPONENT);
    CHECK_STATUS(ctie_component_call(bus, nowhere, NULL, without_end(), &missing, NULL), CTIE_E_NO_COMPONENT);
    CHECK(text_is(ctie_response_message(hidden), "there is no component 'secret'"));
    CHECK(text_is(ctie_response_message(missing), "there is no component 'nobody'"));
    ctie_response_release(hidden);
    ctie_response_release(missing);
}

static ctie_response *described(const ctie_request_options *options) {
    ctie_response *response = NULL;
    CHECK_STATUS(call_stock("describe", NULL, options, &response), CTIE_OK);
    return response;
}

static void a_peer_is_remote_and_has_a_name(void) {
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.timeout_ms = 1000000;
    ctie_response *response = described(&options);
    const ctie_value *value = ctie_response_value(response);
    ctie_str name = {NULL, 0};
    CHECK(int_at(value, "origin") == CTIE_ORIGIN_REMOTE);
    CHECK(int_at(value, "pid") == (server_group() != NULL ? 0 : getpid()));
    CHECK_STATUS(ctie_value_get_string(ctie_value_get(value, CTIE_STR("peer")), &name), CTIE_OK);
    CHECK(text_is(name, "caller"));
    CHECK(int_at(value, "left") > 0 && int_at(value, "left") <= 1000000);
    ctie_response_release(response);
    response = described(without_end());
    CHECK(int_at(ctie_response_value(response), "left") == -1);
    ctie_response_release(response);
}

static void deadlines_and_cancels_reach_the_handler(void) {
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    board->running = board->cancelled = 0;
    options.timeout_ms = SOON_MS;
    CHECK_STATUS(call_stock("hang", NULL, &options, NULL), CTIE_E_TIMEOUT);
    AWAIT(board->cancelled == 1);
    ctie_call *call = call_later(bus, "stock", "hang", without_end());
    AWAIT(board->running == 2);
    CHECK_STATUS(ctie_call_cancel(call), CTIE_OK);
    CHECK_STATUS(call_end(call), CTIE_E_CANCELLED);
    AWAIT(board->cancelled == 2);
}

static struct steps {
    _Atomic int count;
    _Atomic int wrong;
} steps;

static void note_step(const ctie_value *value, void *user_data CTIE_UNUSED) {
    int64_t number = -1;
    ctie_value_get_int(value, &number);
    if (number != steps.count) steps.wrong++;
    steps.count++;
}

static latch held = LATCH_INIT, freed = LATCH_INIT;

static void hold(ctie_request *request, void *user_data CTIE_UNUSED) {
    latch_add(&held);
    latch_wait(&freed, 1);
    ctie_request_reply(request, ctie_value_null());
}

/* The caller's own thread sends it, so that it does not wait until a worker has time. */
static void an_asynchronous_call_needs_no_worker(void) {
    ctie_bus_options options = CTIE_BUS_OPTIONS_INIT;
    ctie_bus *narrow = NULL;
    options.max_workers = 1;
    CHECK_STATUS(ctie_bus_new(&options, &narrow, NULL), CTIE_OK);
    add_action(narrow, "own", "hold", hold, NULL, 0);
    ctie_join *join = join_as(narrow, wormhole, "narrow", NULL, "stock", 0);
    ctie_call *own = call_later(narrow, "own", "hold", without_end());
    latch_wait(&held, 1);
    for (int i = 0; i < 100; i++) {
        ctie_call *call = call_later(narrow, "stock", "echo", without_end());
        CHECK_STATUS(call_end(call), CTIE_OK);
    }
    latch_add(&freed);
    CHECK_STATUS(call_end(own), CTIE_OK);
    CHECK_STATUS(ctie_join_release(join), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(narrow), CTIE_OK);
}

static void progress_is_in_order_and_before_the_answer(void) {
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.timeout_ms = -1;
    for (int i = 0; i < 200; i++) {
        steps.count = 0;
        options.progress = CTIE_PROGRESS(note_step, NULL);
        CHECK_STATUS(call_stock("step", NULL, &options, NULL), CTIE_OK);
        CHECK(steps.count == 20);
    }
    CHECK(steps.wrong == 0);
}

static void back(ctie_request *request, void *user_data CTIE_UNUSED) {
    ctie_response *response = NULL;
    int64_t depth = 0;
    ctie_status status = call_stock("nest", NULL, without_end(), &response);
    if (status == CTIE_OK) ctie_value_get_int(ctie_response_value(response), &depth);
    ctie_request_reply(request, ctie_value_int(status == CTIE_OK ? depth + 1 : (status == CTIE_E_DEPTH ? 1 : -1000)));
    ctie_response_release(response);
}

/* A calls B, which calls A: one depth for both, and no deadlock before it is reached. */
static void depth_counts_through_both(void) {
    ctie_response *response = NULL;
    int64_t depth = 0;
    CHECK_STATUS(call_stock("nest", NULL, without_end(), &response), CTIE_OK);
    ctie_value_get_int(ctie_response_value(response), &depth);
    FIGURES(", nested %d deep", (int)depth);
    CHECK(depth == 64);
    ctie_response_release(response);
}

static void options_choose_where(void) {
    ctie_request_options options = *without_end();
    options.flags = CTIE_REQUEST_HERE;
    CHECK_STATUS(call_stock("echo", NULL, &options, NULL), CTIE_E_NO_COMPONENT);
    options.flags = 0;
    options.peer = CTIE_STR("depot");
    CHECK_STATUS(call_stock("echo", NULL, &options, NULL), CTIE_OK);
    options.flags = CTIE_REQUEST_HERE;
    CHECK_STATUS(call_stock("echo", NULL, &options, NULL), CTIE_E_INVALID);
    options.flags = 0;
    options.peer = CTIE_STR("nobody");
    CHECK_STATUS(call_stock("echo", NULL, &options, NULL), CTIE_E_NO_COMPONENT);
    options.peer = (ctie_str){NULL, 0};
    options.flags = CTIE_REQUEST_ELSEWHERE;
    CHECK_STATUS(ctie_component_call(bus, CTIE_TARGET("till", "back"), NULL, &options, NULL, NULL),
                 CTIE_E_NO_COMPONENT);
    CHECK_STATUS(call_stock("echo", NULL, &options, NULL), CTIE_OK);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://x"), CTIE_ORIGIN_LOCAL, &options, NULL, NULL), CTIE_E_NO_ROUTE);
    CHECK_STATUS(ctie_perform(bus, CTIE_TARGET("c:x", "open"), NULL, &options, NULL, NULL), CTIE_E_INVALID);
}

static void note_leaving(ctie_request *request, void *user_data) {
    bool leaves = false;
    CHECK_STATUS(ctie_request_is_leaving(request, &leaves), CTIE_OK);
    *(int *)user_data += leaves ? 1 : 100;
    ctie_request_proceed(request);
}

static void interceptors_see_a_call_leave(void) {
    int seen = 0;
    ctie_registration *interceptor = NULL;
    CHECK_STATUS(ctie_interceptor_add(bus, CTIE_HANDLER(note_leaving, &seen), NULL, &interceptor, NULL), CTIE_OK);
    CHECK_STATUS(call_stock("echo", NULL, without_end(), NULL), CTIE_OK);
    CHECK(seen == 1);
    call_now(bus, "nobody", "echo");
    CHECK(seen == 2);
    CHECK_STATUS(ctie_registration_release(interceptor), CTIE_OK);
}

static int export_by_and_by(void *argument) {
    struct callee own = *(struct callee *)argument;
    ctie_bus *other = make_bus();
    ctie_wormhole *group = open_group();
    ctie_str name = CTIE_STR("stock.echo"), wrong = CTIE_STR("1");
    add_stock(other);
    ctie_join *join = join_as(other, group, own.name, NULL, NULL, 0);
    board->ready++;
    while (board->stage < 1) nap_ns(500000);
    CHECK_STATUS(ctie_join_set_exports(join, (ctie_str_list){&wrong, 1}, NULL), CTIE_E_IDENTIFIER);
    CHECK_STATUS(ctie_join_set_exports(join, (ctie_str_list){&name, 1}, NULL), CTIE_OK);
    while (board->stage < 2) nap_ns(500000);
    CHECK_STATUS(ctie_join_release(join), CTIE_OK);
    CHECK_STATUS(ctie_join_set_exports(join, (ctie_str_list){&name, 1}, NULL), CTIE_E_HANDLE);
    return 0;
}

/* An export that is added later, of one action alone. */
static void exports_change(void) {
    struct callee callee = {"late", NULL, NULL, 0};
    ctie_request_options options = *without_end();
    ctie_target target = CTIE_TARGET("stock", "echo");
    options.peer = CTIE_STR("late");
    board->ready = 0;
    pid_t child = spawn_child(export_by_and_by, &callee, sizeof callee);
    AWAIT(board->ready == 1 && peer_count(joined) == 2);
    CHECK_STATUS(ctie_component_call(bus, target, NULL, &options, NULL, NULL), CTIE_E_NO_COMPONENT);
    board->stage = 1;
    AWAIT(ctie_component_call(bus, target, NULL, &options, NULL, NULL) == CTIE_OK);
    CHECK_STATUS(call_stock("fail", NULL, &options, NULL), CTIE_E_NO_COMPONENT);
    board->stage = 2;
    CHECK(end_of_child(child) == 0);
    AWAIT(peer_count(joined) == 1);
}

static void a_peer_that_dies_ends_its_calls(pid_t child) {
    board->running = 0;
    ctie_call *call = call_later(bus, "stock", "hang", without_end());
    AWAIT(board->running == 1);
    kill_child(child);
    ctie_response *response = NULL;
    CHECK_STATUS(ctie_call_wait(call, 60000, &response), CTIE_OK);
    CHECK_STATUS(ctie_response_status(response), CTIE_E_PEER_GONE);
    ctie_response_release(response);
    ctie_call_release(call);
    AWAIT(peer_count(joined) == 0);
    CHECK_STATUS(call_stock("echo", NULL, without_end(), NULL), CTIE_E_NO_COMPONENT);
}

static void a_peer_that_leaves_ends_its_calls(pid_t child) {
    board->running = 0;
    ctie_call *call = call_later(bus, "stock", "hang", without_end());
    AWAIT(board->running == 1);
    end_stock(child);
    CHECK_STATUS(call_end(call), CTIE_E_PEER_GONE);
}

static void a_caller_that_leaves_cancels_its_calls(void) {
    board->running = board->cancelled = 0;
    ctie_call *call = call_later(bus, "stock", "hang", without_end());
    AWAIT(board->running == 1);
    CHECK_STATUS(ctie_join_release(joined), CTIE_OK);
    CHECK_STATUS(call_end(call), CTIE_E_CLOSED);
    AWAIT(board->cancelled == 1);
    CHECK_STATUS(ctie_join_release(joined), CTIE_E_HANDLE);
    CHECK_STATUS(call_stock("echo", NULL, without_end(), NULL), CTIE_E_NO_COMPONENT);
    joined = join_as(bus, wormhole, "caller", "till", "*", 0);
    CHECK_STATUS(call_stock("echo", NULL, without_end(), NULL), CTIE_OK);
}

static int call_in_child(void *argument CTIE_UNUSED) {
    ctie_value *peers = NULL;
    CHECK_STATUS(ctie_join_peers(joined, &peers, NULL), CTIE_E_FORKED);
    CHECK_STATUS(ctie_join_release(joined), CTIE_E_FORKED);
    return 0;
}

static void trust_is_the_callees_choice(void) {
    pid_t child = start_stock("trusting", CTIE_JOIN_TRUSTED);
    ctie_request_options options = *without_end();
    options.peer = CTIE_STR("trusting");
    AWAIT(peer_count(joined) == 2);
    ctie_response *response = described(&options);
    CHECK(int_at(ctie_response_value(response), "origin") == CTIE_ORIGIN_LOCAL);
    ctie_response_release(response);
    options.flags = CTIE_REQUEST_REMOTE;
    response = described(&options);
    CHECK(int_at(ctie_response_value(response), "origin") == CTIE_ORIGIN_REMOTE);
    ctie_response_release(response);
    kill_child(child);
    AWAIT(peer_count(joined) == 1);
}

int main(void) {
    name_directory();
    board = share(sizeof *board);
    begin_spawner();
    bus = make_bus();
    int threads = thread_count(), files = open_files();
    add_action(bus, "till", "back", back, NULL, 0);
    wormhole = open_group();
    joined = join_as(bus, wormhole, "caller", "till", "*", 0);
    pid_t child = start_stock("depot", 0);
    AWAIT(peer_count(joined) == 1);

    values_arrive_unchanged();
    large_values_take_several_packets();
    failures_arrive_unchanged();
    unexported_names_are_missing();
    a_peer_is_remote_and_has_a_name();
    deadlines_and_cancels_reach_the_handler();
    an_asynchronous_call_needs_no_worker();
    progress_is_in_order_and_before_the_answer();
    depth_counts_through_both();
    options_choose_where();
    interceptors_see_a_call_leave();
    trust_is_the_callees_choice();
    exports_change();
    a_caller_that_leaves_cancels_its_calls();
    CHECK(in_child(call_in_child, NULL) == 0);
    CHECK_STATUS(call_stock("echo", NULL, without_end(), NULL), CTIE_OK);
    a_peer_that_leaves_ends_its_calls(child);
    child = start_stock("depot", 0);
    AWAIT(peer_count(joined) == 1);
    a_peer_that_dies_ends_its_calls(child);

    return end_joined(joined, wormhole, bus, threads, files);
}
