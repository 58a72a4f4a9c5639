/* Loops: completions and progress in the host's own event loop. */
#include "story.h"

#include <sys/wait.h>

static void a_loop_runs_in_order_on_the_thread_that_dispatches(void) {
    story own = STORY_INIT;
    int32_t fd = -1;
    size_t count = 7;
    new_bus();
    add("app://x", report_three, NULL);
    ctie_loop *loop = new_loop();
    CHECK_STATUS(ctie_loop_fd(loop, &fd), CTIE_OK);
    CHECK(!is_readable(fd));
    CHECK_STATUS(ctie_loop_dispatch(loop, &count), CTIE_OK);
    CHECK(count == 0);
    CHECK_STATUS(start("app://x", &own, loop), CTIE_OK);
    run(loop, &own);
    expect_three(&own, true);
    CHECK(pthread_equal(own.thread, pthread_self()) && !is_readable(fd));
    latch_wait(&own.destroyed, 2);
    CHECK_STATUS(ctie_loop_release(loop), CTIE_OK);
    CHECK_STATUS(ctie_loop_release(loop), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_loop_fd(loop, &fd), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_loop_dispatch(loop, NULL), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void reply_null(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_reply(request, ctie_value_null()), CTIE_OK);
}

static void loops_do_not_take_each_others_work(void) {
    story mine = STORY_INIT, theirs = STORY_INIT;
    int32_t fd = -1;
    new_bus();
    add("app://x", reply_null, NULL);
    ctie_loop *own = new_loop(), *of_bus = NULL;
    CHECK_STATUS(ctie_bus_loop(bus, &of_bus), CTIE_OK);
    CHECK_STATUS(ctie_loop_fd(of_bus, &fd), CTIE_OK);
    CHECK_STATUS(start("app://x", &mine, own), CTIE_OK);
    CHECK_STATUS(start("app://x", &theirs, of_bus), CTIE_OK);
    run(own, &mine);
    CHECK(latch_count(&theirs.completed) == 0);
    wait_readable(fd);
    size_t count = 0;
    CHECK_STATUS(ctie_loop_dispatch(of_bus, &count), CTIE_OK);
    CHECK(count == 1 && latch_count(&theirs.completed) == 1);
    CHECK_STATUS(ctie_loop_release(of_bus), CTIE_E_INVALID);
    CHECK_STATUS(ctie_loop_release(own), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK_STATUS(ctie_loop_dispatch(of_bus, NULL), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_loop_fd(of_bus, &fd), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_bus_loop(bus, &of_bus), CTIE_E_HANDLE);
}

static void a_loop_that_ends_runs_what_is_due(void) {
    story due = STORY_INIT, late = STORY_INIT;
    int32_t fd = -1;
    new_bus();
    add("app://x", reply_null, NULL);
    ctie_loop *loop = new_loop();
    CHECK_STATUS(ctie_loop_fd(loop, &fd), CTIE_OK);
    CHECK_STATUS(start("app://x", &due, loop), CTIE_OK);
    wait_readable(fd);
    CHECK_STATUS(ctie_loop_release(loop), CTIE_OK);
    CHECK(latch_count(&due.completed) == 1 && pthread_equal(due.thread, pthread_self()));
    loop = new_loop();
    slow gate = {LATCH_INIT, LATCH_INIT, LATCH_INIT, false};
    add("app://gate", keep_for_two, &gate);
    CHECK_STATUS(start("app://gate", &late, loop), CTIE_OK);
    CHECK_STATUS(ctie_loop_release(loop), CTIE_OK);
    while (atomic_load(&late.count) == 0) { usleep(100); }
    latch_add(&gate.entered);
    latch_wait(&late.completed, 1);
    CHECK(!pthread_equal(late.thread, pthread_self()));
    pthread_join(reporter, NULL);
    pthread_join(ender, NULL);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void a_buss_own_loop_ends_with_it(void) {
    story own = STORY_INIT;
    ctie_loop *loop = NULL;
    int32_t fd = -1;
    new_bus();
    add("app://x", reply_null, NULL);
    CHECK_STATUS(ctie_bus_loop(bus, &loop), CTIE_OK);
    CHECK_STATUS(ctie_loop_fd(loop, &fd), CTIE_OK);
    CHECK_STATUS(start("app://x", &own, loop), CTIE_OK);
    wait_readable(fd);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(latch_count(&own.completed) == 1 && latch_count(&own.destroyed) == 2);
    CHECK(pthread_equal(own.thread, pthread_self()));
}

static void a_completion_outlives_its_bus_in_a_loop(void) {
    story own = STORY_INIT;
    new_bus();
    add("app://kept", reply_null, NULL);
    ctie_loop *loop = new_loop();
    CHECK_STATUS(start("app://kept", &own, loop), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(latch_count(&own.completed) == 0);
    run(loop, &own);
    CHECK(own.status == CTIE_OK || own.status == CTIE_E_CLOSED);
    latch_wait(&own.destroyed, 2);
    CHECK_STATUS(ctie_loop_release(loop), CTIE_OK);
}

/* A completion that dispatches its own loop, and one that ends it. */
typedef struct inner {
    ctie_loop *loop;
    latch completed;
    _Atomic bool releases;
} inner;

static void dispatch_inside(ctie_response *response, void *user_data) {
    inner *own = user_data;
    (void)response;
    latch_add(&own->completed);
    /* While the loop is being released others complete on workers. */
    if (atomic_exchange(&own->releases, false)) {
        CHECK_STATUS(ctie_loop_release(own->loop), CTIE_OK);
    } else {
        ctie_status status = ctie_loop_dispatch(own->loop, NULL);
        CHECK(status == CTIE_OK || status == CTIE_E_HANDLE);
    }
}

static void a_callback_may_dispatch_and_end_its_loop(void) {
    inner own = {new_loop(), LATCH_INIT, false};
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    ctie_call *calls[8];
    options.loop = own.loop;
    new_bus();
    add("app://x", reply_null, NULL);
    for (int i = 0; i < 8; i++) {
        CHECK_STATUS(ctie_open_async(bus, CTIE_STR("app://x"), 1, CTIE_COMPLETION(dispatch_inside, &own), &options,
                                     &calls[i], NULL), CTIE_OK);
    }
    for (int i = 0; i < 8; i++) { CHECK_STATUS(ctie_call_wait(calls[i], -1, NULL), CTIE_OK); }
    for (int i = 0; i < 8; i++) { CHECK_STATUS(ctie_call_release(calls[i]), CTIE_OK); }
    while (latch_count(&own.completed) < 4) { CHECK_STATUS(ctie_loop_dispatch(own.loop, NULL), CTIE_OK); }
    own.releases = true;
    while (latch_count(&own.completed) < 8) { ctie_loop_dispatch(own.loop, NULL); }
    if (own.releases) { CHECK_STATUS(ctie_loop_release(own.loop), CTIE_OK); }
    CHECK(latch_count(&own.completed) == 8);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void a_forked_child_leaves_the_parents_loop_alone(void) {
    story own = STORY_INIT;
    int32_t fd = -1, status = -1;
    new_bus();
    add("app://x", reply_null, NULL);
    ctie_loop *loop = new_loop(), *of_bus = NULL;
    CHECK_STATUS(ctie_loop_fd(loop, &fd), CTIE_OK);
    CHECK_STATUS(ctie_bus_loop(bus, &of_bus), CTIE_OK);
    CHECK_STATUS(start("app://x", &own, loop), CTIE_OK);
    wait_readable(fd);
    pid_t child = fork();
    if (child == 0) {
        CHECK_STATUS(ctie_loop_dispatch(loop, NULL), CTIE_E_FORKED);
        CHECK_STATUS(ctie_loop_fd(loop, &fd), CTIE_E_FORKED);
        CHECK_STATUS(ctie_loop_release(loop), CTIE_E_FORKED);
        CHECK_STATUS(ctie_loop_dispatch(of_bus, NULL), CTIE_E_FORKED);
        CHECK_STATUS(ctie_loop_release(new_loop()), CTIE_OK);
        _exit(checks_failed != 0);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(is_readable(fd));
    run(loop, &own);
    CHECK_STATUS(ctie_loop_release(loop), CTIE_OK);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* ---- Many at once ------------------------------------------------------------------------------- */

static atomic_int received, completed, broken;

typedef struct many {
    atomic_int reported;
    atomic_bool ended;
} many;

static void receive_one(const ctie_value *value, void *user_data) {
    many *own = user_data;
    (void)value;
    if (atomic_load(&own->ended)) { atomic_fetch_add(&broken, 1); }
    atomic_fetch_add(&own->reported, 1);
    atomic_fetch_add(&received, 1);
}

static void complete_one(ctie_response *response, void *user_data) {
    many *own = user_data;
    int expected = ctie_response_status(response) == CTIE_OK ? 3 : 0;
    if (atomic_exchange(&own->ended, true) || atomic_load(&own->reported) != expected) { atomic_fetch_add(&broken, 1); }
    atomic_fetch_add(&completed, 1);
}

static atomic_bool is_over;

static void *dispatch_until_over(void *loop) {
    while (!atomic_load(&is_over)) {
        ctie_status status = ctie_loop_dispatch(loop, NULL);
        if (status != CTIE_OK) { break; }
        usleep(50);
    }
    return NULL;
}

static void two_threads_share_a_loop(void) {
    int rounds = test_rounds(2000);
    many *all = calloc((size_t)rounds, sizeof *all);
    pthread_t threads[2];
    new_bus();
    add("app://x", report_three, NULL);
    ctie_loop *loop = new_loop();
    for (int i = 0; i < 2; i++) { pthread_create(&threads[i], NULL, dispatch_until_over, loop); }
    for (int i = 0; i < rounds; i++) {
        ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
        options.loop = loop;
        options.progress = CTIE_PROGRESS(receive_one, &all[i]);
        CHECK_STATUS(ctie_open_async(bus, CTIE_STR("app://x"), 1, CTIE_COMPLETION(complete_one, &all[i]), &options,
                                     NULL, NULL), CTIE_OK);
    }
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK_STATUS(ctie_loop_release(loop), CTIE_OK);
    atomic_store(&is_over, true);
    for (int i = 0; i < 2; i++) { pthread_join(threads[i], NULL); }
    for (int i = 0; i < 60000 && atomic_load(&completed) < rounds; i++) { usleep(1000); }
    CHECK(atomic_load(&completed) == rounds && atomic_load(&broken) == 0);
    free(all);
}

int main(void) {
    a_loop_runs_in_order_on_the_thread_that_dispatches();
    loops_do_not_take_each_others_work();
    a_loop_that_ends_runs_what_is_due();
    a_buss_own_loop_ends_with_it();
    a_completion_outlives_its_bus_in_a_loop();
    a_callback_may_dispatch_and_end_its_loop();
    a_forked_child_leaves_the_parents_loop_alone();
    two_threads_share_a_loop();
    return check_end();
}
