/*
 * The calls whose completion is still to run: when the interpreter ends each of them is reported, for nobody will hear of it
 * any more.
 */
#include "call.h"

/** Only with the GIL. */
static ext_call *open_calls;

void ext_call_expect(ext_call *self) {
    self->next = open_calls;
    self->link = &open_calls;
    if (open_calls != NULL) {
        open_calls->link = &self->next;
    }
    open_calls = self;
}

void ext_call_expect_no_more(ext_call *self) {
    if (self->link == NULL) {
        return;
    }
    *self->link = self->next;
    if (self->next != NULL) {
        self->next->link = self->link;
    }
    self->link = NULL;
}

/** Says what nobody else can any more, at the end of the interpreter. */
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

void ext_calls_end(void) {
    while (open_calls != NULL) {
        ext_call *self = open_calls;
        ext_call_expect_no_more(self);
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

void ext_calls_forget(void) {
    open_calls = NULL;
}
