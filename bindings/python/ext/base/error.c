/*
 * Statuses and errors of Crosstie as exceptions of Python.
 */
#include "error.h"
#include "text.h"

PyObject *ext_status_object(ext_state *state, ctie_status status) {
    if (status == CTIE_OK) {
        return Py_NewRef(state->status_ok);
    }
    PyObject *result = PyObject_CallFunction(state->status_class, "i", (int)status);
    if (result == NULL && PyErr_ExceptionMatches(PyExc_ValueError)) {
        PyErr_Clear();
        return PyLong_FromLong(status);
    }
    return result;
}

/* ---- Exceptions without a call of Python ---------------------------------------------------------- */

/** The Status of a status and the class of its exception, borrowed; NULL, without an exception, for one to be called. */
static PyObject *plain_failure(ext_state *state, ctie_status status) {
    PyObject *number = state->failures == NULL ? NULL : PyLong_FromLong(status);
    PyObject *found = number == NULL ? NULL : PyDict_GetItemWithError(state->failures, number);
    Py_XDECREF(number);
    PyErr_Clear();
    return found;
}

static int set_text(PyObject *dict, PyObject *name, ctie_str text) {
    PyObject *object = ext_text_object(text);
    int result = object == NULL ? -1 : PyDict_SetItem(dict, name, object);
    Py_XDECREF(object);
    return result;
}

/** The attributes that differ from the defaults of `Error`, as a dict. */
static PyObject *attributes(ext_state *state, PyObject *status_object, int32_t code, PyObject *message, ctie_str location,
                            PyObject *value) {
    PyObject *dict = PyDict_New(), *code_object = dict == NULL ? NULL : PyLong_FromLong(code);
    PyObject *message_name = PyUnicode_Check(message) ? state->name_message : state->name_unread;
    bool is_done = code_object != NULL && PyDict_SetItem(dict, state->name_status, status_object) == 0 &&
                   PyDict_SetItem(dict, state->name_code, code_object) == 0 &&
                   PyDict_SetItem(dict, message_name, message) == 0 &&
                   (location.size == 0 || set_text(dict, state->name_location, location) == 0) &&
                   (value == NULL || PyDict_SetItem(dict, state->name_value, value) == 0);
    Py_XDECREF(code_object);
    if (!is_done) {
        Py_CLEAR(dict);
    }
    return dict;
}

/** Makes an exception as `make_error` does. */
static PyObject *make_plain(ext_state *state, PyObject *failure, int32_t code, PyObject *message, ctie_str location,
                            PyObject *value) {
    PyTypeObject *type = (PyTypeObject *)PyTuple_GET_ITEM(failure, 1);
    PyObject *dict = attributes(state, PyTuple_GET_ITEM(failure, 0), code, message, location, value);
    PyObject *args = dict == NULL           ? NULL
                     : PyUnicode_Check(message) ? PyTuple_Pack(1, message)
                                                : Py_NewRef(state->no_arguments);
    PyObject *exception = args == NULL ? NULL : type->tp_new(type, args, NULL);
    Py_XDECREF(args);
    if (exception == NULL) {
        Py_XDECREF(dict);
        return NULL;
    }
    Py_XSETREF(((PyBaseExceptionObject *)exception)->dict, dict);
    return exception;
}

/** The exception for a status. Takes the message: a str, a capsule that holds the error, or NULL with an exception. */
static PyObject *make_with(ext_state *state, ctie_status status, int32_t code, PyObject *message_object, ctie_str location,
                           PyObject *value) {
    PyObject *result = NULL;
    PyObject *failure = message_object == NULL ? NULL : plain_failure(state, status);
    if (failure != NULL) {
        result = make_plain(state, failure, code, message_object, location, value);
        Py_DECREF(message_object);
        return result;
    }
    PyObject *status_object = ext_status_object(state, status);
    PyObject *location_object = ext_text_object(location);
    if (status_object != NULL && message_object != NULL && location_object != NULL) {
        result = PyObject_CallFunction(state->make_error, "OiOOO", status_object, (int)code, message_object,
                                       location_object, value == NULL ? Py_None : value);
    }
    Py_XDECREF(status_object);
    Py_XDECREF(message_object);
    Py_XDECREF(location_object);
    return result;
}

