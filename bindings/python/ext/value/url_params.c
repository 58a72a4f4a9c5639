/*
 * crosstie._Params: the base of crosstie.Params, which holds the parameters of a URL as the library gives them: in a block,
 * or many of them in a map. A value is converted when it is read by its name. A dict of all is made when a program reads them
 * as a whole.
 */
#include "url_params.h"
#include "packed_params.h"
#include "value.h"
#include "../base/error.h"
#include "../base/text.h"

#include "docstrings.h"

typedef struct url_params {
    PyObject_HEAD
    /* One of these, kept until the end, since a conversion may be reading it; neither for the mapping of a program. */
    ext_packed *packed;
    ctie_value *map;
    PyObject *values; /**< the mapping; NULL until it is needed */
} url_params;

static url_params *of(PyObject *object) {
    return (url_params *)object;
}

/** Reads the parameters of a request into one of the two. */
static int read_params(ext_state *state, ctie_request *request, ext_packed **packed, ctie_value **map) {
    if (ext_packed_read(state, request, packed) < 0) {
        return -1;
    }
    ctie_status status = *packed == NULL ? ctie_request_params(request, map) : CTIE_OK;
    if (status != CTIE_OK) {
        ext_raise(state, status, NULL);
    }
    return status == CTIE_OK ? 0 : -1;
}

PyObject *ext_url_params_read(ext_state *state, ctie_request *request) {
    ext_packed *packed = NULL;
    ctie_value *map = NULL;
    if (read_params(state, request, &packed, &map) < 0) {
        return NULL;
    }
    PyTypeObject *type = (PyTypeObject *)state->params_class;
    PyObject *result = type->tp_alloc(type, 0);
    if (result == NULL) {
        ext_packed_free(packed);
        ctie_value_release(map);
    } else {
        of(result)->packed = packed;
        of(result)->map = map;
    }
    return result;
}

/** Whether the library's parameters have not been read as a whole. */
static bool is_unread(const url_params *self) {
    return self->values == NULL && (self->packed != NULL || self->map != NULL);
}

static int params_init(PyObject *object, PyObject *args, PyObject *keywords) {
    static char *names[] = {"values", NULL};
    PyObject *values;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O:Params", names, &values)) {
        return -1;
    }
    Py_XSETREF(of(object)->values, Py_NewRef(values));
    return 0;
}

/** The mapping, borrowed. */
static PyObject *values_of(url_params *self) {
    if (is_unread(self)) {
        PyObject *made = self->packed != NULL ? ext_packed_dict(ext_state_current, self->packed)
                                              : ext_value_object(ext_state_current, self->map);
        if (self->values == NULL) {
            self->values = made;
        } else {
            Py_XDECREF(made); /* the collector has run code that has made one, too */
        }
    } else if (self->values == NULL) {
        PyErr_SetString(PyExc_AttributeError, "_values");
    }
    return self->values;
}

bool ext_url_params_are_unread(PyObject *object) {
    return is_unread(of(object));
}

ctie_value *ext_url_params_value(PyObject *object) {
    return of(object)->packed != NULL ? ext_packed_map(of(object)->packed) : ctie_value_retain(of(object)->map);
}

PyObject *ext_url_params_values(PyObject *object) {
    return Py_XNewRef(values_of(of(object)));
}

/* ---- Values by name ------------------------------------------------------------------------------- */

/** The value of a name in the block or map, converted; NULL without an exception if there is none. */
static PyObject *find_converted(const url_params *self, PyObject *name) {
    ctie_str text;
    size_t byte;
    if (ext_utf8(name, &text, &byte) != 0) {
        return NULL; /* no URL has a lone surrogate */
    }
    if (self->packed != NULL) {
        const ext_packed_param *param = ext_packed_find(self->packed, text);
        return param == NULL ? NULL : ext_packed_object(ext_state_current, self->packed, param);
    }
    const ctie_value *value = ctie_value_get(self->map, text);
    return value == NULL ? NULL : ext_value_object(ext_state_current, value);
}

/** The value of a name; NULL without an exception if there is none. */
static PyObject *find(url_params *self, PyObject *name) {
    if (is_unread(self) && PyUnicode_CheckExact(name)) {
        return find_converted(self, name);
    }
    PyObject *values = values_of(self);
    if (values == NULL || PyDict_CheckExact(values)) {
        return values == NULL ? NULL : Py_XNewRef(PyDict_GetItemWithError(values, name));
    }
    return PyObject_GetItem(values, name);
}

static PyObject *params_subscript(PyObject *object, PyObject *name) {
    PyObject *value = find(of(object), name);
    if (value == NULL) {
        if (!PyErr_Occurred()) {
            PyErr_SetObject(PyExc_KeyError, name);
        }
        return NULL;
    }
    if (PyList_Check(value)) {
        Py_DECREF(value);
        return ext_raise_format(ext_state_current, CTIE_E_DUPLICATE, "the parameter %R occurs more than once", name);
    }
    return value;
}

