/*
 * The arguments of a handler for a rule's request: the parameters that the rule declares, and those of its path. Crosstie
 * has checked and converted them; a handler's annotation takes precedence, and converts the text.
 */
#include "plan.h"
#include "../base/error.h"
#include "../base/text.h"
#include "../value/value.h"

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

/** The object of a parameter; a list is refused, since it means that the parameter occurs more than once. */
static PyObject *single(ext_state *state, PyObject *name, const ctie_value *value) {
    if (ctie_value_kind(value) == CTIE_KIND_LIST) {
        return ext_raise_format(state, CTIE_E_DUPLICATE, "the parameter %R occurs more than once", name);
    }
    return ext_value_object(state, value);
}

/** The parameters of a rule's request, read when the first argument needs one of them. */
typedef struct source {
    ctie_request *request;
    const ctie_value *declared; /**< the rule's declarations by name; NULL: none */
    ctie_value *params;         /**< NULL: not read yet */
} source;

static source source_of(ctie_request *request) {
    const ctie_value *rule = NULL;
    (void)ctie_request_rule(request, &rule);
    return (source){request, ctie_value_get(rule, CTIE_STR("params")), NULL};
}

/** Whether the rule has a name among its parameters or in its path. */
static bool is_declared(const source *source, ctie_str name) {
    if (ctie_value_get(source->declared, name) != NULL) {
        return true;
    }
    ctie_str other, text;
    for (size_t i = 0; ctie_request_path_param_at(source->request, i, &other, &text) == CTIE_OK; i++) {
        if (other.size == name.size && memcmp(other.data, name.data, name.size) == 0) {
            return true;
        }
    }
    return false;
}

static PyObject *bind_by_rule(ext_state *state, const ext_argument *argument, source *source, ctie_str name) {
    ctie_str text;
    if (argument->is_annotated && ctie_request_param(source->request, name, &text) == CTIE_OK) {
        return ext_argument_convert(state, argument, text);
    }
    if (source->params == NULL && (source->params = read_params(state, source->request)) == NULL) {
        return NULL;
    }
    const ctie_value *value = ctie_value_get(source->params, name);
    return value == NULL ? ext_argument_missing(state, argument) : single(state, argument->name, value);
}

/** Whether a rule may fill the argument. A default stays, unless the argument has an annotation or is in the pattern. */
static bool is_reachable(const ext_argument *argument) {
    return argument->is_open || argument->missing == NULL || argument->position >= 0;
}

/** Binds an argument by its name, also one of the path: the names are those of the route's pattern. */
static PyObject *bind_one(ext_state *state, const ext_argument *argument, source *source) {
    ctie_str name;
    if (!is_reachable(argument)) {
        return Py_NewRef(argument->missing);
    }
    if (ext_text(argument->name, "a parameter's name", &name) < 0) {
        return NULL;
    }
    return is_declared(source, name) ? bind_by_rule(state, argument, source, name)
                                     : ext_argument_missing(state, argument);
}

int ext_plan_bind_rule(ext_state *state, const ext_plan *plan, ctie_request *request, PyObject *request_object,
                           PyObject **out) {
    source source = source_of(request);
    int result = 0;
    for (Py_ssize_t i = 0; result == 0 && i < plan->count; i++) {
        const ext_argument *argument = &plan->arguments[i];
        out[i] = argument->kind == EXT_REQUEST ? Py_NewRef(request_object) : bind_one(state, argument, &source);
        if (out[i] == NULL) {
            result = ext_plan_undo(out, i);
        }
    }
    ctie_value_release(source.params);
    return result;
}

/** Adds a parameter that the rule declares, unless the handler has a parameter of that name itself. */
static int add_rest(ext_state *state, const ext_plan *plan, const source *source, size_t index, PyObject *rest) {
    ctie_str key;
    const ctie_value *value = NULL;
    ctie_status status = ctie_value_entry_at(source->params, index, &key, &value);
    if (status != CTIE_OK) {
        ext_raise(state, status, NULL);
        return -1;
    }
    if (!is_declared(source, key)) {
        return 0;
    }
    PyObject *name = ext_text_object(key);
    int result = name == NULL ? -1 : 0;
    if (result == 0 && PySet_Contains(plan->closed, name) == 0) {
        PyObject *object = single(state, name, value);
        result = object == NULL ? -1 : PyDict_SetItem(rest, name, object);
        Py_XDECREF(object);
    }
    Py_XDECREF(name);
    return result;
}

PyObject *ext_plan_rest_rule(ext_state *state, const ext_plan *plan, ctie_request *request) {
    source source = source_of(request);
    source.params = read_params(state, request);
    PyObject *rest = source.params == NULL ? NULL : PyDict_New();
    size_t count = ctie_value_count(source.params);
    for (size_t i = 0; rest != NULL && i < count; i++) {
        if (add_rest(state, plan, &source, i, rest) < 0) {
            Py_CLEAR(rest);
        }
    }
    ctie_value_release(source.params);
    return rest;
}
