/*
 * crosstie.Request: what a handler is given, good until it returns or, deferred, until it is answered.
 */
#include "handlers.h"

#include "asking.h"

#include "docstrings.h"

static ext_request *of(PyObject *object) {
    return (ext_request *)object;
}

/** The handle, or NULL with an exception when the handler has returned. */
ctie_request *ext_request_live(PyObject *object) {
    ctie_request *handle = of(object)->handle;
    if (handle == NULL && of(object)->is_answered) {
        ext_raise_text(of(object)->state, CTIE_E_ALREADY, "the request has been answered");
    } else if (handle == NULL) {
        ext_raise_text(of(object)->state, CTIE_E_HANDLE,
                       "the request's handler has returned; call defer() inside it to keep the request");
    }
    return handle;
}

/* ---- For the handler's call ----------------------------------------------------------------------- */

PyObject *ext_request_new(ext_owner *bus, ctie_request *handle) {
    ext_state *state = bus->state;
    PyObject *object = ext_pool_take(&state->requests, state->request_type);
    if (object != NULL) {
        of(object)->state = state;
        of(object)->handle = handle;
        of(object)->is_deferred = false;
        of(object)->is_answered = false;
        of(object)->is_call = false;
        of(object)->is_settled = false;
        of(object)->bus = bus;
        of(object)->bus_reference = NULL;
    }
    return object;
}

void ext_request_end(PyObject *object) {
    if (!of(object)->is_deferred) {
        of(object)->handle = NULL;
    }
    Py_DECREF(object);
}

ctie_request *ext_request_handle(ext_state *state, PyObject *object) {
    if (!Py_IS_TYPE(object, state->request_type)) {
        PyErr_Format(PyExc_TypeError, "parent must be a Request, not %.100s", Py_TYPE(object)->tp_name);
        return NULL;
    }
    return ext_request_live(object);
}

/** Lets go of what defer() has kept. */
void ext_request_let_go(PyObject *object) {
    ctie_request *handle = of(object)->handle;
    of(object)->handle = NULL;
    if (of(object)->is_deferred && handle != NULL) {
        Py_BEGIN_ALLOW_THREADS
        (void)ctie_request_release(handle);
        Py_END_ALLOW_THREADS
    }
}

static void request_dealloc(PyObject *object) {
    ext_request *self = of(object);
    ext_state *state = self->state;
    ext_request_let_go(object);
    Py_CLEAR(self->bus_reference);
    ext_pool_give(&state->requests, object);
}

/* ---- Asking --------------------------------------------------------------------------------------- */

/** A part of the URL; a query or fragment that is not there is empty. */
static PyObject *url_part(PyObject *object, ctie_url_part part) {
    ctie_request *handle = ext_request_live(object);
    if (handle == NULL) {
        return NULL;
    }
    ctie_str text = {NULL, 0};
    ctie_status status = ctie_request_url(handle, part, &text);
    if (status == CTIE_E_NOT_FOUND) {
        return Py_NewRef(of(object)->state->empty);
    }
    return status == CTIE_OK ? ext_text_object(text) : ext_raise(of(object)->state, status, NULL);
}

/** The closure of each getter is its part's number. */
static PyObject *request_part(PyObject *object, void *closure) {
    return url_part(object, (ctie_url_part)(intptr_t)closure);
}

typedef ctie_status (*text_reader)(const ctie_request *request, ctie_str *out);

/** A text that Crosstie gives; empty where there is none (yet). */
static PyObject *text_by(PyObject *object, text_reader read) {
    ctie_request *handle = ext_request_live(object);
    if (handle == NULL) {
        return NULL;
    }
    ctie_str text = {NULL, 0};
    ctie_status status = read(handle, &text);
    if (status != CTIE_OK && status != CTIE_E_NOT_FOUND) {
        return ext_raise(of(object)->state, status, NULL);
    }
    return ext_text_object(text);
}

static PyObject *request_pattern(PyObject *object, void *Py_UNUSED(closure)) {
    return text_by(object, ctie_request_pattern);
}

static PyObject *request_unmatched(PyObject *object, void *Py_UNUSED(closure)) {
    return text_by(object, ctie_request_unmatched);
}

