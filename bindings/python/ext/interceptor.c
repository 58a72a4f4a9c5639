/*
 * Interceptors: a Python function with a plan for each, for a bus, a route, a handler or one open.
 */
#include "handlers.h"

/** Crosstie refuses more, and looks at none of them then. */
#define MAX_INTERCEPTORS 64

/** Whether the function wants `proceed` beside the request; -1 with an exception if it cannot be an interceptor. */
static int takes_proceed(ext_state *state, PyObject *function) {
    PyObject *answer = PyObject_CallOneArg(state->takes_proceed, function);
    int result = answer == NULL ? -1 : PyObject_IsTrue(answer);
    Py_XDECREF(answer);
    return result;
}

static ext_registration *make(ext_owner *bus, PyObject *function) {
    int with_proceed = takes_proceed(bus->state, function);
    ext_registration *self = with_proceed < 0 ? NULL
                                              : ext_registration_new(bus, EXT_INTERCEPTOR, function, NULL, NULL);
    if (self != NULL) {
        self->plan.takes_request = true;
        self->plan.takes_proceed = with_proceed;
    }
    return self;
}

/* ---- Of a bus ------------------------------------------------------------------------------------- */

static int add(ext_registration *self, int32_t order) {
    if (ext_binding_keep(&self->binding) < 0) {
        return -1;
    }
    ctie_interceptor_options options = CTIE_INTERCEPTOR_OPTIONS_INIT;
    options.order = order;
    options.runtime = &ext_runtime;
    ctie_bus *bus = self->binding.owner->handle;
    ctie_registration *handle = NULL;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_interceptor_add(bus, ext_handle, self, ext_binding_destroy, &options, &handle, &error);
    Py_END_ALLOW_THREADS
    return ext_binding_settle(&self->binding, status, handle, error);
}

PyObject *ext_interceptor_add(PyObject *bus, PyObject *args, PyObject *keywords) {
    static char *names[] = {"", "order", NULL};
    PyObject *function;
    int order = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|$i:add_interceptor", names, &function, &order)) {
        return NULL;
    }
    ext_registration *self = make((ext_owner *)bus, function);
    if (self != NULL && add(self, order) < 0) {
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

/* ---- Of a route, a handler or an open ------------------------------------------------------------- */

/** What lasts is the bus's, where the collector sees it; what is for one open, Crosstie's until it has ended. */
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
        ext_registration *self = make(bus, PyTuple_GET_ITEM(functions, i));
        if (self == NULL || keep(self, is_lasting) < 0) {
            return -1;
        }
        out->items[out->count++] = (ctie_interceptor){ext_handle, self, ext_binding_destroy};
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
        out->items = PyMem_New(ctie_interceptor, count);
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
