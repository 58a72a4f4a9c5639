/*
 * What a Wormhole sends and reads.
 */
#include "crosstie_ext.h"

static ext_owner *of(PyObject *object) {
    return (ext_owner *)object;
}

/* ---- Sending -------------------------------------------------------------------------------------- */

/** Sends a value, or a signal for NULL. `listeners` may be NULL. */
static int pass(ext_owner *self, PyObject *identifier, PyObject *object, uint64_t *sequence, uint32_t *listeners) {
    ctie_str name;
    if (ext_text(identifier, "identifier", &name) < 0) {
        return -1;
    }
    ctie_value *value = object == NULL ? NULL : ext_value_plain(self->state, object);
    if (object != NULL && value == NULL) {
        return -1;
    }
    ctie_wormhole *handle = self->handle;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = value == NULL ? ctie_wormhole_signal(handle, name, sequence, listeners, &error)
                           : ctie_wormhole_send(handle, name, value, NULL, sequence, listeners, &error);
    Py_END_ALLOW_THREADS
    if (status != CTIE_OK) {
        ext_raise(self->state, status, error);
        return -1;
    }
    return 0;
}

static PyObject *send_counting(ext_owner *self, PyObject *identifier, PyObject *object) {
    uint64_t sequence = 0;
    uint32_t listeners = 0;
    if (pass(self, identifier, object, &sequence, &listeners) < 0) {
        return NULL;
    }
    return ext_sent_new(self->state, sequence, listeners);
}

PyObject *ext_wormhole_send(PyObject *object, PyObject *const *args, Py_ssize_t count, PyObject *names) {
    if (count != 2) {
        PyErr_Format(PyExc_TypeError, "send() takes 2 arguments, identifier and value (%zd given)", count);
        return NULL;
    }
    return names == NULL ? send_counting(of(object), args[0], args[1])
                         : ext_wormhole_send_with(of(object), "send", args[0], args[1], args + count, names);
}

PyObject *ext_wormhole_signal(PyObject *object, PyObject *const *args, Py_ssize_t count, PyObject *names) {
    if (count != 1) {
        PyErr_Format(PyExc_TypeError, "signal() takes 1 argument, identifier (%zd given)", count);
        return NULL;
    }
    return names == NULL ? send_counting(of(object), args[0], NULL)
                         : ext_wormhole_send_with(of(object), "signal", args[0], NULL, args + count, names);
}

/** Destroys a message, or everything for NULL. `sequence` and `listeners` may be NULL. */
static int destroy(ext_owner *self, PyObject *identifier, uint64_t *sequence, uint32_t *listeners) {
    ctie_str name = {NULL, 0};
    if (identifier != NULL && ext_text(identifier, "identifier", &name) < 0) {
        return -1;
    }
    ctie_wormhole *handle = self->handle;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = identifier == NULL ? ctie_wormhole_destroy_all(handle, sequence, listeners, &error)
                                : ctie_wormhole_destroy(handle, name, sequence, listeners, &error);
    Py_END_ALLOW_THREADS
    if (status != CTIE_OK) {
        ext_raise(self->state, status, error);
        return -1;
    }
    return 0;
}

static PyObject *destroy_counting(ext_owner *self, PyObject *identifier) {
    uint64_t sequence = 0;
    uint32_t listeners = 0;
    if (destroy(self, identifier, &sequence, &listeners) < 0) {
        return NULL;
    }
    return ext_sent_new(self->state, sequence, listeners);
}

PyObject *ext_wormhole_destroy(PyObject *object, PyObject *identifier) {
    return destroy_counting(of(object), identifier);
}

PyObject *ext_wormhole_destroy_all(PyObject *object, PyObject *Py_UNUSED(unused)) {
    return destroy_counting(of(object), NULL);
}

/* ---- Reading -------------------------------------------------------------------------------------- */

/** The stored message. NULL with an exception; NULL without one, and `is_missing`, when nothing is stored. */
static ctie_message *stored(ext_owner *self, PyObject *identifier, bool *is_missing) {
    ctie_str name;
    *is_missing = false;
    if (ext_text(identifier, "identifier", &name) < 0) {
        return NULL;
    }
    ctie_wormhole *handle = self->handle;
    ctie_message *message = NULL;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_wormhole_message(handle, name, &message, &error);
    Py_END_ALLOW_THREADS
    if (status == CTIE_E_NOT_FOUND) {
        *is_missing = true;
        ctie_error_release(error);
    } else if (status != CTIE_OK) {
        ext_raise(self->state, status, error);
    }
    return message;
}

PyObject *ext_wormhole_message(PyObject *object, PyObject *identifier) {
    bool is_missing;
    ctie_message *message = stored(of(object), identifier, &is_missing);
    if (message == NULL) {
        return is_missing ? Py_NewRef(Py_None) : NULL;
    }
    PyObject *result = ext_message_new(of(object)->state, message);
    ctie_message_release(message);
    return result;
}

PyObject *ext_wormhole_get_item(PyObject *object, PyObject *identifier) {
    bool is_missing;
    ctie_message *message = stored(of(object), identifier, &is_missing);
    if (message == NULL) {
        return is_missing ? ext_raise_text(of(object)->state, CTIE_E_NOT_FOUND,
                                           "nothing is stored under this identifier")
                          : NULL;
    }
    PyObject *result = ext_value_object(of(object)->state, ctie_message_value(message));
    ctie_message_release(message);
    return result;
}

int ext_wormhole_set_item(PyObject *object, PyObject *identifier, PyObject *value) {
    return value == NULL ? destroy(of(object), identifier, NULL, NULL) : pass(of(object), identifier, value, NULL, NULL);
}

int ext_wormhole_contains(PyObject *object, PyObject *identifier) {
    bool is_missing;
    ctie_message *message = stored(of(object), identifier, &is_missing);
    if (message == NULL) {
        return is_missing ? 0 : -1;
    }
    ctie_message_release(message);
    return 1;
}

/* ---- The group as a whole ------------------------------------------------------------------------- */

PyObject *ext_listed(ext_owner *self, ctie_status status, ctie_value *list, ctie_error *error) {
    if (status != CTIE_OK) {
        return ext_raise(self->state, status, error);
    }
    PyObject *result = ext_value_object(self->state, list);
    ctie_value_release(list);
    return result;
}

PyObject *ext_wormhole_identifiers(PyObject *object, PyObject *args) {
    PyObject *topic = NULL;
    ctie_str text = CTIE_STR("*");
    if (!PyArg_ParseTuple(args, "|U:identifiers", &topic) ||
        (topic != NULL && ext_text(topic, "identifier", &text) < 0)) {
        return NULL;
    }
    ctie_wormhole *handle = of(object)->handle;
    ctie_value *list = NULL;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_wormhole_identifiers(handle, text, &list, &error);
    Py_END_ALLOW_THREADS
    return ext_listed(of(object), status, list, error);
}

PyObject *ext_wormhole_members(PyObject *object, PyObject *Py_UNUSED(unused)) {
    ctie_wormhole *handle = of(object)->handle;
    ctie_value *list = NULL;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_wormhole_members(handle, &list, &error);
    Py_END_ALLOW_THREADS
    return ext_listed(of(object), status, list, error);
}
