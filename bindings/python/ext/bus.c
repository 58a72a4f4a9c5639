/*
 * crosstie._crosstie.Bus: making, closing, opening. crosstie/bus.py adds the decorators.
 */
#include "component.h"
#include "doors.h"

static ext_owner *of(PyObject *object) {
    return (ext_owner *)object;
}

/* ---- Making and closing --------------------------------------------------------------------------- */

/** The levels of the `logging` module, by those of Crosstie. */
static int logging_level(int32_t level) {
    static const int levels[] = {10, 20, 30, 40};
    return level >= CTIE_LOG_DEBUG && level <= CTIE_LOG_ERROR ? levels[level] : 40;
}

void ext_log_line(int32_t level, ctie_str message, void *user_data) {
    EXT_GIL(gil);
    if (!ext_gil_enter(&gil)) {
        return;
    }
    PyObject *text = PyUnicode_DecodeUTF8(message.data, (Py_ssize_t)message.size, "replace");
    PyObject *result = text == NULL ? NULL : PyObject_CallFunction(user_data, "isO", logging_level(level), "%s", text);
    if (result == NULL) {
        ext_unraisable(user_data);
    }
    Py_XDECREF(text);
    Py_XDECREF(result);
    ext_gil_leave(&gil);
}

void ext_log_drop(void *user_data) {
    EXT_GIL(gil);
    if (ext_gil_enter(&gil)) {
        Py_DECREF((PyObject *)user_data);
        ext_gil_leave(&gil);
    }
}

static ctie_status close_bus(void *handle) {
    return ctie_bus_close(handle);
}

static ctie_status release_bus(void *handle) {
    return ctie_bus_release(handle);
}

/** Gives a bus Python's static components, too. Takes the reference, and gives it back on success. */
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
        !PyArg_ParseTupleAndKeywords(args, keywords, "|U$UOOOppp:Bus", names, &name, &scheme, &workers, &queued, &match, &counts_hits, &has_stats, &is_static) ||
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
    /* Another thread may be making it, with factories that are Python's. */
    Py_BEGIN_ALLOW_THREADS
    status = ctie_bus_shared(text, &handle, &error);
    Py_END_ALLOW_THREADS
    return status == CTIE_OK ? ext_owner_new((PyTypeObject *)type, handle, name, close_bus, release_bus)
                             : ext_raise(state, status, error);
}

/* ---- Routes --------------------------------------------------------------------------------------- */

static PyObject *bus_remove_route(PyObject *object, PyObject *pattern_object) {
    ext_owner *self = of(object);
    ctie_str pattern;
    if (ext_text(pattern_object, "pattern", &pattern) < 0) {
        return NULL;
    }
    ctie_bus *handle = self->handle;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_route_remove(handle, pattern, &error);
    Py_END_ALLOW_THREADS
    return ext_done(self->state, status, error);
}

static PyObject *bus_clear_routes(PyObject *object, PyObject *Py_UNUSED(unused)) {
    ctie_bus *handle = of(object)->handle;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_route_clear(handle);
    Py_END_ALLOW_THREADS
    return ext_done(of(object)->state, status, NULL);
}

static PyObject *bus_routes(PyObject *object, PyObject *Py_UNUSED(unused)) {
    ext_owner *self = of(object);
    ctie_value *list = NULL;
    ctie_status status = ctie_route_list(self->handle, &list);
    if (status != CTIE_OK) {
        return ext_raise(self->state, status, NULL);
    }
    PyObject *result = ext_value_object(self->state, list);
    ctie_value_release(list);
    return result;
}

static PyObject *bus_registrations(PyObject *object, PyObject *Py_UNUSED(unused)) {
    return PySequence_List(of(object)->bindings);
}

