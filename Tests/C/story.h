/* The callbacks that a request's caller gets, in order: for the tests of progress and of loops. */
#ifndef STORY_H
#define STORY_H

#include "check.h"
#include "latch.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <unistd.h>

static ctie_bus *bus;

/* The callbacks of one request, in order: a number for each progress, -1 for the completion. */
typedef struct story {
    int64_t received[64];
    atomic_int count;
    latch completed, destroyed;
    pthread_t thread; /* the one that the last callback ran on */
    ctie_status status;
} story;

#define STORY_INIT {{0}, 0, LATCH_INIT, LATCH_INIT, 0, 1000}

static inline void receive(const ctie_value *value, void *user_data) {
    story *own = user_data;
    int64_t number = -2;
    CHECK_STATUS(ctie_value_get_int(value, &number), CTIE_OK);
    own->received[atomic_fetch_add(&own->count, 1) % 64] = number;
    own->thread = pthread_self();
}

static inline void complete(ctie_response *response, void *user_data) {
    story *own = user_data;
    own->status = ctie_response_status(response);
    own->received[atomic_fetch_add(&own->count, 1) % 64] = -1;
    own->thread = pthread_self();
    latch_add(&own->completed);
}

static inline void story_destroy(void *user_data) {
    latch_add(&((story *)user_data)->destroyed);
}

static inline ctie_request_options following(story *own, ctie_loop *loop) {
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.progress = CTIE_PROGRESS_OWNED(receive, own, story_destroy);
    options.loop = loop;
    return options;
}

static inline void new_bus(void) {
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
}

static inline ctie_loop *new_loop(void) {
    ctie_loop *loop = NULL;
    CHECK_STATUS(ctie_loop_new(&loop, NULL), CTIE_OK);
    return loop;
}

static inline void add(const char *pattern, ctie_handler_fn handler, void *user_data) {
    CHECK_STATUS(ctie_route_add(bus, ctie_str_from(pattern), CTIE_HANDLER(handler, user_data), NULL, NULL, NULL),
                 CTIE_OK);
}

static inline ctie_status start(const char *url, story *own, ctie_loop *loop) {
    ctie_request_options options = following(own, loop);
    return ctie_open_async(bus, ctie_str_from(url), 1, CTIE_COMPLETION_OWNED(complete, own, story_destroy), &options,
                           NULL, NULL);
}

static inline bool is_readable(int fd) {
    struct pollfd one = {fd, POLLIN, 0};
    return poll(&one, 1, 0) == 1;
}

/* Waits as an event loop does, for at most a minute. */
static inline void wait_readable(int fd) {
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN};
    CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0);
    CHECK(epoll_wait(epoll, &event, 1, 60000) == 1);
    close(epoll);
}

/* Dispatches a loop until a story is complete. */
static inline void run(ctie_loop *loop, story *own) {
    int32_t fd = -1;
    CHECK_STATUS(ctie_loop_fd(loop, &fd), CTIE_OK);
    while (latch_count(&own->completed) == 0) {
        wait_readable(fd);
        CHECK_STATUS(ctie_loop_dispatch(loop, NULL), CTIE_OK);
    }
}

static inline void report_three(ctie_request *request, void *user_data) {
    (void)user_data;
    for (int i = 1; i <= 3; i++) { CHECK_STATUS(ctie_request_progress(request, ctie_value_int(i)), CTIE_OK); }
    CHECK_STATUS(ctie_request_progress(request, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_request_reply(request, ctie_value_null()), CTIE_OK);
    CHECK_STATUS(ctie_request_progress(request, ctie_value_int(4)), CTIE_E_ALREADY);
}

static inline void expect_three(story *own, bool completes) {
    CHECK(atomic_load(&own->count) == 3 + completes);
    for (int i = 0; i < 3; i++) { CHECK(own->received[i] == i + 1); }
    if (completes) { CHECK(own->received[3] == -1); }
}

/* A listener that another thread's request has to wait for. */
typedef struct slow {
    latch entered, leave, ended;
    atomic_bool has_left;
} slow;

static inline void receive_slowly(const ctie_value *value, void *user_data) {
    slow *own = user_data;
    (void)value;
    latch_add(&own->entered);
    latch_wait(&own->leave, 1);
    atomic_store(&own->has_left, true);
}

static ctie_request *kept;

static inline void *report(void *request) {
    CHECK_STATUS(ctie_request_progress(request, ctie_value_int(1)), CTIE_OK);
    CHECK_STATUS(ctie_request_release(request), CTIE_OK);
    return NULL;
}

static inline void *end_then_let_leave(void *raw) {
    slow *own = raw;
    latch_wait(&own->entered, 1);
    CHECK_STATUS(ctie_request_reply(kept, ctie_value_null()), CTIE_OK);
    CHECK_STATUS(ctie_request_release(kept), CTIE_OK);
    CHECK(latch_count(&own->ended) == 0);
    usleep(2000);
    CHECK(latch_count(&own->ended) == 0);
    latch_add(&own->leave);
    return NULL;
}

static pthread_t reporter, ender;

static inline void keep_for_two(ctie_request *request, void *user_data) {
    CHECK_STATUS(ctie_request_retain(request), CTIE_OK);
    CHECK_STATUS(ctie_request_retain(request), CTIE_OK);
    kept = request;
    pthread_create(&reporter, NULL, report, request);
    pthread_create(&ender, NULL, end_then_let_leave, user_data);
}

#endif
