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

/** A variable of each thread, reached without a call. There are few and small ones. */
#define EXT_THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))

/** Objects of one type that wait to be used again. */
#define EXT_POOL_SIZE 16
typedef struct ext_pool {
    PyObject *objects[EXT_POOL_SIZE];
    int count;
} ext_pool;

/** One per module object; every object of the module's types points to it, and its type keeps the module. */
typedef struct ext_state {
    PyTypeObject *hold_type;
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
    PyTypeObject *loop_type;
    PyTypeObject *keywords_type;

    /* What the package gives (crosstie._parts). */
    PyObject *error_class;
    PyObject *make_error;
    PyObject *status_class;
    PyObject *status_ok; /**< Status.OK */
    PyObject *params_class;
    PyObject *param_error;
    PyObject *read_interceptor;
    PyObject *make_spawn;
    PyObject *join_static;
    PyObject *broadcast_of;

    PyObject *mapping_class; /**< collections.abc.Mapping */
    PyObject *log;          /**< the method log() of the logger "crosstie" */
    PyObject *origin_local; /**< "local" */
    PyObject *origin_remote;
    PyObject *empty; /**< "" */

    PyObject *remote_context; /**< the ContextVar that is set while a remote request is handled */
    bool has_seen_remote;     /**< until then nobody asks for that variable */
    bool has_async;           /**< some handler is an async function */

    ext_pool requests;
    ext_pool responses;
    ext_pool keywords;
} ext_state;

ext_state *ext_state_of(PyObject *module);
ext_state *ext_state_of_type(PyTypeObject *type);

/* The types, each in the file of its name; module.c makes them. */
extern PyType_Spec ext_hold_spec;
extern PyType_Spec ext_bus_spec;
extern PyType_Spec ext_registration_spec;
extern PyType_Spec ext_request_spec;
extern PyType_Spec ext_response_spec;
extern PyType_Spec ext_call_spec;
extern PyType_Spec ext_wormhole_spec;
extern PyType_Spec ext_listener_spec;
extern PyType_Spec ext_message_spec;
extern PyStructSequence_Desc ext_sent_desc;
extern PyType_Spec ext_foreign_spec;
extern PyType_Spec ext_loop_spec;
extern PyType_Spec ext_keywords_spec;

/** What Python makes no objects of and derives nothing from. */
#define EXT_FINAL (Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION)
/** A function that takes more than PyCFunction says. */
#define EXT_METHOD(function) (PyCFunction)(void (*)(void))(function)

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
    PyObject *context; /**< the one that was entered, if any */
} ext_gil;

/** Declares the ext_gil of a callback. */
#define EXT_GIL(name) ext_gil name __attribute__((cleanup(ext_gil_check))) = {PyGILState_LOCKED, false, false, NULL}

/**
 * Makes sure that this thread holds the GIL. False when the interpreter is ending: then nothing of
 * Python may be touched. Callable with or without the GIL; every true is paired with ext_gil_leave().
 */
bool ext_gil_enter(ext_gil *gil);
void ext_gil_enter_context(ext_gil *gil);
/**
 * The same for what runs a program's function: where this thread did not hold the GIL, in a copy of its context. What
 * the function sets there concerns nobody that the thread does something for later.
 */
static inline bool ext_gil_enter_apart(ext_gil *gil) {
    bool is_inside = ext_gil_enter(gil);
    if (is_inside && !gil->was_held) {
        ext_gil_enter_context(gil);
    }
    return is_inside;
}
void ext_gil_leave(ext_gil *gil);
/** Runs at the end of the scope; see gil.c for what it prevents. */
void ext_gil_check(const ext_gil *gil);

/** What ends a handle: closes it, or lets go of it. */
typedef ctie_status ext_end(void *handle);

/** Something that has to be closed before the interpreter ends; it stands in the object that owns it. */
typedef struct ext_live {
    struct ext_live *next;
    struct ext_live **link;
    ext_end *end; /**< called without the GIL */
    void *handle;
    bool is_taken; /**< it is being closed at the end, when the handle is in use whatever becomes of the object */
} ext_live;

/** What was added last is closed first. */
void ext_live_add(ext_live *live, ext_end *end, void *handle);
/** Whether it was there: if not, it was never added or is being closed at the end. */
bool ext_live_remove(ext_live *live);

/** Makes callbacks welcome; called when the module is made. */
int ext_gil_start(void);
/** Closes what lives and turns callbacks away from then on; registered with atexit. */
PyObject *ext_gil_stop(PyObject *module, PyObject *unused);

