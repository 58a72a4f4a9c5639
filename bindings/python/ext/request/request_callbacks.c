/*
 * The methods of Request for progress, and for functions to call at its end.
 */
#include "request.h"
#include "hook.h"
#include "trust.h"
#include "../base/error.h"
#include "../value/value.h"

static ext_state *state_of(PyObject *object) {
    return ((ext_request *)object)->state;
}

PyObject *ext_request_progress(PyObject *object, PyObject *value_object) {
    ctie_request *handle = ext_request_live(object);
    ctie_value *value = handle == NULL ? NULL : ext_value_carrying(value_object);
    if (value == NULL) {
        return NULL;
    }
    ext_state *state = state_of(object);
    ctie_status status;
    Py_INCREF(object);
    Py_BEGIN_ALLOW_THREADS
    status = ctie_request_progress(handle, value);
    Py_END_ALLOW_THREADS
    Py_DECREF(object);
    return ext_done(state, status, NULL);
}

/* ---- Functions to call at the end ----------------------------------------------------------------- */

static ext_hook *hook_for(PyObject *object, ctie_request *handle, PyObject *function) {
    if (!PyCallable_Check(function)) {
        PyErr_Format(PyExc_TypeError, "a callback must be callable, not %.100s", Py_TYPE(function)->tp_name);
        return NULL;
    }
    return ext_hook_new(state_of(object), function, ext_trust_is_remote(handle));
}

/** Adds a callback to the request; `put` takes the hook in any case. */
static PyObject *hang(PyObject *object, PyObject *function, ctie_status (*put)(ctie_request *request, ext_hook *hook)) {
    ctie_request *handle = ext_request_live(object);
    ext_hook *hook = handle == NULL ? NULL : hook_for(object, handle, function);
    if (hook == NULL) {
        return NULL;
    }
    ext_state *state = state_of(object);
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = put(handle, hook);
    Py_END_ALLOW_THREADS
    return ext_done(state, status, NULL);
}

static ctie_status put_notice(ctie_request *request, ext_hook *hook) {
    return ctie_request_on_cancel(request, CTIE_NOTICE_OWNED(ext_hook_notify, hook, ext_hook_drop));
}

static ctie_status put_return(ctie_request *request, ext_hook *hook) {
    return ctie_request_on_return(request, CTIE_COMPLETION_OWNED(ext_hook_return, hook, ext_hook_drop));
}

PyObject *ext_request_on_cancel(PyObject *object, PyObject *function) { return hang(object, function, put_notice); }

PyObject *ext_request_on_return(PyObject *object, PyObject *function) { return hang(object, function, put_return); }
