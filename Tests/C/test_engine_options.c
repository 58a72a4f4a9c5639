/* Opening a wormhole on a host's own engine: options, abilities, deadlines, and what an engine may not do. */
#define _GNU_SOURCE
#include "engine_listening.h"
#include "moved_clock.h"

static ctie_wormhole_options engine_options(const ctie_engine *engine, engine_memory *it) {
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    *it = (engine_memory){0};
    options.engine = engine, options.engine_data = it;
    return options;
}

static ctie_status try_options(const ctie_wormhole_options *options) {
    ctie_wormhole *wormhole = NULL;
    ctie_status status = ctie_wormhole_open(CTIE_STR("options"), options, &wormhole, NULL);
    CHECK((status == CTIE_OK) == (wormhole != NULL));
    if (wormhole != NULL) { CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK); }
    return status;
}

/* The engine is closed once, whichever option is wrong. */
static void wrong_options_are_refused(void) {
    static const uint32_t FLAGS[] = {CTIE_WORMHOLE_FAST, CTIE_WORMHOLE_SYSTEM, CTIE_WORMHOLE_MEMORY,
                                     CTIE_WORMHOLE_ANY_FILESYSTEM, CTIE_WORMHOLE_EXISTING, 1u << 31};
    engine_memory one;
    ctie_wormhole_options options = engine_options(&ENGINE_MEMORY, &one);
    CHECK_STATUS(try_options(&options), CTIE_OK);
    CHECK(one.closed == 1);
    for (size_t i = 0; i < sizeof FLAGS / sizeof *FLAGS; i++) {
        options = engine_options(&ENGINE_MEMORY, &one);
        options.flags = FLAGS[i];
        CHECK_STATUS(try_options(&options), CTIE_E_INVALID);
        CHECK(one.closed == 1 && one.group == NULL);
    }
    options = engine_options(&ENGINE_MEMORY, &one);
    options.directory = CTIE_STR("/tmp/a");
    CHECK_STATUS(try_options(&options), CTIE_E_INVALID);
    CHECK(one.closed == 1);
    uint64_t *const UNSUPPORTED[] = {&options.map_size, &options.max_map_size, &options.max_queued, &options.max_queued_size,
                                     &options.retain_ms, &options.retain_count, &options.retain_size};
    for (size_t i = 0; i < sizeof UNSUPPORTED / sizeof *UNSUPPORTED; i++) {
        options = engine_options(&ENGINE_MEMORY, &one);
        *UNSUPPORTED[i] = 32 << 20;
        CHECK_STATUS(try_options(&options), CTIE_E_UNSUPPORTED);
        CHECK(one.closed == 1 && one.group == NULL);
    }
    options = engine_options(&ENGINE_MEMORY, &one);
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("a b"), &options, &(ctie_wormhole *){NULL}, NULL), CTIE_E_IDENTIFIER);
    CHECK(one.closed == 1);
    options = engine_options(&ENGINE_MEMORY, &one);
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("a"), &options, NULL, NULL), CTIE_E_INVALID);
    CHECK(one.closed == 1);
}

static ctie_status no_version(void *user_data, uint64_t *out, int64_t timeout_ms) {
    (void)user_data, (void)out, (void)timeout_ms;
    return CTIE_E_UNAVAILABLE;
}

static ctie_status no_scan(void *user_data, ctie_bytes from, bool backward, ctie_transport_visit_fn visit, void *context,
                           int64_t timeout_ms) {
    (void)user_data, (void)from, (void)backward, (void)visit, (void)context, (void)timeout_ms;
    return CTIE_E_UNAVAILABLE;
}

static ctie_status no_commit(void *user_data, uint64_t version, const uint8_t *token, const ctie_transport_change *changes,
                             size_t count, uint64_t *out, int64_t timeout_ms) {
    (void)user_data, (void)version, (void)token, (void)changes, (void)count, (void)out, (void)timeout_ms;
    return CTIE_E_UNAVAILABLE;
}

