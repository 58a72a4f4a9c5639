/*
 * The methods of Bus that make URLs.
 */
#include "crosstie_ext.h"

/** Consumes all three; `url` is NULL on failure. */
static PyObject *finish(ext_state *state, ctie_status status, ctie_value *url, ctie_error *error) {
    if (status != CTIE_OK) {
        return ext_raise(state, status, error);
    }
    PyObject *result = ext_value_object(state, url);
    ctie_value_release(url);
    return result;
}

static ext_owner *of(PyObject *object) {
    return (ext_owner *)object;
}

/** Crosstie takes a pattern with a scheme of any bus, of a closed one too; Python does not. */
PyObject *ext_generate(PyObject *object, PyObject *args) {
    ext_owner *self = of(object);
    PyObject *pattern_object, *params_object;
    ctie_str pattern;
    if (!PyArg_ParseTuple(args, "UO:_generate", &pattern_object, &params_object) ||
        ext_text(pattern_object, "pattern", &pattern) < 0) {
        return NULL;
    }
    ctie_value *params = ext_value_plain(self->state, params_object);
    if (params == NULL) {
        return NULL;
    }
    ctie_value *url = NULL;
    ctie_error *error = NULL;
    ctie_status status = self->handle == NULL ? CTIE_E_HANDLE
                                              : ctie_generate(self->handle, pattern, params, &url, &error);
    ctie_value_release(params);
    return finish(self->state, status, url, error);
}

PyObject *ext_generate_named(PyObject *object, PyObject *args) {
    ext_owner *self = of(object);
    PyObject *name_object, *params_object, *query_object;
    ctie_str name;
    if (!PyArg_ParseTuple(args, "OOO:_generate_named", &name_object, &params_object, &query_object) ||
        ext_text(name_object, "name", &name) < 0) {
        return NULL;
    }
    ctie_value *params = ext_value_plain(self->state, params_object);
    ctie_value *query = params == NULL ? NULL : ext_value_plain(self->state, query_object);
    PyObject *result = NULL;
    if (query != NULL) {
        ctie_value *url = NULL;
        ctie_error *error = NULL;
        ctie_status status = ctie_generate_named(self->handle, name, params, query, &url, &error);
        result = finish(self->state, status, url, error);
    }
    ctie_value_release(params);
    ctie_value_release(query);
    return result;
}

PyObject *ext_generate_for_rule(PyObject *object, PyObject *args) {
    ext_owner *self = of(object);
    PyObject *name_object, *params_object;
    int is_web, is_private, is_by_target;
    ctie_str name;
    if (!PyArg_ParseTuple(args, "OOppp:_generate_for_rule", &name_object, &params_object, &is_web, &is_private,
                          &is_by_target) ||
        ext_text(name_object, "name", &name) < 0) {
        return NULL;
    }
    ctie_value *params = ext_value_plain(self->state, params_object);
    if (params == NULL) {
        return NULL;
    }
    uint32_t flags = (is_web ? CTIE_RULES_WEB : 0u) | (is_private ? CTIE_RULES_PRIVATE : 0u) |
                     (is_by_target ? CTIE_RULES_BY_TARGET : 0u);
    ctie_value *url = NULL;
    ctie_error *error = NULL;
    ctie_status status = ctie_rules_generate(self->handle, name, params, flags, &url, &error);
    ctie_value_release(params);
    return finish(self->state, status, url, error);
}
