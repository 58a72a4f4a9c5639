/*
 * Bus.interceptors.add(): an interceptor of the whole bus.
 */
#include "bus.h"
#include "../base/text.h"
#include "../handler/registration.h"
#include "../request/request.h"

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
    return ext_binding_finish(&self->binding, status, handle, error);
}

/** The flag of a kind by its name; 0 with an exception. */
static uint32_t kind_flag(PyObject *name) {
    for (int kind = 0; PyUnicode_Check(name) && kind < ext_kind_count; kind++) {
        if (PyUnicode_CompareWithASCIIString(name, ext_kinds[kind].name) == 0) {
            return 1u << kind;
        }
    }
    char list[256];
    int size = 0;
    for (int kind = 0; kind < ext_kind_count && size < (int)sizeof list; kind++) {
        const char *separator = kind == 0 ? "" : kind < ext_kind_count - 1 ? ", " : " or ";
        size += snprintf(list + size, sizeof list - (size_t)size, "%s'%s'", separator, ext_kinds[kind].name);
    }
    PyErr_Format(PyExc_ValueError, "a kind is %s, not %R", list, name);
    return 0;
}

/** Reads a collection of kinds' names; None: all kinds. */
static int read_kinds(PyObject *names, uint32_t *out) {
    if (names == Py_None) {
        return 0;
    }
    if (PyUnicode_Check(names)) {
        PyErr_SetString(PyExc_TypeError, "kinds must be a collection of names, not one str");
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
        PyErr_SetString(PyExc_ValueError, "an interceptor needs at least one kind");
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
        ext_int32(order, "order", &options.order) < 0 || read_kinds(kinds, &options.kinds) < 0 ||
        ext_text(dispatcher, "dispatcher", &options.dispatcher) < 0) {
        return NULL;
    }
    options.runtime = &ext_runtime;
    ext_registration *self = ext_interceptor_new((ext_owner *)bus, function);
    if (self != NULL && add(self, &options) < 0) {
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}
