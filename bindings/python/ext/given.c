/*
 * The arguments of a handler for a request without a URL: what the caller gave, by name. A dict of Python's own is
 * read as it is; what another language gave is read by its content.
 */
#include "handlers.h"

/** What the caller gave: a dict, keywords, a value of another language, or none of them. */
typedef struct source {
    PyObject *dict;     /**< borrowed; NULL: none */
    PyObject *keywords; /**< likewise */
    const ctie_value *map;
    ctie_value *owned;  /**< what keeps the map, if the request does not */
} source;

/** What is performed by a rule gets the URL's parameters, by the rule's types. */
static ctie_status read_given(ctie_request *request, source *out) {
    ctie_door door = CTIE_DOOR_CALL;
    ctie_status status = ctie_request_door(request, &door);
    if (status == CTIE_OK && door == CTIE_DOOR_OPEN) {
        status = ctie_request_params(request, &out->owned);
        out->map = out->owned;
    } else if (status == CTIE_OK) {
        status = ctie_request_raw_params(request, &out->map);
    }
    return status;
}

static int find_source(ext_state *state, ctie_request *request, source *out) {
    *out = (source){NULL, NULL, NULL, NULL};
    ctie_status status = read_given(request, out);
    if (status != CTIE_OK) {
        ext_raise(state, status, NULL);
        return -1;
    }
    PyObject *object = ext_value_carried(out->map);
    if (object != NULL) {
        out->map = NULL;
        out->dict = PyDict_Check(object) ? object : NULL;
        out->keywords = Py_IS_TYPE(object, state->keywords_type) ? object : NULL;
    }
    return 0;
}

/** A new reference; NULL without an exception where there is nothing of that name. */
static PyObject *look_up(ext_state *state, const source *source, PyObject *name) {
    if (source->dict != NULL) {
        PyObject *found = PyDict_GetItemWithError(source->dict, name);
        return Py_XNewRef(found);
    }
    if (source->keywords != NULL) {
        return Py_XNewRef(ext_keywords_find(source->keywords, name));
    }
    ctie_str text;
    if (source->map == NULL || ext_text(name, "a parameter's name", &text) < 0) {
        return NULL;
    }
    const ctie_value *value = ctie_value_get(source->map, text);
    return value == NULL ? NULL : ext_value_object(state, value);
}

static Py_ssize_t count_of(const source *source) {
    if (source->keywords != NULL) {
        return ext_keywords_count(source->keywords);
    }
    return source->dict != NULL ? PyDict_GET_SIZE(source->dict) : (Py_ssize_t)ctie_value_count(source->map);
}

/** Whether the object is what the argument has to be; a text stands for what it says. Consumes the object. */
static PyObject *checked(ext_state *state, const ext_argument *argument, PyObject *object) {
    bool fits = argument->kind == EXT_ANY || (object == Py_None && argument->may_be_none);
    bool is_int = PyLong_Check(object) && !PyBool_Check(object);
    fits = fits || (argument->kind == EXT_TEXT && PyUnicode_Check(object)) || (argument->kind == EXT_INT && is_int) ||
           (argument->kind == EXT_FLOAT && PyFloat_Check(object)) ||
           (argument->kind == EXT_BOOL && PyBool_Check(object));
    if (fits) {
        return object;
    }
    PyObject *result = NULL;
    ctie_str text;
    if (argument->kind == EXT_FLOAT && is_int) {
        result = PyNumber_Float(object);
    } else if (!PyUnicode_Check(object)) {
        result = ext_argument_mismatch(state, argument);
    } else if (ext_text(object, "a parameter", &text) == 0) {
        result = ext_argument_convert(state, argument, text);
    }
    Py_DECREF(object);
    return result;
}

static PyObject *bind_one(ext_state *state, const ext_argument *argument, const source *source, Py_ssize_t *used) {
    PyObject *object = look_up(state, source, argument->name);
    if (object == NULL) {
        return PyErr_Occurred() ? NULL : ext_argument_missing(state, argument);
    }
    ++*used;
    return checked(state, argument, object);
}

/* ---- What is left over ---------------------------------------------------------------------------- */

/** The names and objects of what the caller gave. */
static PyObject *all_given(ext_state *state, const source *source) {
    if (source->dict != NULL) {
        return PyDict_Copy(source->dict);
    }
    if (source->keywords != NULL) {
        PyObject *dict = ext_keywords_shown(state, source->keywords);
        PyObject *copy = dict == NULL ? NULL : PyDict_Copy(dict);
        Py_XDECREF(dict);
        return copy;
    }
    return ctie_value_kind(source->map) == CTIE_KIND_MAP ? ext_value_object(state, source->map) : PyDict_New();
}

static PyObject *rest_of(ext_state *state, const ext_plan *plan, const source *source) {
    PyObject *rest = all_given(state, source);
    for (Py_ssize_t i = 0; rest != NULL && i < plan->count; i++) {
        PyObject *name = plan->arguments[i].name;
        if (PyDict_Contains(rest, name) == 1 && PyDict_DelItem(rest, name) < 0) {
            Py_CLEAR(rest);
        }
    }
    return rest;
}

static void refuse_surplus(ext_state *state, const ext_plan *plan, const source *source) {
    PyObject *rest = rest_of(state, plan, source);
    PyObject *name, *object;
    Py_ssize_t position = 0;
    if (rest != NULL && PyDict_Next(rest, &position, &name, &object)) {
        ext_argument_refuse(state, CTIE_E_PARAM, "there is no parameter %R", name);
    }
    Py_XDECREF(rest);
}

static int bind(ext_state *state, const ext_plan *plan, const source *source, PyObject **out) {
    Py_ssize_t done = 0, used = 0;
    while (done < plan->count && (out[done] = bind_one(state, &plan->arguments[done], source, &used)) != NULL) {
        done++;
    }
    if (done == plan->count) {
        if (!plan->is_strict || used == count_of(source)) {
            return 0;
        }
        refuse_surplus(state, plan, source);
    }
    while (done > 0) {
        Py_DECREF(out[--done]);
    }
    return -1;
}

int ext_plan_bind_given(ext_state *state, const ext_plan *plan, ctie_request *request, PyObject **out) {
    if (plan->count == 0 && !plan->is_strict) {
        return 0;
    }
    source source;
    if (find_source(state, request, &source) < 0) {
        return -1;
    }
    int result = bind(state, plan, &source, out);
    ctie_value_release(source.owned);
    return result;
}

PyObject *ext_plan_rest_given(ext_state *state, const ext_plan *plan, ctie_request *request) {
    source source;
    if (find_source(state, request, &source) < 0) {
        return NULL;
    }
    PyObject *rest = rest_of(state, plan, &source);
    ctie_value_release(source.owned);
    return rest;
}
