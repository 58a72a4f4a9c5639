/*
 * Components: a registration that keeps one for each action, and what there is of them on a bus.
 */
#include "component.h"

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
    out->flags = (uint32_t)flags;
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

/* ---- Lazy ones ------------------------------------------------------------------------------------ */

/** Gives each action the function of the instance that has just been made. */
static int take_functions(ext_registration *self, PyObject *functions) {
    Py_ssize_t count = PyTuple_GET_SIZE(self->actions);
    if (!PyTuple_Check(functions) || PyTuple_GET_SIZE(functions) != count) {
        PyErr_SetString(PyExc_TypeError, "a factory gives a function for each action");
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        ext_binding *action = (ext_binding *)PyTuple_GET_ITEM(self->actions, i);
        Py_SETREF(action->callback, Py_NewRef(PyTuple_GET_ITEM(functions, i)));
    }
    return 0;
}

/** The factory of every lazy component. Its caller is told that there is none; what went wrong nobody could be. */
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

/* ---- Registering ---------------------------------------------------------------------------------- */

/** What _add_component() is given. */
typedef struct wish {
    PyObject *name, *handler, *actions, *factory, *doc, *type, *dispatcher, *interceptor_list;
    int replaces, is_static;
    ext_interceptors interceptors;
    ctie_component_options options;
} wish;

static int read_wish(PyObject *args, PyObject *keywords, wish *wish, ctie_str *name) {
    static char *names[] = {"", "", "", "factory", "replace", "static", "priority", "doc", "type", "dispatcher",
                            "interceptors", NULL};
    ctie_component_options *options = &wish->options;
    PyObject *priority = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOO!|$OppOOOOO:_add_component", names, &wish->name, &wish->handler,
                                     &PyTuple_Type, &wish->actions, &wish->factory, &wish->replaces,
                                     &wish->is_static, &priority, &wish->doc, &wish->type, &wish->dispatcher,
                                     &wish->interceptor_list) ||
        ext_int32(priority, "priority", &options->priority) < 0 || ext_text(wish->name, "name", name) < 0 || ext_text(wish->doc, "doc", &options->doc) < 0 ||
        ext_text(wish->type, "type", &options->type) < 0 ||
        ext_text(wish->dispatcher, "dispatcher", &options->dispatcher) < 0) {
        return -1;
    }
    options->language = CTIE_STR("python");
    options->runtime = &ext_runtime;
    options->flags = (wish->replaces ? CTIE_COMPONENT_REPLACE : 0u) | (wish->is_static ? CTIE_COMPONENT_STATIC : 0u);
    if (wish->factory != Py_None) {
        options->flags |= CTIE_COMPONENT_LAZY;
    }
    return 0;
}

/** The registration, with everything read and already in the bus's set. */
static ext_registration *prepare(ext_owner *owner, wish *wish, ctie_action *actions) {
    ext_registration *self = ext_registration_new(owner, EXT_COMPONENT, wish->handler, NULL, wish->name);
    if (self == NULL) {
        return NULL;
    }
    self->factory = wish->factory == Py_None ? NULL : Py_NewRef(wish->factory);
    self->actions = read_actions(owner, wish->name, wish->actions, actions);
    if (self->actions == NULL ||
        (wish->interceptor_list != NULL &&
         ext_interceptors_read(owner, wish->interceptor_list, true, &wish->interceptors) < 0)) {
        Py_DECREF(self);
        return NULL;
    }
    if (ext_binding_keep(&self->binding) < 0) {
        ext_interceptors_drop(&wish->interceptors);
        Py_DECREF(self);
        return NULL;
    }
    wish->options.interceptors = wish->interceptors.items;
    wish->options.interceptor_count = wish->interceptors.count;
    return self;
}

static PyObject *add(ext_owner *owner, wish *wish, ctie_str name, ctie_action *actions) {
    ext_registration *self = prepare(owner, wish, actions);
    if (self == NULL) {
        return NULL;
    }
    ctie_bus *bus = owner->handle;
    ctie_action_list list = {actions, (size_t)PyTuple_GET_SIZE(wish->actions)};
    ctie_factory factory = CTIE_FACTORY_OWNED(self->factory == NULL ? NULL : create, self, ext_binding_destroy);
    ctie_registration *handle = NULL;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_component_add(bus, name, list, factory, &wish->options, &handle, &error);
    Py_END_ALLOW_THREADS
    ext_interceptors_free(&wish->interceptors);
    if (ext_binding_settle(&self->binding, status, handle, error) < 0) {
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

PyObject *ext_component_add(PyObject *bus, PyObject *args, PyObject *keywords) {
    ext_owner *owner = (ext_owner *)bus;
    PyObject *empty = owner->state->empty;
    wish wish = {.factory = Py_None, .doc = empty, .type = empty, .dispatcher = empty,
                 .options = CTIE_COMPONENT_OPTIONS_INIT};
    ctie_str name;
    if (read_wish(args, keywords, &wish, &name) < 0) {
        return NULL;
    }
    ctie_action *actions = PyMem_Calloc((size_t)PyTuple_GET_SIZE(wish.actions) + 1, sizeof(ctie_action));
    if (actions == NULL) {
        return PyErr_NoMemory();
    }
    PyObject *result = add(owner, &wish, name, actions);
    PyMem_Free(actions);
    return result;
}

/* ---- What there is -------------------------------------------------------------------------------- */

PyObject *ext_component_remove(PyObject *object, PyObject *name_object) {
    ext_owner *self = (ext_owner *)object;
    ctie_str name;
    if (ext_text(name_object, "name", &name) < 0) {
        return NULL;
    }
    ctie_bus *handle = self->handle;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_component_remove(handle, name);
    Py_END_ALLOW_THREADS
    return ext_done(self->state, status, NULL);
}

PyObject *ext_component_list(PyObject *object, PyObject *Py_UNUSED(unused)) {
    ext_owner *self = (ext_owner *)object;
    ctie_value *list = NULL;
    ctie_status status = ctie_component_list(self->handle, &list);
    PyObject *result = status == CTIE_OK ? ext_value_object(self->state, list) : ext_raise(self->state, status, NULL);
    ctie_value_release(list);
    return result;
}
