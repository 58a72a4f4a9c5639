/* The threads of the library as handlers, hooks and a host's cleanup see them. */
#include "check.h"
#include "latch.h"

#include <signal.h>

static ctie_bus *bus;

static void new_bus(uint32_t workers) {
    ctie_bus_options options = CTIE_BUS_OPTIONS_INIT;
    options.max_workers = workers;
    options.max_queued = workers;
    CHECK_STATUS(ctie_bus_new(&options, &bus, NULL), CTIE_OK);
}

static void add(ctie_str pattern, ctie_handler_fn handler, void *user_data) {
    CHECK_STATUS(ctie_route_add(bus, pattern, CTIE_HANDLER(handler, user_data), NULL, NULL, NULL), CTIE_OK);
}

static void start(ctie_str url) {
    CHECK_STATUS(ctie_open_async(bus, url, CTIE_ORIGIN_LOCAL, CTIE_COMPLETION(NULL, NULL), NULL, NULL, NULL), CTIE_OK);
}

/* ---- Signals ------------------------------------------------------------------------------------- */

static sigset_t masked;

static void read_mask(ctie_request *request, void *user_data) {
    (void)request;
    pthread_sigmask(SIG_BLOCK, NULL, &masked);
    latch_add(user_data);
}

/* A runtime that turns faults into exceptions would lose the process to a blocked SIGSEGV. */
static void a_worker_leaves_signals_to_the_host_but_for_its_own_faults(void) {
    latch read = LATCH_INIT;
    new_bus(0);
    add(CTIE_STR("app://mask"), read_mask, &read);
    start(CTIE_STR("app://mask"));
    latch_wait(&read, 1);
    const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) { CHECK(!sigismember(&masked, faults[i])); }
    CHECK(sigismember(&masked, SIGTERM) && sigismember(&masked, SIGINT) && sigismember(&masked, SIGCHLD));
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* ---- Hooks ---------------------------------------------------------------------------------------- */

static latch released = LATCH_INIT;

static void keep_object(void *object) {
    (void)object;
}

static void close_on_release(void *object) {
    CHECK_STATUS(ctie_bus_close(bus), CTIE_PENDING);
    latch_add(object);
}

static void reply_foreign(ctie_request *request, void *type) {
    CHECK_STATUS(ctie_request_reply(request, ctie_value_foreign(*(ctie_foreign_id *)type, &released)), CTIE_OK);
}

/* The response is not used, so that the worker itself releases the last reference to the object. */
static void a_hook_on_a_worker_may_close_the_bus(void) {
    ctie_foreign_type type = {CTIE_FOREIGN_TYPE_INIT};
    ctie_foreign_id id = 0;
    latch finished = LATCH_INIT;
    type.tag = CTIE_STR("test.closes");
    type.retain = keep_object;
    type.release = close_on_release;
    CHECK_STATUS(ctie_foreign_register(&type, &id, NULL), CTIE_OK);
    new_bus(0);
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://foreign"), CTIE_HANDLER(reply_foreign, &id), NULL, NULL, NULL),
                 CTIE_OK);
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://gone"), CTIE_HANDLER_OWNED(reply_foreign, &finished, latch_destroy),
                                NULL, NULL, NULL), CTIE_OK);
    start(CTIE_STR("app://foreign"));
    latch_wait(&released, 1);
    latch_wait(&finished, 1);
}

/* ---- What the host's threads do at their ends ------------------------------------------------------- */

static pthread_key_t at_end;
static latch ending = LATCH_INIT, ended = LATCH_INIT, submitted = LATCH_INIT;

static void use_the_bus(void *unused) {
    (void)unused;
    ctie_str name;
    latch_add(&ending);
    latch_wait(&submitted, 1);
    CHECK_STATUS(ctie_bus_name(bus, &name), CTIE_OK);
    latch_add(&ended);
}

static void set_key(ctie_request *request, void *key) {
    (void)request;
    pthread_setspecific(at_end, key);
}

static void do_nothing(ctie_request *request, void *user_data) {
    (void)request;
    (void)user_data;
}

