/*
 * crosstie._crosstie.Bus: making it and closing it. crosstie/_bus.py adds the decorators.
 */
#include "bus.h"
#include "spec.h"
#include "../base/error.h"
#include "../base/owner.h"
#include "../base/text.h"

#include "docstrings.h"

static ext_owner *of(PyObject *object) {
    return (ext_owner *)object;
}

/* ---- New buses ------------------------------------------------------------------------------------ */

static ctie_status close_bus(void *handle) {
    return ctie_bus_close(handle);
}

static ctie_status release_bus(void *handle) {
    return ctie_bus_release(handle);
}

/** Adds Python's static components to a bus. Takes the reference, and returns it on success. */
static PyObject *with_static(ext_state *state, PyObject *self) {
    PyObject *result = PyObject_CallOneArg(state->join_static, self);
    if (result == NULL) {
        Py_CLEAR(self);
    }
    Py_XDECREF(result);
    return self;
}

static PyObject *bus_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    static char *names[] = {"name", "default_scheme", "max_workers", "max_queued", "match",  "count_hits",
                            "stats", "static", NULL};
    ext_state *state = ext_state_of_type(type);
    PyObject *name = state == NULL ? NULL : state->empty, *scheme = name, *match = Py_None, *workers = NULL, *queued = NULL;
    int counts_hits = 0, has_stats = 0, is_static = 0;
    ctie_bus_options options = CTIE_BUS_OPTIONS_INIT;
    if (state == NULL ||
        !PyArg_ParseTupleAndKeywords(args, keywords, "|U$UOOOppp:Bus", names, &name, &scheme, &workers, &queued,
                                     &match, &counts_hits, &has_stats, &is_static) ||
        ext_text(name, "name", &options.name) < 0 || ext_text(scheme, "default_scheme", &options.default_scheme) < 0 ||
        ext_match_mode(match, &options.mode) < 0 || ext_uint32(workers, "max_workers", &options.max_workers) < 0 ||
        ext_uint32(queued, "max_queued", &options.max_queued) < 0) {
        return NULL;
    }
    options.flags = (counts_hits ? CTIE_BUS_COUNT_HITS : 0u) | (has_stats ? CTIE_BUS_STATS : 0u) |
                    (is_static ? CTIE_BUS_STATIC : 0u);
    ctie_bus *handle = NULL;
    ctie_error *error = NULL;
    ctie_status status = ctie_bus_new(&options, &handle, &error);
    if (status != CTIE_OK) {
        return ext_raise(state, status, error);
    }
    (void)ctie_bus_set_log(handle, CTIE_LOGGER_OWNED(ext_log_line, Py_NewRef(state->log), ext_log_drop), NULL);
    PyObject *self = ext_owner_new(type, handle, name, close_bus, close_bus);
    return self != NULL && is_static ? with_static(state, self) : self;
}

static PyObject *bus_shared(PyObject *type, PyObject *name) {
    ext_state *state = ext_state_of_type((PyTypeObject *)type);
    ctie_str text;
    if (state == NULL || ext_text(name, "name", &text) < 0) {
        return NULL;
    }
    ctie_bus *handle = NULL;
    ctie_error *error = NULL;
    ctie_status status;
    /* Another thread may be making it, with factories in Python. */
    Py_BEGIN_ALLOW_THREADS
    status = ctie_bus_shared(text, &handle, &error);
    Py_END_ALLOW_THREADS
    return status == CTIE_OK ? ext_owner_new((PyTypeObject *)type, handle, name, close_bus, release_bus)
                             : ext_raise(state, status, error);
}

/* ---- The type ------------------------------------------------------------------------------------- */

static PyObject *bus_registrations(PyObject *object, PyObject *Py_UNUSED(unused)) {
    return PySequence_List(of(object)->bindings);
}

