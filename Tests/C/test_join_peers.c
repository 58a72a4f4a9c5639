/*
 * Peers of a joined bus: their coming, changing and leaving; components that export themselves; idempotent calls, which
 * outlive a peer; and peers that have stopped, which new calls avoid.
 */
#include "joining.h"

static ctie_bus *bus;
static ctie_wormhole *wormhole;
static ctie_join *joined;

/* ---- The listener --------------------------------------------------------------------------------- */

static struct {
    pthread_mutex_t lock;
    char text[2048];
    _Atomic int destroyed;
} noted = {PTHREAD_MUTEX_INITIALIZER, "", 0};

static void note_peer(ctie_peer_event event, const ctie_value *peer, void *user_data CTIE_UNUSED) {
    static const char *const NAMES[] = {"?", "joined", "left", "changed"};
    ctie_str name = {NULL, 0};
    size_t exports = ctie_value_count(ctie_value_get(peer, CTIE_STR("exports")));
    ctie_value_get_string(ctie_value_get(peer, CTIE_STR("name")), &name);
    pthread_mutex_lock(&noted.lock);
    size_t used = strlen(noted.text);
    snprintf(noted.text + used, sizeof noted.text - used, "%s " CTIE_FMT " %zu; ", NAMES[event], CTIE_ARG(name), exports);
    pthread_mutex_unlock(&noted.lock);
}

static void count_destroyed(void *user_data CTIE_UNUSED) { noted.destroyed++; }

static bool has_noted(const char *all) {
    pthread_mutex_lock(&noted.lock);
    bool same = strcmp(noted.text, all) == 0;
    pthread_mutex_unlock(&noted.lock);
    return same;
}

static void peers_come_change_and_go(void) {
    ctie_str both[] = {CTIE_STR("stock"), CTIE_STR("app://")};
    ctie_bus *first = make_bus(), *second = make_bus();
    ctie_join *one = join_as(first, wormhole, "one", "stock", NULL, 0);
    AWAIT(peer_count(joined) == 1);
    CHECK_STATUS(ctie_join_set_listener(joined, CTIE_PEER_LISTENER_OWNED(note_peer, NULL, count_destroyed), NULL), CTIE_OK);
    AWAIT(has_noted("joined one 1; "));
    ctie_join *two = join_as(second, wormhole, "two", NULL, NULL, 0);
    AWAIT(has_noted("joined one 1; joined two 0; "));
    CHECK_STATUS(ctie_join_set_exports(two, (ctie_str_list){both, 2}, NULL), CTIE_OK);
    AWAIT(has_noted("joined one 1; joined two 0; changed two 2; "));
    CHECK_STATUS(ctie_join_set_exports(two, (ctie_str_list){both, 2}, NULL), CTIE_OK);
    CHECK_STATUS(ctie_join_release(one), CTIE_OK);
    AWAIT(has_noted("joined one 1; joined two 0; changed two 2; left one 1; "));
    CHECK(noted.destroyed == 0);
    CHECK_STATUS(ctie_join_set_listener(joined, CTIE_PEER_LISTENER(NULL, NULL), NULL), CTIE_OK);
    AWAIT(noted.destroyed == 1);
    CHECK_STATUS(ctie_join_set_listener(NULL, CTIE_PEER_LISTENER_OWNED(note_peer, NULL, count_destroyed), NULL), CTIE_E_HANDLE);
    CHECK(noted.destroyed == 2);
    CHECK_STATUS(ctie_join_release(two), CTIE_OK);
    CHECK_STATUS(ctie_bus_release(first), CTIE_OK);
    CHECK_STATUS(ctie_bus_release(second), CTIE_OK);
    AWAIT(peer_count(joined) == 0);
    CHECK(has_noted("joined one 1; joined two 0; changed two 2; left one 1; "));
}

