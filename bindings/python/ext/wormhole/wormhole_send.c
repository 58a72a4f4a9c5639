/*
 * Wormhole.send() and signal(), and scheduled messages.
 */
#include "wormhole.h"
#include "../base/error.h"
#include "../base/text.h"
#include "../value/value.h"

#include <math.h>

static ext_owner *of(PyObject *object) {
    return (ext_owner *)object;
}

/* ---- Without options ------------------------------------------------------------------------------ */

int ext_wormhole_send_value(ext_owner *self, PyObject *identifier, PyObject *object, uint64_t *sequence,
                            uint32_t *listeners) {
    ctie_str name;
    if (ext_text(identifier, "identifier", &name) < 0) {
        return -1;
    }
    ctie_value *value = object == NULL ? NULL : ext_value_plain(self->state, object);
    if (object != NULL && value == NULL) {
        return -1;
    }
    ctie_wormhole *handle = self->handle;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = value == NULL ? ctie_wormhole_signal(handle, name, sequence, listeners, &error)
                           : ctie_wormhole_send(handle, name, value, NULL, sequence, listeners, &error);
    Py_END_ALLOW_THREADS
    if (status != CTIE_OK) {
        ext_raise(self->state, status, error);
        return -1;
    }
    return 0;
}

static PyObject *send_and_count(ext_owner *self, PyObject *identifier, PyObject *object) {
    uint64_t sequence = 0;
    uint32_t listeners = 0;
    if (ext_wormhole_send_value(self, identifier, object, &sequence, &listeners) < 0) {
        return NULL;
    }
    return ext_sent_new(self->state, sequence, listeners);
}

/* ---- Options -------------------------------------------------------------------------------------- */

/** The keyword arguments of send() and signal(), and the objects that keep their texts. */
typedef struct send_options {
    ctie_send_options options;
    ctie_header headers[32];
    PyObject *pairs; /**< a list that keeps the headers' texts; may be NULL */
} send_options;

static int add_header(send_options *self, PyObject *pair) {
    ctie_header *header = &self->headers[self->options.header_count];
    PyObject *name = NULL, *value = NULL;
    if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2) {
        PyErr_SetString(PyExc_TypeError, "headers must be a mapping of str to str");
        return -1;
    }
    name = PyTuple_GET_ITEM(pair, 0);
    value = PyTuple_GET_ITEM(pair, 1);
    if (!PyUnicode_Check(name) || !PyUnicode_Check(value)) {
        PyErr_SetString(PyExc_TypeError, "headers must be a mapping of str to str");
        return -1;
    }
    self->options.header_count++;
    return ext_text(name, "a header's name", &header->name) < 0 || ext_text(value, "a header", &header->value) < 0 ? -1
                                                                                                                : 0;
}

static int read_headers(ext_state *state, send_options *self, PyObject *object) {
    if (object == Py_None) {
        return 0;
    }
    self->pairs = PyMapping_Items(object);
    if (self->pairs == NULL) {
        if (PyErr_ExceptionMatches(PyExc_AttributeError)) {
            PyErr_SetString(PyExc_TypeError, "headers must be a mapping of str to str");
        }
        return -1;
    }
    if ((size_t)PyList_GET_SIZE(self->pairs) > sizeof(self->headers) / sizeof(self->headers[0])) {
        ext_raise_text(state, CTIE_E_LIMIT, "more than 32 headers");
        return -1;
    }
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(self->pairs); i++) {
        if (add_header(self, PyList_GET_ITEM(self->pairs, i)) < 0) {
            return -1;
        }
    }
    self->options.headers = self->headers;
    return 0;
}

/** Reads seconds. Infinity sets the flag `endless`, and 0 the flag `none`, unless those are 0. */
static int read_span(PyObject *object, const char *what, uint32_t endless, uint32_t none, uint64_t *out,
                     uint32_t *flags) {
    int64_t milliseconds = 0;
    if (object == Py_None) {
        return 0;
    }
    if (endless != 0 && PyFloat_Check(object) && isinf(PyFloat_AS_DOUBLE(object)) && PyFloat_AS_DOUBLE(object) > 0) {
        *flags |= endless;
        return 0;
    }
    if (ext_milliseconds(object, what, &milliseconds) < 0) {
        return -1;
    }
    if (milliseconds == 0 && none != 0) {
        *flags |= none;
        return 0;
    }
    *out = milliseconds == 0 ? 1 : (uint64_t)milliseconds;
    return 0;
}

/** Reads a token, which the arguments keep; the library checks its size. */
static int read_token(PyObject *object, ctie_bytes *out) {
    if (object == Py_None) {
        return 0;
    }
    if (!PyBytes_Check(object)) {
        PyErr_SetString(PyExc_TypeError, "token must be bytes");
        return -1;
    }
    if (PyBytes_GET_SIZE(object) == 0) {
        PyErr_SetString(PyExc_ValueError, "token has 16 bytes");
        return -1;
    }
    *out = (ctie_bytes){PyBytes_AS_STRING(object), (size_t)PyBytes_GET_SIZE(object)};
    return 0;
}

