/*
 * A registered handler: the object that removes it, and what Crosstie calls.
 */
#include "crosstie_ext.h"

typedef struct registration {
    ext_binding binding; /**< its target is the pattern */
    ext_plan plan;
} registration;

static registration *of(PyObject *object) {
    return (registration *)object;
}

/* ---- Called by Crosstie --------------------------------------------------------------------------- */

/** Ends a request with the exception that is set. With nobody left to tell, says so. */
static void fail_with_exception(registration *self, ctie_request *request) {
    PyObject *exception = ext_take_exception();
    if (ext_fail_with(self->binding.state, request, exception) != CTIE_OK) {
        ext_report(exception, self->binding.callback);
    }
    Py_DECREF(exception);
}

/** A result that is not None is the reply. */
static void answer(registration *self, ctie_request *request, PyObject *result) {
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

static PyObject *call_with_rest(registration *self, ctie_request *request, PyObject **arguments, size_t count) {
    PyObject *rest = ext_plan_rest(self->binding.state, &self->plan, request);
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
        positional |= PY_VECTORCALL_ARGUMENTS_OFFSET;
        result = PyObject_VectorcallDict(self->binding.callback, arguments, positional, rest);
    }
    Py_DECREF(rest);
    return result;
}

static inline PyObject *call(registration *self, ctie_request *request, PyObject **arguments, size_t count) {
    if (self->plan.takes_rest) {
        return call_with_rest(self, request, arguments, count);
    }
    PyObject *keywords = self->plan.keywords;
    size_t positional = keywords == NULL ? count : count - (size_t)PyTuple_GET_SIZE(keywords);
    positional |= PY_VECTORCALL_ARGUMENTS_OFFSET;
    return PyObject_Vectorcall(self->binding.callback, arguments, positional, keywords);
}

/** Binds the arguments and calls the handler. What it made, the Request excepted, is gone afterwards. */
static PyObject *invoke(registration *self, ctie_request *request, PyObject *request_object) {
    PyObject *slots[EXT_MAX_ARGUMENTS + 2];
    PyObject **arguments = slots + 1; /* vectorcall may use the place before */
    size_t first = 0;
    if (request_object != NULL) {
        arguments[first++] = request_object;
    }
    if (ext_plan_bind(self->binding.state, &self->plan, request, arguments + first) < 0) {
        return NULL;
    }
    size_t count = first + (size_t)self->plan.count;
    PyObject *result = call(self, request, arguments, count);
    for (size_t i = first; i < count; i++) {
        Py_DECREF(arguments[i]);
    }
    return result;
}

static void handle(registration *self, ctie_request *request) {
    PyObject *request_object = NULL;
    if (self->plan.takes_request) {
        request_object = ext_request_new(self->binding.state, request);
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
    registration *self = user_data;
    Py_INCREF(self);
    handle(self, request);
    Py_DECREF(self);
    ext_gil_leave(&gil);
}

/* ---- Registering ---------------------------------------------------------------------------------- */

static ctie_status release(void *handle) {
    return ctie_registration_release(handle);
}

static int add(registration *self, ctie_str pattern, const ctie_route_options *options) {
    if (ext_binding_keep(&self->binding) < 0) {
        return -1;
    }
    ctie_bus *bus = self->binding.owner->handle;
    ctie_registration *handle = NULL;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_route_add(bus, pattern, handle_request, self, ext_binding_destroy, options, &handle, &error);
    Py_END_ALLOW_THREADS
    return ext_binding_settle(&self->binding, status, handle, error);
}

PyObject *ext_route_add(PyObject *bus, PyObject *args, PyObject *keywords) {
    static char *names[] = {"", "", "", "public", "replace", "remark", NULL};
    ext_owner *owner = (ext_owner *)bus;
    PyObject *pattern_object, *handler, *description, *remark = owner->state->empty;
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
    registration *self = ext_binding_new(owner->state->registration_type, owner, release, pattern_object, handler);
    if (self != NULL && (ext_plan_read(&self->plan, description) < 0 || add(self, pattern, &options) < 0)) {
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

/* ---- The type ------------------------------------------------------------------------------------- */

static int registration_traverse(PyObject *object, visitproc visit, void *arg) {
    int result = ext_binding_traverse(object, visit, arg);
    return result != 0 ? result : ext_plan_traverse(&of(object)->plan, visit, arg);
}

static void registration_dealloc(PyObject *object) {
    PyObject_GC_UnTrack(object);
    ext_plan_clear(&of(object)->plan);
    ext_binding_dealloc(object);
}

static PyObject *registration_repr(PyObject *object) {
    ext_binding *self = &of(object)->binding;
    return PyUnicode_FromFormat("<crosstie.Registration %R%s>", self->target,
                                self->handle == NULL ? " removed" : "");
}

static PyMethodDef registration_methods[] = {
    {"remove", ext_binding_remove, METH_NOARGS,
     PyDoc_STR("remove($self, /)\n--\n\n"
               "Remove what was registered; doing it again does nothing.\n\n"
               "The handler is not running afterwards and never will be, unless this is called inside a\n"
               "callback: then calls that run already may go on.")},
    {"__enter__", ext_enter, METH_NOARGS, PyDoc_STR("__enter__($self, /)\n--\n\nReturn self.")},
    {"__exit__", ext_binding_exit, METH_VARARGS, PyDoc_STR("__exit__($self, /, *args)\n--\n\nRemove it.")},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef registration_members[] = {
    {"handler", T_OBJECT, offsetof(ext_binding, callback), READONLY, "What was registered."},
    {"pattern", T_OBJECT_EX, offsetof(ext_binding, target), READONLY, "The pattern it was registered under."},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef registration_getset[] = {
    {"active", ext_binding_active, NULL, "Whether it is registered still.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot registration_slots[] = {
    {Py_tp_doc, "Something registered on a bus; as a context manager it is removed at the end.\n\n"
                "Letting go of it changes nothing: what is registered stays until it is removed or its bus closes."},
    {Py_tp_traverse, registration_traverse},
    {Py_tp_clear, ext_binding_clear},
    {Py_tp_dealloc, registration_dealloc},
    {Py_tp_repr, registration_repr},
    {Py_tp_methods, registration_methods},
    {Py_tp_members, registration_members},
    {Py_tp_getset, registration_getset},
    {0, NULL},
};

PyType_Spec ext_registration_spec = {
    "crosstie.Registration", sizeof(registration), 0, EXT_FINAL | Py_TPFLAGS_HAVE_GC, registration_slots,
};
