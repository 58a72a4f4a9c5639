/*
 * Owners, which are buses and wormholes (owner.c, hold.c), and bindings, the objects that Crosstie calls (binding.c).
 */
#ifndef CROSSTIE_EXT_OWNER_H
#define CROSSTIE_EXT_OWNER_H

#include "gil.h"

/* ---- Owners --------------------------------------------------------------------------------------- */

/**
 * The handle and the bindings of an owner, in an object of its own. Its type has no subclasses, while a subclass of Bus
 * with a `__del__` replaces the slot of any finalizer of Bus.
 */
typedef struct ext_hold {
    PyObject_HEAD
    struct ext_owner *owner; /**< borrowed; NULL once the owner is freed */
    void *handle;       /**< NULL once closed */
    ext_end *close;     /**< called by close(); `live` has the function for the loss of the last reference */
    PyObject *bindings; /**< set of the objects that Crosstie may call: keeps the callbacks' user_data alive */
    PyObject *needed;   /**< another owner, whose handle must not end before this one's: the wormhole of a join; or NULL */
    ext_live live;
} ext_hold;

/** A bus or a wormhole. */
typedef struct ext_owner {
    PyObject_HEAD
    ext_state *state;
    void *handle;       /**< the hold's */
    ext_hold *hold;
    PyObject *bindings; /**< the hold's, borrowed */
    bool is_shared;     /**< the process's bus: its last reference releases it, and removes Python's registrations */
    PyObject *name;
    PyObject *weakrefs;
} ext_owner;

/** A hold for a handle, which it takes. */
ext_hold *ext_hold_new(ext_state *state, void *handle, ext_end *close, ext_end *release);
/** Ends the handle by its `close`; does nothing the second time. */
ctie_status ext_hold_close(ext_hold *hold);

/** An object for a handle, which it takes. An owner whose `release` is not its `close` is shared. */
PyObject *ext_owner_new(PyTypeObject *type, void *handle, PyObject *name, ext_end *close, ext_end *release);

/* For the types of owners. */
PyObject *ext_owner_close(PyObject *owner, PyObject *unused);
PyObject *ext_owner_exit(PyObject *owner, PyObject *args);
int ext_owner_traverse(PyObject *owner, visitproc visit, void *arg);
void ext_owner_dealloc(PyObject *owner);

/** An `__enter__()` that returns the object. */
PyObject *ext_enter(PyObject *object, PyObject *unused);

/** The log of buses and wormholes, and its `destroy`; user_data is a reference to the `log` of the state. */
void ext_log_line(int32_t level, ctie_str message, void *user_data);
void ext_log_drop(void *user_data);

/* ---- Bindings ------------------------------------------------------------------------------------- */

/** The head of every object that Crosstie calls: a Registration, a Listener. */
typedef struct ext_binding {
    PyObject_HEAD
    ext_state *state;
    void *handle;       /**< NULL once it is removed */
    ext_end *release;
    ext_owner *owner;   /**< its set keeps this object while Crosstie may call it */
    bool is_kept;       /**< Crosstie holds a reference: the owner was closed while a callback ran */
    PyObject *target;   /**< the text that it is bound to */
    PyObject *callback;
    ext_live live;      /**< used with a shared owner, which the end of the interpreter does not close */
} ext_binding;

/**
 * An object with that head. The fields after the head are zero, and the caller fills them in; then come
 * ext_binding_keep(), the function of Crosstie with ext_binding_destroy(), and ext_binding_finish().
 */
void *ext_binding_new(PyTypeObject *type, ext_owner *owner, ext_end *release, PyObject *target, PyObject *callback);
/** Adds it to its owner's set, before Crosstie knows it. */
int ext_binding_keep(ext_binding *binding);
/** Takes Crosstie's answer. The object may have left the set again by then. */
int ext_binding_finish(ext_binding *binding, ctie_status status, void *handle, ctie_error *error);
/** The `destroy` of every binding. */
void ext_binding_destroy(void *user_data);
/** Marks bindings that were replaced or removed: they may run still, but have no handle any more. Takes the list. */
void ext_bindings_forget(PyObject *bindings);
/** Gives Crosstie references to the bindings of an owner that could not be closed at once. */
void ext_bindings_keep(PyObject *set);

/* For the types of bindings. */
PyObject *ext_binding_remove(PyObject *binding, PyObject *unused);
PyObject *ext_binding_exit(PyObject *binding, PyObject *args);
PyObject *ext_binding_active(PyObject *binding, void *closure);
int ext_binding_traverse(PyObject *binding, visitproc visit, void *arg);
int ext_binding_clear(PyObject *binding);
void ext_binding_dealloc(PyObject *binding);

extern PyType_Spec ext_hold_spec;

#endif
