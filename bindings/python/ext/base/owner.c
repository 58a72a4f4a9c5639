/*
 * Owners of bindings: the common part of Bus and Wormhole.
 */
#include "owner.h"
#include "error.h"

static ext_owner *of(PyObject *object) {
    return (ext_owner *)object;
}

PyObject *ext_owner_new(PyTypeObject *type, void *handle, PyObject *name, ext_end *close, ext_end *release) {
    ext_state *state = ext_state_of_type(type);
    if (state == NULL) {
        (void)release(handle);
        return NULL;
    }
    ext_hold *hold = ext_hold_new(state, handle, close, release);
    ext_owner *self = hold == NULL ? NULL : of(type->tp_alloc(type, 0));
    if (self == NULL) {
        Py_XDECREF(hold);
        return NULL;
    }
    self->state = state;
    self->handle = handle;
    self->hold = hold;
    self->bindings = hold->bindings;
    self->is_shared = release != close;
    self->name = Py_NewRef(name);
    hold->owner = self;
    return (PyObject *)self;
}

PyObject *ext_owner_close(PyObject *object, PyObject *Py_UNUSED(unused)) {
    return ext_closed(of(object)->state, ext_hold_close(of(object)->hold));
}

PyObject *ext_owner_exit(PyObject *object, PyObject *Py_UNUSED(args)) {
    return ext_owner_close(object, NULL);
}

PyObject *ext_enter(PyObject *object, PyObject *Py_UNUSED(unused)) {
    return Py_NewRef(object);
}

int ext_owner_traverse(PyObject *object, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(object));
    Py_VISIT((PyObject *)of(object)->hold);
    return 0;
}

/** Releases the hold, which ends unless a program has found it by gc.get_objects() and keeps it. */
void ext_owner_dealloc(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    if (of(object)->weakrefs != NULL) {
        PyObject_ClearWeakRefs(object);
    }
    of(object)->hold->owner = NULL;
    Py_CLEAR(of(object)->hold);
    Py_CLEAR(of(object)->name);
    type->tp_free(object);
    Py_DECREF(type);
}
