/*
 * The parameters of a request, from a mapping.
 */
#include "value.h"

static ctie_value *copied(PyObject *mapping) {
    PyObject *copy = PyDict_New();
    ctie_value *value = NULL;
    if (copy != NULL && PyDict_Update(copy, mapping) == 0) {
        value = ext_value_carrying(copy);
    }
    Py_XDECREF(copy);
    return value;
}

int ext_params_read(ext_state *state, PyObject *object, ctie_value **out) {
    *out = NULL;
    if (object == Py_None) {
        return 0;
    }
    if (PyDict_Check(object)) {
        *out = ext_value_carrying(object);
    } else if (PyObject_IsInstance(object, state->mapping_class) == 1) {
        *out = copied(object);
    } else if (!PyErr_Occurred()) {
        PyErr_Format(PyExc_TypeError, "params must be a mapping, not %.100s", Py_TYPE(object)->tp_name);
    }
    return *out == NULL ? -1 : 0;
}
