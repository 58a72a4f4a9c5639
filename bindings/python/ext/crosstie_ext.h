/*
 * What the files of the extension share. Nothing here is exported: the module's one public symbol is
 * PyInit__crosstie.
 *
 * Unless a comment says otherwise a function is called with the GIL held, returns a new reference or
 * NULL (or -1) with an exception set, and takes its arguments borrowed.
 */
#ifndef CROSSTIE_EXT_H
#define CROSSTIE_EXT_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include <stdatomic.h>
#include <stdbool.h>

#include <crosstie.h>

/* ---- The module ----------------------------------------------------------------------------------- */

/** Objects of one type that wait to be used again. */
#define EXT_POOL_SIZE 16
typedef struct ext_pool {
    PyObject *objects[EXT_POOL_SIZE];
    int count;
} ext_pool;

/** One per module object; every object of the module's types points to it, and its type keeps the module. */
typedef struct ext_state {
    PyTypeObject *bus_type;
    PyTypeObject *registration_type;
    PyTypeObject *request_type;
    PyTypeObject *response_type;
    PyTypeObject *call_type;
    PyTypeObject *wormhole_type;
    PyTypeObject *listener_type;
    PyTypeObject *message_type;
    PyTypeObject *sent_type;
    PyTypeObject *foreign_type;

    PyObject *error_class;  /**< crosstie.errors.Error */
    PyObject *make_error;   /**< crosstie.errors.make_error */
    PyObject *status_class; /**< crosstie.status.Status */
    PyObject *status_ok;    /**< Status.OK */
    PyObject *params_class; /**< crosstie.params.Params */
    PyObject *log;          /**< the method log() of the logger "crosstie" */
    PyObject *origin_local; /**< "local" */
    PyObject *origin_remote;
    PyObject *empty; /**< "" */

    ext_pool requests;
    ext_pool responses;
} ext_state;

ext_state *ext_state_of(PyObject *module);
ext_state *ext_state_of_type(PyTypeObject *type);

/* Each makes its types, puts them into the state and the public ones into the module. */
int ext_add_bus(PyObject *module, ext_state *state);
int ext_add_registration(PyObject *module, ext_state *state);
int ext_add_request(PyObject *module, ext_state *state);
int ext_add_response(PyObject *module, ext_state *state);
int ext_add_call(PyObject *module, ext_state *state);
int ext_add_wormhole(PyObject *module, ext_state *state);
int ext_add_listener(PyObject *module, ext_state *state);
int ext_add_message(PyObject *module, ext_state *state);
int ext_add_foreign(PyObject *module, ext_state *state);

int ext_add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **out);

/** An object of a type without subtypes, from the pool or new, not yet tracked by the collector. */
PyObject *ext_pool_take(ext_pool *pool, PyTypeObject *type);
/** Ends an untracked object whose fields have been cleared. */
void ext_pool_give(ext_pool *pool, PyObject *object);

/* ---- The GIL (gil.c) ------------------------------------------------------------------------------ */

/** What Crosstie does around code of other languages and around waits. */
extern const ctie_runtime ext_runtime;

typedef struct ext_gil {
    PyGILState_STATE state;
    bool was_held;
    bool is_inside;
} ext_gil;

/** Declares the ext_gil of a callback. */
#define EXT_GIL(name) ext_gil name __attribute__((cleanup(ext_gil_check))) = {PyGILState_LOCKED, false, false}

/**
 * Makes sure that this thread holds the GIL. False when the interpreter is ending: then nothing of
 * Python may be touched. Callable with or without the GIL; every true is paired with ext_gil_leave().
 */
bool ext_gil_enter(ext_gil *gil);
void ext_gil_leave(ext_gil *gil);
/** Runs at the end of the scope; see gil.c for what it prevents. */
void ext_gil_check(const ext_gil *gil);

/** Something that has to be closed before the interpreter ends; it stands in the object that owns it. */
typedef struct ext_live {
    struct ext_live *next;
    struct ext_live **link;
    void (*close)(void *handle); /**< called without the GIL */
    void *handle;
} ext_live;

/** What was added last is closed first. */
void ext_live_add(ext_live *live, void (*close)(void *handle), void *handle);
/** Whether it was there: if not, it was never added or is being closed at the end. */
bool ext_live_remove(ext_live *live);

/** Makes callbacks welcome; called when the module is made. */
int ext_gil_start(void);
/** Closes what lives and turns callbacks away from then on; registered with atexit. */
PyObject *ext_gil_stop(PyObject *module, PyObject *unused);

