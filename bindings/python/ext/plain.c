/*
 * The content of Python objects as values without any object in them: what leaves the process, and what
 * other hosts see. Lists and tuples become lists, dicts maps, the three types of bytes become bytes.
 */
#include "crosstie_ext.h"

/** The way from the outermost object to the one at hand, which also finds cycles. */
typedef struct walk {
    ext_state *state;
    int depth;
    struct {
        PyObject *container;
        PyObject *key;    /**< borrowed; NULL: none */
        Py_ssize_t index; /**< -1: none */
    } steps[CTIE_VALUE_MAX_DEPTH];
} walk;

static ctie_value *plain(walk *self, PyObject *object);

/** The place in the value as in "$.user.tags[3]". */
static PyObject *place(const walk *self) {
    PyObject *result = PyUnicode_FromString("$");
    for (int i = 0; result != NULL && i < self->depth; i++) {
        if (self->steps[i].key != NULL) {
            Py_SETREF(result, PyUnicode_FromFormat("%U.%U", result, self->steps[i].key));
        } else if (self->steps[i].index >= 0) {
            Py_SETREF(result, PyUnicode_FromFormat("%U[%zd]", result, self->steps[i].index));
        }
    }
    return result;
}

static ctie_value *refuse(const walk *self, ctie_status status, const char *message) {
    PyObject *where = place(self);
    ctie_str text = {NULL, 0};
    PyObject *bytes = where == NULL ? NULL : PyUnicode_AsEncodedString(where, "utf-8", "backslashreplace");
    if (bytes != NULL) {
        text = (ctie_str){PyBytes_AS_STRING(bytes), (size_t)PyBytes_GET_SIZE(bytes)};
        PyObject *error = ext_make_error(self->state, status, ctie_status_code(status), ctie_str_from(message), text,
                                         NULL);
        if (error != NULL) {
            ext_raise_object(error);
            Py_DECREF(error);
        }
        Py_DECREF(bytes);
    }
    Py_XDECREF(where);
    return NULL;
}

static bool enter(walk *self, PyObject *container) {
    if (self->depth == CTIE_VALUE_MAX_DEPTH) {
        refuse(self, CTIE_E_LIMIT, "the value is nested too deeply");
        return false;
    }
    for (int i = 0; i < self->depth; i++) {
        if (self->steps[i].container == container) {
            refuse(self, CTIE_E_FOREIGN, "the value contains itself");
            return false;
        }
    }
    self->steps[self->depth].container = container;
    self->steps[self->depth].key = NULL;
    self->steps[self->depth].index = -1;
    self->depth++;
    return true;
}

static ctie_value *or_too_large(const walk *self, ctie_value *value) {
    return value != NULL ? value : refuse(self, CTIE_E_LIMIT, "the value is too large");
}

static ctie_value *plain_int(const walk *self, PyObject *object) {
    int overflow = 0;
    long long number = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow != 0) {
        return refuse(self, CTIE_E_LIMIT, "the integer does not fit 64 bits");
    }
    return or_too_large(self, ctie_value_int(number));
}

static ctie_value *plain_text(const walk *self, PyObject *object) {
    Py_ssize_t size = 0;
    const char *data = PyUnicode_AsUTF8AndSize(object, &size);
    if (data == NULL) {
        return NULL;
    }
    return or_too_large(self, ctie_value_string((ctie_str){data, (size_t)size}));
}

static ctie_value *plain_bytes(const walk *self, PyObject *object) {
    Py_buffer buffer;
    if (PyObject_GetBuffer(object, &buffer, PyBUF_SIMPLE) < 0) {
        return NULL;
    }
    ctie_value *value = ctie_value_bytes((ctie_str){buffer.buf, (size_t)buffer.len});
    PyBuffer_Release(&buffer);
    return or_too_large(self, value);
}

static void release_all(ctie_value **items, Py_ssize_t count) {
    for (Py_ssize_t i = 0; i < count; i++) {
        ctie_value_release(items[i]);
    }
}