/** Reports every completion that has not run and cannot any more (call.c). */
void ext_calls_end(void);
/** In a forked child: the completions are the parent's. */
void ext_calls_forget(void);

/* ---- Signals (waiting.c) -------------------------------------------------------------------------- */

/** What a signal handler has raised while the main thread was inside Crosstie; to be raised there. */
extern PyObject *ext_interrupt;

bool ext_interrupt_raise_slowly(void);
/** Whether there is such an exception for this thread, which is set then in the place of any other. */
static inline bool ext_interrupt_raise(void) {
    return __builtin_expect(ext_interrupt != NULL, 0) && ext_interrupt_raise_slowly();
}
/** Has it raised soon, where no exception can be. */
void ext_interrupt_later(void);
/**
 * For an exception in a callback that has nobody to tell: through sys.unraisablehook, but a KeyboardInterrupt on the
 * main thread is raised where that has called Crosstie.
 */
void ext_unraisable(PyObject *where);
/** Heeds signals on the thread that is the main one: called when the module is made, and in a forked child. */
int ext_waiting_start(void);
PyObject *ext_heed_signals(PyObject *module, PyObject *unused);

/* ---- Errors (error.c) ----------------------------------------------------------------------------- */

/**
 * Sets the exception for a status, or that of a signal handler; consumes `error` (NULL is fine), and returns NULL.
 */
PyObject *ext_raise(ext_state *state, ctie_status status, ctie_error *error);
/**
 * The same for a request that keeps nothing of Python's: what the error says is read when somebody asks for it, for the
 * search for the nearest pattern takes longer than all the rest. Consumes the error.
 */
void ext_raise_unread(ext_state *state, ctie_status status, ctie_error *error);
/** `_error_text(capsule)`: what it says. */
PyObject *ext_error_text(PyObject *module, PyObject *capsule);
PyObject *ext_raise_text(ext_state *state, ctie_status status, const char *message);
/** None, or for a failure what ext_raise() does; `error` is NULL for success. */
PyObject *ext_done(ext_state *state, ctie_status status, ctie_error *error);
/** The same for what was to be closed: to find it gone, or made before a fork, is no failure. */
PyObject *ext_closed(ext_state *state, ctie_status status);
/** The exception for a status as an object. */
PyObject *ext_make_error(ext_state *state, ctie_status status, int32_t code, ctie_str message, ctie_str where,
                         PyObject *value);
/** Raises an exception object as it is, with its traceback. */
void ext_raise_object(PyObject *exception);
/** Takes the exception that is set, as one object that has its traceback. Never NULL if one is set. */
PyObject *ext_take_exception(void);
/** An exception as Crosstie takes a failure; `bytes` keeps the message and is the reader's to release. */
typedef struct ext_failure {
    int32_t code;
    ctie_value *value;
    ctie_str message;
    PyObject *bytes; /**< may be NULL */
} ext_failure;

/** "Type: text" as UTF-8 in bytes, or the message alone of an exception of ours; NULL, with nothing set, if it has none. */
PyObject *ext_exception_text(ext_state *state, PyObject *exception);
void ext_failure_read(ext_state *state, PyObject *exception, ext_failure *out);
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
/** Lets go of a value that carries an object of ours, which is quicker so. NULL is fine. */
void ext_value_release(ctie_value *value);
/** A value with the content of an object, and no object in it. */
ctie_value *ext_value_plain(ext_state *state, PyObject *object);
/** The object of a value; another host's becomes its content, or a crosstie.Foreign. */
PyObject *ext_value_object(ext_state *state, const ctie_value *value);
/**
 * The object that a foreign value of ours carries, borrowed; it may be params by keywords. NULL, without an exception,
 * if there is none.
 */
PyObject *ext_value_carried(const ctie_value *value);

/* Params by keywords (keywords.c) */

#define EXT_MAX_KEYWORDS 16

/** What a value carries as params: a dict if there are more of them, or the names with their objects. */
PyObject *ext_keywords_new(ext_state *state, PyObject *names, PyObject *const *objects);
/** What somebody who is to see the object gets, a new reference: a dict in place of params by keywords. */
PyObject *ext_keywords_shown(const ext_state *state, PyObject *object);
Py_ssize_t ext_keywords_count(PyObject *keywords);
/** Borrowed; NULL, without an exception, if there is none. */
PyObject *ext_keywords_find(PyObject *keywords, PyObject *name);

