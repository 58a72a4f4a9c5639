/*
 * The performer of a bus: the targets that are allowed, and the functions that its resolver finds.
 */
#include "bus.h"
#include "../base/error.h"
#include "../base/text.h"
#include "../handler/registration.h"

static ext_owner *of(PyObject *object) {
    return (ext_owner *)object;
}

PyObject *ext_performer_allow(PyObject *object, PyObject *target_object) {
    ctie_str target;
    if (ext_text(target_object, "target", &target) < 0) {
        return NULL;
    }
    ctie_error *error = NULL;
    ctie_status status = ctie_performer_allow(of(object)->handle, target, &error);
    return ext_done(of(object)->state, status, error);
}

PyObject *ext_performer_release(PyObject *object, PyObject *target_object) {
    ctie_str target;
    if (ext_text(target_object, "target", &target) < 0) {
        return NULL;
    }
    ctie_bus *handle = of(object)->handle;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_performer_release(handle, target, &error);
    Py_END_ALLOW_THREADS
    return ext_done(of(object)->state, status, error);
}

PyObject *ext_selector_new(PyObject *object, PyObject *args) {
    PyObject *function, *plan;
    if (!PyArg_ParseTuple(args, "OO!:_selector", &function, &PyTuple_Type, &plan)) {
        return NULL;
    }
    ext_registration *self = ext_registration_new(of(object), EXT_SELECTOR, function, NULL, NULL);
    if (self != NULL && ext_registration_plan(self, plan) < 0) {
        Py_CLEAR(self);
    }
    if (self != NULL) {
        self->plan.may_have_rule = true;
        self->plan.is_strict = !self->plan.takes_rest && !(self->plan.takes_request && self->plan.named == 0);
    }
    return (PyObject *)self;
}
