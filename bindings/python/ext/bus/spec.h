/*
 * The caller's side of a request: the options (options.c), the request (spec.c, kinds.c), and its Call (call.c).
 */
#ifndef CROSSTIE_EXT_SPEC_H
#define CROSSTIE_EXT_SPEC_H

#include "../handler/registration.h"

/* ---- Options -------------------------------------------------------------------------------------- */

/** The options of a request, as keyword arguments give them. */
typedef struct ext_options {
    ctie_request_options base;
    ctie_origin origin;
    ctie_value *user_info;
    PyObject *completion;       /**< None: none */
    PyObject *progress;         /**< NULL: none */
    PyObject *interceptor_list; /**< NULL: none */
    ext_interceptors interceptors;
    bool is_async;
    bool is_for_remote;         /**< once closed: made in the context of a remote request, or on its behalf */
} ext_options;

#define EXT_OPTIONS_INIT(async) \
    {.base = {.size = sizeof(ctie_request_options), .runtime = &ext_runtime}, .origin = CTIE_ORIGIN_LOCAL, \
     .completion = Py_None, .is_async = (async)}

/** Reads one keyword argument. */
int ext_options_add(ext_state *state, ext_options *options, PyObject *name, PyObject *object);
/** Reads the keywords whose values follow the positional arguments of a fast call. */
int ext_options_add_all(ext_state *state, ext_options *options, PyObject *names, PyObject *const *values);
/** Reads a dict of keyword arguments. */
int ext_options_add_dict(ext_state *state, ext_options *options, PyObject *dict);
/**
 * Closes the options, as the last step before Crosstie gets them: it then takes interceptors and progress over, whatever
 * comes of the request. Clears them on failure.
 */
int ext_options_close_slowly(ext_owner *bus, ext_options *options);
static inline int ext_options_close(ext_owner *bus, ext_options *options) {
    bool is_simple = !bus->state->has_seen_remote && options->interceptor_list == NULL && options->progress == NULL &&
                     options->base.parent == NULL;
    return is_simple ? 0 : ext_options_close_slowly(bus, options);
}
void ext_options_clear_slowly(ext_options *options);
static inline void ext_options_clear(ext_options *options) {
    if (options->user_info != NULL || options->interceptors.items != NULL) {
        ext_options_clear_slowly(options);
    }
}

/** "local" or "remote". */
int ext_origin(ext_state *state, PyObject *object, ctie_origin *out);
/** "exact", "nearest", or None for the default. */
int ext_match_mode(PyObject *object, ctie_match_mode *out);

/* ---- Requests ------------------------------------------------------------------------------------- */

/** A request to make. */
typedef struct ext_spec {
    int32_t kind;
    ctie_str target; /**< the URL, the component, the endpoint or platform, or the performer's target */
    ctie_str action;
    ctie_value *params;
} ext_spec;

/** Whether Crosstie has a function for requests of a kind, synchronous or not. */
bool ext_kind_can_make(int kind, bool is_async);
/** Makes a request of any kind and waits. Takes no references, nor does the next one. */
ctie_status ext_kind_run(ctie_bus *bus, const ext_spec *spec, const ext_options *options, ctie_response **response,
                         ctie_error **error);
/** Makes an asynchronous request of any kind. */
ctie_status ext_kind_start(ctie_bus *bus, const ext_spec *spec, const ext_options *options, ctie_completion completion,
                           ctie_call **out, ctie_error **error);

/**
 * Makes the request and waits. Returns the value, or for a URL the Response; raises for a failure. Takes params and options.
 */
PyObject *ext_spec_run(ext_owner *bus, ext_spec *spec, ext_options *options);
/** Makes the request and returns a Call. Takes params and options. `target` and `action` are the texts in the spec. */
PyObject *ext_spec_start(ext_owner *bus, ext_spec *spec, ext_options *options, PyObject *target, PyObject *action);

/* ---- Calls ---------------------------------------------------------------------------------------- */

typedef struct ext_call ext_call;
struct ext_call {
    PyObject_HEAD
    ext_state *state;
    ctie_call *handle;    /**< NULL once the response is there */
    int32_t kind;
    PyObject *bus;
    PyObject *target;     /**< the URL, the component, or the performer's target */
    PyObject *action;
    PyObject *completion; /**< None: none */
    PyObject *callbacks;  /**< list of the functions of add_done_callback(); NULL: none, or they have run */
    PyObject *response;   /**< NULL: not known to have ended */
    bool is_received;     /**< some function of the program has received the failure, if it is one */
    bool is_remote;       /**< made for a remote request: its completion runs as remote, too */
    ext_call *next, **link; /**< among the pending calls; without a link it is none of them */
};

/** A Call that has not been started; `completion` may be None. */
PyObject *ext_call_new(ext_owner *bus, int32_t kind, PyObject *target, PyObject *action, PyObject *completion);
/** Starts it. Takes the reference to the call, and returns it on success. */
PyObject *ext_call_start(PyObject *call, const ext_spec *spec, const ext_options *options);

extern PyType_Spec ext_call_spec;

/* Pending calls, whose completion has yet to run (pending_calls.c). */

int ext_pending_calls_start(void);
void ext_pending_calls_add(ext_call *call);
/** Callable for a call that is not pending any more. */
void ext_pending_calls_remove(ext_call *call);
/** Reports every completion that cannot run any more. Called at exit. */
void ext_pending_calls_report(void);

#endif
