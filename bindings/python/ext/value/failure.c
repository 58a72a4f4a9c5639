/*
 * Exceptions of Python as failures of requests.
 */
#include "value.h"
#include "../base/error.h"

/** The longest message that ctie_request_fail() takes. */
#define MESSAGE_LIMIT 65536

/** The beginning of a text within the limit, up to the end of a character. */
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

/** The `code` of a crosstie.Error; for any other exception that of a failure without a code. */
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
