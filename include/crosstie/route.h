/**
 * @file route.h
 * Routes by pattern, and opening URLs. Patterns and the grammar of URLs are in docs/urls.md.
 */
#ifndef CROSSTIE_ROUTE_H
#define CROSSTIE_ROUTE_H

#include "base.h"
#include "bus.h"
#include "call.h"
#include "request.h"
#include "status.h"
#include "value.h"

CTIE_BEGIN

/**
 * @defgroup route Routes and opening URLs
 *
 * Any thread may call these functions. They return CTIE_OK, or one of CTIE_E_HANDLE,
 * CTIE_E_FORKED, CTIE_E_INVALID (an argument is NULL or malformed), CTIE_E_ABI (options of a newer header),
 * CTIE_E_NO_MEMORY, and the errors that each lists. `options` is borrowed, and NULL means the defaults. A
 * callback's `destroy` runs once, also on failure. `error` may be NULL; it receives an error object owned by the
 * caller.
 * @{
 */

/** Flags of a route. @since 0.1 */
enum {
    CTIE_ROUTE_PUBLIC = 1 << 0,  /**< remote origins may open it; the default is local only */
    CTIE_ROUTE_REPLACE = 1 << 1, /**< takes the place of a route of the same shape, atomically */
    CTIE_ROUTE_WORKER_ONLY = 1 << 2, /**< its handler runs on a worker of the bus, also for a synchronous caller */
};

/** Options of a route. Start from CTIE_ROUTE_OPTIONS_INIT; zero means default. @since 0.1 */
typedef struct ctie_route_options {
    size_t size;                                        /**< sizeof(ctie_route_options) */
    uint32_t flags;                                     /**< CTIE_ROUTE_… */
    ctie_str remark;                                    /**< for listings; UTF-8, at most 1,024 bytes */
    const ctie_runtime *CTIE_NULLABLE runtime;          /**< of the handler and its interceptors; NULL for none */
    /** Its name on the bus, for ctie_generate_named(). Unique; a letter or '_', then letters, digits, `_ . -`; at most
        128 bytes. Empty for none. */
    ctie_str name;
    /** The id of the rule that the route handles, of the same form. If the table has such a rule, it must have the
        pattern's shape, and decides which origins may open the route (rules.h). Unique. Empty for none. */
    ctie_str rule;
    const ctie_handler *CTIE_NULLABLE interceptors;     /**< of this route alone; taken, also on failure */
    size_t interceptor_count;                           /**< at most 64 */
} ctie_route_options;

/** The struct with its size and the defaults. @since 0.1 */
#define CTIE_ROUTE_OPTIONS_INIT {sizeof(ctie_route_options), 0, {NULL, 0}, NULL, {NULL, 0}, {NULL, 0}, NULL, 0}

/**
 * Registers a handler for the URLs that match a pattern.
 *
 * @param pattern "scheme://host/…", or "/…" on a bus with a default scheme; at most 8,192 bytes.
 * @param out receives the registration: ctie_registration_release() removes the route. NULL: the route lives as long
 *   as the bus, or until it is replaced or removed by its pattern.
 * @par Threads
 * With CTIE_ROUTE_REPLACE the previous handler is not running when this returns, unless it is called inside a callback.
 * @par Errors
 * CTIE_E_PATTERN (malformed; the location gives the byte); CTIE_E_CONFLICT (a route or rule has the same shape, a route has
 * that name, or that rule has a handler; the message names it); CTIE_E_IDENTIFIER (name, rule); CTIE_E_UTF8;
 * CTIE_E_LIMIT (pattern, name, rule, remark, interceptors, or over 1,000,000 routes).
 * @since 0.1
 */
CTIE_API ctie_status ctie_route_add(ctie_bus *bus, ctie_str pattern, ctie_handler handler,
                                    const ctie_route_options *options, ctie_registration **out, ctie_error_out error);

