/* Listeners that are called where a loop is dispatched. */
#include "listening.h"

static ctie_wormhole *wormhole;
static ctie_loop *loop;

static void begin(void) {
    wormhole = open_group();
    CHECK_STATUS(ctie_loop_new(&loop, NULL), CTIE_OK);
}

static void end(void) {
    CHECK_STATUS(ctie_wormhole_destroy_all(wormhole, NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    CHECK_STATUS(ctie_loop_release(loop), CTIE_OK);
}

static void a_listener_runs_on_the_dispatching_thread(void) {
    struct ear ear = {0};
    begin();
    ctie_listen_options options = in_loop(loop);
    CHECK_STATUS(listen_with(wormhole, "a", receive, &ear, &options), CTIE_OK);
    CHECK(dispatch_next(loop) == 1 && ear.calls == 1 && ear.kind == CTIE_MESSAGE_NONE);
    CHECK(is_idle(fd_of(loop)));
    CHECK_STATUS(pass_int(wormhole, "a", 1), CTIE_OK);
    CHECK(readable(fd_of(loop)) && ear.calls == 1);
    CHECK(dispatch_next(loop) == 1 && ear.calls == 2 && ear.value == 1);
    CHECK_STATUS(pass_int(wormhole, "b", 1), CTIE_OK);
    CHECK_STATUS(ctie_listener_release(ear.listener), CTIE_OK);
    CHECK(ear.destroyed == 1);
    end();
}

/* However many messages are sent, a loop that is not dispatched holds one job. */
static void little_waits_where_nobody_dispatches(void) {
    struct ear state = {0}, queue = {0};
    size_t count = 0;
    begin();
    ctie_listen_options options = in_loop(loop);
    options.flags = CTIE_LISTEN_NO_INITIAL_DELIVERY;
    CHECK_STATUS(listen_with(wormhole, "a", receive, &state, &options), CTIE_OK);
    options.flags = CTIE_LISTEN_QUEUE;
    CHECK_STATUS(listen_with(wormhole, "a", receive, &queue, &options), CTIE_OK);
    for (int i = 1; i <= 1000; i++) { CHECK_STATUS(pass_int(wormhole, "a", i), CTIE_OK); }
    struct ear witness = {0};
    CHECK_STATUS(listen_with(wormhole, "a", receive, &witness, NULL), CTIE_OK);
    AWAIT(witness.value == 1000);
    CHECK_STATUS(ctie_loop_dispatch(loop, &count), CTIE_OK);
    CHECK(count == 2 && queue.calls <= 256);
    DISPATCH_UNTIL(loop, queue.value == 1000);
    CHECK(queue.calls == 1000 && queue.went_back == 0);
    CHECK(state.value == 1000 && state.calls <= 2 && state.went_back == 0);
    end();
}

static void removed_listeners_never_run(void) {
    struct ear released = {0}, replaced = {0}, kept = {0};
    size_t count = 7;
    begin();
    ctie_listen_options options = in_loop(loop);
    CHECK_STATUS(listen_with(wormhole, "a", receive, &released, &options), CTIE_OK);
    options.name = CTIE_STR("n");
    CHECK_STATUS(listen_with(wormhole, "a", receive, &replaced, &options), CTIE_OK);
    CHECK(readable(fd_of(loop)));
    struct ear witness = {0};
    CHECK_STATUS(listen_with(wormhole, "a", receive, &witness, NULL), CTIE_OK);
    AWAIT(witness.calls == 1);
    /* Removing does not wait for a job in the loop. */
    CHECK_STATUS(ctie_listener_release(released.listener), CTIE_OK);
    CHECK(released.destroyed == 1);
    CHECK_STATUS(listen_with(wormhole, "a", receive, &kept, &options), CTIE_OK);
    CHECK(replaced.destroyed == 1);
    DISPATCH_UNTIL(loop, kept.calls == 1);
    CHECK(released.calls == 0 && replaced.calls == 0);
    CHECK_STATUS(ctie_wormhole_remove_listener(wormhole, CTIE_STR("a"), CTIE_STR("n"), NULL), CTIE_OK);
    CHECK(kept.destroyed == 1);
    CHECK_STATUS(ctie_loop_dispatch(loop, &count), CTIE_OK);
    CHECK(count == 0);
    end();
}

static void a_listener_removes_itself(void) {
    struct ear ear = {0};
    begin();
    ctie_listen_options options = in_loop(loop);
    CHECK_STATUS(listen_with(wormhole, "a", remove_self, &ear, &options), CTIE_OK);
    DISPATCH_UNTIL(loop, ear.destroyed == 1);
    CHECK(ear.calls == 1 && ear.status == CTIE_PENDING);
    end();
}

static void a_listener_closes_its_wormhole(void) {
    struct ear closer = {0}, other = {0};
    begin();
    ctie_listen_options options = in_loop(loop);
    CHECK_STATUS(listen_with(wormhole, "a", close_self, &closer, &options), CTIE_OK);
    CHECK_STATUS(listen_with(wormhole, "b", receive, &other, NULL), CTIE_OK);
    AWAIT(other.calls == 1);
    DISPATCH_UNTIL(loop, closer.destroyed == 1);
    CHECK(closer.status == CTIE_PENDING);
    AWAIT(other.destroyed == 1);
    CHECK_STATUS(ctie_wormhole_signal(wormhole, CTIE_STR("a"), NULL, NULL, NULL), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_loop_release(loop), CTIE_OK);
}

/* The contrary of what the header asks for: nothing is lost all the same. */
static void a_loop_that_ends_leaves_its_listeners_to_the_wormhole(void) {
    struct ear ear = {0};
    begin();
    ctie_listen_options options = in_loop(loop);
    CHECK_STATUS(listen_with(wormhole, "a", receive, &ear, &options), CTIE_OK);
    CHECK(readable(fd_of(loop)));
    CHECK_STATUS(ctie_loop_release(loop), CTIE_OK);
    CHECK(ear.calls == 1);
    CHECK_STATUS(pass_int(wormhole, "a", 5), CTIE_OK);
    AWAIT(ear.value == 5);
    CHECK_STATUS(ctie_wormhole_destroy_all(wormhole, NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

/* ---- The wormhole's own loop --------------------------------------------------------------------------- */

static void the_own_loop_ends_with_the_wormhole(void) {
    struct ear ear = {0};
    ctie_loop *own = NULL, *again = NULL;
    int32_t fd = -1;
    size_t count = 7;
    begin();
    CHECK_STATUS(ctie_wormhole_loop(wormhole, &own), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_loop(wormhole, &again), CTIE_OK);
    CHECK_STATUS(ctie_loop_fd(own, &fd), CTIE_OK);
    CHECK(own == again && fd == fd_of(own));
    CHECK_STATUS(ctie_loop_dispatch(own, &count), CTIE_OK);
    CHECK(count == 0);
    ctie_listen_options options = in_loop(own);
    CHECK_STATUS(listen_with(wormhole, "a", receive, &ear, &options), CTIE_OK);
    CHECK(readable(fd) && ear.calls == 0);
    CHECK_STATUS(ctie_loop_dispatch(own, &count), CTIE_OK);
    CHECK(count == 1 && ear.calls == 1);
    CHECK_STATUS(ctie_loop_release(own), CTIE_E_INVALID);
    CHECK_STATUS(pass_int(wormhole, "a", 5), CTIE_OK);
    CHECK(readable(fd));
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    CHECK(ear.calls == 1 && ear.destroyed == 1);
    CHECK_STATUS(ctie_loop_dispatch(own, &count), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_loop_fd(own, &fd), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_wormhole_loop(wormhole, &own), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_loop_release(loop), CTIE_OK);
}

static void a_listener_in_the_own_loop_closes_its_wormhole(void) {
    struct ear closer = {0};
    ctie_loop *own = NULL;
    begin();
    CHECK_STATUS(ctie_wormhole_loop(wormhole, &own), CTIE_OK);
    ctie_listen_options options = in_loop(own);
    CHECK_STATUS(listen_with(wormhole, "a", close_self, &closer, &options), CTIE_OK);
    CHECK(dispatch_next(own) == 1);
    CHECK(closer.status == CTIE_PENDING && closer.destroyed == 1);
    CHECK_STATUS(ctie_loop_dispatch(own, NULL), CTIE_E_HANDLE);
    CHECK_STATUS(ctie_loop_release(loop), CTIE_OK);
}

/* ---- Two event loops ------------------------------------------------------------------------------------- */

enum { LAST = 300 };

static latch bound = LATCH_INIT;

struct host {
    struct ear ear; /* first, so that `hear()` may be given the host */
    pthread_t thread;
    int strangers;
};

static void receive_at_home(const ctie_message *message, void *user_data) {
    struct host *own = user_data;
    own->strangers += !pthread_equal(own->thread, pthread_self());
    receive(message, user_data);
}

static void *run_epoll(void *user_data) {
    struct host *own = user_data;
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN};
    ctie_loop *home = NULL;
    own->thread = pthread_self();
    CHECK_STATUS(ctie_loop_new(&home, NULL), CTIE_OK);
    ctie_listen_options options = in_loop(home);
    options.flags = CTIE_LISTEN_QUEUE;
    CHECK_STATUS(listen_with(wormhole, "a", receive_at_home, &own->ear, &options), CTIE_OK);
    latch_add(&bound);
    epoll_ctl(epoll, EPOLL_CTL_ADD, fd_of(home), &event);
    while (own->ear.value != LAST && epoll_wait(epoll, &event, 1, 60000) == 1) {
        CHECK_STATUS(ctie_loop_dispatch(home, NULL), CTIE_OK);
    }
    close(epoll);
    CHECK(own->ear.value == LAST && own->ear.went_back == 0 && own->strangers == 0);
    CHECK_STATUS(ctie_listener_release(own->ear.listener), CTIE_OK);
    CHECK_STATUS(ctie_loop_release(home), CTIE_OK);
    return NULL;
}

static void two_event_loops_get_all_messages(void) {
    struct host hosts[2] = {0};
    pthread_t threads[2];
    begin();
    for (int i = 0; i < 2; i++) { pthread_create(&threads[i], NULL, run_epoll, &hosts[i]); }
    latch_wait(&bound, 2);
    for (int i = 1; i <= LAST; i++) { CHECK_STATUS(pass_int(wormhole, "a", i), CTIE_OK); }
    for (int i = 0; i < 2; i++) { pthread_join(threads[i], NULL); }
    end();
}

/* ---- What is refused ------------------------------------------------------------------------------------- */

static void places_are_checked(void) {
    struct ear ear = {0};
    ctie_bus *bus = NULL;
    begin();
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    ctie_listen_options options = in_loop(loop);
    options.bus = bus;
    CHECK_STATUS(listen_with(wormhole, "a", receive, &ear, &options), CTIE_E_INVALID);
    options = (ctie_listen_options)CTIE_LISTEN_OPTIONS_INIT;
    options.dispatcher = CTIE_STR("d");
    CHECK_STATUS(listen_with(wormhole, "a", receive, &ear, &options), CTIE_E_INVALID);
    options.bus = bus;
    CHECK_STATUS(listen_with(wormhole, "a", receive, &ear, &options), CTIE_E_NOT_FOUND);
    options.dispatcher = (ctie_str){NULL, 0};
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK_STATUS(listen_with(wormhole, "a", receive, &ear, &options), CTIE_E_HANDLE);
    options = in_loop((ctie_loop *)wormhole);
    CHECK_STATUS(listen_with(wormhole, "a", receive, &ear, &options), CTIE_E_HANDLE);
    CHECK(ear.destroyed == 5 && ear.calls == 0 && ear.listener == NULL);
    CHECK_STATUS(ctie_wormhole_loop(wormhole, NULL), CTIE_E_INVALID);
    end();
}

int main(void) {
    name_directory();
    a_listener_runs_on_the_dispatching_thread();
    little_waits_where_nobody_dispatches();
    removed_listeners_never_run();
    a_listener_removes_itself();
    a_listener_closes_its_wormhole();
    a_loop_that_ends_leaves_its_listeners_to_the_wormhole();
    the_own_loop_ends_with_the_wormhole();
    a_listener_in_the_own_loop_closes_its_wormhole();
    two_event_loops_get_all_messages();
    places_are_checked();
    remove_directory();
    return check_end();
}
