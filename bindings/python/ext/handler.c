/*
 * What Crosstie calls for every registration: the Python function by its plan, and what becomes of its result.
 */
#include "handlers.h"

/** Ends a request with the exception that is set. With nobody left to tell, says so. */
static void fail_with_exception(ext_registration *self, ctie_request *request) {
    PyObject *exception = ext_take_exception();
    if (ext_fail_with(self->binding.state, request, exception) != CTIE_OK) {
        ext_report(exception, self->binding.callback);
    }
    Py_DECREF(exception);
}

/** A result that is not None is the reply. */
static void answer(ext_registration *self, ctie_request *request, PyObject *result) {
    if (result == Py_None) {
        return;
    }
    ctie_value *value = ext_value_carrying(result);
    if (value == NULL) {
        fail_with_exception(self, request);
        return;
    }
    (void)ctie_request_reply(request, value);
}

static PyObject *call_with_rest(ext_registration *self, ctie_request *request, PyObject **arguments, size_t count) {
    PyObject *rest = ext_plan_rest(self->binding.state, &self->plan, request);
    if (rest == NULL) {
        return NULL;
    }
    PyObject *keywords = self->plan.keywords;
    Py_ssize_t named = keywords == NULL ? 0 : PyTuple_GET_SIZE(keywords);
    size_t positional = count - (size_t)named;
    PyObject *result = NULL;
    int failure = 0;
    for (Py_ssize_t i = 0; failure == 0 && i < named; i++) {
        failure = PyDict_SetItem(rest, PyTuple_GET_ITEM(keywords, i), arguments[positional + (size_t)i]);
    }
    if (failure == 0) {
        positional |= PY_VECTORCALL_ARGUMENTS_OFFSET;
        result = PyObject_VectorcallDict(self->binding.callback, arguments, positional, rest);
    }
    Py_DECREF(rest);
    return result;
}

static inline PyObject *call(ext_registration *self, ctie_request *request, PyObject **arguments, size_t count) {
    if (self->plan.takes_rest) {
        return call_with_rest(self, request, arguments, count);
    }
    PyObject *keywords = self->plan.keywords;
    size_t positional = keywords == NULL ? count : count - (size_t)PyTuple_GET_SIZE(keywords);
    positional |= PY_VECTORCALL_ARGUMENTS_OFFSET;
    return PyObject_Vectorcall(self->binding.callback, arguments, positional, keywords);
}

/** Calls an interceptor with the request, which is there already, and its method. */
static PyObject *call_with_proceed(ext_registration *self, PyObject **arguments) {
    arguments[1] = PyObject_GetAttrString(arguments[0], "proceed");
    if (arguments[1] == NULL) {
        return NULL;
    }
    PyObject *result = PyObject_Vectorcall(self->binding.callback, arguments, 2 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
    Py_DECREF(arguments[1]);
    return result;
}

/** Binds the arguments and calls the handler. What it made, the Request excepted, is gone afterwards. */
static PyObject *invoke(ext_registration *self, ctie_request *request, PyObject *request_object) {
    PyObject *slots[EXT_MAX_ARGUMENTS + 2];
    PyObject **arguments = slots + 1; /* vectorcall may use the place before */
    size_t first = 0;
    if (request_object != NULL) {
        arguments[first++] = request_object;
    }
    if (self->plan.takes_proceed) {
        return call_with_proceed(self, arguments);
    }
    if (ext_plan_bind(self->binding.state, &self->plan, request, arguments + first) < 0) {
        return NULL;
    }
    size_t count = first + (size_t)self->plan.count;
    PyObject *result = call(self, request, arguments, count);
    for (size_t i = first; i < count; i++) {
        Py_DECREF(arguments[i]);
    }
    return result;
}

static inline void handle(ext_registration *self, ctie_request *request) {
    PyObject *request_object = NULL;
    if (self->plan.takes_request) {
        request_object = ext_request_new(self->binding.state, request);
        if (request_object == NULL) {
            fail_with_exception(self, request);
            return;
        }
    }
    PyObject *result = invoke(self, request, request_object);
    if (result == NULL) {
        fail_with_exception(self, request);
    } else {
        answer(self, request, result);
        Py_DECREF(result);
    }
    if (request_object != NULL) {
        ext_request_end(request_object);
    }
}

/** What may be remote is handled in a context that says so. */
static void handle_with_trust(ext_registration *self, ctie_request *request) {
    ext_state *state = self->binding.state;
    PyObject *token;
    if (ext_trust_enter(state, request, &token) < 0) {
        fail_with_exception(self, request);
        return;
    }
    handle(self, request);
    ext_trust_leave(state, token);
}

void ext_handle(ctie_request *request, void *user_data) {
    EXT_GIL(gil);
    if (!ext_gil_enter(&gil)) {
        (void)ctie_request_fail(request, -1, NULL, CTIE_STR("the Python interpreter is ending"));
        return;
    }
    ext_registration *self = user_data;
    Py_INCREF(self);
    if (self->may_be_remote) {
        handle_with_trust(self, request);
    } else {
        handle(self, request);
    }
    Py_DECREF(self);
    ext_gil_leave(&gil);
}
