/*
 * crosstie.Request: what a handler is given, good until it returns or, deferred, until it is answered.
 */
#include "crosstie_ext.h"

static ext_request *of(PyObject *object) {
    return (ext_request *)object;
}

/** The handle, or NULL with an exception when the handler has returned. */
static ctie_request *live(PyObject *object) {
    ctie_request *handle = of(object)->handle;
    if (handle == NULL) {
        ext_raise_text(of(object)->state, CTIE_E_HANDLE,
                       "the request's handler has returned; call defer() inside it to keep the request");
    }
    return handle;
}

/* ---- For the handler's call ----------------------------------------------------------------------- */

PyObject *ext_request_new(ext_state *state, ctie_request *handle) {
    PyObject *object = ext_pool_take(&state->requests, state->request_type);
    if (object != NULL) {
        of(object)->state = state;
        of(object)->handle = handle;
        of(object)->is_deferred = false;
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
    return live(object);
}

static void request_dealloc(PyObject *object) {
    ext_request *self = of(object);
    ext_state *state = self->state;
    if (self->is_deferred) {
        ctie_request *handle = self->handle;
        self->handle = NULL;
        Py_BEGIN_ALLOW_THREADS
        (void)ctie_request_release(handle);
        Py_END_ALLOW_THREADS
    }
    ext_pool_give(&state->requests, object);
}

/* ---- Answering ------------------------------------------------------------------------------------ */

static PyObject *request_reply(PyObject *object, PyObject *const *args, Py_ssize_t count) {
    ctie_request *handle = live(object);
    if (handle == NULL) {
        return NULL;
    }
    if (count > 1) {
        PyErr_Format(PyExc_TypeError, "reply() takes at most 1 argument (%zd given)", count);
        return NULL;
    }
    ctie_value *value = ext_value_carrying(count == 1 ? args[0] : Py_None);
    if (value == NULL) {
        return NULL;
    }
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_request_reply(handle, value);
    Py_END_ALLOW_THREADS
    return ext_done(of(object)->state, status, NULL);
}

static PyObject *fail_with_text(PyObject *object, ctie_request *handle, PyObject *reason, int code, PyObject *value) {
    ctie_str message;
    if (ext_text(reason, "reason", &message) < 0) {
        return NULL;
    }
    ctie_value *carried = ext_value_carrying(value);
    if (carried == NULL) {
        return NULL;
    }
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_request_fail(handle, code, carried, message);
    Py_END_ALLOW_THREADS
    return ext_done(of(object)->state, status, NULL);
}

static PyObject *request_fail(PyObject *object, PyObject *args, PyObject *keywords) {
    static char *names[] = {"reason", "code", "value", NULL};
    PyObject *reason = of(object)->state->empty, *value = Py_None;
    int code = -1;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|O$iO:fail", names, &reason, &code, &value)) {
        return NULL;
    }
    ctie_request *handle = live(object);
    if (handle == NULL) {
        return NULL;
    }
    if (PyExceptionInstance_Check(reason)) {
        return ext_done(of(object)->state, ext_fail_with(of(object)->state, handle, reason), NULL);
    }
    return fail_with_text(object, handle, reason, code, value);
}

static PyObject *request_decline(PyObject *object, PyObject *Py_UNUSED(unused)) {
    ctie_request *handle = live(object);
    return handle == NULL ? NULL : ext_done(of(object)->state, ctie_request_decline(handle), NULL);
}

static PyObject *request_defer(PyObject *object, PyObject *Py_UNUSED(unused)) {
    ctie_request *handle = live(object);
    if (handle == NULL) {
        return NULL;
    }
    if (!of(object)->is_deferred) {
        ctie_status status = ctie_request_retain(handle);
        if (status != CTIE_OK) {
            return ext_raise(of(object)->state, status, NULL);
        }
        of(object)->is_deferred = true;
    }
    return Py_NewRef(object);
}

/* ---- Asking --------------------------------------------------------------------------------------- */

