/*
 * crosstie._crosstie._Hold: the handle and the bindings of an owner.
 */
#include "owner.h"
#include "error.h"

ext_hold *ext_hold_new(ext_state *state, void *handle, ext_end *close, ext_end *release) {
    PyObject *bindings = PySet_New(NULL);
    ext_hold *self = bindings == NULL ? NULL : PyObject_GC_New(ext_hold, state->hold_type);
    if (self == NULL) {
        Py_XDECREF(bindings);
        (void)release(handle);
        return NULL;
    }
    memset((char *)self + sizeof(PyObject), 0, sizeof(*self) - sizeof(PyObject));
    self->handle = handle;
    self->close = close;
    self->bindings = bindings;
    ext_live_add(&self->live, release, handle);
    PyObject_GC_Track(self);
    return self;
}

/** Ends the handle by one of its two functions; does nothing the second time. */
static ctie_status end_once(ext_hold *self, ext_end *end) {
    void *handle = self->handle;
    if (handle == NULL) {
        return CTIE_OK;
    }
    self->handle = NULL;
    if (self->owner != NULL) {
        self->owner->handle = NULL;
    }
    if (!ext_live_remove(&self->live)) {
        return CTIE_OK;
    }
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = end(handle);
    Py_END_ALLOW_THREADS
    if (status == CTIE_PENDING) {
        ext_bindings_keep(self->bindings);
    }
    return status;
}

ctie_status ext_hold_close(ext_hold *hold) {
    return end_once(hold, hold->close);
}

/** Ends the handle. A `__del__` of the owner runs before, and can still use it. */
static void hold_finalize(PyObject *object) {
    ext_hold *self = (ext_hold *)object;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    Py_INCREF(object);
    if (self->owner != NULL && self->handle != NULL) {
        PyObject_CallFinalizer((PyObject *)self->owner);
    }
    (void)end_once(self, self->live.end);
    ext_interrupt_later();
    Py_DECREF(object);
    PyErr_Restore(type, value, traceback);
}

/* The type has no tp_clear: the set clears itself, and the bindings in it. */
static int hold_traverse(PyObject *object, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(((ext_hold *)object)->bindings);
    Py_VISIT(((ext_hold *)object)->needed);
    return 0;
}

static void hold_dealloc(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    if (PyObject_CallFinalizerFromDealloc(object) < 0) {
        return;
    }
    PyObject_GC_UnTrack(object);
    Py_CLEAR(((ext_hold *)object)->bindings);
    Py_CLEAR(((ext_hold *)object)->needed);
    PyObject_GC_Del(object);
    Py_DECREF(type);
}

static PyType_Slot hold_slots[] = {
    {Py_tp_traverse, hold_traverse},
    {Py_tp_finalize, hold_finalize},
    {Py_tp_dealloc, hold_dealloc},
    {0, NULL},
};

PyType_Spec ext_hold_spec = {
    "crosstie._crosstie._Hold", sizeof(ext_hold), 0, EXT_FINAL | Py_TPFLAGS_HAVE_GC, hold_slots,
};
