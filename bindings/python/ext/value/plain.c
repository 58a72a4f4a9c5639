/*
 * Plain values: the content of Python objects, without any object in it. They leave the process, and other hosts see
 * them. Lists and tuples become lists, dicts and Params maps, the three types of bytes become bytes.
 */
#include "value.h"
#include "url_params.h"
#include "../base/error.h"
#include "../base/text.h"

/** A container and the value that it became; both are retained. */
typedef struct converted {
    PyObject *container;
    ctie_value *value;
} converted;

/** The path from the outermost object to the current one, by which cycles are found. */
typedef struct walk {
    ext_state *state;
    converted *known; /**< a hash table of the containers with other references, which may occur again */
    size_t capacity;  /**< of `known`: a power of two, or 0 */
    size_t count;
    int depth;
    struct {
        PyObject *container;
        PyObject *key;    /**< borrowed from the function that makes the entry; NULL: none */
        Py_ssize_t index; /**< -1: none */
    } steps[CTIE_VALUE_MAX_DEPTH];
} walk;

static ctie_value *plain(walk *self, PyObject *object);

/** The location in the value, such as "$.user.tags[3]". */
static PyObject *location(const walk *self) {
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
    PyObject *where = location(self);
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
    ctie_str text;
    size_t byte;
    int failure = ext_utf8(object, &text, &byte);
    if (failure != 0) {
        return failure < 0 ? NULL : refuse(self, CTIE_E_UTF8, "the text is not valid UTF-8");
    }
    return or_too_large(self, ctie_value_string(text));
}

static ctie_value *plain_view(const walk *self, PyObject *object) {
    Py_buffer buffer;
    if (PyObject_GetBuffer(object, &buffer, PyBUF_SIMPLE) < 0) {
        return NULL;
    }
    ctie_value *value = ctie_value_bytes((ctie_str){buffer.buf, (size_t)buffer.len});
    PyBuffer_Release(&buffer);
    return or_too_large(self, value);
}

/** Reads the bytes directly: a `__buffer__` of a subclass could change the containers that the walk is in. */
static ctie_value *plain_bytes(const walk *self, PyObject *object) {
    if (PyMemoryView_Check(object)) {
        return plain_view(self, object);
    }
    ctie_str bytes = PyBytes_Check(object)
                         ? (ctie_str){PyBytes_AS_STRING(object), (size_t)PyBytes_GET_SIZE(object)}
                         : (ctie_str){PyByteArray_AS_STRING(object), (size_t)PyByteArray_GET_SIZE(object)};
    return or_too_large(self, ctie_value_bytes(bytes));
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
        refuse(self, CTIE_E_TYPE, "a map's key must be a str");
        return false;
    }
    /* Retained: after a failure the collector may run code that removes it from the map before the location is made. */
    self->steps[self->depth - 1].key = Py_NewRef(key);
    size_t byte;
    int failure = ext_utf8(key, &out->key, &byte);
    if (failure > 0) {
        refuse(self, CTIE_E_UTF8, "a key is not valid UTF-8");
    }
    out->value = failure != 0 ? NULL : plain(self, item);
    self->steps[self->depth - 1].key = NULL;
    Py_DECREF(key);
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

/* ---- Containers that occur more than once --------------------------------------------------------- */

/** The entry of a container in a hash table, or the free entry for it. */
static converted *find_converted(converted *known, size_t capacity, const PyObject *container) {
    size_t index = ((uintptr_t)container >> 4) * 0x9E3779B9u;
    while (known[index & (capacity - 1)].container != NULL && known[index & (capacity - 1)].container != container) {
        index++;
    }
    return &known[index & (capacity - 1)];
}

/** Makes room for one more entry. */
static bool grow_known(walk *self) {
    if (2 * (self->count + 1) <= self->capacity) {
        return true;
    }
    size_t capacity = self->capacity == 0 ? 64 : 2 * self->capacity;
    converted *known = PyMem_Calloc(capacity, sizeof *known);
    if (known == NULL) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t i = 0; i < self->capacity; i++) {
        if (self->known[i].container != NULL) {
            *find_converted(known, capacity, self->known[i].container) = self->known[i];
        }
    }
    PyMem_Free(self->known);
    self->known = known;
    self->capacity = capacity;
    return true;
}

/** Remembers the value of a container, and retains the container, so that no other one gets its address. */
static ctie_value *note_converted(walk *self, PyObject *container, ctie_value *value) {
    if (value == NULL || !grow_known(self)) {
        ctie_value_release(value);
        return NULL;
    }
    *find_converted(self->known, self->capacity, container) = (converted){Py_NewRef(container), ctie_value_retain(value)};
    self->count++;
    return value;
}

static void forget_converted(walk *self) {
    for (size_t i = 0; i < self->capacity; i++) {
        if (self->known[i].container != NULL) {
            Py_DECREF(self->known[i].container);
            ctie_value_release(self->known[i].value);
        }
    }
    PyMem_Free(self->known);
}

static ctie_value *convert_container(walk *self, PyObject *object) {
    if (!enter(self, object)) {
        return NULL;
    }
    ctie_value *value = PyDict_Check(object) ? plain_map(self, object) : plain_list(self, object);
    self->depth--;
    return value;
}

/** Converts a container that occurs several times once, so that the value takes no more memory than the objects. */
static ctie_value *plain_container(walk *self, PyObject *object) {
    if (Py_REFCNT(object) == 1 || self->depth == 0) {
        return convert_container(self, object);
    }
    converted *known = self->capacity == 0 ? NULL : find_converted(self->known, self->capacity, object);
    if (known != NULL && known->container != NULL) {
        return ctie_value_retain(known->value);
    }
    return note_converted(self, object, convert_container(self, object));
}

/* ---- Any object ----------------------------------------------------------------------------------- */

static ctie_value *plain_foreign(const walk *self, PyObject *object) {
    ctie_value *value = ext_foreign_value(self->state, object);
    if (value == NULL) {
        value = ext_descriptor_value(self->state, object);
    }
    if (value == NULL) {
        PyObject *name = PyType_GetName(Py_TYPE(object)); /* a str, which is cut between characters */
        PyObject *text = name == NULL ? NULL : PyUnicode_FromFormat("a %.100U cannot leave Python", name);
        const char *message = text == NULL ? NULL : PyUnicode_AsUTF8(text);
        value = message == NULL ? NULL : refuse(self, CTIE_E_FOREIGN, message);
        Py_XDECREF(text);
        Py_XDECREF(name);
    }
    return value;
}

/**
 * The parameters of a URL: the library's own, or the dict of a Params that was read as a whole. A key that occurs several
 * times has a list of its values. No Python code runs for it, which could change the containers that the walk is in; so no
 * other mapping is accepted.
 */
static ctie_value *plain_params(walk *self, PyObject *object) {
    if (ext_url_params_are_unread(object)) {
        return or_too_large(self, ext_url_params_value(object));
    }
    PyObject *values = ext_url_params_values(object);
    if (values == NULL) {
        return NULL;
    }
    ctie_value *value = PyDict_Check(values) ? plain_container(self, values) : plain_foreign(self, object);
    Py_DECREF(values);
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
    return Py_TYPE(object) == (PyTypeObject *)self->state->params_class ? plain_params(self, object)
                                                                         : plain_foreign(self, object);
}

ctie_value *ext_value_plain(ext_state *state, PyObject *object) {
    walk self;
    self.state = state;
    self.known = NULL;
    self.capacity = self.count = 0;
    self.depth = 0;
    ctie_value *value = plain(&self, object);
    forget_converted(&self);
    return value;
}
