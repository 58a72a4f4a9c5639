/*
 * Interceptors: a Python function with a plan for each, for a bus, a route, a handler or one open.
 */
#include "handlers.h"

/** Crosstie refuses more, and looks at none of them then. */
#define MAX_INTERCEPTORS 64

/** How the function wants to be called; -1 with an exception if it cannot be an interceptor. */
static long wishes_of(ext_state *state, PyObject *function) {
    PyObject *answer = PyObject_CallOneArg(state->read_interceptor, function);
    long result = answer == NULL ? -1 : PyLong_AsLong(answer);
    Py_XDECREF(answer);
    return result;
}

static ext_registration *make(ext_owner *bus, PyObject *function) {
    long wishes = wishes_of(bus->state, function);
    ext_registration *self = wishes < 0 ? NULL : ext_registration_new(bus, EXT_INTERCEPTOR, function, NULL, NULL);
    if (self == NULL) {
        return NULL;
    }
    self->plan.takes_request = self->plan.is_interceptor = true;
    self->plan.takes_proceed = (wishes & EXT_WANTS_PROCEED) != 0;
    self->plan.is_async = (wishes & EXT_IS_ASYNC) != 0;
    if (self->plan.is_async && ext_registration_make_async(self) < 0) {
        Py_CLEAR(self);
    }
    return self;
}

/* ---- Of a bus ------------------------------------------------------------------------------------- */

static int add(ext_registration *self, const ctie_interceptor_options *options) {
    if (ext_binding_keep(&self->binding) < 0) {
        return -1;
    }
    ctie_bus *bus = self->binding.owner->handle;
    ctie_registration *handle = NULL;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_interceptor_add(bus, CTIE_HANDLER_OWNED(ext_handle, self, ext_binding_destroy), options, &handle,
                                  &error);
    Py_END_ALLOW_THREADS
    return ext_binding_settle(&self->binding, status, handle, error);
}

/** The flag of a kind by its name; 0 with an exception. */
static uint32_t kind_flag(PyObject *name) {
    for (int kind = 0; PyUnicode_Check(name) && kind < EXT_KINDS; kind++) {
        if (PyUnicode_CompareWithASCIIString(name, ext_kind_names[kind]) == 0) {
            return 1u << kind;
        }
    }
    PyErr_Format(PyExc_ValueError,
                 "a kind is 'open', 'call', 'event', 'perform', 'share', 'oauth', 'launch' or 'activity', not %R",
                 name);
    return 0;
}

/** The kinds by their names, in any collection; None for all. */
static int read_kinds(PyObject *names, uint32_t *out) {
    if (names == Py_None) {
        return 0;
    }
    if (PyUnicode_Check(names)) {
        PyErr_SetString(PyExc_TypeError, "kinds must be a collection of names, not one text");
        return -1;
    }
    PyObject *all = PySequence_Tuple(names);
    int result = all == NULL ? -1 : 0;
    for (Py_ssize_t i = 0; result == 0 && i < PyTuple_GET_SIZE(all); i++) {
        uint32_t flag = kind_flag(PyTuple_GET_ITEM(all, i));
        *out |= flag;
        result = flag == 0 ? -1 : 0;
    }
    if (result == 0 && *out == 0) {
        PyErr_SetString(PyExc_ValueError, "an interceptor sees at least one kind");
        result = -1;
    }
    Py_XDECREF(all);
    return result;
}

PyObject *ext_interceptor_add(PyObject *bus, PyObject *args, PyObject *keywords) {
    static char *names[] = {"", "order", "kinds", "dispatcher", NULL};
    PyObject *function, *order = NULL, *kinds = Py_None, *dispatcher = ((ext_owner *)bus)->state->empty;
    ctie_interceptor_options options = CTIE_INTERCEPTOR_OPTIONS_INIT;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|$OOO:_add_interceptor", names, &function, &order, &kinds,
                                     &dispatcher) ||
        ext_int32(order, "order", &options.order) < 0 || read_kinds(kinds, &options.kinds) < 0 || ext_text(dispatcher, "dispatcher", &options.dispatcher) < 0) {
        return NULL;
    }
    options.runtime = &ext_runtime;
    ext_registration *self = make((ext_owner *)bus, function);
    if (self != NULL && add(self, &options) < 0) {
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
