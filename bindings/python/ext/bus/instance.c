/*
 * crosstie._crosstie.Instance: a process's claim on an application. crosstie/_instance.py adds the rest.
 */
#include "bus.h"
#include "../base/error.h"
#include "../base/owner.h"
#include "../base/text.h"
#include "../value/value.h"

#include "docstrings.h"

static ext_owner *of(PyObject *object) {
    return (ext_owner *)object;
}

static ctie_status release(void *handle) {
    return ctie_instance_release(handle);
}

static PyObject *instance_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    static char *names[] = {"bus", "application", "directory", "dispatcher", "dbus", NULL};
    ext_state *state = ext_state_of_type(type);
    ctie_instance_options options = CTIE_INSTANCE_OPTIONS_INIT;
    PyObject *bus = NULL, *application = NULL;
    if (state == NULL) {
        return NULL;
    }
    PyObject *directory = state->empty, *dispatcher = state->empty;
    int uses_dbus = 1;
    ctie_str name;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!U|$UUp:Instance", names, state->bus_type, &bus, &application,
                                     &directory, &dispatcher, &uses_dbus) ||
        ext_text(application, "application", &name) < 0 || ext_text(directory, "directory", &options.directory) < 0 ||
        ext_text(dispatcher, "dispatcher", &options.dispatcher) < 0) {
        return NULL;
    }
    options.flags = uses_dbus ? 0 : CTIE_INSTANCE_NO_DBUS;
    ctie_bus *handle = of(bus)->handle;
    ctie_instance *made = NULL;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_instance_claim(handle, name, &options, &made, &error);
    Py_END_ALLOW_THREADS
    return status == CTIE_OK ? ext_owner_new(type, made, application, release, release)
                             : ext_raise(state, status, error);
}

static PyObject *hand(PyObject *object, ctie_str_list urls, const ctie_value *activation, int64_t timeout) {
    ctie_instance *instance = of(object)->handle;
    ctie_value *answers = NULL;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_instance_hand(instance, urls, activation, timeout, &answers, &error);
    Py_END_ALLOW_THREADS
    if (status >= 0) { // CTIE_PENDING is a success
        return ext_value_result(of(object)->state, CTIE_OK, answers, error);
    }
    ctie_value_release(answers);
    return ext_raise(of(object)->state, status, error);
}

static PyObject *instance_hand(PyObject *object, PyObject *args) {
    PyObject *given, *activation, *seconds, *result = NULL;
    ctie_value *value = NULL;
    ext_texts urls = {0};
    int64_t timeout = 0;
    if (PyArg_ParseTuple(args, "OOO:_hand", &given, &activation, &seconds) &&
        ext_milliseconds(seconds, "timeout", &timeout) == 0 && ext_texts_read(given, "urls", &urls) == 0 &&
        (activation == Py_None || (value = ext_value_plain(of(object)->state, activation)) != NULL)) {
        result = hand(object, urls.list, value, timeout == 0 ? -1 : timeout);
    }
    ctie_value_release(value);
    ext_texts_clear(&urls);
    return result;
}

static PyObject *instance_ready(PyObject *object, PyObject *Py_UNUSED(unused)) {
    ctie_instance *instance = of(object)->handle;
    ctie_error *error = NULL;
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_instance_ready(instance, &error);
    Py_END_ALLOW_THREADS
    return ext_done(of(object)->state, status, error);
}

static PyObject *instance_is_first(PyObject *object, void *Py_UNUSED(closure)) {
    bool first = false;
    if (of(object)->handle != NULL) {
        (void)ctie_instance_is_first(of(object)->handle, &first);
    }
    return PyBool_FromLong(first);
}

static PyObject *instance_dbus_status(PyObject *object, void *Py_UNUSED(closure)) {
    return PyLong_FromLong(ctie_instance_dbus_status(of(object)->handle, NULL));
}

static PyObject *instance_closed(PyObject *object, void *Py_UNUSED(closure)) {
    return PyBool_FromLong(of(object)->handle == NULL);
}

static PyMethodDef instance_methods[] = {
    {"_hand", instance_hand, METH_VARARGS, DOC(Instance, _hand)},
    {"ready", instance_ready, METH_NOARGS, DOC(Instance, ready)},
    {"close", ext_owner_close, METH_NOARGS, DOC(Instance, close)},
    {"__enter__", ext_enter, METH_NOARGS, DOC(Instance, __enter__)},
    {"__exit__", ext_owner_exit, METH_VARARGS, DOC(Instance, __exit__)},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef instance_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ext_owner, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef instance_getset[] = {
    {"is_first", instance_is_first, NULL, DOC(Instance, is_first), NULL},
    {"_dbus_status", instance_dbus_status, NULL, DOC(Instance, _dbus_status), NULL},
    {"closed", instance_closed, NULL, DOC(Instance, closed), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot instance_slots[] = {
    {Py_tp_doc, DOC_Instance},
    {Py_tp_new, instance_new},
    {Py_tp_traverse, ext_owner_traverse},
    {Py_tp_dealloc, ext_owner_dealloc},
    {Py_tp_methods, instance_methods},
    {Py_tp_members, instance_members},
    {Py_tp_getset, instance_getset},
    {0, NULL},
};

PyType_Spec ext_instance_spec = {
    "crosstie._crosstie.Instance", sizeof(ext_owner), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_IMMUTABLETYPE, instance_slots,
};