/**
 * Removes the route with a pattern's shape, as ctie_registration_release() does; routes below it stay. Its registration
 * becomes invalid.
 *
 * @return CTIE_OK; CTIE_PENDING.
 * @par Errors
 * CTIE_E_NOT_FOUND; CTIE_E_PATTERN, CTIE_E_INVALID, CTIE_E_UTF8, CTIE_E_LIMIT (pattern).
 * @since 0.1
 */
CTIE_API ctie_status ctie_route_remove(ctie_bus *bus, ctie_str pattern, ctie_error_out error);

/**
 * Removes all routes of a bus, each as ctie_registration_release() does. Rules, interceptors and the callback slots
 * stay.
 *
 * @return CTIE_OK; CTIE_PENDING.
 * @since 0.1
 */
CTIE_API ctie_status ctie_route_clear(ctie_bus *bus);

/**
 * Sets the handler of unmatched URLs, which would otherwise end with CTIE_E_NO_ROUTE or CTIE_E_BLOCKED. It may decline.
 * Without CTIE_HANDLER_PUBLIC, URLs of remote origins do not reach it. It is a callback slot (docs/conventions.md).
 *
 * @param handler NULL for its `fn` empties the slot.
 * @return CTIE_OK; CTIE_PENDING (the previous handler is still running).
 * @par Errors
 * CTIE_E_LIMIT (interceptors).
 * @since 0.1
 */
CTIE_API ctie_status ctie_route_set_unmatched(ctie_bus *bus, ctie_handler handler, const ctie_handler_options *options,
                                              ctie_error_out error);

/**
 * Lists the routes, in the byte order of their patterns.
 *
 * @param out receives a list of maps with the keys "pattern", "name", "remark", "public", "worker_only", "rule" if the
 *   route handles one and, on a bus with CTIE_BUS_COUNT_HITS, "hits", owned by the caller.
 * @par Errors
 * CTIE_E_LIMIT (more than a value holds).
 * @since 0.1
 */
CTIE_API ctie_status ctie_route_list(const ctie_bus *bus, ctie_value **out);

/**
 * Opens a URL: finds the most specific route or rule and runs its handler on this thread. Without a match, the URL goes to
 * a provider that claims it (provider.h), to a peer that exports it (join.h), to the system opener (system_opener.h), or
 * to the handler of ctie_route_set_unmatched().
 *
 * @param url at most 8,192 bytes. On a bus with a default scheme it may begin with one '/': then it gets that scheme
 *   and an empty host, as patterns do.
 * @param origin CTIE_ORIGIN_LOCAL for the host's own URLs; CTIE_ORIGIN_REMOTE for URLs from outside, which reach public
 *   routes only.
 * @param response as for ctie_component_call().
 * @return the response's status.
 * @par Errors
 * Those of every request (call.h); CTIE_E_URL, CTIE_E_PATH, CTIE_E_UTF8 (malformed; the location gives the byte);
 * CTIE_E_LIMIT (length, segments, pairs, interceptors, or the matcher's step budget); CTIE_E_DENIED (the best match is
 * not public, or the scheme is private); CTIE_E_PARAM (a rule's parameter is missing or malformed; the message names
 * it); CTIE_E_NO_ROUTE (the scheme has routes or rules, but none matches); CTIE_E_NO_TARGET (a rule matches, but has no
 * handler); CTIE_E_BLOCKED (the bus does not know the scheme, and the system opener may not open it); CTIE_E_SYSTEM
 * (the system opener could not be started; the message says why).
 * @since 0.1
 */
CTIE_API ctie_status ctie_open(ctie_bus *bus, ctie_str url, ctie_origin origin, const ctie_request_options *options,
                               ctie_response **response, ctie_error_out error);

/**
 * The same on a worker; returns at once. A malformed URL fails here; errors that depend on the routes (no match,
 * denied, an opaque path) are in the response.
 *
 * @param url, origin as for ctie_open().
 * @par Errors
 * Those of starting a request (call.h); CTIE_E_URL, CTIE_E_PATH, CTIE_E_UTF8.
 * @since 0.1
 */
CTIE_API ctie_status ctie_open_async(ctie_bus *bus, ctie_str url, ctie_origin origin, ctie_completion completion,
                                     const ctie_request_options *options, ctie_call **out, ctie_error_out error);