static void count_end(void *user_data) { (*(int *)user_data)++; }

static const ctie_transport WHOLE_TRANSPORT = {
    .size = sizeof(ctie_transport), .version = no_version, .scan = no_scan, .commit = no_commit, .destroy = count_end};

/* Opens with both, which fails. Whichever is refused first, both have ended as often as they should. */
static void refuse_both(const ctie_engine *engine, int closed, const ctie_transport *transport, int destroyed,
                        ctie_status expected) {
    engine_memory one;
    int ends = 0;
    ctie_wormhole_options options = engine_options(engine, &one);
    options.transport = transport, options.transport_data = &ends;
    CHECK_STATUS(try_options(&options), expected);
    CHECK(one.closed == closed && one.group == NULL);
    CHECK(ends == destroyed);
}

static void an_engine_has_no_transport_beside_it(void) {
    struct { ctie_transport known; uint64_t more; } newer_transport = {WHOLE_TRANSPORT, 1};
    struct { ctie_engine known; uint64_t more; } newer_engine = {ENGINE_MEMORY, 1};
    newer_transport.known.size = sizeof newer_transport, newer_engine.known.size = sizeof newer_engine;
    refuse_both(&ENGINE_MEMORY, 1, &WHOLE_TRANSPORT, 1, CTIE_E_INVALID);
    refuse_both(&ENGINE_MEMORY, 1, &newer_transport.known, 1, CTIE_E_ABI);
    refuse_both(&newer_engine.known, 1, &WHOLE_TRANSPORT, 1, CTIE_E_ABI);
    refuse_both(&newer_engine.known, 1, &newer_transport.known, 1, CTIE_E_ABI);
    ctie_transport lacking = WHOLE_TRANSPORT;
    lacking.scan = NULL;
    refuse_both(&ENGINE_MEMORY, 1, &lacking, 1, CTIE_E_INVALID);
    /* A struct of a size that no header gives it is not touched. */
    ctie_transport odd_transport = WHOLE_TRANSPORT;
    ctie_engine odd_engine = ENGINE_MEMORY;
    odd_transport.size = 7, odd_engine.size = 7;
    refuse_both(&ENGINE_MEMORY, 1, &odd_transport, 0, CTIE_E_INVALID);
    refuse_both(&odd_engine, 0, &WHOLE_TRANSPORT, 1, CTIE_E_INVALID);
    refuse_both(&odd_engine, 0, &odd_transport, 0, CTIE_E_INVALID);
}

/* Each of the functions from open to close is needed; those after are not. */
static void functions_are_required(void) {
    engine_memory one;
    const size_t last = offsetof(ctie_engine, close);
    for (size_t offset = sizeof(size_t); offset < sizeof(ctie_engine); offset += sizeof(void (*)(void))) {
        ctie_engine engine = ENGINE_MEMORY;
        memset((char *)&engine + offset, 0, sizeof(void (*)(void)));
        ctie_wormhole_options options = engine_options(&engine, &one);
        CHECK_STATUS(try_options(&options), offset <= last ? CTIE_E_INVALID : CTIE_OK);
        CHECK(one.closed == (offset == last ? 0 : 1));
    }
    /* An engine of an older header has the first ones only. */
    ctie_engine older = ENGINE_MEMORY;
    older.size = offsetof(ctie_engine, forget);
    ctie_wormhole_options options = engine_options(&older, &one);
    CHECK_STATUS(try_options(&options), CTIE_OK);
    older.size = offsetof(ctie_engine, close);
    CHECK_STATUS(try_options(&options), CTIE_E_INVALID);
}

static uint32_t claimed;

