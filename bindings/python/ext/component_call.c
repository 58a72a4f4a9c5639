/*
 * Bus.call(), call_async(), broadcast(), and the one method by which requests are made with options of a view.
 */
#include "kinds.h"

static int refuse_both(void) {
    PyErr_SetString(PyExc_TypeError, "params go either in a mapping or by keywords");
    return -1;
}

/** Component, action, and params in one mapping or by keywords. */
static inline int read_call(ext_state *state, PyObject *const *args, Py_ssize_t count, PyObject *keywords,
                            ext_ask *ask) {
    if (count != 2 && count != 3) {
        PyErr_Format(PyExc_TypeError, "expected component and action, and params or not (%zd given)", count);
        return -1;
    }
    ask->kind = CTIE_REQUEST_KIND_CALL;
    ask->params = NULL;
    if (ext_text(args[0], "component", &ask->target) < 0 || ext_text(args[1], "action", &ask->action) < 0) {
        return -1;
    }
    if (keywords != NULL && PyTuple_GET_SIZE(keywords) > 0) {
        if (count == 3 && args[2] != Py_None) {
            return refuse_both();
        }
        PyObject *params = ext_keywords_new(state, keywords, args + count);
        ask->params = params == NULL ? NULL : ext_value_carrying(params);
        Py_XDECREF(params);
        return ask->params == NULL ? -1 : 0;
    }
    return count == 2 ? 0 : ext_params_read(state, args[2], &ask->params);
}

PyObject *ext_bus_call(PyObject *object, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    ext_owner *self = (ext_owner *)object;
    ext_order order = EXT_ORDER_INIT(false);
    ext_ask ask;
    return read_call(self->state, args, count, keywords, &ask) < 0 ? NULL : ext_ask_sync(self, &ask, &order);
}

PyObject *ext_bus_call_async(PyObject *object, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    ext_owner *self = (ext_owner *)object;
    ext_order order = EXT_ORDER_INIT(true);
    ext_ask ask;
    return read_call(self->state, args, count, keywords, &ask) < 0
               ? NULL
               : ext_ask_async(self, &ask, &order, args[0], args[1]);
}

/* ---- With options --------------------------------------------------------------------------------- */

/** What a request is made of when it comes by a view. */
typedef struct parts {
    int kind, is_async;
    PyObject *target, *action, *params, *options;
    unsigned int flags;
} parts;

/** What a request's target is at its kind, for messages. */
static const char *target_name(int kind) {
    switch (kind) {
    case CTIE_REQUEST_KIND_OPEN:
        return "url";
    case CTIE_REQUEST_KIND_CALL:
        return "component";
    case CTIE_REQUEST_KIND_SHARE:
        return "endpoint";
    case CTIE_REQUEST_KIND_OAUTH:
    case CTIE_REQUEST_KIND_LAUNCH:
        return "platform";
    default:
        return "target";
    }
}

static const char *action_name(int kind) {
    return kind == CTIE_REQUEST_KIND_EVENT ? "event" : kind == CTIE_REQUEST_KIND_PERFORM ? "selector" : "action";
}

/** Whether there is a function of Crosstie that makes requests of that kind so. */
static bool is_askable(int kind, bool is_async) {
    switch (kind) {
    case CTIE_REQUEST_KIND_OPEN:
    case CTIE_REQUEST_KIND_CALL:
    case CTIE_REQUEST_KIND_PERFORM:
        return true;
    case CTIE_REQUEST_KIND_EVENT:
        return is_async;
    default:
        return kind >= 0 && kind < EXT_KINDS && ext_hand_offs[kind].ask != NULL;
    }
}

static int read_parts(ext_state *state, const parts *parts, ext_ask *ask, ext_order *order) {
    ask->kind = parts->kind;
    ask->params = NULL;
    order->options.flags = parts->flags;
    if (ext_text(parts->target, target_name(parts->kind), &ask->target) < 0 ||
        ext_text(parts->action, action_name(parts->kind), &ask->action) < 0 ||
        ext_order_add_dict(state, order, parts->options) < 0) {
        return -1;
    }
    if (ext_params_read(state, parts->params, &ask->params) < 0) {
        ext_order_clear(order);
        return -1;
    }
    return 0;
}

PyObject *ext_bus_ask(PyObject *object, PyObject *args) {
    ext_owner *self = (ext_owner *)object;
    parts parts;
    ext_ask ask;
    if (!PyArg_ParseTuple(args, "ipOOOO!I:_ask", &parts.kind, &parts.is_async, &parts.target, &parts.action,
                          &parts.params, &PyDict_Type, &parts.options, &parts.flags)) {
        return NULL;
    }
    if (!is_askable(parts.kind, parts.is_async)) {
        PyErr_Format(PyExc_ValueError, "no request of the kind %d is made so", parts.kind);
        return NULL;
    }
    ext_order order = EXT_ORDER_INIT(parts.is_async);
    if (read_parts(self->state, &parts, &ask, &order) < 0) {
        return NULL;
    }
    return parts.is_async ? ext_ask_async(self, &ask, &order, parts.target, parts.action)
                          : ext_ask_sync(self, &ask, &order);
}

/* ---- Events --------------------------------------------------------------------------------------- */

static PyObject *broadcast(ext_owner *self, ext_ask *ask, ext_order *order) {
    if (order->origin == CTIE_ORIGIN_REMOTE) {
        order->options.flags |= CTIE_REQUEST_REMOTE;
    }
    ext_state *state = self->state;
    ctie_value *outcome = NULL;
    ctie_error *error = NULL;
    bool is_counted = state->has_async;
    Py_INCREF(self);
    ext_waits += is_counted;
    ctie_status status = ctie_component_broadcast(self->handle, ask->action, ask->params, &order->options, &outcome,
                                                  &error);
    ext_waits -= is_counted;
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
    ext_ask ask;
    ext_order order = EXT_ORDER_INIT(false);
    if (!PyArg_ParseTuple(args, "OOO!:_broadcast", &parts.action, &parts.params, &PyDict_Type, &parts.options) ||
        read_parts(self->state, &parts, &ask, &order) < 0) {
        return NULL;
    }
    PyObject *result = NULL;
    if (ext_order_close(self, &order) == 0) {
        result = broadcast(self, &ask, &order);
        ext_order_clear(&order);
    }
    ctie_value_release(ask.params);
    return result;
}
