/*
 * crosstie.Listener: a callback bound to an identifier of a wormhole, or to who has it open.
 */
#include "loop.h"

#include "docstrings.h"

typedef struct listener {
    ext_binding binding; /**< its target is the identifier, None for presence; its callback is the user's */
    PyObject *call;      /**< called with the messages */
    PyObject *name;
    PyObject *keeps;  /**< the Loop or Bus that its calls need; may be NULL */
    PyObject *dispatcher;
    PyObject *on_end; /**< called once nothing more comes; may be NULL */
    uint32_t flags;
    unsigned long long number; /**< its place in the order in which all were bound */
} listener;

static listener *of(PyObject *object) {
    return (listener *)object;
}

/* ---- Called by Crosstie --------------------------------------------------------------------------- */

/** Rejects a message for the exception that is set, which stays so. */
static void reject_for_exception(ext_state *state, const ctie_message *message) {
    PyObject *exception = ext_take_exception();
    PyObject *bytes = ext_exception_text(state, exception);
    ctie_str reason = ctie_str_from(Py_TYPE(exception)->tp_name);
    if (bytes != NULL) {
        reason = (ctie_str){PyBytes_AS_STRING(bytes), (size_t)PyBytes_GET_SIZE(bytes)};
    }
    (void)ctie_message_reject(message, -1, reason);
    Py_XDECREF(bytes);
    ext_raise_object(exception);
    Py_DECREF(exception);
}

/** What has made a coroutine or a generator of its call has not run: nobody will run that. Takes the result. */
static PyObject *refuse_unrun(PyObject *result) {
    if (result == NULL ||
        !(PyCoro_CheckExact(result) || PyGen_CheckExact(result) || PyAsyncGen_CheckExact(result))) {
        return result;
    }
    PyObject *closed = PyAsyncGen_CheckExact(result) ? NULL : PyObject_CallMethod(result, "close", NULL);
    Py_XDECREF(closed);
    PyErr_Format(PyExc_TypeError, "a listener has to run when it is called, not to give a %.100s",
                 Py_TYPE(result)->tp_name);
    Py_DECREF(result);
    return NULL;
}

