/*
 * The arguments of a handler: texts, converted to the kind of each argument.
 */
#include "plan.h"
#include "../base/error.h"
#include "../base/text.h"

#include <math.h>

/** A number of digits that always fits 64 bits. */
#define SAFE_DIGITS 18

static size_t skip_digits(ctie_str text, size_t at) {
    while (at < text.size && text.data[at] >= '0' && text.data[at] <= '9') {
        at++;
    }
    return at;
}

/** The end of `-?(0|[1-9][0-9]*)` at the text's beginning; 0 if it does not begin so. */
static size_t integer_end(ctie_str text) {
    size_t first = text.size > 0 && text.data[0] == '-' ? 1 : 0;
    size_t end = skip_digits(text, first);
    bool has_leading_zero = end > first + 1 && text.data[first] == '0';
    return end == first || has_leading_zero ? 0 : end;
}

/** Whether the text is a number as JSON writes it. */
static bool is_number(ctie_str text) {
    size_t at = integer_end(text);
    if (at == 0) {
        return false;
    }
    if (at < text.size && text.data[at] == '.') {
        size_t end = skip_digits(text, at + 1);
        if (end == at + 1) {
            return false;
        }
        at = end;
    }
    if (at < text.size && (text.data[at] == 'e' || text.data[at] == 'E')) {
        size_t first = at + 1;
        if (first < text.size && (text.data[first] == '+' || text.data[first] == '-')) {
            first++;
        }
        at = skip_digits(text, first);
        if (at == first) {
            return false;
        }
    }
    return at == text.size;
}

static PyObject *small_int(ctie_str text) {
    bool is_negative = text.data[0] == '-';
    long long number = 0;
    for (size_t i = is_negative; i < text.size; i++) {
        number = number * 10 + (text.data[i] - '0');
    }
    return PyLong_FromLongLong(is_negative ? -number : number);
}

/** NULL, without an exception, if the text is no integer of 64 bits. The functions below do likewise. */
static PyObject *to_int(ctie_str text) {
    if (text.size == 0 || integer_end(text) != text.size) {
        return NULL;
    }
    if (text.size <= SAFE_DIGITS) {
        return small_int(text);
    }
    char digits[32];
    if (text.size >= sizeof(digits)) {
        return NULL;
    }
    memcpy(digits, text.data, text.size);
    digits[text.size] = '\0';
    PyObject *number = PyLong_FromString(digits, NULL, 10);
    int overflow = 0;
    if (number != NULL && PyLong_AsLongLongAndOverflow(number, &overflow) == -1 && overflow != 0) {
        Py_CLEAR(number);
    }
    return number;
}

static PyObject *to_float(ctie_str text) {
    if (!is_number(text)) {
        return NULL;
    }
    PyObject *bytes = PyBytes_FromStringAndSize(text.data, (Py_ssize_t)text.size);
    PyObject *number = bytes == NULL ? NULL : PyFloat_FromString(bytes);
    Py_XDECREF(bytes);
    /* A number past the largest double is refused, as in patterns and rules. */
    if (number != NULL && !isfinite(PyFloat_AS_DOUBLE(number))) {
        Py_CLEAR(number);
    }
    return number;
}

static PyObject *to_bool(ctie_str text) {
    if (text.size == 4 && memcmp(text.data, "true", 4) == 0) {
        Py_RETURN_TRUE;
    }
    if (text.size == 5 && memcmp(text.data, "false", 5) == 0) {
        Py_RETURN_FALSE;
    }
    return NULL;
}

static PyObject *convert(int kind, ctie_str text) {
    switch (kind) {
    case EXT_INT:
        return to_int(text);
    case EXT_FLOAT:
        return to_float(text);
    case EXT_BOOL:
        return to_bool(text);
    default:
        return ext_text_object(text);
    }
}

/* ---- Objects and exceptions ----------------------------------------------------------------------- */

static const char *const kind_names[] = {"a text", "an integer of 64 bits", "a number", "true or false"};

PyObject *ext_argument_mismatch(ext_state *state, const ext_argument *argument) {
    char format[96];
    PyOS_snprintf(format, sizeof(format), "the parameter %%R has to be %s", kind_names[argument->kind]);
    return ext_raise_format(state, CTIE_E_PARAM, format, argument->name);
}

PyObject *ext_argument_convert(ext_state *state, const ext_argument *argument, ctie_str text) {
    PyObject *result = convert(argument->kind, text);
    return result == NULL && !PyErr_Occurred() ? ext_argument_mismatch(state, argument) : result;
}

PyObject *ext_argument_missing(ext_state *state, const ext_argument *argument) {
    if (argument->missing != NULL) {
        return Py_NewRef(argument->missing);
    }
    return ext_raise_format(state, CTIE_E_PARAM, "the parameter %R is missing", argument->name);
}
