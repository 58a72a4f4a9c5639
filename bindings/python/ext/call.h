/*
 * A crosstie.Call, for the files that make it up.
 */
#ifndef CROSSTIE_CALL_OBJECT_H
#define CROSSTIE_CALL_OBJECT_H

#include "crosstie_ext.h"

typedef struct ext_call ext_call;
struct ext_call {
    PyObject_HEAD
    ext_state *state;
    ctie_call *handle;    /**< NULL once the response is there */
    int32_t kind;
    PyObject *bus;
    PyObject *target;     /**< the URL, the component, or the performer's target */
    PyObject *action;
    PyObject *completion; /**< None: none */
    PyObject *callbacks;  /**< list of what add_done_callback() was given; NULL: none, or they have run */
    PyObject *response;   /**< NULL: not known to have ended */
    bool is_told;         /**< somebody has heard of the failure, if it is one */
    bool is_remote;       /**< asked for on behalf of a remote request, and so is what the completion does */
    ext_call *next, **link; /**< among those whose completion is still to run; without a link it is not there */
};

/** Notes that the completion of a call is still to run. With the GIL, as all of these. */
void ext_call_expect(ext_call *call);
/** Notes that it has run, or never will. Also of a call that is not expected any more. */
void ext_call_expect_no_more(ext_call *call);

#endif