/** There is nobody to tell of what a listener raises; but a message that it failed at is not done. */
static void hear_message(const ctie_message *message, void *user_data) {
    EXT_GIL(gil);
    listener *self = user_data;
    if (!ext_gil_enter_apart(&gil)) {
        (void)ctie_message_reject(message, 0, CTIE_STR("the interpreter is ending"));
        return;
    }
    Py_INCREF(self);
    PyObject *argument = ext_message_new(self->binding.state, message);
    PyObject *result = argument == NULL ? NULL : refuse_unrun(PyObject_CallOneArg(self->call, argument));
    if (result == NULL) {
        if (self->flags & CTIE_LISTEN_QUEUE) {
            reject_for_exception(self->binding.state, message);
        }
        ext_unraisable(self->binding.callback);
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
        ext_unraisable(self->on_end);
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

/** Whether that is what it is bound to; NULL is anything. */
static bool is_bound_to(listener *self, PyObject *identifier) {
    PyObject *target = self->binding.target;
    if (identifier == NULL || target == Py_None || identifier == Py_None) {
        return identifier == NULL || target == identifier;
    }
    return PyUnicode_Compare(target, identifier) == 0;
}

/** The same of one that is bound still, as far as is known here, and has a name; NULL is any. */
static bool is_at(listener *self, PyObject *identifier, PyObject *name) {
    return self->binding.handle != NULL && is_bound_to(self, identifier) &&
           (name == NULL || PyUnicode_Compare(self->name, name) == 0);
}

PyObject *ext_listeners_at(ext_owner *wormhole, PyObject *identifier, PyObject *name) {
    PyObject *all = PySequence_List(wormhole->bindings), *found = PyList_New(0);
    int result = all == NULL || found == NULL ? -1 : 0;
    for (Py_ssize_t i = 0; result == 0 && i < PyList_GET_SIZE(all); i++) {
        if (is_at(of(PyList_GET_ITEM(all, i)), identifier, name)) {
            result = PyList_Append(found, PyList_GET_ITEM(all, i));
        }
    }
    Py_XDECREF(all);
    if (result < 0) {
        Py_CLEAR(found);
    }
    return found;
}

/** What a new one of its name takes the place of: a list, empty for one without a name. */
static PyObject *listeners_before(listener *self) {
    return PyUnicode_GET_LENGTH(self->name) == 0
               ? PyList_New(0)
               : ext_listeners_at(self->binding.owner, self->binding.target, self->name);
}

static int add(listener *self, const ctie_str *identifier, const ctie_listen_options *options) {
    PyObject *before = listeners_before(self);
    if (before == NULL || ext_binding_keep(&self->binding) < 0) {
        Py_XDECREF(before);
        return -1;
    }
    ctie_wormhole *wormhole = self->binding.owner->handle;
    ctie_listener *handle = NULL;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    if (identifier == NULL) {
        status = ctie_wormhole_listen_members(wormhole, CTIE_RECEIVER_OWNED(hear_message, self, destroy), options,
                                              &handle, &error);
    } else {
        status = ctie_wormhole_listen(wormhole, *identifier, CTIE_RECEIVER_OWNED(hear_message, self, destroy), options,
                                      &handle, &error);
    }
    Py_END_ALLOW_THREADS
    if (status < 0) {
        Py_DECREF(before);
    } else {
        ext_bindings_forget(before);
    }
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
    PyObject *function; /**< what the user has bound; None: the callback */
    ctie_str text;
    ctie_listen_options options;
} order;

static int read_order(ext_state *state, PyObject *args, order *out) {
    PyObject *unacknowledged, *sequence = NULL, *time = NULL;
    if (!PyArg_ParseTuple(args, "OOOIOOOOO|OO:_listen", &out->identifier, &out->callback, &out->name,
                          &out->options.flags, &unacknowledged, &out->place, &out->dispatcher, &out->on_end,
                          &out->function, &sequence, &time) ||
        ext_uint64(sequence, "from_sequence", UINT64_MAX, &out->options.from_sequence) < 0 ||
        ext_start(time, "from_time", &out->options.from_time) < 0) {
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
                   ext_text(out->dispatcher, "dispatcher", &out->options.dispatcher) < 0 ||
                   ext_uint32(unacknowledged, "max_unacknowledged", &out->options.max_unacknowledged) < 0
               ? -1
               : read_place(state, out->place, &out->options);
}

static void fill(listener *self, const order *order) {
    static unsigned long long count; /* guarded by the GIL */
    self->number = ++count;
    self->call = Py_NewRef(order->callback);
    self->name = Py_NewRef(order->name);
    self->keeps = order->place == Py_None ? NULL : Py_NewRef(order->place);
    self->dispatcher = Py_NewRef(order->dispatcher);
    self->on_end = order->on_end == Py_None ? NULL : Py_NewRef(order->on_end);
    self->flags = order->options.flags;
}

PyObject *ext_listener_add(PyObject *wormhole, PyObject *args) {
    ext_owner *owner = (ext_owner *)wormhole;
    order order = {.options = CTIE_LISTEN_OPTIONS_INIT};
    if (read_order(owner->state, args, &order) < 0) {
        return NULL;
    }
    listener *self = ext_binding_new(owner->state->listener_type, owner, release, order.identifier,
                                     order.function == Py_None ? order.callback : order.function);
    if (self == NULL) {
        return NULL;
    }
    fill(self, &order);
    if (add(self, order.identifier == Py_None ? NULL : &order.text, &order.options) < 0) {
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

/* ---- The type ------------------------------------------------------------------------------------- */

static int listener_traverse(PyObject *object, visitproc visit, void *arg) {
    Py_VISIT(of(object)->call);
    Py_VISIT(of(object)->keeps);
    Py_VISIT(of(object)->on_end);
    return ext_binding_traverse(object, visit, arg);
}

static int listener_clear(PyObject *object) {
    Py_CLEAR(of(object)->call);
    Py_CLEAR(of(object)->keeps);
    Py_CLEAR(of(object)->on_end);
    return ext_binding_clear(object);
}

static void listener_dealloc(PyObject *object) {
    PyObject_GC_UnTrack(object);
    Py_CLEAR(of(object)->name);
    Py_CLEAR(of(object)->call);
    Py_CLEAR(of(object)->dispatcher);
    Py_CLEAR(of(object)->keeps);
    Py_CLEAR(of(object)->on_end);
    ext_binding_dealloc(object);
}

static PyObject *listener_repr(PyObject *object) {
    listener *self = of(object);
    return PyUnicode_FromFormat("<crosstie.Listener %R name=%R%s>", self->binding.target, self->name,
                                self->binding.handle == NULL ? " removed" : "");
}

static PyObject *listener_delivery(PyObject *object, void *Py_UNUSED(closure)) {
    uint32_t flags = of(object)->flags;
    return PyUnicode_InternFromString(of(object)->binding.target == Py_None ? "members"
                                      : flags & CTIE_LISTEN_DURABLE         ? "durable"
                                      : flags & CTIE_LISTEN_QUEUE           ? "queue"
                                                                            : "state");
}

static PyObject *listener_executor(PyObject *object, void *Py_UNUSED(closure)) {
    PyObject *keeps = of(object)->keeps;
    return PyUnicode_InternFromString(keeps == NULL                                            ? "wormhole"
                                      : Py_IS_TYPE(keeps, of(object)->binding.state->loop_type) ? "loop"
                                                                                               : "dispatcher");
}

static PyMethodDef listener_methods[] = {
    {"remove", ext_binding_remove, METH_NOARGS, DOC(Listener, remove)},
    {"__enter__", ext_enter, METH_NOARGS, DOC(Listener, __enter__)},
    {"__exit__", ext_binding_exit, METH_VARARGS, DOC(Listener, __exit__)},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef listener_members[] = {
    {"identifier", T_OBJECT_EX, offsetof(ext_binding, target), READONLY, DOC(Listener, identifier)},
    {"name", T_OBJECT_EX, offsetof(listener, name), READONLY, DOC(Listener, name)},
    {"callback", T_OBJECT, offsetof(ext_binding, callback), READONLY, DOC(Listener, callback)},
    {"dispatcher", T_OBJECT_EX, offsetof(listener, dispatcher), READONLY, DOC(Listener, dispatcher)},
    {"_number", T_ULONGLONG, offsetof(listener, number), READONLY, DOC(Listener, _number)},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef listener_getset[] = {
    {"active", ext_binding_active, NULL, DOC(Listener, active), NULL},
    {"delivery", listener_delivery, NULL, DOC(Listener, delivery), NULL},
    {"executor", listener_executor, NULL, DOC(Listener, executor), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot listener_slots[] = {
    {Py_tp_doc, DOC_Listener},
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
