/*
 * Components: a registration that keeps one for each action, and the list of a bus's components.
 */
#include "bus.h"
#include "../base/error.h"
#include "../base/text.h"
#include "../handler/registration.h"
#include "../value/value.h"

/* ---- Actions -------------------------------------------------------------------------------------- */

/** One action: (name, function or None, plan, flags, doc). */
static ext_registration *read_action(ext_owner *owner, PyObject *component, PyObject *item, ctie_action *out) {
    PyObject *name, *function, *plan, *doc;
    int flags;
    if (!PyArg_ParseTuple(item, "UOO!iU", &name, &function, &PyTuple_Type, &plan, &flags, &doc) ||
        ext_text(name, "an action's name", &out->name) < 0 || ext_text(doc, "doc", &out->doc) < 0) {
        return NULL;
    }
    ext_registration *self = ext_registration_new(owner, EXT_ACTION, function, component, name);
    if (self == NULL || ext_registration_plan(self, plan) < 0) {
        Py_XDECREF(self);
        return NULL;
    }
    bool reads_itself = self->plan.takes_request && self->plan.named == 0;
    self->plan.is_lenient = (flags & CTIE_ACTION_EVENT) != 0;
    self->plan.is_strict = !self->plan.takes_rest && !reads_itself && !self->plan.is_lenient;
    out->fn = ext_handle;
    out->user_data = self;
    /* Its handler only makes the coroutine. */
    bool returns_at_once = self->plan.is_async && (flags & CTIE_ACTION_WORKER_ONLY) == 0;
    out->flags = (uint32_t)flags | (returns_at_once ? CTIE_ACTION_NONBLOCKING : 0u);
    return self;
}

/** The registrations of the actions, as a tuple. */
static PyObject *read_actions(ext_owner *owner, PyObject *component, PyObject *items, ctie_action *out) {
    Py_ssize_t count = PyTuple_GET_SIZE(items);
    PyObject *result = PyTuple_New(count);
    for (Py_ssize_t i = 0; result != NULL && i < count; i++) {
        ext_registration *action = read_action(owner, component, PyTuple_GET_ITEM(items, i), &out[i]);
        if (action == NULL) {
            Py_CLEAR(result);
        } else {
            PyTuple_SET_ITEM(result, i, (PyObject *)action);
        }
    }
    return result;
}

/* ---- Lazy components ------------------------------------------------------------------------------ */

/** Sets the function of each action, after the factory has made the instance. */
static int take_functions(ext_registration *self, PyObject *functions) {
    Py_ssize_t count = PyTuple_GET_SIZE(self->actions);
    if (!PyTuple_Check(functions) || PyTuple_GET_SIZE(functions) != count) {
        PyErr_SetString(PyExc_TypeError, "a factory must return a function for each action");
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        ext_binding *action = (ext_binding *)PyTuple_GET_ITEM(self->actions, i);
        Py_SETREF(action->callback, Py_NewRef(PyTuple_GET_ITEM(functions, i)));
    }
    return 0;
}

/** The factory of every lazy component. After an exception, which is reported, its caller gets no instance. */
static void *create(void *user_data) {
    EXT_GIL(gil);
    if (!ext_gil_enter(&gil)) {
        return NULL;
    }
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    ext_registration *self = user_data;
    Py_INCREF(self);
    PyObject *functions = PyObject_CallNoArgs(self->factory);
    bool is_made = functions != NULL && take_functions(self, functions) == 0;
    if (!is_made) {
        ext_unraisable(self->binding.callback);
    }
    Py_XDECREF(functions);
    Py_DECREF(self);
    PyErr_Restore(type, value, traceback);
    ext_gil_leave(&gil);
    return is_made ? user_data : NULL;
}

/* ---- The method ----------------------------------------------------------------------------------- */

/** The arguments of _add_component(). */
typedef struct component_spec {
    PyObject *name, *handler, *actions, *factory, *doc, *type, *dispatcher, *interceptor_list;
    int replaces, is_static, is_exported;
    ext_interceptors interceptors;
    ctie_component_options options;
} component_spec;

