/*
 * Numbers that Python gives for options: what does not fit is refused by the option's name, and nothing is cut.
 */
#include "crosstie_ext.h"

#include <math.h>

/** Raises what says which numbers an option takes, in place of what is raised for one that fits no type of C. */
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
