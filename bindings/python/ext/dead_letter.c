/*
 * Dead letters of a Wormhole; crosstie/_wormhole.py and _dead_letters.py make their functions of it.
 */
#include "crosstie_ext.h"

static ext_owner *of(PyObject *object) {
    return (ext_owner *)object;
}

/** Which dead letters. */
typedef struct place {
    ctie_str identifier;
    ctie_str name;
    uint64_t number; /**< of one; or the last one before those that are meant */
} place;

/** The place that the first three arguments tell; None is the number 0. */
static int read_place(PyObject *identifier, PyObject *name, PyObject *number, place *out) {
    out->number = 0;
    if (ext_text(identifier, "identifier", &out->identifier) < 0 || ext_text(name, "durable", &out->name) < 0) {
        return -1;
    }
    return number == Py_None ? 0 : ext_uint64(number, "sequence", UINT64_MAX, &out->number);
}

PyObject *ext_wormhole_dead_letters(PyObject *object, PyObject *args) {
    PyObject *identifier, *name, *after, *limit_object;
    place place;
    uint64_t limit = 0;
    if (!PyArg_ParseTuple(args, "OOOO:_dead_letters", &identifier, &name, &after, &limit_object) ||
        read_place(identifier, name, after, &place) < 0 || ext_uint64(limit_object, "limit", SIZE_MAX, &limit) < 0) {
        return NULL;
    }
    ctie_wormhole *handle = of(object)->handle;
    ctie_value *list = NULL;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_wormhole_dead_letters(handle, place.identifier, place.name, place.number, (size_t)limit, &list, &error);
    Py_END_ALLOW_THREADS
    if (status != CTIE_OK) {
        return ext_raise(of(object)->state, status, error);
    }
    PyObject *result = ext_value_object(of(object)->state, list);
    ctie_value_release(list);
    return result;
}

PyObject *ext_wormhole_dead_letter(PyObject *object, PyObject *args) {
    PyObject *identifier, *name, *number;
    place place;
    if (!PyArg_ParseTuple(args, "OOO:dead_letter", &identifier, &name, &number) ||
        read_place(identifier, name, number, &place) < 0) {
        return NULL;
    }
    ctie_wormhole *handle = of(object)->handle;
    ctie_message *message = NULL;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_wormhole_dead_letter(handle, place.identifier, place.name, place.number, &message, &error);
    Py_END_ALLOW_THREADS
    if (status != CTIE_OK) {
        return ext_raise(of(object)->state, status, error);
    }
    PyObject *result = ext_message_new(of(object)->state, message);
    ctie_message_release(message);
    return result;
}

PyObject *ext_wormhole_settle_dead(PyObject *object, PyObject *args) {
    PyObject *identifier, *name, *number;
    int is_retry;
    place place;
    if (!PyArg_ParseTuple(args, "pOOO:_settle_dead", &is_retry, &identifier, &name, &number) ||
        read_place(identifier, name, number, &place) < 0) {
        return NULL;
    }
    if (number != Py_None && place.number == 0) {
        return ext_raise_text(of(object)->state, CTIE_E_NOT_FOUND, "no message has the number 0");
    }
    ctie_wormhole *handle = of(object)->handle;
    uint64_t count = 0;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = is_retry ? ctie_wormhole_retry(handle, place.identifier, place.name, place.number, &count, &error)
                      : ctie_wormhole_drop(handle, place.identifier, place.name, place.number, &count, &error);
    Py_END_ALLOW_THREADS
    return status == CTIE_OK ? PyLong_FromUnsignedLongLong(count) : ext_raise(of(object)->state, status, error);
}