/** A part of the URL; a query or fragment that is not there is empty. */
static PyObject *url_part(PyObject *object, ctie_url_part part) {
    ctie_request *handle = live(object);
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

static PyObject *request_pattern(PyObject *object, void *Py_UNUSED(closure)) {
    ctie_request *handle = live(object);
    if (handle == NULL) {
        return NULL;
    }
    ctie_str text;
    ctie_status status = ctie_request_pattern(handle, &text);
    return status == CTIE_OK ? ext_text_object(text) : ext_raise(of(object)->state, status, NULL);
}

static PyObject *request_origin(PyObject *object, void *Py_UNUSED(closure)) {
    ctie_request *handle = live(object);
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
    ctie_request *handle = live(object);
    if (handle == NULL) {
        return NULL;
    }
    const ctie_value *value = NULL;
    ctie_status status = ctie_request_raw_user_info(handle, &value);
    return status == CTIE_OK ? ext_value_object(of(object)->state, value) : ext_raise(of(object)->state, status, NULL);
}

static PyObject *request_is_ended(PyObject *object, void *Py_UNUSED(closure)) {
    ctie_request *handle = live(object);
    if (handle == NULL) {
        return NULL;
    }
    bool is_ended = false;
    ctie_status status = ctie_request_is_ended(handle, &is_ended);
    return status == CTIE_OK ? PyBool_FromLong(is_ended) : ext_raise(of(object)->state, status, NULL);
}

typedef ctie_status (*pair_reader)(ctie_request *request, size_t index, ctie_str *name, ctie_str *text);

/** All pairs that a function of Crosstie gives, as a tuple of tuples. */
static PyObject *pairs(PyObject *object, pair_reader read) {
    ctie_request *handle = live(object);
    PyObject *list = handle == NULL ? NULL : PyList_New(0);
    ctie_str name, text;
    for (size_t i = 0; list != NULL && read(handle, i, &name, &text) == CTIE_OK; i++) {
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

static PyObject *request_query(PyObject *object, void *Py_UNUSED(closure)) {
    return pairs(object, ctie_request_query_at);
}

static PyObject *request_params(PyObject *object, void *Py_UNUSED(closure)) {
    PyObject *path = pairs(object, ctie_request_path_param_at);
    PyObject *query = path == NULL ? NULL : pairs(object, ctie_request_query_at);
    PyObject *result = query == NULL ? NULL : PyObject_CallFunctionObjArgs(of(object)->state->params_class, path, query,
                                                                           NULL);
    Py_XDECREF(path);
    Py_XDECREF(query);
    return result;
}

static PyObject *request_repr(PyObject *object) {
    if (of(object)->handle == NULL) {
        return PyUnicode_FromString("<crosstie.Request over>");
    }
    PyObject *url = url_part(object, CTIE_URL_WHOLE);
    PyObject *origin = url == NULL ? NULL : request_origin(object, NULL);
    PyObject *result = origin == NULL ? NULL : PyUnicode_FromFormat("<crosstie.Request %R %U%s>", url, origin,
                                                                    of(object)->is_deferred ? " deferred" : "");
    Py_XDECREF(url);
    Py_XDECREF(origin);
    return result;
}

static PyMethodDef request_methods[] = {
    {"reply", EXT_METHOD(request_reply), METH_FASTCALL,
     PyDoc_STR("reply($self, value=None, /)\n--\n\n"
               "End the request with success and a value. Returning a value from the handler does the same.\n\n"
               "Raises Error (ALREADY) when the request has ended.")},
    {"fail", EXT_METHOD(request_fail), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("fail($self, /, reason='', *, code=-1, value=None)\n--\n\n"
               "End the request with a failure: a message with a code and a value of the application's own,\n"
               "or an exception, which reaches a caller in Python as itself. Raising does the same.\n\n"
               "Raises Error (ALREADY) when the request has ended.")},
    {"decline", request_decline, METH_NOARGS,
     PyDoc_STR("decline($self, /)\n--\n\n"
               "Hand the request on: once the handler returns, the next best match gets it.")},
    {"defer", request_defer, METH_NOARGS,
     PyDoc_STR("defer($self, /)\n--\n\n"
               "Keep the request beyond the handler's return, to answer it later from any thread; returns it.\n\n"
               "Letting go of it without an answer ends it with NO_REPLY.")},
    {NULL, NULL, 0, NULL},
};

#define PART(name, part, text) {name, request_part, NULL, text, (void *)(intptr_t)(part)}

static PyGetSetDef request_getset[] = {
    PART("url", CTIE_URL_WHOLE, "The whole URL in normal form."),
    PART("scheme", CTIE_URL_SCHEME, "The scheme, in lower case."),
    PART("host", CTIE_URL_HOST, "The host, in lower case; empty when there is none."),
    PART("path", CTIE_URL_PATH, "The path, percent-encoded as in the normal form."),
    PART("fragment", CTIE_URL_FRAGMENT, "The fragment, percent-encoded; empty when there is none."),
    {"query", request_query, NULL, "The pairs of the query, decoded, in the URL's order.", NULL},
    {"params", request_params, NULL, "The parameters by name, the path's before the query's: a Params.", NULL},
    {"pattern", request_pattern, NULL, "The pattern that matched, as registered.", NULL},
    {"origin", request_origin, NULL, "'local' or 'remote': the trust in force.", NULL},
    {"user_info", request_user_info, NULL, "What the caller gave beside the URL: a dict, or None.", NULL},
    {"is_ended", request_is_ended, NULL, "Whether it has ended: answered, cancelled or out of time.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot request_slots[] = {
    {Py_tp_doc, "What a handler is given: the URL that was opened, and the ways to answer.\n\n"
                "It is good until the handler returns, or, after defer(), until it is answered and let go of."},
    {Py_tp_dealloc, request_dealloc},
    {Py_tp_repr, request_repr},
    {Py_tp_methods, request_methods},
    {Py_tp_getset, request_getset},
    {0, NULL},
};

PyType_Spec ext_request_spec = {
    "crosstie.Request", sizeof(ext_request), 0, EXT_FINAL, request_slots,
};
