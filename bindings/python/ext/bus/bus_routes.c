/*
 * The methods of Bus that list and remove routes, and make their URLs.
 */
#include "bus.h"
#include "../base/error.h"
#include "../base/owner.h"
#include "../base/text.h"
#include "../value/value.h"

static ext_owner *of(PyObject *object) {
    return (ext_owner *)object;
}

PyObject *ext_route_remove(PyObject *object, PyObject *pattern_object) {
    ext_owner *self = of(object);
    ctie_str pattern;
    if (ext_text(pattern_object, "pattern", &pattern) < 0) {
        return NULL;
    }
    ctie_bus *handle = self->handle;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_route_remove(handle, pattern, &error);
    Py_END_ALLOW_THREADS
    return ext_done(self->state, status, error);
}

PyObject *ext_route_clear(PyObject *object, PyObject *Py_UNUSED(unused)) {
    ctie_bus *handle = of(object)->handle;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_route_clear(handle);
    Py_END_ALLOW_THREADS
    return ext_done(of(object)->state, status, NULL);
}

PyObject *ext_route_list(PyObject *object, PyObject *Py_UNUSED(unused)) {
    ext_owner *self = of(object);
    ctie_value *list = NULL;
    ctie_status status = ctie_route_list(self->handle, &list);
    return ext_value_result(self->state, status, list, NULL);
}

/* ---- URLs ----------------------------------------------------------------------------------------- */

/** Makes the URL of a pattern. For a pattern with a scheme Crosstie accepts a closed bus, too; Python does not. */
PyObject *ext_generate(PyObject *object, PyObject *args) {
    ext_owner *self = of(object);
    PyObject *pattern_object, *params_object;
    ctie_str pattern;
    if (!PyArg_ParseTuple(args, "UO:_generate", &pattern_object, &params_object) ||
        ext_text(pattern_object, "pattern", &pattern) < 0) {
        return NULL;
    }
    ctie_value *params = ext_value_plain(self->state, params_object);
    if (params == NULL) {
        return NULL;
    }
    ctie_value *url = NULL;
    ctie_error *error = NULL;
    ctie_status status = self->handle == NULL ? CTIE_E_HANDLE
                                              : ctie_generate(self->handle, pattern, params, &url, &error);
    ctie_value_release(params);
    return ext_value_result(self->state, status, url, error);
}
