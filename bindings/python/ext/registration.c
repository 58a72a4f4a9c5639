/*
 * A registered handler: the object that removes it, and what Crosstie calls.
 *
 * Crosstie's user_data is this object, borrowed. The set of its bus keeps it, where the collector sees
 * it, and a bus is closed before its set goes; `destroy` takes it out of the set.
 */
#include "crosstie_ext.h"

/* ---- Called by Crosstie --------------------------------------------------------------------------- */

/** Ends a request with the exception that is set. With nobody left to tell, says so. */
static void fail_with_exception(ext_registration *self, ctie_request *request) {
    PyObject *exception = ext_take_exception();
    if (ext_fail_with(self->state, request, exception) != CTIE_OK) {
        ext_report(exception, self->handler);
    }
    Py_DECREF(exception);
}

/** A result that is not None is the reply. */
static void answer(ext_registration *self, ctie_request *request, PyObject *result) {
    if (result == Py_None) {
        return;
    }
    ctie_value *value = ext_value_carrying(result);
    if (value == NULL) {
        fail_with_exception(self, request);
        return;
    }
    (void)ctie_request_reply(request, value);
}

static PyObject *call_with_rest(ext_registration *self, ctie_request *request, PyObject **arguments, size_t count) {
    PyObject *rest = ext_plan_rest(self->state, &self->plan, request);
    if (rest == NULL) {
        return NULL;
    }
    PyObject *keywords = self->plan.keywords;
    Py_ssize_t named = keywords == NULL ? 0 : PyTuple_GET_SIZE(keywords);
    size_t positional = count - (size_t)named;
    PyObject *result = NULL;
    int failure = 0;
    for (Py_ssize_t i = 0; failure == 0 && i < named; i++) {
        failure = PyDict_SetItem(rest, PyTuple_GET_ITEM(keywords, i), arguments[positional + (size_t)i]);
    }
    if (failure == 0) {
        result = PyObject_VectorcallDict(self->handler, arguments, positional | PY_VECTORCALL_ARGUMENTS_OFFSET, rest);
    }
    Py_DECREF(rest);
    return result;
}

static inline PyObject *call(ext_registration *self, ctie_request *request, PyObject **arguments, size_t count) {
    if (self->plan.takes_rest) {
        return call_with_rest(self, request, arguments, count);
    }
    PyObject *keywords = self->plan.keywords;
    size_t positional = keywords == NULL ? count : count - (size_t)PyTuple_GET_SIZE(keywords);
    return PyObject_Vectorcall(self->handler, arguments, positional | PY_VECTORCALL_ARGUMENTS_OFFSET, keywords);
}

/** Binds the arguments and calls the handler. What it made, the Request excepted, is gone afterwards. */
static PyObject *invoke(ext_registration *self, ctie_request *request, PyObject *request_object) {
    PyObject *slots[EXT_MAX_ARGUMENTS + 2];
    PyObject **arguments = slots + 1; /* vectorcall may use the place before */
    size_t first = 0;
    if (request_object != NULL) {
        arguments[first++] = request_object;
    }
    if (ext_plan_bind(self->state, &self->plan, request, arguments + first) < 0) {
        return NULL;
    }
    size_t count = first + (size_t)self->plan.count;
    PyObject *result = call(self, request, arguments, count);
    for (size_t i = first; i < count; i++) {
        Py_DECREF(arguments[i]);
    }
    return result;
}

static void handle(ext_registration *self, ctie_request *request) {
    PyObject *request_object = NULL;
    if (self->plan.takes_request) {
        request_object = ext_request_new(self->state, request);
        if (request_object == NULL) {
            fail_with_exception(self, request);
            return;
        }
    }
    PyObject *result = invoke(self, request, request_object);
    if (result == NULL) {
        fail_with_exception(self, request);
    } else {
        answer(self, request, result);
        Py_DECREF(result);
    }
    if (request_object != NULL) {
        ext_request_end(request_object);
    }
}