/** A crosstie.Foreign around a value of another host, and what is in one (NULL, without an exception, if none). */
PyObject *ext_foreign_new(ext_state *state, const ctie_value *value);
ctie_value *ext_foreign_value(ext_state *state, PyObject *object);

PyObject *ext_text_object(ctie_str text);
/** The UTF-8 of a str, which lives as long as it does. Raises a crosstie.Error where it has none. */
int ext_text(PyObject *object, const char *what, ctie_str *out);
/**
 * The same for a caller with an answer of its own to a str with half a character in it, as os.fsdecode() makes of bytes
 * that are no UTF-8: 1, without an exception, and where that is.
 */
int ext_utf8(PyObject *text, ctie_str *out, size_t *byte);

PyObject *ext_to_json(PyObject *module, PyObject *args, PyObject *keywords);
PyObject *ext_from_json(PyObject *module, PyObject *text);
PyObject *ext_to_msgpack(PyObject *module, PyObject *value);
PyObject *ext_from_msgpack(PyObject *module, PyObject *message);

/* Numbers of options (numbers.c). Raises ValueError or TypeError by the name `what`. NULL leaves `out` as it is. */

int ext_uint64(PyObject *object, const char *what, uint64_t most, uint64_t *out);
int ext_uint32(PyObject *object, const char *what, uint32_t *out);
int ext_int32(PyObject *object, const char *what, int32_t *out);
/** Milliseconds, rounded up; -1 for None. */
int ext_milliseconds(PyObject *seconds, const char *what, int64_t *out);
/** Nanoseconds since 1970 of seconds or a datetime, 1 at least; 0 for None. */
int ext_moment(PyObject *object, const char *what, int64_t *out);
/**
 * The same for where to begin: a microsecond before, since neither a float nor a datetime tells when a message was sent
 * exactly, and one's own time must not leave that one out.
 */
int ext_start(PyObject *object, const char *what, int64_t *out);

/* ---- What owns, and what Crosstie calls (owner.c, binding.c) -------------------------------------- */

/**
 * What a bus or a wormhole has open, in an object of its own, from which nobody derives: a subclass with a `__del__`
 * takes the slot of whatever ends its owner.
 */
typedef struct ext_hold {
    PyObject_HEAD
    struct ext_owner *owner; /**< who has it, borrowed; NULL once that is gone */
    void *handle;       /**< NULL once closed */
    ext_end *close;     /**< what close() does; `live` says what the loss of the last reference does */
    PyObject *bindings; /**< set of what Crosstie may call: keeps the callbacks' user_data alive */
    ext_live live;
} ext_hold;

/** A bus or a wormhole. */
typedef struct ext_owner {
    PyObject_HEAD
    ext_state *state;
    void *handle;       /**< the hold's */
    ext_hold *hold;
    PyObject *bindings; /**< the hold's, borrowed */
    bool is_shared;     /**< the process's: its last reference lets go of it, and of what Python registered */
    PyObject *name;
    PyObject *weakrefs;
} ext_owner;

/** An object for a handle, which it takes. One that is let go of in another way than it is closed is shared. */
PyObject *ext_owner_new(PyTypeObject *type, void *handle, PyObject *name, ext_end *close, ext_end *let_go);

/* For the types of owners. */
PyObject *ext_owner_close(PyObject *owner, PyObject *unused);
PyObject *ext_owner_exit(PyObject *owner, PyObject *args);
int ext_owner_traverse(PyObject *owner, visitproc visit, void *arg);
void ext_owner_dealloc(PyObject *owner);

/** The head of every object that Crosstie calls: a registration, a listener. */
typedef struct ext_binding {
    PyObject_HEAD
    ext_state *state;
    void *handle;       /**< NULL once it is gone */
    ext_end *release;
    ext_owner *owner;   /**< its set keeps this object while Crosstie may call it */
    bool is_kept;       /**< Crosstie itself keeps it: its owner was closed while a callback ran */
    PyObject *target;   /**< the text that it is bound to */
    PyObject *callback;
    ext_live live;      /**< with a shared owner, which is not ours to close */
} ext_binding;

/**
 * An object with that head. What follows the head is zero, and belongs to the caller to fill in; then
 * ext_binding_keep(), the function of Crosstie with ext_binding_destroy(), and ext_binding_settle().
 */
