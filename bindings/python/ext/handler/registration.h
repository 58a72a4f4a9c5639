/*
 * crosstie.Registration (registration.c), the call of its handler (handler.c), and interceptors (interceptor.c).
 */
#ifndef CROSSTIE_EXT_REGISTRATION_H
#define CROSSTIE_EXT_REGISTRATION_H

#include "../base/owner.h"
#include "plan.h"

/* ---- Registrations -------------------------------------------------------------------------------- */

enum {
    EXT_ROUTE,
    EXT_RULE,
    EXT_INTERCEPTOR,
    EXT_UNMATCHED,
    EXT_NAVIGATOR,
    EXT_SYSTEM_OPENER,
    EXT_COMPONENT,
    EXT_ACTION, /**< an action of a component, which keeps it */
    EXT_RESOLVER,
    EXT_FALLBACK,
    EXT_SELECTOR, /**< a method that Python's resolver has found; Crosstie does not know it */
    EXT_PROVIDER,
    EXT_CAPABILITY, /**< a function of a provider, which keeps it */
    EXT_PROVIDER_LOG,
};

typedef struct ext_registration {
    ext_binding binding; /**< its target is a route's pattern, else empty */
    ext_plan plan;
    int kind;            /**< one of EXT_ROUTE… */
    bool may_be_remote;  /**< requests of remote origin may come */
    bool replies_none;   /**< None from the handler is a reply, if the handler has not answered otherwise */
    PyObject *name;      /**< the name of the route, component or provider, or the rule's id; may be empty */
    PyObject *spawn;     /**< of an async handler: the function that runs its coroutine on a loop; else NULL */
    PyObject *actions;   /**< of a component: a tuple of registrations; of a provider: by kind, some None; else NULL */
    PyObject *factory;   /**< of a lazy component: returns a tuple of the actions' functions; else NULL */
    PyObject *can;       /**< of a capability: the function that says whether it takes a request; else NULL */
    void *own_handle;    /**< a handle of the extension's own (provider.c), freed with this object; else NULL */
    PyObject *weakrefs;
} ext_registration;

/** A registration that Crosstie does not know yet. Takes no references; `target` and `name` may be NULL for empty. */
ext_registration *ext_registration_new(ext_owner *owner, int kind, PyObject *handler, PyObject *target,
                                       PyObject *name);
/**
 * Python's registrations of a kind, and of a name unless that is NULL: a list. Take it before Crosstie replaces or removes
 * them, since other threads may register meanwhile.
 */
PyObject *ext_registrations_of(ext_owner *owner, int kind, PyObject *name);
/** Reads the plan, and for an async handler finds the function that runs it on a loop. */
int ext_registration_plan(ext_registration *self, PyObject *description);
int ext_registration_make_async(ext_registration *self);

/* ---- Calls of handlers ---------------------------------------------------------------------------- */

/** The ctie_handler_fn of every registration: calls the handler by its plan. */
void ext_handle(ctie_request *request, void *registration);
/** The same inside another handler, with the GIL. */
void ext_handle_inside(ext_registration *self, ctie_request *request);

/* ---- Interceptors --------------------------------------------------------------------------------- */

/** The interceptors of one route, handler or open, as Crosstie takes them. */
typedef struct ext_interceptors {
    ctie_handler *items;
    size_t count;
} ext_interceptors;

/** A registration for an interceptor. */
ext_registration *ext_interceptor_new(ext_owner *bus, PyObject *function);
/**
 * Reads a sequence of callables. The next call of Crosstie takes the items over; without that call the caller drops them.
 * `is_lasting`: they stay registered, and the bus keeps them.
 */
int ext_interceptors_read(ext_owner *bus, PyObject *sequence, bool is_lasting, ext_interceptors *out);
void ext_interceptors_drop(ext_interceptors *self);
/** Frees the array, whose items Crosstie has taken. */
void ext_interceptors_free(ext_interceptors *self);

extern PyType_Spec ext_registration_spec;

#endif
