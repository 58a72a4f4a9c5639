/* Components whose actions block, are kept, or just run: for the tests of dispatchers and deadlines. */
#ifndef DISPATCHING_H
#define DISPATCHING_H

#include "check.h"
#include "latch.h"

/** The results that one test's completions have reported. */
typedef struct outcome {
    latch completed, destroyed;
    ctie_status status;
} outcome;

#define OUTCOME_INIT {LATCH_INIT, LATCH_INIT, 1000}

static inline void outcome_complete(ctie_response *response, void *user_data) {
    outcome *own = user_data;
    own->status = ctie_response_status(response);
    latch_add(&own->completed);
}

static inline void outcome_destroy(void *user_data) {
    latch_add(&((outcome *)user_data)->destroyed);
}

/** A gate at which a handler waits until it is opened. */
typedef struct gate {
    latch entered, open;
    int needed; /**< how often it has to be opened */
} gate;

#define GATE_INIT {LATCH_INIT, LATCH_INIT, 1}

static inline void gate_pass(ctie_request *request, void *user_data) {
    (void)request;
    gate *own = user_data;
    latch_add(&own->entered);
    latch_wait(&own->open, own->needed);
}

static inline ctie_bus *bus_with(uint32_t workers, uint32_t queued) {
    ctie_bus_options options = CTIE_BUS_OPTIONS_INIT;
    ctie_bus *bus = NULL;
    options.max_workers = workers;
    options.max_queued = queued;
    CHECK_STATUS(ctie_bus_new(&options, &bus, NULL), CTIE_OK);
    return bus;
}

static inline void dispatcher_add(ctie_bus *bus, const char *name, uint32_t workers, uint32_t queued) {
    ctie_dispatcher_options options = CTIE_DISPATCHER_OPTIONS_INIT;
    options.max_workers = workers;
    options.max_queued = queued;
    CHECK_STATUS(ctie_dispatcher_add(bus, ctie_str_from(name), &options, NULL), CTIE_OK);
}

/** A component of one action, `run`. */
static inline void component_add(ctie_bus *bus, const char *name, ctie_handler_fn fn, void *user_data, uint32_t flags,
                                 const char *dispatcher) {
    ctie_component_options options = CTIE_COMPONENT_OPTIONS_INIT;
    ctie_action action = {CTIE_STR("run"), fn, NULL, flags, {NULL, 0}};
    if (dispatcher != NULL) { options.dispatcher = ctie_str_from(dispatcher); }
    CHECK_STATUS(ctie_component_add(bus, ctie_str_from(name), (ctie_action_list){&action, 1}, CTIE_INSTANCE(user_data),
                                    &options, NULL, NULL), CTIE_OK);
}

/** Starts the action of a component; `own` and `call` may be NULL. */
static inline ctie_status start(ctie_bus *bus, const char *component, const ctie_request_options *options, outcome *own,
                                ctie_call **call) {
    return ctie_component_call_async(bus, (ctie_target){ctie_str_from(component), CTIE_STR("run")}, NULL,
                                     CTIE_COMPLETION_OWNED(own != NULL ? outcome_complete : NULL, own,
                                                           own != NULL ? outcome_destroy : NULL), options, call, NULL);
}

static inline ctie_status call_run(ctie_bus *bus, const char *component, const ctie_request_options *options) {
    return ctie_component_call(bus, (ctie_target){ctie_str_from(component), CTIE_STR("run")}, NULL, options, NULL,
                               NULL);
}

static inline void reply_null(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_reply(request, ctie_value_null()), CTIE_OK);
}

/** Counts that it ran. */
static inline void count_run(ctie_request *request, void *user_data) {
    latch_add(user_data);
    CHECK_STATUS(ctie_request_reply(request, ctie_value_null()), CTIE_OK);
}

/** The request that keep() has kept last. */
static ctie_request *kept;

static inline void keep(ctie_request *request, void *user_data) {
    CHECK_STATUS(ctie_request_retain(request), CTIE_OK);
    kept = request;
    latch_add(user_data);
}

#endif
