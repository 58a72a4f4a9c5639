/*
 * crosstie.Message: what stands under an identifier of a wormhole, or what became of it.
 */
#include "crosstie_ext.h"

typedef struct message {
    PyObject_HEAD
    ext_state *state;
    ctie_message *handle;
    PyObject *value; /**< NULL until somebody asks */
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

static PyObject *message_kind(PyObject *object, void *Py_UNUSED(closure)) {
    static const char *const names[] = {"none", "value", "signal", "destroyed", "missed", "joined", "left"};
    int32_t kind = ctie_message_kind(of(object)->handle);
    return PyUnicode_InternFromString(kind >= CTIE_MESSAGE_NONE && kind <= CTIE_MESSAGE_LEFT ? names[kind] : "unknown");
}

static PyObject *message_value(PyObject *object, void *Py_UNUSED(closure)) {
    message *self = of(object);
    ctie_status status = ctie_message_status(self->handle);
    if (status != CTIE_OK) {
        return ext_raise(self->state, status, NULL);
    }
    if (self->value == NULL) {
        self->value = ext_value_object(self->state, ctie_message_value(self->handle));
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

static PyObject *message_delivery(PyObject *object, void *Py_UNUSED(closure)) {
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

/* ---- Acknowledging -------------------------------------------------------------------------------- */

static PyObject *message_acknowledge(PyObject *object, PyObject *Py_UNUSED(unused)) {
    return ext_done(of(object)->state, ctie_message_acknowledge(of(object)->handle), NULL);
}

/** The text of a str, of an exception its last line, which `bytes` keeps; empty for None. */
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
    {"acknowledge", message_acknowledge, METH_NOARGS,
     PyDoc_STR("acknowledge($self, /)\n--\n\n"
               "Say that a queued message has been dealt with. It does not wait.\n\n"
               "A listener that returns says so by that, unless it was bound with `manual`. Raises Error with the\n"
               "status ALREADY for one that was acknowledged or rejected before, or whose listener is gone.")},
    {"reject", EXT_METHOD(message_reject), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("reject($self, /, delay=None, reason=None)\n--\n\n"
               "Have a message of a durable consumer delivered again, to whoever is free. One that has been delivered as\n"
               "often as the name was declared with becomes a dead letter.\n\n"
               "delay   seconds; None: as the name was declared, by default 0.1 after the first delivery, and twice as\n"
               "        long after each further one, at most a minute.\n"
               "reason  why: a str, or an exception, of which the last line is taken. A dead letter keeps it, up to\n"
               "        1,000 bytes.\n\n"
               "Raises as `acknowledge()`.")},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef message_getset[] = {
    {"kind", message_kind, NULL,
     "'value'; 'signal', which has no value; 'destroyed'; 'none', when nothing is stored; 'missed', in a queue, for\n"
     "what is gone unheard; 'joined' and 'left', for presence.",
     NULL},
    {"value", message_value, NULL, "What was sent; None for every kind but 'value'. Raises StoreError if damaged.",
     NULL},
    {"status", message_status, NULL, "OK, or CORRUPT for a stored record that cannot be decoded.", NULL},
    {"identifier", message_identifier, NULL, "What it was sent under.", NULL},
    {"sequence", message_sequence, NULL, "Its number in the group, from 1; 0 for 'none'.", NULL},
    {"time", message_time, NULL, "When it was sent: seconds since 1970 by the sender's clock; 0 if unknown.", NULL},
    {"time_ns", message_time_ns, NULL, "The same in nanoseconds.", NULL},
    {"sender_pid", message_pid, NULL, "The process that sent it; 0 if unknown.", NULL},
    {"sender_name", message_name, NULL, "The name of the wormhole that sent it; empty if unknown.", NULL},
    {"missed", message_missed, NULL, "How many messages a 'missed' stands for; else 0.", NULL},
    {"delivery", message_delivery, NULL,
     "How often it has been handed to its durable consumer, 1 the first time; 0 without one.", NULL},
    {"reason", message_reason, NULL, "Why it was rejected the last time, of a dead letter; else empty.", NULL},
    {"headers", message_headers, NULL, "The texts that it was sent with beside the value: a dict.", NULL},
    {"expires", message_expires, NULL, "When it expires, so that nobody hears it afterwards: seconds since 1970; None: never.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot message_slots[] = {
    {Py_tp_doc, "What stands under an identifier of a wormhole, or what became of it."},
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

/* What sending gives back. */

static PyStructSequence_Field sent_fields[] = {
    {"sequence", "The message's number in the group."},
    {"listeners", "How many living processes were rung because they listen, this one included."},
    {NULL, NULL},
};

PyStructSequence_Desc ext_sent_desc = {"crosstie.Sent", "What became of a message that was sent.", sent_fields, 2};

PyObject *ext_sent_new(ext_state *state, uint64_t sequence, uint32_t listeners) {
    PyObject *sent = PyStructSequence_New(state->sent_type);
    if (sent == NULL) {
        return NULL;
    }
    PyStructSequence_SetItem(sent, 0, PyLong_FromUnsignedLongLong(sequence));
    PyStructSequence_SetItem(sent, 1, PyLong_FromUnsignedLong(listeners));
    if (PyErr_Occurred()) {
        Py_CLEAR(sent);
    }
    return sent;
}
