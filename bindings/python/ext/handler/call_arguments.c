/*
 * The arguments of a handler for a request without a URL: the caller's, by name. A dict of Python is read as it is; a value
 * of another language is read by its content.
 */
#include "plan.h"
#include "../base/error.h"
#include "../base/text.h"
#include "../value/value.h"

/** The caller's parameters: a dict, a _Keywords, a value of another language, or none of them. All are borrowed. */
typedef struct source {
    PyObject *dict;
    PyObject *keywords;
    const ctie_value *map;
} source;

static int find_source(ext_state *state, ctie_request *request, source *out) {
    *out = (source){NULL, NULL, NULL};
    ctie_status status = ctie_request_arguments(request, &out->map);
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

/** The object of a name, a new reference; NULL without an exception if there is none. */
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

/** The object as the argument's kind; a text is converted. Consumes the object. NULL with a ParamError for any other. */
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

/** NULL without an exception for an argument that is required and missing. */
static PyObject *bind_one(ext_state *state, const ext_argument *argument, const source *source, Py_ssize_t *used) {
    PyObject *object = look_up(state, source, argument->name);
    if (object == NULL) {
        return PyErr_Occurred() ? NULL : Py_XNewRef(argument->missing);
    }
    ++*used;
    return checked(state, argument, object);
}

/* ---- The rest ------------------------------------------------------------------------------------- */

/** The caller's parameters as a new dict. */
static PyObject *all_arguments(ext_state *state, const source *source) {
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

static bool is_argument(const ext_plan *plan, PyObject *name) {
    for (Py_ssize_t i = 0; PyUnicode_Check(name) && i < plan->count; i++) {
        const ext_argument *argument = &plan->arguments[i];
        if (argument->kind != EXT_REQUEST && PyUnicode_Compare(argument->name, name) == 0) {
            return true;
        }
    }
    return false;
}

/** Whether **parameters can have a name: 1 yes, 0 no (a lenient plan leaves it out), -1 with an exception. */
static int accepts(ext_state *state, const ext_plan *plan, PyObject *name) {
    const char *message = "the handler has bound %R itself: a caller cannot pass it";
    if (!PyUnicode_Check(name)) {
        message = "a parameter's name must be a str, not %R";
    } else {
        int is_bound = PySet_Contains(plan->bound, name); /* a subclass of str may raise here */
        if (is_bound <= 0) {
            return is_bound < 0 ? -1 : 1;
        }
    }
    if (!plan->is_lenient) {
        ext_raise_format(state, CTIE_E_PARAM, message, name);
    }
    return plan->is_lenient ? 0 : -1;
}

static PyObject *rest_of(ext_state *state, const ext_plan *plan, const source *source) {
    PyObject *given = all_arguments(state, source), *rest = given == NULL ? NULL : PyDict_New();
    PyObject *name, *object;
    Py_ssize_t position = 0;
    while (rest != NULL && PyDict_Next(given, &position, &name, &object)) {
        int result = is_argument(plan, name) ? 0 : accepts(state, plan, name);
        if (result < 0 || (result > 0 && PyDict_SetItem(rest, name, object) < 0)) {
            Py_CLEAR(rest);
        }
    }
    Py_XDECREF(given);
    return rest;
}

/* ---- Refusals ------------------------------------------------------------------------------------- */

/** The first name that no argument takes, a new reference; NULL without an exception if there is none. */
static PyObject *find_surplus(ext_state *state, const ext_plan *plan, const source *source) {
    PyObject *given = all_arguments(state, source), *found = NULL;
    PyObject *name, *object;
    Py_ssize_t position = 0;
    while (given != NULL && found == NULL && PyDict_Next(given, &position, &name, &object)) {
        found = is_argument(plan, name) ? NULL : Py_NewRef(name);
    }
    Py_XDECREF(given);
    return found;
}

/** The message for a name that no argument takes. For the name of an option it says how options are passed. */
static PyObject *surplus_text(PyObject *name, bool is_call) {
    static const char *const options[] = {"timeout", "origin", "user_info", "interceptors", "parent", "dispatcher",
                                          "priority", "progress", "loop"};
    for (size_t i = 0; is_call && PyUnicode_Check(name) && i < sizeof(options) / sizeof(options[0]); i++) {
        if (PyUnicode_CompareWithASCIIString(name, options[i]) == 0) {
            return PyUnicode_FromFormat("there is no parameter %R; options go by bus.with_options(%s=...)", name,
                                        options[i]);
        }
    }
    return PyUnicode_FromFormat("there is no parameter %R", name);
}

/** Sets a ParamError that names the missing argument, if one is missing, and the first name that no argument takes. */
static void refuse(ext_state *state, const ext_plan *plan, ctie_request *request, const source *source,
                   const ext_argument *missing) {
    PyObject *name = plan->is_strict ? find_surplus(state, plan, source) : NULL;
    if (PyErr_Occurred()) {
        return;
    }
    if (name == NULL && missing != NULL) {
        (void)ext_argument_missing(state, missing);
        return;
    }
    if (name == NULL) {
        ext_raise_text(state, CTIE_E_PARAM, "the parameters must be a map");
        return;
    }
    int32_t kind = CTIE_REQUEST_KIND_CALL;
    bool is_call = ctie_request_kind(request, &kind) == CTIE_OK && kind == CTIE_REQUEST_KIND_CALL && source->map == NULL;
    PyObject *surplus = surplus_text(name, is_call);
    PyObject *text = surplus;
    if (surplus != NULL && missing != NULL) {
        text = PyUnicode_FromFormat("the parameter %R is missing; %U", missing->name, surplus);
        Py_DECREF(surplus);
    }
    if (text != NULL) {
        ext_raise_format(state, CTIE_E_PARAM, "%U", text);
        Py_DECREF(text);
    }
    Py_DECREF(name);
}

/* ---- All arguments -------------------------------------------------------------------------------- */

static int bind(ext_state *state, const ext_plan *plan, ctie_request *request, PyObject *request_object,
                const source *source, PyObject **out) {
    Py_ssize_t done = 0, used = 0;
    for (; done < plan->count; done++) {
        const ext_argument *argument = &plan->arguments[done];
        out[done] = argument->kind == EXT_REQUEST ? Py_NewRef(request_object)
                                                  : bind_one(state, argument, source, &used);
        if (out[done] == NULL) {
            if (!PyErr_Occurred()) {
                refuse(state, plan, request, source, argument);
            }
            return ext_plan_undo(out, done);
        }
    }
    if (!plan->is_strict || used == count_of(source)) {
        return 0;
    }
    refuse(state, plan, request, source, NULL);
    return ext_plan_undo(out, done);
}

int ext_plan_bind_call(ext_state *state, const ext_plan *plan, ctie_request *request, PyObject *request_object,
                        PyObject **out) {
    source source = {NULL, NULL, NULL};
    if ((plan->named > 0 || plan->is_strict) && find_source(state, request, &source) < 0) {
        return -1;
    }
    return bind(state, plan, request, request_object, &source, out);
}

PyObject *ext_plan_rest_call(ext_state *state, const ext_plan *plan, ctie_request *request) {
    source source;
    return find_source(state, request, &source) < 0 ? NULL : rest_of(state, plan, &source);
}
