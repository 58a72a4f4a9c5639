/*
 * The methods of Bus that register handlers: of routes, of rules, and in the callback slots.
 */
#include "bus.h"
#include "../base/error.h"
#include "../base/text.h"
#include "../handler/registration.h"

/** The arguments for a handler of any kind. */
typedef struct handler_spec {
    PyObject *target; /**< the pattern; NULL: none */
    PyObject *name;
    PyObject *rule; /**< of a route for a rule: its id; NULL: none */
    PyObject *handler;
    PyObject *plan;
    PyObject *remark;
    PyObject *interceptor_list; /**< NULL: none */
    int is_public;
    int is_worker_only;
    int replaces;
    ext_interceptors interceptors;
} handler_spec;

/**
 * The registration for a spec, already in the bus's set, and its interceptors. The next step is the function of Crosstie. On
 * failure NULL with an exception, and nothing to clean up.
 */
static ext_registration *prepare(ext_owner *owner, int kind, handler_spec *spec) {
    ext_registration *self = ext_registration_new(owner, kind, spec->handler, spec->target, spec->name);
    if (self == NULL) {
        return NULL;
    }
    self->plan.may_have_rule = kind == EXT_RULE || kind == EXT_NAVIGATOR || kind == EXT_FALLBACK || spec->rule != NULL;
    if (ext_registration_plan(self, spec->plan) < 0 ||
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
    return self;
}

/** Takes Crosstie's answer and the reference to the registration, which it returns on success. */
static PyObject *finish(ext_registration *self, handler_spec *spec, ctie_status status, void *handle, ctie_error *error) {
    ext_interceptors_free(&spec->interceptors);
    if (ext_binding_finish(&self->binding, status, handle, error) < 0) {
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

/* ---- Routes --------------------------------------------------------------------------------------- */

static PyObject *add_route(ext_owner *owner, handler_spec *spec, ctie_str pattern, ctie_route_options *options) {
    ext_registration *self = prepare(owner, EXT_ROUTE, spec);
    if (self == NULL) {
        return NULL;
    }
    /* Remote requests reach only a route that is public or for a rule. */
    self->may_be_remote = spec->is_public || spec->rule != NULL;
    options->interceptors = spec->interceptors.items;
    options->interceptor_count = spec->interceptors.count;
    ctie_bus *bus = owner->handle;
    ctie_registration *handle = NULL;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_route_add(bus, pattern, CTIE_HANDLER_OWNED(ext_handle, self, ext_binding_destroy), options, &handle,
                            &error);
    Py_END_ALLOW_THREADS
    return finish(self, spec, status, handle, error);
}

PyObject *ext_route_add(PyObject *bus, PyObject *args, PyObject *keywords) {
    static char *names[] = {"",        "",       "",       "name",         "rule", "public", "worker_only",
                            "replace", "remark", "interceptors", NULL};
    ext_owner *owner = (ext_owner *)bus;
    handler_spec spec = {.name = owner->state->empty, .remark = owner->state->empty};
    ctie_str pattern;
    ctie_route_options options = CTIE_ROUTE_OPTIONS_INIT;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "UOO!|$OOpppOO:_add_route", names, &spec.target, &spec.handler,
                                     &PyTuple_Type, &spec.plan, &spec.name, &spec.rule, &spec.is_public,
                                     &spec.is_worker_only, &spec.replaces, &spec.remark, &spec.interceptor_list)) {
        return NULL;
    }
    if (spec.rule == Py_None) {
        spec.rule = NULL;
    }
    if (ext_text(spec.target, "pattern", &pattern) < 0 || ext_text(spec.name, "name", &options.name) < 0 ||
        (spec.rule != NULL && ext_text(spec.rule, "rule", &options.rule) < 0) ||
        ext_text(spec.remark, "remark", &options.remark) < 0) {
        return NULL;
    }
    options.flags = (spec.is_public ? CTIE_ROUTE_PUBLIC : 0u) | (spec.replaces ? CTIE_ROUTE_REPLACE : 0u) |
                    (spec.is_worker_only ? CTIE_ROUTE_WORKER_ONLY : 0u);
    options.runtime = &ext_runtime;
    return add_route(owner, &spec, pattern, &options);
}

/* ---- Rules ---------------------------------------------------------------------------------------- */

static ctie_handler_options handler_options(const handler_spec *spec) {
    ctie_handler_options options = CTIE_HANDLER_OPTIONS_INIT;
    options.flags = (spec->is_public ? CTIE_HANDLER_PUBLIC : 0u) |
                    (spec->is_worker_only ? CTIE_HANDLER_WORKER_ONLY : 0u);
    options.runtime = &ext_runtime;
    options.interceptors = spec->interceptors.items;
    options.interceptor_count = spec->interceptors.count;
    return options;
}

PyObject *ext_rule_handle(PyObject *bus, PyObject *args, PyObject *keywords) {
    static char *names[] = {"", "", "", "worker_only", "interceptors", NULL};
    ext_owner *owner = (ext_owner *)bus;
    handler_spec spec = {0};
    ctie_str id;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOO!|$pO:_handle_rule", names, &spec.name, &spec.handler,
                                     &PyTuple_Type, &spec.plan, &spec.is_worker_only, &spec.interceptor_list) ||
        ext_text(spec.name, "id", &id) < 0) {
        return NULL;
    }
    ext_registration *self = prepare(owner, EXT_RULE, &spec);
    if (self == NULL) {
        return NULL;
    }
    const ctie_handler_options options = handler_options(&spec);
    ctie_bus *target = owner->handle;
    ctie_registration *handle = NULL;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_rules_handle(target, id, CTIE_HANDLER_OWNED(ext_handle, self, ext_binding_destroy), &options, &handle,
                               &error);
    Py_END_ALLOW_THREADS
    return finish(self, &spec, status, handle, error);
}

