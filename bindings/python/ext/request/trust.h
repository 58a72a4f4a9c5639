/*
 * The trust of Python's contexts (trust.c).
 */
#ifndef CROSSTIE_EXT_TRUST_H
#define CROSSTIE_EXT_TRUST_H

#include "../base/state.h"

/** Makes the context variable. Called when the module is made. */
int ext_trust_start(ext_state *state);
bool ext_trust_is_remote(ctie_request *request);
/** Marks the context before a request is handled, if the request is remote; the token is for ext_trust_leave(). */
int ext_trust_enter(ext_state *state, ctie_request *request, PyObject **token);
/** Takes the mark off again. The token may be NULL. */
void ext_trust_leave(ext_state *state, PyObject *token);
/** Marks the context as working for a remote request; the token is for ext_trust_leave(). */
PyObject *ext_trust_mark(ext_state *state);
/** Whether this context works for a remote request; -1 with an exception. */
int ext_trust_read_mark(ext_state *state);
static inline int ext_trust_is_marked(ext_state *state) {
    return state->has_seen_remote ? ext_trust_read_mark(state) : 0;
}

#endif
