/*
 * crosstie.Registration: a handler, component or provider on a bus, and the object that removes it.
 */
#include "registration.h"
#include "../base/error.h"
#include "../base/text.h"
#include "../request/request.h"

#include "docstrings.h"

static ext_registration *of(PyObject *object) {
    return (ext_registration *)object;
}

/** The names of the kinds, by EXT_ROUTE…. */
static const char *const kind_names[] = {
    "route", "rule", "interceptor", "unmatched", "navigator", "system_opener", "component", "action", "resolver", "fallback",
    "selector", "provider", "capability", "provider log",
};

/* ---- The removal of each kind --------------------------------------------------------------------- */

static ctie_status release(void *handle) {
    return ctie_registration_release(handle);
}

/* The handler in a callback slot has no handle of its own: these take the bus's. */

static ctie_status release_unmatched(void *bus) {
    return ctie_route_set_unmatched(bus, CTIE_HANDLER(NULL, NULL), NULL, NULL);
}

static ctie_status release_navigator(void *bus) {
    return ctie_rules_set_navigator(bus, CTIE_HANDLER(NULL, NULL), NULL, NULL);
}

/** Turns the system opener off: the URLs that the function opened are not passed to a program. */
static ctie_status release_system_opener(void *bus) {
    ctie_system_opener_options options = CTIE_SYSTEM_OPENER_OPTIONS_INIT;
    options.flags = CTIE_SYSTEM_OPENER_OFF;
    return ctie_bus_set_system_opener(bus, CTIE_HANDLER(NULL, NULL), &options, NULL);
}

static ctie_status release_fallback(void *bus) {
    return ctie_performer_set_fallback(bus, CTIE_HANDLER(NULL, NULL), NULL, NULL);
}

/** Empties the slot of the resolver of "python:". */
static ctie_status release_resolver(void *bus) {
    return ctie_performer_set_resolver(bus, CTIE_STR("python"), CTIE_HANDLER(NULL, NULL), NULL, NULL);
}

/* A registration that Crosstie does not know has no handle, so its function here is never called. */
static ext_end *const releases[] = {
    release, release, release, release_unmatched, release_navigator, release_system_opener, release, release,
    release_resolver, release_fallback, release, release, release, release,
};

/* ---- New registrations ---------------------------------------------------------------------------- */

/** Whether None from a handler of this kind is a reply, since the caller waits for a result. */
static bool replies_none(int kind) {
    return kind == EXT_ACTION || kind == EXT_FALLBACK || kind == EXT_SELECTOR || kind == EXT_CAPABILITY;
}

ext_registration *ext_registration_new(ext_owner *owner, int kind, PyObject *handler, PyObject *target,
                                       PyObject *name) {
    ext_state *state = owner->state;
    if (target == NULL) {
        target = state->empty;
    }
    ext_registration *self = ext_binding_new(state->registration_type, owner, releases[kind], target, handler);
    if (self != NULL) {
        self->kind = kind;
        self->may_be_remote = true;
        self->replies_none = replies_none(kind);
        self->plan.is_by_call = replies_none(kind);
        self->name = Py_NewRef(name == NULL ? state->empty : name);
    }
    return self;
}

int ext_registration_make_async(ext_registration *self) {
    ext_state *state = self->binding.state;
    state->has_async = true;
    self->spawn = PyObject_CallOneArg(state->make_spawn, (PyObject *)self->binding.owner);
    return self->spawn == NULL ? -1 : 0;
}

int ext_registration_plan(ext_registration *self, PyObject *description) {
    if (ext_plan_read(&self->plan, description) < 0) {
        return -1;
    }
    return self->plan.is_async ? ext_registration_make_async(self) : 0;
}

PyObject *ext_registrations_of(ext_owner *owner, int kind, PyObject *name) {
    PyObject *all = PySequence_List(owner->bindings), *found = PyList_New(0);
    int result = all == NULL || found == NULL ? -1 : 0;
    for (Py_ssize_t i = 0; result == 0 && i < PyList_GET_SIZE(all); i++) {
        ext_registration *each = (ext_registration *)PyList_GET_ITEM(all, i);
        if (each->kind == kind && (name == NULL || PyUnicode_Compare(each->name, name) == 0)) {
            result = PyList_Append(found, (PyObject *)each);
        }
    }
    Py_XDECREF(all);
    if (result < 0) {
        Py_CLEAR(found);
    }
    return found;
}

/* ---- The type ------------------------------------------------------------------------------------- */

static int registration_traverse(PyObject *object, visitproc visit, void *arg) {
    int result = ext_binding_traverse(object, visit, arg);
    Py_VISIT(of(object)->spawn);
    Py_VISIT(of(object)->actions);
    Py_VISIT(of(object)->factory);
    Py_VISIT(of(object)->can);
    return result != 0 ? result : ext_plan_traverse(&of(object)->plan, visit, arg);
}

