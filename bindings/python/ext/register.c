/*
 * The methods of Bus that register handlers: routes, and what stands under no pattern.
 */
#include "handlers.h"

/** What is given for a handler of any kind. */
typedef struct wish {
    PyObject *target; /**< the pattern; NULL for none */
    PyObject *name;
    PyObject *rule; /**< of a route that is for one; NULL for none */
    PyObject *handler;
    PyObject *plan;
    PyObject *remark;
    PyObject *interceptor_list; /**< NULL: none */
    int is_public;
    int is_worker_only;
    int replaces;
    ext_interceptors interceptors;
} wish;

/**
 * The registration for a wish, with its interceptors read and already in the bus's set: the next step is the function
 * of Crosstie. NULL with an exception, and nothing left over.
 */
static ext_registration *prepare(ext_owner *owner, int kind, wish *wish) {
    ext_registration *self = ext_registration_new(owner, kind, wish->handler, wish->target, wish->name);
    if (self == NULL) {
        return NULL;
    }
    self->plan.may_have_rule = kind == EXT_RULE || kind == EXT_NAVIGATOR || kind == EXT_FALLBACK || wish->rule != NULL;
    if (ext_registration_plan(self, wish->plan) < 0 ||
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
    return self;
}

/** What Crosstie answered. Takes the reference to the registration over, and gives it back on success. */
static PyObject *settle(ext_registration *self, wish *wish, ctie_status status, void *handle, ctie_error *error) {
    ext_interceptors_free(&wish->interceptors);
    if (ext_binding_settle(&self->binding, status, handle, error) < 0) {
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

/* ---- Routes --------------------------------------------------------------------------------------- */

static PyObject *add_route(ext_owner *owner, wish *wish, ctie_str pattern, ctie_route_options *options) {
    ext_registration *self = prepare(owner, EXT_ROUTE, wish);
    if (self == NULL) {
        return NULL;
    }
    /* Only a route that is public, or for a rule, is ever reached from outside. */
    self->may_be_remote = wish->is_public || wish->rule != NULL;
    options->interceptors = wish->interceptors.items;
    options->interceptor_count = wish->interceptors.count;
    ctie_bus *bus = owner->handle;
    ctie_registration *handle = NULL;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_route_add(bus, pattern, CTIE_HANDLER_OWNED(ext_handle, self, ext_binding_destroy), options, &handle,
                            &error);
    Py_END_ALLOW_THREADS
    return settle(self, wish, status, handle, error);
}

PyObject *ext_route_add(PyObject *bus, PyObject *args, PyObject *keywords) {
    static char *names[] = {"",        "",       "",       "name",         "rule", "public", "worker_only",
                            "replace", "remark", "interceptors", NULL};
    ext_owner *owner = (ext_owner *)bus;
    wish wish = {.name = owner->state->empty, .remark = owner->state->empty};
    ctie_str pattern;
    ctie_route_options options = CTIE_ROUTE_OPTIONS_INIT;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "UOO!|$OOpppOO:_add_route", names, &wish.target, &wish.handler,
                                     &PyTuple_Type, &wish.plan, &wish.name, &wish.rule, &wish.is_public,
                                     &wish.is_worker_only, &wish.replaces, &wish.remark, &wish.interceptor_list)) {
        return NULL;
    }
    if (wish.rule == Py_None) {
        wish.rule = NULL;
    }
    if (ext_text(wish.target, "pattern", &pattern) < 0 || ext_text(wish.name, "name", &options.name) < 0 ||
        (wish.rule != NULL && ext_text(wish.rule, "rule", &options.rule) < 0) ||
        ext_text(wish.remark, "remark", &options.remark) < 0) {
        return NULL;
    }
    options.flags = (wish.is_public ? CTIE_ROUTE_PUBLIC : 0u) | (wish.replaces ? CTIE_ROUTE_REPLACE : 0u) |
                    (wish.is_worker_only ? CTIE_ROUTE_WORKER_ONLY : 0u);
    options.runtime = &ext_runtime;
    return add_route(owner, &wish, pattern, &options);
}

/* ---- What stands under no pattern ----------------------------------------------------------------- */

static ctie_handler_options handler_options(const wish *wish) {
    ctie_handler_options options = CTIE_HANDLER_OPTIONS_INIT;
    options.flags = (wish->is_public ? CTIE_HANDLER_PUBLIC : 0u) |
                    (wish->is_worker_only ? CTIE_HANDLER_WORKER_ONLY : 0u);
    options.runtime = &ext_runtime;
    options.interceptors = wish->interceptors.items;
    options.interceptor_count = wish->interceptors.count;
    return options;
}

PyObject *ext_rule_handle(PyObject *bus, PyObject *args, PyObject *keywords) {
    static char *names[] = {"", "", "", "worker_only", "interceptors", NULL};
    ext_owner *owner = (ext_owner *)bus;
    wish wish = {0};
    ctie_str id;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOO!|$pO:_handle_rule", names, &wish.name, &wish.handler,
                                     &PyTuple_Type, &wish.plan, &wish.is_worker_only, &wish.interceptor_list) ||
        ext_text(wish.name, "id", &id) < 0) {
        return NULL;
    }
    ext_registration *self = prepare(owner, EXT_RULE, &wish);
    if (self == NULL) {
        return NULL;
    }
    const ctie_handler_options options = handler_options(&wish);
    ctie_bus *target = owner->handle;
    ctie_registration *handle = NULL;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_rules_handle(target, id, CTIE_HANDLER_OWNED(ext_handle, self, ext_binding_destroy), &options, &handle,
                               &error);
    Py_END_ALLOW_THREADS
    return settle(self, &wish, status, handle, error);
}

