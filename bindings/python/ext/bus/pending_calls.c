/*
 * Pending calls, whose completion has yet to run. The end of the interpreter reports each of them, since no completion runs
 * after it.
 */
#include "spec.h"

#include <pthread.h>

/** Guarded by the GIL. */
static ext_call *pending_calls;

void ext_pending_calls_add(ext_call *self) {
    self->next = pending_calls;
    self->link = &pending_calls;
    if (pending_calls != NULL) {
        pending_calls->link = &self->next;
    }
    pending_calls = self;
}

void ext_pending_calls_remove(ext_call *self) {
    if (self->link == NULL) {
        return;
    }
    *self->link = self->next;
    if (self->next != NULL) {
        self->next->link = self->link;
    }
    self->link = NULL;
}

/** Logs and reports a function that cannot run any more. */
static void report_lost(ext_call *self, PyObject *function) {
    PyObject *text = PyUnicode_FromFormat("the interpreter ends before the completion of %R could run", self);
    PyObject *logged = text == NULL ? NULL : PyObject_CallFunction(self->state->log, "isO", 40, "%s", text);
    if (text != NULL && logged == NULL) {
        PyErr_WriteUnraisable(self->state->log);
    }
    PyErr_SetObject(PyExc_RuntimeError, text);
    PyErr_WriteUnraisable(function);
    Py_XDECREF(logged);
    Py_XDECREF(text);
}

void ext_pending_calls_report(void) {
    while (pending_calls != NULL) {
        ext_call *self = pending_calls;
        ext_pending_calls_remove(self);
        Py_INCREF(self);
        if (self->completion != NULL && self->completion != Py_None) {
            report_lost(self, self->completion);
        }
        for (Py_ssize_t i = 0; self->callbacks != NULL && i < PyList_GET_SIZE(self->callbacks); i++) {
            report_lost(self, PyList_GET_ITEM(self->callbacks, i));
        }
        Py_DECREF(self);
    }
}

/** In a forked child: the calls are the parent's. */
static void forget_after_fork(void) {
    pending_calls = NULL;
}

int ext_pending_calls_start(void) {
    static bool is_registered;
    if (!is_registered && pthread_atfork(NULL, NULL, forget_after_fork) != 0) {
        PyErr_SetString(PyExc_OSError, "the process has no fork hook left");
        return -1;
    }
    is_registered = true;
    return 0;
}
