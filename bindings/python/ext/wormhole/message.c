/*
 * crosstie.Message: a message of a wormhole, or a notice about one.
 */
#include "wormhole.h"
#include "../base/error.h"
#include "../base/text.h"
#include "../value/value.h"

#include "docstrings.h"

typedef struct message {
    PyObject_HEAD
    ext_state *state;
    ctie_message *handle;
    PyObject *value; /**< NULL until the program reads it */
} message;

static message *of(PyObject *object) {
    return (message *)object;
}

PyObject *ext_message_new(ext_state *state, const ctie_message *handle) {
    message *self = PyObject_GC_New(message, state->message_type);
    if (self == NULL) {
        return NULL;
    }
    self->state = state;
    self->handle = ctie_message_retain(handle);
    self->value = NULL;
    PyObject_GC_Track(self);
    return (PyObject *)self;
}

static int message_traverse(PyObject *object, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(of(object)->value);
    return 0;
}

static int message_clear(PyObject *object) {
    Py_CLEAR(of(object)->value);
    return 0;
}

static void message_dealloc(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    (void)message_clear(object);
    ctie_message_release(of(object)->handle);
    PyObject_GC_Del(object);
    Py_DECREF(type);
}

/* ---- Properties ----------------------------------------------------------------------------------- */

static PyObject *message_kind(PyObject *object, void *Py_UNUSED(closure)) {
    static const char *const names[] = {"none", "value", "signal", "destroyed", "missed", "joined", "left",
                                       "connection"};
    int32_t kind = ctie_message_kind(of(object)->handle);
    bool is_known = kind >= CTIE_MESSAGE_NONE && kind <= CTIE_MESSAGE_CONNECTION;
    return PyUnicode_InternFromString(is_known ? names[kind] : "unknown");
}

static PyObject *message_value(PyObject *object, void *Py_UNUSED(closure)) {
    message *self = of(object);
    ctie_status status = ctie_message_status(self->handle);
    if (status != CTIE_OK) {
        return ext_raise(self->state, status, NULL);
    }
    if (self->value == NULL) {
        PyObject *value = ext_value_object(self->state, ctie_message_value(self->handle));
        if (self->value == NULL) {
            self->value = value;
        } else {
            Py_XDECREF(value); /* code that the collector ran has read it, too */
        }
    }
    return Py_XNewRef(self->value);
}

static PyObject *message_status(PyObject *object, void *Py_UNUSED(closure)) {
    return ext_status_object(of(object)->state, ctie_message_status(of(object)->handle));
}

static PyObject *message_identifier(PyObject *object, void *Py_UNUSED(closure)) {
    return ext_text_object(ctie_message_identifier(of(object)->handle));
}

static PyObject *message_sequence(PyObject *object, void *Py_UNUSED(closure)) {
    return PyLong_FromUnsignedLongLong(ctie_message_sequence(of(object)->handle));
}

static PyObject *message_time(PyObject *object, void *Py_UNUSED(closure)) {
    return PyFloat_FromDouble((double)ctie_message_time(of(object)->handle) * 1e-9);
}

static PyObject *message_time_ns(PyObject *object, void *Py_UNUSED(closure)) {
    return PyLong_FromLongLong(ctie_message_time(of(object)->handle));
}

static PyObject *message_pid(PyObject *object, void *Py_UNUSED(closure)) {
    return PyLong_FromLong(ctie_message_sender_pid(of(object)->handle));
}

static PyObject *message_name(PyObject *object, void *Py_UNUSED(closure)) {
    return ext_text_object(ctie_message_sender_name(of(object)->handle));
}

static PyObject *message_missed(PyObject *object, void *Py_UNUSED(closure)) {
    return PyLong_FromUnsignedLongLong(ctie_message_missed(of(object)->handle));
}

static PyObject *message_reason(PyObject *object, void *Py_UNUSED(closure)) {
    return ext_text_object(ctie_message_reason(of(object)->handle));
}

static PyObject *message_delivery_count(PyObject *object, void *Py_UNUSED(closure)) {
    return PyLong_FromUnsignedLong(ctie_message_delivery_count(of(object)->handle));
}

static PyObject *message_expires(PyObject *object, void *Py_UNUSED(closure)) {
    int64_t time = ctie_message_expires(of(object)->handle);
    return time == 0 ? Py_NewRef(Py_None) : PyFloat_FromDouble((double)time * 1e-9);
}

