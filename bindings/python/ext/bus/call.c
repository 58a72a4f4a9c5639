/*
 * crosstie.Call: an asynchronous request, seen by its caller.
 *
 * Crosstie's user_data is this object, with a reference that the completion releases. The completion runs exactly once
 * if Crosstie has accepted the request, and never if it has not.
 */
#include "spec.h"
#include "../base/error.h"
#include "../base/text.h"
#include "../request/request.h"
#include "../request/response.h"
#include "../request/trust.h"

#include "docstrings.h"

typedef ext_call call;

static call *of(PyObject *object) {
    return (call *)object;
}

static ext_response *response_of(call *self) {
    return (ext_response *)self->response;
}

/* ---- Called by Crosstie --------------------------------------------------------------------------- */

/**
 * Keeps a copy of the response, which both the completion and a waiting thread bring, and releases Crosstie's call.
 * That would keep an exception, whose traceback often leads to this object, and the collector would not see the cycle.
 */
static int keep_response(call *self, ctie_response *handle) {
    if (self->response == NULL) {
        PyObject *response = ext_response_new(self->state, handle);
        if (self->response == NULL) {
            self->response = response;
        } else {
            Py_XDECREF(response);
        }
    }
    if (self->response == NULL) {
        return -1;
    }
    ctie_call *done = self->handle;
    self->handle = NULL;
    (void)ctie_call_release(done);
    return 0;
}

static void call_back(call *self, PyObject *function, PyObject *argument) {
    self->is_received = true;
    PyObject *token = self->is_remote ? ext_trust_mark(self->state) : NULL;
    bool may_call = token != NULL || !self->is_remote;
    PyObject *result = may_call ? PyObject_CallOneArg(function, argument) : NULL;
    if (result == NULL) {
        ext_unraisable(function);
    }
    Py_XDECREF(result);
    ext_trust_leave(self->state, token);
}

static void call_back_all(call *self) {
    if (self->completion != Py_None) {
        call_back(self, self->completion, self->response);
    }
    PyObject *callbacks = self->callbacks;
    self->callbacks = NULL;
    for (Py_ssize_t i = 0; callbacks != NULL && i < PyList_GET_SIZE(callbacks); i++) {
        call_back(self, PyList_GET_ITEM(callbacks, i), (PyObject *)self);
    }
    Py_XDECREF(callbacks);
}

static void complete(ctie_response *response, void *user_data) {
    EXT_GIL(gil);
    if (!ext_gil_enter_apart(&gil)) {
        return;
    }
    call *self = user_data;
    ext_pending_calls_remove(self);
    if (keep_response(self, response) < 0) {
        ext_unraisable((PyObject *)self);
    } else {
        call_back_all(self);
    }
    Py_DECREF(self);
    ext_gil_leave(&gil);
}

/* ---- New calls ------------------------------------------------------------------------------------ */

PyObject *ext_call_new(ext_owner *bus, int32_t kind, PyObject *target, PyObject *action, PyObject *completion) {
    call *self = PyObject_GC_New(call, bus->state->call_type);
    if (self == NULL) {
        return NULL;
    }
    memset((char *)self + sizeof(PyObject), 0, sizeof(*self) - sizeof(PyObject));
    self->state = bus->state;
    self->kind = kind;
    self->bus = Py_NewRef((PyObject *)bus);
    self->target = Py_NewRef(target);
    self->action = Py_NewRef(action);
    self->completion = Py_NewRef(completion);
    PyObject_GC_Track(self);
    return (PyObject *)self;
}

PyObject *ext_call_start(PyObject *object, const ext_spec *spec, const ext_options *options) {
    call *self = of(object);
    self->is_remote = options->is_for_remote;
    ctie_call *handle = NULL;
    ctie_error *error = NULL;
    ctie_status status;
    ctie_bus *bus = ((ext_owner *)self->bus)->handle;
    Py_INCREF(self); /* for complete() */
    ext_pending_calls_add(self);
    int waits = ext_sync_requests;
    ext_sync_requests = 0; /* a handler that runs here is of a request that this thread does not wait for */
    Py_BEGIN_ALLOW_THREADS
    status = ext_kind_start(bus, spec, options, CTIE_COMPLETION(complete, self), &handle, &error);
    Py_END_ALLOW_THREADS
    ext_sync_requests = waits;
    if (status < 0) {
        ext_state *state = self->state;
        ext_pending_calls_remove(self);
        Py_DECREF(self);
        Py_DECREF(self);
        return ext_raise(state, status, error);
    }
    if (self->response == NULL) {
        self->handle = handle;
    } else {
        (void)ctie_call_release(handle); /* the completion has run by now */
    }
    return object;
}

/* ---- The end of a call ---------------------------------------------------------------------------- */