static ctie_status claim_abilities(void *user_data, ctie_str group, const ctie_engine_host *host, uint32_t *abilities,
                                   int64_t timeout_ms) {
    CHECK(*abilities == 0 && host->size == sizeof *host && host->pid == getpid() && host->max_value_size == 1 << 20);
    ctie_status status = em_open(user_data, group, host, abilities, timeout_ms);
    *abilities = claimed;
    return status;
}

static ctie_status refuse_to_open(void *user_data, ctie_str group, const ctie_engine_host *host, uint32_t *abilities,
                                  int64_t timeout_ms) {
    (void)user_data, (void)group, (void)host, (void)abilities, (void)timeout_ms;
    return CTIE_E_UNAVAILABLE;
}

static uint32_t abilities_of(ctie_wormhole *wormhole) {
    uint32_t bits = 0;
    CHECK_STATUS(ctie_wormhole_abilities(wormhole, &bits, NULL), CTIE_OK);
    return bits;
}

/* Errors name the ability that an engine lacks, and nothing is sent. */
static void abilities_are_what_it_says(void) {
    engine_memory one;
    ctie_engine engine = ENGINE_MEMORY;
    ctie_wormhole *wormhole = NULL;
    ctie_error *error = NULL;
    ctie_value *list = NULL;
    engine.open = claim_abilities;
    engine.forget = NULL, engine.durables = NULL, engine.seek = NULL, engine.declare = NULL, engine.scheduled = NULL,
    engine.cancel = NULL, engine.send_each = NULL;
    ctie_wormhole_options options = engine_options(&engine, &one);
    claimed = CTIE_ENGINE_SURVIVES_POWER;
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("lacking"), &options, &wormhole, NULL), CTIE_OK);
    CHECK(abilities_of(wormhole) == CTIE_ENGINE_SURVIVES_POWER);
    ctie_outgoing messages[] = {{CTIE_STR("a"), ctie_value_int(1)}, {CTIE_STR("a"), NULL}};
    CHECK_STATUS(ctie_wormhole_send_many(wormhole, messages, 2, NULL, NULL, &error), CTIE_E_UNSUPPORTED);
    CHECK(strstr(ctie_error_message(error).data, "several messages") != NULL);
    ctie_error_release(error);
    ctie_outgoing single[] = {{CTIE_STR("a"), ctie_value_int(1)}};
    CHECK_STATUS(ctie_wormhole_send_many(wormhole, single, 1, NULL, NULL, NULL), CTIE_OK);
    ctie_send_options later = CTIE_SEND_OPTIONS_INIT, named = CTIE_SEND_OPTIONS_INIT;
    later.delay_ms = 1000, named.token = (ctie_bytes){"0123456789abcdef", 16};
    CHECK_STATUS(ctie_wormhole_send(wormhole, CTIE_STR("a"), ctie_value_int(1), &later, NULL, NULL, &error),
                 CTIE_E_UNSUPPORTED);
    CHECK(strstr(ctie_error_message(error).data, "schedule") != NULL);
    ctie_error_release(error);
    CHECK_STATUS(ctie_wormhole_send(wormhole, CTIE_STR("a"), ctie_value_int(1), &named, NULL, NULL, NULL),
                 CTIE_E_UNSUPPORTED);
    CHECK(one.sends == 1);
    one.failure = CTIE_E_UNCERTAIN;
    one.fails_after = 1;
    CHECK_STATUS(pass_int(wormhole, "a", 2), CTIE_E_UNCERTAIN); /* without tokens it is not repeated */
    CHECK(one.sends == 2);
    collector *it = collect_from(wormhole, "a", "", 0);
    uint32_t listeners = 9;
    CHECK_STATUS(ctie_wormhole_send(wormhole, CTIE_STR("a"), ctie_value_int(3), NULL, NULL, &listeners, NULL), CTIE_OK);
    CHECK(listeners == 0);
    stop_collecting(it);
