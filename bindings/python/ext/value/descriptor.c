/*
 * crosstie.Descriptor: an open file as a value.
 */
#include "value.h"
#include "../base/error.h"
#include "../base/owner.h"

#include <errno.h>
#include <fcntl.h>

#include "docstrings.h"

typedef struct descriptor {
    PyObject_HEAD
    ext_state *state;
    ctie_value *value; /**< NULL once it is closed */
} descriptor;

static descriptor *of(PyObject *object) {
    return (descriptor *)object;
}

/** Takes the value, which may be NULL with an exception. */
static PyObject *adopt(ext_state *state, ctie_value *value) {
    descriptor *self = value == NULL ? NULL : PyObject_New(descriptor, state->descriptor_type);
    if (self == NULL) {
        ctie_value_release(value);
        return NULL;
    }
    self->state = state;
    self->value = value;
    return (PyObject *)self;
}

PyObject *ext_descriptor_new(ext_state *state, const ctie_value *value) {
    return adopt(state, ctie_value_retain(value));
}

ctie_value *ext_descriptor_value(ext_state *state, PyObject *object) {
    return Py_IS_TYPE(object, state->descriptor_type) ? ctie_value_retain(of(object)->value) : NULL;
}

static PyObject *descriptor_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    static char *names[] = {"file", NULL};
    ext_state *state = ext_state_of_type(type);
    PyObject *file;
    if (state == NULL || !PyArg_ParseTupleAndKeywords(args, keywords, "O:Descriptor", names, &file)) {
        return NULL;
    }
    int number = PyObject_AsFileDescriptor(file);
    if (number < 0) {
        return NULL;
    }
    ctie_value *value = ctie_value_descriptor(number);
    if (value == NULL) {
        errno = fcntl(number, F_GETFD) < 0 ? EBADF : EMFILE;
        PyErr_SetFromErrno(PyExc_OSError);
    }
    return adopt(state, value);
}

static PyObject *descriptor_fileno(PyObject *object, PyObject *Py_UNUSED(unused)) {
    int file = -1;
    if (ctie_value_get_descriptor(of(object)->value, &file) != CTIE_OK) {
        return ext_raise_text(of(object)->state, CTIE_E_CLOSED, "the descriptor has been closed");
    }
    return PyLong_FromLong(file);
}

static void let_go(descriptor *self) {
    ctie_value *value = self->value;
    self->value = NULL;
    Py_BEGIN_ALLOW_THREADS
    ctie_value_release(value);
    Py_END_ALLOW_THREADS
}

static PyObject *descriptor_close(PyObject *object, PyObject *Py_UNUSED(unused)) {
    let_go(of(object));
    Py_RETURN_NONE;
}

static PyObject *descriptor_exit(PyObject *object, PyObject *Py_UNUSED(args)) {
    return descriptor_close(object, NULL);
}

static PyObject *descriptor_closed(PyObject *object, void *Py_UNUSED(closure)) {
    return PyBool_FromLong(of(object)->value == NULL);
}

static void descriptor_dealloc(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    let_go(of(object));
    PyObject_Free(object);
    Py_DECREF(type);
}

static PyObject *descriptor_repr(PyObject *object) {
    int file = -1;
    if (ctie_value_get_descriptor(of(object)->value, &file) != CTIE_OK) {
        return PyUnicode_FromString("<crosstie.Descriptor closed>");
    }
    return PyUnicode_FromFormat("<crosstie.Descriptor %d>", file);
}

static PyMethodDef descriptor_methods[] = {
    {"fileno", descriptor_fileno, METH_NOARGS, DOC(Descriptor, fileno)},
    {"close", descriptor_close, METH_NOARGS, DOC(Descriptor, close)},
    {"__enter__", ext_enter, METH_NOARGS, DOC(Descriptor, __enter__)},
    {"__exit__", descriptor_exit, METH_VARARGS, DOC(Descriptor, __exit__)},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef descriptor_getset[] = {
    {"closed", descriptor_closed, NULL, DOC(Descriptor, closed), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot descriptor_slots[] = {
    {Py_tp_doc, DOC_Descriptor},
    {Py_tp_new, descriptor_new},
    {Py_tp_dealloc, descriptor_dealloc},
    {Py_tp_repr, descriptor_repr},
    {Py_tp_methods, descriptor_methods},
    {Py_tp_getset, descriptor_getset},
    {0, NULL},
};

PyType_Spec ext_descriptor_spec = {
    "crosstie.Descriptor", sizeof(descriptor), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, descriptor_slots,
};
