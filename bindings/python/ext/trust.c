/*
 * Trust that follows Python's contexts.
 *
 * Crosstie knows what each thread is handling. Python's work goes on elsewhere: in tasks of asyncio, and in threads
 * that were given a copy of the context. So a context variable is set while the handler of a remote request runs,
 * and what is opened where it is set is remote. No other request touches it, and as long as none of remote origin
 * has been seen nobody looks.
 */
#include "handlers.h"

int ext_trust_start(ext_state *state) {
    state->remote_context = PyContextVar_New("crosstie.remote", NULL);
    return state->remote_context == NULL ? -1 : 0;
}

PyObject *ext_trust_lose(ext_state *state) {
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
    *token = ext_trust_lose(state);
    return *token == NULL ? -1 : 0;
}

void ext_trust_leave(ext_state *state, PyObject *token) {
    if (token != NULL && PyContextVar_Reset(state->remote_context, token) < 0) {
        PyErr_WriteUnraisable(state->remote_context);
    }
    Py_XDECREF(token);
}

int ext_trust_ask(ext_state *state) {
    PyObject *value = NULL;
    if (PyContextVar_Get(state->remote_context, NULL, &value) < 0) {
        return -1;
    }
    bool is_set = value != NULL;
    Py_XDECREF(value);
    return is_set;
}
