/* Loops: completions and progress in an event loop of the host's, here one of poll(2) and epoll(7). */
#define _GNU_SOURCE
#include "components.h"

#include <poll.h>
#include <sys/epoll.h>

static ctie_bus *bus;

static void new_bus(void) {
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    add_action(bus, "a", "go", reply_null, NULL, 0);
}

static void close_bus(void) {
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static ctie_loop *new_loop(int32_t *fd) {
    ctie_loop *loop = NULL;
    CHECK_STATUS(ctie_loop_new(&loop, NULL), CTIE_OK);
    CHECK_STATUS(ctie_loop_fd(loop, fd), CTIE_OK);
    return loop;
}

/* Whether the descriptor becomes readable; -1 waits as long as a watchdog does. */
static bool readable(int32_t fd, int milliseconds) {
    struct pollfd one = {fd, POLLIN, 0};
    return poll(&one, 1, milliseconds < 0 ? 60000 : milliseconds) == 1 && (one.revents & POLLIN) != 0;
}

/* ---- What runs where, and in what order ------------------------------------------------------------- */

typedef struct heard {
    pthread_t thread;
    int order[16];
    int count;
} heard;

static heard log_of_all;

static void note(int number) {
    log_of_all.thread = pthread_self();
    if (log_of_all.count < 16) { log_of_all.order[log_of_all.count++] = number; }
}

static void completed(ctie_response *response, void *user_data) {
    CHECK(ctie_response_status(response) <= CTIE_OK);
    note((int)(intptr_t)user_data);
}

static ctie_call *call_into(ctie_loop *loop, const char *action, ctie_progress_fn progress, int number) {
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    ctie_call *call = NULL;
    options.loop = loop;
    options.progress = progress;
    CHECK_STATUS(ctie_component_call_async(bus, CTIE_STR("a"), ctie_str_from(action), NULL, completed,
                                           (void *)(intptr_t)number, NULL, &options, &call, NULL), CTIE_OK);
    return call;
}

static void a_completion_waits_for_the_one_who_dispatches(void) {
    int32_t fd = -1;
    size_t count = 9;
    ctie_loop *loop = new_loop(&fd);
    new_bus();
    log_of_all = (heard){0};
    CHECK(fd >= 0 && !readable(fd, 0));
    CHECK_STATUS(ctie_loop_dispatch(loop, &count), CTIE_OK);
    CHECK(count == 0);
    for (int i = 1; i <= 3; i++) { CHECK_STATUS(call_end(call_into(loop, "go", NULL, i)), CTIE_OK); }
    CHECK(readable(fd, -1) && log_of_all.count == 0);
    while (log_of_all.count < 3 && readable(fd, -1)) { CHECK_STATUS(ctie_loop_dispatch(loop, NULL), CTIE_OK); }
    for (int i = 0; i < 3; i++) { CHECK(log_of_all.order[i] == i + 1); }
    CHECK(pthread_equal(log_of_all.thread, pthread_self()));
    CHECK_STATUS(ctie_loop_dispatch(loop, &count), CTIE_OK);
    CHECK(count == 0 && !readable(fd, 0));
    CHECK_STATUS(ctie_loop_release(loop), CTIE_OK);
    CHECK_STATUS(ctie_loop_dispatch(loop, NULL), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_loop_fd(loop, &fd), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_loop_release(NULL), CTIE_OK);
    close_bus();
}

static void told(const ctie_value *value, void *user_data) {
    (void)user_data;
    int64_t number = 0;
    ctie_value_get_int(value, &number);
    note((int)number);
}

static void tell_three_times(ctie_request *request, void *user_data) {
    for (int i = 1; i <= 3; i++) { CHECK_STATUS(ctie_request_progress(request, ctie_value_int(i)), CTIE_OK); }
    reply_null(request, user_data);
}

static void progress_comes_in_the_loop_before_the_end(void) {
    int32_t fd = -1;
    ctie_loop *loop = new_loop(&fd);
    new_bus();
    CHECK_STATUS(ctie_component_remove(bus, CTIE_STR("a")), CTIE_OK);
    add_action(bus, "a", "tell", tell_three_times, NULL, 0);
    log_of_all = (heard){0};
    CHECK_STATUS(call_end(call_into(loop, "tell", told, 4)), CTIE_OK);
    CHECK(log_of_all.count == 0);
    while (log_of_all.count < 4 && readable(fd, -1)) { CHECK_STATUS(ctie_loop_dispatch(loop, NULL), CTIE_OK); }
    for (int i = 0; i < 4; i++) { CHECK(log_of_all.order[i] == i + 1); }
    CHECK_STATUS(ctie_loop_release(loop), CTIE_OK);
    close_bus();
}

/* ---- What becomes due meanwhile ------------------------------------------------------------------------ */

static ctie_loop *renewed;

static void renew(ctie_response *response, void *user_data) {
    (void)response;
    int *left = user_data;
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    ctie_call *call = NULL;
    options.loop = renewed;
    if (--*left <= 0) { return; }
    CHECK_STATUS(ctie_component_call_async(bus, CTIE_STR("a"), CTIE_STR("go"), NULL, renew, left, NULL, &options, &call,
                                           NULL), CTIE_OK);
    CHECK_STATUS(call_end(call), CTIE_OK);
}

static void what_becomes_due_meanwhile_is_left_to_the_next(void) {
    int32_t fd = -1;
    int left = 5, rounds = 0;
    size_t count = 0;
    renewed = new_loop(&fd);
    new_bus();
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.loop = renewed;
    CHECK_STATUS(ctie_component_call_async(bus, CTIE_STR("a"), CTIE_STR("go"), NULL, renew, &left, NULL, &options, NULL,
                                           NULL), CTIE_OK);
    while (left > 0 && readable(fd, -1)) {
        CHECK_STATUS(ctie_loop_dispatch(renewed, &count), CTIE_OK);
        CHECK(count <= 1);
        rounds += count == 1;
    }
    CHECK(rounds == 5);
    CHECK_STATUS(ctie_loop_release(renewed), CTIE_OK);
    close_bus();
}

/* ---- Loops that end -------------------------------------------------------------------------------------- */

static ctie_request *kept;

static void keep(ctie_request *request, void *user_data) {
    CHECK_STATUS(ctie_request_retain(request), CTIE_OK);
    kept = request;
    latch_add(user_data);
}

static void count_end(ctie_response *response, void *user_data) {
    (void)response;
    latch_add(user_data);
}

static void a_loop_that_ends_leaves_nothing_behind(void) {
    int32_t fd = -1;
    latch ends = LATCH_INIT, taken = LATCH_INIT;
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.loop = new_loop(&fd);
    new_bus();
    add_action(bus, "b", "keep", keep, &taken, 0);
    CHECK_STATUS(ctie_component_call_async(bus, CTIE_STR("a"), CTIE_STR("go"), NULL, count_end, &ends, NULL, &options,
                                           NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_component_call_async(bus, CTIE_STR("b"), CTIE_STR("keep"), NULL, count_end, &ends, NULL, &options,
                                           NULL, NULL), CTIE_OK);
    latch_wait(&taken, 1);
    CHECK(readable(fd, -1) && latch_count(&ends) == 0);
    CHECK_STATUS(ctie_loop_release(options.loop), CTIE_OK);
    CHECK(latch_count(&ends) == 1);
    CHECK_STATUS(ctie_request_reply(kept, ctie_value_null()), CTIE_OK);
    latch_wait(&ends, 2);
    CHECK_STATUS(ctie_request_release(kept), CTIE_OK);
    CHECK_STATUS(ctie_component_call_async(bus, CTIE_STR("a"), CTIE_STR("go"), NULL, count_end, &ends, NULL, &options,
                                           NULL, NULL), CTIE_E_HANDLE);
    close_bus();
    CHECK(latch_count(&ends) == 2);
}

static void release_itself(ctie_response *response, void *user_data) {
    (void)response;
    CHECK_STATUS(ctie_loop_release(renewed), CTIE_OK);
    latch_add(user_data);
}

static void a_loop_may_be_ended_in_its_own_callback(void) {
    int32_t fd = -1;
    latch ended = LATCH_INIT;
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    renewed = options.loop = new_loop(&fd);
    new_bus();
    CHECK_STATUS(ctie_component_call_async(bus, CTIE_STR("a"), CTIE_STR("go"), NULL, release_itself, &ended, NULL,
                                           &options, NULL, NULL), CTIE_OK);
    CHECK(readable(fd, -1));
    CHECK_STATUS(ctie_loop_dispatch(renewed, NULL), CTIE_OK);
    CHECK(latch_count(&ended) == 1);
    CHECK_STATUS(ctie_loop_dispatch(renewed, NULL), CTIE_E_HANDLE);
    close_bus();
}

/* ---- The bus's own loop ------------------------------------------------------------------------------------ */

static void a_bus_has_a_loop_of_its_own(void) {
    ctie_loop *own = NULL, *again = NULL;
    int32_t fd = -1, same = -1;
    size_t count = 0;
    latch ends = LATCH_INIT;
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    new_bus();
    CHECK_STATUS(ctie_bus_loop(bus, &own), CTIE_OK);
    CHECK_STATUS(ctie_bus_loop(bus, &again), CTIE_OK);
    CHECK(own == again && own != NULL);
    CHECK_STATUS(ctie_bus_fd(bus, &fd), CTIE_OK);
    CHECK_STATUS(ctie_loop_fd(own, &same), CTIE_OK);
    CHECK(fd >= 0 && fd == same);
    options.loop = own;
    CHECK_STATUS(ctie_open_async(bus, CTIE_STR("app://nowhere"), CTIE_ORIGIN_LOCAL, count_end, &ends, NULL, &options,
                                 NULL, NULL), CTIE_OK);
    CHECK(readable(fd, -1));
    CHECK_STATUS(ctie_bus_dispatch(bus, &count), CTIE_OK);
    CHECK(count == 1 && latch_count(&ends) == 1);
    CHECK_STATUS(call_end(call_later(bus, "a", "go", &options)), CTIE_OK);
    CHECK_STATUS(ctie_component_call_async(bus, CTIE_STR("a"), CTIE_STR("go"), NULL, count_end, &ends, NULL, &options,
                                           NULL, NULL), CTIE_OK);
    CHECK(readable(fd, -1));
    close_bus();
    CHECK(latch_count(&ends) == 2);
    CHECK_STATUS(ctie_loop_dispatch(own, NULL), CTIE_E_HANDLE);
}

/* ---- Two event loops on one bus --------------------------------------------------------------------------- */

enum { CALLS = 500 };

typedef struct host {
    pthread_t thread;
    ctie_loop *loop;
    int32_t fd;
    int ended, strangers;
} host;

static void end_at_home(ctie_response *response, void *user_data) {
    host *own = user_data;
    CHECK_STATUS(ctie_response_status(response), CTIE_OK);
    own->strangers += !pthread_equal(own->thread, pthread_self());
    own->ended++;
}

static void *run_epoll(void *user_data) {
    host *own = user_data;
    own->thread = pthread_self();
    own->loop = new_loop(&own->fd);
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.loop = own->loop;
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN};
    epoll_ctl(epoll, EPOLL_CTL_ADD, own->fd, &event);
    for (int i = 0; i < CALLS; i++) {
        CHECK_STATUS(ctie_component_call_async(bus, CTIE_STR("a"), CTIE_STR("go"), NULL, end_at_home, own, NULL,
                                               &options, NULL, NULL), CTIE_OK);
    }
    while (own->ended < CALLS && epoll_wait(epoll, &event, 1, 60000) == 1) {
        CHECK_STATUS(ctie_loop_dispatch(own->loop, NULL), CTIE_OK);
    }
    close(epoll);
    CHECK_STATUS(ctie_loop_release(own->loop), CTIE_OK);
    return NULL;
}

static void two_event_loops_never_take_each_others_work(void) {
    host hosts[2] = {0};
    pthread_t threads[2];
    new_bus();
    for (int i = 0; i < 2; i++) { pthread_create(&threads[i], NULL, run_epoll, &hosts[i]); }
    for (int i = 0; i < 2; i++) { pthread_join(threads[i], NULL); }
    for (int i = 0; i < 2; i++) { CHECK(hosts[i].ended == CALLS && hosts[i].strangers == 0); }
    close_bus();
}

int main(void) {
    a_completion_waits_for_the_one_who_dispatches();
    progress_comes_in_the_loop_before_the_end();
    what_becomes_due_meanwhile_is_left_to_the_next();
    a_loop_that_ends_leaves_nothing_behind();
    a_loop_may_be_ended_in_its_own_callback();
    a_bus_has_a_loop_of_its_own();
    two_event_loops_never_take_each_others_work();
    return check_end();
}
