/*
 * The methods of Request for interceptors: letting it go on, and changing what the next stages see.
 */
#include "request.h"
#include "trust.h"
#include "../base/error.h"
#include "../base/text.h"
#include "../value/value.h"

static ext_request *of(PyObject *object) {
    return (ext_request *)object;
}

/* ---- The next stages: the rest of a deferred request runs inside the call, without the GIL -------- */

PyObject *ext_request_proceed(PyObject *object, PyObject *Py_UNUSED(unused)) {
    ctie_request *handle = ext_request_live(object);
    if (handle == NULL) {
        return NULL;
    }
    if (!of(object)->is_deferred) {
        return ext_done(of(object)->state, ctie_request_proceed(handle), NULL);
    }
    ctie_status status;
    int waits = ext_sync_requests;
    Py_INCREF(object);
    ext_sync_requests = 0; /* the request that goes on from here is none that this thread waits for */
    Py_BEGIN_ALLOW_THREADS
    status = ctie_request_proceed(handle);
    Py_END_ALLOW_THREADS
    ext_sync_requests = waits;
    ext_state *state = of(object)->state;
    Py_DECREF(object);
    return ext_done(state, status, NULL);
}

/**
 * Refuses to rewrite a local request in a context of a remote one. Crosstie knows the thread's trust, not the
 * context's.
 */
static int check_trust(PyObject *object, ctie_request *handle) {
    ext_state *state = of(object)->state;
    int is_lost = ext_trust_is_marked(state);
    if (is_lost == 1 && !ext_trust_is_remote(handle)) {
        ext_raise_text(state, CTIE_E_DENIED, "code that works for a remote request cannot rewrite a local one");
        return -1;
    }
    return is_lost < 0 ? -1 : 0;
}

PyObject *ext_request_rewrite(PyObject *object, PyObject *url_object) {
    ctie_request *handle = ext_request_live(object);
    ctie_str url;
    if (handle == NULL || ext_text(url_object, "url", &url) < 0 || check_trust(object, handle) < 0) {
        return NULL;
    }
    ctie_error *error = NULL;
    ctie_status status;
    int waits = ext_sync_requests;
    Py_INCREF(object);
    ext_sync_requests = 0;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_request_rewrite(handle, url, &error);
    Py_END_ALLOW_THREADS
    ext_sync_requests = waits;
    ext_state *state = of(object)->state;
    Py_DECREF(object);
    return ext_done(state, status, error);
}

/* ---- Parameters for the next stages --------------------------------------------------------------- */

static PyObject *replace(PyObject *object, PyObject *map, ctie_status (*set)(ctie_request *request, ctie_value *map),
                         const char *limit) {
    ctie_request *handle = ext_request_live(object);
    ctie_value *value = NULL;
    if (handle == NULL || ext_params_read(of(object)->state, map, &value) < 0) {
        return NULL;
    }
    if (value == NULL) {
        value = ctie_value_null();
    }
    ctie_status status = set(handle, value);
    return status == CTIE_E_LIMIT ? ext_raise_text(of(object)->state, status, limit)
                                  : ext_done(of(object)->state, status, NULL);
}

PyObject *ext_request_set_params(PyObject *object, PyObject *params) {
    return replace(object, params, ctie_request_set_params, "the parameters cannot be set more than 64 times");
}

PyObject *ext_request_set_user_info(PyObject *object, PyObject *user_info) {
    return replace(object, user_info, ctie_request_set_user_info,
                   "the user info cannot be set more than 64 times");
}