#define LACKS(call, name) \
    do { \
        CHECK_STATUS(call, CTIE_E_UNSUPPORTED); \
        CHECK(strstr(ctie_error_message(error).data, name) != NULL); \
        ctie_error_release(error); \
        error = NULL; \
    } while (0)
    LACKS(ctie_wormhole_forget(wormhole, CTIE_STR("a"), CTIE_STR("b"), &error), "forget");
    LACKS(ctie_wormhole_durables(wormhole, &list, &error), "durables");
    LACKS(ctie_wormhole_seek(wormhole, CTIE_STR("a"), CTIE_STR("b"), 1, 0, &error), "seek");
    LACKS(ctie_wormhole_declare(wormhole, CTIE_STR("a"), CTIE_STR("b"), NULL, &error), "declare");
    LACKS(ctie_wormhole_scheduled(wormhole, CTIE_STR("*"), &list, &error), "scheduled");
    LACKS(ctie_wormhole_cancel_scheduled(wormhole, 1, &error), "cancel");
    LACKS(ctie_wormhole_dead_letters(wormhole, CTIE_STR("a"), CTIE_STR("b"), 0, 0, &list, &error), "dead_letters");
    LACKS(ctie_wormhole_retry(wormhole, CTIE_STR("a"), CTIE_STR("b"), 0, NULL, &error), "end_dead_letters");
    ctie_bus *bus = NULL;
    CHECK_STATUS(ctie_bus_new(NULL, &bus, NULL), CTIE_OK);
    LACKS(ctie_bus_join(bus, wormhole, NULL, &(ctie_join *){NULL}, &error), "engine");
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    close_engine(wormhole, &one);

    claimed = CTIE_ENGINE_FORGETS; /* that follows from the functions */
    options = engine_options(&engine, &one);
    CHECK_STATUS(try_options(&options), CTIE_E_CORRUPT);
    CHECK(one.closed == 1);
    engine.open = refuse_to_open;
    options = engine_options(&engine, &one);
    CHECK_STATUS(try_options(&options), CTIE_E_UNAVAILABLE);
    CHECK(one.closed == 1);
}

static void groups_on_this_machine_can_do_all(void) {
    const uint32_t all = CTIE_ENGINE_BATCHES * 2 - 1 - CTIE_ENGINE_SURVIVES_POWER - CTIE_ENGINE_JOINS_BUSES;
    engine_memory one = {0};
    uint32_t bits = 1;
    ctie_wormhole *wormhole = open_engine(&one, "abilities", "a");
    CHECK(abilities_of(wormhole) == (all & ~(uint32_t)CTIE_ENGINE_DEAD_LETTERS));
    close_engine(wormhole, &one);
    wormhole = open_group();
    CHECK(abilities_of(wormhole) == (all | CTIE_ENGINE_JOINS_BUSES));
    CHECK_STATUS(ctie_wormhole_abilities(wormhole, NULL, NULL), CTIE_E_INVALID);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    CHECK_STATUS(ctie_wormhole_abilities(wormhole, &bits, NULL), CTIE_E_HANDLE);
    CHECK(bits == 1);
    remove_directory();
    ctie_wormhole_options options = group_options(CTIE_WORMHOLE_SYSTEM);
    wormhole = open_group_with(&options);
    CHECK(abilities_of(wormhole) == (all | CTIE_ENGINE_JOINS_BUSES | CTIE_ENGINE_SURVIVES_POWER));
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    options = group_options(CTIE_WORMHOLE_MEMORY);
    wormhole = open_group_with(&options);
    CHECK(abilities_of(wormhole) == all);
    CHECK_STATUS(ctie_wormhole_release(wormhole), CTIE_OK);
    remove_directory();
}

/* ---- Time ------------------------------------------------------------------------------------------------ */

enum { TIME_MS = 60000, STEP_MS = 16000, TRIES_MOST = 8 };

/* The times that the tries of a call were given. */
static struct {
    int count;
    int64_t times[TRIES_MOST];
} tries;

