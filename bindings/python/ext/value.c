/*
 * Values that cross a call: scalars as they are, every other object of Python as a foreign value, so
 * that Python gets the very object back and other hosts its content when they look inside.
 */
#include "crosstie_ext.h"

#include "docstrings.h"

/** The process's number for Python objects, and whose types and exceptions the hooks and texts know. */
static ctie_foreign_id foreign_id;
static ext_state *foreign_state;

/* ---- Hooks: called from any thread, with the GIL or without ---------------------------------------- */

/** The hooks are called on this thread by a function of this file, which holds the GIL: they need not ask. */
static EXT_THREAD_LOCAL bool is_inside;

static void retain_object(void *object) {
    if (is_inside) {
        Py_INCREF(object);
        return;
    }
    EXT_GIL(gil);
    if (ext_gil_enter(&gil)) {
        Py_INCREF(object);
        ext_gil_leave(&gil);
    }
}

/* After the end of the interpreter there is nobody to free the object. */
static void release_object(void *object) {
    if (is_inside) {
        is_inside = false; /* whatever ends with the object may let go of the GIL */
        Py_DECREF(object);
        is_inside = true;
        return;
    }
    EXT_GIL(gil);
    if (ext_gil_enter(&gil)) {
        Py_DECREF(object);
        ext_gil_leave(&gil);
    }
}

/** An exception shows the value it carries, if it is one of ours, and nothing else. */
static ctie_value *exception_content(ext_state *state, PyObject *exception) {
    if (!PyObject_TypeCheck(exception, (PyTypeObject *)state->error_class)) {
        return ctie_value_null();
    }
    PyObject *value = PyObject_GetAttrString(exception, "value");
    ctie_value *result = value == NULL ? NULL : ext_value_plain(state, value);
    Py_XDECREF(value);
    return result;
}

/** Why an object has no content, for whoever wanted it: a text, and the status of the exception that is set. */
static ctie_status explain(ext_state *state, ctie_value **out) {
    if (!PyErr_Occurred()) {
        return CTIE_E_NO_MEMORY;
    }
    PyObject *exception = ext_take_exception();
    PyObject *text = PyObject_TypeCheck(exception, (PyTypeObject *)state->error_class) ? PyObject_Str(exception) : NULL;
    PyObject *number = text == NULL ? NULL : PyObject_GetAttrString(exception, "status");
    long status = number == NULL ? CTIE_E_FOREIGN : PyLong_AsLong(number);
    PyObject *bytes = text == NULL ? NULL : PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace");
    if (bytes != NULL) {
        *out = ctie_value_string((ctie_str){PyBytes_AS_STRING(bytes), (size_t)PyBytes_GET_SIZE(bytes)});
    }
    Py_XDECREF(bytes);
    Py_XDECREF(number);
    Py_XDECREF(text);
    Py_DECREF(exception);
    PyErr_Clear();
    return status < 0 && status >= INT32_MIN ? (ctie_status)status : CTIE_E_FOREIGN;
}

static ctie_status materialize_object(void *object, ctie_value **out) {
    EXT_GIL(gil);
    if (!ext_gil_enter(&gil)) {
        return CTIE_E_FOREIGN;
    }
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    *out = NULL;
    PyObject *shown = ext_keywords_shown(foreign_state, object);
    if (shown != NULL) {
        *out = PyExceptionInstance_Check(shown) ? exception_content(foreign_state, shown)
                                                : ext_value_plain(foreign_state, shown);
        Py_DECREF(shown);
    }
    ctie_status status = *out != NULL ? CTIE_OK : explain(foreign_state, out);
    PyErr_Restore(type, value, traceback);
    ext_gil_leave(&gil);
    return status;
}

int ext_value_start(PyObject *module, ext_state *state) {
    const ctie_foreign_type type = {
        sizeof(ctie_foreign_type), CTIE_STR("python"), retain_object, release_object, materialize_object,
    };
    foreign_state = state;
    ctie_error *error = NULL;
    ctie_status status = ctie_foreign_register(&type, &foreign_id, &error);
    if (status != CTIE_OK) {
        ext_raise(state, status, error);
        return -1;
    }
    Py_INCREF(module); /* the hooks stay callable for the life of the process */
    return 0;
}

/* ---- Out of Python -------------------------------------------------------------------------------- */

/** A scalar as such; NULL, without an exception, for anything else. */
static ctie_value *scalar(PyObject *object) {
    if (object == Py_None) {
        return ctie_value_null();
    }
    if (PyBool_Check(object)) {
        return ctie_value_bool(object == Py_True);
    }
    if (PyLong_CheckExact(object)) {
        int overflow = 0;
        long long number = PyLong_AsLongLongAndOverflow(object, &overflow);
        return overflow == 0 ? ctie_value_int(number) : NULL;
    }
    return NULL;
}

