/*
 * Waiting for a call (waiting.c).
 */
#ifndef CROSSTIE_WAITING_H
#define CROSSTIE_WAITING_H

#include "crosstie_ext.h"

/**
 * ctie_call_wait() without the GIL; the main thread waits in slices, so that Ctrl-C ends the wait. Negative with an
 * exception for that.
 */
int ext_wait(ctie_call *call, int64_t timeout, ctie_response **response, ctie_status *status);

#endif