/* ---- What a bus has one of ------------------------------------------------------------------------ */

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

/** One has taken the place of all that Python had set of a kind. */
static void forget_before(ext_owner *owner, int kind) {
    PyObject *before = ext_registrations_of(owner, kind, NULL);
    if (before == NULL) {
        PyErr_Clear();
        return;
    }
    ext_bindings_forget(before);
}

static PyObject *settle_only(ext_registration *self, wish *wish, ctie_status status, ctie_error *error) {
    if (status >= 0) {
        forget_before(self->binding.owner, self->kind);
    }
    return settle(self, wish, status, self->binding.owner->handle, error);
}

typedef ctie_status (*handler_setter)(ctie_bus *bus, ctie_handler handler, const ctie_handler_options *options,
                                      ctie_error **error);

static PyObject *set(ext_owner *owner, int kind, handler_setter set_handler, PyObject *args, PyObject *keywords) {
    static char *names[] = {"", "", "public", "worker_only", "interceptors", NULL};
    wish wish = {.name = owner->state->empty};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO!|$ppO", names, &wish.handler, &PyTuple_Type, &wish.plan,
                                     &wish.is_public, &wish.is_worker_only, &wish.interceptor_list)) {
        return NULL;
    }
    ext_registration *self = prepare(owner, kind, &wish);
    if (self == NULL) {
        return NULL;
    }
    const ctie_handler_options options = handler_options(&wish);
    ctie_bus *bus = owner->handle;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = set_handler(bus, CTIE_HANDLER_OWNED(ext_handle, self, ext_binding_destroy), &options, &error);
    Py_END_ALLOW_THREADS
    return settle_only(self, &wish, status, error);
}

PyObject *ext_unmatched_set(PyObject *bus, PyObject *args, PyObject *keywords) {
    return set((ext_owner *)bus, EXT_UNMATCHED, ctie_route_set_unmatched, args, keywords);
}

PyObject *ext_navigator_set(PyObject *bus, PyObject *args, PyObject *keywords) {
    return set((ext_owner *)bus, EXT_NAVIGATOR, ctie_rules_set_navigator, args, keywords);
}

PyObject *ext_fallback_set(PyObject *bus, PyObject *args, PyObject *keywords) {
    return set((ext_owner *)bus, EXT_FALLBACK, ctie_performer_set_fallback, args, keywords);
}

static ctie_status set_resolver(ctie_bus *bus, ctie_handler handler, const ctie_handler_options *options,
                                ctie_error **error) {
    return ctie_performer_set_resolver(bus, CTIE_STR("python"), handler, options, error);
}

PyObject *ext_resolver_set(PyObject *bus, PyObject *args, PyObject *keywords) {
    return set((ext_owner *)bus, EXT_RESOLVER, set_resolver, args, keywords);
}

/* ---- The opener ----------------------------------------------------------------------------------- */

/** What is started instead of a function. */
static PyObject *set_program(ext_owner *owner, const ctie_system_opener_options *options) {
    ctie_bus *bus = owner->handle;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_bus_set_system_opener(bus, CTIE_HANDLER(NULL, NULL), options, &error);
    Py_END_ALLOW_THREADS
    if (status >= 0) {
        forget_before(owner, EXT_OPENER);
    }
    return ext_done(owner->state, status, error);
}

static PyObject *set_opener(ext_owner *owner, wish *wish, const ctie_system_opener_options *options) {
    if (wish->handler == Py_None) {
        return set_program(owner, options);
    }
    ext_registration *self = prepare(owner, EXT_OPENER, wish);
    if (self == NULL) {
        return NULL;
    }
    ctie_bus *bus = owner->handle;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_bus_set_system_opener(bus, CTIE_HANDLER_OWNED(ext_handle, self, ext_binding_destroy), options, &error);
    Py_END_ALLOW_THREADS
    return settle_only(self, wish, status, error);
}

PyObject *ext_opener_set(PyObject *bus, PyObject *args, PyObject *keywords) {
    static char *names[] = {"", "", "", "remote", "enabled", "program", NULL};
    ext_owner *owner = (ext_owner *)bus;
    wish wish = {.name = owner->state->empty};
    PyObject *schemes, *program = owner->state->empty;
    int is_remote = 0, is_enabled = 1;
    ctie_system_opener_options options = CTIE_SYSTEM_OPENER_OPTIONS_INIT;
    ext_texts texts;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOO|$ppO:_set_opener", names, &wish.handler, &wish.plan, &schemes,
                                     &is_remote, &is_enabled, &program) ||
        ext_text(program, "program", &options.program) < 0 || ext_texts_read(schemes, "schemes", &texts) < 0) {
        return NULL;
    }
    options.flags = (is_remote ? CTIE_SYSTEM_OPENER_REMOTE : 0u) | (is_enabled ? 0u : CTIE_SYSTEM_OPENER_OFF);
    options.schemes = texts.list;
    options.runtime = &ext_runtime;
    PyObject *result = set_opener(owner, &wish, &options);
    ext_texts_clear(&texts);
    return result;
}
