/*
 * The GIL (gil.c), and the handles to close before the interpreter ends (live.c).
 */
#ifndef CROSSTIE_EXT_GIL_H
#define CROSSTIE_EXT_GIL_H

#include "state.h"

/* ---- The GIL -------------------------------------------------------------------------------------- */

/** The functions that Crosstie calls around code of other languages and around waits. */
extern const ctie_runtime ext_runtime;

typedef struct ext_gil {
    PyGILState_STATE state;
    bool was_held;
    bool is_inside;
    PyObject *context; /**< the context that was entered; may be NULL */
} ext_gil;

/** Declares the ext_gil of a callback. */
#define EXT_GIL(name) ext_gil name __attribute__((cleanup(ext_gil_check))) = {PyGILState_LOCKED, false, false, NULL}

/**
 * Takes the GIL, unless this thread holds it. Callable with or without it. Returns false when the interpreter is ending:
 * then the callback must not touch Python. Every true is paired with ext_gil_leave().
 */
bool ext_gil_enter(ext_gil *gil);
/** Enters a copy of the thread's context. */
void ext_gil_enter_context(ext_gil *gil);
/**
 * The same as ext_gil_enter() for a callback that runs a program's function. On a thread that did not hold the GIL it runs
 * in a copy of the thread's context, so that the variables that it sets do not reach the thread's later callbacks.
 */
static inline bool ext_gil_enter_apart(ext_gil *gil) {
    bool is_inside = ext_gil_enter(gil);
    if (is_inside && !gil->was_held) {
        ext_gil_enter_context(gil);
    }
    return is_inside;
}
void ext_gil_leave(ext_gil *gil);
/** Runs at the end of the scope; gil.c says what it prevents. */
void ext_gil_check(const ext_gil *gil);

/** Lets callbacks in. Called when the module is made. */
int ext_gil_start(void);
/** Closes the live handles, and refuses callbacks from then on. Called at exit. */
void ext_gil_stop(void);

/* ---- Live handles --------------------------------------------------------------------------------- */

/** Ends a handle: closes or releases it. */
typedef ctie_status ext_end(void *handle);

/** A handle to close before the interpreter ends; a field of the object that owns it. */
typedef struct ext_live {
    struct ext_live *next;
    struct ext_live **link;
    ext_end *end; /**< called without the GIL */
    void *handle;
    bool is_taken; /**< the end of the interpreter closes it, and uses the handle even when the object is freed */
} ext_live;

/** Adds a handle. The newest one is closed first. */
void ext_live_add(ext_live *live, ext_end *end, void *handle);
/** Whether the handle was in the list. If not, it was never added, or the end of the interpreter closes it. */
bool ext_live_remove(ext_live *live);

/** The closing of all live handles, on a thread of its own because it may never end. */
typedef struct ext_closing ext_closing;
/** Takes over the live handles and starts the thread. NULL if there are none, or without a thread. */
ext_closing *ext_closing_start(void);
/** Waits for the end of the closing, until a deadline on the monotonic clock. Callable without the GIL. */
void ext_closing_wait(ext_closing *closing, const struct timespec *deadline);

#endif
