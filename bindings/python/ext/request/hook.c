/*
 * Python functions that Crosstie calls beside handlers: for progress, cancels, and responses on their way back.
 */
#include "hook.h"
#include "response.h"
#include "trust.h"
#include "../base/error.h"
#include "../base/gil.h"
#include "../value/value.h"

struct ext_hook {
    ext_state *state;
    PyObject *function;
    bool is_remote; /**< it runs for a remote request */
};

ext_hook *ext_hook_new(ext_state *state, PyObject *function, bool is_remote) {
    ext_hook *self = PyMem_RawMalloc(sizeof(ext_hook));
    if (self == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    *self = (ext_hook){state, Py_NewRef(function), is_remote};
    return self;
}

void ext_hook_drop(void *hook) {
    EXT_GIL(gil);
    if (ext_gil_enter(&gil)) {
        ext_hook *self = hook;
        Py_DECREF(self->function);
        PyMem_RawFree(self);
        ext_gil_leave(&gil);
    }
}

/** Calls it, with an argument or without. Its exceptions go to sys.unraisablehook. */
static void run(ext_hook *self, PyObject *argument) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *token = self->is_remote ? ext_trust_mark(self->state) : NULL;
    PyObject *result = NULL;
    if (token != NULL || !self->is_remote) {
        result = argument == NULL ? PyObject_CallNoArgs(self->function) : PyObject_CallOneArg(self->function, argument);
    }
    if (result == NULL) {
        ext_unraisable(self->function);
    }
    Py_XDECREF(result);
    ext_trust_leave(self->state, token);
    PyErr_Restore(type, value, traceback);
}

void ext_hook_notify(void *hook) {
    EXT_GIL(gil);
    if (ext_gil_enter_apart(&gil)) {
        run(hook, NULL);
        ext_gil_leave(&gil);
    }
}

void ext_hook_progress(const ctie_value *value, void *hook) {
    EXT_GIL(gil);
    if (!ext_gil_enter_apart(&gil)) {
        return;
    }
    ext_hook *self = hook;
    PyObject *object = ext_value_object(self->state, value);
    if (object == NULL) {
        ext_unraisable(self->function);
    } else {
        run(self, object);
        Py_DECREF(object);
    }
    ext_gil_leave(&gil);
}

void ext_hook_return(ctie_response *response, void *hook) {
    EXT_GIL(gil);
    if (!ext_gil_enter_apart(&gil)) {
        return;
    }
    ext_hook *self = hook;
    PyObject *object = ext_response_new(self->state, response);
    if (object == NULL) {
        ext_unraisable(self->function);
    } else {
        ext_response_open(object, response);
        run(self, object);
        ext_response_open(object, NULL);
        Py_DECREF(object);
    }
    ext_gil_leave(&gil);
}
