/*
 * crosstie._crosstie.Join: a bus's membership in a group of joined buses. crosstie/_join.py adds the rest.
 */
#include "wormhole.h"
#include "../base/error.h"
#include "../base/text.h"
#include "../value/value.h"

#include "docstrings.h"

static ext_owner *of(PyObject *object) {
    return (ext_owner *)object;
}

static ctie_status release(void *handle) {
    return ctie_join_release(handle);
}

/** The arguments of Join(). */
typedef struct join_spec {
    PyObject *bus, *wormhole, *name;
    ext_texts exports, imports;
    ctie_join_options options;
} join_spec;

static int read_spec(ext_state *state, PyObject *args, PyObject *keywords, join_spec *out) {
    static char *names[] = {"bus",     "wormhole",      "name",      "exports",        "imports", "dispatcher",
                            "trusted", "shared_memory", "max_calls", "max_frame_size", NULL};
    PyObject *exports = NULL, *imports = NULL, *dispatcher = state->empty, *calls = NULL, *size = NULL;
    int is_trusted = 0, is_shared = 1;
    out->name = state->empty;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!O!|$UOOUppOO:Join", names, state->bus_type, &out->bus,
                                     state->wormhole_type, &out->wormhole, &out->name, &exports, &imports, &dispatcher,
                                     &is_trusted, &is_shared, &calls, &size) ||
        ext_text(out->name, "name", &out->options.name) < 0 ||
        ext_text(dispatcher, "dispatcher", &out->options.dispatcher) < 0 ||
        (calls != NULL && ext_uint32(calls, "max_calls", &out->options.max_calls) < 0) ||
        (size != NULL && ext_uint64(size, "max_frame_size", UINT64_MAX, &out->options.max_frame_size) < 0) ||
        (exports != NULL && ext_texts_read(exports, "exports", &out->exports) < 0) ||
        (imports != NULL && ext_texts_read(imports, "imports", &out->imports) < 0)) {
        return -1;
    }
    out->options.flags = (is_trusted ? CTIE_JOIN_TRUSTED : 0) | (is_shared ? 0 : CTIE_JOIN_NO_SHARED_MEMORY);
    out->options.exports = out->exports.list;
    out->options.imports = out->imports.list;
    return 0;
}

static ctie_join *join(const join_spec *spec, ctie_status *status, ctie_error **error) {
    ctie_bus *bus = of(spec->bus)->handle;
    ctie_wormhole *wormhole = of(spec->wormhole)->handle;
    ctie_join *handle = NULL;
    Py_BEGIN_ALLOW_THREADS
    *status = ctie_bus_join(bus, wormhole, &spec->options, &handle, error);
    Py_END_ALLOW_THREADS
    return handle;
}

static PyObject *join_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    ext_state *state = ext_state_of_type(type);
    join_spec spec = {.options = CTIE_JOIN_OPTIONS_INIT};
    PyObject *self = NULL;
    if (state != NULL && read_spec(state, args, keywords, &spec) == 0) {
        ctie_status status;
        ctie_error *error = NULL;
        ctie_join *handle = join(&spec, &status, &error);
        self = status == CTIE_OK ? ext_owner_new(type, handle, spec.name, release, release)
                                 : ext_raise(state, status, error);
        if (self != NULL) {
            of(self)->hold->needed = Py_NewRef(spec.wormhole);
        }
    }
    ext_texts_clear(&spec.exports);
    ext_texts_clear(&spec.imports);
    return self;
}

static PyObject *join_peers(PyObject *object, PyObject *Py_UNUSED(unused)) {
    ctie_join *handle = of(object)->handle;
    ctie_value *list = NULL;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_join_peers(handle, &list, &error);
    Py_END_ALLOW_THREADS
    return ext_value_result(of(object)->state, status, list, error);
}

