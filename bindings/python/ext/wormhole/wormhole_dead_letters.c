/*
 * The dead letters of a Wormhole's durable consumers; crosstie/_wormhole.py and _dead_letters.py add the rest.
 */
#include "wormhole.h"
#include "../base/error.h"
#include "../base/text.h"
#include "../value/value.h"

static ext_owner *of(PyObject *object) {
    return (ext_owner *)object;
}

/** The dead letters of a durable consumer, or one of them. */
typedef struct letters {
    ctie_str identifier;
    ctie_str name;
    uint64_t number; /**< of one letter; or of the last one before those to list */
} letters;

/** Reads identifier, name and number; None is the number 0. */
static int read_letters(PyObject *identifier, PyObject *name, PyObject *number, letters *out) {
    out->number = 0;
    if (ext_text(identifier, "identifier", &out->identifier) < 0 || ext_text(name, "durable", &out->name) < 0) {
        return -1;
    }
    return number == Py_None ? 0 : ext_uint64(number, "sequence", UINT64_MAX, &out->number);
}

PyObject *ext_wormhole_dead_letters(PyObject *object, PyObject *args) {
    PyObject *identifier, *name, *after, *limit_object;
    letters letters;
    uint64_t limit = 0;
    if (!PyArg_ParseTuple(args, "OOOO:_dead_letters", &identifier, &name, &after, &limit_object) ||
        read_letters(identifier, name, after, &letters) < 0 || ext_uint64(limit_object, "limit", SIZE_MAX, &limit) < 0) {
        return NULL;
    }
    ctie_wormhole *handle = of(object)->handle;
    ctie_value *list = NULL;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_wormhole_dead_letters(handle, letters.identifier, letters.name, letters.number, (size_t)limit, &list,
                                        &error);
    Py_END_ALLOW_THREADS
    return ext_value_result(of(object)->state, status, list, error);
}

PyObject *ext_wormhole_dead_letter(PyObject *object, PyObject *args) {
    PyObject *identifier, *name, *number;
    letters letters;
    if (!PyArg_ParseTuple(args, "OOO:dead_letter", &identifier, &name, &number) ||
        read_letters(identifier, name, number, &letters) < 0) {
        return NULL;
    }
    ctie_wormhole *handle = of(object)->handle;
    ctie_message *message = NULL;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_wormhole_dead_letter(handle, letters.identifier, letters.name, letters.number, &message, &error);
    Py_END_ALLOW_THREADS
    if (status != CTIE_OK) {
        return ext_raise(of(object)->state, status, error);
    }
    PyObject *result = ext_message_new(of(object)->state, message);
    ctie_message_release(message);
    return result;
}

PyObject *ext_wormhole_retry_or_drop(PyObject *object, PyObject *args) {
    PyObject *identifier, *name, *number;
    int is_retry;
    letters letters;
    if (!PyArg_ParseTuple(args, "pOOO:_retry_or_drop", &is_retry, &identifier, &name, &number) ||
        read_letters(identifier, name, number, &letters) < 0) {
        return NULL;
    }
    if (number != Py_None && letters.number == 0) {
        return ext_raise_text(of(object)->state, CTIE_E_NOT_FOUND, "no message has the number 0");
    }
    ctie_wormhole *handle = of(object)->handle;
    uint64_t count = 0;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = is_retry ? ctie_wormhole_retry(handle, letters.identifier, letters.name, letters.number, &count, &error)
                      : ctie_wormhole_drop(handle, letters.identifier, letters.name, letters.number, &count, &error);
    Py_END_ALLOW_THREADS
    return status == CTIE_OK ? PyLong_FromUnsignedLongLong(count) : ext_raise(of(object)->state, status, error);
}
