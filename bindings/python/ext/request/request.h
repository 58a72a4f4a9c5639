/*
 * crosstie.Request (request.c), its life (request_life.c), and its methods (request_….c).
 */
#ifndef CROSSTIE_EXT_REQUEST_H
#define CROSSTIE_EXT_REQUEST_H

#include "../base/owner.h"

/** The words for a request kind: its name, and the arguments that its target and action are, for messages. */
typedef struct ext_kind_words {
    const char *name, *target, *action;
} ext_kind_words;

/** The words for the request kinds, by their numbers (request_info.c). */
extern const ext_kind_words ext_kinds[];
extern const int ext_kind_count;

typedef struct ext_request {
    PyObject_HEAD
    ext_state *state;
    ctie_request *handle; /**< NULL once the handler has returned without defer(), or is_answered */
    bool is_deferred;
    bool is_answered; /**< with an exception or object, which the request must not keep */
    bool is_call;    /**< it is known to have no URL */
    bool is_open;    /**< it is known to have one */
    bool is_handled; /**< the handler has answered, refused, deferred or declined it */
    ext_owner *bus;  /**< the bus of the registration, which keeps it; NULL once the request is deferred */
    PyObject *bus_reference; /**< a weak reference, of a deferred request; else NULL */
} ext_request;

/** The number of synchronous requests in which this thread waits; counted once there are async handlers (_spawn.py). */
extern EXT_THREAD_LOCAL int ext_sync_requests;

/** A Request around the request of a bus's handler. */
PyObject *ext_request_new(ext_owner *bus, ctie_request *handle);
/** Ends the use of the object after the handler's return, unless the request was deferred. Takes the reference. */
void ext_request_end(PyObject *request);
/** Releases the reference of defer(). */
void ext_request_release(PyObject *request);
/**
 * Releases a deferred request that has been answered. The answer, or an exception's traceback, may lead to this
 * object, and the collector does not see that the request keeps both.
 */
void ext_request_forget_answer(PyObject *request);
/** The handle of a Request, borrowed; NULL with an exception if the object is not valid any more, or no Request. */
ctie_request *ext_request_handle(ext_state *state, PyObject *request);
/** The same for an object that is known to be a Request. */
ctie_request *ext_request_live(PyObject *request);

/* ---- Answers (request_answer.c) ------------------------------------------------------------------- */

PyObject *ext_request_reply(PyObject *request, PyObject *const *args, Py_ssize_t count);
PyObject *ext_request_fail(PyObject *request, PyObject *args, PyObject *keywords);
PyObject *ext_request_deny(PyObject *request, PyObject *const *args, Py_ssize_t count);
PyObject *ext_request_refuse(PyObject *request, PyObject *const *args, Py_ssize_t count);
PyObject *ext_request_decline(PyObject *request, PyObject *unused);
PyObject *ext_request_defer(PyObject *request, PyObject *unused);

/* ---- Interceptors' methods (request_stage.c) ------------------------------------------------------ */

PyObject *ext_request_proceed(PyObject *request, PyObject *unused);
PyObject *ext_request_rewrite(PyObject *request, PyObject *url);
PyObject *ext_request_set_params(PyObject *request, PyObject *params);
PyObject *ext_request_set_user_info(PyObject *request, PyObject *user_info);

/* ---- Callbacks (request_callbacks.c) -------------------------------------------------------------- */

PyObject *ext_request_progress(PyObject *request, PyObject *value);
PyObject *ext_request_on_cancel(PyObject *request, PyObject *function);
PyObject *ext_request_on_return(PyObject *request, PyObject *function);

/* ---- The URL (request_url.c) ---------------------------------------------------------------------- */

/** A part of the URL, empty if it has none. */
PyObject *ext_request_url_part(PyObject *request, ctie_url_part part);
/** The getter of every part: the closure is the part's number. */
PyObject *ext_request_part(PyObject *request, void *closure);
PyObject *ext_request_pattern(PyObject *request, void *closure);
PyObject *ext_request_unmatched(PyObject *request, void *closure);
PyObject *ext_request_query(PyObject *request, void *closure);
PyObject *ext_request_query_all(PyObject *request, PyObject *key);
PyObject *ext_request_param(PyObject *request, PyObject *name);
PyObject *ext_request_rule(PyObject *request, void *closure);

/* ---- All the rest (request_info.c) ---------------------------------------------------------------- */

PyObject *ext_request_kind(PyObject *request, void *closure);
PyObject *ext_request_target(PyObject *request, void *closure);
PyObject *ext_request_action(PyObject *request, void *closure);
PyObject *ext_request_flags(PyObject *request, void *closure);
PyObject *ext_request_params(PyObject *request, void *closure);
PyObject *ext_request_arguments(PyObject *request, void *closure);
PyObject *ext_request_origin(PyObject *request, void *closure);
PyObject *ext_request_user_info(PyObject *request, void *closure);
PyObject *ext_request_peer(PyObject *request, void *closure);
PyObject *ext_request_is_leaving(PyObject *request, void *closure);
PyObject *ext_request_bus(PyObject *request, void *closure);
PyObject *ext_request_is_ended(PyObject *request, void *closure);
PyObject *ext_request_is_cancelled(PyObject *request, void *closure);
PyObject *ext_request_time_left(PyObject *request, void *closure);

extern PyType_Spec ext_request_spec;

#endif
