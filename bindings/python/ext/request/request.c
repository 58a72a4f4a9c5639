/*
 * crosstie.Request: the request that a handler receives. Its methods are in the files request_….c.
 */
#include "request.h"

#include "docstrings.h"

static ext_request *of(PyObject *object) {
    return (ext_request *)object;
}

static void request_dealloc(PyObject *object) {
    ext_request *self = of(object);
    ext_state *state = self->state;
    ext_request_release(object);
    Py_CLEAR(self->bus_reference);
    ext_pool_give(&state->requests, object);
}

/** The URL of the request, or its target and action. */
static PyObject *subject(PyObject *object) {
    PyObject *url = ext_request_url_part(object, CTIE_URL_WHOLE);
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
    PyObject *origin = about == NULL ? NULL : ext_request_origin(object, NULL);
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
    {"param", ext_request_param, METH_O, DOC(Request, param)},
    {"query_all", ext_request_query_all, METH_O, DOC(Request, query_all)},
    {"decline", ext_request_decline, METH_NOARGS, DOC(Request, decline)},
    {"defer", ext_request_defer, METH_NOARGS, DOC(Request, defer)},
    {NULL, NULL, 0, NULL},
};

#define PART(name, part, text) {name, ext_request_part, NULL, text, (void *)(intptr_t)(part)}

static PyGetSetDef request_getset[] = {
    PART("url", CTIE_URL_WHOLE, DOC(Request, url)),
    PART("scheme", CTIE_URL_SCHEME, DOC(Request, scheme)),
    PART("host", CTIE_URL_HOST, DOC(Request, host)),
    PART("path", CTIE_URL_PATH, DOC(Request, path)),
    PART("query_string", CTIE_URL_QUERY, DOC(Request, query_string)),
    PART("fragment", CTIE_URL_FRAGMENT, DOC(Request, fragment)),
    {"query", ext_request_query, NULL, DOC(Request, query), NULL},
    {"params", ext_request_params, NULL, DOC(Request, params), NULL},
    {"arguments", ext_request_arguments, NULL, DOC(Request, arguments), NULL},
    {"bus", ext_request_bus, NULL, DOC(Request, bus), NULL},
    {"kind", ext_request_kind, NULL, DOC(Request, kind), NULL},
    {"target", ext_request_target, NULL, DOC(Request, target), NULL},
    {"action", ext_request_action, NULL, DOC(Request, action), NULL},
    {"_flags", ext_request_flags, NULL, DOC(Request, _flags), NULL},
    {"pattern", ext_request_pattern, NULL, DOC(Request, pattern), NULL},
    {"unmatched", ext_request_unmatched, NULL, DOC(Request, unmatched), NULL},
    {"rule", ext_request_rule, NULL, DOC(Request, rule), NULL},
    {"origin", ext_request_origin, NULL, DOC(Request, origin), NULL},
    {"user_info", ext_request_user_info, NULL, DOC(Request, user_info), NULL},
    {"peer", ext_request_peer, NULL, DOC(Request, peer), NULL},
    {"is_leaving", ext_request_is_leaving, NULL, DOC(Request, is_leaving), NULL},
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
