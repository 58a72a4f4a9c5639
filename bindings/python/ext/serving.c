/*
 * What a bus has beside handlers: its performer's targets, its dispatchers and what they have counted, plug-ins.
 */
#include "component.h"

static ext_owner *of(PyObject *object) {
    return (ext_owner *)object;
}

/* ---- The performer -------------------------------------------------------------------------------- */

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
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_performer_release(handle, target);
    Py_END_ALLOW_THREADS
    return ext_done(of(object)->state, status, NULL);
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

/* ---- Dispatchers ---------------------------------------------------------------------------------- */

PyObject *ext_dispatcher_add(PyObject *object, PyObject *args, PyObject *keywords) {
    static char *names[] = {"", "workers", "queued", NULL};
    PyObject *name_object, *workers = NULL, *queued = NULL;
    ctie_str name;
    ctie_dispatcher_options options = CTIE_DISPATCHER_OPTIONS_INIT;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|$OO:add_dispatcher", names, &name_object, &workers, &queued) ||
        ext_text(name_object, "name", &name) < 0 || ext_uint32(workers, "workers", &options.max_workers) < 0 ||
        ext_uint32(queued, "queued", &options.max_queued) < 0) {
        return NULL;
    }
    ctie_error *error = NULL;
    ctie_status status = ctie_dispatcher_add(of(object)->handle, name, &options, &error);
    return ext_done(of(object)->state, status, error);
}

PyObject *ext_dispatcher_cancel_all(PyObject *object, PyObject *args, PyObject *keywords) {
    static char *names[] = {"dispatcher", NULL};
    PyObject *name_object = of(object)->state->empty;
    ctie_str name;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|O:cancel_all", names, &name_object) ||
        ext_text(name_object, "dispatcher", &name) < 0) {
        return NULL;
    }
    ctie_bus *handle = of(object)->handle;
    size_t count = 0;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_dispatcher_cancel_all(handle, name, &count);
    Py_END_ALLOW_THREADS
    return status < 0 ? ext_raise(of(object)->state, status, NULL) : PyLong_FromSize_t(count);
}

PyObject *ext_bus_stats_list(PyObject *object, PyObject *Py_UNUSED(unused)) {
    ctie_value *list = NULL;
    ctie_error *error = NULL;
    ctie_status status = ctie_bus_stats(of(object)->handle, &list, &error);
    PyObject *result = status == CTIE_OK ? ext_value_object(of(object)->state, list)
                                         : ext_raise(of(object)->state, status, error);
    ctie_value_release(list);
    return result;
}

/* ---- Plug-ins ------------------------------------------------------------------------------------- */

PyObject *ext_plugin_load(PyObject *object, PyObject *path_object) {
    ctie_str path;
    if (ext_text(path_object, "path", &path) < 0) {
        return NULL;
    }
    ctie_bus *handle = of(object)->handle;
    size_t count = 0;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_plugin_load(handle, path, &count, &error);
    Py_END_ALLOW_THREADS
    return status < 0 ? ext_raise(of(object)->state, status, error) : PyLong_FromSize_t(count);
}

PyObject *ext_plugin_unload(PyObject *object, PyObject *path_object) {
    ctie_str path;
    if (ext_text(path_object, "path", &path) < 0) {
        return NULL;
    }
    ctie_bus *handle = of(object)->handle;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_plugin_unload(handle, path);
    Py_END_ALLOW_THREADS
    return ext_done(of(object)->state, status, NULL);
}
