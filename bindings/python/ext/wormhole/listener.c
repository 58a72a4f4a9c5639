/*
 * crosstie.Listener: a callback that is bound to an identifier of a wormhole, to its group's members, or to the connection
 * to their server.
 */
#include "wormhole.h"
#include "../base/error.h"
#include "../base/loop.h"
#include "../base/text.h"

#include "docstrings.h"

typedef struct listener {
    ext_binding binding; /**< its target is the identifier, None without one; its callback is the program's */
    PyObject *call;      /**< called with the messages */
    PyObject *name;
    PyObject *executor;  /**< the Loop or Bus that its calls need; may be NULL */
    PyObject *dispatcher;
    PyObject *on_end; /**< called after the last message; may be NULL */
    uint32_t flags;
    unsigned long long number; /**< a counter: its position in the order of binding */
} listener;

static listener *of(PyObject *object) {
    return (listener *)object;
}

/* ---- Called by Crosstie --------------------------------------------------------------------------- */

/** Rejects a message because of the exception that is set, which stays set. */
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

/** Refuses the coroutine or generator of a callback: its code has not run, and never will. Takes the result. */
static PyObject *refuse_unrun(PyObject *result) {
    if (result == NULL ||
        !(PyCoro_CheckExact(result) || PyGen_CheckExact(result) || PyAsyncGen_CheckExact(result))) {
        return result;
    }
    PyObject *closed = PyAsyncGen_CheckExact(result) ? NULL : PyObject_CallMethod(result, "close", NULL);
    Py_XDECREF(closed);
    PyErr_Format(PyExc_TypeError, "a listener must do its work when it is called, not return a %.100s",
                 Py_TYPE(result)->tp_name);
    Py_DECREF(result);
    return NULL;
}

/** Calls the listener. Its exception goes to sys.unraisablehook, and rejects a queue's message. */
static void receive(const ctie_message *message, void *user_data) {
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

static void call_on_end(listener *self) {
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
        call_on_end(self);
    }
    Py_DECREF(self);
    ext_gil_leave(&gil);
}

/* ---- New listeners -------------------------------------------------------------------------------- */

static ctie_status release(void *handle) {
    return ctie_listener_release(handle);
}

/** Whether it is bound to an identifier; NULL is any. */
static bool is_bound_to(listener *self, PyObject *identifier) {
    PyObject *target = self->binding.target;
    if (identifier == NULL || target == Py_None || identifier == Py_None) {
        return identifier == NULL || target == identifier;
    }
    return PyUnicode_Compare(target, identifier) == 0;
}

/** Whether it is still bound, to an identifier and with a name; NULL is any. */
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

static bool is_of_connection(listener *self) {
    return (self->flags & EXT_LISTEN_CONNECTION) != 0;
}

/** The listeners that a new one of its name replaces: a list, empty for one without a name. */
static PyObject *listeners_before(listener *self) {
    if (PyUnicode_GET_LENGTH(self->name) == 0) {
        return PyList_New(0);
    }
    PyObject *found = ext_listeners_at(self->binding.owner, self->binding.target, self->name);
    /* One to the connection replaces none to members, nor the reverse. */
    for (Py_ssize_t i = found == NULL ? 0 : PyList_GET_SIZE(found); i > 0; i--) {
        bool is_other = is_of_connection(of(PyList_GET_ITEM(found, i - 1))) != is_of_connection(self);
        if (is_other && PyList_SetSlice(found, i - 1, i, NULL) < 0) {
            Py_CLEAR(found);
            break;
        }
    }
    return found;
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
    if (is_of_connection(self)) {
        status = ctie_wormhole_listen_connection(wormhole, CTIE_RECEIVER_OWNED(receive, self, destroy), options,
                                                 &handle, &error);
    } else if (identifier == NULL) {
        status = ctie_wormhole_listen_members(wormhole, CTIE_RECEIVER_OWNED(receive, self, destroy), options,
                                              &handle, &error);
    } else {
        status = ctie_wormhole_listen(wormhole, *identifier, CTIE_RECEIVER_OWNED(receive, self, destroy), options,
                                      &handle, &error);
    }
    Py_END_ALLOW_THREADS
    if (status < 0) {
        Py_DECREF(before);
    } else {
        ext_bindings_forget(before);
    }
    return ext_binding_finish(&self->binding, status, handle, error);
}

