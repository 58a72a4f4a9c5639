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

/** Reads the params, which are the last argument, a mapping, or keywords. */
static inline int read_params(ext_state *state, PyObject *const *args, Py_ssize_t count, PyObject *keywords,
                              ext_spec *spec) {
    if (keywords != NULL && PyTuple_GET_SIZE(keywords) > 0) {
        if (count == 1 && args[0] != Py_None) {
            return refuse_both();
        }
        PyObject *params = ext_keywords_new(state, keywords, args + count);
        spec->params = params == NULL ? NULL : ext_value_carrying(params);
        Py_XDECREF(params);
        return spec->params == NULL ? -1 : 0;
    }
    return count == 0 ? 0 : ext_params_read(state, args[0], &spec->params);
}

/** Reads component, action and params. */
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
    return read_params(state, args + 2, count - 2, keywords, spec);
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

/** A field of the outcome, which is a map of the library's. */
static const ctie_value *field(const ctie_value *outcome, const char *name) {
    return ctie_value_get(outcome, ctie_str_from(name));
}

/** The Broadcast of an outcome. One without failures, the usual one, is made here. */
static PyObject *broadcast_object(ext_state *state, const ctie_value *outcome) {
    int64_t count = 0;
    bool any = false;
    if (ctie_value_count(field(outcome, "failures")) > 0 ||
        ctie_value_get_int(field(outcome, "count"), &count) != CTIE_OK ||
        ctie_value_get_bool(field(outcome, "any"), &any) != CTIE_OK) {
        PyObject *map = ext_value_object(state, outcome);
        PyObject *result = map == NULL ? NULL : PyObject_CallOneArg(state->broadcast_of, map);
        Py_XDECREF(map);
        return result;
    }
    PyTypeObject *type = (PyTypeObject *)state->broadcast_class; /* a NamedTuple */
    PyObject *number = PyLong_FromLongLong(count), *failures = number == NULL ? NULL : PyTuple_New(0);
    PyObject *result = failures == NULL ? NULL : type->tp_alloc(type, 3);
    if (result == NULL) {
        Py_XDECREF(number);
        Py_XDECREF(failures);
        return NULL;
    }
    PyTuple_SET_ITEM(result, 0, number);
    PyTuple_SET_ITEM(result, 1, PyBool_FromLong(any));
    PyTuple_SET_ITEM(result, 2, failures);
    return result;
}

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
    PyObject *result = done == NULL ? NULL : broadcast_object(state, outcome);
    Py_XDECREF(done);
    ctie_value_release(outcome);
    Py_DECREF(self);
    return result;
}

/** Makes the broadcast. Consumes the spec's parameters and the options. */
static PyObject *close_and_broadcast(ext_owner *self, ext_spec *spec, ext_options *options) {
    PyObject *result = NULL;
    if (ext_options_close(self, options) == 0) {
        result = broadcast(self, spec, options);
        ext_options_clear(options);
    }
    ext_value_release(spec->params);
    return result;
}

PyObject *ext_bus_broadcast(PyObject *object, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    ext_owner *self = (ext_owner *)object;
    ext_options options = EXT_OPTIONS_INIT(false);
    ext_spec spec = {.kind = CTIE_REQUEST_KIND_EVENT};
    if (count != 1 && count != 2) {
        PyErr_Format(PyExc_TypeError, "expected an event and optional params (%zd arguments given)", count);
        return NULL;
    }
    if (ext_text(args[0], "event", &spec.action) < 0 ||
        read_params(self->state, args + 1, count - 1, keywords, &spec) < 0) {
        return NULL;
    }
    return close_and_broadcast(self, &spec, &options);
}

PyObject *ext_bus_broadcast_with(PyObject *object, PyObject *args) {
    ext_owner *self = (ext_owner *)object;
    parts parts = {.kind = CTIE_REQUEST_KIND_EVENT, .target = self->state->empty};
    ext_spec spec;
    ext_options options = EXT_OPTIONS_INIT(false);
    if (!PyArg_ParseTuple(args, "OOO!:_broadcast", &parts.action, &parts.params, &PyDict_Type, &parts.options) ||
        read_parts(self->state, &parts, &spec, &options) < 0) {
        return NULL;
    }
    return close_and_broadcast(self, &spec, &options);
}