void *ext_binding_new(PyTypeObject *type, ext_owner *owner, ext_end *release, PyObject *target, PyObject *callback);
/** Puts it into its owner's set, before Crosstie knows it. */
int ext_binding_keep(ext_binding *binding);
/** Takes what Crosstie answered. The object may be gone from the set again by then. */
int ext_binding_settle(ext_binding *binding, ctie_status status, void *handle, ctie_error *error);
/** The `destroy` of every binding. */
void ext_binding_destroy(void *user_data);
/** These have been replaced or removed: they may run still, but cannot be removed any more. Takes the list. */
void ext_bindings_forget(PyObject *bindings);
/** Lets Crosstie itself keep the bindings of an owner that could not be closed at once. */
void ext_bindings_keep(PyObject *set);

/* For the types of bindings. */
PyObject *ext_binding_remove(PyObject *binding, PyObject *unused);
PyObject *ext_binding_exit(PyObject *binding, PyObject *args);
PyObject *ext_binding_active(PyObject *binding, void *closure);
int ext_binding_traverse(PyObject *binding, visitproc visit, void *arg);
int ext_binding_clear(PyObject *binding);
void ext_binding_dealloc(PyObject *binding);

/** The log of buses and wormholes, and its `destroy`; user_data is a reference to the `log` of the state. */
void ext_log_line(int32_t level, ctie_str message, void *user_data);
void ext_log_drop(void *user_data);

/** The __enter__() of both. */
PyObject *ext_enter(PyObject *object, PyObject *unused);

/* ---- Rules and texts (rules.c, texts.c) ----------------------------------------------------------- */

PyObject *ext_rules_load(PyObject *bus, PyObject *args, PyObject *keywords);
PyObject *ext_rules_unload(PyObject *bus, PyObject *unused);
PyObject *ext_rules_document(PyObject *bus, PyObject *unused);
PyObject *ext_rules_convert(PyObject *module, PyObject *args, PyObject *keywords);
/** Adds the identifiers that are built in (names.c), and the numbers of the headers (constants.c). */
int ext_names_add(PyObject *module);
int ext_constants_add(PyObject *module);

/** A sequence of str as Crosstie takes it. */
typedef struct ext_texts {
    ctie_str_list list;
    ctie_str *items;
    PyObject *sequence; /**< keeps the texts */
} ext_texts;

int ext_texts_read(PyObject *object, const char *what, ext_texts *out);
/** Callable on one that is all zero. */
void ext_texts_clear(ext_texts *texts);

/* What makes URLs (generate.c). */
PyObject *ext_generate(PyObject *bus, PyObject *args);
PyObject *ext_generate_named(PyObject *bus, PyObject *args);
PyObject *ext_generate_for_rule(PyObject *bus, PyObject *args);

/** Binds a listener: what each kind of Wormhole.add_listener() comes to. */
PyObject *ext_listener_add(PyObject *wormhole, PyObject *args);
/**
 * The listeners to an identifier, None for presence, NULL for any, and of a name if that is not NULL: a list, or NULL
 * with an exception. To be taken before Crosstie is told to replace or remove them, for meanwhile others may be bound.
 */
PyObject *ext_listeners_at(ext_owner *wormhole, PyObject *identifier, PyObject *name);

/* ---- Objects -------------------------------------------------------------------------------------- */

/** The names of the kinds, by their numbers. */
#define EXT_KINDS (CTIE_REQUEST_KIND_ACTIVITY + 1)
extern const char *const ext_kind_names[EXT_KINDS];

typedef struct ext_request {
    PyObject_HEAD
    ext_state *state;
    ctie_request *handle; /**< NULL once the handler has returned and not deferred it, or is_answered */
    bool is_deferred;
    bool is_answered; /**< with an exception or object that it must not keep */
    bool is_call;    /**< it is known to have no URL */
    bool is_settled; /**< the handler has answered, refused, deferred or declined it */
    ext_owner *bus;  /**< whose handler has it, borrowed from what that is registered by; NULL once it is deferred */
    PyObject *bus_reference; /**< a weak one, of a deferred request; else NULL */
} ext_request;

typedef struct ext_response {
    PyObject_HEAD
    ext_state *state;
    ctie_status status;
    int32_t code;
    PyObject *value;
    PyObject *message;   /**< NULL: empty */
    PyObject *exception; /**< NULL: success */
    ctie_response *handle; /**< where it can be changed still, else NULL */
} ext_response;

