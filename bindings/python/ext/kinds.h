/*
 * The caller's side of every kind: what is asked for, what is said beside it, and what comes back.
 */
#ifndef CROSSTIE_KINDS_H
#define CROSSTIE_KINDS_H

#include "handlers.h"

/* ---- What is said beside a request (order.c) ------------------------------------------------------ */

typedef struct ext_order {
    ctie_request_options options;
    ctie_origin origin;
    ctie_value *user_info;
    PyObject *completion;       /**< None for none */
    PyObject *progress;         /**< NULL: none */
    PyObject *interceptor_list; /**< NULL: none */
    ext_interceptors interceptors;
    bool is_async;
    bool is_for_remote;         /**< once closed: made in the context of a remote request, or for one */
} ext_order;

#define EXT_ORDER_INIT(async) \
    {.options = {.size = sizeof(ctie_request_options), .runtime = &ext_runtime}, .origin = CTIE_ORIGIN_LOCAL, \
     .completion = Py_None, .is_async = (async)}

/** Reads one keyword argument. */
int ext_order_add(ext_state *state, ext_order *order, PyObject *name, PyObject *object);
/** Reads the keywords whose values follow the positional arguments of a fast call. */
int ext_order_add_all(ext_state *state, ext_order *order, PyObject *names, PyObject *const *values);
/** Reads a dict of them. */
int ext_order_add_dict(ext_state *state, ext_order *order, PyObject *options);
/**
 * The last step before Crosstie gets the order: it takes interceptors and progress over then, whatever comes of it.
 * On failure the order is cleared.
 */
int ext_order_close_slowly(ext_owner *bus, ext_order *order);
static inline int ext_order_close(ext_owner *bus, ext_order *order) {
    bool is_plain = !bus->state->has_seen_remote && order->interceptor_list == NULL && order->progress == NULL &&
                    order->options.parent == NULL;
    return is_plain ? 0 : ext_order_close_slowly(bus, order);
}
void ext_order_clear_slowly(ext_order *order);
static inline void ext_order_clear(ext_order *order) {
    if (order->user_info != NULL || order->interceptors.items != NULL) {
        ext_order_clear_slowly(order);
    }
}

int ext_origin(ext_state *state, PyObject *object, ctie_origin *out);

/* ---- What is asked for (ask.c) -------------------------------------------------------------------- */

typedef struct ext_ask {
    int32_t kind;
    ctie_str target; /**< the URL, the component, the endpoint or platform, or the performer's target */
    ctie_str action;
    ctie_value *params;
} ext_ask;

/** The operations that providers serve, by their kinds. */
typedef struct ext_hand_off {
    __typeof__(ctie_share) *ask;
    __typeof__(ctie_share_async) *start;
} ext_hand_off;
extern const ext_hand_off ext_hand_offs[EXT_KINDS];

/** The params of a request: NULL for None, a dict as itself, another mapping copied into a dict. */
int ext_params_read(ext_state *state, PyObject *object, ctie_value **out);

/** Asks and waits. Gives the value, or for a URL the Response; raises for a failure. Takes order and params. */
PyObject *ext_ask_sync(ext_owner *bus, ext_ask *ask, ext_order *order);
/** Asks and returns a Call. Takes order and params. `target` and `action` are the texts in the ask. */
PyObject *ext_ask_async(ext_owner *bus, ext_ask *ask, ext_order *order, PyObject *target, PyObject *action);

/** Requests that this thread is waiting for inside Crosstie; counted once there are async handlers (see aio.py). */
extern EXT_THREAD_LOCAL int ext_waits;

/* ---- The methods of Bus (open.c, component_call.c, providing.c) ----------------------------------- */

PyObject *ext_bus_open(PyObject *bus, PyObject *const *args, Py_ssize_t count, PyObject *keywords);
PyObject *ext_bus_open_async(PyObject *bus, PyObject *const *args, Py_ssize_t count, PyObject *keywords);
PyObject *ext_bus_can_open(PyObject *bus, PyObject *args, PyObject *keywords);
PyObject *ext_bus_call(PyObject *bus, PyObject *const *args, Py_ssize_t count, PyObject *keywords);
PyObject *ext_bus_call_async(PyObject *bus, PyObject *const *args, Py_ssize_t count, PyObject *keywords);
PyObject *ext_bus_ask(PyObject *bus, PyObject *args);
PyObject *ext_bus_broadcast(PyObject *bus, PyObject *args);
PyObject *ext_provider_open_url(PyObject *bus, PyObject *args);
PyObject *ext_provider_open_activity(PyObject *bus, PyObject *args);

/* ---- The Call (call.c) ---------------------------------------------------------------------------- */

/** A Call that has not been started; `completion` may be None. */
PyObject *ext_call_new(ext_owner *bus, int32_t kind, PyObject *target, PyObject *action, PyObject *completion);
/** Starts it. Takes the reference to the call, and gives it back on success. */
PyObject *ext_call_start(PyObject *call, const ext_ask *ask, const ext_order *order);

/* ---- Callbacks beside handlers (hook.c) ----------------------------------------------------------- */

/** A function that Crosstie calls and then lets go of; NULL with an exception. */
typedef struct ext_hook ext_hook;
ext_hook *ext_hook_new(ext_state *state, PyObject *function, bool is_remote);
/** The `destroy` of every hook. */
void ext_hook_drop(void *hook);
/** The ctie_progress_fn, ctie_notice_fn and ctie_completion_fn of hooks. */
void ext_hook_progress(const ctie_value *value, void *hook);
void ext_hook_notify(void *hook);
void ext_hook_return(ctie_response *response, void *hook);

#endif
