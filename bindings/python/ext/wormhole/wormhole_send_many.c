/*
 * Wormhole.send_many(): several messages.
 */
#include "send_options.h"
#include "wormhole.h"
#include "../base/error.h"
#include "../base/text.h"
#include "../value/value.h"

typedef struct batch {
    ext_state *state;
    PyObject *signal; /**< the object that means a message without a value */
    PyObject *pairs;  /**< a tuple of the caller's pairs */
    ctie_outgoing *messages;
    PyObject **identifiers; /**< they keep the texts */
    size_t count;           /**< how many are filled in */
    ext_send_options how;
} batch;

/** Fills in the next message from an identifier and a value. */
static int add(batch *self, PyObject *identifier, PyObject *object) {
    ctie_outgoing *message = &self->messages[self->count];
    if (!PyUnicode_Check(identifier)) {
        PyErr_Format(PyExc_TypeError, "an identifier must be str, not %.100s", Py_TYPE(identifier)->tp_name);
        return -1;
    }
    if (ext_text(identifier, "identifier", &message->identifier) < 0) {
        return -1;
    }
    message->value = object == self->signal ? NULL : ext_value_plain(self->state, object);
    if (message->value == NULL && object != self->signal) {
        return -1;
    }
    self->identifiers[self->count++] = Py_NewRef(identifier);
    return 0;
}

static int add_pair(batch *self, PyObject *object) {
    PyObject *pair = PySequence_Tuple(object);
    if (pair == NULL) {
        return -1;
    }
    int result = -1;
    if (PyTuple_GET_SIZE(pair) == 2) {
        result = add(self, PyTuple_GET_ITEM(pair, 0), PyTuple_GET_ITEM(pair, 1));
    } else {
        PyErr_SetString(PyExc_ValueError, "a message must be a pair of identifier and value");
    }
    Py_DECREF(pair);
    return result;
}

static int fill(batch *self) {
    Py_ssize_t size = PyTuple_GET_SIZE(self->pairs);
    if ((size_t)size > CTIE_WORMHOLE_MAX_MESSAGES) {
        ext_raise_text(self->state, CTIE_E_LIMIT, "too many messages at once");
        return -1;
    }
    self->messages = PyMem_Calloc((size_t)size + 1, sizeof(*self->messages));
    self->identifiers = PyMem_Calloc((size_t)size + 1, sizeof(*self->identifiers));
    if (self->messages == NULL || self->identifiers == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < size; i++) {
        if (add_pair(self, PyTuple_GET_ITEM(self->pairs, i)) < 0) {
            return -1;
        }
    }
    return 0;
}

static void end(batch *self) {
    for (size_t i = 0; i < self->count; i++) {
        ctie_value_release(self->messages[i].value);
        Py_DECREF(self->identifiers[i]);
    }
    PyMem_Free(self->messages);
    PyMem_Free(self->identifiers);
    Py_XDECREF(self->pairs);
    ext_send_options_end(&self->how);
}

/** Reads a keyword argument: whether all are sent in one step, or an option of each message. */
static int read_keyword(batch *self, PyObject *name, PyObject *object) {
    if (PyUnicode_CompareWithASCIIString(name, "atomic") != 0) {
        return ext_send_options_read(self->state, &self->how, "send_many", name, object);
    }
    int is_atomic = PyObject_IsTrue(object);
    if (is_atomic == 0) {
        self->how.options.flags |= CTIE_SEND_NOT_ATOMIC;
    }
    return is_atomic < 0 ? -1 : 0;
}

/** Sends the messages and returns the number of the first one. Crosstie takes the values. */
static PyObject *send_all(batch *self, ctie_wormhole *wormhole) {
    uint64_t sequence = 0;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_wormhole_send_many(wormhole, self->messages, self->count, &self->how.options, &sequence, &error);
    Py_END_ALLOW_THREADS
    for (size_t i = 0; i < self->count; i++) {
        self->messages[i].value = NULL;
    }
    return status == CTIE_OK ? PyLong_FromUnsignedLongLong(sequence) : ext_raise(self->state, status, error);
}

PyObject *ext_wormhole_send_many(PyObject *wormhole, PyObject *const *args, Py_ssize_t count, PyObject *names) {
    ext_owner *owner = (ext_owner *)wormhole;
    batch self = {.state = owner->state, .how = {.options = CTIE_SEND_OPTIONS_INIT}};
    PyObject *result = NULL;
    Py_ssize_t named = names == NULL ? 0 : PyTuple_GET_SIZE(names), i = 0;
    if (count != 2) {
        PyErr_Format(PyExc_TypeError, "_send_many() takes 2 arguments (%zd given)", count);
        return NULL;
    }
    self.signal = args[1];
    while (i < named && read_keyword(&self, PyTuple_GET_ITEM(names, i), args[count + i]) == 0) {
        i++;
    }
    self.pairs = i < named ? NULL : PySequence_Tuple(args[0]);
    if (self.pairs != NULL && fill(&self) == 0) {
        result = send_all(&self, owner->handle);
    }
    end(&self);
    return result;
}
