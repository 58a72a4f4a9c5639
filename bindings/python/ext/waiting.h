/*
 * Waiting for a call (waiting.c).
 */
#ifndef CROSSTIE_WAITING_OBJECT_H
#define CROSSTIE_WAITING_OBJECT_H

#include "crosstie_ext.h"

/** ctie_call_wait() without the GIL. Negative with an exception when a signal has ended the wait. */
int ext_wait(ctie_call *call, int64_t timeout, ctie_response **response, ctie_status *status);

#endif
