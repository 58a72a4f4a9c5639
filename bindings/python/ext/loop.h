/*
 * crosstie.Loop (loop.c).
 */
#ifndef CROSSTIE_LOOP_OBJECT_H
#define CROSSTIE_LOOP_OBJECT_H

#include "crosstie_ext.h"

/** The handle of a Loop, borrowed; NULL with an exception set if it is closed or none. */
ctie_loop *ext_loop_handle(ext_state *state, PyObject *object);

#endif
