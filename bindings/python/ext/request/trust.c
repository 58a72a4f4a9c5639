/*
 * Trust that follows Python's contexts.
 *
 * Crosstie knows the request that each thread handles. Python's work continues elsewhere: in tasks of asyncio, and in
 * threads that run in a copy of the context. So a context variable is set while the handler of a remote request runs, and a
 * request that is made where it is set is remote. Until the first remote request the variable is neither set nor read.
 */
#include "trust.h"

int ext_trust_start(ext_state *state) {
    state->remote_context = PyContextVar_New("crosstie.remote", NULL);
    return state->remote_context == NULL ? -1 : 0;
}

PyObject *ext_trust_mark(ext_state *state) {
    state->has_seen_remote = true;
    return PyContextVar_Set(state->remote_context, Py_True);
}

bool ext_trust_is_remote(ctie_request *request) {
    ctie_origin origin = CTIE_ORIGIN_REMOTE;
    return ctie_request_origin(request, &origin) != CTIE_OK || origin != CTIE_ORIGIN_LOCAL;
}

int ext_trust_enter(ext_state *state, ctie_request *request, PyObject **token) {
    *token = NULL;
    if (!ext_trust_is_remote(request)) {
        return 0;
    }
    *token = ext_trust_mark(state);
    return *token == NULL ? -1 : 0;
}

void ext_trust_leave(ext_state *state, PyObject *token) {
    if (token != NULL && PyContextVar_Reset(state->remote_context, token) < 0) {
        PyErr_WriteUnraisable(state->remote_context);
    }
    Py_XDECREF(token);
}

int ext_trust_read_mark(ext_state *state) {
    PyObject *value = NULL;
    if (PyContextVar_Get(state->remote_context, NULL, &value) < 0) {
        return -1;
    }
    bool is_set = value != NULL;
    Py_XDECREF(value);
    return is_set;
}