/** Runs ctie_call_wait() without the GIL. Returns -1 with an exception when a signal has ended the wait. */
static int wait_without_gil(ctie_call *call, int64_t timeout, ctie_response **response, ctie_status *status) {
    Py_BEGIN_ALLOW_THREADS
    *status = ctie_call_wait(call, timeout, response);
    Py_END_ALLOW_THREADS
    if (!ext_interrupt_raise()) {
        return 0;
    }
    (void)ctie_response_release(*response);
    return -1;
}

/** 1 when the call has ended, 0 after the timeout, -1 with an exception. */
static int wait_for(call *self, int64_t timeout) {
    if (self->response != NULL) {
        return 1;
    }
    ctie_response *response = NULL;
    ctie_status status = CTIE_E_TIMEOUT;
    if (wait_without_gil(self->handle, timeout, &response, &status) < 0) {
        return -1;
    }
    if (status == CTIE_E_TIMEOUT) {
        return 0;
    }
    if (status == CTIE_E_HANDLE && self->response != NULL) {
        return 1; /* the completion has brought the response first */
    }
    if (status != CTIE_OK) {
        ext_raise(self->state, status, NULL);
        return -1;
    }
    int result = keep_response(self, response);
    (void)ctie_response_release(response);
    return result < 0 ? -1 : 1;
}

/** Reads the one argument of the methods that wait, and waits. */
static int wait_by_arguments(call *self, PyObject *args, PyObject *keywords, const char *format) {
    static char *names[] = {"timeout", NULL};
    PyObject *seconds = Py_None;
    int64_t timeout = -1;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, format, names, &seconds) ||
        ext_milliseconds(seconds, "timeout", &timeout) < 0) {
        return -1;
    }
    return wait_for(self, timeout);
}

static PyObject *call_wait(PyObject *object, PyObject *args, PyObject *keywords) {
    int result = wait_by_arguments(of(object), args, keywords, "|O:wait");
    return result < 0 ? NULL : PyBool_FromLong(result);
}

/** The response at the call's end; its failure counts as received. */
static ext_response *ended(PyObject *object, PyObject *args, PyObject *keywords, const char *format) {
    call *self = of(object);
    int result = wait_by_arguments(self, args, keywords, format);
    if (result == 0) {
        ext_raise_text(self->state, CTIE_E_TIMEOUT, "the call has not ended");
    }
    if (result <= 0) {
        return NULL;
    }
    self->is_received = true;
    return response_of(self);
}

static PyObject *call_result(PyObject *object, PyObject *args, PyObject *keywords) {
    ext_response *response = ended(object, args, keywords, "|O:result");
    if (response == NULL) {
        return NULL;
    }
    if (response->exception != NULL) {
        ext_raise_object(response->exception);
        return NULL;
    }
    switch (of(object)->kind) {
    case CTIE_REQUEST_KIND_OPEN:
        return Py_NewRef((PyObject *)response);
    case CTIE_REQUEST_KIND_EVENT:
        return PyObject_CallOneArg(of(object)->state->broadcast_of, response->value);
    default:
        return Py_NewRef(response->value);
    }
}

static PyObject *call_exception(PyObject *object, PyObject *args, PyObject *keywords) {
    ext_response *response = ended(object, args, keywords, "|O:exception");
    if (response == NULL) {
        return NULL;
    }
    return Py_NewRef(response->exception == NULL ? Py_None : response->exception);
}

/** The status of the end; CTIE_PENDING before it. */
static ctie_status state_of(call *self) {
    ctie_status status = CTIE_PENDING;
    if (self->response != NULL) {
        return response_of(self)->status;
    }
    return ctie_call_state(self->handle, &status) == CTIE_OK ? status : CTIE_PENDING;
}

static PyObject *call_done(PyObject *object, PyObject *Py_UNUSED(unused)) {
    return PyBool_FromLong(state_of(of(object)) != CTIE_PENDING);
}

/** Whether the call has ended with a status; a failure then counts as received. */
static PyObject *has_ended_by(PyObject *object, ctie_status status) {
    bool has = state_of(of(object)) == status;
    of(object)->is_received |= has;
    return PyBool_FromLong(has);
}

static PyObject *call_cancelled(PyObject *object, PyObject *Py_UNUSED(unused)) {
    return has_ended_by(object, CTIE_E_CANCELLED);
}

static PyObject *call_timed_out(PyObject *object, PyObject *Py_UNUSED(unused)) {
    return has_ended_by(object, CTIE_E_TIMEOUT);
}

static PyObject *call_cancel(PyObject *object, PyObject *Py_UNUSED(unused)) {
    call *self = of(object);
    bool was_received = self->is_received;
    self->is_received = true;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_call_cancel(self->handle);
    Py_END_ALLOW_THREADS
    if (status == CTIE_OK) {
        Py_RETURN_TRUE;
    }
    self->is_received = was_received;
    if (status == CTIE_E_ALREADY || (status == CTIE_E_HANDLE && self->response != NULL)) {
        Py_RETURN_FALSE;
    }
    return ext_raise(self->state, status, NULL);
}

