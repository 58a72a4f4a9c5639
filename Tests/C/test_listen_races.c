/*
 * Listeners are bound, replaced, removed and notified by several threads at once, on the wormhole's thread, in a loop
 * and on workers; then the wormhole is closed under them, or their bus before it.
 */
#include "listening.h"

enum { BINDERS = 2, BINDINGS = 60 };

/* One binding, with the events that must never happen to it. */
struct binding {
    atomic_int inside, calls, destroyed;
    atomic_int overlaps, late;
};

struct binder {
    pthread_t thread;
    unsigned seed;
    int count;
    struct binding bindings[BINDINGS];
};

static ctie_wormhole *wormhole;
static ctie_loop *loop;
static ctie_bus *bus;
static atomic_bool is_over;

static bool is_expected(ctie_status status) {
    return status == CTIE_OK || status == CTIE_PENDING || status == CTIE_E_NOT_FOUND || status == CTIE_E_CLOSED ||
           status == CTIE_E_HANDLE;
}

static void enter(const ctie_message *message, void *user_data) {
    struct binding *own = user_data;
    (void)message;
    own->overlaps += atomic_fetch_add(&own->inside, 1) != 0;
    own->late += own->destroyed != 0;
    own->calls++;
    if (own->calls % 16 == 5) {
        CHECK(is_expected(ctie_wormhole_remove_listener(wormhole, CTIE_STR("r"), CTIE_STR("0"), NULL)));
    }
    atomic_fetch_sub(&own->inside, 1);
}

static void leave(void *user_data) {
    struct binding *own = user_data;
    own->late += own->inside != 0;
    own->destroyed++;
}

static ctie_listen_options anywhere(unsigned *seed) {
    static const char *const names[] = {"", "0", "1", "2"};
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    int place = rand_r(seed) % 3;
    options.name = ctie_str_from(names[rand_r(seed) % 4]);
    options.flags = rand_r(seed) % 2 == 0 ? CTIE_LISTEN_QUEUE : 0;
    if (place == 1) { options.loop = loop; }
    if (place == 2) { options.bus = bus; }
    return options;
}

static void *bind_and_remove(void *user_data) {
    struct binder *own = user_data;
    ctie_listener *before = NULL;
    while (own->count < BINDINGS && !is_over) {
        ctie_listener *listener = NULL;
        ctie_listen_options options = anywhere(&own->seed);
        ctie_str identifier = rand_r(&own->seed) % 3 == 0 ? CTIE_STR("*") : CTIE_STR("r");
        ctie_status status = ctie_wormhole_listen(wormhole, identifier,
                                                  CTIE_RECEIVER_OWNED(enter, &own->bindings[own->count++], leave),
                                                  &options, &listener, NULL);
        CHECK(is_expected(status));
        if (before != NULL && rand_r(&own->seed) % 2 == 0) {
            CHECK(is_expected(ctie_listener_release(before)));
            before = NULL;
        }
        if (before == NULL) { before = listener; }
        if (rand_r(&own->seed) % 8 == 0) {
            CHECK(is_expected(ctie_wormhole_remove_listener(wormhole, CTIE_STR("r"), CTIE_STR("1"), NULL)));
        }
    }
    return NULL;
}

static void *notify(void *unused) {
    (void)unused;
    for (int i = 0; !is_over; i++) { CHECK(is_expected(pass_int(wormhole, i % 4 == 0 ? "q" : "r", i))); }
    return NULL;
}

static void *dispatch(void *unused) {
    (void)unused;
    struct pollfd one = {fd_of(loop), POLLIN, 0};
    while (!is_over) {
        if (poll(&one, 1, 10) == 1) { CHECK_STATUS(ctie_loop_dispatch(loop, NULL), CTIE_OK); }
    }
    return NULL;
}

static void check_bindings(struct binder *own) {
    for (int i = 0; i < own->count; i++) {
        struct binding *each = &own->bindings[i];
        AWAIT(each->destroyed == 1);
        CHECK(each->overlaps + each->late == 0);
    }
}

static void play(int round) {
    static struct binder binders[BINDERS];
    pthread_t ringer, dispatcher;
    memset(binders, 0, sizeof binders);
    is_over = false;
    wormhole = open_group();
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    CHECK_STATUS(ctie_loop_new(&loop, NULL), CTIE_OK);
    pthread_create(&dispatcher, NULL, dispatch, NULL);
    pthread_create(&ringer, NULL, notify, NULL);
    for (int i = 0; i < BINDERS; i++) {
        binders[i].seed = (unsigned)(round * BINDERS + i);
        pthread_create(&binders[i].thread, NULL, bind_and_remove, &binders[i]);
    }
    if (round % 2 == 0) { nap_ns(round % 16 * 500000); }
    else { pthread_join(binders[0].thread, NULL); }
    if (round % 4 < 2) { CHECK_STATUS(ctie_bus_close(bus), CTIE_OK); }
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    is_over = true;
    for (int i = round % 2; i < BINDERS; i++) { pthread_join(binders[i].thread, NULL); }
    pthread_join(ringer, NULL);
    pthread_join(dispatcher, NULL);
    CHECK_STATUS(ctie_loop_release(loop), CTIE_OK);
    if (round % 4 >= 2) { CHECK_STATUS(ctie_bus_close(bus), CTIE_OK); }
    for (int i = 0; i < BINDERS; i++) { check_bindings(&binders[i]); }
}

int main(void) {
    name_directory();
    ctie_wormhole *anchor = open_group();
    int rounds = test_rounds(60);
    for (int round = 0; round < rounds; round++) { play(round); }
    CHECK_STATUS(ctie_wormhole_release(anchor), CTIE_OK);
    remove_directory();
    return check_end();
}
