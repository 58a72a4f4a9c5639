/* Callbacks that are removed while threads are in the middle of calling them: from outside, from another callback, and
 * by themselves. Each frees its data when it is destroyed, so that a call that came later would use freed memory. */
#include "check.h"
#include "latch.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { CALLERS = 2, ALIVE = 0x600D, DEAD = 0xDEAD };

static ctie_bus *bus;
static latch destroyed = LATCH_INIT;
static atomic_int wrong, seen, inside;
static atomic_bool over, held; /* while it is held a callback does not return */

/* The data of a registration's callback. */
typedef struct victim {
    atomic_int state;
    _Atomic(ctie_registration *) registration; /* for the call that shall remove it; that one takes it */
} victim;

static void victim_destroy(void *user_data) {
    victim *own = user_data;
    if (atomic_exchange(&own->state, DEAD) != ALIVE) { atomic_fetch_add(&wrong, 1); }
    free(own);
    latch_add(&destroyed);
}

static void look_at(victim *own) {
    if (atomic_load(&own->state) != ALIVE) { atomic_fetch_add(&wrong, 1); }
}

static void be_called(ctie_request *request, void *user_data) {
    (void)request;
    victim *own = user_data;
    look_at(own);
    atomic_fetch_add(&seen, 1);
    atomic_fetch_add(&inside, 1);
    ctie_registration *registration = atomic_exchange(&own->registration, NULL);
    if (registration != NULL && ctie_registration_release(registration) != CTIE_PENDING) {
        atomic_fetch_add(&wrong, 1);
    }
    while (atomic_load(&held)) { usleep(10); }
    look_at(own);
    atomic_fetch_sub(&inside, 1);
}

static void be_called_and_proceed(ctie_request *request, void *user_data) {
    be_called(request, user_data);
    if (ctie_request_proceed(request) != CTIE_OK) { atomic_fetch_add(&wrong, 1); }
}

static void do_nothing(ctie_request *request, void *user_data) {
    (void)request, (void)user_data;
}

/* ---- What can be registered ----------------------------------------------------------------------- */

static ctie_status add_route(victim *own, ctie_registration **registration) {
    return ctie_route_add(bus, CTIE_STR("app://victim/:id"), CTIE_HANDLER_OWNED(be_called, own, victim_destroy), NULL,
                          registration, NULL);
}

static ctie_status add_intercepted_route(victim *own, ctie_registration **registration) {
    ctie_route_options options = CTIE_ROUTE_OPTIONS_INIT;
    ctie_handler interceptor = {be_called_and_proceed, own, victim_destroy};
    options.interceptors = &interceptor;
    options.interceptor_count = 1;
    return ctie_route_add(bus, CTIE_STR("app://victim/:id"), CTIE_HANDLER(do_nothing, NULL), &options, registration,
                          NULL);
}

static ctie_status add_interceptor(victim *own, ctie_registration **registration) {
    return ctie_interceptor_add(bus, CTIE_HANDLER_OWNED(be_called_and_proceed, own, victim_destroy), NULL, registration,
                                NULL);
}

static ctie_status add_component(victim *own, ctie_registration **registration) {
    const ctie_action actions[] = {{CTIE_STR("run"), be_called, NULL, 0, {NULL, 0}}};
    return ctie_component_add(bus, CTIE_STR("victim"), CTIE_ACTIONS(actions),
                              CTIE_INSTANCE_OWNED(own, victim_destroy), NULL, registration, NULL);
}

typedef ctie_status (*add_fn)(victim *, ctie_registration **);

/* ---- Who calls ------------------------------------------------------------------------------------- */

static void request_by_all_kinds(bool is_async) {
    ctie_str url = CTIE_STR("app://victim/1"), component = CTIE_STR("victim"), action = CTIE_STR("run");
    ctie_open(bus, url, CTIE_ORIGIN_LOCAL, NULL, NULL, NULL);
    ctie_component_call(bus, (ctie_target){component, action}, NULL, NULL, NULL, NULL);
    if (!is_async) { return; }
    ctie_open_async(bus, url, CTIE_ORIGIN_LOCAL, CTIE_COMPLETION(NULL, NULL), NULL, NULL, NULL);
    ctie_component_call_async(bus, (ctie_target){component, action}, NULL, CTIE_COMPLETION(NULL, NULL), NULL, NULL,
                              NULL);
}

