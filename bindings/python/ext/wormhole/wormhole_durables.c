/*
 * Durable consumers of a wormhole: declaring, listing, moving and forgetting them. crosstie/_durables.py adds the rest.
 */
#include "wormhole.h"
#include "../base/error.h"
#include "../base/text.h"
#include "../value/value.h"

static ext_owner *of(PyObject *object) {
    return (ext_owner *)object;
}

/** The identifier and the name of a durable consumer. */
typedef struct consumer {
    ctie_str identifier;
    ctie_str name;
} consumer;

static int read_consumer(PyObject *identifier, PyObject *name, consumer *out) {
    return ext_text(identifier, "identifier", &out->identifier) < 0 || ext_text(name, "name", &out->name) < 0 ? -1 : 0;
}

/** Reads seconds as milliseconds, 1 at least; None is 0. */
static int read_span(PyObject *seconds, const char *what, uint64_t *out) {
    int64_t milliseconds = 0;
    if (ext_milliseconds(seconds, what, &milliseconds) < 0) {
        return -1;
    }
    *out = seconds == Py_None ? 0 : milliseconds == 0 ? 1 : (uint64_t)milliseconds;
    return 0;
}

static int read_options(PyObject *const *numbers, PyObject *dead_letter, ctie_durable_options *out) {
    return ext_uint32(numbers[0], "max_deliveries", &out->max_deliveries) < 0 ||
                   ext_text(dead_letter, "dead_letter", &out->dead_letter) < 0 ||
                   read_span(numbers[1], "backoff.first", &out->backoff_first_ms) < 0 ||
                   read_span(numbers[2], "backoff.most", &out->backoff_most_ms) < 0 ||
                   ext_uint64(numbers[3], "max_messages", UINT64_MAX, &out->max_messages) < 0 ||
                   ext_uint64(numbers[4], "max_size", UINT64_MAX, &out->max_size) < 0 ||
                   read_span(numbers[5], "expires", &out->expires_ms) < 0
               ? -1
               : 0;
}

PyObject *ext_wormhole_declare(PyObject *object, PyObject *args) {
    PyObject *identifier, *name, *dead_letter, *numbers[6];
    ctie_durable_options options = CTIE_DURABLE_OPTIONS_INIT;
    consumer consumer;
    if (!PyArg_ParseTuple(args, "OOIIOOOddOOOO:_declare", &identifier, &name, &options.flags, &options.when_full,
                          &dead_letter, &numbers[1], &numbers[2], &options.backoff_factor, &options.backoff_jitter,
                          &numbers[0], &numbers[3], &numbers[4], &numbers[5]) ||
        read_consumer(identifier, name, &consumer) < 0 || read_options(numbers, dead_letter, &options) < 0) {
        return NULL;
    }
    ctie_wormhole *handle = of(object)->handle;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_wormhole_declare(handle, consumer.identifier, consumer.name, &options, &error);
    Py_END_ALLOW_THREADS
    return ext_done(of(object)->state, status, error);
}

PyObject *ext_wormhole_durables(PyObject *object, PyObject *Py_UNUSED(unused)) {
    ctie_wormhole *handle = of(object)->handle;
    ctie_value *list = NULL;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_wormhole_durables(handle, &list, &error);
    Py_END_ALLOW_THREADS
    return ext_value_result(of(object)->state, status, list, error);
}

PyObject *ext_wormhole_seek(PyObject *object, PyObject *args) {
    PyObject *identifier, *name, *sequence_object, *time_object;
    uint64_t sequence = 0;
    int64_t time = 0;
    consumer consumer;
    if (!PyArg_ParseTuple(args, "OOOO:_seek", &identifier, &name, &sequence_object, &time_object) ||
        read_consumer(identifier, name, &consumer) < 0 ||
        ext_uint64(sequence_object, "sequence", UINT64_MAX, &sequence) < 0 ||
        ext_start(time_object, "time", &time) < 0) {
        return NULL;
    }
    ctie_wormhole *handle = of(object)->handle;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_wormhole_seek(handle, consumer.identifier, consumer.name, sequence, time, &error);
    Py_END_ALLOW_THREADS
    return ext_done(of(object)->state, status, error);
}

PyObject *ext_wormhole_forget(PyObject *object, PyObject *args) {
    PyObject *identifier, *name;
    consumer consumer;
    if (!PyArg_ParseTuple(args, "OO:forget", &identifier, &name) || read_consumer(identifier, name, &consumer) < 0) {
        return NULL;
    }
    ctie_wormhole *handle = of(object)->handle;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_wormhole_forget(handle, consumer.identifier, consumer.name, &error);
    Py_END_ALLOW_THREADS
    return ext_done(of(object)->state, status, error);
}
