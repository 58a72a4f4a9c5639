/* Closing a bus while handlers wait, run on after their removal, or hold what others wait for. */
#include "check.h"
#include "latch.h"

#include <unistd.h>

static ctie_bus *bus;

static void new_bus(uint32_t workers) {
    ctie_bus_options options = CTIE_BUS_OPTIONS_INIT;
    options.max_workers = workers;
    CHECK_STATUS(ctie_bus_new(&options, &bus, NULL), CTIE_OK);
}

static void add(ctie_str pattern, ctie_handler_fn handler, void *user_data) {
    CHECK_STATUS(ctie_route_add(bus, pattern, CTIE_HANDLER(handler, user_data), NULL, NULL, NULL), CTIE_OK);
}

static void *open_outer(void *unused) {
    (void)unused;
    ctie_open(bus, CTIE_STR("app://outer"), CTIE_ORIGIN_LOCAL, NULL, NULL, NULL);
    return NULL;
}

/* Closes the bus, but lets a hang end the test. */
static void *close_bus(void *closed) {
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    latch_add(closed);
    return NULL;
}

static void close_under_watch(void) {
    latch closed = LATCH_INIT;
    pthread_t closer;
    pthread_create(&closer, NULL, close_bus, &closed);
    latch_wait(&closed, 1);
    pthread_join(closer, NULL);
}

/* ---- Handlers that wait for what only closing ends -------------------------------------------------- */

static ctie_request *kept;

static void keep(ctie_request *request, void *taken) {
    CHECK_STATUS(ctie_request_retain(request), CTIE_OK);
    kept = request;
    latch_add(taken);
}

static void open_inner(ctie_request *request, void *user_data) {
    (void)request;
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    options.timeout_ms = -1;
    *(ctie_status *)user_data = ctie_open(bus, CTIE_STR("app://inner"), CTIE_ORIGIN_LOCAL, &options, NULL, NULL);
}

static ctie_call *start_inner(void) {
    ctie_call *call = NULL;
    CHECK_STATUS(ctie_open_async(bus, CTIE_STR("app://inner"), 1, CTIE_COMPLETION(NULL, NULL), NULL, &call, NULL),
                 CTIE_OK);
    return call;
}

static ctie_status end_of(ctie_call *call) {
    ctie_response *response = NULL;
    CHECK_STATUS(ctie_call_wait(call, -1, &response), CTIE_OK);
    ctie_status status = ctie_response_status(response);
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
    CHECK_STATUS(ctie_call_release(call), CTIE_OK);
    return status;
}

static void wait_for_inner(ctie_request *request, void *user_data) {
    (void)request;
    *(ctie_status *)user_data = end_of(start_inner());
}

static void closing_ends_what_a_handler_waits_for(ctie_handler_fn outer) {
    latch taken = LATCH_INIT;
    ctie_status status = CTIE_OK;
    pthread_t opener;
    new_bus(0);
    add(CTIE_STR("app://outer"), outer, &status);
    add(CTIE_STR("app://inner"), keep, &taken);
    pthread_create(&opener, NULL, open_outer, NULL);
    latch_wait(&taken, 1);
    close_under_watch();
    pthread_join(opener, NULL);
    CHECK_STATUS(status, CTIE_E_CLOSED);
    CHECK_STATUS(ctie_request_release(kept), CTIE_OK);
}

typedef struct gate {
    latch started, open;
} gate;

static void wait_at_gate(ctie_request *request, void *user_data) {
    (void)request;
    gate *own = user_data;
    latch_add(&own->started);
    latch_wait(&own->open, 1);
}

/* The only worker is blocked outside the library; requests queued behind it need not wait for it. */
static void closing_ends_what_is_queued(void) {
    gate own = {LATCH_INIT, LATCH_INIT};
    latch taken = LATCH_INIT, closed = LATCH_INIT;
    pthread_t closer;
    new_bus(1);
    add(CTIE_STR("app://outer"), wait_at_gate, &own);
    add(CTIE_STR("app://inner"), keep, &taken);
    CHECK_STATUS(ctie_open_async(bus, CTIE_STR("app://outer"), 1, CTIE_COMPLETION(NULL, NULL), NULL, NULL, NULL),
                 CTIE_OK);
    latch_wait(&own.started, 1);
    ctie_call *queued = start_inner();
    pthread_create(&closer, NULL, close_bus, &closed);
    CHECK_STATUS(end_of(queued), CTIE_E_CLOSED);
    CHECK(latch_count(&closed) == 0);
    latch_add(&own.open);
    latch_wait(&closed, 1);
    pthread_join(closer, NULL);
    CHECK(latch_count(&taken) == 0);
}

/* ---- Handlers that have been removed ---------------------------------------------------------------- */

