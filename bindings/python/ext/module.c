/*
 * The module crosstie._crosstie: its types, its functions, its beginning and end.
 */
#include "module.h"
#include "base/error.h"
#include "base/loop.h"
#include "bus/bus.h"
#include "bus/spec.h"
#include "handler/registration.h"
#include "request/request.h"
#include "request/response.h"
#include "request/trust.h"
#include "value/url_params.h"
#include "value/value.h"
#include "wormhole/wormhole.h"

#include "docstrings.h"

static int module_exec(PyObject *module);
static int module_traverse(PyObject *module, visitproc visit, void *arg);
static int module_clear(PyObject *module);
static void module_free(void *module);

static PyObject *module_report(PyObject *Py_UNUSED(module), PyObject *args) {
    PyObject *exception, *where;
    if (!PyArg_ParseTuple(args, "OO:_report", &exception, &where)) {
        return NULL;
    }
    ext_report(exception, where);
    Py_RETURN_NONE;
}

static PyObject *module_set_parts(PyObject *module, PyObject *parts);
static PyObject *module_status_code(PyObject *module, PyObject *number);

static PyObject *module_stop(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    ext_gil_stop();
    ext_pending_calls_report();
    Py_RETURN_NONE;
}

static PyMethodDef module_methods[] = {
    {"to_json", EXT_METHOD(ext_to_json), METH_VARARGS | METH_KEYWORDS, DOC_to_json},
    {"from_json", ext_from_json, METH_O, DOC_from_json},
    {"to_msgpack", ext_to_msgpack, METH_O, DOC_to_msgpack},
    {"from_msgpack", ext_from_msgpack, METH_O, DOC_from_msgpack},
    {"_convert_rules", EXT_METHOD(ext_rules_convert), METH_VARARGS | METH_KEYWORDS, DOC__convert_rules},
    {"_report", module_report, METH_VARARGS, DOC__report},
    {"_watch_signals", ext_signals_watch, METH_NOARGS, DOC__watch_signals},
    {"_set_parts", module_set_parts, METH_O, DOC__set_parts},
    {"_load_library", ext_load_library, METH_O, DOC__load_library},
    {"_error_text", ext_error_text, METH_O, DOC__error_text},
    {"_status_code", module_status_code, METH_O, DOC__status_code},
    {"_stop", module_stop, METH_NOARGS, DOC__stop},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, module_exec},
#if PY_VERSION_HEX >= 0x030C0000
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
    {0, NULL},
};

static struct PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "crosstie._crosstie",
    .m_doc = "The part of the package crosstie that is written in C, over libcrosstie.",
    .m_size = sizeof(ext_state),
    .m_methods = module_methods,
    .m_slots = module_slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
    .m_free = module_free,
};

PyMODINIT_FUNC PyInit__crosstie(void) {
    ext_state_start(&module_def);
    return PyModuleDef_Init(&module_def);
}

/* ---- The beginning -------------------------------------------------------------------------------- */

static int check_interpreter(void) {
    if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
        PyErr_SetString(PyExc_ImportError, "crosstie does not support subinterpreters");
        return -1;
    }
    return 0;
}

/**
 * Refuses to run without the GIL, which protects the extension's own state. A free-threaded interpreter turns it on for
 * this module, unless PYTHON_GIL=0 or -X gil=0 keeps it off.
 */
static int check_gil(void) {
#ifdef Py_GIL_DISABLED
    PyObject *is_enabled = PySys_GetObject("_is_gil_enabled"); /* borrowed */
    PyObject *answer = is_enabled == NULL ? NULL : PyObject_CallNoArgs(is_enabled);
    if (answer == NULL) {
        if (!PyErr_Occurred()) { PyErr_SetString(PyExc_ImportError, "crosstie cannot find out whether the GIL is on"); }
        return -1;
    }
    bool is_on = answer == Py_True;
    Py_DECREF(answer);
    if (!is_on) {
        PyErr_SetString(PyExc_ImportError, "crosstie needs the GIL, which PYTHON_GIL=0 or -X gil=0 has turned off");
        return -1;
    }
#endif
    return 0;
}

