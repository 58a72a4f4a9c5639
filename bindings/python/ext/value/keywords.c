/*
 * crosstie._Keywords: the names and the objects of one call with keywords, as the interpreter passes them.
 *
 * A handler takes its parameters from it by name. A dict is made, and kept, when a program reads the parameters as a whole:
 * a dict for every call would take longer than the rest of the call.
 */
#include "value.h"

typedef struct keywords {
    PyObject_HEAD
    ext_state *state;
    PyObject *names; /**< a tuple of str */
    PyObject *dict;  /**< NULL until a program reads the parameters as a whole */
    PyObject *objects[EXT_MAX_KEYWORDS];
} keywords;

static keywords *of(PyObject *object) {
    return (keywords *)object;
}

static PyObject *made_dict(PyObject *names, PyObject *const *objects) {
    PyObject *dict = PyDict_New();
    for (Py_ssize_t i = 0; dict != NULL && i < PyTuple_GET_SIZE(names); i++) {
        if (PyDict_SetItem(dict, PyTuple_GET_ITEM(names, i), objects[i]) < 0) {
            Py_CLEAR(dict);
        }
    }
    return dict;
}

PyObject *ext_keywords_new(ext_state *state, PyObject *names, PyObject *const *objects) {
    if (PyTuple_GET_SIZE(names) > EXT_MAX_KEYWORDS) {
        return made_dict(names, objects);
    }
    PyObject *object = ext_pool_take(&state->keywords, state->keywords_type);
    if (object != NULL) {
        of(object)->state = state;
        of(object)->names = Py_NewRef(names);
        of(object)->dict = NULL;
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); i++) {
            of(object)->objects[i] = Py_NewRef(objects[i]);
        }
    }
    return object;
}

Py_ssize_t ext_keywords_count(PyObject *object) {
    return PyTuple_GET_SIZE(of(object)->names);
}

/** Names in the source of a program are interned, so most are found by their address. */
PyObject *ext_keywords_find(PyObject *object, PyObject *name) {
    PyObject *names = of(object)->names;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); i++) {
        if (PyTuple_GET_ITEM(names, i) == name) {
            return of(object)->objects[i];
        }
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); i++) {
        if (PyUnicode_Compare(PyTuple_GET_ITEM(names, i), name) == 0) {
            return of(object)->objects[i];
        }
    }
    return NULL;
}

PyObject *ext_keywords_shown(const ext_state *state, PyObject *object) {
    if (!Py_IS_TYPE(object, state->keywords_type)) {
        return Py_NewRef(object);
    }
    keywords *self = of(object);
    if (self->dict == NULL) {
        PyObject *dict = made_dict(self->names, self->objects);
        if (self->dict == NULL) {
            self->dict = dict;
        } else {
            Py_XDECREF(dict); /* code of a name that is a subclass of str has made one, too */
        }
    }
    return Py_XNewRef(self->dict);
}

static void keywords_dealloc(PyObject *object) {
    keywords *self = of(object);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self->names); i++) {
        Py_DECREF(self->objects[i]);
    }
    Py_CLEAR(self->dict);
    Py_CLEAR(self->names);
    ext_pool_give(&self->state->keywords, object);
}

static PyType_Slot keywords_slots[] = {
    {Py_tp_doc, "The keyword arguments of one call. Programs never see it."},
    {Py_tp_dealloc, keywords_dealloc},
    {0, NULL},
};

PyType_Spec ext_keywords_spec = {"crosstie._Keywords", sizeof(keywords), 0, EXT_FINAL, keywords_slots};