static PyObject *bus_repr(PyObject *object) {
    ext_owner *self = of(object);
    return PyUnicode_FromFormat("<crosstie.Bus %R%s%s>", self->name, self->is_shared ? " shared" : "",
                                self->handle == NULL ? " closed" : "");
}

static PyObject *bus_closed(PyObject *object, void *Py_UNUSED(closure)) {
    ctie_str name;
    return PyBool_FromLong(ctie_bus_name(of(object)->handle, &name) != CTIE_OK);
}

static PyMethodDef bus_methods[] = {
    {"open", EXT_METHOD(ext_bus_open), METH_FASTCALL | METH_KEYWORDS, DOC(Bus, open)},
    {"open_async", EXT_METHOD(ext_bus_open_async), METH_FASTCALL | METH_KEYWORDS, DOC(Bus, open_async)},
    {"call", EXT_METHOD(ext_bus_call), METH_FASTCALL | METH_KEYWORDS, DOC(Bus, call)},
    {"call_async", EXT_METHOD(ext_bus_call_async), METH_FASTCALL | METH_KEYWORDS, DOC(Bus, call_async)},
    {"_make_request", ext_bus_make_request, METH_VARARGS, DOC(Bus, _make_request)},
    {"_add_provider", ext_provider_add, METH_VARARGS, DOC(Bus, _add_provider)},
    {"_add_system_provider", EXT_METHOD(ext_system_provider_add), METH_VARARGS | METH_KEYWORDS,
     DOC(Bus, _add_system_provider)},
    {"_set_providers", ext_provider_set_all, METH_O, DOC(Bus, _set_providers)},
    {"_move_provider", ext_provider_move, METH_VARARGS, DOC(Bus, _move_provider)},
    {"_remove_provider", ext_provider_remove, METH_O, DOC(Bus, _remove_provider)},
    {"_providers", ext_provider_list, METH_NOARGS, DOC(Bus, _providers)},
    {"_set_provider_log", ext_provider_set_log, METH_VARARGS, DOC(Bus, _set_provider_log)},
    {"_provider_open_url", ext_provider_open_url, METH_VARARGS, DOC(Bus, _provider_open_url)},
    {"_provider_open_activity", ext_provider_open_activity, METH_VARARGS, DOC(Bus, _provider_open_activity)},
    {"broadcast", EXT_METHOD(ext_bus_broadcast), METH_FASTCALL | METH_KEYWORDS, DOC(Bus, broadcast)},
    {"_broadcast", ext_bus_broadcast_with, METH_VARARGS, DOC(Bus, _broadcast)},
    {"_add_component", EXT_METHOD(ext_component_add), METH_VARARGS | METH_KEYWORDS, DOC(Bus, _add_component)},
    {"_remove_component", ext_component_remove, METH_O, DOC(Bus, _remove_component)},
    {"_components", ext_component_list, METH_NOARGS, DOC(Bus, _components)},
    {"_components_anywhere", ext_component_list_anywhere, METH_NOARGS, DOC(Bus, _components_anywhere)},
    {"_set_fallback", EXT_METHOD(ext_fallback_set), METH_VARARGS | METH_KEYWORDS, DOC(Bus, _set_fallback)},
    {"_set_resolver", EXT_METHOD(ext_resolver_set), METH_VARARGS | METH_KEYWORDS, DOC(Bus, _set_resolver)},
    {"_selector", ext_selector_new, METH_VARARGS, DOC(Bus, _selector)},
    {"_allow", ext_performer_allow, METH_O, DOC(Bus, _allow)},
    {"_release_target", ext_performer_release, METH_O, DOC(Bus, _release_target)},
    {"add_dispatcher", EXT_METHOD(ext_dispatcher_add), METH_VARARGS | METH_KEYWORDS, DOC(Bus, add_dispatcher)},
    {"cancel_all", EXT_METHOD(ext_dispatcher_cancel_all), METH_VARARGS | METH_KEYWORDS, DOC(Bus, cancel_all)},
    {"_stats", ext_bus_stats_list, METH_NOARGS, DOC(Bus, _stats)},
    {"_load_plugin", ext_plugin_load, METH_O, DOC(Bus, _load_plugin)},
    {"_unload_plugin", ext_plugin_unload, METH_O, DOC(Bus, _unload_plugin)},
    {"can_open", EXT_METHOD(ext_bus_can_open), METH_VARARGS | METH_KEYWORDS, DOC(Bus, can_open)},
    {"_remove_route", ext_route_remove, METH_O, DOC(Bus, _remove_route)},
    {"_clear_routes", ext_route_clear, METH_NOARGS, DOC(Bus, _clear_routes)},
    {"close", ext_owner_close, METH_NOARGS, DOC(Bus, close)},
    {"__enter__", ext_enter, METH_NOARGS, DOC(Bus, __enter__)},
    {"__exit__", ext_owner_exit, METH_VARARGS, DOC(Bus, __exit__)},
    {"_shared", bus_shared, METH_O | METH_CLASS, DOC(Bus, _shared)},
    {"_add_route", EXT_METHOD(ext_route_add), METH_VARARGS | METH_KEYWORDS, DOC(Bus, _add_route)},
    {"_handle_rule", EXT_METHOD(ext_rule_handle), METH_VARARGS | METH_KEYWORDS, DOC(Bus, _handle_rule)},
    {"_add_interceptor", EXT_METHOD(ext_interceptor_add), METH_VARARGS | METH_KEYWORDS, DOC(Bus, _add_interceptor)},
    {"_set_unmatched", EXT_METHOD(ext_unmatched_set), METH_VARARGS | METH_KEYWORDS, DOC(Bus, _set_unmatched)},
    {"_set_navigator", EXT_METHOD(ext_navigator_set), METH_VARARGS | METH_KEYWORDS, DOC(Bus, _set_navigator)},
    {"_set_system_opener", EXT_METHOD(ext_system_opener_set), METH_VARARGS | METH_KEYWORDS, DOC(Bus, _set_system_opener)},
    {"_load_rules", EXT_METHOD(ext_rules_load), METH_VARARGS | METH_KEYWORDS, DOC(Bus, _load_rules)},
    {"_unload_rules", ext_rules_unload, METH_NOARGS, DOC(Bus, _unload_rules)},
    {"_rules", ext_rules_document, METH_NOARGS, DOC(Bus, _rules)},
    {"_generate", ext_generate, METH_VARARGS, DOC(Bus, _generate)},
    {"url_for", EXT_METHOD(ext_bus_url_for), METH_FASTCALL | METH_KEYWORDS, DOC(Bus, url_for)},
    {"_generate_for_rule", ext_generate_for_rule, METH_VARARGS, DOC(Bus, _generate_for_rule)},
    {"_routes", ext_route_list, METH_NOARGS, DOC(Bus, _routes)},
    {"_registrations", bus_registrations, METH_NOARGS, DOC(Bus, _registrations)},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef bus_members[] = {
    {"name", T_OBJECT_EX, offsetof(ext_owner, name), READONLY, DOC(Bus, name)},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ext_owner, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef bus_getset[] = {
    {"closed", bus_closed, NULL, DOC(Bus, closed), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot bus_slots[] = {
    {Py_tp_doc, DOC_Bus},
    {Py_tp_new, bus_new},
    {Py_tp_traverse, ext_owner_traverse},
    {Py_tp_dealloc, ext_owner_dealloc},
    {Py_tp_repr, bus_repr},
    {Py_tp_methods, bus_methods},
    {Py_tp_members, bus_members},
    {Py_tp_getset, bus_getset},
    {0, NULL},
};

PyType_Spec ext_bus_spec = {
    "crosstie._crosstie.Bus", sizeof(ext_owner), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_IMMUTABLETYPE, bus_slots,
};
