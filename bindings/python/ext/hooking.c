/*
 * What a Request takes beside its answer: refusals, progress, functions that see its end, other parameters.
 */
#include "asking.h"

#include "kinds.h"

static ext_state *state_of(PyObject *object) {
    return ((ext_request *)object)->state;
}

PyObject *ext_request_refuse(PyObject *object, PyObject *const *args, Py_ssize_t count) {
    ctie_request *handle = ext_request_live(object);
    if (handle == NULL) {
        return NULL;
    }
    if (count != 1 && count != 2) {
        PyErr_Format(PyExc_TypeError, "refuse() takes 1 or 2 arguments, status and message (%zd given)", count);
        return NULL;
    }
    int32_t number = 0;
    ctie_str message;
    if (ext_int32(args[0], "status", &number) < 0 ||
        ext_text(count == 2 ? args[1] : state_of(object)->empty, "message", &message) < 0) {
        return NULL;
    }
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_request_refuse(handle, (ctie_status)number, message);
    Py_END_ALLOW_THREADS
    ((ext_request *)object)->is_settled |= status == CTIE_OK;
    return ext_done(state_of(object), status, NULL);
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

/* ---- Functions that see the end ------------------------------------------------------------------- */

static ext_hook *hook_for(PyObject *object, ctie_request *handle, PyObject *function) {
    if (!PyCallable_Check(function)) {
        PyErr_Format(PyExc_TypeError, "a callback must be callable, not %.100s", Py_TYPE(function)->tp_name);
        return NULL;
    }
    return ext_hook_new(state_of(object), function, ext_trust_is_remote(handle));
}

/** Puts a callback on the request; `put` takes the hook in any case. */
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

/* ---- Other parameters for the stages to come ------------------------------------------------------ */

static PyObject *replace(PyObject *object, PyObject *map, ctie_status (*set)(ctie_request *request, ctie_value *map)) {
    ctie_request *handle = ext_request_live(object);
    ctie_value *value = NULL;
    if (handle == NULL || ext_params_read(state_of(object), map, &value) < 0) {
        return NULL;
    }
    if (value == NULL) {
        value = ctie_value_null();
    }
    return ext_done(state_of(object), set(handle, value), NULL);
}

PyObject *ext_request_set_params(PyObject *object, PyObject *params) {
    return replace(object, params, ctie_request_set_params);
}

PyObject *ext_request_set_user_info(PyObject *object, PyObject *user_info) {
    return replace(object, user_info, ctie_request_set_user_info);
}