/* The engine takes much of the time that it was given. */
static void take_long(engine_memory *it) {
    if (tries.count < TRIES_MOST) { tries.times[tries.count] = it->last_time; }
    tries.count++;
    move_clock(STEP_MS);
}

/* A call whose answer stays lost ends with its time, and each of its tries got less. */
static void a_lost_answer_takes_no_longer(ctie_wormhole *wormhole, engine_memory *one) {
    one->failure = CTIE_E_UNCERTAIN;
    one->fails_before = TRIES_MOST;
    one->meanwhile = take_long;
    CHECK_STATUS(pass_int(wormhole, "a", 2), CTIE_E_UNCERTAIN);
    one->meanwhile = NULL;
    CHECK(tries.count >= 2 && tries.count <= TIME_MS / STEP_MS + 1);
    for (int i = 1; i < tries.count && i < TRIES_MOST; i++) { CHECK(tries.times[i] <= tries.times[i - 1] - STEP_MS); }
}

static bool has_time(const engine_memory *it) { return it->last_time >= 1 && it->last_time <= TIME_MS; }

static void functions_get_what_is_left(void) {
    engine_memory one;
    ctie_wormhole_options options = engine_options(&ENGINE_MEMORY, &one);
    ctie_wormhole *wormhole = NULL;
    ctie_value *list = NULL;
    options.timeout_ms = TIME_MS;
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("time"), &options, &wormhole, NULL), CTIE_OK);
    CHECK(has_time(&one));
    one.last_time = 0;
    CHECK_STATUS(pass_int(wormhole, "a", 1), CTIE_OK);
    CHECK(has_time(&one));
    one.last_time = 0;
    collector *it = collect_from(wormhole, "a", "", CTIE_LISTEN_QUEUE);
    CHECK(has_time(&one));
    one.last_time = 0;
    CHECK_STATUS(ctie_wormhole_identifiers(wormhole, CTIE_STR("*"), &list, NULL), CTIE_OK);
    CHECK(has_time(&one));
    ctie_value_release(list);
    a_lost_answer_takes_no_longer(wormhole, &one);
    one.fails_before = 4;
    one.failure = CTIE_E_UNAVAILABLE;
    CHECK_STATUS(pass_int(wormhole, "a", 2), CTIE_E_UNAVAILABLE);
    one.failure = 77;
    CHECK_STATUS(pass_int(wormhole, "a", 2), CTIE_E_SYSTEM);
    one.failure = INT32_MIN;
    CHECK_STATUS(pass_int(wormhole, "a", 2), CTIE_E_SYSTEM);
    CHECK(one.fails_before == 1); /* none of these was repeated */
    one.fails_before = 0;
    stop_collecting(it);
    close_engine(wormhole, &one);
}

/* ---- What an engine may not do ------------------------------------------------------------------------------ */

/* The wormhole, and a listener of it, that the engine's functions use. */
static struct {
    ctie_wormhole *wormhole;
    ctie_listener *listener;
    _Atomic int uses, ends;
} inside;

static void receive_nothing(const ctie_message *message, void *user_data) {
    (void)message, (void)user_data;
    CHECK(!"a listener that could not be bound was called");
}

static void count_inside_end(void *user_data) {
    (void)user_data;
    inside.ends++;
}

static void sending_is_refused(ctie_wormhole *on) {
    ctie_outgoing messages[] = {{CTIE_STR("a"), ctie_value_int(1)}, {CTIE_STR("a"), NULL}};
    uint64_t number = 0;
    uint32_t listeners = 0;
    CHECK_STATUS(pass_int(on, "a", 1), CTIE_E_DEADLOCK);
    CHECK_STATUS(ctie_wormhole_send_many(on, messages, 2, NULL, &number, NULL), CTIE_E_DEADLOCK);
    CHECK_STATUS(ctie_wormhole_signal(on, CTIE_STR("a"), &number, &listeners, NULL), CTIE_E_DEADLOCK);
    CHECK_STATUS(ctie_wormhole_destroy(on, CTIE_STR("a"), &number, &listeners, NULL), CTIE_E_DEADLOCK);
    CHECK_STATUS(ctie_wormhole_destroy_all(on, &number, &listeners, NULL), CTIE_E_DEADLOCK);
    CHECK_STATUS(ctie_wormhole_cancel_scheduled(on, 1, NULL), CTIE_E_DEADLOCK);
    CHECK(number == 0 && listeners == 0);
}

