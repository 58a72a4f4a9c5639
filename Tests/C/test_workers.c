/* What handlers, hooks and a host's own clean-up meet on the threads of the library. */
#include "check.h"
#include "latch.h"

#include <signal.h>

static ctie_bus *bus;

static void new_bus(uint32_t workers) {
    ctie_bus_options options = CTIE_BUS_OPTIONS_INIT;
    options.max_workers = workers;
    CHECK_STATUS(ctie_bus_new(&options, &bus, NULL), CTIE_OK);
}

static void add(ctie_str pattern, ctie_handler_fn handler, void *user_data) {
    CHECK_STATUS(ctie_route_add(bus, pattern, handler, user_data, NULL, NULL, NULL, NULL), CTIE_OK);
}

static void start(ctie_str url) {
    CHECK_STATUS(ctie_open_async(bus, url, CTIE_ORIGIN_LOCAL, NULL, NULL, NULL, NULL, NULL, NULL), CTIE_OK);
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

/* Nobody has asked for the response, so that the worker itself lets go of the last reference to the object. */
static void a_hook_on_a_worker_may_close_the_bus(void) {
    ctie_foreign_type type = {CTIE_FOREIGN_TYPE_INIT};
    ctie_foreign_id id = 0;
    latch gone = LATCH_INIT;
    type.tag = CTIE_STR("test.closes");
    type.retain = keep_object;
    type.release = close_on_release;
    CHECK_STATUS(ctie_foreign_register(&type, &id, NULL), CTIE_OK);
    new_bus(0);
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://foreign"), reply_foreign, &id, NULL, NULL, NULL, NULL), CTIE_OK);
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://gone"), reply_foreign, &gone, latch_destroy, NULL, NULL, NULL),
                 CTIE_OK);
    start(CTIE_STR("app://foreign"));
    latch_wait(&released, 1);
    latch_wait(&gone, 1);
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

/* An idle worker ends after some seconds. Whoever submits then must not wait for what it does last. */
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

int main(void) {
    a_worker_leaves_signals_to_the_host_but_for_its_own_faults();
    a_hook_on_a_worker_may_close_the_bus();
    a_workers_end_stops_nobody();
    return check_end();
}
