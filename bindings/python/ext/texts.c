/*
 * Sequences of str as Crosstie takes lists of texts.
 */
#include "crosstie_ext.h"

/** Takes the texts of a list or tuple, which keeps them. */
static int read_items(PyObject *sequence, const char *what, ext_texts *out) {
    Py_ssize_t count = PySequence_Fast_GET_SIZE(sequence);
    out->items = PyMem_Calloc((size_t)count + 1, sizeof(ctie_str));
    if (out->items == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        if (ext_text(PySequence_Fast_GET_ITEM(sequence, i), what, &out->items[i]) < 0) {
            return -1;
        }
    }
    out->list = (ctie_str_list){out->items, (size_t)count};
    return 0;
}

int ext_texts_read(PyObject *object, const char *what, ext_texts *out) {
    *out = (ext_texts){{NULL, 0}, NULL, NULL};
    if (PyUnicode_Check(object)) {
        PyErr_Format(PyExc_TypeError, "%s are several texts, not one", what);
        return -1;
    }
    out->sequence = PySequence_Tuple(object);
    if (out->sequence == NULL || read_items(out->sequence, what, out) < 0) {
        ext_texts_clear(out);
        return -1;
    }
    return 0;
}

void ext_texts_clear(ext_texts *texts) {
    PyMem_Free(texts->items);
    Py_XDECREF(texts->sequence);
    *texts = (ext_texts){{NULL, 0}, NULL, NULL};
}