ctie_value *ext_value_carrying(PyObject *object) {
    ctie_value *value = scalar(object);
    if (value == NULL) {
        value = ext_foreign_value(foreign_state, object);
    }
    if (value == NULL) {
        is_inside = true;
        value = ctie_value_foreign(foreign_id, object);
        is_inside = false;
    }
    if (value == NULL) {
        PyErr_NoMemory();
    }
    return value;
}

void ext_value_release(ctie_value *value) {
    is_inside = true;
    ctie_value_release(value);
    is_inside = false;
}

/* ---- Into Python ---------------------------------------------------------------------------------- */

PyObject *ext_value_carried(const ctie_value *value) {
    void *object = NULL;
    return ctie_value_foreign_object(value, foreign_id, &object) == CTIE_OK ? object : NULL;
}

PyObject *ext_text_object(ctie_str text) {
    return PyUnicode_DecodeUTF8(text.data == NULL ? "" : text.data, (Py_ssize_t)text.size, NULL);
}

/** The bytes before the half character that an encoder has just met. Takes its exception. */
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
    PyObject *error = ext_make_error(foreign_state, CTIE_E_UTF8, ctie_status_code(CTIE_E_UTF8), ctie_str_from(message),
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

static PyObject *list_object(ext_state *state, const ctie_value *value) {
    size_t count = ctie_value_count(value);
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list != NULL && i < count; i++) {
        PyObject *item = ext_value_object(state, ctie_value_at(value, i));
        if (item == NULL) {
            Py_CLEAR(list);
        } else {
            PyList_SET_ITEM(list, (Py_ssize_t)i, item);
        }
    }
    return list;
}

static int map_entry(ext_state *state, PyObject *map, const ctie_value *value, size_t index) {
    ctie_str key;
    const ctie_value *item = NULL;
    ctie_status status = ctie_value_entry_at(value, index, &key, &item);
    if (status != CTIE_OK) {
        ext_raise(state, status, NULL);
        return -1;
    }
    PyObject *key_object = ext_text_object(key);
    PyObject *item_object = key_object == NULL ? NULL : ext_value_object(state, item);
    int result = item_object == NULL ? -1 : PyDict_SetItem(map, key_object, item_object);
    Py_XDECREF(key_object);
    Py_XDECREF(item_object);
    return result;
}

static PyObject *map_object(ext_state *state, const ctie_value *value) {
    size_t count = ctie_value_count(value);
    PyObject *map = PyDict_New();
    for (size_t i = 0; map != NULL && i < count; i++) {
        if (map_entry(state, map, value, i) < 0) {
            Py_CLEAR(map);
        }
    }
    return map;
}

/** Another host's object: its content if it shows any, else itself in a wrapper. */
static PyObject *foreign_object(ext_state *state, const ctie_value *value) {
    PyObject *ours = ext_value_carried(value);
    if (ours != NULL) {
        return ext_keywords_shown(state, ours);
    }
    ctie_value *content = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_value_materialize(value, &content, NULL);
    Py_END_ALLOW_THREADS
    if (status != CTIE_OK) {
        return ext_foreign_new(state, value);
    }
    PyObject *result = ext_value_object(state, content);
    ctie_value_release(content);
    return result;
}

static PyObject *double_object(const ctie_value *value) {
    double number = 0;
    (void)ctie_value_get_double(value, &number);
    return PyFloat_FromDouble(number);
}

static PyObject *int_object(const ctie_value *value) {
    int64_t number = 0;
    (void)ctie_value_get_int(value, &number);
    return PyLong_FromLongLong(number);
}

static PyObject *string_object(const ctie_value *value) {
    ctie_str text = {NULL, 0};
    (void)ctie_value_get_string(value, &text);
    return ext_text_object(text);
}

static PyObject *bytes_object(const ctie_value *value) {
    ctie_str bytes = {NULL, 0};
    (void)ctie_value_get_bytes(value, &bytes);
    return PyBytes_FromStringAndSize(bytes.data, (Py_ssize_t)bytes.size);
}

PyObject *ext_value_object(ext_state *state, const ctie_value *value) {
    bool truth = false;
    switch (ctie_value_kind(value)) {
    case CTIE_KIND_BOOL:
        (void)ctie_value_get_bool(value, &truth);
        return PyBool_FromLong(truth);
    case CTIE_KIND_INT:
        return int_object(value);
    case CTIE_KIND_DOUBLE:
        return double_object(value);
    case CTIE_KIND_STRING:
        return string_object(value);
    case CTIE_KIND_BYTES:
        return bytes_object(value);
    case CTIE_KIND_LIST:
        return list_object(state, value);
    case CTIE_KIND_MAP:
        return map_object(state, value);
    case CTIE_KIND_FOREIGN:
        return foreign_object(state, value);
    default:
        Py_RETURN_NONE;
    }
}

/* ---- An object of another host -------------------------------------------------------------------- */

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
