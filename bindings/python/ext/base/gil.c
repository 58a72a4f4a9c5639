/*
 * The GIL: around callbacks, around Crosstie's waits, and at the end of the interpreter.
 *
 * The variables here belong to the process, as does the one interpreter that may import the module.
 */
#include "gil.h"

#include <pthread.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

/** The time that the end of the interpreter waits for handlers that do not return. The last part of it is for callbacks that
    entered just before callbacks were refused. */
#define STOP_MS 5000
#define DRAIN_MS 500

/** Set when the interpreter is about to end: callbacks that do not hold the GIL are refused. */
static atomic_bool is_refusing;
/** Callbacks that hold the GIL or are waiting for it. */
static atomic_int inside;
/** The number of the interpreter, among those that the process has made one after the other. */
static uintptr_t interpreter_number;

/**
 * Registers a function for the end of a thread, as C++ does. It runs before the thread's keys are cleared, one of which
 * Python needs.
 */
extern int __cxa_thread_atexit_impl(void (*end)(void *argument), void *argument, void *library);
extern void *__dso_handle;

#if PY_VERSION_HEX >= 0x030D0000
#define CURRENT_STATE PyThreadState_GetUnchecked
#else
#define CURRENT_STATE _PyThreadState_UncheckedGet
#endif

/* ---- Enter and leave ------------------------------------------------------------------------------ */

static bool is_held(void) {
    /* PyGILState_Check() returns true for ever once the program has made a subinterpreter. */
    PyThreadState *current = CURRENT_STATE();
    return current != NULL && current == PyGILState_GetThisThreadState();
}

/** Releases the thread state at the end of a thread that keeps one. */
static void drop_kept(void *number) {
    EXT_GIL(gil);
    if ((uintptr_t)number == interpreter_number && ext_gil_enter(&gil)) {
        PyGILState_Release(PyGILState_LOCKED);
        ext_gil_leave(&gil);
    }
}

/**
 * Takes the GIL. A thread that Python does not know gets a state at its first callback, and keeps it until the thread ends:
 * a new state costs more than the callback.
 */
static PyGILState_STATE take(void) {
    bool is_known = PyGILState_GetThisThreadState() != NULL;
    PyGILState_STATE state = PyGILState_Ensure();
    if (!is_known && __cxa_thread_atexit_impl(drop_kept, (void *)interpreter_number, &__dso_handle) == 0) {
        (void)PyGILState_Ensure();
    }
    return state;
}

bool ext_gil_enter(ext_gil *gil) {
    if (is_held()) {
        gil->was_held = true;
        gil->is_inside = true;
        return true;
    }
    atomic_fetch_add(&inside, 1);
    if (atomic_load(&is_refusing)) {
        atomic_fetch_sub(&inside, 1);
        return false;
    }
    gil->is_inside = true;
    gil->state = take();
    return true;
}

void ext_gil_enter_context(ext_gil *gil) {
    PyObject *context = PyContext_CopyCurrent();
    if (context != NULL && PyContext_Enter(context) < 0) {
        Py_CLEAR(context);
    }
    if (context == NULL) {
        PyErr_Clear();
    }
    gil->context = context;
}

static void leave_context(ext_gil *gil) {
    if (PyContext_Exit(gil->context) < 0) {
        PyErr_Clear();
    }
    Py_CLEAR(gil->context);
}

void ext_gil_leave(ext_gil *gil) {
    if (!gil->was_held) {
        if (gil->context != NULL) {
            leave_context(gil);
        }
        PyGILState_Release(gil->state);
        atomic_fetch_sub(&inside, 1);
    }
    gil->is_inside = false;
}

/** Blocks a thread that outlives the interpreter. */
static void block_forever(void) {
    for (;;) {
        pause();
    }
}

/*
 * Before Python 3.14, an interpreter that is ending unwinds the threads that take the GIL, with Crosstie's frames on their
 * stacks. Such a thread blocks here instead.
 */
void ext_gil_check(const ext_gil *gil) {
    if (gil->is_inside) {
        block_forever();
    }
}

static void *leave_runtime(void) {
    return PyEval_SaveThread();
}

static void enter_runtime(void *token) {
    EXT_GIL(gil);
    gil.is_inside = true;
    PyEval_RestoreThread(token);
    gil.is_inside = false;
}

const ctie_runtime ext_runtime = {sizeof(ctie_runtime), leave_runtime, enter_runtime};

/* ---- The end -------------------------------------------------------------------------------------- */

static struct timespec from_now(long milliseconds) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_nsec += milliseconds % 1000 * 1000000;
    time.tv_sec += milliseconds / 1000 + time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}

static bool is_past(const struct timespec *deadline) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec > deadline->tv_sec || (now.tv_sec == deadline->tv_sec && now.tv_nsec >= deadline->tv_nsec);
}

void ext_gil_stop(void) {
    ext_closing *closing = ext_closing_start();
    Py_BEGIN_ALLOW_THREADS
    const struct timespec closed_by = from_now(STOP_MS - DRAIN_MS), nap = {0, 1000000};
    if (closing != NULL) {
        ext_closing_wait(closing, &closed_by);
    }
    atomic_store(&is_refusing, true);
    const struct timespec deadline = from_now(DRAIN_MS);
    while (atomic_load(&inside) > 0 && !is_past(&deadline)) {
        nanosleep(&nap, NULL);
    }
    Py_END_ALLOW_THREADS
}

/** In a forked child: the callbacks of other threads do not run there. */
static void forget_after_fork(void) {
    atomic_store(&inside, 0);
}

int ext_gil_start(void) {
    if (interpreter_number == 0 && pthread_atfork(NULL, NULL, forget_after_fork) != 0) {
        PyErr_SetString(PyExc_OSError, "the process has no fork hook left");
        return -1;
    }
    if (interpreter_number == 0 || atomic_exchange(&is_refusing, false)) {
        interpreter_number++;
    }
    return 0;
}
