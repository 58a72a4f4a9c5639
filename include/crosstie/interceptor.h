/**
 * @file interceptor.h
 * Interceptors: handlers that run before a request's handler, and let the request continue, redirect it, answer it or
 * deny it.
 *
 * A request runs through its own interceptors (ctie_request_options), then those of its bus; then it is matched and its
 * origin checked; then it runs through the interceptors of the matching route or rule, and last the handler. An
 * interceptor is a ctie_handler_fn. It may call every function that a handler may call; before a route is found there
 * are no path parameters. It ends the request as a handler does, or calls ctie_request_proceed() or
 * ctie_request_rewrite() once: before it returns, or, if it has retained the request, later on any thread. An
 * interceptor that does none of these ends the request with CTIE_E_NO_REPLY. No interceptor can raise a request's
 * trust.
 */
#ifndef CROSSTIE_INTERCEPTOR_H
#define CROSSTIE_INTERCEPTOR_H

#include "base.h"
#include "bus.h"
#include "request.h"
#include "response.h"
#include "status.h"
#include "value.h"

CTIE_BEGIN

/**
 * @defgroup interceptor Interceptors
 *
 * Any thread may call these functions, unless they say otherwise. They return CTIE_OK, or one
 * of CTIE_E_HANDLE, CTIE_E_FORKED, CTIE_E_INVALID (an argument is NULL or malformed), CTIE_E_ABI (options of a newer
 * header), CTIE_E_NO_MEMORY, and the errors that each lists. `options` is borrowed, and NULL means the defaults.
 * `error` may be NULL; it receives an error object owned by the caller.
 * @{
 */

/** Kinds of requests, or'ed together. @since 0.1 */
enum {
    CTIE_INTERCEPT_OPEN = 1 << CTIE_REQUEST_KIND_OPEN,
    CTIE_INTERCEPT_CALL = 1 << CTIE_REQUEST_KIND_CALL,
    CTIE_INTERCEPT_EVENT = 1 << CTIE_REQUEST_KIND_EVENT,
    CTIE_INTERCEPT_PERFORM = 1 << CTIE_REQUEST_KIND_PERFORM,
    CTIE_INTERCEPT_SHARE = 1 << CTIE_REQUEST_KIND_SHARE,
    CTIE_INTERCEPT_OAUTH = 1 << CTIE_REQUEST_KIND_OAUTH,
    CTIE_INTERCEPT_LAUNCH = 1 << CTIE_REQUEST_KIND_LAUNCH,
    CTIE_INTERCEPT_ACTIVITY = 1 << CTIE_REQUEST_KIND_ACTIVITY,
};

/** Options of an interceptor. Start from CTIE_INTERCEPTOR_OPTIONS_INIT; zero means default. @since 0.1 */
typedef struct ctie_interceptor_options {
    size_t size;                               /**< sizeof(ctie_interceptor_options) */
    int32_t order;                             /**< lower ones run first; among equals, the one registered first */
    const ctie_runtime *CTIE_NULLABLE runtime; /**< the interceptor's runtime; NULL for none */
    uint32_t kinds;                            /**< the kinds of requests it runs for: CTIE_INTERCEPT_…; 0 for all */
    ctie_str dispatcher;                       /**< the dispatcher whose requests it runs for, by name; empty for all */
} ctie_interceptor_options;

/** The struct with its size and the defaults. @since 0.1 */
#define CTIE_INTERCEPTOR_OPTIONS_INIT {sizeof(ctie_interceptor_options), 0, NULL, 0, {NULL, 0}}

/**
 * Registers an interceptor for the requests of a bus.
 *
 * @param handler the interceptor; its `destroy` runs once, also on failure.
 * @param out receives the registration: ctie_registration_release() removes the interceptor. NULL: it lives as long as
 *   the bus.
 * @par Errors
 * CTIE_E_INVALID (an unknown kind); CTIE_E_NOT_FOUND (no dispatcher of that name); CTIE_E_LIMIT (over 1,024, or the
 * name); CTIE_E_UTF8.
 * @since 0.1
 */
CTIE_API ctie_status ctie_interceptor_add(ctie_bus *bus, ctie_handler handler, const ctie_interceptor_options *options,
                                          ctie_registration **out, ctie_error_out error);

/**
 * Lets a request continue: when the interceptor returns or, for a retained request, inside this call.
 *
 * @par Errors
 * CTIE_E_ALREADY (it has continued or ended already); CTIE_E_INVALID (no interceptor has it).
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_proceed(ctie_request *request);

/**
 * Continues an open request with another URL, from the beginning: its own interceptors run again, then the bus's. Text
 * borrowed from the previous URL must not be used once this interceptor has returned. The origin stays, or is lowered
 * to the trust of the request that this thread is handling.
 *
 * @param url at most 8,192 bytes.
 * @par Errors
 * CTIE_E_URL, CTIE_E_PATH, CTIE_E_UTF8, CTIE_E_LIMIT (the URL is malformed, or this is the ninth rewrite; the request
 * stays as it is); CTIE_E_INVALID (a request of another kind, or no interceptor has it); CTIE_E_ALREADY.
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_rewrite(ctie_request *request, ctie_str url, ctie_error_out error);

/**
 * Replaces the parameters of a request for the stages after this interceptor. For a URL they are added to the URL's
 * own, as ctie_request_arguments(). Text and values borrowed from the previous parameters live as long as the request.
 *
 * @param params taken, also on failure: a map, null, or a foreign value with the content of a map.
 * @par Threads
 * Those on which this interceptor may let the request continue.
 * @par Errors
 * CTIE_E_TYPE (not a map); CTIE_E_INVALID (NULL, or no interceptor has the request); CTIE_E_ALREADY (it has continued
 * or ended); CTIE_E_LIMIT (the 65th time for one request).
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_set_params(ctie_request *request, ctie_value *params);

/**
 * Replaces the user info, as ctie_request_set_params() does the parameters.
 *
 * @param user_info taken, also on failure: a map, null, or a foreign value with the content of a map.
 * @par Threads
 * As ctie_request_set_params().
 * @par Errors
 * Those of ctie_request_set_params().
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_set_user_info(ctie_request *request, ctie_value *user_info);

/**
 * Adds a completion that sees the response before the caller: it runs once the request has ended in any way. The
 * completion that was added last runs first. Inside it ctie_response_replace() and ctie_response_fail() change the
 * response.
 *
 * @param completion its `destroy` runs once, after it, also on failure.
 * @par Threads
 * The completion runs on the thread that ends the request, which may be one that cancels it, and must not wait.
 * @par Errors
 * CTIE_E_ALREADY (the request has ended); CTIE_E_LIMIT (the 65th for one request).
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_on_return(ctie_request *request, ctie_completion completion);

/** @} */

CTIE_END

#endif