static int check_version(void) {
    uint32_t loaded = ctie_version();
    if (loaded >> 16 != CTIE_VERSION_MAJOR || loaded < (CTIE_VERSION & ~0xFFu)) {
        PyErr_Format(PyExc_ImportError, "crosstie was built for libcrosstie %d.%d, but %u.%u is loaded",
                     CTIE_VERSION_MAJOR, CTIE_VERSION_MINOR, loaded >> 16, loaded >> 8 & 0xFFu);
        return -1;
    }
    return 0;
}

static PyObject *imported(const char *module_name, const char *name) {
    PyObject *module = PyImport_ImportModule(module_name);
    PyObject *object = module == NULL ? NULL : PyObject_GetAttrString(module, name);
    Py_XDECREF(module);
    return object;
}

/** `_set_parts(parts)`: takes the parts of the package that the extension uses, so that neither imports the other. */
static PyObject *module_set_parts(PyObject *module, PyObject *parts) {
    ext_state *state = ext_state_of(module);
    struct {
        const char *name;
        PyObject **part;
    } const wanted[] = {
        {"Error", &state->error_class},         {"make_error", &state->make_error},
        {"Status", &state->status_class},       {"Params", &state->params_class},
        {"ParamError", &state->param_error},    {"read_interceptor", &state->read_interceptor},
        {"Spawn", &state->make_spawn},          {"join_static", &state->join_static},
        {"broadcast_of", &state->broadcast_of}, {"Broadcast", &state->broadcast_class},
        {"failures", &state->failures},         {"Mapping", &state->mapping_class},
        {"log", &state->log},                   {"load_engine", &state->load_engine},
    };
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        PyObject *part = PyMapping_GetItemString(parts, wanted[i].name);
        if (part == NULL) {
            return NULL;
        }
        Py_XSETREF(*wanted[i].part, part);
    }
    PyObject *status_ok = PyObject_GetAttrString(state->status_class, "OK");
    if (status_ok == NULL) {
        return NULL;
    }
    Py_XSETREF(state->status_ok, status_ok);
    Py_RETURN_NONE;
}

static PyObject *module_status_code(PyObject *Py_UNUSED(module), PyObject *number) {
    long status = PyLong_AsLong(number);
    if (status == -1 && PyErr_Occurred()) {
        return NULL;
    }
    return PyLong_FromLong(ctie_status_code((ctie_status)status));
}

static int make_texts(ext_state *state) {
    state->origin_local = PyUnicode_InternFromString("local");
    state->origin_remote = PyUnicode_InternFromString("remote");
    state->empty = PyUnicode_InternFromString("");
    state->no_arguments = PyTuple_New(0);
    state->name_status = PyUnicode_InternFromString("status");
    state->name_code = PyUnicode_InternFromString("code");
    state->name_message = PyUnicode_InternFromString("_message");
    state->name_unread = PyUnicode_InternFromString("_unread");
    state->name_location = PyUnicode_InternFromString("location");
    state->name_value = PyUnicode_InternFromString("value");
    return PyErr_Occurred() ? -1 : 0;
}

static int add_types(PyObject *module, ext_state *state) {
    struct {
        PyType_Spec *spec;
        PyTypeObject **type;
    } const types[] = {
        {&ext_bus_spec, &state->bus_type},           {&ext_registration_spec, &state->registration_type},
        {&ext_request_spec, &state->request_type},   {&ext_response_spec, &state->response_type},
        {&ext_call_spec, &state->call_type},         {&ext_wormhole_spec, &state->wormhole_type},
        {&ext_listener_spec, &state->listener_type}, {&ext_message_spec, &state->message_type},
        {&ext_foreign_spec, &state->foreign_type},   {&ext_loop_spec, &state->loop_type},
        {&ext_join_spec, &state->join_type},         {&ext_instance_spec, &state->instance_type},
        {&ext_descriptor_spec, &state->descriptor_type}, {&ext_url_params_spec, &state->url_params_type},
    };
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        PyObject *type = PyType_FromModuleAndSpec(module, types[i].spec, NULL);
        *types[i].type = (PyTypeObject *)type;
        if (type == NULL || PyModule_AddType(module, (PyTypeObject *)type) < 0) {
            return -1;
        }
    }
    state->keywords_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &ext_keywords_spec, NULL);
    state->hold_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &ext_hold_spec, NULL);
    if (state->keywords_type == NULL || state->hold_type == NULL) {
        return -1;
    }
    state->sent_type = PyStructSequence_NewType(&ext_sent_desc);
    return state->sent_type == NULL ? -1 : PyModule_AddType(module, state->sent_type);
}

