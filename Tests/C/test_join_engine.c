/* Joined buses by an engine: calls, the end of a connection, an engine that refuses or hands over garbage, and a wormhole that
   is closed before its join. */
#include "engine_joins.h"
#include "joining.h"

typedef struct side {
    engine_memory engine;
    ctie_wormhole *wormhole;
    ctie_bus *bus;
    ctie_join *join;
} side;

static side caller, callee;

static ctie_wormhole *open_engine(engine_memory *memory, const ctie_engine *engine, const char *name) {
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    ctie_wormhole *wormhole = NULL;
    memset(memory, 0, sizeof *memory);
    options.name = ctie_str_from(name);
    options.engine = engine;
    options.engine_data = memory;
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("joined"), &options, &wormhole, NULL), CTIE_OK);
    return wormhole;
}

static void begin(side *it, const char *name, const char *exported, const char *imported) {
    it->bus = make_bus();
    it->wormhole = open_engine(&it->engine, engine_with_joins(), name);
    it->join = join_as(it->bus, it->wormhole, NULL, exported, imported, 0);
}

static void end(side *it) {
    CHECK_STATUS(ctie_join_release(it->join), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_release(it->wormhole), CTIE_OK);
    CHECK_STATUS(ctie_bus_release(it->bus), CTIE_OK);
}

static ctie_status call_stock(const char *action, const ctie_value *params, ctie_response **response) {
    return ctie_component_call(caller.bus, (ctie_target){CTIE_STR("stock"), ctie_str_from(action)}, params, without_end(),
                               response, NULL);
}

static void calls_go_through_the_engine(void) {
    ctie_value *params = CTIE_MAP("name", ctie_text("Ada"), "list", CTIE_LIST(ctie_value_int(-5), ctie_value_null()));
    ctie_response *response = NULL;
    CHECK_STATUS(call_stock("echo", params, &response), CTIE_OK);
    CHECK(ctie_value_equal(ctie_response_value(response), params));
    ctie_response_release(response);
    ctie_value_release(params);
    CHECK_STATUS(call_stock("fail", NULL, NULL), CTIE_E_HANDLER);
    CHECK_STATUS(call_stock("missing", NULL, NULL), CTIE_E_NO_ACTION);
    CHECK(ej_last_max_frame_size >= (1 << 20));
}

/* The kernel knows nothing of such a peer. */
static void a_peer_has_no_process(void) {
    ctie_value *peers = NULL;
    CHECK_STATUS(ctie_join_peers(caller.join, &peers, NULL), CTIE_OK);
    CHECK(ctie_value_count(peers) == 1);
    const ctie_value *only = ctie_value_at(peers, 0);
    ctie_str name = {NULL, 0};
    CHECK_STATUS(ctie_value_get_string(ctie_value_get(only, CTIE_STR("name")), &name), CTIE_OK);
    CHECK(text_is(name, "depot"));
    CHECK(int_at(only, "pid") == 0);
    CHECK(int_at(only, "uid") == -1);
    CHECK(int_at(only, "member") > 0);
    ctie_value_release(peers);
}

static void descriptors_stay_on_the_machine(void) {
    ctie_value *params = CTIE_MAP("file", ctie_value_descriptor(0));
    CHECK_STATUS(call_stock("echo", params, NULL), CTIE_E_FOREIGN);
    ctie_value_release(params);
    CHECK_STATUS(call_stock("echo", NULL, NULL), CTIE_OK);
}

static void requests_in_hand_are_known(void) {
    CHECK(!ej_have_requests());
    board->running = board->cancelled = 0;
    ctie_call *call = call_later(caller.bus, "stock", "hang", without_end());
    AWAIT(board->running == 1);
    CHECK(ej_have_requests());
    CHECK_STATUS(ctie_call_cancel(call), CTIE_OK);
    CHECK_STATUS(call_end(call), CTIE_E_CANCELLED);
    AWAIT(board->cancelled == 1);
    AWAIT(!ej_have_requests());
}

static void a_cut_ends_calls_on_both_sides(void) {
    board->running = board->cancelled = 0;
    ctie_call *call = call_later(caller.bus, "stock", "hang", without_end());
    AWAIT(board->running == 1);
    ej_cut_all("the cable was pulled");
    ctie_response *response = NULL;
    CHECK_STATUS(ctie_call_wait(call, 60000, &response), CTIE_OK);
    CHECK_STATUS(ctie_response_status(response), CTIE_E_PEER_GONE);
    CHECK(text_is(ctie_response_message(response), "depot (by the server) has ended: the cable was pulled"));
    ctie_response_release(response);
    ctie_call_release(call);
    AWAIT(board->cancelled == 1);
    AWAIT(peer_count(caller.join) == 0 && peer_count(callee.join) == 0);
    CHECK_STATUS(call_stock("echo", NULL, NULL), CTIE_E_NO_COMPONENT);
    ej_connect_all();
    AWAIT(peer_count(caller.join) == 1 && peer_count(callee.join) == 1);
    CHECK_STATUS(call_stock("echo", NULL, NULL), CTIE_OK);
}

static void a_refusal_to_send_is_the_calls_status(void) {
    ej_send_status = CTIE_E_BUSY;
    CHECK_STATUS(call_stock("echo", NULL, NULL), CTIE_E_BUSY);
    ej_send_status = CTIE_E_PEER_GONE;
    CHECK_STATUS(call_stock("echo", NULL, NULL), CTIE_E_PEER_GONE);
    ej_send_status = 77; /* no status of the library */
    CHECK_STATUS(call_stock("echo", NULL, NULL), CTIE_E_SYSTEM);
    ej_send_status = CTIE_OK;
    CHECK_STATUS(call_stock("echo", NULL, NULL), CTIE_OK);
}

