/* A program with one thread that may touch its state: it waits in poll() for its own timer and for the library.
   Build: cc loops_poll.c $(pkg-config --cflags --libs crosstie) */
#include <crosstie.h>
#include <crosstie/convenience.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>

typedef struct window {
    pthread_t thread; /* the only one that may call show() */
    int waiting;
} window;

static void show(const window *view, const char *what, const char *text) {
    printf("%s: %s%s\n", what, text, pthread_equal(view->thread, pthread_self()) ? "" : ", on another thread");
}

/* A worker of the bus runs this; it may block. */
static void count_pages(ctie_request *request, void *user_data CTIE_UNUSED) {
    ctie_request_reply(request, ctie_text("42 pages"));
}

static void counted(ctie_response *response, void *user_data) {
    window *view = (window *)user_data;
    show(view, "report", ctie_value_text(ctie_response_value(response), "no answer"));
    view->waiting--;
}

static void received(const ctie_message *message, void *user_data) {
    window *view = (window *)user_data;
    show(view, "news", ctie_value_text(ctie_message_value(message), "no text"));
    view->waiting--;
}

static void ask(ctie_bus *bus, ctie_loop *loop, window *view) {
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.loop = loop;
    ctie_route_on(bus, "app://report", CTIE_HANDLER(count_pages, NULL), 0);
    ctie_open_async(bus, CTIE_STR("app://report"), CTIE_ORIGIN_LOCAL, CTIE_COMPLETION(counted, view), &options, NULL, NULL);
}

static void listen_to(ctie_wormhole *wormhole, ctie_loop *loop, window *view) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.loop = loop;
    options.flags = CTIE_LISTEN_NO_INITIAL_DELIVERY;
    ctie_wormhole_listen(wormhole, CTIE_STR("news"), CTIE_RECEIVER(received, view), &options, NULL, NULL);
    /* Any process may send this. The value is taken. */
    ctie_wormhole_send(wormhole, CTIE_STR("news"), ctie_text("it rains"), NULL, NULL, NULL, NULL);
}

static void run(ctie_loop *loop, window *view) {
    struct pollfd watched = {-1, POLLIN, 0}; /* a program adds its own descriptors */
    view->waiting = 1;
    ctie_loop_fd(loop, &watched.fd);
    while (view->waiting > 0 && poll(&watched, 1, 60000) > 0) ctie_loop_dispatch(loop, NULL);
}

int main(void) {
    window view = {pthread_self(), 0};
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    options.flags = CTIE_WORMHOLE_MEMORY;
    ctie_loop *loop = NULL;
    ctie_bus *bus = NULL;
    ctie_wormhole *wormhole = NULL;
    if (ctie_loop_new(&loop, NULL) != CTIE_OK || ctie_bus_new(NULL, &bus, NULL) != CTIE_OK) return 1;
    if (ctie_wormhole_open(CTIE_STR("example"), &options, &wormhole, NULL) != CTIE_OK) return 1;
    ask(bus, loop, &view);
    run(loop, &view);
    listen_to(wormhole, loop, &view);
    run(loop, &view);
    ctie_wormhole_release(wormhole);
    ctie_bus_release(bus);
    ctie_loop_release(loop); /* last: callbacks that are due run here */
    return 0;
}
