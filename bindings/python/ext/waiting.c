/*
 * Signals while the main thread waits inside Crosstie.
 *
 * Crosstie asks now and then whether the wait shall end (ctie_thread_set_wait()); Python's signal handlers run then.
 * What one of them raises is kept until the function of Crosstie has returned: what it calls on its way out, an
 * `on_cancel` for one, must not be cut short by it.
 */
#include "waiting.h"

/** With the GIL. */
PyObject *ext_interrupt;
/** Whether this is the thread on which Python's signal handlers run. */
static EXT_THREAD_LOCAL bool is_main;

static void keep(PyObject *exception) {
    PyObject *before = ext_interrupt;
    ext_interrupt = exception;
    Py_XDECREF(before);
}

bool ext_interrupt_raise_slowly(void) {
    if (!is_main || ext_interrupt == NULL) {
        return false;
    }
    PyObject *exception = ext_interrupt;
    ext_interrupt = NULL;
    ext_raise_object(exception);
    Py_DECREF(exception);
    return true;
}

/** The ctie_wait_fn of the main thread. Until what was raised has been passed on no wait is wanted. */
static bool ask(void *Py_UNUSED(user_data)) {
    EXT_GIL(gil);
    if (!ext_gil_enter(&gil)) {
        return false;
    }
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (PyErr_CheckSignals() < 0) {
        keep(ext_take_exception());
    }
    PyErr_Restore(type, value, traceback);
    bool is_unwanted = ext_interrupt != NULL;
    ext_gil_leave(&gil);
    return is_unwanted;
}

/* ---- On the main thread --------------------------------------------------------------------------- */

static int raise_pending(void *Py_UNUSED(unused)) {
    return ext_interrupt_raise() ? -1 : 0;
}

void ext_interrupt_later(void) {
    if (is_main && ext_interrupt != NULL) {
        (void)Py_AddPendingCall(raise_pending, NULL);
    }
}

static int heed(void *Py_UNUSED(unused)) {
    is_main = true;
    (void)ctie_thread_set_wait(CTIE_WAIT(ask, NULL));
    return 0;
}

PyObject *ext_heed_signals(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    (void)heed(NULL);
    Py_RETURN_NONE;
}

int ext_waiting_start(void) {
    /* Python calls it on the main thread, whichever one imports the package. */
    if (Py_AddPendingCall(heed, NULL) < 0) {
        PyErr_SetString(PyExc_RuntimeError, "Python has too many calls pending");
        return -1;
    }
    return 0;
}

/* ---- Exceptions that nobody is there to take ------------------------------------------------------ */

void ext_unraisable(PyObject *where) {
    if (is_main && ext_interrupt == NULL && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
        keep(ext_take_exception());
    } else {
        PyErr_WriteUnraisable(where);
    }
}

/* ---- Calls ---------------------------------------------------------------------------------------- */

int ext_wait(ctie_call *call, int64_t timeout, ctie_response **response, ctie_status *status) {
    Py_BEGIN_ALLOW_THREADS
    *status = ctie_call_wait(call, timeout, response);
    Py_END_ALLOW_THREADS
    if (!ext_interrupt_raise()) {
        return 0;
    }
    (void)ctie_response_release(*response);
    return -1;
}
