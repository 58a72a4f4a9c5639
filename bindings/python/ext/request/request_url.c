/*
 * The properties of a Request that come from its URL.
 */
#include "request.h"
#include "../base/error.h"
#include "../base/text.h"
#include "../value/value.h"

static ext_request *of(PyObject *object) {
    return (ext_request *)object;
}

PyObject *ext_request_url_part(PyObject *object, ctie_url_part part) {
    ctie_request *handle = ext_request_live(object);
    if (handle == NULL) {
        return NULL;
    }
    ctie_str text = {NULL, 0};
    ctie_status status = ctie_request_url(handle, part, &text);
    if (status == CTIE_E_NOT_FOUND) {
        return Py_NewRef(of(object)->state->empty);
    }
    return status == CTIE_OK ? ext_text_object(text) : ext_raise(of(object)->state, status, NULL);
}

PyObject *ext_request_part(PyObject *object, void *closure) {
    return ext_request_url_part(object, (ctie_url_part)(intptr_t)closure);
}

typedef ctie_status (*text_reader)(const ctie_request *request, ctie_str *out);

/** A text of the request; empty without one, or before it is known. */
static PyObject *text_by(PyObject *object, text_reader read) {
    ctie_request *handle = ext_request_live(object);
    if (handle == NULL) {
        return NULL;
    }
    ctie_str text = {NULL, 0};
    ctie_status status = read(handle, &text);
    if (status != CTIE_OK && status != CTIE_E_NOT_FOUND) {
        return ext_raise(of(object)->state, status, NULL);
    }
    return ext_text_object(text);
}

PyObject *ext_request_pattern(PyObject *object, void *Py_UNUSED(closure)) {
    return text_by(object, ctie_request_pattern);
}

PyObject *ext_request_unmatched(PyObject *object, void *Py_UNUSED(closure)) {
    return text_by(object, ctie_request_unmatched);
}

PyObject *ext_request_rule(PyObject *object, void *Py_UNUSED(closure)) {
    ctie_request *handle = ext_request_live(object);
    if (handle == NULL) {
        return NULL;
    }
    const ctie_value *rule = NULL;
    ctie_status status = ctie_request_rule(handle, &rule);
    if (status == CTIE_E_NOT_FOUND) {
        Py_RETURN_NONE;
    }
    return status == CTIE_OK ? ext_value_object(of(object)->state, rule) : ext_raise(of(object)->state, status, NULL);
}

/* ---- Parameters ----------------------------------------------------------------------------------- */

/** The pairs of the query as a tuple of tuples. */
PyObject *ext_request_query(PyObject *object, void *Py_UNUSED(closure)) {
    ctie_request *handle = ext_request_live(object);
    PyObject *list = handle == NULL ? NULL : PyList_New(0);
    ctie_str name, text;
    for (size_t i = 0; list != NULL && ctie_request_query_at(handle, i, &name, &text) == CTIE_OK; i++) {
        PyObject *pair = Py_BuildValue("(NN)", ext_text_object(name), ext_text_object(text));
        if (pair == NULL || PyList_Append(list, pair) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(pair);
    }
    PyObject *result = list == NULL ? NULL : PyList_AsTuple(list);
    Py_XDECREF(list);
    return result;
}

PyObject *ext_request_query_all(PyObject *object, PyObject *key_object) {
    ctie_request *handle = ext_request_live(object);
    ctie_str key;
    if (handle == NULL || ext_text(key_object, "key", &key) < 0) {
        return NULL;
    }
    ctie_value *list = NULL;
    ctie_status status = ctie_request_query_all(handle, key, &list);
    return ext_value_result(of(object)->state, status, list, NULL);
}

PyObject *ext_request_param(PyObject *object, PyObject *name_object) {
    ctie_request *handle = ext_request_live(object);
    ctie_str name, text;
    if (handle == NULL || ext_text(name_object, "name", &name) < 0) {
        return NULL;
    }
    ctie_status status = ctie_request_param(handle, name, &text);
    if (status == CTIE_E_DUPLICATE) {
        return ext_raise_format(of(object)->state, status, "the parameter %R occurs more than once",
                                   name_object);
    }
    return status == CTIE_OK ? ext_text_object(text) : ext_raise(of(object)->state, status, NULL);
}
