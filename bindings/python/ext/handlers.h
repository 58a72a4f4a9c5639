/*
 * Handlers and interceptors: how they are called, what registers them, and the trust in which they run.
 */
#ifndef CROSSTIE_HANDLERS_H
#define CROSSTIE_HANDLERS_H

#include "crosstie_ext.h"

/* ---- Arguments of a handler (argument.c) ---------------------------------------------------------- */

#define EXT_MAX_ARGUMENTS 64

typedef struct ext_argument {
    PyObject *name;         /**< interned */
    PyObject *missing;      /**< its default; NULL: it must be there */
    Py_ssize_t position;    /**< in the pattern; -1: by its name */
    int kind;               /**< one of EXT_TEXT… */
    bool is_annotated;      /**< the handler's own wish, which goes before what a rule declares */
    bool is_open;           /**< a URL may fill it though it has a default; no other but by its place in the pattern */
    bool may_be_none;
} ext_argument;

/**
 * What an argument is. EXT_ANY, for any object, is only where there is no URL; EXT_REQUEST is the Request. EXT_OPTIONAL
 * is added in plans.
 */
enum { EXT_TEXT, EXT_INT, EXT_FLOAT, EXT_BOOL, EXT_ANY, EXT_REQUEST, EXT_OPTIONAL = 8 };

/** What the package tells of an interceptor. */
enum { EXT_WANTS_PROCEED = 1, EXT_IS_ASYNC = 2 };

/** How a handler is called, settled when it was registered. What every request reads stands first, in one cache line. */
typedef struct ext_plan {
    bool takes_request;  /**< one of the arguments is the Request */
    bool is_interceptor; /**< it takes the Request and has no arguments */
    bool takes_proceed;  /**< an interceptor: request.proceed follows the request */
    bool takes_rest;     /**< has **parameters */
    bool is_async;       /**< it gives a coroutine, to be awaited on a loop */
    bool may_have_rule;  /**< a rule may bring requests, and declare what their parameters are */
    bool is_given;       /**< arguments are what the caller gave, not texts of a URL */
    bool is_strict : 1;  /**< a parameter that no argument takes is refused */
    bool is_lenient : 1; /**< one that cannot be given is left out rather than refused */
    Py_ssize_t count;
    PyObject *keywords; /**< names of those that go by keyword, the last ones; NULL: none */
    ext_argument *arguments;
    Py_ssize_t named; /**< how many are not the Request */
    PyObject *closed; /**< names that **parameters never gets of a URL, a frozenset: all that the handler has */
    PyObject *bound;  /**< names that **parameters never gets of a caller: those that the handler has bound itself */
} ext_plan;

int ext_plan_read(ext_plan *plan, PyObject *description);
int ext_plan_traverse(ext_plan *plan, visitproc visit, void *arg);
void ext_plan_clear(ext_plan *plan);
/** Fills in the objects for the plan's arguments; on failure none is left. */
int ext_plan_bind(ext_state *state, const ext_plan *plan, ctie_request *request, PyObject *request_object,
                  PyObject **out);
/** Lets go of the first of those objects; returns -1. */
static inline int ext_plan_undo(PyObject **out, Py_ssize_t count) {
    while (count > 0) {
        Py_DECREF(out[--count]);
    }
    return -1;
}
/** The parameters that the plan's arguments leave over, as a dict. */
PyObject *ext_plan_rest(ext_state *state, const ext_plan *plan, ctie_request *request);

/** The object of a text by the argument's kind, which NULL with a ParamError says does not fit. */
PyObject *ext_argument_convert(ext_state *state, const ext_argument *argument, ctie_str text);
/** Sets a ParamError that says what the argument has to be; returns NULL. */
PyObject *ext_argument_mismatch(ext_state *state, const ext_argument *argument);
/** What stands for an argument that the request does not have: its default, else a ParamError. */
PyObject *ext_argument_missing(ext_state *state, const ext_argument *argument);
/** Sets a ParamError about the parameter of that name, whose place in the format is %R; returns NULL. */
PyObject *ext_argument_refuse(ext_state *state, ctie_status status, const char *format, PyObject *name);

/* The same for a request that a rule has brought (declared.c). */

bool ext_request_has_rule(ctie_request *request);
int ext_plan_bind_declared(ext_state *state, const ext_plan *plan, ctie_request *request, PyObject *request_object,
                           PyObject **out);
PyObject *ext_plan_rest_declared(ext_state *state, const ext_plan *plan, ctie_request *request);

/* The same for a request without a URL (given.c). */

int ext_plan_bind_given(ext_state *state, const ext_plan *plan, ctie_request *request, PyObject *request_object,
                        PyObject **out);
PyObject *ext_plan_rest_given(ext_state *state, const ext_plan *plan, ctie_request *request);

/* ---- Registrations (registration.c, handler.c, register.c, interceptor.c) ------------------------- */

enum {
    EXT_ROUTE,
    EXT_RULE,
    EXT_INTERCEPTOR,
    EXT_UNMATCHED,
    EXT_NAVIGATOR,
    EXT_OPENER,
    EXT_COMPONENT,
    EXT_ACTION, /**< one of a component, which keeps it */
    EXT_RESOLVER,
    EXT_FALLBACK,
    EXT_SELECTOR, /**< what a resolver of ours has found; Crosstie does not know it */
    EXT_PROVIDER,
    EXT_CAPABILITY, /**< one of a provider, which keeps it */
    EXT_PROVIDER_LOG,
};