static int read_spec(PyObject *args, PyObject *keywords, component_spec *spec, ctie_str *name) {
    static char *names[] = {"", "", "", "factory", "replace", "static", "exported", "priority", "doc", "type",
                            "dispatcher", "interceptors", NULL};
    ctie_component_options *options = &spec->options;
    PyObject *priority = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOO!|$OpppOOOOO:_add_component", names, &spec->name, &spec->handler,
                                     &PyTuple_Type, &spec->actions, &spec->factory, &spec->replaces,
                                     &spec->is_static, &spec->is_exported, &priority, &spec->doc, &spec->type, &spec->dispatcher,
                                     &spec->interceptor_list) ||
        ext_int32(priority, "priority", &options->priority) < 0 || ext_text(spec->name, "name", name) < 0 ||
        ext_text(spec->doc, "doc", &options->doc) < 0 || ext_text(spec->type, "type", &options->type) < 0 ||
        ext_text(spec->dispatcher, "dispatcher", &options->dispatcher) < 0) {
        return -1;
    }
    options->language = CTIE_STR("python");
    options->runtime = &ext_runtime;
    options->flags = (spec->replaces ? CTIE_COMPONENT_REPLACE : 0u) | (spec->is_static ? CTIE_COMPONENT_STATIC : 0u) |
                     (spec->is_exported ? CTIE_COMPONENT_EXPORTED : 0u);
    if (spec->factory != Py_None) {
        options->flags |= CTIE_COMPONENT_LAZY;
    }
    return 0;
}

/** The registration of a spec, already in the bus's set. */
static ext_registration *prepare(ext_owner *owner, component_spec *spec, ctie_action *actions) {
    ext_registration *self = ext_registration_new(owner, EXT_COMPONENT, spec->handler, NULL, spec->name);
    if (self == NULL) {
        return NULL;
    }
    self->factory = spec->factory == Py_None ? NULL : Py_NewRef(spec->factory);
    self->actions = read_actions(owner, spec->name, spec->actions, actions);
    if (self->actions == NULL ||
        (spec->interceptor_list != NULL &&
         ext_interceptors_read(owner, spec->interceptor_list, true, &spec->interceptors) < 0)) {
        Py_DECREF(self);
        return NULL;
    }
    if (ext_binding_keep(&self->binding) < 0) {
        ext_interceptors_drop(&spec->interceptors);
        Py_DECREF(self);
        return NULL;
    }
    spec->options.interceptors = spec->interceptors.items;
    spec->options.interceptor_count = spec->interceptors.count;
    return self;
}

static PyObject *add(ext_owner *owner, component_spec *spec, ctie_str name, ctie_action *actions) {
    ext_registration *self = prepare(owner, spec, actions);
    if (self == NULL) {
        return NULL;
    }
    ctie_bus *bus = owner->handle;
    ctie_action_list list = {actions, (size_t)PyTuple_GET_SIZE(spec->actions)};
    ctie_factory factory = CTIE_FACTORY_OWNED(self->factory == NULL ? NULL : create, self, ext_binding_destroy);
    ctie_registration *handle = NULL;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_component_add(bus, name, list, factory, &spec->options, &handle, &error);
    Py_END_ALLOW_THREADS
    ext_interceptors_free(&spec->interceptors);
    if (ext_binding_finish(&self->binding, status, handle, error) < 0) {
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

PyObject *ext_component_add(PyObject *bus, PyObject *args, PyObject *keywords) {
    ext_owner *owner = (ext_owner *)bus;
    PyObject *empty = owner->state->empty;
    component_spec spec = {.factory = Py_None, .doc = empty, .type = empty, .dispatcher = empty,
                 .options = CTIE_COMPONENT_OPTIONS_INIT};
    ctie_str name;
    if (read_spec(args, keywords, &spec, &name) < 0) {
        return NULL;
    }
    ctie_action *actions = PyMem_Calloc((size_t)PyTuple_GET_SIZE(spec.actions) + 1, sizeof(ctie_action));
    if (actions == NULL) {
        return PyErr_NoMemory();
    }
    PyObject *result = add(owner, &spec, name, actions);
    PyMem_Free(actions);
    return result;
}

/* ---- The list ------------------------------------------------------------------------------------- */

PyObject *ext_component_remove(PyObject *object, PyObject *name_object) {
    ext_owner *self = (ext_owner *)object;
    ctie_str name;
    if (ext_text(name_object, "name", &name) < 0) {
        return NULL;
    }
    ctie_bus *handle = self->handle;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_component_remove(handle, name, &error);
    Py_END_ALLOW_THREADS
    return ext_done(self->state, status, error);
}

PyObject *ext_component_list(PyObject *object, PyObject *Py_UNUSED(unused)) {
    ext_owner *self = (ext_owner *)object;
    ctie_value *list = NULL;
    ctie_status status = ctie_component_list(self->handle, &list);
    return ext_value_result(self->state, status, list, NULL);
}

PyObject *ext_component_list_anywhere(PyObject *object, PyObject *Py_UNUSED(unused)) {
    ext_owner *self = (ext_owner *)object;
    ctie_value *list = NULL;
    ctie_error *error = NULL;
    ctie_status status = ctie_component_list_anywhere(self->handle, &list, &error);
    return ext_value_result(self->state, status, list, error);
}