/** A Request around what a handler of a bus was given. */
PyObject *ext_request_new(ext_owner *bus, ctie_request *handle);
/** The handler has returned: the object is good for nothing more, unless it was deferred. */
void ext_request_end(PyObject *request);
void ext_request_let_go(PyObject *request);
/**
 * It has been failed with an exception. The traceback often leads to this very object, which must not keep the request
 * then: no collector sees that the request keeps both.
 */
void ext_request_forget_failure(PyObject *request);
/** The handle of a Request, borrowed; NULL with an exception set if it is over or none. */
ctie_request *ext_request_handle(ext_state *state, PyObject *request);
/** The same for what is known to be a Request. */
ctie_request *ext_request_live(PyObject *request);

/* The methods that end it, keep it or let it go on (answer.c). */
PyObject *ext_request_reply(PyObject *request, PyObject *const *args, Py_ssize_t count);
PyObject *ext_request_fail(PyObject *request, PyObject *args, PyObject *keywords);
PyObject *ext_request_deny(PyObject *request, PyObject *const *args, Py_ssize_t count);
PyObject *ext_request_decline(PyObject *request, PyObject *unused);
PyObject *ext_request_defer(PyObject *request, PyObject *unused);
PyObject *ext_request_proceed(PyObject *request, PyObject *unused);
PyObject *ext_request_rewrite(PyObject *request, PyObject *url);

/** A Response with what a response holds; the handle stays the caller's. */
PyObject *ext_response_new(ext_state *state, ctie_response *handle);
/** Lets it be changed through its handle; NULL: no longer. */
void ext_response_open(PyObject *response, ctie_response *handle);
/** The same for one that is known to be a success. */
PyObject *ext_response_of_success(ext_state *state, ctie_response *handle);

/** What sending gives back. */
PyObject *ext_sent_new(ext_state *state, uint64_t sequence, uint32_t listeners);
/** A Message that keeps a message. */
PyObject *ext_message_new(ext_state *state, const ctie_message *message);

/* The methods of Wormhole that send and read (passing.c). */
PyObject *ext_wormhole_send(PyObject *wormhole, PyObject *const *args, Py_ssize_t count, PyObject *names);
PyObject *ext_wormhole_signal(PyObject *wormhole, PyObject *const *args, Py_ssize_t count, PyObject *names);
PyObject *ext_wormhole_destroy(PyObject *wormhole, PyObject *identifier);
PyObject *ext_wormhole_destroy_all(PyObject *wormhole, PyObject *unused);
PyObject *ext_wormhole_message(PyObject *wormhole, PyObject *identifier);
PyObject *ext_wormhole_get_item(PyObject *wormhole, PyObject *identifier);
int ext_wormhole_set_item(PyObject *wormhole, PyObject *identifier, PyObject *value);
int ext_wormhole_contains(PyObject *wormhole, PyObject *identifier);
PyObject *ext_wormhole_identifiers(PyObject *wormhole, PyObject *args);
PyObject *ext_wormhole_members(PyObject *wormhole, PyObject *unused);
/** Sends a value, or a signal for NULL, with what is said by keywords (sending.c). */
PyObject *ext_wormhole_send_with(ext_owner *wormhole, const char *function, PyObject *identifier, PyObject *object,
                                 PyObject *const *values, PyObject *names);
PyObject *ext_wormhole_scheduled(PyObject *wormhole, PyObject *args);
PyObject *ext_wormhole_cancel_scheduled(PyObject *wormhole, PyObject *number);
/** The list that a function of Crosstie gave. Consumes both. */
PyObject *ext_listed(ext_owner *wormhole, ctie_status status, ctie_value *list, ctie_error *error);

/* Those for durable consumers (durable.c). */
PyObject *ext_wormhole_declare(PyObject *wormhole, PyObject *args);
PyObject *ext_wormhole_durables(PyObject *wormhole, PyObject *unused);
PyObject *ext_wormhole_seek(PyObject *wormhole, PyObject *args);
PyObject *ext_wormhole_forget(PyObject *wormhole, PyObject *args);
/** Several at once (batch.c). */
PyObject *ext_wormhole_dead_letters(PyObject *wormhole, PyObject *args);
PyObject *ext_wormhole_dead_letter(PyObject *wormhole, PyObject *args);
PyObject *ext_wormhole_settle_dead(PyObject *wormhole, PyObject *args);
PyObject *ext_wormhole_send_many(PyObject *wormhole, PyObject *args);

/** "exact", "nearest", or None for the default. */
int ext_match_mode(PyObject *object, ctie_match_mode *out);

#endif
