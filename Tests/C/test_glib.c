/* A GLib main loop and an epoll loop on one bus at once: neither takes the other's work. */
#include "components.h"

#include <glib-unix.h>
#include <glib.h>
#include <sys/epoll.h>

enum { CALLS = 300 };

static ctie_bus *bus;

typedef struct host {
    pthread_t thread;
    ctie_loop *loop;
    GMainLoop *main_loop; /* NULL for the one of epoll */
    int ended, strangers, reported;
} host;

static void report_and_reply(ctie_request *request, void *user_data) {
    CHECK_STATUS(ctie_request_progress(request, ctie_value_int(1)), CTIE_OK);
    reply_null(request, user_data);
}

static void report(const ctie_value *value, void *user_data) {
    (void)value;
    host *own = user_data;
    own->strangers += !pthread_equal(own->thread, pthread_self());
    own->reported++;
}

static void end_at_home(ctie_response *response, void *user_data) {
    host *own = user_data;
    CHECK_STATUS(ctie_response_status(response), CTIE_OK);
    own->strangers += !pthread_equal(own->thread, pthread_self());
    if (++own->ended == CALLS && own->main_loop != NULL) { g_main_loop_quit(own->main_loop); }
}

static int32_t begin(host *own) {
    int32_t fd = -1;
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    own->thread = pthread_self();
    CHECK_STATUS(ctie_loop_new(&own->loop, NULL), CTIE_OK);
    CHECK_STATUS(ctie_loop_fd(own->loop, &fd), CTIE_OK);
    options.loop = own->loop;
    options.progress = CTIE_PROGRESS(report, own);
    for (int i = 0; i < CALLS; i++) {
        CHECK_STATUS(ctie_component_call_async(bus, CTIE_TARGET("a", "go"), NULL, CTIE_COMPLETION(end_at_home, own),
                                               &options, NULL, NULL), CTIE_OK);
    }
    return fd;
}

static void check_end_of(host *own) {
    CHECK(own->ended == CALLS && own->reported == CALLS && own->strangers == 0);
    CHECK_STATUS(ctie_loop_release(own->loop), CTIE_OK);
}

static gboolean dispatch(gint fd, GIOCondition condition, gpointer loop) {
    (void)fd, (void)condition;
    CHECK_STATUS(ctie_loop_dispatch(loop, NULL), CTIE_OK);
    return G_SOURCE_CONTINUE;
}

static gboolean give_up(gpointer main_loop) {
    CHECK(!"the main loop hangs");
    g_main_loop_quit(main_loop);
    return G_SOURCE_REMOVE;
}

/* A context of its own, as an application's second thread would have. */
static void *run_glib(void *user_data) {
    host *own = user_data;
    GMainContext *context = g_main_context_new();
    g_main_context_push_thread_default(context);
    own->main_loop = g_main_loop_new(context, FALSE);
    GSource *watch = g_unix_fd_source_new(begin(own), G_IO_IN), *watchdog = g_timeout_source_new_seconds(60);
    g_source_set_callback(watch, G_SOURCE_FUNC(dispatch), own->loop, NULL);
    g_source_set_callback(watchdog, give_up, own->main_loop, NULL);
    g_source_attach(watch, context);
    g_source_attach(watchdog, context);
    g_main_loop_run(own->main_loop);
    g_source_destroy(watch);
    g_source_destroy(watchdog);
    g_source_unref(watch);
    g_source_unref(watchdog);
    g_main_loop_unref(own->main_loop);
    g_main_context_pop_thread_default(context);
    g_main_context_unref(context);
    check_end_of(own);
    return NULL;
}

static void *run_epoll(void *user_data) {
    host *own = user_data;
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN};
    epoll_ctl(epoll, EPOLL_CTL_ADD, begin(own), &event);
    while (own->ended < CALLS && epoll_wait(epoll, &event, 1, 60000) == 1) {
        CHECK_STATUS(ctie_loop_dispatch(own->loop, NULL), CTIE_OK);
    }
    close(epoll);
    check_end_of(own);
    return NULL;
}

int main(void) {
    host glib = {0}, epoll = {0};
    pthread_t threads[2];
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    add_action(bus, "a", "go", report_and_reply, NULL, 0);
    pthread_create(&threads[0], NULL, run_glib, &glib);
    pthread_create(&threads[1], NULL, run_epoll, &epoll);
    for (int i = 0; i < 2; i++) { pthread_join(threads[i], NULL); }
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    return check_end();
}