/* Each frame of the engine is a stranger's. */
static void garbage_ends_the_connection(const void *bytes, size_t size) {
    board->running = board->cancelled = 0;
    ctie_call *call = call_later(caller.bus, "stock", "hang", without_end());
    AWAIT(board->running == 1);
    ej_inject((ctie_bytes){bytes, size});
    ctie_response *response = NULL;
    CHECK_STATUS(ctie_call_wait(call, 60000, &response), CTIE_OK);
    ctie_status status = ctie_response_status(response);
    CHECK(status == CTIE_E_CORRUPT || status == CTIE_E_PEER_GONE); /* the first end that sees it cuts both */
    ctie_response_release(response);
    ctie_call_release(call);
    AWAIT(peer_count(caller.join) == 0 && peer_count(callee.join) == 0);
    AWAIT(board->cancelled == 1);
    ej_cut_all("");
    ej_connect_all();
    AWAIT(peer_count(caller.join) == 1 && peer_count(callee.join) == 1);
}

static void impossible_frames_and_numbers_are_dropped(void) {
    const ctie_engine_host *host = caller.engine.host;
    ej_inject((ctie_bytes){NULL, 5});
    ej_inject((ctie_bytes){"", 0});
    ej_inject((ctie_bytes){"\3", SIZE_MAX});
    host->peer_connected(host->context, 12345, 1);
    host->peer_frame(host->context, 12345, 1, (ctie_bytes){"\3", 1});
    host->peer_frame(host->context, 0, 0, (ctie_bytes){"\3", 1});
    host->peer_disconnected(host->context, 12345, 1, (ctie_str){NULL, SIZE_MAX});
    CHECK(!host->peer_has_requests(host->context, 12345, 1));
    CHECK_STATUS(call_stock("echo", NULL, NULL), CTIE_OK);
}

/* Its connections end, as its server's would. */
static void a_wormhole_may_be_closed_first(void) {
    board->running = 0;
    ctie_call *call = call_later(caller.bus, "stock", "hang", without_end());
    AWAIT(board->running == 1);
    CHECK_STATUS(ctie_wormhole_release(callee.wormhole), CTIE_OK);
    CHECK_STATUS(call_end(call), CTIE_E_PEER_GONE);
    AWAIT(peer_count(caller.join) == 0);
    AWAIT(peer_count(callee.join) == 0);
    CHECK_STATUS(ctie_join_release(callee.join), CTIE_OK);
    callee.wormhole = open_engine(&callee.engine, engine_with_joins(), "depot");
    callee.join = join_as(callee.bus, callee.wormhole, NULL, "stock", NULL, 0);
    AWAIT(peer_count(caller.join) == 1);
    CHECK_STATUS(call_stock("echo", NULL, NULL), CTIE_OK);
}

static void an_engine_may_lack_joins(void) {
    engine_memory memory;
    uint32_t abilities = 0;
    ctie_join *join = NULL;
    ctie_wormhole *wormhole = open_engine(&memory, &ENGINE_MEMORY, "other");
    CHECK_STATUS(ctie_wormhole_abilities(wormhole, &abilities, NULL), CTIE_OK);
    CHECK((abilities & CTIE_ENGINE_JOINS_BUSES) == 0);
    CHECK_STATUS(ctie_bus_join(caller.bus, wormhole, NULL, &join, NULL), CTIE_E_UNSUPPORTED);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_abilities(caller.wormhole, &abilities, NULL), CTIE_OK);
    CHECK((abilities & CTIE_ENGINE_JOINS_BUSES) != 0);
}

static ctie_status refuse(void *user_data, uint64_t join, uint64_t max_frame_size, int64_t timeout_ms) {
    (void)user_data, (void)join, (void)max_frame_size, (void)timeout_ms;
    return CTIE_E_UNAVAILABLE;
}

static void an_engine_may_refuse_to_join(void) {
    engine_memory memory;
    ctie_engine engine = *engine_with_joins();
    ctie_join *join = NULL;
    engine.join = refuse;
    ctie_wormhole *wormhole = open_engine(&memory, &engine, "other");
    int threads = thread_count();
    CHECK_STATUS(ctie_bus_join(caller.bus, wormhole, NULL, &join, NULL), CTIE_E_UNAVAILABLE);
    CHECK(join == NULL);
    CHECK(threads_end(threads));
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
}

int main(void) {
    board = share(sizeof *board);
    begin(&caller, "till", NULL, "*");
    begin(&callee, "depot", "stock", NULL);
    add_stock(callee.bus);
    AWAIT(peer_count(caller.join) == 1);
    calls_go_through_the_engine();
    a_peer_has_no_process();
    descriptors_stay_on_the_machine();
    requests_in_hand_are_known();
    a_cut_ends_calls_on_both_sides();
    a_refusal_to_send_is_the_calls_status();
    garbage_ends_the_connection("\0", 1);
    garbage_ends_the_connection("\3\1\2", 3);
    garbage_ends_the_connection("\x0c\1", 2); /* DESCRIPTORS */
    garbage_ends_the_connection("\x08", 1);   /* SHARE */
    garbage_ends_the_connection("\x09", 1);   /* MEMORY, which nobody has offered */
    impossible_frames_and_numbers_are_dropped();
    a_wormhole_may_be_closed_first();
    an_engine_may_lack_joins();
    an_engine_may_refuse_to_join();
    end(&caller);
    end(&callee);
    em_free_groups();
    return check_end();
}
