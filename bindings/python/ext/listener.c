/*
 * crosstie.Listener: a callback bound to an identifier of a wormhole.
 */
#include "crosstie_ext.h"

typedef struct listener {
    ext_binding binding; /**< its target is the identifier */
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
    PyObject *argument = ext_message_new(self->binding.state, message);
    PyObject *result = argument == NULL ? NULL : PyObject_CallOneArg(self->binding.callback, argument);
    if (result == NULL) {
        PyErr_WriteUnraisable(self->binding.callback);
    }
    Py_XDECREF(argument);
    Py_XDECREF(result);
    Py_DECREF(self);
    ext_gil_leave(&gil);
}

/* ---- Binding -------------------------------------------------------------------------------------- */

static ctie_status release(void *handle) {
    return ctie_listener_release(handle);
}

static int add(listener *self, ctie_str identifier, const ctie_listen_options *options) {
    if (ext_binding_keep(&self->binding) < 0) {
        return -1;
    }
    ctie_wormhole *wormhole = self->binding.owner->handle;
    ctie_listener *handle = NULL;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_wormhole_listen(wormhole, identifier, hear_message, self, ext_binding_destroy, options, &handle,
                                  &error);
    Py_END_ALLOW_THREADS
    return ext_binding_settle(&self->binding, status, handle, error);
}

PyObject *ext_listener_add(PyObject *wormhole, PyObject *args, PyObject *keywords) {
    static char *names[] = {"", "", "name", "first_fire", NULL};
    ext_owner *owner = (ext_owner *)wormhole;
    PyObject *identifier_object, *callback, *name = owner->state->empty;
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
    listener *self = ext_binding_new(owner->state->listener_type, owner, release, identifier_object, callback);
    if (self == NULL) {
        return NULL;
    }
    self->name = Py_NewRef(name);
    if (add(self, identifier, &options) < 0) {
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

/* ---- The type ------------------------------------------------------------------------------------- */

static void listener_dealloc(PyObject *object) {
    PyObject_GC_UnTrack(object);
    Py_CLEAR(of(object)->name);
    ext_binding_dealloc(object);
}

static PyObject *listener_repr(PyObject *object) {
    listener *self = of(object);
    return PyUnicode_FromFormat("<crosstie.Listener %R name=%R%s>", self->binding.target, self->name,
                                self->binding.handle == NULL ? " removed" : "");
}

static PyMethodDef listener_methods[] = {
    {"remove", ext_binding_remove, METH_NOARGS,
     PyDoc_STR("remove($self, /)\n--\n\n"
               "Remove the listener; doing it again does nothing.\n\n"
               "The callback is not running afterwards and never will be, unless this is called inside a\n"
               "callback: then a call that runs already may go on.")},
    {"__enter__", ext_enter, METH_NOARGS, PyDoc_STR("__enter__($self, /)\n--\n\nReturn self.")},
    {"__exit__", ext_binding_exit, METH_VARARGS, PyDoc_STR("__exit__($self, /, *args)\n--\n\nRemove it.")},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef listener_members[] = {
    {"identifier", T_OBJECT_EX, offsetof(ext_binding, target), READONLY, "What it is bound to."},
    {"name", T_OBJECT_EX, offsetof(listener, name), READONLY, "Its name; empty: none."},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef listener_getset[] = {
    {"active", ext_binding_active, NULL, "Whether it listens still.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot listener_slots[] = {
    {Py_tp_doc, "A callback bound to an identifier; as a context manager it is removed at the end.\n\n"
                "Letting go of it changes nothing: it listens until it is removed or its wormhole closes."},
    {Py_tp_traverse, ext_binding_traverse},
    {Py_tp_clear, ext_binding_clear},
    {Py_tp_dealloc, listener_dealloc},
    {Py_tp_repr, listener_repr},
    {Py_tp_methods, listener_methods},
    {Py_tp_members, listener_members},
    {Py_tp_getset, listener_getset},
    {0, NULL},
};

PyType_Spec ext_listener_spec = {
    "crosstie.Listener", sizeof(listener), 0, EXT_FINAL | Py_TPFLAGS_HAVE_GC, listener_slots,
};
