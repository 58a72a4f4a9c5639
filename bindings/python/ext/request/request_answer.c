/*
 * The methods of Request that answer it, decline it or keep it.
 */
#include "request.h"
#include "../base/error.h"
#include "../base/text.h"
#include "../value/value.h"

static ext_request *of(PyObject *object) {
    return (ext_request *)object;
}

/** Returns None or raises; notes a success, on which the meaning of the handler's result depends. */
static PyObject *handled(PyObject *object, ctie_status status) {
    of(object)->is_handled |= status == CTIE_OK;
    return ext_done(of(object)->state, status, NULL);
}

/** Releases a deferred request whose answer may refer to it; notes a success as handled() does. */
static PyObject *handled_with(PyObject *object, ctie_status status, PyObject *answer) {
    PyObject *result = handled(object, status);
    if (of(object)->is_deferred && status == CTIE_OK && PyObject_IS_GC(answer)) {
        ext_request_forget_answer(object);
    }
    return result;
}

PyObject *ext_request_reply(PyObject *object, PyObject *const *args, Py_ssize_t count) {
    ctie_request *handle = ext_request_live(object);
    if (handle == NULL) {
        return NULL;
    }
    if (count > 1) {
        PyErr_Format(PyExc_TypeError, "reply() takes at most 1 argument (%zd given)", count);
        return NULL;
    }
    ctie_value *value = ext_value_carrying(count == 1 ? args[0] : Py_None);
    if (value == NULL) {
        return NULL;
    }
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_request_reply(handle, value);
    Py_END_ALLOW_THREADS
    return handled_with(object, status, count == 1 ? args[0] : Py_None);
}

static PyObject *fail_with_text(PyObject *object, ctie_request *handle, PyObject *reason, int code, PyObject *value) {
    ctie_str message;
    if (ext_text(reason, "reason", &message) < 0) {
        return NULL;
    }
    ctie_value *carried = ext_value_carrying(value);
    if (carried == NULL) {
        return NULL;
    }
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_request_fail(handle, code, carried, message);
    Py_END_ALLOW_THREADS
    return handled_with(object, status, value);
}

static PyObject *fail_with_exception(PyObject *object, ctie_request *handle, PyObject *exception) {
    ctie_status status = ext_fail_with(of(object)->state, handle, exception);
    PyObject *result = handled(object, status);
    if (status == CTIE_OK) {
        ext_request_forget_answer(object);
    }
    return result;
}

PyObject *ext_request_fail(PyObject *object, PyObject *args, PyObject *keywords) {
    static char *names[] = {"reason", "code", "value", NULL};
    PyObject *reason = of(object)->state->empty, *value = Py_None, *code_object = NULL;
    int32_t code = -1;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|O$OO:fail", names, &reason, &code_object, &value) ||
        ext_int32(code_object, "code", &code) < 0) {
        return NULL;
    }
    ctie_request *handle = ext_request_live(object);
    if (handle == NULL) {
        return NULL;
    }
    if (PyExceptionInstance_Check(reason)) {
        return fail_with_exception(object, handle, reason);
    }
    return fail_with_text(object, handle, reason, code, value);
}

PyObject *ext_request_deny(PyObject *object, PyObject *const *args, Py_ssize_t count) {
    ctie_request *handle = ext_request_live(object);
    if (handle == NULL) {
        return NULL;
    }
    if (count > 1) {
        PyErr_Format(PyExc_TypeError, "deny() takes at most 1 argument (%zd given)", count);
        return NULL;
    }
    ctie_str message;
    if (ext_text(count == 1 ? args[0] : of(object)->state->empty, "message", &message) < 0) {
        return NULL;
    }
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_request_deny(handle, message);
    Py_END_ALLOW_THREADS
    return handled(object, status);
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
        ext_text(count == 2 ? args[1] : of(object)->state->empty, "message", &message) < 0) {
        return NULL;
    }
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_request_refuse(handle, (ctie_status)number, message);
    Py_END_ALLOW_THREADS
    return handled(object, status);
}

PyObject *ext_request_decline(PyObject *object, PyObject *Py_UNUSED(unused)) {
    ctie_request *handle = ext_request_live(object);
    if (handle == NULL) {
        return NULL;
    }
    ctie_status status = ctie_request_decline(handle);
    return handled(object, status);
}

PyObject *ext_request_defer(PyObject *object, PyObject *Py_UNUSED(unused)) {
    ctie_request *handle = ext_request_live(object);
    if (handle == NULL) {
        return NULL;
    }
    if (!of(object)->is_deferred) {
        PyObject *reference = PyWeakref_NewRef((PyObject *)of(object)->bus, NULL);
        if (reference == NULL) {
            return NULL;
        }
        ctie_status status = ctie_request_retain(handle);
        if (status != CTIE_OK) {
            Py_DECREF(reference);
            return ext_raise(of(object)->state, status, NULL);
        }
        /* The collector does not see the references of a request, so it must not keep its bus alive. */
        of(object)->bus_reference = reference;
        of(object)->bus = NULL;
        of(object)->is_deferred = true;
        of(object)->is_handled = true;
    }
    return Py_NewRef(object);
}
