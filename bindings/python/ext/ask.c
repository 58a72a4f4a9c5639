/*
 * Asking: a request of any kind is handed to Crosstie, and its response becomes a result or an exception.
 */
#include "kinds.h"

EXT_THREAD_LOCAL int ext_waits;

/* ---- Params --------------------------------------------------------------------------------------- */

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

/* ---- What comes back ------------------------------------------------------------------------------ */

/** What the handler left in the response. */
static PyObject *take_failure(ext_state *state, ctie_response *handle) {
    ext_response *response = (ext_response *)ext_response_new(state, handle);
    PyObject *exception = response == NULL ? NULL : Py_NewRef(response->exception);
    Py_XDECREF(response);
    return exception;
}

/** Raises for a failure. Consumes both. */
static void raise_failure(ext_state *state, ctie_status status, ctie_response *handle, ctie_error *error,
                          bool is_bare) {
    if (status != CTIE_E_HANDLER || handle == NULL) {
        (void)ctie_response_release(handle);
        if (is_bare) {
            ext_raise_unread(state, status, error);
        } else {
            (void)ext_raise(state, status, error);
        }
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

/** How a request ended. A bare one has nothing of Python's in it. Consumes response and error. */
static PyObject *result_of(ext_state *state, int32_t kind, bool is_bare, ctie_status status, ctie_response *handle,
                           ctie_error *error) {
    if (ext_interrupt_raise()) {
        (void)ctie_response_release(handle);
        ctie_error_release(error);
        return NULL;
    }
    if (status != CTIE_OK) {
        raise_failure(state, status, handle, error, is_bare);
        return NULL;
    }
    PyObject *result = kind == CTIE_REQUEST_KIND_OPEN ? ext_response_of_success(state, handle)
                                              : ext_value_object(state, ctie_response_raw_value(handle));
    (void)ctie_response_release(handle);
    return result;
}

/* ---- Asking --------------------------------------------------------------------------------------- */

const ext_hand_off ext_hand_offs[EXT_KINDS] = {
    [CTIE_REQUEST_KIND_SHARE] = {ctie_share, ctie_share_async},
    [CTIE_REQUEST_KIND_OAUTH] = {ctie_oauth, ctie_oauth_async},
    [CTIE_REQUEST_KIND_LAUNCH] = {ctie_launch, ctie_launch_async},
};

static ctie_status ask(ctie_bus *bus, const ext_ask *ask, const ext_order *order, ctie_response **response,
                       ctie_error **error) {
    switch (ask->kind) {
    case CTIE_REQUEST_KIND_OPEN:
        return ctie_open(bus, ask->target, order->origin, &order->options, response, error);
    case CTIE_REQUEST_KIND_CALL:
        return ctie_component_call(bus, (ctie_target){ask->target, ask->action}, ask->params, &order->options, response,
                                   error);
    case CTIE_REQUEST_KIND_PERFORM:
        return ctie_perform(bus, (ctie_target){ask->target, ask->action}, ask->params, &order->options, response,
                            error);
    default:
        return ext_hand_offs[ask->kind].ask(bus, ask->target, ask->params, &order->options, response, error);
    }
}

/** Elsewhere than for a URL the origin is a flag. */
static void mark_origin(const ext_ask *ask, ext_order *order) {
    if (ask->kind != CTIE_REQUEST_KIND_OPEN && order->origin == CTIE_ORIGIN_REMOTE) {
        order->options.flags |= CTIE_REQUEST_REMOTE;
    }
}

PyObject *ext_ask_sync(ext_owner *bus, ext_ask *what, ext_order *order) {
    if (ext_order_close(bus, order) < 0) {
        ctie_value_release(what->params);
        return NULL;
    }
    mark_origin(what, order);
    ext_state *state = bus->state;
    ctie_response *handle = NULL;
    ctie_error *error = NULL;
    bool is_counted = state->has_async;
    bool is_bare = what->kind == CTIE_REQUEST_KIND_OPEN && order->options.user_info == NULL;
    Py_INCREF(bus);
    ext_waits += is_counted;
    ctie_status status = ask(bus->handle, what, order, &handle, &error);
    ext_waits -= is_counted;
    ext_order_clear(order);
    ext_value_release(what->params);
    PyObject *result = result_of(state, what->kind, is_bare, status, handle, error);
    Py_DECREF(bus);
    return result;
}

PyObject *ext_ask_async(ext_owner *bus, ext_ask *what, ext_order *order, PyObject *target, PyObject *action) {
    PyObject *call = ext_call_new(bus, what->kind, target, action, order->completion);
    if (call == NULL) {
        ext_order_clear(order);
    } else if (ext_order_close(bus, order) < 0) {
        Py_CLEAR(call);
    } else {
        mark_origin(what, order);
        order->options.runtime = NULL; /* the GIL is let go of for the whole of it */
        call = ext_call_start(call, what, order);
        ext_order_clear(order);
    }
    ctie_value_release(what->params);
    return call;
}
