/*
 * The properties of a Request beside its URL: kind, target, parameters, origin, bus, state.
 */
#include "request.h"
#include "../base/error.h"
#include "../base/text.h"
#include "../value/url_params.h"
#include "../value/value.h"

static ext_request *of(PyObject *object) {
    return (ext_request *)object;
}

static ext_state *state_of(PyObject *object) {
    return ((ext_request *)object)->state;
}

/* ---- Kind and target ------------------------------------------------------------------------------ */

const ext_kind_words ext_kinds[] = {
    [CTIE_REQUEST_KIND_OPEN] = {"open", "url", "action"},
    [CTIE_REQUEST_KIND_CALL] = {"call", "component", "action"},
    [CTIE_REQUEST_KIND_EVENT] = {"event", "target", "event"},
    [CTIE_REQUEST_KIND_PERFORM] = {"perform", "target", "selector"},
    [CTIE_REQUEST_KIND_SHARE] = {"share", "endpoint", "action"},
    [CTIE_REQUEST_KIND_OAUTH] = {"oauth", "platform", "action"},
    [CTIE_REQUEST_KIND_LAUNCH] = {"launch", "platform", "action"},
    [CTIE_REQUEST_KIND_ACTIVITY] = {"activity", "target", "action"},
};
const int ext_kind_count = sizeof(ext_kinds) / sizeof(ext_kinds[0]);

PyObject *ext_request_kind(PyObject *object, void *Py_UNUSED(closure)) {
    ctie_request *handle = ext_request_live(object);
    if (handle == NULL) {
        return NULL;
    }
    int32_t kind = CTIE_REQUEST_KIND_OPEN;
    ctie_status status = ctie_request_kind(handle, &kind);
    return status == CTIE_OK ? PyUnicode_InternFromString(ext_kinds[kind].name)
                             : ext_raise(state_of(object), status, NULL);
}

/** A text of the request; empty without one. */
static PyObject *text(PyObject *object, ctie_status (*read)(const ctie_request *request, ctie_str *out)) {
    ctie_request *handle = ext_request_live(object);
    if (handle == NULL) {
        return NULL;
    }
    ctie_str found = {NULL, 0};
    ctie_status status = read(handle, &found);
    return status == CTIE_OK || status == CTIE_E_NOT_FOUND ? ext_text_object(found)
                                                           : ext_raise(state_of(object), status, NULL);
}

PyObject *ext_request_target(PyObject *object, void *Py_UNUSED(closure)) {
    return text(object, ctie_request_target);
}

PyObject *ext_request_action(PyObject *object, void *Py_UNUSED(closure)) {
    return text(object, ctie_request_action);
}

PyObject *ext_request_flags(PyObject *object, void *Py_UNUSED(closure)) {
    ctie_request *handle = ext_request_live(object);
    if (handle == NULL) {
        return NULL;
    }
    uint32_t flags = 0;
    ctie_status status = ctie_request_flags(handle, &flags);
    return status == CTIE_OK ? PyLong_FromUnsignedLong(flags) : ext_raise(state_of(object), status, NULL);
}

/* ---- Parameters ----------------------------------------------------------------------------------- */

/** The parameters of a request without a URL: the same object if the caller is in Python; an empty dict without any. */
static PyObject *call_params(ext_state *state, const ctie_value *arguments) {
    return ctie_value_kind(arguments) == CTIE_KIND_NULL ? PyDict_New() : ext_value_object(state, arguments);
}

PyObject *ext_request_params(PyObject *object, void *Py_UNUSED(closure)) {
    ctie_request *handle = ext_request_live(object);
    if (handle == NULL) {
        return NULL;
    }
    ext_state *state = state_of(object);
    if (of(object)->is_open) {
        return ext_url_params_read(state, handle);
    }
    int32_t kind = CTIE_REQUEST_KIND_OPEN;
    const ctie_value *arguments = NULL;
    bool is_call = ((ext_request *)object)->is_call;
    ctie_status status = is_call ? CTIE_OK : ctie_request_kind(handle, &kind);
    if (status == CTIE_OK && !is_call && kind == CTIE_REQUEST_KIND_OPEN) {
        return ext_url_params_read(state, handle);
    }
    if (status == CTIE_OK) {
        status = ctie_request_arguments(handle, &arguments);
    }
    return status == CTIE_OK ? call_params(state, arguments) : ext_raise(state, status, NULL);
}