/* The listener ends with the join. */
static void a_join_ends_its_listener(void) {
    ctie_bus *own = make_bus();
    ctie_join *join = join_as(own, wormhole, "brief", NULL, NULL, 0);
    noted.destroyed = 0;
    CHECK_STATUS(ctie_join_set_listener(join, CTIE_PEER_LISTENER_OWNED(note_peer, NULL, count_destroyed), NULL), CTIE_OK);
    CHECK_STATUS(ctie_join_release(join), CTIE_OK);
    CHECK(noted.destroyed == 1);
    CHECK_STATUS(ctie_bus_release(own), CTIE_OK);
    AWAIT(peer_count(joined) == 0);
}

/* ---- Components that export themselves ------------------------------------------------------------ */

/** Whether the bus lists a component that a peer of a name exports. */
static bool lists(const char *component, const char *peer) {
    ctie_value *list = NULL;
    bool found = false;
    CHECK_STATUS(ctie_component_list_anywhere(bus, &list, NULL), CTIE_OK);
    for (size_t i = 0; i < ctie_value_count(list); i++) {
        const ctie_value *each = ctie_value_at(list, i);
        found = found || (text_is(ctie_get_str(each, "name", CTIE_STR("")), component)
                          && text_is(ctie_get_str(each, "peer.name", CTIE_STR("")), peer));
    }
    ctie_value_release(list);
    return found;
}

static void components_export_themselves(void) {
    ctie_component_options options = CTIE_COMPONENT_OPTIONS_INIT;
    ctie_action action = action_of("echo", echo, NULL, 0);
    ctie_registration *registration = NULL;
    ctie_bus *other = make_bus();
    options.flags = CTIE_COMPONENT_EXPORTED;
    CHECK_STATUS(ctie_component_add(other, CTIE_STR("before"), (ctie_action_list){&action, 1}, CTIE_INSTANCE(NULL),
                                    &options, NULL, NULL), CTIE_OK);
    add_action(other, "hidden", "echo", echo, NULL, 0);
    ctie_join *join = join_as(other, wormhole, "other", "hidden.echo", NULL, 0);
    AWAIT(call_now(bus, "before", "echo") == CTIE_OK);
    CHECK_STATUS(call_now(bus, "hidden", "echo"), CTIE_OK);
    CHECK_STATUS(call_now(bus, "later", "echo"), CTIE_E_NO_COMPONENT);
    CHECK_STATUS(ctie_component_add(other, CTIE_STR("later"), (ctie_action_list){&action, 1}, CTIE_INSTANCE(NULL),
                                    &options, &registration, NULL), CTIE_OK);
    AWAIT(call_now(bus, "later", "echo") == CTIE_OK);
    CHECK(lists("before", "other") && lists("later", "other") && lists("hidden.echo", "other") && !lists("hidden", "other"));
    CHECK_STATUS(ctie_registration_release(registration), CTIE_OK);
    CHECK_STATUS(call_now(bus, "later", "echo"), CTIE_E_NO_COMPONENT);
    CHECK_STATUS(ctie_join_set_exports(join, (ctie_str_list){NULL, 0}, NULL), CTIE_OK);
    AWAIT(call_now(bus, "hidden", "echo") == CTIE_E_NO_COMPONENT);
    CHECK_STATUS(call_now(bus, "before", "echo"), CTIE_OK);
    CHECK_STATUS(ctie_join_release(join), CTIE_OK);
    CHECK_STATUS(ctie_bus_release(other), CTIE_OK);
    AWAIT(peer_count(joined) == 0);
}

/* ---- Idempotent calls ----------------------------------------------------------------------------- */

/** The first processes that run it end; another one replies. */
static void end_or_reply(ctie_request *request, void *user_data CTIE_UNUSED) {
    if (board->running++ < board->stage) _exit(7);
    ctie_request_reply(request, ctie_value_int(getpid()));
}

static int serve_fragile(void *name) {
    ctie_bus *own = make_bus();
    ctie_action actions[] = {action_of("safe", end_or_reply, NULL, CTIE_ACTION_IDEMPOTENT),
                             action_of("once", end_or_reply, NULL, 0)};
    CHECK_STATUS(ctie_component_add(own, CTIE_STR("fragile"), CTIE_ACTIONS(actions), CTIE_INSTANCE(NULL), NULL, NULL,
                                    NULL), CTIE_OK);
    ctie_wormhole *group = open_group();
    ctie_join *join = join_as(own, group, name, "fragile", NULL, 0);
    board->ready++;
    while (!board->shall_end) nap_ns(500000);
    CHECK_STATUS(ctie_join_release(join), CTIE_OK);
    return 0;
}

