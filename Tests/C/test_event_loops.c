/* Event loops of the host's, of poll(2) and epoll(7), that dispatch loops of the library. */
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

/* Waits until the descriptor is readable; false where it takes longer than a watchdog allows. */
static bool readable(int32_t fd) {
    struct pollfd one = {fd, POLLIN, 0};
    return poll(&one, 1, 60000) == 1 && (one.revents & POLLIN) != 0;
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
    CHECK_STATUS(ctie_component_call_async(bus, CTIE_TARGET("a", "go"), NULL, CTIE_COMPLETION(renew, left), &options,
                                           &call, NULL), CTIE_OK);
    CHECK_STATUS(call_end(call), CTIE_OK);
}

static void later_callbacks_run_in_the_next_dispatch(void) {
    int32_t fd = -1;
    int left = 5, rounds = 0;
    size_t count = 0;
    renewed = new_loop(&fd);
    new_bus();
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.loop = renewed;
    CHECK_STATUS(ctie_component_call_async(bus, CTIE_TARGET("a", "go"), NULL, CTIE_COMPLETION(renew, &left), &options,
                                           NULL, NULL), CTIE_OK);
    while (left > 0 && readable(fd)) {
        CHECK_STATUS(ctie_loop_dispatch(renewed, &count), CTIE_OK);
        CHECK(count <= 1);
        rounds += count == 1;
    }
    CHECK(rounds == 5);
    CHECK_STATUS(ctie_loop_release(renewed), CTIE_OK);
    close_bus();
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
        CHECK_STATUS(ctie_component_call_async(bus, CTIE_TARGET("a", "go"), NULL, CTIE_COMPLETION(end_at_home, own),
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
    later_callbacks_run_in_the_next_dispatch();
    two_event_loops_never_take_each_others_work();
    return check_end();
}
