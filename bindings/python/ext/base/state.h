/*
 * The module's state, and what every file of the extension includes. The module's one exported symbol is
 * PyInit__crosstie.
 *
 * Unless a comment says otherwise, a function is called with the GIL held, takes its arguments borrowed, and returns a
 * new reference, or NULL (or -1) with an exception set.
 */
#ifndef CROSSTIE_EXT_STATE_H
#define CROSSTIE_EXT_STATE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include <stdatomic.h>
#include <stdbool.h>

#include <crosstie.h>

/** A thread-local variable that is reached without a call. Such variables are few and small. */
#define EXT_THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))

/** A type whose objects Python does not make, and which has no subclasses. */
#define EXT_FINAL (Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION)
/** Casts a function that takes more arguments than a PyCFunction. */
#define EXT_METHOD(function) (PyCFunction)(void (*)(void))(function)

/* ---- Pools ---------------------------------------------------------------------------------------- */

/** Freed objects of one type, for reuse. */
#define EXT_POOL_SIZE 16
typedef struct ext_pool {
    PyObject *objects[EXT_POOL_SIZE];
    int count;
} ext_pool;

/** An object of a type without subtypes, from the pool or new, not yet tracked by the collector. */
PyObject *ext_pool_take(ext_pool *pool, PyTypeObject *type);
/** Ends an untracked object whose fields have been cleared. */
void ext_pool_give(ext_pool *pool, PyObject *object);
/** Frees the objects that wait in a pool. */
void ext_pool_clear(ext_pool *pool, bool is_gc);

/* ---- The state ------------------------------------------------------------------------------------ */

/**
 * The state of a module object. Every object of the module's types points to it, and its type keeps the module alive.
 */
typedef struct ext_state {
    PyTypeObject *hold_type;
    PyTypeObject *bus_type;
    PyTypeObject *registration_type;
    PyTypeObject *request_type;
    PyTypeObject *response_type;
    PyTypeObject *call_type;
    PyTypeObject *wormhole_type;
    PyTypeObject *join_type;
    PyTypeObject *instance_type;
    PyTypeObject *listener_type;
    PyTypeObject *message_type;
    PyTypeObject *sent_type;
    PyTypeObject *descriptor_type;
    PyTypeObject *url_params_type;
    PyTypeObject *foreign_type;
    PyTypeObject *loop_type;
    PyTypeObject *keywords_type;

    /* From the package (crosstie._parts). */
    PyObject *error_class;
    PyObject *make_error;
    PyObject *status_class;
    PyObject *status_ok; /**< Status.OK */
    PyObject *params_class;
    PyObject *param_error;
    PyObject *read_interceptor;
    PyObject *make_spawn;
    PyObject *join_static;
    PyObject *load_engine;
    PyObject *broadcast_of;
    PyObject *broadcast_class;
    PyObject *failures; /**< a dict: the number of a status, its Status and its exception's class */

    PyObject *mapping_class; /**< collections.abc.Mapping */
    PyObject *log;           /**< writes to the logger "crosstie" as its method log() does */
    PyObject *origin_local;  /**< "local" */
    PyObject *origin_remote;
    PyObject *empty; /**< "" */
    PyObject *no_arguments; /**< () */
    PyObject *name_status, *name_code, *name_message, *name_unread, *name_location, *name_value;

    PyObject *remote_context; /**< the ContextVar that is set while a remote request is handled */
    bool has_seen_remote;     /**< until then that variable is never read */
    bool has_async;           /**< some handler is an async function */

    ext_pool requests;
    ext_pool responses;
    ext_pool keywords;
} ext_state;

ext_state *ext_state_of(PyObject *module);
ext_state *ext_state_of_type(PyTypeObject *type);
/** Tells ext_state_of_type() the module's definition. */
void ext_state_start(PyModuleDef *definition);

/** The state of the newest module object, for functions that have neither an object nor a type to find it by. */
extern ext_state *ext_state_current;

#endif