static PyObject *message_of(ctie_status status, ctie_str message) {
    return ext_text_object(message.size > 0 ? message : ctie_str_from(ctie_status_message(status)));
}

PyObject *ext_make_error(ext_state *state, ctie_status status, int32_t code, ctie_str message, ctie_str location,
                         PyObject *value) {
    return make_with(state, status, code, message_of(status, message), location, value);
}

/** Raises an exception and releases it; NULL is the exception that is set already. */
static PyObject *raise_made(PyObject *exception) {
    if (exception != NULL) {
        ext_raise_object(exception);
        Py_DECREF(exception);
    }
    return NULL;
}

PyObject *ext_raise_format(ext_state *state, ctie_status status, const char *format, PyObject *object) {
    PyObject *message = PyUnicode_FromFormat(format, object);
    if (message == NULL) {
        return NULL;
    }
    return raise_made(make_with(state, status, ctie_status_code(status), message, ctie_str_from(NULL), NULL));
}

/* ---- Messages that are made when they are read ---------------------------------------------------- */

static const char UNREAD[] = "crosstie.error";

static void release_unread(PyObject *capsule) {
    ctie_error_release(PyCapsule_GetPointer(capsule, UNREAD));
}

PyObject *ext_error_text(PyObject *Py_UNUSED(module), PyObject *capsule) {
    ctie_error *error = PyCapsule_GetPointer(capsule, UNREAD);
    return error == NULL ? NULL : message_of(ctie_error_status(error), ctie_error_message(error));
}

void ext_raise_unread(ext_state *state, ctie_status status, ctie_error *error) {
    PyObject *capsule = error == NULL ? NULL : PyCapsule_New(error, UNREAD, release_unread);
    if (capsule == NULL) {
        PyErr_Clear();
        (void)ext_raise(state, status, error);
        return;
    }
    (void)raise_made(make_with(state, status, ctie_status_code(status), capsule, ctie_error_location(error), NULL));
}

/* ---- Exceptions for statuses ---------------------------------------------------------------------- */

PyObject *ext_raise(ext_state *state, ctie_status status, ctie_error *error) {
    if (ext_interrupt_raise()) {
        ctie_error_release(error);
        return NULL;
    }
    PyObject *exception = ext_make_error(state, status, ctie_status_code(status), ctie_error_message(error),
                                         ctie_error_location(error), NULL);
    ctie_error_release(error);
    return raise_made(exception);
}

PyObject *ext_raise_text(ext_state *state, ctie_status status, const char *message) {
    return raise_made(ext_make_error(state, status, ctie_status_code(status), ctie_str_from(message), ctie_str_from(NULL),
                                     NULL));
}

PyObject *ext_done(ext_state *state, ctie_status status, ctie_error *error) {
    if (status < 0) {
        return ext_raise(state, status, error);
    }
    if (ext_interrupt_raise()) {
        return NULL;
    }
    Py_RETURN_NONE;
}

PyObject *ext_closed(ext_state *state, ctie_status status) {
    return ext_done(state, status == CTIE_E_HANDLE || status == CTIE_E_FORKED ? CTIE_OK : status, NULL);
}

/* ---- Texts of exceptions -------------------------------------------------------------------------- */

PyObject *ext_exception_text(ext_state *state, PyObject *exception) {
    PyObject *text = NULL;
    if (PyObject_TypeCheck(exception, (PyTypeObject *)state->error_class)) {
        text = PyObject_GetAttrString(exception, "message");
    } else {
        PyObject *name = PyType_GetName(Py_TYPE(exception));
        PyObject *detail = PyObject_Str(exception);
        if (name != NULL && detail != NULL) {
            text = PyUnicode_GET_LENGTH(detail) == 0 ? Py_NewRef(name) : PyUnicode_FromFormat("%U: %U", name, detail);
        }
        Py_XDECREF(name);
        Py_XDECREF(detail);
    }
    PyObject *bytes = NULL;
    if (text != NULL && PyUnicode_Check(text)) {
        bytes = PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace");
    }
    Py_XDECREF(text);
    PyErr_Clear();
    return bytes;
}