/* ---- Callback slots ------------------------------------------------------------------------------- */

/** Marks the registrations that a new one in their slot has replaced. */
static void forget_before(ext_owner *owner, int kind) {
    PyObject *before = ext_registrations_of(owner, kind, NULL);
    if (before == NULL) {
        PyErr_Clear();
        return;
    }
    ext_bindings_forget(before);
}

static PyObject *finish_slot(ext_registration *self, handler_spec *spec, ctie_status status, ctie_error *error) {
    if (status >= 0) {
        forget_before(self->binding.owner, self->kind);
    }
    return finish(self, spec, status, self->binding.owner->handle, error);
}

typedef ctie_status (*handler_setter)(ctie_bus *bus, ctie_handler handler, const ctie_handler_options *options,
                                      ctie_error **error);

static PyObject *set(ext_owner *owner, int kind, handler_setter set_handler, PyObject *args, PyObject *keywords) {
    static char *names[] = {"", "", "public", "worker_only", "interceptors", NULL};
    handler_spec spec = {.name = owner->state->empty};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO!|$ppO", names, &spec.handler, &PyTuple_Type, &spec.plan,
                                     &spec.is_public, &spec.is_worker_only, &spec.interceptor_list)) {
        return NULL;
    }
    ext_registration *self = prepare(owner, kind, &spec);
    if (self == NULL) {
        return NULL;
    }
    const ctie_handler_options options = handler_options(&spec);
    ctie_bus *bus = owner->handle;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = set_handler(bus, CTIE_HANDLER_OWNED(ext_handle, self, ext_binding_destroy), &options, &error);
    Py_END_ALLOW_THREADS
    return finish_slot(self, &spec, status, error);
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

/* ---- The system opener ---------------------------------------------------------------------------- */

/** Sets the program that opens URLs, without a function. */
static PyObject *set_program(ext_owner *owner, const ctie_system_opener_options *options) {
    ctie_bus *bus = owner->handle;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_bus_set_system_opener(bus, CTIE_HANDLER(NULL, NULL), options, &error);
    Py_END_ALLOW_THREADS
    if (status >= 0) {
        forget_before(owner, EXT_SYSTEM_OPENER);
    }
    return ext_done(owner->state, status, error);
}

static PyObject *set_function(ext_owner *owner, handler_spec *spec, const ctie_system_opener_options *options) {
    if (spec->handler == Py_None) {
        return set_program(owner, options);
    }
    ext_registration *self = prepare(owner, EXT_SYSTEM_OPENER, spec);
    if (self == NULL) {
        return NULL;
    }
    ctie_bus *bus = owner->handle;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_bus_set_system_opener(bus, CTIE_HANDLER_OWNED(ext_handle, self, ext_binding_destroy), options, &error);
    Py_END_ALLOW_THREADS
    return finish_slot(self, spec, status, error);
}

PyObject *ext_system_opener_set(PyObject *bus, PyObject *args, PyObject *keywords) {
    static char *names[] = {"", "", "", "remote", "enabled", "program", NULL};
    ext_owner *owner = (ext_owner *)bus;
    handler_spec spec = {.name = owner->state->empty};
    PyObject *schemes, *program = owner->state->empty;
    int is_remote = 0, is_enabled = 1;
    ctie_system_opener_options options = CTIE_SYSTEM_OPENER_OPTIONS_INIT;
    ext_texts texts;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOO|$ppO:_set_system_opener", names, &spec.handler, &spec.plan,
                                     &schemes, &is_remote, &is_enabled, &program) ||
        ext_text(program, "program", &options.program) < 0 || ext_texts_read(schemes, "schemes", &texts) < 0) {
        return NULL;
    }
    options.flags = (is_remote ? CTIE_SYSTEM_OPENER_REMOTE : 0u) | (is_enabled ? 0u : CTIE_SYSTEM_OPENER_OFF);
    options.schemes = texts.list;
    options.runtime = &ext_runtime;
    PyObject *result = set_function(owner, &spec, &options);
    ext_texts_clear(&texts);
    return result;
}
