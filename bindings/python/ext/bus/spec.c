/*
 * Requests of every kind: Crosstie runs them, and their response becomes a result or an exception.
 */
#include "spec.h"
#include "../base/error.h"
#include "../request/request.h"
#include "../request/response.h"
#include "../value/value.h"

/* ---- Results -------------------------------------------------------------------------------------- */

/** The exception in the response of a failure. */
static PyObject *take_failure(ext_state *state, ctie_response *handle) {
    ext_response *response = (ext_response *)ext_response_new(state, handle);
    PyObject *exception = response == NULL ? NULL : Py_NewRef(response->exception);
    Py_XDECREF(response);
    return exception;
}

/** Raises for a failure. Consumes both. */
static void raise_failure(ext_state *state, ctie_status status, ctie_response *handle, ctie_error *error,
                          bool is_bare) {
    if (status != CTIE_E_HANDLER || handle == NULL) {
        (void)ctie_response_release(handle);
        if (is_bare) {
            ext_raise_unread(state, status, error);
        } else {
            (void)ext_raise(state, status, error);
        }
        return;
    }
    PyObject *exception = take_failure(state, handle);
    (void)ctie_response_release(handle);
    ctie_error_release(error);
    if (exception != NULL) {
        ext_raise_object(exception);
        Py_DECREF(exception);
    }
}

/** The result of a request. A bare one keeps no Python objects. Consumes response and error. */
static PyObject *result_of(ext_state *state, int32_t kind, bool is_bare, ctie_status status, ctie_response *handle,
                           ctie_error *error) {
    if (ext_interrupt_raise()) {
        (void)ctie_response_release(handle);
        ctie_error_release(error);
        return NULL;
    }
    if (status != CTIE_OK) {
        raise_failure(state, status, handle, error, is_bare);
        return NULL;
    }
    PyObject *result = kind == CTIE_REQUEST_KIND_OPEN ? ext_response_of_success(state, handle)
                                              : ext_value_object(state, ctie_response_raw_value(handle));
    (void)ctie_response_release(handle);
    return result;
}

/* ---- Requests ------------------------------------------------------------------------------------- */

/** Sets the flag for a remote origin, which all functions but those for URLs take. */
static void mark_origin(const ext_spec *spec, ext_options *options) {
    if (spec->kind != CTIE_REQUEST_KIND_OPEN && options->origin == CTIE_ORIGIN_REMOTE) {
        options->base.flags |= CTIE_REQUEST_REMOTE;
    }
}

PyObject *ext_spec_run(ext_owner *bus, ext_spec *spec, ext_options *options) {
    if (ext_options_close(bus, options) < 0) {
        ctie_value_release(spec->params);
        return NULL;
    }
    mark_origin(spec, options);
    ext_state *state = bus->state;
    ctie_response *handle = NULL;
    ctie_error *error = NULL;
    bool is_counted = state->has_async;
    bool is_bare = spec->kind == CTIE_REQUEST_KIND_OPEN && options->base.user_info == NULL;
    Py_INCREF(bus);
    ext_sync_requests += is_counted;
    ctie_status status = ext_kind_run(bus->handle, spec, options, &handle, &error);
    ext_sync_requests -= is_counted;
    ext_options_clear(options);
    ext_value_release(spec->params);
    PyObject *result = result_of(state, spec->kind, is_bare, status, handle, error);
    Py_DECREF(bus);
    return result;
}

PyObject *ext_spec_start(ext_owner *bus, ext_spec *spec, ext_options *options, PyObject *target, PyObject *action) {
    PyObject *call = ext_call_new(bus, spec->kind, target, action, options->completion);
    if (call == NULL) {
        ext_options_clear(options);
    } else if (ext_options_close(bus, options) < 0) {
        Py_CLEAR(call);
    } else {
        mark_origin(spec, options);
        options->base.runtime = NULL; /* the whole start runs without the GIL */
        call = ext_call_start(call, spec, options);
        ext_options_clear(options);
    }
    ctie_value_release(spec->params);
    return call;
}
