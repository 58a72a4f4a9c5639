/*
 * The arguments of a handler: texts of the URL, converted and put in the places that were settled when
 * the handler was registered (crosstie._signature.py reads it).
 */
#include "handlers.h"

#include <math.h>

/** Digits that always fit 64 bits. */
#define SAFE_DIGITS 18

/* ---- The plan ------------------------------------------------------------------------------------- */

/** One argument: (name, position, kind, is_annotated, is_open, has_default, default). */
static int read_argument(ext_argument *argument, PyObject *item) {
    PyObject *name, *missing;
    int is_annotated, is_open, has_default;
    if (!PyArg_ParseTuple(item, "UnipppO", &name, &argument->position, &argument->kind, &is_annotated, &is_open,
                          &has_default, &missing)) {
        return -1;
    }
    argument->is_annotated = is_annotated;
    argument->is_open = is_open;
    argument->may_be_none = (argument->kind & EXT_OPTIONAL) != 0;
    argument->kind &= ~EXT_OPTIONAL;
    argument->name = Py_NewRef(name);
    PyUnicode_InternInPlace(&argument->name);
    argument->missing = has_default ? Py_NewRef(missing) : NULL;
    return 0;
}

/** A plan: (arguments, takes_rest, keywords, closed, bound, is_async). */
int ext_plan_read(ext_plan *plan, PyObject *description) {
    int takes_rest, is_async;
    PyObject *arguments, *keywords, *closed, *bound;
    if (!PyArg_ParseTuple(description, "O!pO!O!O!p", &PyTuple_Type, &arguments, &takes_rest, &PyTuple_Type, &keywords,
                          &PyFrozenSet_Type, &closed, &PyFrozenSet_Type, &bound, &is_async)) {
        return -1;
    }
    Py_ssize_t count = PyTuple_GET_SIZE(arguments);
    if (count > EXT_MAX_ARGUMENTS) {
        PyErr_Format(PyExc_TypeError, "a handler takes at most %d parameters", EXT_MAX_ARGUMENTS);
        return -1;
    }
    plan->takes_rest = takes_rest;
    plan->is_async = is_async;
    plan->keywords = PyTuple_GET_SIZE(keywords) > 0 ? Py_NewRef(keywords) : NULL;
    plan->closed = Py_NewRef(closed);
    plan->bound = Py_NewRef(bound);
    plan->arguments = PyMem_Calloc((size_t)count + 1, sizeof(ext_argument));
    if (plan->arguments == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (; plan->count < count; plan->count++) {
        if (read_argument(&plan->arguments[plan->count], PyTuple_GET_ITEM(arguments, plan->count)) < 0) {
            return -1;
        }
        bool is_request = plan->arguments[plan->count].kind == EXT_REQUEST;
        plan->takes_request |= is_request;
        plan->named += !is_request;
    }
    return 0;
}

int ext_plan_traverse(ext_plan *plan, visitproc visit, void *arg) {
    for (Py_ssize_t i = 0; i < plan->count; i++) {
        Py_VISIT(plan->arguments[i].missing);
    }
    return 0;
}

void ext_plan_clear(ext_plan *plan) {
    while (plan->count > 0) {
        ext_argument *argument = &plan->arguments[--plan->count];
        Py_CLEAR(argument->name);
        Py_CLEAR(argument->missing);
    }
    PyMem_Free(plan->arguments);
    plan->arguments = NULL;
    Py_CLEAR(plan->keywords);
    Py_CLEAR(plan->closed);
    Py_CLEAR(plan->bound);
}

/* ---- Converting ----------------------------------------------------------------------------------- */

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

/** NULL, without an exception, when the text is no integer of 64 bits; so do the others below. */
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
    /* What is past the largest double is no value, in patterns and rules either. */
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

/* ---- Binding -------------------------------------------------------------------------------------- */

PyObject *ext_argument_refuse(ext_state *state, ctie_status status, const char *format, PyObject *name) {
    PyObject *text = PyUnicode_FromFormat(format, name);
    ctie_str message;
    if (text != NULL && ext_text(text, "message", &message) == 0) {
        PyObject *error = ext_make_error(state, status, ctie_status_code(status), message, ctie_str_from(NULL), NULL);
        if (error != NULL) {
            ext_raise_object(error);
            Py_DECREF(error);
        }
    }
    Py_XDECREF(text);
    return NULL;
}

static const char *const kind_names[] = {"a text", "an integer of 64 bits", "a number", "true or false"};

PyObject *ext_argument_mismatch(ext_state *state, const ext_argument *argument) {
    char format[96];
    PyOS_snprintf(format, sizeof(format), "the parameter %%R has to be %s", kind_names[argument->kind]);
    return ext_argument_refuse(state, CTIE_E_PARAM, format, argument->name);
}

PyObject *ext_argument_convert(ext_state *state, const ext_argument *argument, ctie_str text) {
    PyObject *result = convert(argument->kind, text);
    return result == NULL && !PyErr_Occurred() ? ext_argument_mismatch(state, argument) : result;
}

PyObject *ext_argument_missing(ext_state *state, const ext_argument *argument) {
    if (argument->missing != NULL) {
        return Py_NewRef(argument->missing);
    }
    return ext_argument_refuse(state, CTIE_E_PARAM, "the parameter %R is missing", argument->name);
}

static PyObject *by_name(ext_state *state, const ext_argument *argument, ctie_request *request) {
    ctie_str name, text;
    if (ext_text(argument->name, "a parameter's name", &name) < 0) {
        return NULL;
    }
    ctie_status status = ctie_request_param(request, name, &text);
    if (status == CTIE_OK) {
        return ext_argument_convert(state, argument, text);
    }
    if (status == CTIE_E_NOT_FOUND) {
        return ext_argument_missing(state, argument);
    }
    if (status == CTIE_E_DUPLICATE) {
        return ext_argument_refuse(state, status, "the parameter %R stands there more than once", argument->name);
    }
    return ext_raise(state, status, NULL);
}

/** What is neither in the pattern nor open to the query keeps what the handler has bound. */
static inline PyObject *bind_one(ext_state *state, const ext_argument *argument, ctie_request *request,
                                 PyObject *request_object) {
    if (argument->position >= 0) {
        ctie_str text;
        ctie_status status = ctie_request_path_param_at(request, (size_t)argument->position, NULL, &text);
        return status == CTIE_OK ? ext_argument_convert(state, argument, text) : ext_raise(state, status, NULL);
    }
    if (argument->kind == EXT_REQUEST) {
        return Py_NewRef(request_object);
    }
    return argument->is_open ? by_name(state, argument, request) : ext_argument_missing(state, argument);
}

int ext_plan_bind(ext_state *state, const ext_plan *plan, ctie_request *request, PyObject *request_object,
                  PyObject **out) {
    if (plan->may_have_rule && plan->named > 0 && ext_request_has_rule(request)) {
        return ext_plan_bind_declared(state, plan, request, request_object, out);
    }
    if (plan->is_given) {
        return ext_plan_bind_given(state, plan, request, request_object, out);
    }
    for (Py_ssize_t i = 0; i < plan->count; i++) {
        out[i] = bind_one(state, &plan->arguments[i], request, request_object);
        if (out[i] == NULL) {
            return ext_plan_undo(out, i);
        }
    }
    return 0;
}

typedef ctie_status (*pair_reader)(const ctie_request *request, size_t index, ctie_str *name, ctie_str *text);

/** Adds the pairs whose names are not the handler's own; a name that is there already stays or is refused. */
static int add_pairs(ext_state *state, const ext_plan *plan, ctie_request *request, pair_reader read, PyObject *path,
                     PyObject *rest) {
    ctie_str name, text;
    for (size_t i = 0; read(request, i, &name, &text) == CTIE_OK; i++) {
        PyObject *key = ext_text_object(name);
        PyObject *item = key == NULL ? NULL : ext_text_object(text);
        int result = item == NULL ? -1 : 0;
        if (result == 0 && PySet_Contains(plan->closed, key) == 0 && PyDict_Contains(path, key) == 0) {
            if (PyDict_Contains(rest, key) == 1) {
                ext_argument_refuse(state, CTIE_E_DUPLICATE, "the parameter %R stands there more than once", key);
                result = -1;
            } else {
                result = PyDict_SetItem(rest, key, item);
            }
        }
        Py_XDECREF(key);
        Py_XDECREF(item);
        if (result < 0) {
            return -1;
        }
    }
    return 0;
}

PyObject *ext_plan_rest(ext_state *state, const ext_plan *plan, ctie_request *request) {
    if (plan->may_have_rule && ext_request_has_rule(request)) {
        return ext_plan_rest_declared(state, plan, request);
    }
    if (plan->is_given) {
        return ext_plan_rest_given(state, plan, request);
    }
    PyObject *none = PyDict_New();
    PyObject *path = PyDict_New();
    PyObject *rest = NULL;
    if (none != NULL && path != NULL &&
        add_pairs(state, plan, request, ctie_request_path_param_at, none, path) == 0) {
        rest = PyDict_Copy(path);
        if (rest != NULL && add_pairs(state, plan, request, ctie_request_query_at, path, rest) < 0) {
            Py_CLEAR(rest);
        }
    }
    Py_XDECREF(none);
    Py_XDECREF(path);
    return rest;
}