/** The handler that would open a URL. @since 0.1 */
typedef int32_t ctie_opened_by;
enum {
    CTIE_OPENED_BY_NONE = 0,  /**< none: it is malformed, denied, or unknown */
    CTIE_OPENED_BY_ROUTE = 1, /**< a route or a rule of the bus, or its handler of unmatched URLs */
    CTIE_OPENED_BY_PROVIDER = 2, /**< a provider claims it (provider.h) */
    CTIE_OPENED_BY_SYSTEM = 3, /**< the system opener */
    CTIE_OPENED_BY_PEER = 4,   /**< a peer exports it (join.h); only of ctie_can_open_anywhere() */
};

/**
 * Reports which handler would open a URL, without side effects: no handler and no interceptor runs. A rule's parameters
 * are checked, and the `can_open_url` functions of providers are called.
 *
 * @param mode CTIE_MATCH_….
 * @param out receives one of CTIE_OPENED_BY_….
 * @return CTIE_OK, also for a malformed URL: that is CTIE_OPENED_BY_NONE, unless the bus does not know its scheme
 *   (docs/urls.md).
 * @par Errors
 * CTIE_E_INVALID (an unknown mode, or a URL that is NULL with a size); CTIE_E_DEPTH (a provider would be called, and
 * too many callbacks are nested on this thread).
 * @since 0.1
 */
CTIE_API ctie_status ctie_can_open(const ctie_bus *bus, ctie_str url, ctie_origin origin, ctie_match_mode mode,
                                   ctie_opened_by *out);

/**
 * The same with the peers of joined buses: CTIE_OPENED_BY_PEER if a peer exports the URL and would get it. The peer is
 * not asked whether it has a route.
 *
 * @param url, origin, mode, out as for ctie_can_open().
 * @return as ctie_can_open().
 * @par Errors
 * Those of ctie_can_open().
 * @since 0.1
 */
CTIE_API ctie_status ctie_can_open_anywhere(const ctie_bus *bus, ctie_str url, ctie_origin origin, ctie_match_mode mode,
                                            ctie_opened_by *out);

/**
 * Makes a URL that matches a pattern and has these parameters: its handler gets the same parameters.
 *
 * @param bus for its default scheme; NULL if the pattern has a scheme.
 * @param pattern as for ctie_route_add(); it need not be registered.
 * @param params a map by name, or a list by position; texts, integers, doubles and booleans. NULL or null for none.
 * @param out receives the URL as a string value, owned by the caller.
 * @par Errors
 * CTIE_E_PATTERN; CTIE_E_PARAM (a parameter is missing, surplus, or not allowed at its position; the location names it);
 * CTIE_E_TYPE (`params` is neither map nor list); CTIE_E_FOREIGN (`params` cannot be converted); CTIE_E_LIMIT,
 * CTIE_E_UTF8 (pattern, `params`, or the URL).
 * @since 0.1
 */
CTIE_API ctie_status ctie_generate(const ctie_bus *bus, ctie_str pattern, const ctie_value *params, ctie_value **out,
                                   ctie_error_out error);

/**
 * The same with the pattern of a named route, and with a query.
 *
 * @param name as in the route's options.
 * @param params as for ctie_generate().
 * @param query a map of the query's pairs, in its order: texts, integers, doubles, booleans, or lists of them for
 *   repeated keys. NULL or null for none.
 * @param out receives the URL as a string value, owned by the caller.
 * @par Errors
 * CTIE_E_NOT_FOUND (no route of that name); CTIE_E_PARAM, CTIE_E_TYPE, CTIE_E_FOREIGN (`params`, `query`);
 * CTIE_E_LIMIT, CTIE_E_UTF8 (name, `params`, `query`, or the URL).
 * @since 0.1
 */
CTIE_API ctie_status ctie_generate_named(const ctie_bus *bus, ctie_str name, const ctie_value *params,
                                         const ctie_value *query, ctie_value **out, ctie_error_out error);

/** @} */

CTIE_END

#endif
