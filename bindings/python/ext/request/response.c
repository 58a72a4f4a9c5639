/*
 * crosstie.Response: the result of a request, copied from Crosstie's own.
 */
#include "response.h"
#include "../base/error.h"
#include "../base/text.h"
#include "../value/value.h"

#include "docstrings.h"

static ext_response *of(PyObject *object) {
    return (ext_response *)object;
}

/** Takes the reference to `value`. The collector does not track a response that cannot be part of a cycle. */
static PyObject *make(ext_state *state, PyObject *value) {
    PyObject *object = value == NULL ? NULL : ext_pool_take(&state->responses, state->response_type);
    if (object == NULL) {
        Py_XDECREF(value);
        return NULL;
    }
    ext_response *self = of(object);
    self->state = state;
    self->status = CTIE_OK;
    self->code = 1;
    self->value = value;
    self->message = NULL;
    self->exception = NULL;
    self->handle = NULL;
    if (PyObject_IS_GC(value)) {
        PyObject_GC_Track(object);
    }
    return object;
}

/** The exception of a failure: that of a handler in Python, or one for the status. */
static PyObject *exception_of(ext_state *state, ctie_response *handle, ctie_status status) {
    PyObject *carried = ext_value_carried(ctie_response_raw_value(handle));
    if (carried != NULL && PyExceptionInstance_Check(carried)) {
        return Py_NewRef(carried);
    }
    PyObject *value = ext_value_object(state, ctie_response_raw_value(handle));
    PyObject *result = value == NULL ? NULL
                                     : ext_make_error(state, status, ctie_response_code(handle),
                                                      ctie_response_message(handle), ctie_str_from(NULL), value);
    Py_XDECREF(value);
    return result;
}

/** The value that a failure carries: that of a crosstie.Error; None for any other exception. */
static PyObject *failure_value(ext_state *state, PyObject *exception) {
    if (!PyObject_TypeCheck(exception, (PyTypeObject *)state->error_class)) {
        Py_RETURN_NONE;
    }
    return PyObject_GetAttrString(exception, "value");
}

static PyObject *failure(ext_state *state, ctie_response *handle, ctie_status status) {
    PyObject *exception = exception_of(state, handle, status);
    PyObject *message = exception == NULL ? NULL : ext_text_object(ctie_response_message(handle));
    PyObject *object = message == NULL ? NULL : make(state, failure_value(state, exception));
    if (object == NULL) {
        Py_XDECREF(exception);
        Py_XDECREF(message);
        return NULL;
    }
    of(object)->status = status;
    of(object)->code = ctie_response_code(handle);
    of(object)->message = message;
    of(object)->exception = exception;
    if (!PyObject_GC_IsTracked(object)) {
        PyObject_GC_Track(object);
    }
    return object;
}

PyObject *ext_response_of_success(ext_state *state, ctie_response *handle) {
    return make(state, ext_value_object(state, ctie_response_raw_value(handle)));
}

PyObject *ext_response_new(ext_state *state, ctie_response *handle) {
    ctie_status status = ctie_response_status(handle);
    if (status != CTIE_OK) {
        return failure(state, handle, status);
    }
    return ext_response_of_success(state, handle);
}

/* ---- Changes on the way back ---------------------------------------------------------------------- */

void ext_response_open(PyObject *object, ctie_response *handle) {
    of(object)->handle = handle;
}

/** Copies the response again, after a function of Crosstie has changed it. */
static PyObject *renewed(PyObject *object, ctie_status status) {
    ext_response *self = of(object);
    if (status != CTIE_OK) {
        return ext_raise(self->state, status, NULL);
    }
    ext_response *fresh = of(ext_response_new(self->state, self->handle));
    if (fresh == NULL) {
        return NULL;
    }
    self->status = fresh->status;
    self->code = fresh->code;
    Py_XSETREF(self->value, Py_XNewRef(fresh->value));
    Py_XSETREF(self->message, Py_XNewRef(fresh->message));
    Py_XSETREF(self->exception, Py_XNewRef(fresh->exception));
    if (!PyObject_GC_IsTracked(object)) {
        PyObject_GC_Track(object);
    }
    Py_DECREF(fresh);
    Py_RETURN_NONE;
}

static PyObject *response_replace(PyObject *object, PyObject *value_object) {
    ctie_value *value = ext_value_carrying(value_object);
    return value == NULL ? NULL : renewed(object, ctie_response_replace(of(object)->handle, value));
}

