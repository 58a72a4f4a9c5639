/*
 * The life of a Request: its handle is valid until the handler returns or, after defer(), until it is answered.
 */
#include "request.h"
#include "../base/error.h"

EXT_THREAD_LOCAL int ext_sync_requests;

static ext_request *of(PyObject *object) {
    return (ext_request *)object;
}

ctie_request *ext_request_live(PyObject *object) {
    ctie_request *handle = of(object)->handle;
    if (handle == NULL && of(object)->is_answered) {
        ext_raise_text(of(object)->state, CTIE_E_ALREADY, "the request has been answered");
    } else if (handle == NULL) {
        ext_raise_text(of(object)->state, CTIE_E_HANDLE,
                       "the request's handler has returned; call defer() inside it to keep the request");
    }
    return handle;
}

ctie_request *ext_request_handle(ext_state *state, PyObject *object) {
    if (!Py_IS_TYPE(object, state->request_type)) {
        PyErr_Format(PyExc_TypeError, "parent must be a Request, not %.100s", Py_TYPE(object)->tp_name);
        return NULL;
    }
    return ext_request_live(object);
}

/* ---- A handler's call ----------------------------------------------------------------------------- */

PyObject *ext_request_new(ext_owner *bus, ctie_request *handle) {
    ext_state *state = bus->state;
    PyObject *object = ext_pool_take(&state->requests, state->request_type);
    if (object != NULL) {
        of(object)->state = state;
        of(object)->handle = handle;
        of(object)->is_deferred = false;
        of(object)->is_answered = false;
        of(object)->is_call = false;
        of(object)->is_open = false;
        of(object)->is_handled = false;
        of(object)->bus = bus;
        of(object)->bus_reference = NULL;
    }
    return object;
}

void ext_request_end(PyObject *object) {
    if (!of(object)->is_deferred) {
        of(object)->handle = NULL;
    }
    Py_DECREF(object);
}

/* ---- Deferred requests ---------------------------------------------------------------------------- */

void ext_request_release(PyObject *object) {
    ctie_request *handle = of(object)->handle;
    of(object)->handle = NULL;
    if (of(object)->is_deferred && handle != NULL) {
        Py_BEGIN_ALLOW_THREADS
        (void)ctie_request_release(handle);
        Py_END_ALLOW_THREADS
    }
}

void ext_request_forget_answer(PyObject *object) {
    if (of(object)->is_deferred) {
        of(object)->is_answered = true;
        ext_request_release(object);
    }
}
