/*
 * crosstie._crosstie.Wormhole: opening and closing a group. crosstie/_wormhole.py adds the rest.
 */
#include "wormhole.h"
#include "../base/error.h"
#include "../base/text.h"

#include "docstrings.h"

static ext_owner *of(PyObject *object) {
    return (ext_owner *)object;
}

/* ---- New wormholes -------------------------------------------------------------------------------- */

static ctie_status release(void *handle) {
    return ctie_wormhole_release(handle);
}

static int read_timeout(PyObject *seconds, uint32_t *out) {
    int64_t milliseconds = 0;
    if (ext_milliseconds(seconds, "timeout", &milliseconds) < 0) {
        return -1;
    }
    bool fits = milliseconds >= 0 && milliseconds <= UINT32_MAX;
    *out = !fits ? UINT32_MAX : milliseconds == 0 ? 1 : (uint32_t)milliseconds;
    return 0;
}

/** Reads seconds as milliseconds; None is 0. */
static int read_span(PyObject *seconds, const char *what, uint64_t *out) {
    int64_t milliseconds = 0;
    if (ext_milliseconds(seconds, what, &milliseconds) < 0) {
        return -1;
    }
    *out = milliseconds > 0 ? (uint64_t)milliseconds : 0;
    return 0;
}

/** Reads the seconds until a message expires, as `send()` does: 1 millisecond at least; None is never. */
static int read_expiry(PyObject *seconds, uint64_t *out) {
    if (read_span(seconds, "expires", out) < 0) {
        return -1;
    }
    *out = seconds == Py_None || *out > 0 ? *out : 1;
    return 0;
}

/** Reads "process" or "system". */
static int read_durability(PyObject *object, uint32_t *flags) {
    if (PyUnicode_CompareWithASCIIString(object, "system") == 0) {
        *flags |= CTIE_WORMHOLE_SYSTEM;
    } else if (PyUnicode_CompareWithASCIIString(object, "process") != 0) {
        PyErr_Format(PyExc_ValueError, "durability must be 'process' or 'system', not %R", object);
        return -1;
    }
    return 0;
}

/** Reads the sizes, in the order of the keywords. */
static int read_sizes(PyObject *const *sizes, ctie_wormhole_options *out) {
    return ext_uint64(sizes[0], "map_size", UINT64_MAX, &out->map_size) < 0 ||
                   ext_uint64(sizes[1], "max_map_size", UINT64_MAX, &out->max_map_size) < 0 ||
                   ext_uint64(sizes[2], "max_value_size", UINT64_MAX, &out->max_value_size) < 0 ||
                   ext_uint64(sizes[3], "max_queued", UINT64_MAX, &out->max_queued) < 0 ||
                   ext_uint64(sizes[4], "max_queued_size", UINT64_MAX, &out->max_queued_size) < 0 ||
                   ext_uint64(sizes[5], "retain_count", UINT64_MAX, &out->retain_count) < 0 ||
                   ext_uint64(sizes[6], "retain_size", UINT64_MAX, &out->retain_size) < 0
               ? -1
               : 0;
}

/** The arguments of Wormhole(). */
typedef struct open_spec {
    PyObject *group;
    ctie_str text;
    /** Keep the bytes of the directory and of the server's paths; may be NULL. */
    PyObject *paths[1 + EXT_SERVER_PATHS];
    ctie_wormhole_options options;
} open_spec;

