/*
 * crosstie.Listener: a callback bound to an identifier of a wormhole.
 *
 * Who keeps what is as for registrations: Crosstie's user_data is this object, borrowed; the set of its
 * wormhole keeps it, and `destroy` takes it out of the set.
 */
#include "crosstie_ext.h"

typedef struct listener {
    PyObject_HEAD
    ext_state *state;
    ctie_listener *handle; /**< NULL once it is gone */
    PyObject *wormhole;
    PyObject *home; /**< the set that keeps this object while Crosstie may call it */
    bool is_kept;   /**< Crosstie itself keeps it: its wormhole was closed while a callback ran */
    PyObject *callback;
    PyObject *identifier;
    PyObject *name;
} listener;

static listener *of(PyObject *object) {
    return (listener *)object;
}

/* ---- Called by Crosstie --------------------------------------------------------------------------- */

/** There is nobody to tell of what a listener raises. */
static void hear_message(const ctie_message *message, void *user_data) {
    EXT_GIL(gil);
    if (!ext_gil_enter(&gil)) {
        return;
    }
    listener *self = user_data;
    Py_INCREF(self);
    PyObject *argument = ext_message_new(self->state, message);
    PyObject *result = argument == NULL ? NULL : PyObject_CallOneArg(self->callback, argument);
    if (result == NULL) {
        PyErr_WriteUnraisable(self->callback);
    }
    Py_XDECREF(argument);
    Py_XDECREF(result);
    Py_DECREF(self);
    ext_gil_leave(&gil);
}

static void destroy(void *user_data) {
    EXT_GIL(gil);
    if (!ext_gil_enter(&gil)) {
        return;
    }
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    listener *self = user_data;
    Py_INCREF(self);
    self->handle = NULL;
    if (self->home != NULL && PySet_Discard(self->home, (PyObject *)self) < 0) {
        PyErr_Clear();
    }
    if (self->is_kept) {
        Py_DECREF(self);
    }
    Py_DECREF(self);
    PyErr_Restore(type, value, traceback);
    ext_gil_leave(&gil);
}

void ext_listeners_keep(PyObject *set) {
    PyObject *iterator = PyObject_GetIter(set);
    PyObject *item;
    while (iterator != NULL && (item = PyIter_Next(iterator)) != NULL) {
        if (of(item)->is_kept) {
            Py_DECREF(item);
        } else {
            of(item)->is_kept = true; /* the reference goes to Crosstie, until destroy() */
        }
    }
    Py_XDECREF(iterator);
    PyErr_Clear();
}

/* ---- Binding -------------------------------------------------------------------------------------- */

static listener *make(ext_wormhole *wormhole, PyObject *identifier, PyObject *callback, PyObject *name) {
    listener *self = PyObject_GC_New(listener, wormhole->state->listener_type);
    if (self == NULL) {
        return NULL;
    }
    memset((char *)self + sizeof(PyObject), 0, sizeof(*self) - sizeof(PyObject));
    self->state = wormhole->state;
    self->wormhole = Py_NewRef((PyObject *)wormhole);
    self->home = Py_XNewRef(wormhole->listeners);
    self->callback = Py_NewRef(callback);
    self->identifier = Py_NewRef(identifier);
    self->name = Py_NewRef(name);
    PyObject_GC_Track(self);
    return self;
}

/** Hands the callback to Crosstie. The set keeps `self` before Crosstie knows it. */
static int add(ext_wormhole *wormhole, listener *self, ctie_str identifier, const ctie_listen_options *options) {
    if (PySet_Add(wormhole->listeners, (PyObject *)self) < 0) {
        return -1;
    }
    ctie_wormhole *wormhole_handle = wormhole->handle;
    ctie_listener *handle = NULL;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_wormhole_listen(wormhole_handle, identifier, hear_message, self, destroy, options, &handle, &error);
    Py_END_ALLOW_THREADS
    if (status < 0) {
        ext_raise(wormhole->state, status, error);
        return -1;
    }
    if (wormhole->listeners != NULL && PySet_Contains(wormhole->listeners, (PyObject *)self) == 1) {
        self->handle = handle;
    }
    return 0;
}

