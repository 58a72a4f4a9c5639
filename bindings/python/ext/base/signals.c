/*
 * Signals while the main thread waits inside Crosstie.
 *
 * While it waits, Crosstie repeatedly calls a function that says whether to go on (ctie_thread_set_wait()). Python's signal
 * handlers run there. An exception that they raise is kept until the function of Crosstie has returned: it must not cut
 * short the callbacks on the way out, such as an `on_cancel`.
 */
#include "error.h"
#include "gil.h"

/** Guarded by the GIL. */
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

/** The ctie_wait_fn of the main thread. While an exception waits to be raised, every wait ends. */
static bool check_signals(void *Py_UNUSED(user_data)) {
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

/* ---- The main thread ------------------------------------------------------------------------------ */

static int raise_pending(void *Py_UNUSED(unused)) {
    return ext_interrupt_raise() ? -1 : 0;
}

void ext_interrupt_later(void) {
    if (is_main && ext_interrupt != NULL) {
        (void)Py_AddPendingCall(raise_pending, NULL);
    }
}

static int watch(void *Py_UNUSED(unused)) {
    is_main = true;
    (void)ctie_thread_set_wait(CTIE_WAIT(check_signals, NULL));
    return 0;
}

PyObject *ext_signals_watch(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    (void)watch(NULL);
    Py_RETURN_NONE;
}

int ext_signals_start(void) {
    /* Python calls it on the main thread, whichever thread imports the package. */
    if (Py_AddPendingCall(watch, NULL) < 0) {
        PyErr_SetString(PyExc_RuntimeError, "Python has too many calls pending");
        return -1;
    }
    return 0;
}

/* ---- Exceptions in callbacks ---------------------------------------------------------------------- */

void ext_unraisable(PyObject *where) {
    if (is_main && ext_interrupt == NULL && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
        keep(ext_take_exception());
    } else {
        PyErr_WriteUnraisable(where);
    }
}
