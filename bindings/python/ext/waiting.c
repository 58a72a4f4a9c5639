/*
 * Waiting for a call, in a way that signals end.
 */
#include "waiting.h"

#include <unistd.h>

/** How often the main thread looks for signals while it waits. */
#define SIGNAL_CHECK_MS 100

static ctie_status wait_without_gil(ctie_call *call, int64_t timeout, ctie_response **response) {
    ctie_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ctie_call_wait(call, timeout, response);
    Py_END_ALLOW_THREADS
    return status;
}

int ext_wait(ctie_call *call, int64_t timeout, ctie_response **response, ctie_status *status) {
    if (getpid() != gettid()) {
        *status = wait_without_gil(call, timeout, response);
        return 0;
    }
    for (;;) {
        int64_t slice = timeout >= 0 && timeout < SIGNAL_CHECK_MS ? timeout : SIGNAL_CHECK_MS;
        *status = wait_without_gil(call, slice, response);
        if (*status != CTIE_E_TIMEOUT || slice == timeout) {
            return 0;
        }
        if (PyErr_CheckSignals() < 0) {
            return -1;
        }
        timeout = timeout < 0 ? timeout : timeout - slice;
    }
}