static void *call_always(void *argument) {
    for (int i = 0; !atomic_load(&over); i++) { request_by_all_kinds(i % 8 == 0); }
    return argument;
}

/* ---- Ways to remove -------------------------------------------------------------------------------- */

typedef void (*remove_fn)(victim *, ctie_registration *, int round);

/* When the removal returns, its data has been destroyed. */
static void from_outside(victim *own, ctie_registration *registration, int round) {
    (void)own;
    if (ctie_registration_release(registration) != CTIE_OK) { atomic_fetch_add(&wrong, 1); }
    if (latch_count(&destroyed) != round) { atomic_fetch_add(&wrong, 1); }
}

/* While some calls are inside, which then return all at once. */
static void remove_other(ctie_request *request, void *user_data) {
    (void)request;
    atomic_store(&held, true);
    for (int i = 0; i < 50 && atomic_load(&inside) < CALLERS; i++) { usleep(10); }
    int before = latch_count(&destroyed);
    ctie_status status = ctie_registration_release(*(ctie_registration **)user_data);
    if (status != CTIE_OK && status != CTIE_PENDING) { atomic_fetch_add(&wrong, 1); }
    if (status == CTIE_OK && latch_count(&destroyed) != before + 1) { atomic_fetch_add(&wrong, 1); }
    atomic_store(&held, false);
}

static ctie_registration *to_remove;

static void from_another_callback(victim *own, ctie_registration *registration, int round) {
    (void)own;
    to_remove = registration;
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.timeout_ms = -1; /* a slow machine is no failure */
    ctie_status status = ctie_open(bus, CTIE_STR("app://remove"), CTIE_ORIGIN_LOCAL, &options, NULL, NULL);
    if (status != CTIE_OK) { atomic_fetch_add(&wrong, 1); }
    latch_wait(&destroyed, round);
}

static void by_itself(victim *own, ctie_registration *registration, int round) {
    atomic_store(&own->registration, registration);
    latch_wait(&destroyed, round);
}

/* ---- The rounds ------------------------------------------------------------------------------------ */

static void remove_again_and_again(add_fn add, remove_fn remove) {
    static unsigned seed = 1;
    int begin = latch_count(&destroyed);
    for (int round = 1; round <= test_rounds(300) && atomic_load(&wrong) == 0; round++) {
        victim *own = malloc(sizeof *own);
        ctie_registration *registration = NULL;
        atomic_init(&own->state, ALIVE);
        atomic_init(&own->registration, NULL);
        int before = atomic_load(&seen);
        CHECK_STATUS(add(own, &registration), CTIE_OK);
        while (round == 1 && atomic_load(&seen) == before) { usleep(10); } /* or nothing might be raced at all */
        for (volatile int pause = rand_r(&seed) % 4096; pause > 0; pause--) {}
        remove(own, registration, begin + round);
    }
    CHECK(atomic_load(&wrong) == 0);
}

static void nobody_is_called_after_the_end(add_fn add) {
    pthread_t callers[CALLERS];
    ctie_bus_options options = CTIE_BUS_OPTIONS_INIT;
    options.max_workers = 2;
    CHECK_STATUS(ctie_bus_new(&options, &bus, NULL), CTIE_OK);
    CHECK_STATUS(ctie_route_add(bus, CTIE_STR("app://remove"), CTIE_HANDLER(remove_other, &to_remove), NULL, NULL,
                                NULL), CTIE_OK);
    atomic_store(&over, false);
    for (int i = 0; i < CALLERS; i++) { pthread_create(&callers[i], NULL, call_always, NULL); }
    remove_again_and_again(add, from_outside);
    remove_again_and_again(add, from_another_callback);
    remove_again_and_again(add, by_itself);
    atomic_store(&over, true);
    for (int i = 0; i < CALLERS; i++) { pthread_join(callers[i], NULL); }
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
}

int main(void) {
    nobody_is_called_after_the_end(add_route);
    nobody_is_called_after_the_end(add_intercepted_route);
    nobody_is_called_after_the_end(add_interceptor);
    nobody_is_called_after_the_end(add_component);
    return check_end();
}
