/*
 * The stored messages of a Wormhole: reading and destroying them; the group's members.
 */
#include "wormhole.h"
#include "../base/error.h"
#include "../base/text.h"
#include "../value/value.h"

static ext_owner *of(PyObject *object) {
    return (ext_owner *)object;
}

/* ---- Removal -------------------------------------------------------------------------------------- */

/** Destroys a message, or all messages for NULL. `sequence` and `listeners` may be NULL. */
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

static PyObject *destroy_and_count(ext_owner *self, PyObject *identifier) {
    uint64_t sequence = 0;
    uint32_t listeners = 0;
    if (destroy(self, identifier, &sequence, &listeners) < 0) {
        return NULL;
    }
    return ext_sent_new(self->state, sequence, listeners);
}

PyObject *ext_wormhole_destroy(PyObject *object, PyObject *identifier) {
    return destroy_and_count(of(object), identifier);
}

PyObject *ext_wormhole_destroy_all(PyObject *object, PyObject *Py_UNUSED(unused)) {
    return destroy_and_count(of(object), NULL);
}

/* ---- One message ---------------------------------------------------------------------------------- */

/** The stored message. NULL with an exception, or without one, and with `is_missing`, if no message is stored. */
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
                                           "no message is stored under this identifier")
                          : NULL;
    }
    PyObject *result = ext_value_object(of(object)->state, ctie_message_value(message));
    ctie_message_release(message);
    return result;
}

int ext_wormhole_set_item(PyObject *object, PyObject *identifier, PyObject *value) {
    return value == NULL ? destroy(of(object), identifier, NULL, NULL)
                         : ext_wormhole_send_value(of(object), identifier, value, NULL, NULL);
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

/* ---- The group ------------------------------------------------------------------------------------ */

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
    return ext_value_result(of(object)->state, status, list, error);
}

PyObject *ext_wormhole_abilities(PyObject *object, PyObject *Py_UNUSED(unused)) {
    ctie_error *error = NULL;
    uint32_t bits = 0;
    ctie_status status = ctie_wormhole_abilities(of(object)->handle, &bits, &error);
    return status == CTIE_OK ? PyLong_FromUnsignedLong(bits) : ext_raise(of(object)->state, status, error);
}

PyObject *ext_wormhole_members(PyObject *object, PyObject *Py_UNUSED(unused)) {
    ctie_wormhole *handle = of(object)->handle;
    ctie_value *list = NULL;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_wormhole_members(handle, &list, &error);
    Py_END_ALLOW_THREADS
    return ext_value_result(of(object)->state, status, list, error);
}

PyObject *ext_wormhole_connection(PyObject *object, PyObject *Py_UNUSED(unused)) {
    ctie_value *map = NULL;
    ctie_error *error = NULL;
    ctie_status status = ctie_wormhole_connection(of(object)->handle, &map, &error);
    return ext_value_result(of(object)->state, status, map, error);
}