static PyObject *request_rule(PyObject *object, void *Py_UNUSED(closure)) {
    ctie_request *handle = ext_request_live(object);
    if (handle == NULL) {
        return NULL;
    }
    const ctie_value *rule = NULL;
    ctie_status status = ctie_request_rule(handle, &rule);
    if (status == CTIE_E_NOT_FOUND) {
        Py_RETURN_NONE;
    }
    return status == CTIE_OK ? ext_value_object(of(object)->state, rule) : ext_raise(of(object)->state, status, NULL);
}

static PyObject *request_origin(PyObject *object, void *Py_UNUSED(closure)) {
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

static PyObject *request_user_info(PyObject *object, void *Py_UNUSED(closure)) {
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

static PyObject *request_bus(PyObject *object, void *Py_UNUSED(closure)) {
    if (ext_request_live(object) == NULL) {
        return NULL;
    }
    if (of(object)->bus != NULL) {
        return Py_NewRef((PyObject *)of(object)->bus);
    }
    PyObject *bus = PyObject_CallNoArgs(of(object)->bus_reference);
    if (bus == Py_None) {
        Py_DECREF(bus);
        return ext_raise_text(of(object)->state, CTIE_E_CLOSED, "the request's bus is gone");
    }
    return bus;
}

/** The pairs of the query as a tuple of tuples. */
static PyObject *request_query(PyObject *object, void *Py_UNUSED(closure)) {
    ctie_request *handle = ext_request_live(object);
    PyObject *list = handle == NULL ? NULL : PyList_New(0);
    ctie_str name, text;
    for (size_t i = 0; list != NULL && ctie_request_query_at(handle, i, &name, &text) == CTIE_OK; i++) {
        PyObject *pair = Py_BuildValue("(NN)", ext_text_object(name), ext_text_object(text));
        if (pair == NULL || PyList_Append(list, pair) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(pair);
    }
    PyObject *result = list == NULL ? NULL : PyList_AsTuple(list);
    Py_XDECREF(list);
    return result;
}

/** The object of a value, which it consumes; or raises. */
static PyObject *object_of(ext_state *state, ctie_status status, ctie_value *value) {
    if (status != CTIE_OK) {
        return ext_raise(state, status, NULL);
    }
    PyObject *result = ext_value_object(state, value);
    ctie_value_release(value);
    return result;
}

static PyObject *request_query_all(PyObject *object, PyObject *key_object) {
    ctie_request *handle = ext_request_live(object);
    ctie_str key;
    if (handle == NULL || ext_text(key_object, "key", &key) < 0) {
        return NULL;
    }
    ctie_value *list = NULL;
    ctie_status status = ctie_request_query_all(handle, key, &list);
    return object_of(of(object)->state, status, list);
}

static PyObject *request_param(PyObject *object, PyObject *name_object) {
    ctie_request *handle = ext_request_live(object);
    ctie_str name, text;
    if (handle == NULL || ext_text(name_object, "name", &name) < 0) {
        return NULL;
    }
    ctie_status status = ctie_request_param(handle, name, &text);
    if (status == CTIE_E_DUPLICATE) {
        return ext_argument_refuse(of(object)->state, status, "the parameter %R occurs more than once",
                                   name_object);
    }
    return status == CTIE_OK ? ext_text_object(text) : ext_raise(of(object)->state, status, NULL);
}

/** What it is about: the URL, or else whom it is for and what. */
static PyObject *subject(PyObject *object) {
    PyObject *url = url_part(object, CTIE_URL_WHOLE);
    PyObject *result = NULL;
    if (url != NULL && PyUnicode_GET_LENGTH(url) > 0) {
        result = PyObject_Repr(url);
    } else if (url != NULL) {
        PyObject *target = ext_request_target(object, NULL);
        PyObject *action = target == NULL ? NULL : ext_request_action(object, NULL);
        result = action == NULL ? NULL : PyUnicode_FromFormat("%R %R", target, action);
        Py_XDECREF(target);
        Py_XDECREF(action);
    }
    Py_XDECREF(url);
    return result;
}

static PyObject *request_repr(PyObject *object) {
    if (of(object)->handle == NULL) {
        return PyUnicode_FromString("<crosstie.Request over>");
    }
    PyObject *about = subject(object);
    PyObject *origin = about == NULL ? NULL : request_origin(object, NULL);
    PyObject *result = origin == NULL ? NULL : PyUnicode_FromFormat("<crosstie.Request %U %U%s>", about, origin,
                                                                    of(object)->is_deferred ? " deferred" : "");
    Py_XDECREF(about);
    Py_XDECREF(origin);
    return result;
}

static PyMethodDef request_methods[] = {
    {"reply", EXT_METHOD(ext_request_reply), METH_FASTCALL, DOC(Request, reply)},
    {"fail", EXT_METHOD(ext_request_fail), METH_VARARGS | METH_KEYWORDS, DOC(Request, fail)},
    {"deny", EXT_METHOD(ext_request_deny), METH_FASTCALL, DOC(Request, deny)},
    {"refuse", EXT_METHOD(ext_request_refuse), METH_FASTCALL, DOC(Request, refuse)},
    {"progress", ext_request_progress, METH_O, DOC(Request, progress)},
    {"on_cancel", ext_request_on_cancel, METH_O, DOC(Request, on_cancel)},
    {"on_return", ext_request_on_return, METH_O, DOC(Request, on_return)},
    {"set_params", ext_request_set_params, METH_O, DOC(Request, set_params)},
    {"set_user_info", ext_request_set_user_info, METH_O, DOC(Request, set_user_info)},
    {"proceed", ext_request_proceed, METH_NOARGS, DOC(Request, proceed)},
    {"rewrite", ext_request_rewrite, METH_O, DOC(Request, rewrite)},
    {"param", request_param, METH_O, DOC(Request, param)},
    {"query_all", request_query_all, METH_O, DOC(Request, query_all)},
    {"decline", ext_request_decline, METH_NOARGS, DOC(Request, decline)},
    {"defer", ext_request_defer, METH_NOARGS, DOC(Request, defer)},
    {NULL, NULL, 0, NULL},
};

#define PART(name, part, text) {name, request_part, NULL, text, (void *)(intptr_t)(part)}

static PyGetSetDef request_getset[] = {
    PART("url", CTIE_URL_WHOLE, DOC(Request, url)),
    PART("scheme", CTIE_URL_SCHEME, DOC(Request, scheme)),
    PART("host", CTIE_URL_HOST, DOC(Request, host)),
    PART("path", CTIE_URL_PATH, DOC(Request, path)),
    PART("query_string", CTIE_URL_QUERY, DOC(Request, query_string)),
    PART("fragment", CTIE_URL_FRAGMENT, DOC(Request, fragment)),
    {"query", request_query, NULL, DOC(Request, query), NULL},
    {"params", ext_request_params, NULL, DOC(Request, params), NULL},
    {"arguments", ext_request_given, NULL, DOC(Request, arguments), NULL},
    {"bus", request_bus, NULL, DOC(Request, bus), NULL},
    {"kind", ext_request_kind, NULL, DOC(Request, kind), NULL},
    {"target", ext_request_target, NULL, DOC(Request, target), NULL},
    {"action", ext_request_action, NULL, DOC(Request, action), NULL},
    {"_flags", ext_request_flags, NULL, DOC(Request, _flags), NULL},
    {"pattern", request_pattern, NULL, DOC(Request, pattern), NULL},
    {"unmatched", request_unmatched, NULL, DOC(Request, unmatched), NULL},
    {"rule", request_rule, NULL, DOC(Request, rule), NULL},
    {"origin", request_origin, NULL, DOC(Request, origin), NULL},
    {"user_info", request_user_info, NULL, DOC(Request, user_info), NULL},
    {"is_ended", ext_request_is_ended, NULL, DOC(Request, is_ended), NULL},
    {"is_cancelled", ext_request_is_cancelled, NULL, DOC(Request, is_cancelled), NULL},
    {"time_left", ext_request_time_left, NULL, DOC(Request, time_left), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot request_slots[] = {
    {Py_tp_doc, DOC_Request},
    {Py_tp_dealloc, request_dealloc},
    {Py_tp_repr, request_repr},
    {Py_tp_methods, request_methods},
    {Py_tp_getset, request_getset},
    {0, NULL},
};

PyType_Spec ext_request_spec = {
    "crosstie.Request", sizeof(ext_request), 0, EXT_FINAL, request_slots,
};
