/*
 * Bus.open(), open_async() and can_open(): reading what is asked for, and what comes of it.
 */
#include "handlers.h"

static int origin_of(ext_state *state, PyObject *object, ctie_origin *out) {
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

int ext_milliseconds(PyObject *seconds, int64_t *out) {
    if (seconds == Py_None) {
        *out = -1;
        return 0;
    }
    double number = PyFloat_AsDouble(seconds);
    if (number == -1.0 && PyErr_Occurred()) {
        return -1;
    }
    if (!(number >= 0 && number < 1e15)) {
        PyErr_SetString(PyExc_ValueError, "timeout must be a number of seconds from 0, or None");
        return -1;
    }
    *out = (int64_t)(number * 1000 + 0.999);
    return 0;
}

/** What an open is asked for beside the URL. */
typedef struct order {
    ctie_request_options options;
    ctie_origin origin;
    ctie_value *user_info;
    PyObject *completion;
    PyObject *interceptor_list; /**< NULL: none */
    ext_interceptors interceptors;
} order;

static int add_user_info(order *order, PyObject *object) {
    if (object == Py_None) {
        return 0;
    }
    if (!PyDict_Check(object)) {
        PyErr_Format(PyExc_TypeError, "user_info must be a dict, not %.100s", Py_TYPE(object)->tp_name);
        return -1;
    }
    order->user_info = ext_value_carrying(object);
    order->options.user_info = order->user_info;
    return order->user_info == NULL ? -1 : 0;
}

/** 0 milliseconds would mean the default time. */
static int add_timeout(order *order, PyObject *object) {
    if (ext_milliseconds(object, &order->options.timeout_ms) < 0) {
        return -1;
    }
    if (order->options.timeout_ms == 0) {
        order->options.timeout_ms = 1;
    }
    return 0;
}

static int add_completion(order *order, PyObject *object) {
    if (object != Py_None && !PyCallable_Check(object)) {
        PyErr_Format(PyExc_TypeError, "completion must be callable, not %.100s", Py_TYPE(object)->tp_name);
        return -1;
    }
    order->completion = object;
    return 0;
}

static int add_keyword(ext_state *state, order *order, PyObject *name, PyObject *object, bool is_async) {
    if (PyUnicode_CompareWithASCIIString(name, "origin") == 0) {
        return origin_of(state, object, &order->origin);
    }
    if (PyUnicode_CompareWithASCIIString(name, "user_info") == 0) {
        return add_user_info(order, object);
    }
    if (PyUnicode_CompareWithASCIIString(name, "parent") == 0) {
        order->options.parent = object == Py_None ? NULL : ext_request_handle(state, object);
        return PyErr_Occurred() ? -1 : 0;
    }
    if (PyUnicode_CompareWithASCIIString(name, "mode") == 0) {
        return ext_match_mode(object, &order->options.mode);
    }
    if (PyUnicode_CompareWithASCIIString(name, "interceptors") == 0) {
        order->interceptor_list = object;
        return 0;
    }
    if (!is_async && PyUnicode_CompareWithASCIIString(name, "timeout") == 0) {
        return add_timeout(order, object);
    }
    if (is_async && PyUnicode_CompareWithASCIIString(name, "completion") == 0) {
        return add_completion(order, object);
    }
    PyErr_Format(PyExc_TypeError, "unexpected keyword argument %R", name);
    return -1;
}

static void order_clear(order *order) {
    ctie_value_release(order->user_info);
    ext_interceptors_free(&order->interceptors);
}

/** Reads the URL and the keywords, which follow the one positional argument. 1 in the context of a remote request. */
static inline int read_order(ext_state *state, order *order, PyObject *const *args, Py_ssize_t count,
                             PyObject *keywords, bool is_async, ctie_str *url) {
    if (count != 1) {
        PyErr_Format(PyExc_TypeError, "expected 1 positional argument, the URL (%zd given)", count);
        return -1;
    }
    for (Py_ssize_t i = 0; keywords != NULL && i < PyTuple_GET_SIZE(keywords); i++) {
        if (add_keyword(state, order, PyTuple_GET_ITEM(keywords, i), args[1 + i], is_async) < 0) {
            order_clear(order);
            return -1;
        }
    }
    int is_remote_context = ext_trust_is_lost(state);
    if (is_remote_context < 0 || ext_text(args[0], "url", url) < 0) {
        order_clear(order);
        return -1;
    }
    if (is_remote_context) {
        order->origin = CTIE_ORIGIN_REMOTE;
    }
    return is_remote_context;
}

/** The last step before Crosstie gets the order: it takes these, whatever comes of it. */
static inline int add_interceptors(ext_owner *bus, order *order) {
    if (order->interceptor_list == NULL) {
        return 0;
    }
    if (ext_interceptors_read(bus, order->interceptor_list, false, &order->interceptors) < 0) {
        order_clear(order);
        return -1;
    }
    order->options.interceptors = order->interceptors.items;
    order->options.interceptor_count = order->interceptors.count;
    return 0;
}

/** What the handler left in the response. */
static PyObject *take_failure(ext_state *state, ctie_response *handle) {
    ext_response *response = (ext_response *)ext_response_new(state, handle);
    PyObject *exception = response == NULL ? NULL : Py_NewRef(response->exception);
    Py_XDECREF(response);
    return exception;
}

/** Raises for a failed open. Consumes both. */
static void raise_failure(ext_state *state, ctie_status status, ctie_response *handle, ctie_error *error) {
    if (status != CTIE_E_HANDLER || handle == NULL) {
        (void)ctie_response_release(handle);
        (void)ext_raise(state, status, error);
        return;
    }
    PyObject *exception = take_failure(state, handle);
    (void)ctie_response_release(handle);
    ctie_error_release(error);
    if (exception != NULL) {
        ext_raise_object(exception);
        Py_DECREF(exception);
    }
}

#define ORDER_INIT \
    {.options = {.size = sizeof(ctie_request_options), .runtime = &ext_runtime}, .origin = CTIE_ORIGIN_LOCAL, \
     .completion = Py_None}

PyObject *ext_bus_open(PyObject *object, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    ext_owner *self = (ext_owner *)object;
    order order = ORDER_INIT;
    ctie_str url;
    if (read_order(self->state, &order, args, count, keywords, false, &url) < 0 || add_interceptors(self, &order) < 0) {
        return NULL;
    }
    ctie_response *handle = NULL;
    ctie_error *error = NULL;
    Py_INCREF(object);
    ctie_status status = ctie_open(self->handle, url, order.origin, &order.options, &handle, &error);
    order_clear(&order);
    PyObject *response = NULL;
    if (status == CTIE_OK) {
        response = ext_response_of_success(self->state, handle);
        (void)ctie_response_release(handle);
    } else {
        raise_failure(self->state, status, handle, error);
    }
    Py_DECREF(object);
    return response;
}

PyObject *ext_bus_open_async(PyObject *object, PyObject *const *args, Py_ssize_t count, PyObject *keywords) {
    ext_owner *self = (ext_owner *)object;
    order order = ORDER_INIT;
    ctie_str url;
    int is_remote_context = read_order(self->state, &order, args, count, keywords, true, &url);
    if (is_remote_context < 0) {
        return NULL;
    }
    bool is_for_remote = is_remote_context ||
                         (order.options.parent != NULL && ext_trust_is_remote(order.options.parent));
    PyObject *call = ext_call_new(self, args[0], order.completion, is_for_remote);
    if (call == NULL) {
        order_clear(&order);
        return NULL;
    }
    if (add_interceptors(self, &order) < 0) {
        Py_DECREF(call);
        return NULL;
    }
    order.options.runtime = NULL; /* the GIL is let go of for the whole of it */
    call = ext_call_start(call, url, order.origin, &order.options);
    order_clear(&order);
    return call;
}

PyObject *ext_bus_can_open(PyObject *object, PyObject *args, PyObject *keywords) {
    static char *names[] = {"", "origin", "mode", NULL};
    ext_owner *self = (ext_owner *)object;
    PyObject *url_object, *origin_object = self->state->origin_local, *mode_object = Py_None;
    ctie_str url;
    ctie_origin origin;
    ctie_match_mode mode;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|$OO:can_open", names, &url_object, &origin_object,
                                     &mode_object) ||
        ext_text(url_object, "url", &url) < 0 || origin_of(self->state, origin_object, &origin) < 0 ||
        ext_match_mode(mode_object, &mode) < 0) {
        return NULL;
    }
    int is_remote_context = ext_trust_is_lost(self->state);
    if (is_remote_context < 0) {
        return NULL;
    }
    ctie_opener opener = CTIE_OPENER_NONE;
    ctie_status status = ctie_can_open(self->handle, url, is_remote_context ? CTIE_ORIGIN_REMOTE : origin, mode,
                                       &opener);
    if (status != CTIE_OK) {
        return ext_raise(self->state, status, NULL);
    }
    if (opener == CTIE_OPENER_NONE) {
        Py_RETURN_NONE;
    }
    return PyUnicode_InternFromString(opener == CTIE_OPENER_ROUTE ? "route" : "opener");
}
