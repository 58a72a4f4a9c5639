/*
 * Values that cross a call: None, booleans and integers as such, every other Python object as a foreign value. So
 * Python gets the same object back, and other hosts get its content when they look inside.
 */
#include "value.h"
#include "../base/error.h"
#include "../base/gil.h"
#include "../base/text.h"

/** The process's number for Python objects. */
static ctie_foreign_id foreign_id;

/* ---- Hooks: called on any thread, with the GIL or without ----------------------------------------- */

/** Set while a function of this file, which holds the GIL, calls the hooks on this thread: they need not take it. */
static EXT_THREAD_LOCAL bool holds_gil;

static void retain_object(void *object) {
    if (holds_gil) {
        Py_INCREF(object);
        return;
    }
    EXT_GIL(gil);
    if (ext_gil_enter(&gil)) {
        Py_INCREF(object);
        ext_gil_leave(&gil);
    }
}

/* After the end of the interpreter the object is never freed. */
static void release_object(void *object) {
    if (holds_gil) {
        holds_gil = false; /* the code that runs at the object's end may release the GIL */
        Py_DECREF(object);
        holds_gil = true;
        return;
    }
    EXT_GIL(gil);
    if (ext_gil_enter(&gil)) {
        Py_DECREF(object);
        ext_gil_leave(&gil);
    }
}

/** The content of an exception: the value of a crosstie.Error; null for any other. */
static ctie_value *exception_content(ext_state *state, PyObject *exception) {
    if (!PyObject_TypeCheck(exception, (PyTypeObject *)state->error_class)) {
        return ctie_value_null();
    }
    PyObject *value = PyObject_GetAttrString(exception, "value");
    ctie_value *result = value == NULL ? NULL : ext_value_plain(state, value);
    Py_XDECREF(value);
    return result;
}

/** The reason why an object has no content: the status and the text of the exception that is set, which it takes. */
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
    PyObject *shown = ext_keywords_shown(ext_state_current, object);
    if (shown != NULL) {
        *out = PyExceptionInstance_Check(shown) ? exception_content(ext_state_current, shown)
                                                : ext_value_plain(ext_state_current, shown);
        Py_DECREF(shown);
    }
    ctie_status status = *out != NULL ? CTIE_OK : explain(ext_state_current, out);
    PyErr_Restore(type, value, traceback);
    ext_gil_leave(&gil);
    return status;
}

int ext_value_start(PyObject *module, ext_state *state) {
    const ctie_foreign_type type = {
        sizeof(ctie_foreign_type), CTIE_STR("python"), retain_object, release_object, materialize_object,
    };
    ctie_error *error = NULL;
    ctie_status status = ctie_foreign_register(&type, &foreign_id, &error);
    if (status != CTIE_OK) {
        ext_raise(state, status, error);
        return -1;
    }
    Py_INCREF(module); /* the hooks remain callable for the life of the process */
    return 0;
}

/* ---- Out of Python -------------------------------------------------------------------------------- */

/** The value of None, a boolean or an integer; NULL, without an exception, for any other object. */
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
        value = ext_foreign_value(ext_state_current, object);
    }
    if (value == NULL) {
        value = ext_descriptor_value(ext_state_current, object);
    }
    if (value == NULL) {
        holds_gil = true;
        value = ctie_value_foreign(foreign_id, object);
        holds_gil = false;
    }
    if (value == NULL) {
        PyErr_NoMemory();
    }
    return value;
}

void ext_value_release(ctie_value *value) {
    holds_gil = true;
    ctie_value_release(value);
    holds_gil = false;
}

/* ---- Into Python ---------------------------------------------------------------------------------- */

PyObject *ext_value_carried(const ctie_value *value) {
    void *object = NULL;
    return ctie_value_foreign_object(value, foreign_id, &object) == CTIE_OK ? object : NULL;
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

/** The object of a foreign value: Python's own, or another host's content, or a crosstie.Foreign if that has none. */
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
    case CTIE_KIND_DESCRIPTOR:
        return ext_descriptor_new(state, value);
    case CTIE_KIND_FOREIGN:
        return foreign_object(state, value);
    default:
        Py_RETURN_NONE;
    }
}

PyObject *ext_value_result(ext_state *state, ctie_status status, ctie_value *value, ctie_error *error) {
    if (status != CTIE_OK) {
        return ext_raise(state, status, error);
    }
    PyObject *result = ext_value_object(state, value);
    ctie_value_release(value);
    return result;
}