static int registration_clear(PyObject *object) {
    Py_CLEAR(of(object)->spawn);
    Py_CLEAR(of(object)->actions);
    Py_CLEAR(of(object)->factory);
    Py_CLEAR(of(object)->can);
    return ext_binding_clear(object);
}

static void registration_dealloc(PyObject *object) {
    PyObject_GC_UnTrack(object);
    if (of(object)->weakrefs != NULL) {
        PyObject_ClearWeakRefs(object);
    }
    Py_CLEAR(of(object)->spawn);
    Py_CLEAR(of(object)->actions);
    Py_CLEAR(of(object)->factory);
    Py_CLEAR(of(object)->can);
    if (!of(object)->binding.live.is_taken) {
        PyMem_RawFree(of(object)->own_handle);
    }
    ext_plan_clear(&of(object)->plan);
    Py_CLEAR(of(object)->name);
    ext_binding_dealloc(object);
}

static PyObject *registration_repr(PyObject *object) {
    ext_binding *self = &of(object)->binding;
    const char *end = self->handle == NULL ? " removed" : "";
    if (of(object)->kind == EXT_ROUTE) {
        return PyUnicode_FromFormat("<crosstie.Registration %R%s>", self->target, end);
    }
    if (PyUnicode_GET_LENGTH(of(object)->name) > 0) {
        return PyUnicode_FromFormat("<crosstie.Registration %s %R%s>", kind_names[of(object)->kind], of(object)->name,
                                    end);
    }
    return PyUnicode_FromFormat("<crosstie.Registration %s%s>", kind_names[of(object)->kind], end);
}

static PyObject *registration_kind(PyObject *object, void *Py_UNUSED(closure)) {
    return PyUnicode_InternFromString(kind_names[of(object)->kind]);
}

static PyObject *registration_handle(PyObject *object, PyObject *request) {
    ctie_request *handle = ext_request_handle(of(object)->binding.state, request);
    if (handle == NULL) {
        return NULL;
    }
    Py_INCREF(object);
    ext_handle_inside(of(object), handle);
    Py_DECREF(object);
    Py_RETURN_NONE;
}

static PyObject *registration_log(PyObject *object, PyObject *args) {
    ext_binding *self = (ext_binding *)object;
    PyObject *message_object;
    const char *file, *function;
    ctie_str message, name;
    int line;
    if (!PyArg_ParseTuple(args, "Ossi:_log", &message_object, &file, &function, &line) ||
        ext_text(message_object, "message", &message) < 0 ||
        ext_text(((ext_registration *)object)->name, "name", &name) < 0) {
        return NULL;
    }
    if (self->owner == NULL || PySet_Contains(self->owner->bindings, object) != 1) {
        Py_RETURN_FALSE;
    }
    ctie_bus *bus = self->owner->handle;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_provider_log(bus, name, message, file, function, line, &error);
    Py_END_ALLOW_THREADS
    if (status == CTIE_OK || status == CTIE_E_NOT_FOUND || status == CTIE_E_HANDLE || status == CTIE_E_FORKED) {
        ctie_error_release(error);
        return PyBool_FromLong(status == CTIE_OK);
    }
    return ext_raise(self->state, status, error);
}

static PyMethodDef registration_methods[] = {
    {"_handle", registration_handle, METH_O, DOC(Registration, _handle)},
    {"_log", registration_log, METH_VARARGS, DOC(Registration, _log)},
    {"remove", ext_binding_remove, METH_NOARGS, DOC(Registration, remove)},
    {"__enter__", ext_enter, METH_NOARGS, DOC(Registration, __enter__)},
    {"__exit__", ext_binding_exit, METH_VARARGS, DOC(Registration, __exit__)},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef registration_members[] = {
    {"handler", T_OBJECT, offsetof(ext_binding, callback), READONLY, DOC(Registration, handler)},
    {"pattern", T_OBJECT_EX, offsetof(ext_binding, target), READONLY, DOC(Registration, pattern)},
    {"name", T_OBJECT_EX, offsetof(ext_registration, name), READONLY, DOC(Registration, name)},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ext_registration, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef registration_getset[] = {
    {"kind", registration_kind, NULL, DOC(Registration, kind), NULL},
    {"active", ext_binding_active, NULL, DOC(Registration, active), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot registration_slots[] = {
    {Py_tp_doc, DOC_Registration},
    {Py_tp_traverse, registration_traverse},
    {Py_tp_clear, registration_clear},
    {Py_tp_dealloc, registration_dealloc},
    {Py_tp_repr, registration_repr},
    {Py_tp_methods, registration_methods},
    {Py_tp_members, registration_members},
    {Py_tp_getset, registration_getset},
    {0, NULL},
};

PyType_Spec ext_registration_spec = {
    "crosstie.Registration", sizeof(ext_registration), 0, EXT_FINAL | Py_TPFLAGS_HAVE_GC, registration_slots,
};