/** Reads the executor: a Loop, a Bus, or None for the wormhole's own thread. */
static int read_executor(ext_state *state, PyObject *executor, ctie_listen_options *options) {
    if (executor == Py_None) {
        return 0;
    }
    if (Py_IS_TYPE(executor, state->loop_type)) {
        options->loop = ext_loop_handle(state, executor);
        return options->loop == NULL ? -1 : 0;
    }
    if (!PyObject_TypeCheck(executor, state->bus_type)) {
        PyErr_Format(PyExc_TypeError, "listeners run in a Loop or on a Bus, not in %.100s", Py_TYPE(executor)->tp_name);
        return -1;
    }
    options->bus = ((ext_owner *)executor)->handle;
    if (options->bus == NULL) {
        ext_raise_text(state, CTIE_E_CLOSED, "the bus has been closed");
    }
    return options->bus == NULL ? -1 : 0;
}

/** The arguments of _listen(). */
typedef struct listen_spec {
    PyObject *identifier; /**< None: presence, or the connection */
    PyObject *callback;
    PyObject *name;
    PyObject *executor;
    PyObject *dispatcher;
    PyObject *on_end;
    PyObject *function; /**< the program's function; None: the callback */
    ctie_str text;
    ctie_listen_options options;
} listen_spec;

static int read_spec(ext_state *state, PyObject *args, listen_spec *out) {
    PyObject *unacknowledged, *sequence = NULL, *time = NULL;
    if (!PyArg_ParseTuple(args, "OOOIOOOOO|OO:_listen", &out->identifier, &out->callback, &out->name,
                          &out->options.flags, &unacknowledged, &out->executor, &out->dispatcher, &out->on_end,
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
               : read_executor(state, out->executor, &out->options);
}

static void fill(listener *self, const listen_spec *spec) {
    static unsigned long long count; /* guarded by the GIL */
    self->number = ++count;
    self->call = Py_NewRef(spec->callback);
    self->name = Py_NewRef(spec->name);
    self->executor = spec->executor == Py_None ? NULL : Py_NewRef(spec->executor);
    self->dispatcher = Py_NewRef(spec->dispatcher);
    self->on_end = spec->on_end == Py_None ? NULL : Py_NewRef(spec->on_end);
    self->flags = spec->options.flags;
}

PyObject *ext_listener_add(PyObject *wormhole, PyObject *args) {
    ext_owner *owner = (ext_owner *)wormhole;
    listen_spec spec = {.options = CTIE_LISTEN_OPTIONS_INIT};
    if (read_spec(owner->state, args, &spec) < 0) {
        return NULL;
    }
    listener *self = ext_binding_new(owner->state->listener_type, owner, release, spec.identifier,
                                     spec.function == Py_None ? spec.callback : spec.function);
    if (self == NULL) {
        return NULL;
    }
    fill(self, &spec);
    spec.options.flags &= ~EXT_LISTEN_CONNECTION;
    if (add(self, spec.identifier == Py_None ? NULL : &spec.text, &spec.options) < 0) {
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

/* ---- The type ------------------------------------------------------------------------------------- */

static int listener_traverse(PyObject *object, visitproc visit, void *arg) {
    Py_VISIT(of(object)->call);
    Py_VISIT(of(object)->executor);
    Py_VISIT(of(object)->on_end);
    return ext_binding_traverse(object, visit, arg);
}

static int listener_clear(PyObject *object) {
    Py_CLEAR(of(object)->call);
    Py_CLEAR(of(object)->executor);
    Py_CLEAR(of(object)->on_end);
    return ext_binding_clear(object);
}

static void listener_dealloc(PyObject *object) {
    PyObject_GC_UnTrack(object);
    Py_CLEAR(of(object)->name);
    Py_CLEAR(of(object)->call);
    Py_CLEAR(of(object)->dispatcher);
    Py_CLEAR(of(object)->executor);
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
    return PyUnicode_InternFromString(is_of_connection(of(object))             ? "connection"
                                      : of(object)->binding.target == Py_None ? "members"
                                      : flags & CTIE_LISTEN_DURABLE           ? "durable"
                                      : flags & CTIE_LISTEN_QUEUE             ? "queue"
                                                                              : "state");
}

static PyObject *listener_executor(PyObject *object, void *Py_UNUSED(closure)) {
    PyObject *executor = of(object)->executor;
    return PyUnicode_InternFromString(executor == NULL                                            ? "wormhole"
                                      : Py_IS_TYPE(executor, of(object)->binding.state->loop_type) ? "loop"
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
