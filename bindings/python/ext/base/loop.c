/*
 * crosstie.Loop: callbacks in an event loop of the program's own.
 */
#include "loop.h"
#include "error.h"
#include "owner.h"

#include "docstrings.h"

typedef struct loop {
    PyObject_HEAD
    ext_state *state;
    ctie_loop *handle; /**< NULL once closed */
    PyObject *weakrefs;
    ext_live live;
} loop;

static loop *of(PyObject *object) {
    return (loop *)object;
}

static ctie_status release(void *handle) {
    return ctie_loop_release(handle);
}

static PyObject *loop_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    static char *names[] = {NULL};
    ext_state *state = ext_state_of_type(type);
    if (state == NULL || !PyArg_ParseTupleAndKeywords(args, keywords, ":Loop", names)) {
        return NULL;
    }
    ctie_loop *handle = NULL;
    ctie_error *error = NULL;
    ctie_status status = ctie_loop_new(&handle, &error);
    if (status != CTIE_OK) {
        return ext_raise(state, status, error);
    }
    loop *self = of(type->tp_alloc(type, 0));
    if (self == NULL) {
        (void)ctie_loop_release(handle);
        return NULL;
    }
    self->state = state;
    self->handle = handle;
    ext_live_add(&self->live, release, handle);
    return (PyObject *)self;
}

static ctie_loop *live_handle(PyObject *object) {
    if (of(object)->handle == NULL) {
        ext_raise_text(of(object)->state, CTIE_E_CLOSED, "the loop has been closed");
    }
    return of(object)->handle;
}

ctie_loop *ext_loop_handle(ext_state *state, PyObject *object) {
    if (!Py_IS_TYPE(object, state->loop_type)) {
        PyErr_Format(PyExc_TypeError, "loop must be a crosstie.Loop, not %.100s", Py_TYPE(object)->tp_name);
        return NULL;
    }
    return live_handle(object);
}

/* ---- Methods -------------------------------------------------------------------------------------- */

static PyObject *loop_fileno(PyObject *object, PyObject *Py_UNUSED(unused)) {
    ctie_loop *handle = live_handle(object);
    if (handle == NULL) {
        return NULL;
    }
    int32_t descriptor = -1;
    ctie_status status = ctie_loop_fd(handle, &descriptor);
    return status == CTIE_OK ? PyLong_FromLong(descriptor) : ext_raise(of(object)->state, status, NULL);
}

static PyObject *loop_dispatch(PyObject *object, PyObject *Py_UNUSED(unused)) {
    ctie_loop *handle = live_handle(object);
    if (handle == NULL) {
        return NULL;
    }
    size_t count = 0;
    ctie_status status;
    Py_INCREF(object);
    Py_BEGIN_ALLOW_THREADS
    status = ctie_loop_dispatch(handle, &count);
    Py_END_ALLOW_THREADS
    PyObject *result = ext_done(of(object)->state, status, NULL);
    Py_DECREF(object);
    if (result == NULL) {
        return NULL;
    }
    Py_DECREF(result);
    return PyLong_FromSize_t(count);
}

/** Releases the handle, which runs the callbacks that wait; does nothing the second time. */
static ctie_status end_once(loop *self) {
    ctie_loop *handle = self->handle;
    self->handle = NULL;
    if (handle == NULL || !ext_live_remove(&self->live)) {
        return CTIE_OK;
    }
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_loop_release(handle);
    Py_END_ALLOW_THREADS
    return status;
}

static PyObject *loop_close(PyObject *object, PyObject *Py_UNUSED(unused)) {
    return ext_closed(of(object)->state, end_once(of(object)));
}

static PyObject *loop_exit(PyObject *object, PyObject *Py_UNUSED(args)) {
    return loop_close(object, NULL);
}

/* ---- The type ------------------------------------------------------------------------------------- */

static void loop_finalize(PyObject *object) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    (void)end_once(of(object));
    ext_interrupt_later();
    PyErr_Restore(type, value, traceback);
}

static void loop_dealloc(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    if (PyObject_CallFinalizerFromDealloc(object) < 0) {
        return;
    }
    if (of(object)->weakrefs != NULL) {
        PyObject_ClearWeakRefs(object);
    }
    type->tp_free(object);
    Py_DECREF(type);
}

static PyObject *loop_repr(PyObject *object) {
    return PyUnicode_FromFormat("<crosstie.Loop%s>", of(object)->handle == NULL ? " closed" : "");
}

static PyMethodDef loop_methods[] = {
    {"fileno", loop_fileno, METH_NOARGS, DOC(Loop, fileno)},
    {"dispatch", loop_dispatch, METH_NOARGS, DOC(Loop, dispatch)},
    {"close", loop_close, METH_NOARGS, DOC(Loop, close)},
    {"__enter__", ext_enter, METH_NOARGS, DOC(Loop, __enter__)},
    {"__exit__", loop_exit, METH_VARARGS, DOC(Loop, __exit__)},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef loop_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(loop, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot loop_slots[] = {
    {Py_tp_doc, DOC_Loop},
    {Py_tp_new, loop_new},
    {Py_tp_finalize, loop_finalize},
    {Py_tp_dealloc, loop_dealloc},
    {Py_tp_repr, loop_repr},
    {Py_tp_methods, loop_methods},
    {Py_tp_members, loop_members},
    {0, NULL},
};

PyType_Spec ext_loop_spec = {
    "crosstie.Loop", sizeof(loop), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, loop_slots,
};
