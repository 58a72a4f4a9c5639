/*
 * Bus.call(), call_async() and broadcast(), and the one method for every request with options.
 */
#include "bus.h"
#include "spec.h"
#include "../base/error.h"
#include "../base/text.h"
#include "../request/request.h"
#include "../value/value.h"

static int refuse_both(void) {
    PyErr_SetString(PyExc_TypeError, "params must be either a mapping or keywords, not both");
    return -1;
}

/** Reads component, action, and params, which are a mapping or keywords. */
static inline int read_call(ext_state *state, PyObject *const *args, Py_ssize_t count, PyObject *keywords,
                            ext_spec *spec) {
    if (count != 2 && count != 3) {
        PyErr_Format(PyExc_TypeError, "expected a component, an action and optional params (%zd arguments given)", count);
        return -1;
    }
    spec->kind = CTIE_REQUEST_KIND_CALL;
    spec->params = NULL;
    if (ext_text(args[0], "component", &spec->target) < 0 || ext_text(args[1], "action", &spec->action) < 0) {
        return -1;
    }
    if (keywords != NULL && PyTuple_GET_SIZE(keywords) > 0) {
        if (count == 3 && args[2] != Py_None) {
            return refuse_both();
        }
        PyObject *params = ext_keywords_new(state, keywords, args + count);
        spec->params = params == NULL ? NULL : ext_value_carrying(params);
        Py_XDECREF(params);
        return spec->params == NULL ? -1 : 0;
    }
    return count == 2 ? 0 : ext_params_read(state, args[2], &spec->params);
}

PyObject *ext_bus_call(PyObject *object, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    ext_owner *self = (ext_owner *)object;
    ext_options options = EXT_OPTIONS_INIT(false);
    ext_spec spec;
    return read_call(self->state, args, count, keywords, &spec) < 0 ? NULL : ext_spec_run(self, &spec, &options);
}

PyObject *ext_bus_call_async(PyObject *object, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    ext_owner *self = (ext_owner *)object;
    ext_options options = EXT_OPTIONS_INIT(true);
    ext_spec spec;
    return read_call(self->state, args, count, keywords, &spec) < 0
               ? NULL
               : ext_spec_start(self, &spec, &options, args[0], args[1]);
}

/* ---- Requests with options ------------------------------------------------------------------------ */

/** The arguments of _make_request() and _broadcast(). */
typedef struct parts {
    int kind, is_async;
    PyObject *target, *action, *params, *options;
    unsigned int flags;
} parts;

static int read_parts(ext_state *state, const parts *parts, ext_spec *spec, ext_options *options) {
    spec->kind = parts->kind;
    spec->params = NULL;
    options->base.flags = parts->flags;
    if (ext_text(parts->target, ext_kinds[parts->kind].target, &spec->target) < 0 ||
        ext_text(parts->action, ext_kinds[parts->kind].action, &spec->action) < 0 ||
        ext_options_add_dict(state, options, parts->options) < 0) {
        return -1;
    }
    if (ext_params_read(state, parts->params, &spec->params) < 0) {
        ext_options_clear(options);
        return -1;
    }
    return 0;
}

PyObject *ext_bus_make_request(PyObject *object, PyObject *args) {
    ext_owner *self = (ext_owner *)object;
    parts parts;
    ext_spec spec;
    if (!PyArg_ParseTuple(args, "ipOOOO!I:_make_request", &parts.kind, &parts.is_async, &parts.target, &parts.action,
                          &parts.params, &PyDict_Type, &parts.options, &parts.flags)) {
        return NULL;
    }
    if (!ext_kind_can_make(parts.kind, parts.is_async)) {
        PyErr_Format(PyExc_ValueError, "requests of the kind %d are not made by this method", parts.kind);
        return NULL;
    }
    ext_options options = EXT_OPTIONS_INIT(parts.is_async);
    if (read_parts(self->state, &parts, &spec, &options) < 0) {
        return NULL;
    }
    return parts.is_async ? ext_spec_start(self, &spec, &options, parts.target, parts.action)
                          : ext_spec_run(self, &spec, &options);
}

/* ---- Events --------------------------------------------------------------------------------------- */

static PyObject *broadcast(ext_owner *self, ext_spec *spec, ext_options *options) {
    if (options->origin == CTIE_ORIGIN_REMOTE) {
        options->base.flags |= CTIE_REQUEST_REMOTE;
    }
    ext_state *state = self->state;
    ctie_value *outcome = NULL;
    ctie_error *error = NULL;
    bool is_counted = state->has_async;
    Py_INCREF(self);
    ext_sync_requests += is_counted;
    ctie_status status = ctie_component_broadcast(self->handle, spec->action, spec->params, &options->base, &outcome,
                                                  &error);
    ext_sync_requests -= is_counted;
    PyObject *done = ext_done(state, status, error);
    PyObject *result = done == NULL ? NULL : ext_value_object(state, outcome);
    Py_XDECREF(done);
    ctie_value_release(outcome);
    Py_DECREF(self);
    return result;
}

PyObject *ext_bus_broadcast(PyObject *object, PyObject *args) {
    ext_owner *self = (ext_owner *)object;
    parts parts = {.kind = CTIE_REQUEST_KIND_EVENT, .target = self->state->empty};
    ext_spec spec;
    ext_options options = EXT_OPTIONS_INIT(false);
    if (!PyArg_ParseTuple(args, "OOO!:_broadcast", &parts.action, &parts.params, &PyDict_Type, &parts.options) ||
        read_parts(self->state, &parts, &spec, &options) < 0) {
        return NULL;
    }
    PyObject *result = NULL;
    if (ext_options_close(self, &options) == 0) {
        result = broadcast(self, &spec, &options);
        ext_options_clear(&options);
    }
    ctie_value_release(spec.params);
    return result;
}
