/*
 * crosstie.Listener: a callback bound to an identifier of a wormhole, or to who has it open.
 */
#include "loop.h"

typedef struct listener {
    ext_binding binding; /**< its target is the identifier; None for presence */
    PyObject *name;
    PyObject *keeps;  /**< the Loop or Bus that its calls need; may be NULL */
    PyObject *on_end; /**< called once nothing more comes; may be NULL */
    bool is_queue;
} listener;

static listener *of(PyObject *object) {
    return (listener *)object;
}

/* ---- Called by Crosstie --------------------------------------------------------------------------- */

/** There is nobody to tell of what a listener raises; but a message that it failed at is not done. */
static void hear_message(const ctie_message *message, void *user_data) {
    EXT_GIL(gil);
    listener *self = user_data;
    if (!ext_gil_enter(&gil)) {
        (void)ctie_message_reject(message, 0);
        return;
    }
    Py_INCREF(self);
    PyObject *argument = ext_message_new(self->binding.state, message);
    PyObject *result = argument == NULL ? NULL : PyObject_CallOneArg(self->binding.callback, argument);
    if (result == NULL) {
        if (self->is_queue) {
            (void)ctie_message_reject(message, -1);
        }
        PyErr_WriteUnraisable(self->binding.callback);
    }
    Py_XDECREF(argument);
    Py_XDECREF(result);
    Py_DECREF(self);
    ext_gil_leave(&gil);
}

static void tell_end(listener *self) {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *result = PyObject_CallNoArgs(self->on_end);
    if (result == NULL) {
        PyErr_WriteUnraisable(self->on_end);
    }
    Py_XDECREF(result);
    PyErr_Restore(type, value, traceback);
}

static void destroy(void *user_data) {
    EXT_GIL(gil);
    if (!ext_gil_enter(&gil)) {
        return;
    }
    listener *self = user_data;
    Py_INCREF(self);
    ext_binding_destroy(self);
    if (self->on_end != NULL) {
        tell_end(self);
    }
    Py_DECREF(self);
    ext_gil_leave(&gil);
}

/* ---- Binding -------------------------------------------------------------------------------------- */

static ctie_status release(void *handle) {
    return ctie_listener_release(handle);
}

static int add(listener *self, const ctie_str *identifier, const ctie_listen_options *options) {
    if (ext_binding_keep(&self->binding) < 0) {
        return -1;
    }
    ctie_wormhole *wormhole = self->binding.owner->handle;
    ctie_listener *handle = NULL;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    if (identifier == NULL) {
        status = ctie_wormhole_listen_members(wormhole, hear_message, self, destroy, options, &handle, &error);
    } else {
        status = ctie_wormhole_listen(wormhole, *identifier, hear_message, self, destroy, options, &handle, &error);
    }
    Py_END_ALLOW_THREADS
    return ext_binding_settle(&self->binding, status, handle, error);
}

/** Where the calls come: a Loop, a Bus, or for None the wormhole's own thread. */
static int read_place(ext_state *state, PyObject *place, ctie_listen_options *options) {
    if (place == Py_None) {
        return 0;
    }
    if (Py_IS_TYPE(place, state->loop_type)) {
        options->loop = ext_loop_handle(state, place);
        return options->loop == NULL ? -1 : 0;
    }
    if (!PyObject_TypeCheck(place, state->bus_type)) {
        PyErr_Format(PyExc_TypeError, "listeners run in a Loop or on a Bus, not in %.100s", Py_TYPE(place)->tp_name);
        return -1;
    }
    options->bus = ((ext_owner *)place)->handle;
    if (options->bus == NULL) {
        ext_raise_text(state, CTIE_E_CLOSED, "the bus has been closed");
    }
    return options->bus == NULL ? -1 : 0;
}

/** What was said about a listener that is to be. */
typedef struct order {
    PyObject *identifier; /**< None: presence */
    PyObject *callback;
    PyObject *name;
    PyObject *place;
    PyObject *dispatcher;
    PyObject *on_end;
    ctie_str text;
    ctie_listen_options options;
} order;

static int read_order(ext_state *state, PyObject *args, order *out) {
    if (!PyArg_ParseTuple(args, "OOUIIOUO:_listen", &out->identifier, &out->callback, &out->name, &out->options.flags,
                          &out->options.max_unacknowledged, &out->place, &out->dispatcher, &out->on_end)) {
        return -1;
    }
    if (!PyCallable_Check(out->callback)) {
        PyErr_Format(PyExc_TypeError, "a listener must be callable, not %.100s", Py_TYPE(out->callback)->tp_name);
        return -1;
    }
    if (out->identifier != Py_None && !PyUnicode_Check(out->identifier)) {
        PyErr_Format(PyExc_TypeError, "an identifier must be str, not %.100s", Py_TYPE(out->identifier)->tp_name);
        return -1;
    }
    if (out->identifier != Py_None && ext_text(out->identifier, "identifier", &out->text) < 0) {
        return -1;
    }
    return ext_text(out->name, "name", &out->options.name) < 0 ||
                   ext_text(out->dispatcher, "dispatcher", &out->options.dispatcher) < 0
               ? -1
               : read_place(state, out->place, &out->options);
}

PyObject *ext_listener_add(PyObject *wormhole, PyObject *args) {
    ext_owner *owner = (ext_owner *)wormhole;
    order order = {.options = CTIE_LISTEN_OPTIONS_INIT};
    if (read_order(owner->state, args, &order) < 0) {
        return NULL;
    }
    listener *self =
        ext_binding_new(owner->state->listener_type, owner, release, order.identifier, order.callback);
    if (self == NULL) {
        return NULL;
    }
    self->name = Py_NewRef(order.name);
    self->keeps = order.place == Py_None ? NULL : Py_NewRef(order.place);
    self->on_end = order.on_end == Py_None ? NULL : Py_NewRef(order.on_end);
    self->is_queue = (order.options.flags & CTIE_LISTEN_QUEUE) != 0;
    if (add(self, order.identifier == Py_None ? NULL : &order.text, &order.options) < 0) {
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

/* ---- The type ------------------------------------------------------------------------------------- */

static int listener_traverse(PyObject *object, visitproc visit, void *arg) {
    Py_VISIT(of(object)->keeps);
    Py_VISIT(of(object)->on_end);
    return ext_binding_traverse(object, visit, arg);
}

static int listener_clear(PyObject *object) {
    Py_CLEAR(of(object)->keeps);
    Py_CLEAR(of(object)->on_end);
    return ext_binding_clear(object);
}

static void listener_dealloc(PyObject *object) {
    PyObject_GC_UnTrack(object);
    Py_CLEAR(of(object)->name);
    Py_CLEAR(of(object)->keeps);
    Py_CLEAR(of(object)->on_end);
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
               "callback: then a call that runs already may go on. A durable name stays, and what it was given\n"
               "and has not acknowledged goes to others.")},
    {"__enter__", ext_enter, METH_NOARGS, PyDoc_STR("__enter__($self, /)\n--\n\nReturn self.")},
    {"__exit__", ext_binding_exit, METH_VARARGS, PyDoc_STR("__exit__($self, /, *args)\n--\n\nRemove it.")},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef listener_members[] = {
    {"identifier", T_OBJECT_EX, offsetof(ext_binding, target), READONLY, "What it is bound to; None for presence."},
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
    {Py_tp_traverse, listener_traverse},
    {Py_tp_clear, listener_clear},
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