/** Adds the list of statuses, with which the tests compare crosstie.Status. */
static int add_statuses(PyObject *module) {
#define STATUS_ADD(name, number, message) \
    if (failed == 0) { \
        PyObject *item = PyLong_FromLong(number); \
        failed = item == NULL ? -1 : PyDict_SetItemString(statuses, #name, item); \
        Py_XDECREF(item); \
    }
    PyObject *statuses = PyDict_New();
    int failed = statuses == NULL ? -1 : 0;
    CTIE_STATUS_LIST(STATUS_ADD)
#undef STATUS_ADD
    if (failed == 0) {
        failed = PyModule_AddObjectRef(module, "_statuses", statuses);
    }
    Py_XDECREF(statuses);
    return failed;
}

static int stop_at_exit(PyObject *module) {
    PyObject *register_function = imported("atexit", "register");
    PyObject *stop = PyObject_GetAttrString(module, "_stop");
    PyObject *result = register_function == NULL || stop == NULL ? NULL : PyObject_CallOneArg(register_function, stop);
    Py_XDECREF(register_function);
    Py_XDECREF(stop);
    Py_XDECREF(result);
    return result == NULL ? -1 : 0;
}

static int module_exec(PyObject *module) {
    ext_state *state = ext_state_of(module);
    if (check_interpreter() < 0 || check_gil() < 0 || check_version() < 0 || make_texts(state) < 0 ||
        add_types(module, state) < 0 || add_statuses(module) < 0 || ext_names_add(module) < 0 ||
        ext_constants_add(module) < 0 || ext_gil_start() < 0 || ext_pending_calls_start() < 0 || ext_signals_start() < 0) {
        return -1;
    }
    ext_state_current = state;
    if (ext_value_start(module, state) < 0 || ext_trust_start(state) < 0) {
        return -1;
    }
    return stop_at_exit(module);
}

/* ---- The end -------------------------------------------------------------------------------------- */

#define EACH_OBJECT(X) \
    X(hold_type) X(bus_type) X(registration_type) X(request_type) X(response_type) X(call_type) X(wormhole_type) \
    X(join_type) X(instance_type) \
    X(listener_type) X(message_type) X(sent_type) X(descriptor_type) X(url_params_type) X(foreign_type) X(loop_type) X(keywords_type) \
    X(error_class) X(make_error) X(param_error) X(status_class) X(status_ok) X(params_class) X(read_interceptor) \
    X(make_spawn) X(join_static) X(load_engine) X(broadcast_of) X(broadcast_class) X(failures) X(mapping_class) X(log) \
    X(origin_local) X(origin_remote) X(empty) X(no_arguments) X(remote_context) \
    X(name_status) X(name_code) X(name_message) X(name_unread) X(name_location) X(name_value)

static int module_traverse(PyObject *module, visitproc visit, void *arg) {
    ext_state *state = ext_state_of(module);
#define VISIT(field) Py_VISIT(state->field);
    EACH_OBJECT(VISIT)
#undef VISIT
    return 0;
}

static int module_clear(PyObject *module) {
    ext_state *state = ext_state_of(module);
    ext_pool_clear(&state->requests, false);
    ext_pool_clear(&state->responses, true);
    ext_pool_clear(&state->keywords, false);
#define CLEAR(field) Py_CLEAR(state->field);
    EACH_OBJECT(CLEAR)
#undef CLEAR
    return 0;
}

static void module_free(void *module) {
    (void)module_clear(module);
}
