/*
 * A handler's plan (plan.c): its arguments (argument.c), and where they come from.
 */
#ifndef CROSSTIE_EXT_PLAN_H
#define CROSSTIE_EXT_PLAN_H

#include "../base/state.h"

/* ---- Arguments ------------------------------------------------------------------------------------ */

#define EXT_MAX_ARGUMENTS 64

typedef struct ext_argument {
    PyObject *name;         /**< interned */
    PyObject *missing;      /**< its default; NULL: it is required */
    Py_ssize_t position;    /**< in the pattern; -1: found by its name */
    int kind;               /**< one of EXT_TEXT… */
    bool is_annotated;      /**< the handler's annotation, which takes precedence over a rule's declaration */
    bool is_open;           /**< a URL may fill it though it has a default; any other only by its position in the pattern */
    bool may_be_none;
} ext_argument;

/**
 * The kinds of arguments. EXT_ANY, for any object, occurs only where there is no URL; EXT_REQUEST is the Request.
 * EXT_OPTIONAL is added in plans.
 */
enum { EXT_TEXT, EXT_INT, EXT_FLOAT, EXT_BOOL, EXT_ANY, EXT_REQUEST, EXT_OPTIONAL = 8 };

/** The flags that the package returns for an interceptor. */
enum { EXT_WANTS_PROCEED = 1, EXT_IS_ASYNC = 2 };

/** The object of a text by the argument's kind. NULL with a ParamError for a text that does not fit. */
PyObject *ext_argument_convert(ext_state *state, const ext_argument *argument, ctie_str text);
/** Sets a ParamError that names the kind the argument must have; returns NULL. */
PyObject *ext_argument_mismatch(ext_state *state, const ext_argument *argument);
/** The default of an argument that the request does not have, or a ParamError. */
PyObject *ext_argument_missing(ext_state *state, const ext_argument *argument);

/* ---- Plans ---------------------------------------------------------------------------------------- */

/** The way a handler is called, fixed when it is registered. The fields that every request reads share a cache line. */
typedef struct ext_plan {
    bool takes_request;  /**< one of the arguments is the Request */
    bool is_interceptor; /**< it takes the Request and has no arguments */
    bool takes_proceed;  /**< an interceptor: request.proceed follows the request */
    bool takes_rest;     /**< has **parameters */
    bool is_async;       /**< it returns a coroutine, to be awaited on a loop */
    bool may_have_rule;  /**< a rule may send requests, and declare their parameters */
    bool is_by_call;     /**< arguments come from the caller by name, not from a URL's texts */
    bool is_strict : 1;  /**< a parameter that no argument takes is refused */
    bool is_lenient : 1; /**< a parameter that is not accepted is left out rather than refused */
    Py_ssize_t count;
    PyObject *keywords; /**< names of the arguments passed by keyword, which are the last ones; NULL: none */
    ext_argument *arguments;
    Py_ssize_t named; /**< the number of arguments that are not the Request */
    PyObject *closed; /**< names that **parameters never gets from a URL, a frozenset: all that the handler has */
    PyObject *bound;  /**< names that **parameters never gets from a caller: those that the handler has bound itself */
} ext_plan;

int ext_plan_read(ext_plan *plan, PyObject *description);
int ext_plan_traverse(ext_plan *plan, visitproc visit, void *arg);
void ext_plan_clear(ext_plan *plan);
/** Fills in the objects for the plan's arguments; after a failure none is left. */
int ext_plan_bind(ext_state *state, const ext_plan *plan, ctie_request *request, PyObject *request_object,
                  PyObject **out);
/** Releases the first `count` of those objects; returns -1. */
static inline int ext_plan_undo(PyObject **out, Py_ssize_t count) {
    while (count > 0) {
        Py_DECREF(out[--count]);
    }
    return -1;
}
/** The parameters that the plan's arguments do not take, as a dict. */
PyObject *ext_plan_rest(ext_state *state, const ext_plan *plan, ctie_request *request);

/* The same for the request of a rule (rule_arguments.c). */

bool ext_request_has_rule(ctie_request *request);
int ext_plan_bind_rule(ext_state *state, const ext_plan *plan, ctie_request *request, PyObject *request_object,
                       PyObject **out);
PyObject *ext_plan_rest_rule(ext_state *state, const ext_plan *plan, ctie_request *request);

/* The same for a request without a URL (call_arguments.c). */

int ext_plan_bind_call(ext_state *state, const ext_plan *plan, ctie_request *request, PyObject *request_object,
                       PyObject **out);
PyObject *ext_plan_rest_call(ext_state *state, const ext_plan *plan, ctie_request *request);

#endif
