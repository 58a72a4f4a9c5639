/*
 * Texts: str as Crosstie's UTF-8, and sequences of str as lists of texts.
 */
#include "text.h"
#include "error.h"

/** The number of bytes before the lone surrogate that an encoder has just met. Takes its exception. */
static int size_before(PyObject *text, size_t *out) {
    PyObject *exception = ext_take_exception();
    Py_ssize_t start = 0, size = 0;
    int result = PyUnicodeEncodeError_GetStart(exception, &start);
    Py_DECREF(exception);
    PyObject *before = result < 0 ? NULL : PyUnicode_Substring(text, 0, start);
    if (before == NULL || PyUnicode_AsUTF8AndSize(before, &size) == NULL) {
        result = -1;
    }
    Py_XDECREF(before);
    *out = (size_t)size;
    return result;
}

int ext_utf8(PyObject *text, ctie_str *out, size_t *byte) {
    Py_ssize_t size = 0;
    out->data = PyUnicode_AsUTF8AndSize(text, &size);
    out->size = (size_t)size;
    if (out->data != NULL) {
        return 0;
    }
    return !PyErr_ExceptionMatches(PyExc_UnicodeEncodeError) || size_before(text, byte) < 0 ? -1 : 1;
}

static void refuse_utf8(const char *what, size_t byte) {
    char message[160], where[32];
    PyOS_snprintf(message, sizeof(message), "%s is not valid UTF-8", what);
    PyOS_snprintf(where, sizeof(where), "byte %zu", byte);
    PyObject *error = ext_make_error(ext_state_current, CTIE_E_UTF8, ctie_status_code(CTIE_E_UTF8), ctie_str_from(message),
                                     ctie_str_from(where), NULL);
    if (error != NULL) {
        ext_raise_object(error);
        Py_DECREF(error);
    }
}

int ext_text(PyObject *object, const char *what, ctie_str *out) {
    if (!PyUnicode_Check(object)) {
        PyErr_Format(PyExc_TypeError, "%s must be a str, not %.100s", what, Py_TYPE(object)->tp_name);
        return -1;
    }
    size_t byte = 0;
    int result = ext_utf8(object, out, &byte);
    if (result > 0) {
        refuse_utf8(what, byte);
    }
    return result == 0 ? 0 : -1;
}

/* ---- Lists of texts ------------------------------------------------------------------------------- */

/** Reads the texts of a list or tuple, which keeps them. */
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
        PyErr_Format(PyExc_TypeError, "%s must be a sequence of str, not one str", what);
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
