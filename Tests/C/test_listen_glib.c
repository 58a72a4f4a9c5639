/* A wormhole in a GLib main loop: its listeners are called there, while others run on the wormhole's thread. */
#include "listening.h"

#include <glib-unix.h>
#include <glib.h>

enum { LAST = 300 };

static ctie_wormhole *wormhole;
static ctie_loop *loop;
static GMainLoop *main_loop;
static pthread_t home;
static int strangers;

static gboolean dispatch(gint fd, GIOCondition condition, gpointer unused) {
    (void)fd, (void)condition, (void)unused;
    CHECK_STATUS(ctie_loop_dispatch(loop, NULL), CTIE_OK);
    return G_SOURCE_CONTINUE;
}

static gboolean give_up(gpointer unused) {
    (void)unused;
    CHECK(!"the main loop hangs");
    g_main_loop_quit(main_loop);
    return G_SOURCE_REMOVE;
}

/* Removes itself with the last message, and ends the main loop. */
static void receive_until_last(const ctie_message *message, void *user_data) {
    struct ear *ear = user_data;
    receive(message, ear);
    strangers += !pthread_equal(home, pthread_self());
    if (ear->value != LAST) { return; }
    ear->status = ctie_listener_release(ear->listener);
    g_main_loop_quit(main_loop);
}

static void *pass_all(void *unused) {
    (void)unused;
    for (int i = 1; i <= LAST; i++) { CHECK_STATUS(pass_int(wormhole, "a", i), CTIE_OK); }
    return NULL;
}

int main(void) {
    struct ear here = {0}, elsewhere = {0};
    int32_t fd = -1;
    pthread_t passer;
    name_directory();
    home = pthread_self();
    wormhole = open_group();
    main_loop = g_main_loop_new(NULL, FALSE);
    CHECK_STATUS(ctie_wormhole_loop(wormhole, &loop), CTIE_OK);
    CHECK_STATUS(ctie_loop_fd(loop, &fd), CTIE_OK);
    ctie_listen_options options = in_loop(loop);
    options.flags = CTIE_LISTEN_QUEUE;
    CHECK_STATUS(listen_with(wormhole, "a", receive_until_last, &here, &options), CTIE_OK);
    CHECK_STATUS(listen_with(wormhole, "a", receive, &elsewhere, NULL), CTIE_OK);
    g_unix_fd_add(fd, G_IO_IN, dispatch, NULL);
    g_timeout_add_seconds(60, give_up, NULL);
    pthread_create(&passer, NULL, pass_all, NULL);
    g_main_loop_run(main_loop);
    pthread_join(passer, NULL);
    AWAIT(elsewhere.value == LAST);
    CHECK(here.calls == LAST && here.went_back == 0 && strangers == 0);
    CHECK(here.status == CTIE_PENDING && here.destroyed == 1);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    g_main_loop_unref(main_loop);
    remove_directory();
    return check_end();
}
