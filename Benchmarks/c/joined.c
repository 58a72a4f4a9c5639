/* Joined buses: calls of a component in another process, on another core, by shared memory or by sockets alone; or over a
   nats-server, whose address is given in place of the folder, on any core. */
#include "processes.h"
#include "wormhole.h"

#include <crosstie/convenience.h>
#include <pthread.h>
#include <semaphore.h>

enum { CALL_WARMUP = 200, CALLS = 500, CALL_BATCHES = 15, IN_FLIGHT = 16, CALLERS = 4, LARGE = 1 << 20 };

static const char *directory;
static bool by_sockets, by_server;
static ctie_bus *bus;
static ctie_wormhole *wormhole;
static ctie_join *joined;

static const char *who(void) { return by_sockets ? "crosstie, sockets" : "crosstie"; }

/* The name of a figure, which is another one over a server. */
static const char *work_of(const char *local, const char *over_server) { return by_server ? over_server : local; }

static ctie_wormhole *open_joined(void) {
    char address[256];
    ctie_wormhole *opened = NULL;
    if (!by_server) return open_group(directory, "joined", by_sockets ? "sockets" : "memory");
    snprintf(address, sizeof address, "%s/bench.joined", directory);
    check(ctie_wormhole_open(ctie_str_from(address), NULL, &opened, NULL));
    return opened;
}

static void greet(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_request_reply(request, small_value());
}

static void echo(ctie_request *request, void *user_data) {
    ctie_value *params = NULL;
    (void)user_data;
    check(ctie_request_params(request, &params));
    ctie_request_reply(request, params);
}

/* Joins with the names that peers may call, or that this bus may. */
static void join(const char *exported, const char *imported) {
    ctie_join_options options = CTIE_JOIN_OPTIONS_INIT;
    ctie_str exports = ctie_str_from(exported), imports = ctie_str_from(imported);
    check(ctie_bus_new(NULL, &bus, NULL));
    wormhole = open_joined();
    options.exports = (ctie_str_list){&exports, exported != NULL};
    options.imports = (ctie_str_list){&imports, imported != NULL};
    options.flags = by_sockets ? CTIE_JOIN_NO_SHARED_MEMORY : 0;
    options.max_frame_size = 4 * LARGE;
    check(ctie_bus_join(bus, wormhole, &options, &joined, NULL));
}

static void serve(void *context) {
    ctie_action actions[] = {{CTIE_STR("greet"), greet, NULL, 0, {NULL, 0}}, {CTIE_STR("echo"), echo, NULL, 0, {NULL, 0}}};
    (void)context;
    join("stock", NULL);
    check(ctie_component_add(bus, CTIE_STR("stock"), (ctie_action_list){actions, 2}, CTIE_INSTANCE(NULL), NULL, NULL,
                             NULL));
    for (say_ready();; pause()) continue;
}

static ctie_value *parameters(size_t size) {
    static const char bytes[LARGE];
    return CTIE_MAP("bytes", ctie_value_bytes((ctie_str){bytes, size}));
}

static void call(const char *action, const ctie_value *params) {
    ctie_target target = {CTIE_STR("stock"), ctie_str_from(action)};
    check(ctie_component_call(bus, target, params, NULL, NULL, NULL));
}

/* The median of some batches of calls, one at a time. */
static void measure_calls(const char *work, const char *action, size_t size, int count) {
    double figures[CALL_BATCHES];
    ctie_value *params = parameters(size);
    for (int i = 0; i < CALL_WARMUP && i < count; i++) call(action, params);
    for (int batch = 0; batch < CALL_BATCHES; batch++) {
        double begin = now_ns();
        for (int i = 0; i < count; i++) call(action, params);
        figures[batch] = (now_ns() - begin) / count;
    }
    ctie_value_release(params);
    report(work, who(), median(figures, CALL_BATCHES));
}

static sem_t room;

static void note_end(ctie_response *response, void *user_data) {
    (void)user_data;
    check(ctie_response_status(response));
    sem_post(&room);
}

/* One caller that keeps some calls in flight: what each takes. */
static void measure_flight(void) {
    enum { FLIGHT_CALLS = 5000 };
    double figures[CALL_BATCHES];
    ctie_value *params = parameters(MESSAGE_SIZE);
    sem_init(&room, 0, IN_FLIGHT);
    for (int batch = 0; batch < CALL_BATCHES; batch++) {
        double begin = now_ns();
        for (int i = 0; i < FLIGHT_CALLS; i++) {
            while (sem_wait(&room) != 0) continue;
            check(ctie_component_call_async(bus, CTIE_TARGET("stock", "greet"), params, CTIE_COMPLETION(note_end, NULL),
                                            NULL, NULL, NULL));
        }
        figures[batch] = (now_ns() - begin) / FLIGHT_CALLS;
    }
    for (int i = 0; i < IN_FLIGHT; i++) while (sem_wait(&room) != 0) continue;
    ctie_value_release(params);
    report(work_of("join.flight", "server.flight"), who(), median(figures, CALL_BATCHES));
}

static void *call_often(void *count) {
    ctie_value *params = parameters(MESSAGE_SIZE);
    for (int i = 0; i < *(int *)count; i++) call("greet", params);
    ctie_value_release(params);
    return NULL;
}

/* Threads that wait for one callee: what a call takes all of them. */
static void measure_callers(void) {
    double figures[CALL_BATCHES];
    int count = CALLS * 2;
    for (int batch = 0; batch < CALL_BATCHES; batch++) {
        pthread_t threads[CALLERS];
        double begin = now_ns();
        for (int i = 0; i < CALLERS; i++) require(pthread_create(&threads[i], NULL, call_often, &count) == 0, "no thread");
        for (int i = 0; i < CALLERS; i++) pthread_join(threads[i], NULL);
        figures[batch] = (now_ns() - begin) / (CALLERS * count);
    }
    report("join.callers", who(), median(figures, CALL_BATCHES));
}

int main(int argc, char **argv) {
    require(argc == 3, "usage: joined <folder> memory|sockets, or joined <address> server");
    directory = argv[1];
    by_sockets = strcmp(argv[2], "sockets") == 0, by_server = strcmp(argv[2], "server") == 0;
    pid_t child = start_process(by_server ? ANY_CORE : 1, serve, NULL);
    run_on_core(by_server ? ANY_CORE : 0);
    join(NULL, "stock");
    measure_calls(work_of("join.call", "server.call"), "greet", MESSAGE_SIZE, CALLS);
    measure_calls(work_of("join.large", "server.large"), "echo", LARGE, 20);
    if (!by_server) measure_callers();
    measure_flight();
    end_process(child);
    ctie_join_release(joined);
    ctie_wormhole_release(wormhole);
    ctie_bus_release(bus);
    return 0;
}
