/*
 * crosstie.Loop (loop.c).
 */
#ifndef CROSSTIE_EXT_LOOP_H
#define CROSSTIE_EXT_LOOP_H

#include "state.h"

/** The handle of a Loop, borrowed; NULL with an exception if the object is closed or no Loop. */
ctie_loop *ext_loop_handle(ext_state *state, PyObject *object);

extern PyType_Spec ext_loop_spec;

#endif
