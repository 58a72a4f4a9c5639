/*
 * The providers of a bus beside adding one: the desktop's, their order, their logs, and URLs that are offered to them.
 */
#include "bus.h"
#include "spec.h"
#include "../base/error.h"
#include "../base/text.h"
#include "../request/request.h"
#include "../value/value.h"

static ext_owner *of(PyObject *object) {
    return (ext_owner *)object;
}

/* ---- The desktop's provider ----------------------------------------------------------------------- */

/** Reads a text that may be NULL for empty. */
static int read_text(PyObject *object, const char *name, ctie_str *out) {
    return object == NULL ? 0 : ext_text(object, name, out);
}

static PyObject *add_system(ext_owner *owner, const ctie_system_provider_options *options, size_t position) {
    ctie_bus *bus = owner->handle;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_provider_add_system(bus, options, position, NULL, &error);
    Py_END_ALLOW_THREADS
    return ext_done(owner->state, status, error);
}

PyObject *ext_system_provider_add(PyObject *bus, PyObject *args, PyObject *keywords) {
    static char *names[] = {"", "name", "mail", "opener", "clipboard", "launcher", "directory", "keep_files", NULL};
    PyObject *position_object = Py_None, *name = NULL, *mail = NULL, *opener = NULL, *clipboard = NULL;
    PyObject *launcher = NULL, *directory = NULL;
    int keeps_files = 0;
    size_t position;
    ctie_system_provider_options options = CTIE_SYSTEM_PROVIDER_OPTIONS_INIT;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|O$OOOOOOp:add_system", names, &position_object, &name,
                                     &mail, &opener, &clipboard, &launcher, &directory, &keeps_files) ||
        ext_position(position_object, &position) < 0 || read_text(name, "name", &options.name) < 0 ||
        read_text(mail, "mail", &options.mail) < 0 || read_text(opener, "opener", &options.opener) < 0 ||
        read_text(clipboard, "clipboard", &options.clipboard) < 0 ||
        read_text(launcher, "launcher", &options.launcher) < 0 ||
        read_text(directory, "directory", &options.directory) < 0) {
        return NULL;
    }
    options.flags = keeps_files ? CTIE_SYSTEM_KEEP_FILES : 0u;
    return add_system(of(bus), &options, position);
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
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_provider_move(handle, name, position, &error);
    Py_END_ALLOW_THREADS
    return ext_done(of(object)->state, status, error);
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
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_provider_remove(handle, name, &error);
    Py_END_ALLOW_THREADS
    if (status >= 0) {
        ext_bindings_forget(before);
    } else {
        Py_DECREF(before);
    }
    return ext_done(self->state, status, error);
}

PyObject *ext_provider_list(PyObject *object, PyObject *Py_UNUSED(unused)) {
    ext_owner *self = of(object);
    ctie_value *list = NULL;
    ctie_status status = ctie_provider_list(self->handle, &list);
    return ext_value_result(self->state, status, list, NULL);
}

/* ---- Logs ----------------------------------------------------------------------------------------- */

static PyObject *decoded(ctie_str text) {
    return PyUnicode_DecodeUTF8(text.data == NULL ? "" : text.data, (Py_ssize_t)text.size, "replace");
}

/** The ctie_provider_logger_fn of every function that gets a provider's log. */
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
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_provider_set_log(bus, name, self == NULL
                                                  ? CTIE_PROVIDER_LOGGER(NULL, NULL)
                                                  : CTIE_PROVIDER_LOGGER_OWNED(write_log, self, ext_binding_destroy),
                                   &error);
    Py_END_ALLOW_THREADS
    Py_XDECREF(self);
    return ext_done(owner->state, status, error);
}

/* ---- URLs and activities from outside ------------------------------------------------------------- */

/** Offers a URL, or an activity if the URL is NULL. The options are closed already. */
static PyObject *offer(ext_owner *self, const ctie_str *url, const ctie_value *activity, const ext_options *options) {
    bool is_claimed = false, is_counted = self->state->has_async;
    ctie_error *error = NULL;
    ctie_status status;
    Py_INCREF(self);
    ext_sync_requests += is_counted;
    status = url == NULL ? ctie_provider_open_activity(self->handle, activity, options->origin, &options->base,
                                                       &is_claimed, &error)
                         : ctie_provider_open_url(self->handle, *url, options->origin, &options->base, &is_claimed,
                                                  &error);
    ext_sync_requests -= is_counted;
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
    PyObject *url_object, *keywords, *result = NULL;
    ctie_str url;
    ext_options options = EXT_OPTIONS_INIT(false);
    if (PyArg_ParseTuple(args, "OO!:_provider_open_url", &url_object, &PyDict_Type, &keywords) &&
        ext_text(url_object, "url", &url) == 0 && ext_options_add_dict(self->state, &options, keywords) == 0 &&
        ext_options_close(self, &options) == 0) {
        result = offer(self, &url, NULL, &options);
        ext_options_clear(&options);
    }
    return result;
}

PyObject *ext_provider_open_activity(PyObject *object, PyObject *args) {
    ext_owner *self = of(object);
    PyObject *activity_object, *keywords, *result = NULL;
    ctie_value *activity = NULL;
    ext_options options = EXT_OPTIONS_INIT(false);
    if (PyArg_ParseTuple(args, "OO!:_provider_open_activity", &activity_object, &PyDict_Type, &keywords) &&
        ext_params_read(self->state, activity_object, &activity) == 0 &&
        ext_options_add_dict(self->state, &options, keywords) == 0 && ext_options_close(self, &options) == 0) {
        result = offer(self, NULL, activity, &options);
        ext_options_clear(&options);
    }
    ext_value_release(activity);
    return result;
}