static PyObject *fail_with_exception(PyObject *object, PyObject *exception) {
    ext_failure failure;
    ext_failure_read(of(object)->state, exception, &failure);
    ctie_status status = ctie_response_fail(of(object)->handle, failure.code, failure.value, failure.message);
    Py_XDECREF(failure.bytes);
    return renewed(object, status);
}

static PyObject *response_fail(PyObject *object, PyObject *args, PyObject *keywords) {
    static char *names[] = {"reason", "code", "value", NULL};
    PyObject *reason = of(object)->state->empty, *value_object = Py_None;
    PyObject *code_object = NULL;
    int32_t code = -1;
    ctie_str message;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|O$OO:fail", names, &reason, &code_object, &value_object) ||
        ext_int32(code_object, "code", &code) < 0) {
        return NULL;
    }
    if (PyExceptionInstance_Check(reason)) {
        return fail_with_exception(object, reason);
    }
    ctie_value *value = ext_text(reason, "reason", &message) < 0 ? NULL : ext_value_carrying(value_object);
    return value == NULL ? NULL : renewed(object, ctie_response_fail(of(object)->handle, code, value, message));
}

/* ---- The type ------------------------------------------------------------------------------------- */

static int response_traverse(PyObject *object, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(of(object)->value);
    Py_VISIT(of(object)->exception);
    return 0;
}

static int response_clear(PyObject *object) {
    Py_CLEAR(of(object)->value);
    Py_CLEAR(of(object)->exception);
    return 0;
}

static void response_dealloc(PyObject *object) {
    PyObject_GC_UnTrack(object);
    (void)response_clear(object);
    Py_CLEAR(of(object)->message);
    ext_pool_give(&of(object)->state->responses, object);
}

static PyObject *response_value(PyObject *object, void *Py_UNUSED(closure)) {
    PyObject *value = of(object)->value;
    return Py_NewRef(value == NULL ? Py_None : value);
}

static PyObject *response_status(PyObject *object, void *Py_UNUSED(closure)) {
    return ext_status_object(of(object)->state, of(object)->status);
}

static PyObject *response_message(PyObject *object, void *Py_UNUSED(closure)) {
    PyObject *message = of(object)->message;
    return Py_NewRef(message == NULL ? of(object)->state->empty : message);
}

static PyObject *response_exception(PyObject *object, void *Py_UNUSED(closure)) {
    PyObject *exception = of(object)->exception;
    return Py_NewRef(exception == NULL ? Py_None : exception);
}

static PyObject *response_repr(PyObject *object) {
    ext_response *self = of(object);
    if (self->status == CTIE_OK) {
        PyObject *value = response_value(object, NULL); /* retained: its __repr__ may replace it */
        PyObject *result = PyUnicode_FromFormat("<crosstie.Response value=%R>", value);
        Py_DECREF(value);
        return result;
    }
    return PyUnicode_FromFormat("<crosstie.Response %s code=%d message=%R>",
                                ctie_status_name(self->status) + sizeof("CTIE_E_") - 1, (int)self->code,
                                self->message == NULL ? self->state->empty : self->message);
}

static PyMethodDef response_methods[] = {
    {"replace", response_replace, METH_O, DOC(Response, replace)},
    {"fail", EXT_METHOD(response_fail), METH_VARARGS | METH_KEYWORDS, DOC(Response, fail)},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef response_members[] = {
    {"code", T_INT, offsetof(ext_response, code), READONLY, DOC(Response, code)},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef response_getset[] = {
    {"value", response_value, NULL, DOC(Response, value), NULL},
    {"status", response_status, NULL, DOC(Response, status), NULL},
    {"message", response_message, NULL, DOC(Response, message), NULL},
    {"exception", response_exception, NULL, DOC(Response, exception), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot response_slots[] = {
    {Py_tp_doc, DOC_Response},
    {Py_tp_traverse, response_traverse},
    {Py_tp_clear, response_clear},
    {Py_tp_dealloc, response_dealloc},
    {Py_tp_repr, response_repr},
    {Py_tp_methods, response_methods},
    {Py_tp_members, response_members},
    {Py_tp_getset, response_getset},
    {0, NULL},
};

PyType_Spec ext_response_spec = {
    "crosstie.Response", sizeof(ext_response), 0, EXT_FINAL | Py_TPFLAGS_HAVE_GC, response_slots,
};
