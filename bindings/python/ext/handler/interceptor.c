/*
 * Interceptors: a registration for each function, and the lists for a route, a handler or one open.
 */
#include "registration.h"
#include "../base/error.h"

/** Crosstie's limit, checked here because Crosstie does not read the items of a longer list. */
#define MAX_INTERCEPTORS 64

/**
 * The flags of the function, EXT_WANTS_PROCEED and EXT_IS_ASYNC; -1 with an exception if it cannot be an interceptor.
 */
static long flags_of(ext_state *state, PyObject *function) {
    PyObject *answer = PyObject_CallOneArg(state->read_interceptor, function);
    long result = answer == NULL ? -1 : PyLong_AsLong(answer);
    Py_XDECREF(answer);
    return result;
}

ext_registration *ext_interceptor_new(ext_owner *bus, PyObject *function) {
    long flags = flags_of(bus->state, function);
    ext_registration *self = flags < 0 ? NULL : ext_registration_new(bus, EXT_INTERCEPTOR, function, NULL, NULL);
    if (self == NULL) {
        return NULL;
    }
    self->plan.takes_request = self->plan.is_interceptor = true;
    self->plan.takes_proceed = (flags & EXT_WANTS_PROCEED) != 0;
    self->plan.is_async = (flags & EXT_IS_ASYNC) != 0;
    if (self->plan.is_async && ext_registration_make_async(self) < 0) {
        Py_CLEAR(self);
    }
    return self;
}

/* ---- Lists ---------------------------------------------------------------------------------------- */

/**
 * Keeps a lasting one in the bus's set, where the collector sees it; Crosstie keeps that of a single open until it
 * ends.
 */
static int keep(ext_registration *self, bool is_lasting) {
    if (!is_lasting) {
        self->binding.is_kept = true;
        return 0;
    }
    int result = ext_binding_keep(&self->binding);
    Py_DECREF(self);
    return result;
}

static int read_items(ext_owner *bus, PyObject *functions, bool is_lasting, ext_interceptors *out) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(functions); i++) {
        ext_registration *self = ext_interceptor_new(bus, PyTuple_GET_ITEM(functions, i));
        if (self == NULL || keep(self, is_lasting) < 0) {
            return -1;
        }
        out->items[out->count++] = (ctie_handler){ext_handle, self, ext_binding_destroy};
    }
    return 0;
}

int ext_interceptors_read(ext_owner *bus, PyObject *sequence, bool is_lasting, ext_interceptors *out) {
    *out = (ext_interceptors){NULL, 0};
    PyObject *functions = PySequence_Tuple(sequence);
    if (functions == NULL) {
        return -1;
    }
    Py_ssize_t count = PyTuple_GET_SIZE(functions);
    int result = 0;
    if (count > MAX_INTERCEPTORS) {
        ext_raise_text(bus->state, CTIE_E_LIMIT, "there are more than 64 interceptors");
        result = -1;
    } else if (count > 0) {
        out->items = PyMem_New(ctie_handler, count);
        result = out->items == NULL ? (PyErr_NoMemory(), -1) : read_items(bus, functions, is_lasting, out);
    }
    Py_DECREF(functions);
    if (result < 0) {
        ext_interceptors_drop(out);
    }
    return result;
}

void ext_interceptors_drop(ext_interceptors *self) {
    for (size_t i = 0; i < self->count; i++) {
        ext_binding_destroy(self->items[i].user_data);
    }
    ext_interceptors_free(self);
}

void ext_interceptors_free(ext_interceptors *self) {
    PyMem_Free(self->items);
    *self = (ext_interceptors){NULL, 0};
}