typedef struct leaver {
    ctie_registration *registration;
    latch removed, go_on, destroyed;
    bool is_over;
} leaver;

static void remove_self(ctie_request *request, void *user_data) {
    (void)request;
    leaver *own = user_data;
    CHECK_STATUS(ctie_registration_release(own->registration), CTIE_PENDING);
    latch_add(&own->removed);
    latch_wait(&own->go_on, 1);
    own->is_over = true;
}

static void leaver_destroy(void *user_data) {
    leaver *own = user_data;
    CHECK(own->is_over);
    latch_add(&own->destroyed);
}

static void *let_go_on(void *go_on) {
    usleep(20000); /* closing that does not wait is over by then */
    latch_add(go_on);
    return NULL;
}

static void closing_waits_for_what_has_removed_itself(void) {
    leaver own = {NULL, LATCH_INIT, LATCH_INIT, LATCH_INIT, false};
    pthread_t opener, other;
    new_bus(0);
    ctie_status added = ctie_route_add(bus, CTIE_STR("app://outer"),
                                       CTIE_HANDLER_OWNED(remove_self, &own, leaver_destroy), NULL, &own.registration,
                                       NULL);
    CHECK_STATUS(added, CTIE_OK);
    pthread_create(&opener, NULL, open_outer, NULL);
    latch_wait(&own.removed, 1);
    pthread_create(&other, NULL, let_go_on, &own.go_on);
    CHECK_STATUS(ctie_bus_close(bus), CTIE_OK);
    CHECK(own.is_over && latch_count(&own.destroyed) == 1);
    pthread_join(opener, NULL);
    pthread_join(other, NULL);
}

/* ---- A component closes the bus when it is notified of its end -------------------------------------- */

static latch notified_destroyed = LATCH_INIT;

static void close_inside(ctie_request *request, void *user_data) {
    (void)request, (void)user_data;
    CHECK_STATUS(ctie_bus_close(bus), CTIE_PENDING);
}

static void note_destroyed(void *user_data) {
    (void)user_data;
    latch_add(&notified_destroyed);
}

static void a_replacement_while_the_bus_closes(void) {
    const ctie_action actions[] = {{CTIE_STR("destroyed"), close_inside, NULL, CTIE_ACTION_EVENT, CTIE_STR("")}};
    ctie_component_options replacing = CTIE_COMPONENT_OPTIONS_INIT;
    replacing.flags = CTIE_COMPONENT_REPLACE;
    new_bus(1);
    CHECK_STATUS(ctie_component_add(bus, CTIE_STR("c"), CTIE_ACTIONS(actions),
                                    CTIE_INSTANCE_OWNED(NULL, note_destroyed), NULL, NULL, NULL), CTIE_OK);
    ctie_status status = ctie_component_add(bus, CTIE_STR("c"), CTIE_ACTIONS(actions),
                                            CTIE_INSTANCE_OWNED(NULL, note_destroyed), &replacing, NULL, NULL);
    CHECK_STATUS(status, CTIE_E_HANDLE);
    latch_wait(&notified_destroyed, 2);
}

static void *replace_for_ever(void *closed) {
    const ctie_action actions[] = {{CTIE_STR("a"), keep, NULL, 0, CTIE_STR("")}};
    ctie_component_options replacing = CTIE_COMPONENT_OPTIONS_INIT;
    replacing.flags = CTIE_COMPONENT_REPLACE;
    latch *made = closed;
    ctie_status status = CTIE_OK;
    while (status == CTIE_OK) {
        status = ctie_component_add(bus, CTIE_STR("c"), CTIE_ACTIONS(actions),
                                    CTIE_INSTANCE_OWNED(NULL, note_destroyed), &replacing, NULL, NULL);
        latch_add(made);
    }
    CHECK_STATUS(status, CTIE_E_HANDLE);
    return NULL;
}

static void replacing_does_not_keep_a_bus_from_closing(void) {
    for (int round = 0; round < 100; round++) {
        latch made = LATCH_INIT;
        pthread_t replacer;
        int before = latch_count(&notified_destroyed);
        new_bus(1);
        pthread_create(&replacer, NULL, replace_for_ever, &made);
        latch_wait(&made, 1 + round % 5);
        close_under_watch();
        pthread_join(replacer, NULL);
        latch_wait(&notified_destroyed, before + latch_count(&made));
    }
}

int main(void) {
    a_replacement_while_the_bus_closes();
    replacing_does_not_keep_a_bus_from_closing();
    closing_ends_what_a_handler_waits_for(open_inner);
    closing_ends_what_a_handler_waits_for(wait_for_inner);
    closing_ends_what_is_queued();
    closing_waits_for_what_has_removed_itself();
    return check_end();
}
