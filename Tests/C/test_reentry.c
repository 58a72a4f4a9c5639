/* Callbacks that come back into the library: each kind of callback does each thing to its own bus, in its very middle.
 * None of them may hang (the latches are the watchdog), and everything that was registered is destroyed once. */
#include "components.h"

#include <stdatomic.h>

static ctie_bus *bus;
static ctie_registration *own; /* of the callback that comes back, where that has one */
static atomic_bool is_due;
static latch done = LATCH_INIT, destroyed = LATCH_INIT;
static int made;

static void reply(ctie_request *request, void *user_data) {
    (void)user_data;
    ctie_request_reply(request, ctie_value_null()); /* or the bus has been closed, which has ended it */
}

/* ---- What is done ---------------------------------------------------------------------------------- */

static bool is_one_of(ctie_status status, ctie_status first, ctie_status second, ctie_status third) {
    return status == first || status == second || status == third;
}

static void open_another(void) {
    ctie_status status = ctie_open(bus, CTIE_STR("app://other"), CTIE_ORIGIN_LOCAL, NULL, NULL, NULL);
    CHECK_STATUS(status, CTIE_OK);
}

static void wait_for_another(void) {
    ctie_call *call = NULL;
    CHECK_STATUS(ctie_open_async(bus, CTIE_STR("app://other"), 1, CTIE_COMPLETION(NULL, NULL), NULL, &call, NULL),
                 CTIE_OK);
    CHECK_STATUS(ctie_call_wait(call, -1, NULL), CTIE_OK);
    CHECK_STATUS(ctie_call_release(call), CTIE_OK);
}

static void call_an_action(void) {
    CHECK_STATUS(call_now(bus, "other", "go"), CTIE_OK);
}

static void register_and_remove(void) {
    ctie_registration *registration = NULL;
    made++;
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://new"), CTIE_HANDLER_OWNED(reply, &destroyed, latch_destroy), NULL,
                                &registration, NULL), CTIE_OK);
    CHECK_STATUS(ctie_registration_release(registration), CTIE_OK);
}

static void remove_itself(void) {
    ctie_status status = ctie_registration_release(own);
    CHECK(is_one_of(status, CTIE_OK, CTIE_PENDING, CTIE_E_HANDLE)); /* the last: it has been removed or was none */
    own = NULL;
}

static void remove_everything(void) {
    ctie_status status = ctie_route_clear(bus);
    CHECK(is_one_of(status, CTIE_OK, CTIE_PENDING, CTIE_OK));
    status = ctie_component_remove(bus, CTIE_STR("other"), NULL);
    CHECK(is_one_of(status, CTIE_OK, CTIE_PENDING, CTIE_OK));
    status = ctie_bus_set_log(bus, CTIE_LOGGER(NULL, NULL), NULL);
    CHECK(is_one_of(status, CTIE_OK, CTIE_PENDING, CTIE_OK));
}

static void close_the_bus(void) {
    CHECK_STATUS(ctie_bus_close(bus), CTIE_PENDING);
    CHECK_STATUS(ctie_open(bus, CTIE_STR("app://other"), CTIE_ORIGIN_LOCAL, NULL, NULL, NULL), CTIE_E_HANDLE);
}

typedef void (*deed_fn)(void);
static const deed_fn DEEDS[] = {open_another,  wait_for_another,  call_an_action, register_and_remove,
                                remove_itself, remove_everything, close_the_bus};
static deed_fn deed;

/* Once in each round, however often callbacks come by meanwhile. */
static void come_back(void) {
    if (!atomic_exchange(&is_due, false)) { return; }
    deed();
    latch_add(&done);
}

/* ---- Where from ------------------------------------------------------------------------------------- */

static void handle(ctie_request *request, void *user_data) {
    come_back();
    reply(request, user_data);
}

static void intercept(ctie_request *request, void *user_data) {
    (void)user_data;
    come_back();
    ctie_request_proceed(request);
}

static void complete(ctie_response *response, void *user_data) {
    (void)response, (void)user_data;
    come_back();
}

static void be_destroyed(void *user_data) {
    come_back();
    latch_destroy(user_data);
}

static void write_line(int32_t level, ctie_str message, void *user_data) {
    (void)level, (void)message, (void)user_data;
    come_back();
}