/* ---- Errors (error.c) ----------------------------------------------------------------------------- */

/** Sets the exception for a status, consumes `error` (NULL is fine), and returns NULL. */
PyObject *ext_raise(ext_state *state, ctie_status status, ctie_error *error);
PyObject *ext_raise_text(ext_state *state, ctie_status status, const char *message);
/** The exception for a status as an object. */
PyObject *ext_make_error(ext_state *state, ctie_status status, int32_t code, ctie_str message, ctie_str where,
                         PyObject *value);
/** Raises an exception object as it is, with its traceback. */
void ext_raise_object(PyObject *exception);
/** Takes the exception that is set, as one object that has its traceback. Never NULL if one is set. */
PyObject *ext_take_exception(void);
/** Ends a request with an exception. The status of ctie_request_fail(). */
ctie_status ext_fail_with(ext_state *state, ctie_request *request, PyObject *exception);
/** Reports an exception that nobody can be told of, through sys.unraisablehook. */
void ext_report(PyObject *exception, PyObject *where);
/** The member of crosstie.Status, or an int for a number it does not have. */
PyObject *ext_status_object(ext_state *state, ctie_status status);

/* ---- Values (value.c, plain.c) -------------------------------------------------------------------- */

/** Registers Python objects as foreign values; called when the module is made. */
int ext_value_start(PyObject *module, ext_state *state);
/** A value that carries an object untouched; None, truth values and integers as such. */
ctie_value *ext_value_carrying(PyObject *object);
/** A value with the content of an object, and no object in it. */
ctie_value *ext_value_plain(ext_state *state, PyObject *object);
/** The object of a value; another host's becomes its content, or a crosstie.Foreign. */
PyObject *ext_value_object(ext_state *state, const ctie_value *value);
/** The object that a foreign value of ours carries, borrowed; NULL, without an exception, if it is none. */
PyObject *ext_value_carried(const ctie_value *value);

/** A crosstie.Foreign around a value of another host, and what is in one (NULL, without an exception, if none). */
PyObject *ext_foreign_new(ext_state *state, const ctie_value *value);
ctie_value *ext_foreign_value(ext_state *state, PyObject *object);

PyObject *ext_text_object(ctie_str text);
/** The UTF-8 of a str, which lives as long as it does. */
int ext_text(PyObject *object, const char *what, ctie_str *out);