static int read_keyword(ext_state *state, send_options *self, const char *function, PyObject *name, PyObject *object) {
    ctie_send_options *options = &self->options;
    if (PyUnicode_CompareWithASCIIString(name, "headers") == 0) {
        return read_headers(state, self, object);
    }
    if (PyUnicode_CompareWithASCIIString(name, "expires") == 0) {
        return read_span(object, "expires", CTIE_SEND_LASTING, 0, &options->expires_ms, &options->flags);
    }
    if (PyUnicode_CompareWithASCIIString(name, "delay") == 0) {
        return read_span(object, "delay", 0, CTIE_SEND_NOW, &options->delay_ms, &options->flags);
    }
    if (PyUnicode_CompareWithASCIIString(name, "not_before") == 0) {
        return ext_moment(object, "not_before", &options->not_before);
    }
    if (PyUnicode_CompareWithASCIIString(name, "token") == 0) {
        return read_token(object, &options->token);
    }
    PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", function, name);
    return -1;
}

/** Sends a value, or a signal for NULL. */
static PyObject *send(ext_owner *self, PyObject *identifier, PyObject *object, send_options *send_options) {
    ctie_str name;
    if (ext_text(identifier, "identifier", &name) < 0) {
        return NULL;
    }
    ctie_value *value = object == NULL ? NULL : ext_value_plain(self->state, object);
    if (object != NULL && value == NULL) {
        return NULL;
    }
    if (object == NULL) {
        send_options->options.flags |= CTIE_SEND_SIGNAL;
    }
    ctie_wormhole *handle = self->handle;
    uint64_t sequence = 0;
    uint32_t listeners = 0;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_wormhole_send(handle, name, value, &send_options->options, &sequence, &listeners, &error);
    Py_END_ALLOW_THREADS
    return status == CTIE_OK ? ext_sent_new(self->state, sequence, listeners)
                             : ext_raise(self->state, status, error);
}

PyObject *ext_wormhole_send_with(ext_owner *self, const char *function, PyObject *identifier, PyObject *object,
                                 PyObject *const *values, PyObject *names) {
    send_options send_options = {.options = CTIE_SEND_OPTIONS_INIT};
    PyObject *result = NULL;
    Py_ssize_t i = 0;
    for (; i < PyTuple_GET_SIZE(names); i++) {
        if (read_keyword(self->state, &send_options, function, PyTuple_GET_ITEM(names, i), values[i]) < 0) {
            break;
        }
    }
    if (i == PyTuple_GET_SIZE(names)) {
        result = send(self, identifier, object, &send_options);
    }
    Py_XDECREF(send_options.pairs);
    return result;
}

/* ---- The methods ---------------------------------------------------------------------------------- */

PyObject *ext_wormhole_send(PyObject *object, PyObject *const *args, Py_ssize_t count, PyObject *names) {
    if (count != 2) {
        PyErr_Format(PyExc_TypeError, "send() takes 2 arguments, identifier and value (%zd given)", count);
        return NULL;
    }
    return names == NULL ? send_and_count(of(object), args[0], args[1])
                         : ext_wormhole_send_with(of(object), "send", args[0], args[1], args + count, names);
}

PyObject *ext_wormhole_signal(PyObject *object, PyObject *const *args, Py_ssize_t count, PyObject *names) {
    if (count != 1) {
        PyErr_Format(PyExc_TypeError, "signal() takes 1 argument, identifier (%zd given)", count);
        return NULL;
    }
    return names == NULL ? send_and_count(of(object), args[0], NULL)
                         : ext_wormhole_send_with(of(object), "signal", args[0], NULL, args + count, names);
}

/* ---- Scheduled messages --------------------------------------------------------------------------- */

PyObject *ext_wormhole_scheduled(PyObject *object, PyObject *args) {
    ext_owner *self = (ext_owner *)object;
    PyObject *topic;
    ctie_str text;
    if (!PyArg_ParseTuple(args, "O:_scheduled", &topic) || ext_text(topic, "identifier", &text) < 0) {
        return NULL;
    }
    ctie_wormhole *handle = self->handle;
    ctie_value *list = NULL;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_wormhole_scheduled(handle, text, &list, &error);
    Py_END_ALLOW_THREADS
    return ext_value_result(self->state, status, list, error);
}

PyObject *ext_wormhole_cancel_scheduled(PyObject *object, PyObject *number) {
    ext_owner *self = (ext_owner *)object;
    uint64_t sequence = 0;
    if (ext_uint64(number, "number", UINT64_MAX, &sequence) < 0) {
        return NULL;
    }
    ctie_wormhole *handle = self->handle;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_wormhole_cancel_scheduled(handle, sequence, &error);
    Py_END_ALLOW_THREADS
    return ext_done(self->state, status, error);
}