/** Adds the callback for the completion to call or, if the response is there, calls it here; never both. */
static PyObject *call_add_done_callback(PyObject *object, PyObject *function) {
    call *self = of(object);
    if (!PyCallable_Check(function)) {
        PyErr_Format(PyExc_TypeError, "a callback must be callable, not %.100s", Py_TYPE(function)->tp_name);
        return NULL;
    }
    if (self->response != NULL) {
        call_back(self, function, object);
        Py_RETURN_NONE;
    }
    if (self->callbacks == NULL) {
        self->callbacks = PyList_New(0);
    }
    if (self->callbacks == NULL || PyList_Append(self->callbacks, function) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* ---- The type ------------------------------------------------------------------------------------- */

static int call_traverse(PyObject *object, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(of(object)->bus);
    Py_VISIT(of(object)->completion);
    Py_VISIT(of(object)->callbacks);
    Py_VISIT(of(object)->response);
    return 0;
}

static int call_clear(PyObject *object) {
    Py_CLEAR(of(object)->bus);
    Py_CLEAR(of(object)->completion);
    Py_CLEAR(of(object)->callbacks);
    Py_CLEAR(of(object)->response);
    return 0;
}

/** Reports a failure that no function has received, except that of a closed bus. */
static void call_finalize(PyObject *object) {
    call *self = of(object);
    if (self->response == NULL || self->is_received || response_of(self)->exception == NULL ||
        response_of(self)->status == CTIE_E_CLOSED) {
        return;
    }
    self->is_received = true;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    ext_report(response_of(self)->exception, object);
    PyErr_Restore(type, value, traceback);
}

static void call_dealloc(PyObject *object) {
    if (PyObject_CallFinalizerFromDealloc(object) < 0) {
        return;
    }
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    (void)ctie_call_release(of(object)->handle);
    (void)call_clear(object);
    Py_CLEAR(of(object)->target);
    Py_CLEAR(of(object)->action);
    PyObject_GC_Del(object);
    Py_DECREF(type);
}

static PyObject *call_repr(PyObject *object) {
    call *self = of(object);
    const char *how = self->response == NULL ? "pending" : response_of(self)->exception == NULL ? "done" : "failed";
    if (PyUnicode_GET_LENGTH(self->action) == 0) {
        return PyUnicode_FromFormat("<crosstie.Call %R %s>", self->target, how);
    }
    return PyUnicode_FromFormat("<crosstie.Call %R %R %s>", self->target, self->action, how);
}

static PyMethodDef call_methods[] = {
    {"wait", EXT_METHOD(call_wait), METH_VARARGS | METH_KEYWORDS, DOC(Call, wait)},
    {"result", EXT_METHOD(call_result), METH_VARARGS | METH_KEYWORDS, DOC(Call, result)},
    {"exception", EXT_METHOD(call_exception), METH_VARARGS | METH_KEYWORDS, DOC(Call, exception)},
    {"done", call_done, METH_NOARGS, DOC(Call, done)},
    {"cancelled", call_cancelled, METH_NOARGS, DOC(Call, cancelled)},
    {"timed_out", call_timed_out, METH_NOARGS, DOC(Call, timed_out)},
    {"add_done_callback", call_add_done_callback, METH_O, DOC(Call, add_done_callback)},
    {"cancel", call_cancel, METH_NOARGS, DOC(Call, cancel)},
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, DOC(Call, __class_getitem__)},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef call_members[] = {
    {"target", T_OBJECT_EX, offsetof(call, target), READONLY, DOC(Call, target)},
    {"action", T_OBJECT_EX, offsetof(call, action), READONLY, DOC(Call, action)},
    {NULL, 0, 0, 0, NULL},
};

static PyObject *call_url(PyObject *object, void *Py_UNUSED(closure)) {
    call *self = of(object);
    return Py_NewRef(self->kind == CTIE_REQUEST_KIND_OPEN ? self->target : self->state->empty);
}

static PyGetSetDef call_getset[] = {
    {"url", call_url, NULL, DOC(Call, url), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot call_slots[] = {
    {Py_tp_doc, DOC_Call},
    {Py_tp_traverse, call_traverse},
    {Py_tp_clear, call_clear},
    {Py_tp_finalize, call_finalize},
    {Py_tp_dealloc, call_dealloc},
    {Py_tp_repr, call_repr},
    {Py_tp_methods, call_methods},
    {Py_tp_members, call_members},
    {Py_tp_getset, call_getset},
    {0, NULL},
};

PyType_Spec ext_call_spec = {
    "crosstie.Call", sizeof(call), 0, EXT_FINAL | Py_TPFLAGS_HAVE_GC, call_slots,
};