static int read_spec(ext_state *state, PyObject *args, PyObject *keywords, open_spec *out) {
    static char *names[] = {"group",   "directory",  "name", "map_size", "max_map_size", "max_value_size",
                            "timeout", "durability", "fast", "memory",   "max_queued",   "max_queued_size",
                            "any_filesystem", "retain", "retain_count", "retain_size", "expires", "delay", "existing",
                            "credentials", "nkey_seed", "token", "user", "password", "tls_ca", "tls_certificate",
                            "tls_key", "replicas", "max_age", "offline", NULL};
    PyObject *directory = Py_None, *name = state->empty, *timeout = NULL, *durability = NULL, *retain = Py_None;
    PyObject *expires = Py_None, *delay = Py_None;
    ctie_wormhole_options *options = &out->options;
    PyObject *sizes[7] = {NULL};
    ext_server server = {NULL};
    int is_fast = 0, is_memory = 0, is_anywhere = 0, is_existing = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "U|$OUOOOOUppOOpOOOOOpOOOOOOOOOOp:Wormhole", names, &out->group, &directory,
                                     &name, &sizes[0], &sizes[1], &sizes[2], &timeout, &durability, &is_fast,
                                     &is_memory, &sizes[3], &sizes[4], &is_anywhere, &retain, &sizes[5], &sizes[6],
                                     &expires, &delay, &is_existing, &server.credentials, &server.nkey_seed,
                                     &server.token, &server.user, &server.password, &server.tls_ca,
                                     &server.tls_certificate, &server.tls_key, &server.replicas, &server.max_age,
                                     &server.offline)) {
        return -1;
    }
    options->flags = (is_fast ? CTIE_WORMHOLE_FAST : 0) | (is_memory ? CTIE_WORMHOLE_MEMORY : 0) |
                     (is_anywhere ? CTIE_WORMHOLE_ANY_FILESYSTEM : 0) | (is_existing ? CTIE_WORMHOLE_EXISTING : 0);
    if (read_sizes(sizes, options) < 0 || ext_text(out->group, "group", &out->text) < 0 ||
        ext_text(name, "name", &options->name) < 0 ||
        (timeout != NULL && read_timeout(timeout, &options->timeout_ms) < 0) ||
        read_span(retain, "retain", &options->retain_ms) < 0 ||
        read_expiry(expires, &options->expires_ms) < 0 ||
        read_span(delay, "delay", &options->delay_ms) < 0 ||
        (durability != NULL && read_durability(durability, &options->flags) < 0)) {
        return -1;
    }
    return ext_path(directory, "directory", &out->paths[0], &options->directory) < 0 ||
                   ext_server_read(&server, &out->paths[1], options) < 0
               ? -1
               : 0;
}

static void drop_paths(open_spec *spec) {
    for (size_t i = 0; i < sizeof spec->paths / sizeof spec->paths[0]; i++) {
        Py_CLEAR(spec->paths[i]);
    }
}

static PyObject *wormhole_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    ext_state *state = ext_state_of_type(type);
    open_spec spec = {.options = CTIE_WORMHOLE_OPTIONS_INIT};
    if (state == NULL || read_spec(state, args, keywords, &spec) < 0) {
        drop_paths(&spec);
        return NULL;
    }
    PyObject *shown = ext_shown_group(spec.group, spec.text);
    if (shown == NULL || ext_prepare_engine(state, spec.text) < 0) {
        Py_XDECREF(shown);
        drop_paths(&spec);
        return NULL;
    }
    ctie_wormhole *handle = NULL;
    ctie_error *error = NULL;
    ctie_status status;
    spec.options.log = CTIE_LOGGER_OWNED(ext_log_line, Py_NewRef(state->log), ext_log_drop);
    Py_BEGIN_ALLOW_THREADS
    status = ctie_wormhole_open(spec.text, &spec.options, &handle, &error);
    Py_END_ALLOW_THREADS
    drop_paths(&spec);
    PyObject *made =
        status == CTIE_OK ? ext_owner_new(type, handle, shown, release, release) : ext_raise(state, status, error);
    Py_DECREF(shown);
    return made;
}

/* ---- Listeners ------------------------------------------------------------------------------------ */

/** Takes Crosstie's answer after removing listeners, and the list of those that are known here. */
static PyObject *removed(PyObject *object, PyObject *list, ctie_status status, ctie_error *error) {
    if (status < 0) {
        Py_DECREF(list);
    } else {
        ext_bindings_forget(list);
    }
    return ext_done(of(object)->state, status, error);
}

static PyObject *wormhole_remove(PyObject *object, PyObject *args) {
    PyObject *identifier_object, *name_object;
    ctie_str identifier = {NULL, 0}, name = {NULL, 0};
    if (!PyArg_ParseTuple(args, "OO:_remove", &identifier_object, &name_object) ||
        (identifier_object != Py_None && ext_text(identifier_object, "identifier", &identifier) < 0) ||
        (name_object != Py_None && ext_text(name_object, "name", &name) < 0)) {
        return NULL;
    }
    bool has_name = name_object != Py_None;
    PyObject *list = ext_listeners_at(of(object), identifier_object, has_name ? name_object : NULL);
    if (list == NULL) {
        return NULL;
    }
    ctie_wormhole *handle = of(object)->handle;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = has_name ? ctie_wormhole_remove_listener(handle, identifier, name, &error)
                      : ctie_wormhole_remove_listeners(handle, identifier, &error);
    Py_END_ALLOW_THREADS
    return removed(object, list, status, error);
}

static PyObject *wormhole_listeners(PyObject *object, PyObject *Py_UNUSED(unused)) {
    return PySequence_List(of(object)->bindings);
}

static PyObject *wormhole_remove_all(PyObject *object, PyObject *Py_UNUSED(unused)) {
    PyObject *list = ext_listeners_at(of(object), NULL, NULL);
    if (list == NULL) {
        return NULL;
    }
    ctie_wormhole *handle = of(object)->handle;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_wormhole_remove_all_listeners(handle);
    Py_END_ALLOW_THREADS
    return removed(object, list, status, NULL);
}