PyObject *ext_request_arguments(PyObject *object, void *Py_UNUSED(closure)) {
    ctie_request *handle = ext_request_live(object);
    if (handle == NULL) {
        return NULL;
    }
    const ctie_value *arguments = NULL;
    ctie_status status = ctie_request_arguments(handle, &arguments);
    if (status == CTIE_E_NOT_FOUND) {
        Py_RETURN_NONE;
    }
    return status == CTIE_OK ? ext_value_object(state_of(object), arguments) : ext_raise(state_of(object), status, NULL);
}

PyObject *ext_request_user_info(PyObject *object, void *Py_UNUSED(closure)) {
    ctie_request *handle = ext_request_live(object);
    if (handle == NULL) {
        return NULL;
    }
    const ctie_value *value = NULL;
    ctie_status status = ctie_request_raw_user_info(handle, &value);
    if (status != CTIE_OK) {
        return ext_raise(of(object)->state, status, NULL);
    }
    PyObject *info = ext_value_object(of(object)->state, value);
    if (info == Py_None) {
        Py_SETREF(info, PyDict_New());
    }
    return info;
}

PyObject *ext_request_peer(PyObject *object, void *Py_UNUSED(closure)) {
    ctie_request *handle = ext_request_live(object);
    if (handle == NULL) {
        return NULL;
    }
    const ctie_value *peer = NULL;
    ctie_status status = ctie_request_peer(handle, &peer);
    if (status == CTIE_E_NOT_FOUND) {
        Py_RETURN_NONE;
    }
    return status == CTIE_OK ? ext_value_object(of(object)->state, peer) : ext_raise(of(object)->state, status, NULL);
}

/* ---- Origin and bus ------------------------------------------------------------------------------- */

PyObject *ext_request_origin(PyObject *object, void *Py_UNUSED(closure)) {
    ctie_request *handle = ext_request_live(object);
    if (handle == NULL) {
        return NULL;
    }
    ext_state *state = of(object)->state;
    ctie_origin origin = CTIE_ORIGIN_REMOTE;
    ctie_status status = ctie_request_origin(handle, &origin);
    if (status != CTIE_OK) {
        return ext_raise(state, status, NULL);
    }
    return Py_NewRef(origin == CTIE_ORIGIN_LOCAL ? state->origin_local : state->origin_remote);
}

PyObject *ext_request_bus(PyObject *object, void *Py_UNUSED(closure)) {
    if (ext_request_live(object) == NULL) {
        return NULL;
    }
    if (of(object)->bus != NULL) {
        return Py_NewRef((PyObject *)of(object)->bus);
    }
    PyObject *bus = PyObject_CallNoArgs(of(object)->bus_reference);
    if (bus == Py_None) {
        Py_DECREF(bus);
        return ext_raise_text(of(object)->state, CTIE_E_CLOSED, "the request's bus has been closed and freed");
    }
    return bus;
}

/* ---- State ---------------------------------------------------------------------------------------- */

static PyObject *truth(PyObject *object, ctie_status (*read)(const ctie_request *request, bool *out), bool of_failed) {
    if (((ext_request *)object)->is_answered) {
        return PyBool_FromLong(of_failed);
    }
    ctie_request *handle = ext_request_live(object);
    if (handle == NULL) {
        return NULL;
    }
    bool is_so = false;
    ctie_status status = read(handle, &is_so);
    return status == CTIE_OK ? PyBool_FromLong(is_so) : ext_raise(state_of(object), status, NULL);
}

PyObject *ext_request_is_ended(PyObject *object, void *Py_UNUSED(closure)) {
    return truth(object, ctie_request_is_ended, true);
}

PyObject *ext_request_is_leaving(PyObject *object, void *Py_UNUSED(closure)) {
    return truth(object, ctie_request_is_leaving, false);
}

PyObject *ext_request_is_cancelled(PyObject *object, void *Py_UNUSED(closure)) {
    return truth(object, ctie_request_is_cancelled, false);
}

PyObject *ext_request_time_left(PyObject *object, void *Py_UNUSED(closure)) {
    ctie_request *handle = ext_request_live(object);
    if (handle == NULL) {
        return NULL;
    }
    int64_t left = -1;
    ctie_status status = ctie_request_time_left(handle, &left);
    if (status != CTIE_OK) {
        return ext_raise(state_of(object), status, NULL);
    }
    return left < 0 ? Py_NewRef(Py_None) : PyFloat_FromDouble((double)left / 1000);
}