PyObject *ext_to_json(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *ext_from_json(PyObject *module, PyObject *text);
PyObject *ext_to_msgpack(PyObject *module, PyObject *value);
PyObject *ext_from_msgpack(PyObject *module, PyObject *message);

/* ---- Arguments of a handler (argument.c) ---------------------------------------------------------- */

#define EXT_MAX_ARGUMENTS 64

typedef struct ext_argument {
    PyObject *name;         /**< interned */
    PyObject *missing;      /**< its default; NULL: it must be there */
    Py_ssize_t position;    /**< in the pattern; -1: from the query */
    int kind;               /**< one of EXT_TEXT… */
} ext_argument;

enum { EXT_TEXT, EXT_INT, EXT_FLOAT, EXT_BOOL };

/** How a handler is called, settled when it was registered. */
typedef struct ext_plan {
    bool takes_request;
    bool takes_rest; /**< has **parameters */
    Py_ssize_t count;
    PyObject *keywords; /**< names of those that go by keyword, the last ones; NULL: none */
    ext_argument *arguments;
} ext_plan;

int ext_plan_read(ext_plan *plan, PyObject *description);
int ext_plan_traverse(ext_plan *plan, visitproc visit, void *arg);
void ext_plan_clear(ext_plan *plan);
/** Fills in the objects for the plan's arguments; on failure none is left. */
int ext_plan_bind(ext_state *state, const ext_plan *plan, ctie_request *request, PyObject **out);
/** The parameters that the plan's arguments leave over, as a dict. */
PyObject *ext_plan_rest(ext_state *state, const ext_plan *plan, ctie_request *request);

/* ---- Objects -------------------------------------------------------------------------------------- */

typedef struct ext_bus {
    PyObject_HEAD
    ext_state *state;
    ctie_bus *handle;        /**< NULL once closed */
    bool is_shared;          /**< the process's: closing lets go of it, and of what Python registered */
    PyObject *name;
    PyObject *registrations; /**< set of what is registered: keeps the callbacks' user_data alive */
    PyObject *weakrefs;
    ext_live live;
} ext_bus;

typedef struct ext_registration {
    PyObject_HEAD
    ext_state *state;
    ctie_registration *handle; /**< NULL once it is gone */
    PyObject *bus;
    PyObject *home;    /**< the set that keeps this object while Crosstie may call it */
    bool is_kept;      /**< Crosstie itself keeps it: its bus was closed while a callback ran */
    PyObject *handler;
    PyObject *pattern;
    ext_plan plan;
    ext_live live;     /**< on a shared bus, which is not ours to close */
} ext_registration;

typedef struct ext_request {
    PyObject_HEAD
    ext_state *state;
    ctie_request *handle; /**< NULL once the handler has returned and not deferred it */
    bool is_deferred;
} ext_request;

typedef struct ext_response {
    PyObject_HEAD
    ext_state *state;
    ctie_status status;
    int32_t code;
    PyObject *value;
    PyObject *message;   /**< NULL: empty */
    PyObject *exception; /**< NULL: success */
} ext_response;

/** Registers a handler: what Bus._add_route() does. */
PyObject *ext_route_add(ext_bus *bus, PyObject *args, PyObject *keywords);
/** Lets Crosstie itself keep the registrations of a bus that could not be closed at once. */
void ext_registrations_keep(PyObject *set);

/** A Request around what a handler was given. */
PyObject *ext_request_new(ext_state *state, ctie_request *handle);
/** The handler has returned: the object is good for nothing more, unless it was deferred. */
void ext_request_end(PyObject *request);
/** The handle of a Request, borrowed; NULL with an exception set if it is over or none. */
ctie_request *ext_request_handle(ext_state *state, PyObject *request);

/** A Response with what a response holds; the handle stays the caller's. */
PyObject *ext_response_new(ext_state *state, ctie_response *handle);
/** The same for one that is known to be a success. */
PyObject *ext_response_of_success(ext_state *state, ctie_response *handle);

/* The methods of Bus that open (open.c). */
PyObject *ext_bus_open(PyObject *bus, PyObject *const *args, Py_ssize_t count, PyObject *keywords);
PyObject *ext_bus_open_async(PyObject *bus, PyObject *const *args, Py_ssize_t count, PyObject *keywords);
PyObject *ext_bus_can_open(PyObject *bus, PyObject *args, PyObject *keywords);

/** What Bus.open_async() does once its arguments are read. */
PyObject *ext_call_start(ext_bus *bus, PyObject *url, ctie_origin origin, const ctie_open_options *options,
                         PyObject *completion);

/** What sending gives back. */
PyObject *ext_sent_new(ext_state *state, uint64_t sequence, uint32_t listeners);
/** A Message that keeps a message. */
PyObject *ext_message_new(ext_state *state, const ctie_message *message);
typedef struct ext_wormhole {
    PyObject_HEAD
    ext_state *state;
    ctie_wormhole *handle; /**< NULL once closed */
    PyObject *group;
    PyObject *listeners;   /**< set of what listens: keeps the callbacks' user_data alive */
    PyObject *weakrefs;
    ext_live live;
} ext_wormhole;

/* The methods of Wormhole that send and read (passing.c). */
PyObject *ext_wormhole_send(PyObject *wormhole, PyObject *const *args, Py_ssize_t count);
PyObject *ext_wormhole_signal(PyObject *wormhole, PyObject *identifier);
PyObject *ext_wormhole_destroy(PyObject *wormhole, PyObject *identifier);
PyObject *ext_wormhole_destroy_all(PyObject *wormhole, PyObject *unused);
PyObject *ext_wormhole_message(PyObject *wormhole, PyObject *identifier);
PyObject *ext_wormhole_get_item(PyObject *wormhole, PyObject *identifier);
int ext_wormhole_set_item(PyObject *wormhole, PyObject *identifier, PyObject *value);
int ext_wormhole_contains(PyObject *wormhole, PyObject *identifier);

/** Binds a listener: what Wormhole.add_listener() does. */
PyObject *ext_listener_add(ext_wormhole *wormhole, PyObject *args, PyObject *keywords);
/** Lets Crosstie itself keep the listeners of a wormhole that could not be closed at once. */
void ext_listeners_keep(PyObject *set);

/** Seconds as milliseconds; None is -1, for no end. */
int ext_milliseconds(PyObject *seconds, int64_t *out);

#endif