static ctie_value *plain_list(walk *self, PyObject *object) {
    Py_ssize_t count = PySequence_Fast_GET_SIZE(object);
    if ((size_t)count > CTIE_VALUE_MAX_COUNT) {
        return refuse(self, CTIE_E_LIMIT, "the list is too long");
    }
    ctie_value **items = PyMem_New(ctie_value *, count > 0 ? count : 1);
    if (items == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    ctie_value *result = NULL;
    Py_ssize_t done = 0;
    for (; done < count; done++) {
        self->steps[self->depth - 1].index = done;
        items[done] = plain(self, PySequence_Fast_GET_ITEM(object, done));
        if (items[done] == NULL) {
            break;
        }
    }
    if (done < count) {
        release_all(items, done);
    } else {
        result = or_too_large(self, ctie_value_list(items, (size_t)count));
    }
    PyMem_Free(items);
    return result;
}

static bool plain_entry(walk *self, PyObject *key, PyObject *item, ctie_pair *out) {
    self->steps[self->depth - 1].key = NULL;
    if (!PyUnicode_Check(key)) {
        refuse(self, CTIE_E_TYPE, "a map has a key that is not a str");
        return false;
    }
    self->steps[self->depth - 1].key = key;
    Py_ssize_t size = 0;
    out->key.data = PyUnicode_AsUTF8AndSize(key, &size);
    out->key.size = (size_t)size;
    out->value = out->key.data == NULL ? NULL : plain(self, item);
    return out->value != NULL;
}

static ctie_value *plain_map(walk *self, PyObject *object) {
    Py_ssize_t count = PyDict_GET_SIZE(object);
    if ((size_t)count > CTIE_VALUE_MAX_COUNT) {
        return refuse(self, CTIE_E_LIMIT, "the map is too large");
    }
    ctie_pair *pairs = PyMem_New(ctie_pair, count > 0 ? count : 1);
    if (pairs == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    ctie_value *result = NULL;
    Py_ssize_t done = 0, position = 0;
    PyObject *key, *item;
    while (PyDict_Next(object, &position, &key, &item) && plain_entry(self, key, item, &pairs[done])) {
        done++;
    }
    if (done < count) {
        for (Py_ssize_t i = 0; i < done; i++) {
            ctie_value_release(pairs[i].value);
        }
    } else {
        result = or_too_large(self, ctie_value_map(pairs, (size_t)count));
    }
    PyMem_Free(pairs);
    return result;
}

static ctie_value *plain_container(walk *self, PyObject *object) {
    if (!enter(self, object)) {
        return NULL;
    }
    ctie_value *value = PyDict_Check(object) ? plain_map(self, object) : plain_list(self, object);
    self->depth--;
    return value;
}

static ctie_value *plain_foreign(const walk *self, PyObject *object) {
    ctie_value *value = ext_foreign_value(self->state, object);
    if (value == NULL) {
        char message[160];
        PyOS_snprintf(message, sizeof(message), "a %.100s cannot leave Python", Py_TYPE(object)->tp_name);
        return refuse(self, CTIE_E_FOREIGN, message);
    }
    return value;
}

static ctie_value *plain(walk *self, PyObject *object) {
    if (object == Py_None) {
        return ctie_value_null();
    }
    if (PyBool_Check(object)) {
        return ctie_value_bool(object == Py_True);
    }
    if (PyLong_Check(object)) {
        return plain_int(self, object);
    }
    if (PyFloat_Check(object)) {
        return or_too_large(self, ctie_value_double(PyFloat_AS_DOUBLE(object)));
    }
    if (PyUnicode_Check(object)) {
        return plain_text(self, object);
    }
    if (PyBytes_Check(object) || PyByteArray_Check(object) || PyMemoryView_Check(object)) {
        return plain_bytes(self, object);
    }
    if (PyList_Check(object) || PyTuple_Check(object) || PyDict_Check(object)) {
        return plain_container(self, object);
    }
    return plain_foreign(self, object);
}

ctie_value *ext_value_plain(ext_state *state, PyObject *object) {
    walk self;
    self.state = state;
    self.depth = 0;
    return plain(&self, object);
}