static PyObject *join_set_exports(PyObject *object, PyObject *names) {
    ext_texts exports = {0};
    ctie_join *handle = of(object)->handle;
    ctie_error *error = NULL;
    ctie_status status;
    if (ext_texts_read(names, "exports", &exports) < 0) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    status = ctie_join_set_exports(handle, exports.list, &error);
    Py_END_ALLOW_THREADS
    ext_texts_clear(&exports);
    return ext_done(of(object)->state, status, error);
}

/** A callback for peers, as the library keeps it. */
typedef struct peer_listener {
    ext_state *state;
    PyObject *callback;
} peer_listener;

/** Calls the listener with the event's name and the peer. Its exception goes to sys.unraisablehook. */
static void notify(ctie_peer_event event, const ctie_value *peer, void *user_data) {
    EXT_GIL(gil);
    static const char *const names[] = {
        [CTIE_PEER_JOINED] = "joined", [CTIE_PEER_LEFT] = "left", [CTIE_PEER_CHANGED] = "changed",
    };
    if (!ext_gil_enter(&gil)) {
        return;
    }
    peer_listener *self = user_data;
    PyObject *described = ext_value_object(self->state, peer);
    PyObject *result = described == NULL ? NULL : PyObject_CallFunction(self->callback, "sO", names[event], described);
    if (result == NULL) {
        ext_unraisable(self->callback);
    }
    Py_XDECREF(described);
    Py_XDECREF(result);
    ext_gil_leave(&gil);
}

static void drop_listener(void *user_data) {
    peer_listener *self = user_data;
    EXT_GIL(gil);
    if (ext_gil_enter(&gil)) {
        Py_DECREF(self->callback);
        PyMem_RawFree(self);
        ext_gil_leave(&gil);
    }
}

/** Takes a callable of the event's name and a mapping, or None. */
static PyObject *join_set_listener(PyObject *object, PyObject *callback) {
    ctie_join *handle = of(object)->handle;
    ctie_error *error = NULL;
    ctie_status status;
    ctie_peer_listener listener = CTIE_PEER_LISTENER(NULL, NULL);
    if (callback != Py_None) {
        peer_listener *own = PyMem_RawMalloc(sizeof *own);
        if (own == NULL) {
            return PyErr_NoMemory();
        }
        *own = (peer_listener){of(object)->state, Py_NewRef(callback)};
        listener = CTIE_PEER_LISTENER_OWNED(notify, own, drop_listener);
    }
    Py_BEGIN_ALLOW_THREADS
    status = ctie_join_set_listener(handle, listener, &error);
    Py_END_ALLOW_THREADS
    return ext_done(of(object)->state, status, error);
}

static PyObject *join_closed(PyObject *object, void *Py_UNUSED(closure)) {
    return PyBool_FromLong(of(object)->handle == NULL);
}

static PyMethodDef join_methods[] = {
    {"_peers", join_peers, METH_NOARGS, DOC(Join, _peers)},
    {"set_exports", join_set_exports, METH_O, DOC(Join, set_exports)},
    {"_set_listener", join_set_listener, METH_O, DOC(Join, _set_listener)},
    {"close", ext_owner_close, METH_NOARGS, DOC(Join, close)},
    {"__enter__", ext_enter, METH_NOARGS, DOC(Join, __enter__)},
    {"__exit__", ext_owner_exit, METH_VARARGS, DOC(Join, __exit__)},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef join_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ext_owner, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef join_getset[] = {
    {"closed", join_closed, NULL, DOC(Join, closed), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot join_slots[] = {
    {Py_tp_doc, DOC_Join},
    {Py_tp_new, join_new},
    {Py_tp_traverse, ext_owner_traverse},
    {Py_tp_dealloc, ext_owner_dealloc},
    {Py_tp_methods, join_methods},
    {Py_tp_members, join_members},
    {Py_tp_getset, join_getset},
    {0, NULL},
};

PyType_Spec ext_join_spec = {
    "crosstie._crosstie.Join", sizeof(ext_owner), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_IMMUTABLETYPE, join_slots,
};
