/*
 * Bindings, the objects that Crosstie calls: the common part of Registration and Listener.
 *
 * Crosstie's user_data is the object, borrowed. The set of its owner keeps it, where the collector sees it, and an owner is
 * closed before its set is cleared. `destroy` takes the object out of the set.
 */
#include "owner.h"
#include "error.h"

static ext_binding *of(PyObject *object) {
    return (ext_binding *)object;
}

/* ---- New bindings --------------------------------------------------------------------------------- */

void *ext_binding_new(PyTypeObject *type, ext_owner *owner, ext_end *release, PyObject *target, PyObject *callback) {
    ext_binding *self = of(type->tp_alloc(type, 0));
    if (self == NULL) {
        return NULL;
    }
    self->state = owner->state;
    self->release = release;
    self->owner = (ext_owner *)Py_NewRef((PyObject *)owner);
    self->target = Py_NewRef(target);
    self->callback = Py_NewRef(callback);
    return self;
}

int ext_binding_keep(ext_binding *self) {
    return PySet_Add(self->owner->bindings, (PyObject *)self);
}

int ext_binding_finish(ext_binding *self, ctie_status status, void *handle, ctie_error *error) {
    if (status < 0) {
        ext_raise(self->state, status, error);
        return -1;
    }
    if (PySet_Contains(self->owner->bindings, (PyObject *)self) == 1) {
        self->handle = handle;
        if (self->owner->is_shared) {
            ext_live_add(&self->live, self->release, handle);
        }
    }
    ext_interrupt_later();
    return 0;
}

void ext_bindings_forget(PyObject *bindings) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(bindings); i++) {
        ext_binding *each = of(PyList_GET_ITEM(bindings, i));
        each->handle = NULL;
        (void)ext_live_remove(&each->live);
    }
    Py_DECREF(bindings);
}

/* ---- Called by Crosstie --------------------------------------------------------------------------- */

void ext_binding_destroy(void *user_data) {
    EXT_GIL(gil);
    if (!ext_gil_enter(&gil)) {
        return;
    }
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    ext_binding *self = user_data;
    Py_INCREF(self);
    self->handle = NULL;
    (void)ext_live_remove(&self->live);
    if (self->owner != NULL && PySet_Discard(self->owner->bindings, (PyObject *)self) < 0) {
        PyErr_Clear();
    }
    if (self->is_kept) {
        Py_DECREF(self);
    }
    Py_DECREF(self);
    PyErr_Restore(type, value, traceback);
    ext_gil_leave(&gil);
}

void ext_bindings_keep(PyObject *set) {
    PyObject *iterator = PyObject_GetIter(set);
    PyObject *item;
    while (iterator != NULL && (item = PyIter_Next(iterator)) != NULL) {
        if (of(item)->is_kept) {
            Py_DECREF(item);
        } else {
            of(item)->is_kept = true; /* Crosstie holds the reference, until destroy() */
        }
    }
    Py_XDECREF(iterator);
    PyErr_Clear();
}

/* ---- Parts of the types --------------------------------------------------------------------------- */

PyObject *ext_binding_remove(PyObject *object, PyObject *Py_UNUSED(unused)) {
    ext_binding *self = of(object);
    void *handle = self->handle;
    if (handle == NULL) {
        Py_RETURN_NONE;
    }
    self->handle = NULL;
    (void)ext_live_remove(&self->live);
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = self->release(handle);
    Py_END_ALLOW_THREADS
    return ext_closed(self->state, status);
}

PyObject *ext_binding_exit(PyObject *object, PyObject *Py_UNUSED(args)) {
    return ext_binding_remove(object, NULL);
}

PyObject *ext_binding_active(PyObject *object, void *Py_UNUSED(closure)) {
    return PyBool_FromLong(of(object)->handle != NULL);
}

int ext_binding_traverse(PyObject *object, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(of(object)->owner);
    Py_VISIT(of(object)->callback);
    return 0;
}

/* Called only after Crosstie has released the object: its owner, which keeps it, is closed. */
int ext_binding_clear(PyObject *object) {
    Py_CLEAR(of(object)->owner);
    Py_CLEAR(of(object)->callback);
    return 0;
}

void ext_binding_dealloc(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    (void)ext_live_remove(&of(object)->live);
    (void)ext_binding_clear(object);
    Py_CLEAR(of(object)->target);
    type->tp_free(object);
    Py_DECREF(type);
}