/* An idle worker ends after some seconds. A thread that submits then must not wait for its last step. */
static void a_workers_end_stops_nobody(void) {
    new_bus(0);
    CHECK(pthread_key_create(&at_end, use_the_bus) == 0);
    add(CTIE_STR("app://key"), set_key, &at_end);
    add(CTIE_STR("app://x"), do_nothing, NULL);
    start(CTIE_STR("app://key"));
    latch_wait(&ending, 1);
    start(CTIE_STR("app://x"));
    latch_add(&submitted);
    latch_wait(&ended, 1);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

/* ---- Handlers that want a worker ------------------------------------------------------------------- */

static void add_worker_only(ctie_str pattern, ctie_handler_fn handler, void *user_data, ctie_handler *own) {
    ctie_route_options options = CTIE_ROUTE_OPTIONS_INIT;
    options.flags = CTIE_ROUTE_WORKER_ONLY;
    options.interceptors = own;
    options.interceptor_count = own != NULL;
    CHECK_STATUS(ctie_route_add(bus, pattern, CTIE_HANDLER(handler, user_data), &options, NULL, NULL), CTIE_OK);
}

static ctie_status open_local(ctie_str url) {
    return ctie_open(bus, url, CTIE_ORIGIN_LOCAL, without_end(), NULL, NULL);
}

static void note_thread(ctie_request *request, void *thread) {
    (void)request;
    *(pthread_t *)thread = pthread_self();
}

static void note_thread_and_proceed(ctie_request *request, void *thread) {
    note_thread(request, thread);
    CHECK_STATUS(ctie_request_proceed(request), CTIE_OK);
}

static void open_worker_only(ctie_request *request, void *thread) {
    note_thread(request, thread);
    CHECK_STATUS(open_local(CTIE_STR("app://worker")), CTIE_OK);
}

/* On a thread of the host it is another thread's; a worker of the bus runs it itself. */
static void a_worker_only_handler_runs_on_a_worker(void) {
    pthread_t runner = pthread_self(), interceptor = 0, outer = 0;
    ctie_handler own = {note_thread_and_proceed, &interceptor, NULL};
    new_bus(1);
    add_worker_only(CTIE_STR("app://worker"), note_thread, &runner, &own);
    add_worker_only(CTIE_STR("app://outer"), open_worker_only, &outer, NULL);
    CHECK_STATUS(open_local(CTIE_STR("app://worker")), CTIE_OK);
    CHECK(!pthread_equal(runner, pthread_self()) && pthread_equal(interceptor, pthread_self()));
    CHECK_STATUS(open_local(CTIE_STR("app://outer")), CTIE_OK);
    CHECK(pthread_equal(runner, outer) && !pthread_equal(outer, pthread_self()));
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

static void wait_at_gate(ctie_request *request, void *user_data) {
    (void)request;
    latch *gate = user_data;
    latch_add(&gate[0]);
    latch_wait(&gate[1], 1);
}

static void without_a_worker_it_is_busy(void) {
    latch gate[2] = {LATCH_INIT, LATCH_INIT};
    pthread_t runner = pthread_self();
    new_bus(1);
    add(CTIE_STR("app://gate"), wait_at_gate, gate);
    add(CTIE_STR("app://x"), do_nothing, NULL);
    add_worker_only(CTIE_STR("app://worker"), note_thread, &runner, NULL);
    start(CTIE_STR("app://gate"));
    latch_wait(&gate[0], 1);
    start(CTIE_STR("app://x")); /* the queue has room for one */
    CHECK_STATUS(open_local(CTIE_STR("app://worker")), CTIE_E_BUSY);
    CHECK(pthread_equal(runner, pthread_self()));
    latch_add(&gate[1]);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

int main(void) {
    a_worker_leaves_signals_to_the_host_but_for_its_own_faults();
    a_hook_on_a_worker_may_close_the_bus();
    a_workers_end_stops_nobody();
    a_worker_only_handler_runs_on_a_worker();
    without_a_worker_it_is_busy();
    return check_end();
}
