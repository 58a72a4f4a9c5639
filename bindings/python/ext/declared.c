/*
 * The arguments of a handler for a request that a rule has brought. Crosstie has checked and converted them by what
 * the rule declares; a handler's own annotations still go first, and convert the text.
 */
#include "handlers.h"

bool ext_request_has_rule(ctie_request *request) {
    const ctie_value *rule = NULL;
    return ctie_request_rule(request, &rule) == CTIE_OK;
}

/** All parameters by name, converted; owned by the caller. */
static ctie_value *read_params(ext_state *state, ctie_request *request) {
    ctie_value *params = NULL;
    ctie_status status = ctie_request_params(request, &params);
    if (status != CTIE_OK) {
        ext_raise(state, status, NULL);
        return NULL;
    }
    return params;
}

/** A list is what stands there more than once. */
static PyObject *single(ext_state *state, PyObject *name, const ctie_value *value) {
    if (ctie_value_kind(value) == CTIE_KIND_LIST) {
        return ext_argument_refuse(state, CTIE_E_DUPLICATE, "the parameter %R stands there more than once", name);
    }
    return ext_value_object(state, value);
}

/** The parameters are asked for when the first argument needs one of them. */
typedef struct source {
    ctie_request *request;
    ctie_value *params; /**< NULL: not yet */
} source;

/** Sets `out` to NULL for a name that no parameter has. */
static int look_up(ext_state *state, source *source, ctie_str name, const ctie_value **out) {
    if (source->params == NULL) {
        source->params = read_params(state, source->request);
    }
    *out = ctie_value_get(source->params, name);
    return source->params == NULL ? -1 : 0;
}

/** By its position in the pattern, whose names may differ from the rule's; else by its name. */
static ctie_status text_of(const ext_argument *argument, ctie_request *request, ctie_str name, ctie_str *out) {
    if (argument->position >= 0) {
        return ctie_request_path_param_at(request, (size_t)argument->position, NULL, out);
    }
    return ctie_request_param(request, name, out);
}

static PyObject *bind_one(ext_state *state, const ext_argument *argument, source *source) {
    ctie_str name, text;
    const ctie_value *value = NULL;
    if (ext_text(argument->name, "a parameter's name", &name) < 0 ||
        (!argument->is_annotated && look_up(state, source, name, &value) < 0)) {
        return NULL;
    }
    if (value == NULL && text_of(argument, source->request, name, &text) == CTIE_OK) {
        return ext_argument_convert(state, argument, text);
    }
    if (value == NULL && look_up(state, source, name, &value) < 0) {
        return NULL;
    }
    return value == NULL ? ext_argument_missing(state, argument) : single(state, argument->name, value);
}

int ext_plan_bind_declared(ext_state *state, const ext_plan *plan, ctie_request *request, PyObject **out) {
    source source = {request, NULL};
    Py_ssize_t done = 0;
    while (done < plan->count && (out[done] = bind_one(state, &plan->arguments[done], &source)) != NULL) {
        done++;
    }
    ctie_value_release(source.params);
    if (done == plan->count) {
        return 0;
    }
    while (done > 0) {
        Py_DECREF(out[--done]);
    }
    return -1;
}

/** Adds a parameter unless an argument takes it. */
static int add_rest(ext_state *state, const ext_plan *plan, const ctie_value *params, size_t index, PyObject *rest) {
    ctie_str key;
    ctie_value *value = NULL;
    ctie_status status = ctie_value_entry_at(params, index, &key, &value);
    if (status != CTIE_OK) {
        ext_raise(state, status, NULL);
        return -1;
    }
    PyObject *name = ext_text_object(key);
    int result = name == NULL ? -1 : 0;
    if (result == 0 && !ext_plan_has(plan, name)) {
        PyObject *object = single(state, name, value);
        result = object == NULL ? -1 : PyDict_SetItem(rest, name, object);
        Py_XDECREF(object);
    }
    Py_XDECREF(name);
    return result;
}

PyObject *ext_plan_rest_declared(ext_state *state, const ext_plan *plan, ctie_request *request) {
    ctie_value *params = read_params(state, request);
    PyObject *rest = params == NULL ? NULL : PyDict_New();
    size_t count = ctie_value_count(params);
    for (size_t i = 0; rest != NULL && i < count; i++) {
        if (add_rest(state, plan, params, i, rest) < 0) {
            Py_CLEAR(rest);
        }
    }
    ctie_value_release(params);
    return rest;
}