/* ---- The type ------------------------------------------------------------------------------------- */

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
    {"open", EXT_METHOD(ext_bus_open), METH_FASTCALL | METH_KEYWORDS,
     PyDoc_STR("open($self, url, /, *, origin='local', user_info=None, timeout=2.5, parent=None, mode=None,\n"
               "     interceptors=(), dispatcher='', priority='normal', progress=None, loop=None)\n--\n\n"
               "Open a URL: run the handler of the most specific route or rule on this thread; return its Response.\n\n"
               "origin        'remote' for anything that came from outside; it reaches what is public only.\n"
               "user_info     a dict handed to the handler beside the URL.\n"
               "timeout       seconds until the request ends with a TimeoutError; None or 0: never.\n"
               "parent        the Request that this is done for; default: the one that this thread handles.\n"
               "mode          'exact' or 'nearest'; default: the bus's.\n"
               "interceptors  functions that see this request alone, before the bus's interceptors.\n"
               "dispatcher    whose worker runs what has to run on one; default: the bus's own.\n"
               "progress      called with what the handler tells of its progress.\n\n"
               "What is opened for a remote request is remote too: inside its handler, and wherever Python's context\n"
               "goes from there (tasks of asyncio, asyncio.to_thread(), contextvars.copy_context()).\n\n"
               "Raises what the handler raised, or an Error: NoRouteError, DeniedError, UrlError, TimeoutError…")},
    {"open_async", EXT_METHOD(ext_bus_open_async), METH_FASTCALL | METH_KEYWORDS,
     PyDoc_STR("open_async($self, url, /, *, origin='local', user_info=None, timeout=60, parent=None, mode=None,\n"
               "           interceptors=(), completion=None, dispatcher='', priority='normal', progress=None,\n"
               "           loop=None)\n--\n\n"
               "Open a URL on a worker thread of the bus and return a Call at once.\n\n"
               "completion  called with the Response, whatever it is.\n"
               "priority    'low', 'normal' or 'high': who leaves a dispatcher's queue first.\n"
               "loop        the Loop where completion and progress are called; default: on a worker thread.\n"
               "The rest is as for open().\n\n"
               "A failure that nobody asks for goes to sys.unraisablehook.")},
    {"call", EXT_METHOD(ext_bus_call), METH_FASTCALL | METH_KEYWORDS,
     PyDoc_STR("call($self, component, action, params=None, /, **keywords)\n--\n\n"
               "Call an action of a component and return what it answers. It runs on this thread, unless it is marked\n"
               "worker-only.\n\n"
               "params    a mapping; a dict is handed on as it is, so that an action in Python gets the very object.\n"
               "keywords  the same, by keywords; either this or that.\n\n"
               "What else there is to say is said by with_options(): `bus.with_options(timeout=1).call(…)`.\n\n"
               "Raises what the action raised, or a CallError: NoComponentError, NoActionError, TimeoutError…")},
    {"call_async", EXT_METHOD(ext_bus_call_async), METH_FASTCALL | METH_KEYWORDS,
     PyDoc_STR("call_async($self, component, action, params=None, /, **keywords)\n--\n\n"
               "Call an action on a worker thread of the bus and return a Call at once.")},
    {"_ask", ext_bus_ask, METH_VARARGS,
     PyDoc_STR("_ask($self, kind, is_async, target, action, params, options, flags, /)\n--\n\n"
               "Make a request of any kind with a dict of options.")},
    {"_add_provider", ext_provider_add, METH_VARARGS,
     PyDoc_STR("_add_provider($self, description, position, /)\n--\n\nRegister a provider.")},
    {"add_system_provider", (PyCFunction)(void (*)(void))ext_system_provider_add, METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("add_system_provider($self, position=None, /, *, name='', mail='', opener='', clipboard='',\n"
               "                    launcher='', directory='', keep_files=False)\n--\n\n"
               "Put the system's provider into the list: it shares by the mail composer, the clipboard or by opening\n"
               "files, and launches the desktop's applications. docs/providers-system.md says how.\n\n"
               "name        default: \"system\", by which remove_provider() takes it away again.\n"
               "mail, opener, clipboard, launcher  programs; default: xdg-email, xdg-open, the first there is of\n"
               "            wl-copy, xclip and xsel, and gio.\n"
               "directory   where shared files are written, an absolute path; default: $TMPDIR or /tmp.\n"
               "keep_files  whether they stay when the provider goes.\n\n"
               "Raises ArgumentError for options that cannot be, ConflictError for the second provider of a name.")},
    {"_set_providers", ext_provider_set_all, METH_O,
     PyDoc_STR("_set_providers($self, descriptions, /)\n--\n\nRegister providers in the place of all.")},
    {"_move_provider", ext_provider_move, METH_VARARGS,
     PyDoc_STR("_move_provider($self, name, position, /)\n--\n\nMove a provider; None: to the end.")},
    {"remove_provider", ext_provider_remove, METH_O,
     PyDoc_STR("remove_provider($self, name, /)\n--\n\n"
               "Remove the provider of that name, whoever registered it. Raises NotFoundError.")},
    {"_providers", ext_provider_list, METH_NOARGS, PyDoc_STR("_providers($self, /)\n--\n\nThe providers as dicts.")},
    {"_set_provider_log", ext_provider_set_log, METH_VARARGS,
     PyDoc_STR("_set_provider_log($self, name, function, /)\n--\n\nSend a provider's log to a function, or None.")},
    {"_provider_open_url", ext_provider_open_url, METH_VARARGS,
     PyDoc_STR("_provider_open_url($self, url, options, /)\n--\n\nOffer a URL to the providers.")},
    {"_provider_open_activity", ext_provider_open_activity, METH_VARARGS,
     PyDoc_STR("_provider_open_activity($self, activity, options, /)\n--\n\nOffer an activity to the providers.")},
    {"_broadcast", ext_bus_broadcast, METH_VARARGS,
     PyDoc_STR("_broadcast($self, event, params, options, /)\n--\n\nRun an event.")},
    {"_add_component", EXT_METHOD(ext_component_add), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("_add_component($self, name, handler, actions, /, *, factory=None, replace=False, static=False,\n"
               "               priority=0, doc='', type='', dispatcher='', interceptors=())\n--\n\n"
               "Register a component with its actions.")},
    {"_remove_component", ext_component_remove, METH_O,
     PyDoc_STR("_remove_component($self, name, /)\n--\n\nRemove a component by its name.")},
    {"_components", ext_component_list, METH_NOARGS,
     PyDoc_STR("_components($self, /)\n--\n\nThe components as dicts.")},
    {"_set_fallback", EXT_METHOD(ext_fallback_set), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("_set_fallback($self, handler, plan, /, *, public=False, worker_only=False, interceptors=())\n--\n\n"
               "Set the handler of what is performed and not found.")},
    {"_set_resolver", EXT_METHOD(ext_resolver_set), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("_set_resolver($self, handler, plan, /, *, public=False, worker_only=False, interceptors=())\n--\n\n"
               "Set the resolver of `python:`.")},
    {"_selector", ext_selector_new, METH_VARARGS,
     PyDoc_STR("_selector($self, function, plan, /)\n--\n\nA function that a resolver has found, to be called.")},
    {"_allow", ext_performer_allow, METH_O,
     PyDoc_STR("_allow($self, target, /)\n--\n\nPut a target on the allow-list.")},
    {"release_target", ext_performer_release, METH_O,
     PyDoc_STR("release_target($self, target, /)\n--\n\n"
               "Let go of the instance that is kept of a target. Raises NotFoundError when none is.")},
    {"add_dispatcher", EXT_METHOD(ext_dispatcher_add), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("add_dispatcher($self, name, /, *, workers=0, queued=0)\n--\n\n"
               "Add threads for what must not wait behind other requests, for as long as the bus lives.\n\n"
               "workers  threads at most; 0: 64.\n"
               "queued   requests that may wait; 0: 65,536.\n\n"
               "A request goes there if it says so, or if its component does. Raises ConflictError.")},
    {"cancel_all", EXT_METHOD(ext_dispatcher_cancel_all), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("cancel_all($self, /, dispatcher='')\n--\n\n"
               "Cancel every asynchronous request of a dispatcher, queued or running; return how many.")},
    {"_stats", ext_bus_stats_list, METH_NOARGS,
     PyDoc_STR("_stats($self, /)\n--\n\nWhat the bus has counted, as dicts.")},
    {"_load_plugin", ext_plugin_load, METH_O,
     PyDoc_STR("_load_plugin($self, path, /)\n--\n\nLoad a plug-in.")},
    {"_unload_plugin", ext_plugin_unload, METH_O,
     PyDoc_STR("_unload_plugin($self, path, /)\n--\n\nUnload a plug-in.")},
    {"can_open", EXT_METHOD(ext_bus_can_open), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("can_open($self, url, /, *, origin='local', mode=None)\n--\n\n"
               "Who would open a URL: 'route' (or a rule), 'provider', 'system' (the system opener), or None for nobody.\n\n"
               "No handler and no interceptor runs; a rule's parameters are checked.")},
    {"remove_route", bus_remove_route, METH_O,
     PyDoc_STR("remove_route($self, pattern, /)\n--\n\n"
               "Remove the route of that pattern, whoever registered it. Raises NotFoundError.")},
    {"clear_routes", bus_clear_routes, METH_NOARGS,
     PyDoc_STR("clear_routes($self, /)\n--\n\n"
               "Remove all routes, whoever registered them. Rules, interceptors and the handlers that stand\n"
               "under no pattern stay.")},
    {"close", ext_owner_close, METH_NOARGS,
     PyDoc_STR("close($self, /)\n--\n\n"
               "Close the bus: wait for the handlers that run and remove what is registered.\n\n"
               "Doing it again does nothing, nor does doing it in a forked child; any other use afterwards\n"
               "raises ClosedError.")},
    {"__enter__", ext_enter, METH_NOARGS, PyDoc_STR("__enter__($self, /)\n--\n\nReturn self.")},
    {"__exit__", ext_owner_exit, METH_VARARGS, PyDoc_STR("__exit__($self, /, *args)\n--\n\nClose the bus.")},
    {"_shared", bus_shared, METH_O | METH_CLASS,
     PyDoc_STR("_shared($type, name, /)\n--\n\nA new object for the process's bus of that name.")},
    {"_add_route", EXT_METHOD(ext_route_add), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("_add_route($self, pattern, handler, plan, /, *, name='', rule=None, public=False, worker_only=False,\n"
               "           replace=False, remark='', interceptors=())\n--\n\n"
               "Register a handler, to be called by a plan of crosstie.signature.")},
    {"_handle_rule", EXT_METHOD(ext_rule_handle), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("_handle_rule($self, id, handler, plan, /, *, worker_only=False, interceptors=())\n--\n\n"
               "Register the handler of a rule.")},
    {"add_interceptor", EXT_METHOD(ext_interceptor_add), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("add_interceptor($self, interceptor, /, *, order=0, kinds=None, dispatcher='')\n--\n\n"
               "Register an interceptor, as interceptor() does, and return its Registration.")},
    {"_set_unmatched", EXT_METHOD(ext_unmatched_set), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("_set_unmatched($self, handler, plan, /, *, public=False, worker_only=False, interceptors=())\n--\n\n"
               "Set the handler of what nobody else takes.")},
    {"_set_navigator", EXT_METHOD(ext_navigator_set), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("_set_navigator($self, handler, plan, /, *, public=False, worker_only=False, interceptors=())\n--\n\n"
               "Set the handler of every rule that has none of its own.")},
    {"_set_opener", EXT_METHOD(ext_opener_set), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("_set_opener($self, handler, plan, schemes, /, *, remote=False, enabled=True, program='')\n--\n\n"
               "Set the system's opener; without a handler, which is None then, a program is started.")},
    {"_load_rules", EXT_METHOD(ext_rules_load), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("_load_rules($self, json, path, /, *, platform='', public_schemes=(), private_schemes=(),\n"
               "            route_hosts=(), web_hosts=(), rollback=False)\n--\n\n"
               "Load a rule table: a document in bytes, or the path of one; the other is None.")},
    {"_unload_rules", ext_rules_unload, METH_NOARGS,
     PyDoc_STR("_unload_rules($self, /)\n--\n\nTake the rule table away.")},
    {"_rules", ext_rules_document, METH_NOARGS, PyDoc_STR("_rules($self, /)\n--\n\nThe rule table, or None.")},
    {"_generate", ext_generate, METH_VARARGS,
     PyDoc_STR("_generate($self, pattern, params, /)\n--\n\n"
               "The URL of a pattern with a dict or a list of parameters.")},
    {"_generate_named", ext_generate_named, METH_VARARGS,
     PyDoc_STR("_generate_named($self, name, params, query, /)\n--\n\nThe URL of a route that has a name.")},
    {"_generate_for_rule", ext_generate_for_rule, METH_VARARGS,
     PyDoc_STR("_generate_for_rule($self, name, params, web, private, by_target, /)\n--\n\nThe URL of a rule.")},
    {"_routes", bus_routes, METH_NOARGS, PyDoc_STR("_routes($self, /)\n--\n\nThe routes as dicts.")},
    {"_registrations", bus_registrations, METH_NOARGS,
     PyDoc_STR("_registrations($self, /)\n--\n\nWhat Python has registered.")},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef bus_members[] = {
    {"name", T_OBJECT_EX, offsetof(ext_owner, name), READONLY, "The name it was made with."},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ext_owner, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef bus_getset[] = {
    {"closed", bus_closed, NULL, "Whether it has been closed, or was made before a fork.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot bus_slots[] = {
    {Py_tp_doc, PyDoc_STR("Bus(name='', *, default_scheme='', max_workers=0, max_queued=0, match='exact',\n"
                          "    count_hits=False, stats=False, static=False)\n--\n\n"
                          "What crosstie.Bus is made of.")},
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
