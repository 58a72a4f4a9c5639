/*
 * What owns bindings, as far as both kinds of it are alike: buses and wormholes.
 */
#include "crosstie_ext.h"

static ext_owner *of(PyObject *object) {
    return (ext_owner *)object;
}

/* ---- What is held --------------------------------------------------------------------------------- */

/** Takes the handle. */
static ext_hold *hold_new(ext_state *state, void *handle, ext_end *close, ext_end *let_go) {
    PyObject *bindings = PySet_New(NULL);
    ext_hold *self = bindings == NULL ? NULL : PyObject_GC_New(ext_hold, state->hold_type);
    if (self == NULL) {
        Py_XDECREF(bindings);
        (void)let_go(handle);
        return NULL;
    }
    memset((char *)self + sizeof(PyObject), 0, sizeof(*self) - sizeof(PyObject));
    self->handle = handle;
    self->close = close;
    self->bindings = bindings;
    ext_live_add(&self->live, let_go, handle);
    PyObject_GC_Track(self);
    return self;
}

/** Ends it in one of its two ways, or does nothing the second time. */
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

/** The owner may have a `__del__`, which comes first: it finds all in use. */
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

/* There is nothing to clear: the set clears itself, and the bindings in it. */
static int hold_traverse(PyObject *object, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(((ext_hold *)object)->bindings);
    return 0;
}

static void hold_dealloc(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    if (PyObject_CallFinalizerFromDealloc(object) < 0) {
        return;
    }
    PyObject_GC_UnTrack(object);
    Py_CLEAR(((ext_hold *)object)->bindings);
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

/* ---- The owner ------------------------------------------------------------------------------------ */

PyObject *ext_owner_new(PyTypeObject *type, void *handle, PyObject *name, ext_end *close, ext_end *let_go) {
    ext_state *state = ext_state_of_type(type);
    if (state == NULL) {
        (void)let_go(handle);
        return NULL;
    }
    ext_hold *hold = hold_new(state, handle, close, let_go);
    ext_owner *self = hold == NULL ? NULL : of(type->tp_alloc(type, 0));
    if (self == NULL) {
        Py_XDECREF(hold);
        return NULL;
    }
    self->state = state;
    self->handle = handle;
    self->hold = hold;
    self->bindings = hold->bindings;
    self->is_shared = let_go != close;
    self->name = Py_NewRef(name);
    hold->owner = self;
    return (PyObject *)self;
}

PyObject *ext_owner_close(PyObject *object, PyObject *Py_UNUSED(unused)) {
    return ext_closed(of(object)->state, end_once(of(object)->hold, of(object)->hold->close));
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

/** What is held ends with it, unless a program that looks into everything (gc.get_objects()) keeps that. */
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