static int params_contains(PyObject *object, PyObject *name) {
    url_params *self = of(object);
    if (is_unread(self) && PyUnicode_CheckExact(name)) {
        ctie_str text;
        size_t byte;
        int failure = ext_utf8(name, &text, &byte);
        if (failure != 0) {
            return failure < 0 ? -1 : 0;
        }
        return self->packed != NULL ? ext_packed_find(self->packed, text) != NULL : ctie_value_get(self->map, text) != NULL;
    }
    PyObject *values = values_of(self);
    return values == NULL ? -1 : PySequence_Contains(values, name);
}

/** The value that `all()` finds, in a mapping of a program by its own method. */
static PyObject *found_for_all(url_params *self, PyObject *name) {
    PyObject *values = self->map == NULL && self->packed == NULL ? values_of(self) : NULL;
    if (values != NULL && !PyDict_CheckExact(values)) {
        PyObject *none = PyList_New(0);
        PyObject *found = none == NULL ? NULL : PyObject_CallMethod(values, "get", "OO", name, none);
        Py_XDECREF(none);
        return found;
    }
    PyObject *found = PyErr_Occurred() ? NULL : find(self, name);
    return found == NULL && !PyErr_Occurred() ? PyList_New(0) : found;
}

static PyObject *params_all(PyObject *object, PyObject *args, PyObject *keywords) {
    static char *names[] = {"name", NULL};
    PyObject *name;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O:all", names, &name)) {
        return NULL;
    }
    PyObject *found = found_for_all(of(object), name);
    PyObject *result = NULL;
    if (found != NULL && PyList_Check(found)) {
        result = PyList_GetSlice(found, 0, PyList_GET_SIZE(found));
    } else if (found != NULL) {
        result = PyList_New(1);
        if (result != NULL) {
            PyList_SET_ITEM(result, 0, Py_NewRef(found));
        }
    }
    Py_XDECREF(found);
    return result;
}

/* ---- The whole ------------------------------------------------------------------------------------ */

static PyObject *params_values(PyObject *object, void *Py_UNUSED(closure)) {
    return ext_url_params_values(object);
}

static PyObject *params_iter(PyObject *object) {
    PyObject *values = values_of(of(object));
    return values == NULL ? NULL : PyObject_GetIter(values);
}

static Py_ssize_t params_length(PyObject *object) {
    url_params *self = of(object);
    if (is_unread(self)) {
        return (Py_ssize_t)(self->packed != NULL ? self->packed->count : ctie_value_count(self->map));
    }
    PyObject *values = values_of(self);
    return values == NULL ? -1 : PyObject_Size(values);
}

static PyObject *params_repr(PyObject *object) {
    PyObject *values = values_of(of(object));
    PyObject *dict = values == NULL ? NULL : PyObject_CallOneArg((PyObject *)&PyDict_Type, values);
    PyObject *result = dict == NULL ? NULL : PyUnicode_FromFormat("<crosstie.Params %R>", dict);
    Py_XDECREF(dict);
    return result;
}

static PyObject *params_reduce(PyObject *object, PyObject *Py_UNUSED(unused)) {
    PyObject *values = values_of(of(object));
    return values == NULL ? NULL : Py_BuildValue("(O(O))", (PyObject *)Py_TYPE(object), values);
}

/* ---- The type ------------------------------------------------------------------------------------- */

static int params_traverse(PyObject *object, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(of(object)->values);
    return 0;
}

static int params_clear(PyObject *object) {
    Py_CLEAR(of(object)->values);
    return 0;
}

static void params_dealloc(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    Py_CLEAR(of(object)->values);
    ext_packed_free(of(object)->packed);
    ext_value_release(of(object)->map);
    type->tp_free(object);
    Py_DECREF(type);
}

static PyMethodDef params_methods[] = {
    {"all", EXT_METHOD(params_all), METH_VARARGS | METH_KEYWORDS, DOC(_Params, all)},
    {"__reduce__", params_reduce, METH_NOARGS, DOC(_Params, __reduce__)},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef params_getset[] = {
    {"_values", params_values, NULL, DOC(_Params, _values), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot params_slots[] = {
    {Py_tp_doc, DOC__Params},
    {Py_tp_init, params_init},
    {Py_tp_dealloc, params_dealloc},
    {Py_tp_traverse, params_traverse},
    {Py_tp_clear, params_clear},
    {Py_tp_repr, params_repr},
    {Py_tp_iter, params_iter},
    {Py_mp_subscript, params_subscript},
    {Py_mp_length, params_length},
    {Py_sq_contains, params_contains},
    {Py_tp_methods, params_methods},
    {Py_tp_getset, params_getset},
    {0, NULL},
};

PyType_Spec ext_url_params_spec = {
    "crosstie._Params", sizeof(url_params), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, params_slots,
};
