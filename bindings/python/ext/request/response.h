/*
 * crosstie.Response (response.c).
 */
#ifndef CROSSTIE_EXT_RESPONSE_H
#define CROSSTIE_EXT_RESPONSE_H

#include "../base/state.h"

typedef struct ext_response {
    PyObject_HEAD
    ext_state *state;
    ctie_status status;
    int32_t code;
    PyObject *value;
    PyObject *message;   /**< NULL: empty */
    PyObject *exception; /**< NULL: success */
    ctie_response *handle; /**< while the response can be changed; else NULL */
} ext_response;

/** A Response with a copy of a response; the handle stays the caller's. */
PyObject *ext_response_new(ext_state *state, ctie_response *handle);
/** The same for one that is known to be a success. */
PyObject *ext_response_of_success(ext_state *state, ctie_response *handle);
/** Lets a program change the response through its handle; NULL ends that. */
void ext_response_open(PyObject *response, ctie_response *handle);

extern PyType_Spec ext_response_spec;

#endif
