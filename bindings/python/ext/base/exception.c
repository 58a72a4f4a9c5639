/*
 * Exceptions as single objects with their traceback.
 */
#include "error.h"

void ext_raise_object(PyObject *exception) {
    PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
}

PyObject *ext_take_exception(void) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    if (traceback != NULL) {
        PyException_SetTraceback(value, traceback);
    }
    Py_XDECREF(type);
    Py_XDECREF(traceback);
    return value;
}

void ext_report(PyObject *exception, PyObject *where) {
    ext_raise_object(exception);
    PyErr_WriteUnraisable(where);
}
