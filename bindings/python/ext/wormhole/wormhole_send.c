/*
 * Wormhole.send() and signal(), and scheduled messages.
 */
#include "send_options.h"
#include "wormhole.h"
#include "../base/error.h"
#include "../base/text.h"
#include "../value/value.h"

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

/* ---- With options --------------------------------------------------------------------------------- */

/** Sends a value, or a signal for NULL. */
static PyObject *send(ext_owner *self, PyObject *identifier, PyObject *object, ext_send_options *send_options) {
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
    ext_send_options send_options = {.options = CTIE_SEND_OPTIONS_INIT};
    PyObject *result = NULL;
    Py_ssize_t i = 0;
    for (; i < PyTuple_GET_SIZE(names); i++) {
        if (ext_send_options_read(self->state, &send_options, function, PyTuple_GET_ITEM(names, i), values[i]) < 0) {
            break;
        }
    }
    if (i == PyTuple_GET_SIZE(names)) {
        result = send(self, identifier, object, &send_options);
    }
    ext_send_options_end(&send_options);
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