/** A provider of a bus, by its name (provider.c). */
typedef struct ext_place ext_place;
void ext_place_free(ext_place *place);

typedef struct ext_registration {
    ext_binding binding; /**< its target is a route's pattern, else empty */
    ext_plan plan;
    int kind;            /**< one of EXT_ROUTE… */
    bool may_be_remote;  /**< requests of remote origin may come */
    bool replies_none;   /**< None from the handler is a reply, if it has done nothing else with the request */
    PyObject *name;      /**< the route's, the component's, the provider's, or the rule's id; may be empty */
    PyObject *spawn;     /**< of an async handler: what puts its coroutine on a loop; else NULL */
    PyObject *actions;   /**< of a component: a tuple of registrations; of a provider: by kind, some None; else NULL */
    PyObject *factory;   /**< of a lazy component: gives a tuple of the actions' functions; else NULL */
    PyObject *can;       /**< of a provider: whether it can do what a request asks for; else NULL */
    ext_place *place;    /**< of a provider that came with others: by what it is removed; else NULL */
    PyObject *weakrefs;
} ext_registration;

/** A registration that Crosstie does not know yet. Takes nothing; `target` and `name` may be NULL for empty. */
ext_registration *ext_registration_new(ext_owner *owner, int kind, PyObject *handler, PyObject *target,
                                       PyObject *name);

/**
 * What Python has registered of a kind, and of a name if that is not NULL: a list, or NULL with an exception. To be taken
 * before Crosstie is told to replace or remove it, for meanwhile others may register.
 */
PyObject *ext_registrations_of(ext_owner *owner, int kind, PyObject *name);

/** Reads the plan, and for an async handler finds what puts it on a loop. */
int ext_registration_plan(ext_registration *self, PyObject *description);
int ext_registration_make_async(ext_registration *self);

/** The ctie_handler_fn of every registration: calls its callback by its plan. */
void ext_handle(ctie_request *request, void *registration);
/** The same inside another handler, with the GIL. */
void ext_handle_inside(ext_registration *self, ctie_request *request);

/** Interceptors of one route, handler or open, as Crosstie wants them. */
typedef struct ext_interceptors {
    ctie_handler *items;
    size_t count;
} ext_interceptors;

/**
 * Reads a sequence of callables. Crosstie takes the items over with the next call that is given them; who does not
 * come to that call drops them. `is_lasting`: they stay registered, and are the bus's to keep.
 */
int ext_interceptors_read(ext_owner *bus, PyObject *sequence, bool is_lasting, ext_interceptors *out);
void ext_interceptors_drop(ext_interceptors *self);
/** Frees the array, whose items Crosstie has taken. */
void ext_interceptors_free(ext_interceptors *self);

/* What the methods of Bus that register do. */
PyObject *ext_route_add(PyObject *bus, PyObject *args, PyObject *keywords);
PyObject *ext_rule_handle(PyObject *bus, PyObject *args, PyObject *keywords);
PyObject *ext_interceptor_add(PyObject *bus, PyObject *args, PyObject *keywords);
PyObject *ext_unmatched_set(PyObject *bus, PyObject *args, PyObject *keywords);
PyObject *ext_navigator_set(PyObject *bus, PyObject *args, PyObject *keywords);
PyObject *ext_opener_set(PyObject *bus, PyObject *args, PyObject *keywords);
PyObject *ext_fallback_set(PyObject *bus, PyObject *args, PyObject *keywords);
PyObject *ext_resolver_set(PyObject *bus, PyObject *args, PyObject *keywords);
PyObject *ext_component_add(PyObject *bus, PyObject *args, PyObject *keywords);
PyObject *ext_provider_log(PyObject *registration, PyObject *args);
PyObject *ext_provider_add(PyObject *bus, PyObject *args);
PyObject *ext_provider_set_all(PyObject *bus, PyObject *descriptions);
PyObject *ext_provider_set_log(PyObject *bus, PyObject *args);
/** A registration of a function that `_handle()` calls for a request, known to nobody else. */
PyObject *ext_selector_new(PyObject *bus, PyObject *args);

/* ---- Trust (trust.c) ------------------------------------------------------------------------------ */

/** Makes the variable; called when the module is made. */
int ext_trust_start(ext_state *state);
bool ext_trust_is_remote(ctie_request *request);
/** Before a request is handled: sets the variable if the request is remote, and a token for the end of it. */
int ext_trust_enter(ext_state *state, ctie_request *request, PyObject **token);
/** Afterwards; NULL is fine. */
void ext_trust_leave(ext_state *state, PyObject *token);
/** Marks what runs next as done for a remote request; the token is for ext_trust_leave(). */
PyObject *ext_trust_lose(ext_state *state);
/** Asks the variable. 1 when this context works for a remote request, 0 when not, -1 with an exception. */
int ext_trust_ask(ext_state *state);
static inline int ext_trust_is_lost(ext_state *state) {
    return state->has_seen_remote ? ext_trust_ask(state) : 0;
}

#endif
