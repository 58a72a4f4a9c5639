/*
 * What a caller says beside a request, read from keyword arguments: the same for every kind of request.
 */
#include "kinds.h"
#include "loop.h"

int ext_origin(ext_state *state, PyObject *object, ctie_origin *out) {
    if (object == state->origin_local || object == state->origin_remote) {
        *out = object == state->origin_local ? CTIE_ORIGIN_LOCAL : CTIE_ORIGIN_REMOTE;
        return 0;
    }
    if (PyUnicode_Check(object)) {
        if (PyUnicode_Compare(object, state->origin_local) == 0) {
            *out = CTIE_ORIGIN_LOCAL;
            return 0;
        }
        if (PyUnicode_Compare(object, state->origin_remote) == 0) {
            *out = CTIE_ORIGIN_REMOTE;
            return 0;
        }
    }
    PyErr_Format(PyExc_ValueError, "origin must be 'local' or 'remote', not %R", object);
    return -1;
}

int ext_match_mode(PyObject *object, ctie_match_mode *out) {
    *out = CTIE_MATCH_DEFAULT;
    if (object == Py_None) {
        return 0;
    }
    if (PyUnicode_Check(object) && PyUnicode_CompareWithASCIIString(object, "exact") == 0) {
        *out = CTIE_MATCH_EXACT;
    } else if (PyUnicode_Check(object) && PyUnicode_CompareWithASCIIString(object, "nearest") == 0) {
        *out = CTIE_MATCH_NEAREST;
    } else {
        PyErr_Format(PyExc_ValueError, "a match mode is 'exact' or 'nearest', not %R", object);
        return -1;
    }
    return 0;
}

/* ---- One keyword ---------------------------------------------------------------------------------- */

typedef int reader(ext_state *state, ext_order *order, PyObject *object);

static int read_origin(ext_state *state, ext_order *order, PyObject *object) {
    return ext_origin(state, object, &order->origin);
}

/** The dict is the caller's own: it is not looked into before somebody of another language does. */
static int read_user_info(ext_state *Py_UNUSED(state), ext_order *order, PyObject *object) {
    if (object == Py_None) {
        return 0;
    }
    if (!PyDict_Check(object)) {
        PyErr_Format(PyExc_TypeError, "user_info must be a dict, not %.100s", Py_TYPE(object)->tp_name);
        return -1;
    }
    ctie_value_release(order->user_info);
    order->user_info = ext_value_carrying(object);
    order->options.user_info = order->user_info;
    return order->user_info == NULL ? -1 : 0;
}

/** Nothing and 0 are no deadline; to Crosstie 0 is the default one. */
static int read_timeout(ext_state *Py_UNUSED(state), ext_order *order, PyObject *object) {
    if (ext_milliseconds(object, "timeout", &order->options.timeout_ms) < 0) {
        return -1;
    }
    if (order->options.timeout_ms == 0) {
        order->options.timeout_ms = -1;
    }
    return 0;
}

static int read_parent(ext_state *state, ext_order *order, PyObject *object) {
    order->options.parent = object == Py_None ? NULL : ext_request_handle(state, object);
    return PyErr_Occurred() ? -1 : 0;
}

static int read_mode(ext_state *Py_UNUSED(state), ext_order *order, PyObject *object) {
    return ext_match_mode(object, &order->options.mode);
}

static int read_interceptors(ext_state *Py_UNUSED(state), ext_order *order, PyObject *object) {
    order->interceptor_list = object;
    return 0;
}

static int read_dispatcher(ext_state *Py_UNUSED(state), ext_order *order, PyObject *object) {
    return ext_text(object, "dispatcher", &order->options.dispatcher);
}

static int read_priority(ext_state *Py_UNUSED(state), ext_order *order, PyObject *object) {
    static const char *const names[] = {"low", "normal", "high"};
    for (int i = 0; PyUnicode_Check(object) && i < 3; i++) {
        if (PyUnicode_CompareWithASCIIString(object, names[i]) == 0) {
            order->options.priority = CTIE_PRIORITY_LOW + i;
            return 0;
        }
    }
    PyErr_Format(PyExc_ValueError, "priority must be 'low', 'normal' or 'high', not %R", object);
    return -1;
}