/** The end of a call of which the first `deaths` processes of `count` die, and the number of those that have run it. */
static ctie_status call_fragile(const char *action, int count, int deaths, int *runs) {
    pid_t children[4];
    board->ready = board->running = 0;
    board->stage = deaths;
    for (int i = 0; i < count; i++) children[i] = start_child(serve_fragile, "fragile");
    AWAIT(board->ready == count && peer_count(joined) == (size_t)count);
    ctie_target target = {CTIE_STR("fragile"), ctie_str_from(action)};
    ctie_status status = ctie_component_call(bus, target, NULL, without_end(), NULL, NULL);
    *runs = board->running;
    board->shall_end = 1;
    for (int i = 0; i < count; i++) end_of_child(children[i]);
    board->shall_end = 0;
    AWAIT(peer_count(joined) == 0);
    return status;
}

static void idempotent_calls_are_repeated_once(void) {
    int runs = 0;
    CHECK_STATUS(call_fragile("safe", 3, 1, &runs), CTIE_OK);
    CHECK(runs == 2);
    CHECK_STATUS(call_fragile("safe", 3, 2, &runs), CTIE_E_PEER_GONE);
    CHECK(runs == 2);
    CHECK_STATUS(call_fragile("safe", 1, 1, &runs), CTIE_E_PEER_GONE);
    CHECK(runs == 1);
    CHECK_STATUS(call_fragile("once", 3, 1, &runs), CTIE_E_PEER_GONE);
    CHECK(runs == 1);
}

/* ---- Peers that have stopped ---------------------------------------------------------------------- */

static bool echoes(const char *peer, int64_t timeout) {
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.timeout_ms = timeout;
    options.peer = ctie_str_from(peer);
    return ctie_component_call(bus, CTIE_TARGET("stock", "echo"), NULL, &options, NULL, NULL) == CTIE_OK;
}

/* The stopped one has fewer calls in hand, so that it is avoided for its silence alone. The other one answers. */
static void calls_avoid_a_stopped_peer(void) {
    ctie_call *hanging[4];
    pid_t stopped = start_stock("stopped", 0), running = start_stock("running", 0);
    ctie_request_options options = *without_end();
    AWAIT(peer_count(joined) == 2);
    board->running = 0;
    options.peer = CTIE_STR("running");
    for (int i = 0; i < 3; i++) hanging[i] = call_later(bus, "stock", "hang", &options);
    options.peer = CTIE_STR("stopped");
    hanging[3] = call_later(bus, "stock", "hang", &options);
    AWAIT(board->running == 4);
    CHECK(kill(stopped, SIGSTOP) == 0);
    bool goes_round = false;
    AWAIT((goes_round = goes_round || (echoes("running", -1) && echoes(NULL, 100))));
    CHECK(kill(stopped, SIGCONT) == 0);
    for (int i = 0; i < 4; i++) {
        CHECK_STATUS(ctie_call_cancel(hanging[i]), CTIE_OK);
        CHECK_STATUS(call_end(hanging[i]), CTIE_E_CANCELLED);
    }
    board->shall_end = 1;
    CHECK(end_of_child(stopped) == 0 && end_of_child(running) == 0);
    board->shall_end = 0;
    AWAIT(peer_count(joined) == 0);
}

int main(void) {
    name_directory();
    board = share(sizeof *board);
    bus = make_bus();
    int threads = thread_count(), files = open_files();
    wormhole = open_group();
    joined = join_as(bus, wormhole, "caller", NULL, "*", 0);
    peers_come_change_and_go();
    a_join_ends_its_listener();
    components_export_themselves();
    idempotent_calls_are_repeated_once();
    calls_avoid_a_stopped_peer();
    return end_joined(joined, wormhole, bus, threads, files);
}