static void reading_is_refused(ctie_wormhole *on) {
    ctie_value *list = NULL;
    ctie_message *message = NULL;
    uint32_t bits = 0;
    CHECK_STATUS(ctie_wormhole_message(on, CTIE_STR("a"), &message, NULL), CTIE_E_DEADLOCK);
    CHECK_STATUS(ctie_wormhole_identifiers(on, CTIE_STR("*"), &list, NULL), CTIE_E_DEADLOCK);
    CHECK_STATUS(ctie_wormhole_members(on, &list, NULL), CTIE_E_DEADLOCK);
    CHECK_STATUS(ctie_wormhole_listeners(on, &list, NULL), CTIE_E_DEADLOCK);
    CHECK_STATUS(ctie_wormhole_durables(on, &list, NULL), CTIE_E_DEADLOCK);
    CHECK_STATUS(ctie_wormhole_scheduled(on, CTIE_STR("*"), &list, NULL), CTIE_E_DEADLOCK);
    CHECK_STATUS(ctie_wormhole_abilities(on, &bits, NULL), CTIE_E_DEADLOCK);
    CHECK(message == NULL && list == NULL && bits == 0);
}

static void listening_is_refused(ctie_wormhole *on) {
    const ctie_receiver receiver = CTIE_RECEIVER_OWNED(receive_nothing, NULL, count_inside_end);
    ctie_listener *listener = NULL;
    int before = inside.ends;
    CHECK_STATUS(ctie_wormhole_listen(on, CTIE_STR("a"), receiver, NULL, &listener, NULL), CTIE_E_DEADLOCK);
    CHECK_STATUS(ctie_wormhole_listen_members(on, receiver, NULL, &listener, NULL), CTIE_E_DEADLOCK);
    CHECK(listener == NULL && inside.ends == before + 2);
    CHECK_STATUS(ctie_wormhole_remove_listener(on, CTIE_STR("b"), CTIE_STR("ear"), NULL), CTIE_E_DEADLOCK);
    CHECK_STATUS(ctie_wormhole_remove_listeners(on, CTIE_STR("b"), NULL), CTIE_E_DEADLOCK);
    CHECK_STATUS(ctie_wormhole_remove_all_listeners(on), CTIE_E_DEADLOCK);
    CHECK_STATUS(ctie_listener_release(inside.listener), CTIE_E_DEADLOCK);
    CHECK_STATUS(ctie_wormhole_declare(on, CTIE_STR("a"), CTIE_STR("b"), NULL, NULL), CTIE_E_DEADLOCK);
    CHECK_STATUS(ctie_wormhole_seek(on, CTIE_STR("a"), CTIE_STR("b"), 1, 0, NULL), CTIE_E_DEADLOCK);
    CHECK_STATUS(ctie_wormhole_forget(on, CTIE_STR("a"), CTIE_STR("b"), NULL), CTIE_E_DEADLOCK);
    CHECK_STATUS(ctie_wormhole_release(on), CTIE_E_DEADLOCK);
}

static void use_inside(engine_memory *it) {
    (void)it;
    sending_is_refused(inside.wormhole);
    reading_is_refused(inside.wormhole);
    listening_is_refused(inside.wormhole);
    inside.uses++;
}

/* Runs a call during which the engine's functions are called, so many times or more. */
#define CALLS_INSIDE(call, count) \
    do { \
        int before_ = inside.uses; \
        CHECK_STATUS(call, CTIE_OK); \
        AWAIT(inside.uses >= before_ + (count)); \
    } while (0)

