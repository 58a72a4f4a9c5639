/*
 * The methods of Request that end it, keep it or let it go on.
 */
#include "kinds.h"

static ext_request *of(PyObject *object) {
    return (ext_request *)object;
}

/** What the handler has done, if it has succeeded, decides what its result means. */
static PyObject *settled(PyObject *object, ctie_status status) {
    of(object)->is_settled |= status == CTIE_OK;
    return ext_done(of(object)->state, status, NULL);
}

/**
 * Releases a deferred request that was answered with an object which may refer to it: the answer keeps the object, and the
 * collector would not see that the request keeps the answer.
 */
static void forget_answered(PyObject *object, PyObject *answer) {
    if (of(object)->is_deferred && PyObject_IS_GC(answer)) {
        of(object)->is_answered = true;
        ext_request_let_go(object);
    }
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
    PyObject *result = settled(object, status);
    if (of(object)->is_deferred && status == CTIE_OK && count == 1) {
        forget_answered(object, args[0]);
    }
    return result;
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
    PyObject *result = settled(object, status);
    if (status == CTIE_OK) {
        forget_answered(object, value);
    }
    return result;
}

void ext_request_forget_failure(PyObject *object) {
    if (of(object)->is_deferred) {
        of(object)->is_answered = true;
        ext_request_let_go(object);
    }
}

static PyObject *fail_with_exception(PyObject *object, ctie_request *handle, PyObject *exception) {
    ctie_status status = ext_fail_with(of(object)->state, handle, exception);
    PyObject *result = settled(object, status);
    if (status == CTIE_OK) {
        ext_request_forget_failure(object);
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
    return settled(object, status);
}

PyObject *ext_request_decline(PyObject *object, PyObject *Py_UNUSED(unused)) {
    ctie_request *handle = ext_request_live(object);
    if (handle == NULL) {
        return NULL;
    }
    ctie_status status = ctie_request_decline(handle);
    return settled(object, status);
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
        /* The collector does not see what a request refers to: it must not keep its bus alive. */
        of(object)->bus_reference = reference;
        of(object)->bus = NULL;
        of(object)->is_deferred = true;
        of(object)->is_settled = true;
    }
    return Py_NewRef(object);
}

/* ---- Letting go on: a deferred request goes the rest of its way inside the call, the GIL let go ------ */

PyObject *ext_request_proceed(PyObject *object, PyObject *Py_UNUSED(unused)) {
    ctie_request *handle = ext_request_live(object);
    if (handle == NULL) {
        return NULL;
    }
    if (!of(object)->is_deferred) {
        return ext_done(of(object)->state, ctie_request_proceed(handle), NULL);
    }
    ctie_status status;
    int waits = ext_waits;
    Py_INCREF(object);
    ext_waits = 0; /* nobody on this thread waits for a request that goes on from here */
    Py_BEGIN_ALLOW_THREADS
    status = ctie_request_proceed(handle);
    Py_END_ALLOW_THREADS
    ext_waits = waits;
    ext_state *state = of(object)->state;
    Py_DECREF(object);
    return ext_done(state, status, NULL);
}

/** Crosstie lowers a request to the trust of its thread; what a context of Python says it cannot see. */
static int check_trust(PyObject *object, ctie_request *handle) {
    ext_state *state = of(object)->state;
    int is_lost = ext_trust_is_lost(state);
    if (is_lost == 1 && !ext_trust_is_remote(handle)) {
        ext_raise_text(state, CTIE_E_DENIED, "what is done for a remote request cannot rewrite a local one");
        return -1;
    }
    return is_lost < 0 ? -1 : 0;
}

PyObject *ext_request_rewrite(PyObject *object, PyObject *url_object) {
    ctie_request *handle = ext_request_live(object);
    ctie_str url;
    if (handle == NULL || ext_text(url_object, "url", &url) < 0 || check_trust(object, handle) < 0) {
        return NULL;
    }
    ctie_error *error = NULL;
    ctie_status status;
    int waits = ext_waits;
    Py_INCREF(object);
    ext_waits = 0;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_request_rewrite(handle, url, &error);
    Py_END_ALLOW_THREADS
    ext_waits = waits;
    ext_state *state = of(object)->state;
    Py_DECREF(object);
    return ext_done(state, status, error);
}