static PyObject *message_headers(PyObject *object, void *Py_UNUSED(closure)) {
    PyObject *dict = PyDict_New();
    ctie_str name, text;
    for (size_t i = 0; dict != NULL && ctie_message_header_at(of(object)->handle, i, &name, &text); i++) {
        PyObject *key = ext_text_object(name), *value = key == NULL ? NULL : ext_text_object(text);
        if (value == NULL || PyDict_SetItem(dict, key, value) < 0) {
            Py_CLEAR(dict);
        }
        Py_XDECREF(key);
        Py_XDECREF(value);
    }
    return dict;
}

/* ---- Acknowledgement ------------------------------------------------------------------------------ */

static PyObject *message_acknowledge(PyObject *object, PyObject *Py_UNUSED(unused)) {
    return ext_done(of(object)->state, ctie_message_acknowledge(of(object)->handle), NULL);
}

/** Reads a reason: a str, or an exception, whose last line `bytes` keeps; empty for None. */
static int read_reason(ext_state *state, PyObject *reason, PyObject **bytes, ctie_str *out) {
    if (reason == Py_None) {
        return 0;
    }
    if (!PyExceptionInstance_Check(reason)) {
        return ext_text(reason, "reason", out);
    }
    *bytes = ext_exception_text(state, reason);
    *out = *bytes == NULL ? ctie_str_from(Py_TYPE(reason)->tp_name)
                          : (ctie_str){PyBytes_AS_STRING(*bytes), (size_t)PyBytes_GET_SIZE(*bytes)};
    return 0;
}

static PyObject *message_reject(PyObject *object, PyObject *args, PyObject *keywords) {
    static char *names[] = {"delay", "reason", NULL};
    PyObject *delay = Py_None, *reason = Py_None, *bytes = NULL;
    int64_t milliseconds = -1;
    ctie_str text = {NULL, 0};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|OO:reject", names, &delay, &reason) ||
        ext_milliseconds(delay, "delay", &milliseconds) < 0 ||
        read_reason(of(object)->state, reason, &bytes, &text) < 0) {
        return NULL;
    }
    ctie_status status = ctie_message_reject(of(object)->handle, milliseconds, text);
    Py_XDECREF(bytes);
    return ext_done(of(object)->state, status, NULL);
}

/* ---- The type ------------------------------------------------------------------------------------- */

static PyObject *message_repr(PyObject *object) {
    PyObject *kind = message_kind(object, NULL);
    PyObject *identifier = kind == NULL ? NULL : message_identifier(object, NULL);
    PyObject *result = NULL;
    if (identifier != NULL) {
        result = PyUnicode_FromFormat("<crosstie.Message %R %U sequence=%llu>", identifier, kind,
                                      (unsigned long long)ctie_message_sequence(of(object)->handle));
    }
    Py_XDECREF(kind);
    Py_XDECREF(identifier);
    return result;
}

static PyMethodDef message_methods[] = {
    {"acknowledge", message_acknowledge, METH_NOARGS, DOC(Message, acknowledge)},
    {"reject", EXT_METHOD(message_reject), METH_VARARGS | METH_KEYWORDS, DOC(Message, reject)},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef message_getset[] = {
    {"kind", message_kind, NULL, DOC(Message, kind), NULL},
    {"value", message_value, NULL, DOC(Message, value), NULL},
    {"status", message_status, NULL, DOC(Message, status), NULL},
    {"identifier", message_identifier, NULL, DOC(Message, identifier), NULL},
    {"sequence", message_sequence, NULL, DOC(Message, sequence), NULL},
    {"time", message_time, NULL, DOC(Message, time), NULL},
    {"time_ns", message_time_ns, NULL, DOC(Message, time_ns), NULL},
    {"sender_pid", message_pid, NULL, DOC(Message, sender_pid), NULL},
    {"sender_name", message_name, NULL, DOC(Message, sender_name), NULL},
    {"missed", message_missed, NULL, DOC(Message, missed), NULL},
    {"delivery_count", message_delivery_count, NULL, DOC(Message, delivery_count), NULL},
    {"reason", message_reason, NULL, DOC(Message, reason), NULL},
    {"headers", message_headers, NULL, DOC(Message, headers), NULL},
    {"expires", message_expires, NULL, DOC(Message, expires), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot message_slots[] = {
    {Py_tp_doc, DOC_Message},
    {Py_tp_traverse, message_traverse},
    {Py_tp_clear, message_clear},
    {Py_tp_dealloc, message_dealloc},
    {Py_tp_repr, message_repr},
    {Py_tp_methods, message_methods},
    {Py_tp_getset, message_getset},
    {0, NULL},
};

PyType_Spec ext_message_spec = {
    "crosstie.Message", sizeof(message), 0, EXT_FINAL | Py_TPFLAGS_HAVE_GC, message_slots,
};
