/* Components with few words, for tests that are about something else. */
#ifndef COMPONENTS_H
#define COMPONENTS_H

#include "check.h"
#include "latch.h"

static inline ctie_action action_of(const char *name, ctie_handler_fn fn, void *user_data, uint32_t flags) {
    return (ctie_action){ctie_str_from(name), fn, user_data, flags, {NULL, 0}};
}

/** A component of one action. */
static inline void add_action(ctie_bus *bus, const char *component, const char *action, ctie_handler_fn fn,
                              void *user_data, uint32_t flags) {
    ctie_action one = action_of(action, fn, user_data, flags);
    CHECK_STATUS(ctie_component_add(bus, ctie_str_from(component), (ctie_action_list){&one, 1}, CTIE_INSTANCE(NULL),
                                    NULL, NULL, NULL), CTIE_OK);
}

static inline ctie_status call_now(ctie_bus *bus, const char *component, const char *action) {
    return ctie_component_call(bus, (ctie_target){ctie_str_from(component), ctie_str_from(action)}, NULL, NULL, NULL,
                               NULL);
}

/** The call of an action that is started on a worker; NULL on failure. */
static inline ctie_call *call_later(ctie_bus *bus, const char *component, const char *action,
                                    const ctie_request_options *options) {
    ctie_call *call = NULL;
    CHECK_STATUS(ctie_component_call_async(bus, (ctie_target){ctie_str_from(component), ctie_str_from(action)}, NULL,
                                           CTIE_COMPLETION(NULL, NULL), options, &call, NULL), CTIE_OK);
    return call;
}

/** Waits for a call, releases it, and returns its status. */
static inline ctie_status call_end(ctie_call *call) {
    ctie_response *response = NULL;
    CHECK_STATUS(ctie_call_wait(call, 60000, &response), CTIE_OK);
    ctie_status status = ctie_response_status(response);
    CHECK_STATUS(ctie_response_release(response), CTIE_OK);
    CHECK_STATUS(ctie_call_release(call), CTIE_OK);
    return status;
}

static inline void reply_null(ctie_request *request, void *user_data) {
    (void)user_data;
    CHECK_STATUS(ctie_request_reply(request, ctie_value_null()), CTIE_OK);
}

/** Tells a latch that it runs, waits until another is at 1, and replies. */
typedef struct turnstile {
    latch waiting, opened;
} turnstile;

#define TURNSTILE_INIT {LATCH_INIT, LATCH_INIT}

static inline void wait_there(ctie_request *request, void *user_data) {
    turnstile *own = user_data;
    latch_add(&own->waiting);
    latch_wait(&own->opened, 1);
    ctie_request_reply(request, ctie_value_null());
}

#endif
