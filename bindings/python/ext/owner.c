/*
 * What owns bindings, as far as both kinds of it are alike: buses and wormholes.
 */
#include "crosstie_ext.h"

static ext_owner *of(PyObject *object) {
    return (ext_owner *)object;
}

PyObject *ext_owner_new(PyTypeObject *type, void *handle, PyObject *name, ext_end *close, ext_end *let_go) {
    ext_state *state = ext_state_of_type(type);
    PyObject *bindings = state == NULL ? NULL : PySet_New(NULL);
    ext_owner *self = bindings == NULL ? NULL : of(type->tp_alloc(type, 0));
    if (self == NULL) {
        Py_XDECREF(bindings);
        (void)let_go(handle);
        return NULL;
    }
    self->state = state;
    self->handle = handle;
    self->close = close;
    self->is_shared = let_go != close;
    self->name = Py_NewRef(name);
    self->bindings = bindings;
    ext_live_add(&self->live, let_go, handle);
    return (PyObject *)self;
}

/** Ends it in one of its two ways, or does nothing the second time. */
static ctie_status end_once(ext_owner *self, ext_end *end) {
    void *handle = self->handle;
    if (handle == NULL) {
        return CTIE_OK;
    }
    self->handle = NULL;
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

PyObject *ext_owner_close(PyObject *object, PyObject *Py_UNUSED(unused)) {
    return ext_closed(of(object)->state, end_once(of(object), of(object)->close));
}

PyObject *ext_owner_exit(PyObject *object, PyObject *Py_UNUSED(args)) {
    return ext_owner_close(object, NULL);
}

PyObject *ext_enter(PyObject *object, PyObject *Py_UNUSED(unused)) {
    return Py_NewRef(object);
}

void ext_owner_finalize(PyObject *object) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    (void)end_once(of(object), of(object)->live.end);
    PyErr_Restore(type, value, traceback);
}

/* There is nothing to clear: the set clears itself, and the bindings in it. */
int ext_owner_traverse(PyObject *object, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(of(object)->bindings);
    return 0;
}

void ext_owner_dealloc(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    if (PyObject_CallFinalizerFromDealloc(object) < 0) {
        return;
    }
    PyObject_GC_UnTrack(object);
    if (of(object)->weakrefs != NULL) {
        PyObject_ClearWeakRefs(object);
    }
    Py_CLEAR(of(object)->bindings);
    Py_CLEAR(of(object)->name);
    type->tp_free(object);
    Py_DECREF(type);
}
