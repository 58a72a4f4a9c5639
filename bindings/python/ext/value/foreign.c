/*
 * crosstie.Foreign: an object of another host.
 */
#include "value.h"
#include "../base/text.h"

#include "docstrings.h"

typedef struct foreign {
    PyObject_HEAD
    ctie_value *value;
} foreign;

PyObject *ext_foreign_new(ext_state *state, const ctie_value *value) {
    foreign *self = PyObject_New(foreign, state->foreign_type);
    if (self != NULL) {
        self->value = ctie_value_retain(value);
    }
    return (PyObject *)self;
}

ctie_value *ext_foreign_value(ext_state *state, PyObject *object) {
    return Py_IS_TYPE(object, state->foreign_type) ? ctie_value_retain(((foreign *)object)->value) : NULL;
}

static void foreign_dealloc(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    ctie_value *value = ((foreign *)object)->value;
    Py_BEGIN_ALLOW_THREADS
    ctie_value_release(value);
    Py_END_ALLOW_THREADS
    PyObject_Free(object);
    Py_DECREF(type);
}

static PyObject *foreign_tag(PyObject *object, void *Py_UNUSED(closure)) {
    ctie_str tag = {NULL, 0};
    (void)ctie_value_foreign_tag(((foreign *)object)->value, &tag);
    return ext_text_object(tag);
}

static PyObject *foreign_repr(PyObject *object) {
    PyObject *tag = foreign_tag(object, NULL);
    PyObject *result = tag == NULL ? NULL : PyUnicode_FromFormat("<crosstie.Foreign %R>", tag);
    Py_XDECREF(tag);
    return result;
}

static PyGetSetDef foreign_getset[] = {
    {"tag", foreign_tag, NULL, DOC(Foreign, tag), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot foreign_slots[] = {
    {Py_tp_doc, DOC_Foreign},
    {Py_tp_dealloc, foreign_dealloc},
    {Py_tp_repr, foreign_repr},
    {Py_tp_getset, foreign_getset},
    {0, NULL},
};

PyType_Spec ext_foreign_spec = {
    "crosstie.Foreign", sizeof(foreign), 0, EXT_FINAL, foreign_slots,
};