static void handle_request(ctie_request *request, void *user_data) {
    EXT_GIL(gil);
    if (!ext_gil_enter(&gil)) {
        (void)ctie_request_fail(request, -1, NULL, CTIE_STR("the Python interpreter is ending"));
        return;
    }
    ext_registration *self = user_data;
    Py_INCREF(self);
    handle(self, request);
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
    ext_registration *self = user_data;
    Py_INCREF(self);
    self->handle = NULL;
    (void)ext_live_remove(&self->live);
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

void ext_registrations_keep(PyObject *set) {
    PyObject *iterator = PyObject_GetIter(set);
    PyObject *item;
    while (iterator != NULL && (item = PyIter_Next(iterator)) != NULL) {
        ext_registration *registration = (ext_registration *)item;
        if (registration->is_kept) {
            Py_DECREF(item);
        } else {
            registration->is_kept = true; /* the reference goes to Crosstie, until destroy() */
        }
    }
    Py_XDECREF(iterator);
    PyErr_Clear();
}

/* ---- Registering ---------------------------------------------------------------------------------- */

static ext_registration *make(ext_bus *bus, PyObject *pattern, PyObject *handler, PyObject *description) {
    ext_state *state = bus->state;
    ext_registration *self = PyObject_GC_New(ext_registration, state->registration_type);
    if (self == NULL) {
        return NULL;
    }
    memset((char *)self + sizeof(PyObject), 0, sizeof(*self) - sizeof(PyObject));
    self->state = state;
    self->bus = Py_NewRef((PyObject *)bus);
    self->home = Py_XNewRef(bus->registrations);
    self->handler = Py_NewRef(handler);
    self->pattern = Py_NewRef(pattern);
    PyObject_GC_Track(self);
    if (ext_plan_read(&self->plan, description) < 0) {
        Py_CLEAR(self);
    }
    return self;
}

static void release_registration(void *handle) {
    (void)ctie_registration_release(handle);
}

/** Hands the handler to Crosstie. The set keeps `self` before Crosstie knows it. */
static int add(ext_bus *bus, ext_registration *self, ctie_str pattern, const ctie_route_options *options) {
    if (PySet_Add(bus->registrations, (PyObject *)self) < 0) {
        return -1;
    }
    ctie_error *error = NULL;
    ctie_registration *handle = NULL;
    ctie_status status;
    ctie_bus *bus_handle = bus->handle;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_route_add(bus_handle, pattern, handle_request, self, destroy, options, &handle, &error);
    Py_END_ALLOW_THREADS
    if (status < 0) {
        ext_raise(bus->state, status, error);
        return -1;
    }
    if (PySet_Contains(bus->registrations, (PyObject *)self) == 1) {
        self->handle = handle;
        if (bus->is_shared) {
            ext_live_add(&self->live, release_registration, handle);
        }
    }
    return 0;
}

PyObject *ext_route_add(ext_bus *bus, PyObject *args, PyObject *keywords) {
    static char *names[] = {"", "", "", "public", "replace", "remark", NULL};
    PyObject *pattern_object, *handler, *description, *remark = bus->state->empty;
    int is_public = 0, replaces = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "UOO!|$ppU:_add_route", names, &pattern_object, &handler,
                                     &PyTuple_Type, &description, &is_public, &replaces, &remark)) {
        return NULL;
    }
    ctie_str pattern;
    ctie_route_options options = CTIE_ROUTE_OPTIONS_INIT;
    if (ext_text(pattern_object, "pattern", &pattern) < 0 || ext_text(remark, "remark", &options.remark) < 0) {
        return NULL;
    }
    options.flags = (is_public ? CTIE_ROUTE_PUBLIC : 0u) | (replaces ? CTIE_ROUTE_REPLACE : 0u);
    options.runtime = &ext_runtime;
    ext_registration *self = make(bus, pattern_object, handler, description);
    if (self != NULL && add(bus, self, pattern, &options) < 0) {
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

/* ---- The type ------------------------------------------------------------------------------------- */

static int registration_traverse(PyObject *object, visitproc visit, void *arg) {
    ext_registration *self = (ext_registration *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->bus);
    Py_VISIT(self->home);
    Py_VISIT(self->handler);
    return ext_plan_traverse(&self->plan, visit, arg);
}

/* Only ever called once Crosstie is done with it: the bus that keeps it was closed. */
static int registration_clear(PyObject *object) {
    ext_registration *self = (ext_registration *)object;
    Py_CLEAR(self->bus);
    Py_CLEAR(self->home);
    Py_CLEAR(self->handler);
    return 0;
}

static void registration_dealloc(PyObject *object) {
    ext_registration *self = (ext_registration *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    (void)ext_live_remove(&self->live);
    (void)registration_clear(object);
    ext_plan_clear(&self->plan);
    Py_CLEAR(self->pattern);
    PyObject_GC_Del(object);
    Py_DECREF(type);
}

static PyObject *registration_remove(PyObject *object, PyObject *Py_UNUSED(unused)) {
    ext_registration *self = (ext_registration *)object;
    ctie_registration *handle = self->handle;
    if (handle == NULL) {
        Py_RETURN_NONE;
    }
    self->handle = NULL;
    (void)ext_live_remove(&self->live);
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_registration_release(handle);
    Py_END_ALLOW_THREADS
    if (status < 0 && status != CTIE_E_HANDLE && status != CTIE_E_FORKED) {
        return ext_raise(self->state, status, NULL);
    }
    Py_RETURN_NONE;
}

static PyObject *registration_enter(PyObject *object, PyObject *Py_UNUSED(unused)) {
    return Py_NewRef(object);
}

static PyObject *registration_exit(PyObject *object, PyObject *Py_UNUSED(args)) {
    return registration_remove(object, NULL);
}

static PyObject *registration_active(PyObject *object, void *Py_UNUSED(closure)) {
    return PyBool_FromLong(((ext_registration *)object)->handle != NULL);
}

static PyObject *registration_handler(PyObject *object, void *Py_UNUSED(closure)) {
    ext_registration *self = (ext_registration *)object;
    return Py_NewRef(self->handler == NULL ? Py_None : self->handler);
}

static PyObject *registration_pattern(PyObject *object, void *Py_UNUSED(closure)) {
    return Py_NewRef(((ext_registration *)object)->pattern);
}

static PyObject *registration_repr(PyObject *object) {
    ext_registration *self = (ext_registration *)object;
    return PyUnicode_FromFormat("<crosstie.Registration %R%s>", self->pattern,
                                self->handle == NULL ? " removed" : "");
}

static PyMethodDef registration_methods[] = {
    {"remove", registration_remove, METH_NOARGS,
     PyDoc_STR("remove($self, /)\n--\n\n"
               "Remove what was registered; doing it again does nothing.\n\n"
               "The handler is not running afterwards and never will be, unless this is called inside a\n"
               "callback: then calls that run already may go on.")},
    {"__enter__", registration_enter, METH_NOARGS, PyDoc_STR("__enter__($self, /)\n--\n\nReturn self.")},
    {"__exit__", registration_exit, METH_VARARGS, PyDoc_STR("__exit__($self, /, *args)\n--\n\nRemove it.")},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef registration_getset[] = {
    {"active", registration_active, NULL, "Whether it is registered still.", NULL},
    {"handler", registration_handler, NULL, "What was registered.", NULL},
    {"pattern", registration_pattern, NULL, "The pattern it was registered under.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot registration_slots[] = {
    {Py_tp_doc, "Something registered on a bus; as a context manager it is removed at the end.\n\n"
                "Letting go of it changes nothing: what is registered stays until it is removed or its bus closes."},
    {Py_tp_traverse, registration_traverse},
    {Py_tp_clear, registration_clear},
    {Py_tp_dealloc, registration_dealloc},
    {Py_tp_repr, registration_repr},
    {Py_tp_methods, registration_methods},
    {Py_tp_getset, registration_getset},
    {0, NULL},
};

static PyType_Spec registration_spec = {
    "crosstie.Registration", sizeof(ext_registration), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    registration_slots,
};

int ext_add_registration(PyObject *module, ext_state *state) {
    return ext_add_type(module, &registration_spec, &state->registration_type);
}
