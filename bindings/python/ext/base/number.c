/*
 * Numbers for options. A number that does not fit is refused by the option's name; none is cut.
 */
#include "text.h"

#include <math.h>

/** Raises an exception that names the numbers an option takes. It replaces that of a number that fits no type of C. */
static int refuse(const char *what, const char *allowed) {
    if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_OverflowError)) {
        PyErr_Format(PyExc_ValueError, "%s is %s", what, allowed);
    } else if (PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Format(PyExc_TypeError, "%s is %s", what, allowed);
    }
    return -1;
}

int ext_uint64(PyObject *object, const char *what, uint64_t most, uint64_t *out) {
    if (object == NULL) {
        return 0;
    }
    PyObject *index = PyNumber_Index(object);
    unsigned long long number = index == NULL ? 0 : PyLong_AsUnsignedLongLong(index);
    Py_XDECREF(index);
    if (PyErr_Occurred() || number > most) {
        char allowed[64];
        PyOS_snprintf(allowed, sizeof(allowed), "an integer from 0 to %llu", (unsigned long long)most);
        return refuse(what, allowed);
    }
    *out = number;
    return 0;
}

int ext_uint32(PyObject *object, const char *what, uint32_t *out) {
    uint64_t number = *out;
    int result = ext_uint64(object, what, UINT32_MAX, &number);
    *out = (uint32_t)number;
    return result;
}

int ext_int32(PyObject *object, const char *what, int32_t *out) {
    if (object == NULL) {
        return 0;
    }
    PyObject *index = PyNumber_Index(object);
    long long number = index == NULL ? 0 : PyLong_AsLongLong(index);
    Py_XDECREF(index);
    if (PyErr_Occurred() || number < INT32_MIN || number > INT32_MAX) {
        return refuse(what, "an integer of 32 bits");
    }
    *out = (int32_t)number;
    return 0;
}

int ext_milliseconds(PyObject *seconds, const char *what, int64_t *out) {
    if (seconds == Py_None) {
        *out = -1;
        return 0;
    }
    double number = PyFloat_AsDouble(seconds);
    if (PyErr_Occurred() || !(number >= 0 && number < 1e15)) {
        return refuse(what, "a number of seconds from 0 to below 1e15, or None");
    }
    *out = (int64_t)ceil(number * 1000);
    return 0;
}

/** Seconds since 1970 of a number or a datetime, as a float; NULL with the exception that the object raises. */
static PyObject *stamp_of(PyObject *object, const char *what) {
    if (PyNumber_Check(object)) {
        return PyNumber_Float(object);
    }
    PyObject *stamp = PyObject_CallMethod(object, "timestamp", NULL);
    if (stamp == NULL && PyErr_ExceptionMatches(PyExc_AttributeError)) {
        PyErr_Format(PyExc_TypeError, "%s is seconds since 1970, or a datetime", what);
    }
    return stamp;
}

int ext_moment(PyObject *object, const char *what, int64_t *out) {
    if (object == NULL || object == Py_None) {
        *out = 0;
        return 0;
    }
    PyObject *stamp = stamp_of(object, what);
    double seconds = stamp == NULL ? -1 : PyFloat_AsDouble(stamp);
    Py_XDECREF(stamp);
    if (!(seconds >= 0 && seconds < 9e9)) {
        /* Python itself refuses some: a datetime of the year 1, an integer of 400 digits. */
        if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_OverflowError) ||
            PyErr_ExceptionMatches(PyExc_ValueError)) {
            PyErr_Format(PyExc_ValueError, "%s is a time from 1970 to 2255", what);
        }
        return -1;
    }
    double whole = floor(seconds);
    int64_t time = (int64_t)whole * 1000000000 + (int64_t)((seconds - whole) * 1e9);
    *out = time == 0 ? 1 : time;
    return 0;
}

int ext_start(PyObject *object, const char *what, int64_t *out) {
    enum { slack = 1000 };
    if (ext_moment(object, what, out) < 0) {
        return -1;
    }
    *out = *out > slack ? *out - slack : *out == 0 ? 0 : 1;
    return 0;
}
