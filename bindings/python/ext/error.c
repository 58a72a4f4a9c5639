/*
 * Statuses and errors of Crosstie as exceptions of Python, and the other way round.
 */
#include "crosstie_ext.h"

/** The longest message that ctie_request_fail() takes. */
#define MESSAGE_LIMIT 65536

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

/** The exception for a status. The message is a str, or a capsule that holds the text; taken, NULL after a failure. */
static PyObject *make_with(ext_state *state, ctie_status status, int32_t code, PyObject *message_object, ctie_str where,
                           PyObject *value) {
    PyObject *result = NULL;
    PyObject *status_object = ext_status_object(state, status);
    PyObject *where_object = ext_text_object(where);
    if (status_object != NULL && message_object != NULL && where_object != NULL) {
        result = PyObject_CallFunction(state->make_error, "OiOOO", status_object, (int)code, message_object,
                                       where_object, value == NULL ? Py_None : value);
    }
    Py_XDECREF(status_object);
    Py_XDECREF(message_object);
    Py_XDECREF(where_object);
    return result;
}

static PyObject *message_of(ctie_status status, ctie_str message) {
    return ext_text_object(message.size > 0 ? message : ctie_str_from(ctie_status_message(status)));
}

PyObject *ext_make_error(ext_state *state, ctie_status status, int32_t code, ctie_str message, ctie_str where,
                         PyObject *value) {
    return make_with(state, status, code, message_of(status, message), where, value);
}

/* ---- A text that nobody may ask for ----------------------------------------------------------------- */

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
    PyObject *exception = make_with(state, status, ctie_status_code(status), capsule, ctie_error_where(error), NULL);
    if (exception != NULL) {
        ext_raise_object(exception);
        Py_DECREF(exception);
    }
}

PyObject *ext_raise(ext_state *state, ctie_status status, ctie_error *error) {
    if (ext_interrupt_raise()) {
        ctie_error_release(error);
        return NULL;
    }
    PyObject *exception = ext_make_error(state, status, ctie_status_code(status), ctie_error_message(error),
                                         ctie_error_where(error), NULL);
    ctie_error_release(error);
    if (exception != NULL) {
        ext_raise_object(exception);
        Py_DECREF(exception);
    }
    return NULL;
}

PyObject *ext_raise_text(ext_state *state, ctie_status status, const char *message) {
    PyObject *exception = ext_make_error(state, status, ctie_status_code(status), ctie_str_from(message),
                                         ctie_str_from(NULL), NULL);
    if (exception != NULL) {
        ext_raise_object(exception);
        Py_DECREF(exception);
    }
    return NULL;
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

void ext_raise_object(PyObject *exception) {
    PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
}

PyObject *ext_take_exception(void) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    if (traceback != NULL) {
        PyException_SetTraceback(value, traceback);
    }
    Py_XDECREF(type);
    Py_XDECREF(traceback);
    return value;
}

void ext_report(PyObject *exception, PyObject *where) {
    ext_raise_object(exception);
    PyErr_WriteUnraisable(where);
}

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

/** The first bytes of UTF-8 within the limit, ending with a whole character. */
static ctie_str shortened(PyObject *bytes) {
    ctie_str text = {PyBytes_AS_STRING(bytes), (size_t)PyBytes_GET_SIZE(bytes)};
    if (text.size > MESSAGE_LIMIT) {
        text.size = MESSAGE_LIMIT;
        while (text.size > 0 && ((unsigned char)text.data[text.size] & 0xC0) == 0x80) {
            text.size--;
        }
    }
    return text;
}

/** The `code` of an exception of ours, else the code of a failure without one. */
static int32_t exception_code(ext_state *state, PyObject *exception) {
    if (!PyObject_TypeCheck(exception, (PyTypeObject *)state->error_class)) {
        return -1;
    }
    PyObject *code = PyObject_GetAttrString(exception, "code");
    long number = code == NULL ? -1 : PyLong_AsLong(code);
    Py_XDECREF(code);
    bool is_sound = !PyErr_Occurred() && number >= INT32_MIN && number <= INT32_MAX;
    PyErr_Clear();
    return is_sound ? (int32_t)number : -1;
}

void ext_failure_read(ext_state *state, PyObject *exception, ext_failure *out) {
    out->bytes = ext_exception_text(state, exception);
    out->message = out->bytes == NULL ? ctie_str_from(Py_TYPE(exception)->tp_name) : shortened(out->bytes);
    out->code = exception_code(state, exception);
    out->value = ext_value_carrying(exception);
}

ctie_status ext_fail_with(ext_state *state, ctie_request *request, PyObject *exception) {
    ext_failure failure;
    ext_failure_read(state, exception, &failure);
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_request_fail(request, failure.code, failure.value, failure.message);
    Py_END_ALLOW_THREADS
    Py_XDECREF(failure.bytes);
    return status;
}
