/*
 * crosstie._crosstie.Wormhole: opening a group, sending and reading. crosstie/wormhole.py adds the rest.
 */
#include "crosstie_ext.h"

static ext_owner *of(PyObject *object) {
    return (ext_owner *)object;
}

/* ---- Opening and closing -------------------------------------------------------------------------- */

static ctie_status release(void *handle) {
    return ctie_wormhole_release(handle);
}

/** The bytes of a path, which `holder` keeps; None gives the empty text. */
static int path_text(PyObject *object, PyObject **holder, ctie_str *out) {
    if (object == Py_None) {
        return 0;
    }
    if (!PyUnicode_FSConverter(object, holder)) {
        return -1;
    }
    *out = (ctie_str){PyBytes_AS_STRING(*holder), (size_t)PyBytes_GET_SIZE(*holder)};
    return 0;
}

static int read_timeout(PyObject *seconds, uint32_t *out) {
    int64_t milliseconds = 0;
    if (ext_milliseconds(seconds, &milliseconds) < 0) {
        return -1;
    }
    bool fits = milliseconds >= 0 && milliseconds <= UINT32_MAX;
    *out = !fits ? UINT32_MAX : milliseconds == 0 ? 1 : (uint32_t)milliseconds;
    return 0;
}

static PyObject *wormhole_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    static char *names[] = {"group", "directory", "name", "map_size", "max_value_size", "timeout", "fast", NULL};
    ext_state *state = ext_state_of_type(type);
    PyObject *group, *directory = Py_None, *name = state == NULL ? NULL : state->empty, *timeout = NULL;
    unsigned long long map_size = 0, max_value_size = 0;
    int is_fast = 0;
    ctie_str group_text;
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    if (state == NULL ||
        !PyArg_ParseTupleAndKeywords(args, keywords, "U|$OUKKOp:Wormhole", names, &group, &directory, &name, &map_size,
                                     &max_value_size, &timeout, &is_fast) ||
        ext_text(group, "group", &group_text) < 0 || ext_text(name, "name", &options.name) < 0 ||
        (timeout != NULL && read_timeout(timeout, &options.timeout_ms) < 0)) {
        return NULL;
    }
    PyObject *path = NULL;
    if (path_text(directory, &path, &options.directory) < 0) {
        return NULL;
    }
    options.map_size = map_size;
    options.max_value_size = max_value_size;
    options.flags = is_fast ? CTIE_WORMHOLE_FAST : 0;
    ctie_wormhole *handle = NULL;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_wormhole_open(group_text, &options, &handle, &error);
    Py_END_ALLOW_THREADS
    Py_XDECREF(path);
    return status == CTIE_OK ? ext_owner_new(type, handle, group, release, release) : ext_raise(state, status, error);
}

/* ---- Listening ------------------------------------------------------------------------------------ */

static PyObject *wormhole_remove(PyObject *object, PyObject *args) {
    PyObject *identifier_object, *name_object;
    ctie_str identifier, name;
    if (!PyArg_ParseTuple(args, "UU:remove", &identifier_object, &name_object) ||
        ext_text(identifier_object, "identifier", &identifier) < 0 || ext_text(name_object, "name", &name) < 0) {
        return NULL;
    }
    ctie_wormhole *handle = of(object)->handle;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_wormhole_remove_listener(handle, identifier, name);
    Py_END_ALLOW_THREADS
    return ext_done(of(object)->state, status, NULL);
}

static PyObject *wormhole_remove_all(PyObject *object, PyObject *Py_UNUSED(unused)) {
    ctie_wormhole *handle = of(object)->handle;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_wormhole_remove_listeners(handle);
    Py_END_ALLOW_THREADS
    return ext_done(of(object)->state, status, NULL);
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
    {"send", EXT_METHOD(ext_wormhole_send), METH_FASTCALL,
     PyDoc_STR("send($self, identifier, value, /)\n--\n\n"
               "Store a value as the identifier's message, wake its listeners in every process, return a Sent.\n\n"
               "None stores null. Raises KindError for what cannot leave the process.")},
    {"signal", ext_wormhole_signal, METH_O,
     PyDoc_STR("signal($self, identifier, /)\n--\n\nWake the listeners; the stored message stays. Returns a Sent.")},
    {"message", ext_wormhole_message, METH_O,
     PyDoc_STR("message($self, identifier, /)\n--\n\nThe stored Message, None when there is none.")},
    {"destroy", ext_wormhole_destroy, METH_O,
     PyDoc_STR("destroy($self, identifier, /)\n--\n\nRemove the message; its listeners hear 'destroyed'.")},
    {"destroy_all", ext_wormhole_destroy_all, METH_NOARGS,
     PyDoc_STR("destroy_all($self, /)\n--\n\nRemove every message of the group.")},
    {"add_listener", EXT_METHOD(ext_listener_add), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("add_listener($self, identifier, callback, /, *, name='', first_fire=True)\n--\n\n"
               "Bind a callback to an identifier, or to a prefix ('chat.*', '*'), and return a Listener.\n\n"
               "It is called on the wormhole's thread with a Message: at once with what is stored (unless\n"
               "first_fire is false), then with whatever is newer; values in between may be skipped. A listener\n"
               "of the same name on the same identifier is replaced. What it raises goes to sys.unraisablehook.")},
    {"remove", wormhole_remove, METH_VARARGS,
     PyDoc_STR("remove($self, identifier, name, /)\n--\n\nRemove a listener by its name. Raises NotFoundError.")},
    {"remove_all", wormhole_remove_all, METH_NOARGS,
     PyDoc_STR("remove_all($self, /)\n--\n\nRemove all listeners of this wormhole.")},
    {"close", ext_owner_close, METH_NOARGS,
     PyDoc_STR("close($self, /)\n--\n\nRemove the listeners and let go of the group; doing it again does nothing.")},
    {"__enter__", ext_enter, METH_NOARGS, PyDoc_STR("__enter__($self, /)\n--\n\nReturn self.")},
    {"__exit__", ext_owner_exit, METH_VARARGS, PyDoc_STR("__exit__($self, /, *args)\n--\n\nClose the wormhole.")},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef wormhole_members[] = {
    {"group", T_OBJECT_EX, offsetof(ext_owner, name), READONLY, "The group's name."},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ext_owner, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef wormhole_getset[] = {
    {"closed", wormhole_closed, NULL, "Whether it has been closed.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot wormhole_slots[] = {
    {Py_tp_doc,
     PyDoc_STR("Wormhole(group, *, directory=None, name='', map_size=0, max_value_size=0, timeout=5.0, fast=False)\n"
               "--\n\nWhat crosstie.Wormhole is made of.")},
    {Py_tp_new, wormhole_new},
    {Py_tp_traverse, ext_owner_traverse},
    {Py_tp_finalize, ext_owner_finalize},
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
