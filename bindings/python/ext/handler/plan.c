/*
 * A handler's plan: read when it is registered (crosstie._signature describes it), and filled with the parameters of each
 * request.
 */
#include "plan.h"
#include "../base/error.h"
#include "../base/text.h"

/* ---- The description ------------------------------------------------------------------------------ */

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

/* ---- Arguments from a URL ------------------------------------------------------------------------- */

static PyObject *bind_by_name(ext_state *state, const ext_argument *argument, ctie_request *request) {
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
        return ext_raise_format(state, status, "the parameter %R occurs more than once", argument->name);
    }
    return ext_raise(state, status, NULL);
}

/** Binds an argument. One that is neither in the pattern nor open to the query keeps its default. */
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
    return argument->is_open ? bind_by_name(state, argument, request) : ext_argument_missing(state, argument);
}

int ext_plan_bind(ext_state *state, const ext_plan *plan, ctie_request *request, PyObject *request_object,
                  PyObject **out) {
    if (plan->may_have_rule && plan->named > 0 && ext_request_has_rule(request)) {
        return ext_plan_bind_rule(state, plan, request, request_object, out);
    }
    if (plan->is_by_call) {
        return ext_plan_bind_call(state, plan, request, request_object, out);
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

/** Adds the pairs whose names are not the handler's own. A name in `path` is left out, one in `rest` refused. */
static int add_pairs(ext_state *state, const ext_plan *plan, ctie_request *request, pair_reader read, PyObject *path,
                     PyObject *rest) {
    ctie_str name, text;
    for (size_t i = 0; read(request, i, &name, &text) == CTIE_OK; i++) {
        PyObject *key = ext_text_object(name);
        PyObject *item = key == NULL ? NULL : ext_text_object(text);
        int result = item == NULL ? -1 : 0;
        if (result == 0 && PySet_Contains(plan->closed, key) == 0 && PyDict_Contains(path, key) == 0) {
            if (PyDict_Contains(rest, key) == 1) {
                ext_raise_format(state, CTIE_E_DUPLICATE, "the parameter %R occurs more than once", key);
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
        return ext_plan_rest_rule(state, plan, request);
    }
    if (plan->is_by_call) {
        return ext_plan_rest_call(state, plan, request);
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
