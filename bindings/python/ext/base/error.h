/*
 * Exceptions (exception.c), those for Crosstie's statuses and errors (error.c), and those of signal handlers
 * (signals.c).
 */
#ifndef CROSSTIE_EXT_ERROR_H
#define CROSSTIE_EXT_ERROR_H

#include "state.h"

/* ---- Exceptions ----------------------------------------------------------------------------------- */

/** Raises an exception object as it is, with its traceback. */
void ext_raise_object(PyObject *exception);
/** Takes the exception that is set, as one object with its traceback. Never NULL if one is set. */
PyObject *ext_take_exception(void);
/** Reports an exception that no caller can receive, through sys.unraisablehook. */
void ext_report(PyObject *exception, PyObject *where);

/* ---- Signals -------------------------------------------------------------------------------------- */

/**
 * The exception that a signal handler raised while the main thread was inside Crosstie, to be raised there; or NULL.
 */
extern PyObject *ext_interrupt;

bool ext_interrupt_raise_slowly(void);
/** Whether there is such an exception for this thread; it then replaces any other. */
static inline bool ext_interrupt_raise(void) {
    return __builtin_expect(ext_interrupt != NULL, 0) && ext_interrupt_raise_slowly();
}
/** Has it raised soon, in a function where no exception may be set. */
void ext_interrupt_later(void);
/**
 * Reports the exception that is set in a callback, which no caller can receive, through sys.unraisablehook. A
 * KeyboardInterrupt on the main thread is raised where that thread called Crosstie instead.
 */
void ext_unraisable(PyObject *where);
/** Has Python call `ext_signals_watch()` on the main thread. Called when the module is made. */
int ext_signals_start(void);
/** `_watch_signals()`: makes this thread the one whose waits signals interrupt. */
PyObject *ext_signals_watch(PyObject *module, PyObject *unused);

/* ---- Crosstie's errors ---------------------------------------------------------------------------- */

/** Sets the exception for a status, or that of a signal handler; consumes `error`, which may be NULL. Returns NULL. */
PyObject *ext_raise(ext_state *state, ctie_status status, ctie_error *error);
/**
 * The same for a request that keeps no Python objects. The error's message is made when it is read, since the search
 * for the nearest pattern takes longer than all the rest. Consumes the error.
 */
void ext_raise_unread(ext_state *state, ctie_status status, ctie_error *error);
/** `_error_text(capsule)`: the message of such an error. */
PyObject *ext_error_text(PyObject *module, PyObject *capsule);
/** Sets the exception for a status with a message of the extension's. Returns NULL. */
PyObject *ext_raise_text(ext_state *state, ctie_status status, const char *message);
/** The same with a message made from a format with one object. */
PyObject *ext_raise_format(ext_state *state, ctie_status status, const char *format, PyObject *object);
/** None, or for a failure what ext_raise() does; `error` is NULL for success. */
PyObject *ext_done(ext_state *state, ctie_status status, ctie_error *error);
/** The same for closing: a handle that was closed before, or made before a fork, is no failure. */
PyObject *ext_closed(ext_state *state, ctie_status status);
/** The exception for a status as an object. */
PyObject *ext_make_error(ext_state *state, ctie_status status, int32_t code, ctie_str message, ctie_str location,
                         PyObject *value);
/**
 * "Type: text" as UTF-8 in bytes, or the message alone of a crosstie.Error; NULL, without an exception, if it has none.
 */
PyObject *ext_exception_text(ext_state *state, PyObject *exception);
/** The member of crosstie.Status, or an int for a number that it does not have. */
PyObject *ext_status_object(ext_state *state, ctie_status status);

#endif
