/*
 * Who holds the GIL: around callbacks, around what Crosstie waits for, and at the end of the interpreter.
 *
 * The variables here belong to the process, as the one interpreter does that may import the module.
 */
#include "crosstie_ext.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

/** How long the end of the interpreter waits for handlers that do not return; the last part of it for
    callbacks that were just being let in when no more were. */
#define STOP_MS 5000
#define DRAIN_MS 500

static ext_live *live_list;
/** Set once the interpreter is about to go: callbacks that do not hold the GIL are turned away. */
static atomic_bool is_refusing;
/** Callbacks that hold the GIL or are waiting for it. */
static atomic_int inside;
/** Of interpreters that came one after the other. */
static uintptr_t interpreter_number;

/** What C++ ends the variables of a thread by: before the thread's keys are cleared, one of which Python needs. */
extern int __cxa_thread_atexit_impl(void (*end)(void *argument), void *argument, void *library);
extern void *__dso_handle;

#if PY_VERSION_HEX >= 0x030D0000
#define CURRENT_STATE PyThreadState_GetUnchecked
#else
#define CURRENT_STATE _PyThreadState_UncheckedGet
#endif

/* ---- Taking and giving ---------------------------------------------------------------------------- */

static bool is_held(void) {
    /* PyGILState_Check() would answer yes for ever once somebody has made a subinterpreter. */
    PyThreadState *current = CURRENT_STATE();
    return current != NULL && current == PyGILState_GetThisThreadState();
}

/** The end of a thread that keeps a state. */
static void drop_kept(void *number) {
    EXT_GIL(gil);
    if ((uintptr_t)number == interpreter_number && ext_gil_enter(&gil)) {
        PyGILState_Release(PyGILState_LOCKED);
        ext_gil_leave(&gil);
    }
}

/*
 * A thread that Python does not know gets a state at its first callback, and keeps it to its end: making
 * one costs more than the callback.
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

/** Where a thread goes that outlives the interpreter. */
static void rest_for_ever(void) {
    for (;;) {
        pause();
    }
}

/*
 * An interpreter that is ending unwinds the threads that ask for the GIL (before Python 3.14), which would
 * tear Crosstie's frames away from under it. Such a thread stays here instead.
 */
void ext_gil_check(const ext_gil *gil) {
    if (gil->is_inside) {
        rest_for_ever();
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

/* ---- What lives ----------------------------------------------------------------------------------- */

void ext_live_add(ext_live *live, ext_end *end, void *handle) {
    live->end = end;
    live->handle = handle;
    live->next = live_list;
    live->link = &live_list;
    if (live_list != NULL) {
        live_list->link = &live->next;
    }
    live_list = live;
}

bool ext_live_remove(ext_live *live) {
    if (live->link == NULL) {
        return false;
    }
    *live->link = live->next;
    if (live->next != NULL) {
        live->next->link = live->link;
    }
    live->link = NULL;
    live->next = NULL;
    return true;
}

/* ---- The end -------------------------------------------------------------------------------------- */

/** The closing of all that lives, on a thread of its own because it may never end. */
typedef struct closing {
    pthread_mutex_t mutex;
    pthread_cond_t ended;
    bool has_ended;
    bool is_abandoned;
    size_t count;
    struct {
        ext_end *end;
        void *handle;
    } items[];
} closing;

/** Takes over what lives; nobody else closes it then. */
static closing *closing_new(void) {
    size_t count = 0;
    for (ext_live *live = live_list; live != NULL; live = live->next) {
        count++;
    }
    closing *result = calloc(1, sizeof(closing) + count * sizeof(result->items[0]));
    if (result == NULL) {
        return NULL;
    }
    pthread_mutex_init(&result->mutex, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&result->ended, &attributes);
    pthread_condattr_destroy(&attributes);
    while (live_list != NULL) {
        result->items[result->count].end = live_list->end;
        result->items[result->count++].handle = live_list->handle;
        live_list->is_taken = true;
        (void)ext_live_remove(live_list);
    }
    return result;
}

static void closing_free(closing *self) {
    pthread_cond_destroy(&self->ended);
    pthread_mutex_destroy(&self->mutex);
    free(self);
}

static void *closing_run(void *argument) {
    closing *self = argument;
    for (size_t i = 0; i < self->count; i++) {
        (void)self->items[i].end(self->items[i].handle);
    }
    pthread_mutex_lock(&self->mutex);
    self->has_ended = true;
    bool is_abandoned = self->is_abandoned;
    pthread_cond_signal(&self->ended);
    pthread_mutex_unlock(&self->mutex);
    if (is_abandoned) {
        closing_free(self);
    }
    return NULL;
}

static bool closing_start(closing *self) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    bool has_started = pthread_create(&thread, NULL, closing_run, self) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (has_started) {
        pthread_detach(thread);
    }
    return has_started;
}

static void closing_wait(closing *self, const struct timespec *deadline) {
    pthread_mutex_lock(&self->mutex);
    int failure = 0;
    while (!self->has_ended && failure == 0) {
        failure = pthread_cond_timedwait(&self->ended, &self->mutex, deadline);
    }
    bool has_ended = self->has_ended;
    self->is_abandoned = !has_ended;
    pthread_mutex_unlock(&self->mutex);
    if (has_ended) {
        closing_free(self);
    }
}

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

static void stop(closing *all) {
    const struct timespec closed_by = from_now(STOP_MS - DRAIN_MS), nap = {0, 1000000};
    if (all != NULL) {
        closing_wait(all, &closed_by);
    }
    atomic_store(&is_refusing, true);
    const struct timespec deadline = from_now(DRAIN_MS);
    while (atomic_load(&inside) > 0 && !is_past(&deadline)) {
        nanosleep(&nap, NULL);
    }
}

PyObject *ext_gil_stop(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    closing *all = live_list == NULL ? NULL : closing_new();
    if (all != NULL && !closing_start(all)) {
        closing_free(all);
        all = NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    stop(all);
    Py_END_ALLOW_THREADS
    ext_calls_end();
    Py_RETURN_NONE;
}

/** The callbacks that were running in other threads are not running in the child. */
static void forget_after_fork(void) {
    atomic_store(&inside, 0);
    ext_calls_forget();
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