static int read_function(PyObject *object, const char *what, PyObject **out) {
    if (object != Py_None && !PyCallable_Check(object)) {
        PyErr_Format(PyExc_TypeError, "%s must be callable, not %.100s", what, Py_TYPE(object)->tp_name);
        return -1;
    }
    *out = object;
    return 0;
}

static int read_progress(ext_state *Py_UNUSED(state), ext_order *order, PyObject *object) {
    PyObject *function = NULL;
    int result = read_function(object, "progress", &function);
    order->progress = function == Py_None ? NULL : function;
    return result;
}

static int read_completion(ext_state *Py_UNUSED(state), ext_order *order, PyObject *object) {
    return read_function(object, "completion", &order->completion);
}

static int read_loop(ext_state *state, ext_order *order, PyObject *object) {
    order->options.loop = object == Py_None ? NULL : ext_loop_handle(state, object);
    return PyErr_Occurred() ? -1 : 0;
}

static const struct {
    const char *name;
    reader *read;
    bool is_async_only;
} keywords[] = {
    {"origin", read_origin, false},
    {"timeout", read_timeout, false},
    {"user_info", read_user_info, false},
    {"interceptors", read_interceptors, false},
    {"mode", read_mode, false},
    {"parent", read_parent, false},
    {"completion", read_completion, true},
    {"dispatcher", read_dispatcher, false},
    {"priority", read_priority, false},
    {"progress", read_progress, false},
    {"loop", read_loop, false},
};

int ext_order_add(ext_state *state, ext_order *order, PyObject *name, PyObject *object) {
    for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++) {
        if (PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, keywords[i].name) == 0 &&
            (order->is_async || !keywords[i].is_async_only)) {
            return keywords[i].read(state, order, object);
        }
    }
    PyErr_Format(PyExc_TypeError, "unexpected keyword argument %R", name);
    return -1;
}

int ext_order_add_all(ext_state *state, ext_order *order, PyObject *names, PyObject *const *values) {
    for (Py_ssize_t i = 0; names != NULL && i < PyTuple_GET_SIZE(names); i++) {
        if (ext_order_add(state, order, PyTuple_GET_ITEM(names, i), values[i]) < 0) {
            ext_order_clear(order);
            return -1;
        }
    }
    return 0;
}

int ext_order_add_dict(ext_state *state, ext_order *order, PyObject *options) {
    PyObject *name, *object;
    Py_ssize_t position = 0;
    while (PyDict_Next(options, &position, &name, &object)) {
        if (ext_order_add(state, order, name, object) < 0) {
            ext_order_clear(order);
            return -1;
        }
    }
    return 0;
}

/* ---- The end of the order ------------------------------------------------------------------------- */

void ext_order_clear_slowly(ext_order *order) {
    ctie_value_release(order->user_info);
    ext_interceptors_free(&order->interceptors);
}

/** Whether this is done for a remote request, by Python's context or by the request that it names. */
static int read_trust(ext_state *state, ext_order *order) {
    int is_lost = ext_trust_is_lost(state);
    if (is_lost < 0) {
        return -1;
    }
    if (is_lost) {
        order->origin = CTIE_ORIGIN_REMOTE;
    }
    order->is_for_remote = is_lost || (order->options.parent != NULL && ext_trust_is_remote(order->options.parent));
    return 0;
}

static int add_hooks(ext_owner *bus, ext_order *order) {
    ext_hook *progress = NULL;
    if (order->progress != NULL) {
        progress = ext_hook_new(bus->state, order->progress, order->is_for_remote);
        if (progress == NULL) {
            return -1;
        }
    }
    if (order->interceptor_list != NULL &&
        ext_interceptors_read(bus, order->interceptor_list, false, &order->interceptors) < 0) {
        if (progress != NULL) {
            ext_hook_drop(progress);
        }
        return -1;
    }
    order->options.interceptors = order->interceptors.items;
    order->options.interceptor_count = order->interceptors.count;
    if (progress != NULL) {
        order->options.progress = CTIE_PROGRESS_OWNED(ext_hook_progress, progress, ext_hook_drop);
    }
    return 0;
}

int ext_order_close_slowly(ext_owner *bus, ext_order *order) {
    if (read_trust(bus->state, order) < 0 || add_hooks(bus, order) < 0) {
        ext_order_clear(order);
        return -1;
    }
    return 0;
}