/* ---- The type ------------------------------------------------------------------------------------- */

static PyObject *wormhole_repr(PyObject *object) {
    ext_owner *self = of(object);
    return PyUnicode_FromFormat("<crosstie.Wormhole %R%s>", self->name, self->handle == NULL ? " closed" : "");
}

static PyObject *wormhole_closed(PyObject *object, void *Py_UNUSED(closure)) {
    return PyBool_FromLong(of(object)->handle == NULL);
}

static PyMethodDef wormhole_methods[] = {
    {"send", EXT_METHOD(ext_wormhole_send), METH_FASTCALL | METH_KEYWORDS, DOC(Wormhole, send)},
    {"signal", EXT_METHOD(ext_wormhole_signal), METH_FASTCALL | METH_KEYWORDS, DOC(Wormhole, signal)},
    {"_scheduled", ext_wormhole_scheduled, METH_VARARGS, DOC(Wormhole, _scheduled)},
    {"cancel_scheduled", ext_wormhole_cancel_scheduled, METH_O, DOC(Wormhole, cancel_scheduled)},
    {"message", ext_wormhole_message, METH_O, DOC(Wormhole, message)},
    {"destroy", ext_wormhole_destroy, METH_O, DOC(Wormhole, destroy)},
    {"destroy_all", ext_wormhole_destroy_all, METH_NOARGS, DOC(Wormhole, destroy_all)},
    {"_send_many", EXT_METHOD(ext_wormhole_send_many), METH_FASTCALL | METH_KEYWORDS, DOC(Wormhole, _send_many)},
    {"identifiers", ext_wormhole_identifiers, METH_VARARGS, DOC(Wormhole, identifiers)},
    {"_abilities", ext_wormhole_abilities, METH_NOARGS, DOC(Wormhole, _abilities)},
    {"_members", ext_wormhole_members, METH_NOARGS, DOC(Wormhole, _members)},
    {"_connection", ext_wormhole_connection, METH_NOARGS, DOC(Wormhole, _connection)},
    {"_listen", ext_listener_add, METH_VARARGS, DOC(Wormhole, _listen)},
    {"_remove", wormhole_remove, METH_VARARGS, DOC(Wormhole, _remove)},
    {"_listeners", wormhole_listeners, METH_NOARGS, DOC(Wormhole, _listeners)},
    {"_dead_letters", ext_wormhole_dead_letters, METH_VARARGS, DOC(Wormhole, _dead_letters)},
    {"dead_letter", ext_wormhole_dead_letter, METH_VARARGS, DOC(Wormhole, dead_letter)},
    {"_retry_or_drop", ext_wormhole_retry_or_drop, METH_VARARGS, DOC(Wormhole, _retry_or_drop)},
    {"_declare", ext_wormhole_declare, METH_VARARGS, DOC(Wormhole, _declare)},
    {"_durables", ext_wormhole_durables, METH_NOARGS, DOC(Wormhole, _durables)},
    {"_seek", ext_wormhole_seek, METH_VARARGS, DOC(Wormhole, _seek)},
    {"forget", ext_wormhole_forget, METH_VARARGS, DOC(Wormhole, forget)},
    {"_remove_all", wormhole_remove_all, METH_NOARGS, DOC(Wormhole, _remove_all)},
    {"close", ext_owner_close, METH_NOARGS, DOC(Wormhole, close)},
    {"__enter__", ext_enter, METH_NOARGS, DOC(Wormhole, __enter__)},
    {"__exit__", ext_owner_exit, METH_VARARGS, DOC(Wormhole, __exit__)},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef wormhole_members[] = {
    {"group", T_OBJECT_EX, offsetof(ext_owner, name), READONLY, DOC(Wormhole, group)},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ext_owner, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef wormhole_getset[] = {
    {"closed", wormhole_closed, NULL, DOC(Wormhole, closed), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot wormhole_slots[] = {
    {Py_tp_doc, DOC_Wormhole},
    {Py_tp_new, wormhole_new},
    {Py_tp_traverse, ext_owner_traverse},
    {Py_tp_dealloc, ext_owner_dealloc},
    {Py_tp_repr, wormhole_repr},
    {Py_tp_methods, wormhole_methods},
    {Py_tp_members, wormhole_members},
    {Py_tp_getset, wormhole_getset},
    {Py_mp_subscript, ext_wormhole_get_item},
    {Py_mp_ass_subscript, ext_wormhole_set_item},
    {Py_sq_contains, ext_wormhole_contains},
    {0, NULL},
};

PyType_Spec ext_wormhole_spec = {
    "crosstie._crosstie.Wormhole", sizeof(ext_owner), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_IMMUTABLETYPE, wormhole_slots,
};
