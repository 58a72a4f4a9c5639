/*
 * What a bus has of providers beside registering them: their order, their logs, and what is offered to them.
 */
#include "component.h"
#include "kinds.h"

static ext_owner *of(PyObject *object) {
    return (ext_owner *)object;
}

/* ---- The list ------------------------------------------------------------------------------------- */

PyObject *ext_provider_move(PyObject *object, PyObject *args) {
    PyObject *name_object, *position_object;
    ctie_str name;
    size_t position;
    if (!PyArg_ParseTuple(args, "OO:_move_provider", &name_object, &position_object) ||
        ext_text(name_object, "name", &name) < 0 || ext_position(position_object, &position) < 0) {
        return NULL;
    }
    ctie_bus *handle = of(object)->handle;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_provider_move(handle, name, position);
    Py_END_ALLOW_THREADS
    return ext_done(of(object)->state, status, NULL);
}

PyObject *ext_provider_remove(PyObject *object, PyObject *name_object) {
    ext_owner *self = of(object);
    ctie_str name;
    if (ext_text(name_object, "name", &name) < 0) {
        return NULL;
    }
    PyObject *before = ext_registrations_of(self, EXT_PROVIDER, name_object);
    if (before == NULL) {
        return NULL;
    }
    ctie_bus *handle = self->handle;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_provider_remove(handle, name);
    Py_END_ALLOW_THREADS
    if (status >= 0) {
        ext_bindings_forget(before);
    } else {
        Py_DECREF(before);
    }
    return ext_done(self->state, status, NULL);
}

PyObject *ext_provider_list(PyObject *object, PyObject *Py_UNUSED(unused)) {
    ext_owner *self = of(object);
    ctie_value *list = NULL;
    ctie_status status = ctie_provider_list(self->handle, &list);
    PyObject *result = status == CTIE_OK ? ext_value_object(self->state, list) : ext_raise(self->state, status, NULL);
    ctie_value_release(list);
    return result;
}

/* ---- Logs ----------------------------------------------------------------------------------------- */

static PyObject *decoded(ctie_str text) {
    return PyUnicode_DecodeUTF8(text.data == NULL ? "" : text.data, (Py_ssize_t)text.size, "replace");
}

/** The ctie_provider_logger_fn of every function that a log is sent to. */
static void write_log(ctie_str message, ctie_str file, ctie_str function, int32_t line, void *user_data) {
    EXT_GIL(gil);
    if (!ext_gil_enter(&gil)) {
        return;
    }
    ext_registration *self = user_data;
    Py_INCREF(self);
    PyObject *result = PyObject_CallFunction(self->binding.callback, "NNNi", decoded(message), decoded(file),
                                             decoded(function), (int)line);
    if (result == NULL) {
        ext_unraisable(self->binding.callback);
    }
    Py_XDECREF(result);
    Py_DECREF(self);
    ext_gil_leave(&gil);
}

PyObject *ext_provider_set_log(PyObject *object, PyObject *args) {
    ext_owner *owner = of(object);
    PyObject *name_object, *function;
    ctie_str name;
    if (!PyArg_ParseTuple(args, "OO:_set_provider_log", &name_object, &function) ||
        ext_text(name_object, "name", &name) < 0) {
        return NULL;
    }
    ext_registration *self = NULL;
    if (function != Py_None) {
        self = ext_registration_new(owner, EXT_PROVIDER_LOG, function, NULL, name_object);
        if (self == NULL || ext_binding_keep(&self->binding) < 0) {
            Py_XDECREF(self);
            return NULL;
        }
    }
    ctie_bus *bus = owner->handle;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_provider_set_log(bus, name, self == NULL
                                                  ? CTIE_PROVIDER_LOGGER(NULL, NULL)
                                                  : CTIE_PROVIDER_LOGGER_OWNED(write_log, self, ext_binding_destroy), NULL);
    Py_END_ALLOW_THREADS
    Py_XDECREF(self);
    return ext_done(owner->state, status, NULL);
}

PyObject *ext_provider_log(PyObject *object, PyObject *args) {
    ext_binding *self = (ext_binding *)object;
    PyObject *message_object;
    const char *file, *function;
    ctie_str message, name;
    int line;
    if (!PyArg_ParseTuple(args, "Ossi:_log", &message_object, &file, &function, &line) ||
        ext_text(message_object, "message", &message) < 0 ||
        ext_text(((ext_registration *)object)->name, "name", &name) < 0) {
        return NULL;
    }
    if (self->owner == NULL || PySet_Contains(self->owner->bindings, object) != 1) {
        Py_RETURN_FALSE;
    }
    ctie_bus *bus = self->owner->handle;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_provider_log(bus, name, message, file, function, line);
    Py_END_ALLOW_THREADS
    if (status == CTIE_OK || status == CTIE_E_NOT_FOUND || status == CTIE_E_HANDLE || status == CTIE_E_FORKED) {
        return PyBool_FromLong(status == CTIE_OK);
    }
    return ext_raise(self->state, status, NULL);
}

/* ---- What comes back from outside ----------------------------------------------------------------- */

/** Offers a URL, or for a NULL one an activity. The order is closed. */
static PyObject *offer(ext_owner *self, const ctie_str *url, const ctie_value *activity, const ext_order *order) {
    bool is_claimed = false, is_counted = self->state->has_async;
    ctie_error *error = NULL;
    ctie_status status;
    Py_INCREF(self);
    ext_waits += is_counted;
    status = url == NULL ? ctie_provider_open_activity(self->handle, activity, order->origin, &order->options,
                                                       &is_claimed, &error)
                         : ctie_provider_open_url(self->handle, *url, order->origin, &order->options, &is_claimed,
                                                  &error);
    ext_waits -= is_counted;
    PyObject *done = ext_done(self->state, status, error);
    Py_DECREF(self);
    if (done == NULL) {
        return NULL;
    }
    Py_DECREF(done);
    return PyBool_FromLong(is_claimed);
}

PyObject *ext_provider_open_url(PyObject *object, PyObject *args) {
    ext_owner *self = of(object);
    PyObject *url_object, *options, *result = NULL;
    ctie_str url;
    ext_order order = EXT_ORDER_INIT(false);
    if (PyArg_ParseTuple(args, "OO!:_provider_open_url", &url_object, &PyDict_Type, &options) &&
        ext_text(url_object, "url", &url) == 0 && ext_order_add_dict(self->state, &order, options) == 0 &&
        ext_order_close(self, &order) == 0) {
        result = offer(self, &url, NULL, &order);
        ext_order_clear(&order);
    }
    return result;
}

PyObject *ext_provider_open_activity(PyObject *object, PyObject *args) {
    ext_owner *self = of(object);
    PyObject *activity_object, *options, *result = NULL;
    ctie_value *activity = NULL;
    ext_order order = EXT_ORDER_INIT(false);
    if (PyArg_ParseTuple(args, "OO!:_provider_open_activity", &activity_object, &PyDict_Type, &options) &&
        ext_params_read(self->state, activity_object, &activity) == 0 &&
        ext_order_add_dict(self->state, &order, options) == 0 && ext_order_close(self, &order) == 0) {
        result = offer(self, NULL, activity, &order);
        ext_order_clear(&order);
    }
    ext_value_release(activity);
    return result;
}