static void add_route(const char *pattern, ctie_handler_fn fn, ctie_destroy_fn destroy, ctie_registration **out) {
    made++;
    CHECK_STATUS(ctie_route_add(bus, ctie_str_from(pattern), CTIE_HANDLER_OWNED(fn, &destroyed, destroy), NULL, out,
                                NULL), CTIE_OK);
}

static void start(const char *url, ctie_completion_fn fn) {
    CHECK_STATUS(ctie_open_async(bus, ctie_str_from(url), 1, CTIE_COMPLETION(fn, NULL), NULL, NULL, NULL), CTIE_OK);
}

static void from_a_handler(void) {
    add_route("app://own", handle, latch_destroy, &own);
    ctie_open(bus, CTIE_STR("app://own"), CTIE_ORIGIN_LOCAL, NULL, NULL, NULL);
}

static void from_a_handler_on_a_worker(void) {
    add_route("app://own", handle, latch_destroy, &own);
    start("app://own", NULL);
}

static void from_an_action(void) {
    ctie_action action = action_of("go", handle, NULL, 0);
    made++;
    CHECK_STATUS(ctie_component_add(bus, CTIE_STR("own"), (ctie_action_list){&action, 1},
                                    CTIE_INSTANCE_OWNED(&destroyed, latch_destroy), NULL, &own, NULL), CTIE_OK);
    call_now(bus, "own", "go");
}

static void from_an_event(void) {
    ctie_action action = action_of("created", handle, NULL, CTIE_ACTION_EVENT);
    made++;
    CHECK_STATUS(ctie_component_add(bus, CTIE_STR("own"), (ctie_action_list){&action, 1},
                                    CTIE_INSTANCE_OWNED(&destroyed, latch_destroy), NULL, NULL, NULL), CTIE_OK);
}

static void from_an_interceptor(void) {
    made++;
    CHECK_STATUS(ctie_interceptor_add(bus, CTIE_HANDLER_OWNED(intercept, &destroyed, latch_destroy), NULL, &own, NULL),
                 CTIE_OK);
    ctie_open(bus, CTIE_STR("app://other"), CTIE_ORIGIN_LOCAL, NULL, NULL, NULL);
}

static void from_a_completion(void) {
    start("app://other", complete);
}

static void from_a_destroy(void) {
    ctie_registration *registration = NULL;
    add_route("app://own", reply, be_destroyed, &registration);
    CHECK_STATUS(ctie_registration_release(registration), CTIE_OK);
}

static void from_a_log(void) {
    made++;
    CHECK_STATUS(ctie_bus_set_log(bus, CTIE_LOGGER_OWNED(write_line, &destroyed, latch_destroy), NULL), CTIE_OK);
    start("app://nowhere", NULL); /* an unobserved failure is logged */
}

typedef void (*place_fn)(void);
static const place_fn PLACES[] = {from_a_handler,      from_a_handler_on_a_worker, from_an_action, from_an_event,
                                  from_an_interceptor, from_a_completion,          from_a_destroy, from_a_log};

/* ---- Each from each --------------------------------------------------------------------------------- */

static void come_back_from(place_fn place, uint32_t workers) {
    int rounds = latch_count(&done);
    ctie_bus_options options = CTIE_BUS_OPTIONS_INIT;
    options.max_workers = workers;
    CHECK_STATUS(ctie_bus_new(&options, &bus, NULL), CTIE_OK);
    own = NULL;
    add_route("app://other", reply, latch_destroy, NULL);
    add_action(bus, "other", "go", reply_null, NULL, 0);
    atomic_store(&is_due, true);
    place();
    latch_wait(&done, rounds + 1);
    ctie_status status = ctie_bus_close(bus);
    CHECK_STATUS(status, deed == close_the_bus ? CTIE_E_HANDLE : CTIE_OK);
    latch_wait(&destroyed, made);
    CHECK(latch_count(&destroyed) == made);
}

int main(void) {
    for (size_t place = 0; place < sizeof PLACES / sizeof *PLACES; place++) {
        for (size_t i = 0; i < sizeof DEEDS / sizeof *DEEDS; i++) {
            deed = DEEDS[i];
            come_back_from(PLACES[place], 1);
            come_back_from(PLACES[place], 64);
        }
    }
    return check_end();
}
