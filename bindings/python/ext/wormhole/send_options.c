/*
 * The options of sending, from keyword arguments.
 */
#include "send_options.h"
#include "../base/error.h"
#include "../base/text.h"

#include <math.h>

static int add_header(ext_send_options *self, PyObject *pair) {
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

static int read_headers(ext_state *state, ext_send_options *self, PyObject *object) {
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

int ext_send_options_read(ext_state *state, ext_send_options *self, const char *function, PyObject *name,
                          PyObject *object) {
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

void ext_send_options_end(ext_send_options *self) {
    Py_CLEAR(self->pairs);
}