PyObject *ext_listener_add(ext_wormhole *wormhole, PyObject *args, PyObject *keywords) {
    static char *names[] = {"", "", "name", "first_fire", NULL};
    PyObject *identifier_object, *callback, *name = wormhole->state->empty;
    int first_fire = 1;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "UO|$Up:add_listener", names, &identifier_object, &callback, &name,
                                     &first_fire)) {
        return NULL;
    }
    if (!PyCallable_Check(callback)) {
        PyErr_Format(PyExc_TypeError, "a listener must be callable, not %.100s", Py_TYPE(callback)->tp_name);
        return NULL;
    }
    ctie_str identifier;
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    if (ext_text(identifier_object, "identifier", &identifier) < 0 || ext_text(name, "name", &options.name) < 0) {
        return NULL;
    }
    options.flags = first_fire ? 0 : CTIE_LISTEN_NO_FIRST_FIRE;
    listener *self = make(wormhole, identifier_object, callback, name);
    if (self != NULL && add(wormhole, self, identifier, &options) < 0) {
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

/* ---- The type ------------------------------------------------------------------------------------- */

static int listener_traverse(PyObject *object, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(of(object)->wormhole);
    Py_VISIT(of(object)->home);
    Py_VISIT(of(object)->callback);
    return 0;
}

/* Only ever called once Crosstie is done with it: the wormhole that keeps it was closed. */
static int listener_clear(PyObject *object) {
    Py_CLEAR(of(object)->wormhole);
    Py_CLEAR(of(object)->home);
    Py_CLEAR(of(object)->callback);
    return 0;
}

static void listener_dealloc(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    (void)listener_clear(object);
    Py_CLEAR(of(object)->identifier);
    Py_CLEAR(of(object)->name);
    PyObject_GC_Del(object);
    Py_DECREF(type);
}

static PyObject *listener_remove(PyObject *object, PyObject *Py_UNUSED(unused)) {
    listener *self = of(object);
    ctie_listener *handle = self->handle;
    if (handle == NULL) {
        Py_RETURN_NONE;
    }
    self->handle = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_listener_release(handle);
    Py_END_ALLOW_THREADS
    if (status < 0 && status != CTIE_E_HANDLE && status != CTIE_E_FORKED) {
        return ext_raise(self->state, status, NULL);
    }
    Py_RETURN_NONE;
}

static PyObject *listener_enter(PyObject *object, PyObject *Py_UNUSED(unused)) {
    return Py_NewRef(object);
}

static PyObject *listener_exit(PyObject *object, PyObject *Py_UNUSED(args)) {
    return listener_remove(object, NULL);
}

static PyObject *listener_active(PyObject *object, void *Py_UNUSED(closure)) {
    return PyBool_FromLong(of(object)->handle != NULL);
}

static PyObject *listener_repr(PyObject *object) {
    listener *self = of(object);
    return PyUnicode_FromFormat("<crosstie.Listener %R name=%R%s>", self->identifier, self->name,
                                self->handle == NULL ? " removed" : "");
}

static PyMethodDef listener_methods[] = {
    {"remove", listener_remove, METH_NOARGS,
     PyDoc_STR("remove($self, /)\n--\n\n"
               "Remove the listener; doing it again does nothing.\n\n"
               "The callback is not running afterwards and never will be, unless this is called inside a\n"
               "callback: then a call that runs already may go on.")},
    {"__enter__", listener_enter, METH_NOARGS, PyDoc_STR("__enter__($self, /)\n--\n\nReturn self.")},
    {"__exit__", listener_exit, METH_VARARGS, PyDoc_STR("__exit__($self, /, *args)\n--\n\nRemove it.")},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef listener_members[] = {
    {"identifier", T_OBJECT_EX, offsetof(listener, identifier), READONLY, "What it is bound to."},
    {"name", T_OBJECT_EX, offsetof(listener, name), READONLY, "Its name; empty: none."},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef listener_getset[] = {
    {"active", listener_active, NULL, "Whether it listens still.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot listener_slots[] = {
    {Py_tp_doc, "A callback bound to an identifier; as a context manager it is removed at the end.\n\n"
                "Letting go of it changes nothing: it listens until it is removed or its wormhole closes."},
    {Py_tp_traverse, listener_traverse},
    {Py_tp_clear, listener_clear},
    {Py_tp_dealloc, listener_dealloc},
    {Py_tp_repr, listener_repr},
    {Py_tp_methods, listener_methods},
    {Py_tp_members, listener_members},
    {Py_tp_getset, listener_getset},
    {0, NULL},
};

static PyType_Spec listener_spec = {
    "crosstie.Listener", sizeof(listener), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    listener_slots,
};

int ext_add_listener(PyObject *module, ext_state *state) {
    return ext_add_type(module, &listener_spec, &state->listener_type);
}