static void an_engine_does_not_call_its_wormhole(void) {
    engine_memory one = {0};
    ctie_wormhole *wormhole = open_engine(&one, "inside", "a");
    ctie_value *list = NULL;
    ctie_message *message = NULL;
    collector *bound = collect_from(wormhole, "b", "ear", CTIE_LISTEN_QUEUE), *worker = new_collector();
    inside.wormhole = wormhole, inside.listener = bound->listener;
    one.meanwhile = use_inside;
    CALLS_INSIDE(pass_int(wormhole, "a", 1), 1);
    CALLS_INSIDE(ctie_wormhole_message(wormhole, CTIE_STR("a"), &message, NULL), 1);
    ctie_message_release(message);
    CALLS_INSIDE(ctie_wormhole_members(wormhole, &list, NULL), 1);
    ctie_value_release(list);
    CALLS_INSIDE(bind_collector(wormhole, "a", worker, "worker", DURABLE, 0), 1);
    /* `send`, and `resolve` for the message; then `credit` and `unbind`. */
    CALLS_INSIDE(pass_int(wormhole, "a", 2), 2);
    for (int i = 0; one.credits == 0 && i < 1000; i++) { CHECK_STATUS(pass_int(wormhole, "b", i), CTIE_OK); }
    AWAIT(one.credits > 0 && one.resolved == 1);
    CALLS_INSIDE(ctie_listener_release(worker->listener), 1);
    free_collector(worker);
    one.meanwhile = NULL;
    /* The engine has been asked for nothing else, and the wormhole is as it was. */
    CHECK(stored_int(wormhole, CTIE_STR("a")) == 2 && bound->destroyed == 0);
    stop_collecting(bound);
    close_engine(wormhole, &one);
}

/* Its lines come to the wormhole's log, cut, and never while it holds its locks. */
static latch logged = LATCH_INIT;
static char line[2000];

static void log_line(int32_t level, ctie_str text, void *user_data) {
    CHECK_STATUS(pass_int(*(ctie_wormhole **)user_data, "a", 1), CTIE_OK); /* its locks are free */
    CHECK(level == CTIE_LOG_WARNING && text.size < sizeof line);
    memcpy(line, text.data, text.size), line[text.size] = 0;
    latch_add(&logged);
}

static void an_engine_logs(void) {
    engine_memory one;
    ctie_wormhole_options options = engine_options(&ENGINE_MEMORY, &one);
    ctie_wormhole *wormhole = NULL;
    options.log.fn = log_line, options.log.user_data = &wormhole;
    CHECK_STATUS(ctie_wormhole_open(CTIE_STR("log"), &options, &wormhole, NULL), CTIE_OK);
    collector *it = collect_from(wormhole, "b", "", 0);
    char text[1500];
    memset(text, 'x', sizeof text);
    pthread_mutex_lock(&one.group->lock);
    one.host->log(one.host->context, CTIE_LOG_WARNING, CTIE_STR("the server is far"));
    pthread_mutex_unlock(&one.group->lock);
    latch_wait(&logged, 1);
    CHECK(strcmp(line, "the server is far") == 0);
    one.host->log(one.host->context, CTIE_LOG_WARNING, (ctie_str){text, sizeof text});
    latch_wait(&logged, 2);
    CHECK(strlen(line) == 1000);
    stop_collecting(it);
    close_engine(wormhole, &one);
}

int main(void) {
    name_directory();
    wrong_options_are_refused();
    an_engine_has_no_transport_beside_it();
    functions_are_required();
    abilities_are_what_it_says();
    groups_on_this_machine_can_do_all();
    functions_get_what_is_left();
    an_engine_does_not_call_its_wormhole();
    an_engine_logs();
    em_free_groups();
    return check_end();
}
