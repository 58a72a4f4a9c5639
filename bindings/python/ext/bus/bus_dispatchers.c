/*
 * The dispatchers of a bus and its counts of requests; its plug-ins.
 */
#include "bus.h"
#include "../base/error.h"
#include "../base/owner.h"
#include "../base/text.h"
#include "../value/value.h"

static ext_owner *of(PyObject *object) {
    return (ext_owner *)object;
}

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
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_dispatcher_cancel_all(handle, name, &count, &error);
    Py_END_ALLOW_THREADS
    return status < 0 ? ext_raise(of(object)->state, status, error) : PyLong_FromSize_t(count);
}

PyObject *ext_bus_stats_list(PyObject *object, PyObject *Py_UNUSED(unused)) {
    ctie_value *list = NULL;
    ctie_error *error = NULL;
    ctie_status status = ctie_bus_stats(of(object)->handle, &list, &error);
    return ext_value_result(of(object)->state, status, list, error);
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
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_plugin_unload(handle, path, &error);
    Py_END_ALLOW_THREADS
    return ext_done(of(object)->state, status, error);
}
