/*
 * Bus.url_for(): the URL of a route by its name. Usual parameters, which are keywords with texts and integers, become the
 * library's values without a dict between.
 */
#include "bus.h"
#include "../base/error.h"
#include "../base/owner.h"
#include "../base/text.h"
#include "../value/value.h"

/** The arguments of one call, all borrowed. */
typedef struct url_arguments {
    PyObject *params;         /**< NULL for None */
    PyObject *query;          /**< NULL for None */
    PyObject *names;          /**< the names of the keywords, `query` among them; NULL without any */
    PyObject *const *objects; /**< their objects */
    Py_ssize_t named;         /**< the number of keywords beside `query` */
} url_arguments;

static bool is_query(PyObject *name) {
    return PyUnicode_GET_LENGTH(name) == 5 && PyUnicode_CompareWithASCIIString(name, "query") == 0;
}

static int read_arguments(PyObject *const *args, Py_ssize_t count, PyObject *names, url_arguments *out) {
    if (count != 1 && count != 2) {
        PyErr_Format(PyExc_TypeError, "expected a name and optional params (%zd arguments given)", count);
        return -1;
    }
    Py_ssize_t keywords = names == NULL ? 0 : PyTuple_GET_SIZE(names);
    *out = (url_arguments){count == 2 && args[1] != Py_None ? args[1] : NULL, NULL, names, args + count, keywords};
    for (Py_ssize_t i = 0; i < keywords; i++) {
        if (is_query(PyTuple_GET_ITEM(names, i))) {
            out->query = args[count + i] == Py_None ? NULL : args[count + i];
            out->named--;
        }
    }
    return 0;
}

/* ---- Usual parameters ----------------------------------------------------------------------------- */

/** The value of a text or an integer; NULL, without an exception, for any other object. */
static ctie_value *usual_value(PyObject *object) {
    int overflow = 0;
    if (PyLong_CheckExact(object)) {
        long long number = PyLong_AsLongLongAndOverflow(object, &overflow);
        return overflow == 0 ? ctie_value_int(number) : NULL;
    }
    Py_ssize_t size = 0;
    const char *text = PyUnicode_CheckExact(object) ? PyUnicode_AsUTF8AndSize(object, &size) : NULL;
    if (text == NULL) {
        PyErr_Clear();
    }
    return text == NULL ? NULL : ctie_value_string((ctie_str){text, (size_t)size});
}

static bool usual_pair(PyObject *name, PyObject *object, ctie_pair *out) {
    Py_ssize_t size = 0;
    const char *text = PyUnicode_AsUTF8AndSize(name, &size);
    if (text == NULL) {
        PyErr_Clear();
        return false;
    }
    *out = (ctie_pair){{text, (size_t)size}, usual_value(object)};
    return out->value != NULL;
}

/** A map of the keywords; NULL, without an exception, if one of them is not usual: plain_params() says what is wrong. */
static ctie_value *usual_params(const url_arguments *given) {
    ctie_pair pairs[EXT_MAX_KEYWORDS];
    size_t count = 0;
    if (given->params != NULL || given->named > EXT_MAX_KEYWORDS) {
        return NULL;
    }
    Py_ssize_t keywords = given->names == NULL ? 0 : PyTuple_GET_SIZE(given->names);
    for (Py_ssize_t i = 0; i < keywords; i++) {
        PyObject *name = PyTuple_GET_ITEM(given->names, i);
        if (is_query(name)) {
            continue;
        }
        if (!usual_pair(name, given->objects[i], &pairs[count])) {
            while (count > 0) {
                ctie_value_release(pairs[--count].value);
            }
            return NULL;
        }
        count++;
    }
    return ctie_value_map(pairs, count);
}

/* ---- All others ----------------------------------------------------------------------------------- */

static int add_named(const url_arguments *given, PyObject *dict) {
    Py_ssize_t keywords = given->names == NULL ? 0 : PyTuple_GET_SIZE(given->names);
    for (Py_ssize_t i = 0; i < keywords; i++) {
        PyObject *name = PyTuple_GET_ITEM(given->names, i);
        if (!is_query(name) && PyDict_SetItem(dict, name, given->objects[i]) < 0) {
            return -1;
        }
    }
    return 0;
}

/** A dict of a mapping, which may be NULL and may be false. */
static PyObject *dict_of(PyObject *mapping) {
    PyObject *dict = PyDict_New();
    int has_items = mapping == NULL ? 0 : PyObject_IsTrue(mapping);
    if (dict != NULL && (has_items < 0 || (has_items > 0 && PyDict_Update(dict, mapping) < 0))) {
        Py_CLEAR(dict);
    }
    return dict;
}

static PyObject *list_of(const url_arguments *given) {
    PyObject *params = given->params;
    if (given->named > 0) {
        PyErr_SetString(PyExc_TypeError, "parameters must be passed either by position or by name");
        return NULL;
    }
    if (PyUnicode_Check(params) || PyBytes_Check(params) || PyByteArray_Check(params)) {
        PyErr_SetString(PyExc_TypeError, "parameters must be a mapping or a sequence, not one text");
        return NULL;
    }
    return PySequence_List(params);
}

static ctie_value *plain_params(ext_state *state, const url_arguments *given) {
    int is_mapping = given->params == NULL ? 1 : PyObject_IsInstance(given->params, state->mapping_class);
    if (is_mapping < 0) {
        return NULL;
    }
    PyObject *params = is_mapping ? dict_of(given->params) : list_of(given);
    if (params != NULL && is_mapping && add_named(given, params) < 0) {
        Py_CLEAR(params);
    }
    ctie_value *value = params == NULL ? NULL : ext_value_plain(state, params);
    Py_XDECREF(params);
    return value;
}

static ctie_value *plain_query(ext_state *state, PyObject *query) {
    int has_items = PyObject_IsTrue(query);
    PyObject *dict = has_items < 0 ? NULL : has_items ? PyObject_CallOneArg((PyObject *)&PyDict_Type, query) : PyDict_New();
    ctie_value *value = dict == NULL ? NULL : ext_value_plain(state, dict);
    Py_XDECREF(dict);
    return value;
}

/* ---- The method ----------------------------------------------------------------------------------- */

PyObject *ext_bus_url_for(PyObject *object, PyObject *const *args, Py_ssize_t count, PyObject *names) {
    ext_owner *self = (ext_owner *)object;
    url_arguments given;
    ctie_str name;
    if (read_arguments(args, count, names, &given) < 0 || ext_text(args[0], "name", &name) < 0) {
        return NULL;
    }
    ctie_value *params = usual_params(&given);
    if (params == NULL) {
        params = plain_params(self->state, &given);
    }
    ctie_value *query = params == NULL || given.query == NULL ? NULL : plain_query(self->state, given.query);
    PyObject *result = NULL;
    if (params != NULL && (query != NULL || given.query == NULL)) {
        ctie_value *url = NULL;
        ctie_error *error = NULL;
        ctie_status status = ctie_generate_named(self->handle, name, params, query, &url, &error);
        result = ext_value_result(self->state, status, url, error);
    }
    ctie_value_release(params);
    ctie_value_release(query);
    return result;
}
