/*
 * The call of a registration's Python function by its plan, and the use of its result.
 */
#include "registration.h"
#include "../base/error.h"
#include "../request/request.h"
#include "../request/trust.h"
#include "../value/value.h"

/** Ends a request with the exception that is set. If the request has ended before, reports it and returns false. */
static bool fail_with_exception(ext_registration *self, ctie_request *request) {
    PyObject *exception = ext_take_exception();
    bool has_failed = ext_fail_with(self->binding.state, request, exception) == CTIE_OK;
    if (!has_failed) {
        ext_report(exception, self->binding.callback);
    }
    Py_DECREF(exception);
    return has_failed;
}

static bool is_handled(PyObject *request_object) {
    return request_object != NULL && ((ext_request *)request_object)->is_handled;
}

/** Fails the request of a handler that has returned its Request without defer(). */
static void refuse_itself(ext_registration *self, ctie_request *request) {
    PyErr_SetString(PyExc_TypeError,
                    "the handler has returned its Request, which is not an answer; call defer() to answer later");
    fail_with_exception(self, request);
}

/** Fails the request of a plain function that has returned a coroutine, and closes that: nothing would ever run it. */
static void refuse_coroutine(ext_registration *self, ctie_request *request, PyObject *coroutine) {
    PyObject *closed = PyObject_CallMethod(coroutine, "close", NULL);
    if (closed == NULL) {
        PyErr_Clear();
    }
    Py_XDECREF(closed);
    PyErr_SetString(PyExc_TypeError,
                    "the handler has returned a coroutine, which nothing awaits; make the function `async def`");
    fail_with_exception(self, request);
}

/**
 * Replies with the handler's result. None is a reply only to a request without a URL that the handler has not handled
 * otherwise. The Request itself is the result of defer(): the answer comes later.
 */
static void answer(ext_registration *self, ctie_request *request, PyObject *request_object, PyObject *result) {
    if (result == Py_None && (!self->replies_none || is_handled(request_object))) {
        return;
    }
    if (result == request_object) {
        if (!((ext_request *)request_object)->is_deferred) {
            refuse_itself(self, request);
        }
        return;
    }
    if (PyCoro_CheckExact(result)) {
        refuse_coroutine(self, request, result);
        return;
    }
    ctie_value *value = ext_value_carrying(result);
    if (value == NULL) {
        fail_with_exception(self, request);
        return;
    }
    (void)ctie_request_reply(request, value);
}

/** Runs the coroutine on its loop. */
static void spawn(ext_registration *self, ctie_request *request, PyObject *request_object, PyObject *coroutine) {
    PyObject *arguments[] = {coroutine, request_object, self->kind == EXT_INTERCEPTOR ? Py_True : Py_False,
                             ext_sync_requests > 0 ? Py_True : Py_False};
    PyObject *result = PyObject_Vectorcall(self->spawn, arguments, 4, NULL);
    if (result == NULL) {
        fail_with_exception(self, request);
    }
    Py_XDECREF(result);
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

/** Calls an interceptor with the request, which is the first argument already, and with `proceed` if it takes that. */
static PyObject *call_interceptor(ext_registration *self, PyObject **arguments) {
    if (!self->plan.takes_proceed) {
        return PyObject_Vectorcall(self->binding.callback, arguments, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
    }
    arguments[1] = self->plan.is_async ? PyObject_CallMethod(self->spawn, "proceed", "O", arguments[0])
                                       : PyObject_GetAttrString(arguments[0], "proceed");
    if (arguments[1] == NULL) {
        return NULL;
    }
    PyObject *result = PyObject_Vectorcall(self->binding.callback, arguments, 2 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
    Py_DECREF(arguments[1]);
    return result;
}

/**
 * Turns a ParamError into a refusal with its status, for a method that a resolver has found. Other exceptions stay set.
 */
static void refuse_params(ext_registration *self, ctie_request *request) {
    ext_state *state = self->binding.state;
    if (!PyErr_ExceptionMatches(state->param_error)) {
        return;
    }
    PyObject *exception = ext_take_exception();
    ext_failure failure;
    ext_failure_read(state, exception, &failure);
    (void)ctie_request_refuse(request, CTIE_E_PARAM, failure.message);
    ctie_value_release(failure.value);
    Py_XDECREF(failure.bytes);
    Py_DECREF(exception);
}

/**
 * Binds the arguments, calls the handler, and releases the arguments, except for the Request. NULL without an
 * exception: the request has been refused.
 */
static PyObject *invoke(ext_registration *self, ctie_request *request, PyObject *request_object) {
    PyObject *slots[EXT_MAX_ARGUMENTS + 2];
    PyObject **arguments = slots + 1; /* vectorcall may use the slot before */
    if (self->plan.is_interceptor) {
        arguments[0] = request_object;
        return call_interceptor(self, arguments);
    }
    if (ext_plan_bind(self->binding.state, &self->plan, request, request_object, arguments) < 0) {
        if (self->kind == EXT_SELECTOR) {
            refuse_params(self, request);
        }
        return NULL;
    }
    PyObject *result = call(self, request, arguments, (size_t)self->plan.count);
    (void)ext_plan_undo(arguments, self->plan.count);
    return result;
}

static inline void handle(ext_registration *self, ctie_request *request) {
    PyObject *request_object = NULL;
    if (self->plan.takes_request || self->plan.is_async) {
        request_object = ext_request_new(self->binding.owner, request);
        if (request_object == NULL) {
            fail_with_exception(self, request);
            return;
        }
        ((ext_request *)request_object)->is_call = self->kind == EXT_ACTION;
        ((ext_request *)request_object)->is_open = self->kind == EXT_ROUTE;
    }
    PyObject *result = invoke(self, request, request_object);
    if (result == NULL) {
        if (PyErr_Occurred() && fail_with_exception(self, request) && request_object != NULL) {
            ext_request_forget_answer(request_object);
        }
    } else if (self->plan.is_async) {
        spawn(self, request, request_object, result);
        Py_DECREF(result);
    } else {
        answer(self, request, request_object, result);
        Py_DECREF(result);
    }
    if (request_object != NULL) {
        ext_request_end(request_object);
    }
}

/** Handles a request that may be remote, in a context that is marked if it is. */
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

void ext_handle_inside(ext_registration *self, ctie_request *request) {
    handle(self, request);
}

void ext_handle(ctie_request *request, void *user_data) {
    EXT_GIL(gil);
    if (!ext_gil_enter_apart(&gil)) {
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
