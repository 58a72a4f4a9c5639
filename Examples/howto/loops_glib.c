/* The same in a GLib main loop, such as GTK's. Build: cc loops_glib.c $(pkg-config --cflags --libs crosstie glib-2.0) */
#include <crosstie.h>
#include <crosstie/convenience.h>
#include <glib-unix.h>

static void count_pages(ctie_request *request, void *user_data CTIE_UNUSED) {
    ctie_request_reply(request, ctie_text("42 pages"));
}

static void counted(ctie_response *response, void *user_data) {
    g_print("report: %s\n", ctie_value_text(ctie_response_value(response), "no answer")); /* on GLib's thread */
    g_main_loop_quit((GMainLoop *)user_data);
}

static gboolean dispatch(gint descriptor CTIE_UNUSED, GIOCondition condition CTIE_UNUSED, gpointer loop) {
    ctie_loop_dispatch((ctie_loop *)loop, NULL);
    return G_SOURCE_CONTINUE;
}

int main(void) {
    GMainLoop *main_loop = g_main_loop_new(NULL, FALSE);
    ctie_bus *bus = NULL;
    ctie_loop *loop = NULL; /* the bus's own */
    int32_t descriptor = -1;
    if (ctie_bus_new(NULL, &bus, NULL) != CTIE_OK || ctie_bus_loop(bus, &loop) != CTIE_OK) return 1;
    if (ctie_loop_fd(loop, &descriptor) != CTIE_OK) return 1;
    const guint source = g_unix_fd_add(descriptor, G_IO_IN, dispatch, loop);

    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.loop = loop;
    ctie_route_on(bus, "app://report", CTIE_HANDLER(count_pages, NULL), 0);
    ctie_open_async(bus, CTIE_STR("app://report"), CTIE_ORIGIN_LOCAL, CTIE_COMPLETION(counted, main_loop), &options, NULL,
                    NULL);
    g_main_loop_run(main_loop);

    g_source_remove(source); /* before its descriptor ends with the bus */
    ctie_bus_release(bus);
    g_main_loop_unref(main_loop);
    return 0;
}
