/**
 * @file route.h
 * opening URLs: routes by pattern, and opening URLs.
 *
 * Patterns and the URL grammar are set out in docs/urls.md.
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
 * @{
 */

/** Flags of a route. @since 0.1 */
enum {
    CTIE_ROUTE_PUBLIC = 1 << 0,  /**< remote origins may open it; the default is local only */
    CTIE_ROUTE_REPLACE = 1 << 1, /**< takes the place of a route of the same shape, atomically */
    CTIE_ROUTE_WORKER_ONLY = 1 << 2, /**< its handler runs on a worker of the bus, also for a synchronous caller */
};

/** How a route shall be. Start from CTIE_ROUTE_OPTIONS_INIT; zero means default. @since 0.1 */
typedef struct ctie_route_options {
    size_t size;                                        /**< sizeof(ctie_route_options) */
    uint32_t flags;                                     /**< CTIE_ROUTE_… */
    ctie_str remark;                                    /**< for listings; UTF-8, at most 1,024 bytes */
    const ctie_runtime *CTIE_NULLABLE runtime;          /**< of the handler and its interceptors; NULL for none */
    /** Known by this on its bus, for ctie_generate_named(). Unique; a letter or '_', then letters, digits, `_ . -`, at
        most 128 bytes. Empty for none. */
    ctie_str name;
    /** The id of the rule that it is for, of the same form: in a table that has such a rule, which has to have the
        pattern's shape, the rule says who may open it, and this handles it (rules.h). Unique. Empty for none. */
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
 * @param handler answers; its `destroy` runs once, also on failure.
 * @param options borrowed; NULL for defaults.
 * @param out receives the registration: ctie_registration_release() removes the route. NULL: the
 *   route lives as long as the bus, or until it is replaced or removed by its pattern.
 * @param error receives why it failed, owned by the caller; may be NULL.
 * Threads: any.
 * With CTIE_ROUTE_REPLACE the handler before is treated as by ctie_registration_release(): it is not
 * running when this returns, unless this is called inside a callback.
 *
 * @return CTIE_OK; CTIE_E_PATTERN (malformed; `where` says at which byte); CTIE_E_CONFLICT (a route or a rule of
 *   the same shape is there, a route of that name, or a handler of that rule; the message names it);
 *   CTIE_E_IDENTIFIER (name, rule);
 *   CTIE_E_INVALID; CTIE_E_ABI (options of a newer header); CTIE_E_UTF8; CTIE_E_LIMIT (pattern, name, rule, remark,
 *   interceptors, or over 1,000,000 routes); CTIE_E_HANDLE; CTIE_E_FORKED; CTIE_E_NO_MEMORY.
 * @since 0.1
 */
CTIE_API ctie_status ctie_route_add(ctie_bus *bus, ctie_str pattern, ctie_handler handler,
                                    const ctie_route_options *options, ctie_registration **out, ctie_error_out error);

/**
 * Removes the route of that shape; deeper routes stay.
 *
 * Threads: any. As ctie_registration_release(), which finds the route gone afterwards.
 * @return CTIE_OK; CTIE_PENDING; CTIE_E_NOT_FOUND; CTIE_E_PATTERN; CTIE_E_INVALID, CTIE_E_UTF8 or
 *   CTIE_E_LIMIT (pattern); CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_route_remove(ctie_bus *bus, ctie_str pattern, ctie_error_out error);

/**
 * Removes all routes of a bus; rules, interceptors and the handlers that stand under no pattern stay.
 *
 * Threads: any. As ctie_registration_release() of each.
 * @return CTIE_OK; CTIE_PENDING (inside a callback); CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_route_clear(ctie_bus *bus);

/**
 * Sets the handler of what nobody else takes: a URL that would end with CTIE_E_NO_ROUTE or CTIE_E_BLOCKED. It may
 * decline. Without CTIE_HANDLER_PUBLIC it does not see what remote origins open.
 *
 * The one before it is destroyed as any registration is.
 *
 * @param handler answers; its `destroy` runs once, also on failure. NULL for its `fn` takes the one before away.
 * @param options borrowed; NULL for defaults.
 * @param error receives why it failed, owned by the caller; may be NULL.
 * Threads: any.
 * @return CTIE_OK; CTIE_PENDING (the handler before is running still; its destroy tells the end);
 *   CTIE_E_INVALID; CTIE_E_ABI (options of a newer header); CTIE_E_LIMIT (interceptors); CTIE_E_HANDLE;
 *   CTIE_E_FORKED; CTIE_E_NO_MEMORY.
 * @since 0.1
 */
CTIE_API ctie_status ctie_route_set_unmatched(ctie_bus *bus, ctie_handler handler, const ctie_handler_options *options,
                                              ctie_error_out error);

/**
 * Lists the routes, in the byte order of their patterns.
 *
 * @param out receives a list of maps with the keys "pattern", "name", "remark", "public", "worker_only", "rule" where
 *   the route is for one and, on a bus with CTIE_BUS_COUNT_HITS, "hits", owned by the caller.
 * Threads: any.
 * @return CTIE_OK; CTIE_E_INVALID (no `out`); CTIE_E_LIMIT (more than a value holds); CTIE_E_HANDLE;
 *   CTIE_E_FORKED; CTIE_E_NO_MEMORY.
 * @since 0.1
 */
CTIE_API ctie_status ctie_route_list(const ctie_bus *bus, ctie_value **out);

/**
 * Opens a URL: finds the most specific route or rule and runs its handler on this thread. What none takes goes to a
 * provider that claims it (provider.h), to the handler of the unmatched, or to the system's opener (system_opener.h).
 *
 * @param url at most 8,192 bytes. On a bus with a default scheme it may begin with one '/': then it gets that scheme and
 *   an empty host, as patterns do.
 * @param origin CTIE_ORIGIN_LOCAL for the host's own wishes; anything that came from outside is
 *   CTIE_ORIGIN_REMOTE and reaches public routes only.
 * @param options borrowed; NULL for defaults.
 * @param response receives the response, owned by the caller; NULL if only the status matters. It is
 *   given for every end of a request, also for a failure; where none was begun (an argument was refused,
 *   CTIE_E_HANDLE, CTIE_E_DEPTH, CTIE_E_NO_MEMORY) it is set to NULL.
 * @param error receives why it failed, owned by the caller; may be NULL.
 * Threads: any.
 * @return the response's status: CTIE_OK; CTIE_E_HANDLER (the handler failed; code and message in the
 *   response); CTIE_E_URL, CTIE_E_PATH, CTIE_E_UTF8 (malformed; `where` says at which byte);
 *   CTIE_E_LIMIT (length, segments, pairs, interceptors, or the matcher's step budget); CTIE_E_DENIED (the best match
 *   is not public, the scheme is private, or an interceptor or handler denied it); CTIE_E_PARAM (a rule's
 *   parameter is missing or malformed; the message names it); CTIE_E_NO_ROUTE (the scheme has routes or
 *   rules, none fits); CTIE_E_NO_TARGET (a rule fits, but nobody handles it); CTIE_E_BLOCKED (nobody knows the
 *   scheme, and the opener may not have it); CTIE_E_SYSTEM (the opener could not be started; the message says why);
 *   CTIE_E_BUSY (a worker-only handler, and no worker to be had); CTIE_E_TIMEOUT; CTIE_E_CANCELLED (this thread's
 *   wait is not wanted: waiting.h); CTIE_E_NO_REPLY; CTIE_E_DEPTH (over 64 requests nested on this thread, or too
 *   little of its stack left);
 *   CTIE_E_CLOSED; CTIE_E_INVALID (URL, options); CTIE_E_ABI (options of a newer header); CTIE_E_TYPE
 *   (user_info is no map); CTIE_E_HANDLE;
 *   CTIE_E_FORKED; CTIE_E_NO_MEMORY.
 * @since 0.1
 */
CTIE_API ctie_status ctie_open(ctie_bus *bus, ctie_str url, ctie_origin origin, const ctie_request_options *options,
                               ctie_response **response, ctie_error_out error);

/**
 * Opens a URL on a worker of the bus and returns at once.
 *
 * @param completion runs exactly once if this succeeds, and never if it fails; its `fn` may be NULL. Its `destroy` runs
 *   once in any case.
 * @param out receives the call, owned by the caller; may be NULL.
 * Everything else as ctie_open(). A URL that is refused by its form fails here and now; what depends on
 * the routes (none matches, denied, an opaque path) comes with the response.
 *
 * @return CTIE_OK; CTIE_E_BUSY (the queue is full, or all workers and the 256 more are waiting);
 *   CTIE_E_URL, CTIE_E_PATH, CTIE_E_UTF8, CTIE_E_LIMIT; CTIE_E_INVALID; CTIE_E_ABI; CTIE_E_TYPE;
 *   CTIE_E_HANDLE; CTIE_E_FORKED; CTIE_E_SYSTEM (no thread could be started); CTIE_E_NO_MEMORY.
 * @since 0.1
 */
CTIE_API ctie_status ctie_open_async(ctie_bus *bus, ctie_str url, ctie_origin origin, ctie_completion completion,
                                     const ctie_request_options *options, ctie_call **out, ctie_error_out error);

/** Who would open a URL. @since 0.1 */
typedef int32_t ctie_opened_by;
enum {
    CTIE_OPENED_BY_NONE = 0,  /**< nobody; it is malformed, denied, or unknown */
    CTIE_OPENED_BY_ROUTE = 1, /**< a route or a rule of the bus, or its handler of the unmatched */
    CTIE_OPENED_BY_PROVIDER = 2, /**< a provider claims it (provider.h) */
    CTIE_OPENED_BY_SYSTEM = 3, /**< the system's opener */
};

/**
 * Tells who would open a URL, without a side effect: no handler and no interceptor runs. A rule's parameters are
 * checked, and providers that decide by themselves are asked whether they can.
 *
 * @param mode CTIE_MATCH_….
 * @param out receives one of CTIE_OPENER_….
 * Threads: any.
 * @return CTIE_OK (also for a malformed URL: nobody, unless it is somebody else's, see docs/urls.md);
 *   CTIE_E_INVALID (no `out`, an unknown mode, or a URL that is NULL with a size); CTIE_E_DEPTH (a provider is to be asked, and too many callbacks are nested on this thread);
 *   CTIE_E_HANDLE; CTIE_E_FORKED; CTIE_E_NO_MEMORY.
 * @since 0.1
 */
CTIE_API ctie_status ctie_can_open(const ctie_bus *bus, ctie_str url, ctie_origin origin, ctie_match_mode mode,
                                   ctie_opened_by *out);

/**
 * Makes the URL that a pattern matches with these parameters: opening it gives the same back.
 *
 * @param bus for its default scheme; NULL if the pattern has a scheme.
 * @param pattern as for ctie_route_add(); it need not be registered.
 * @param params a map by name, or a list by position; texts, integers, doubles and booleans. NULL or
 *   null for none.
 * @param out receives the URL as a string value, owned by the caller.
 * @param error receives why it failed, owned by the caller; may be NULL.
 * Threads: any.
 * @return CTIE_OK; CTIE_E_PATTERN; CTIE_E_PARAM (one is missing, surplus, or cannot stand there; `where` names it);
 *   CTIE_E_TYPE (params is neither map nor list); CTIE_E_FOREIGN (params has no plain form); CTIE_E_LIMIT (also a
 *   URL that would be too long), CTIE_E_UTF8 (also in params) or CTIE_E_INVALID (pattern, no `out`); CTIE_E_HANDLE;
 *   CTIE_E_FORKED; CTIE_E_NO_MEMORY.
 * @since 0.1
 */
CTIE_API ctie_status ctie_generate(const ctie_bus *bus, ctie_str pattern, const ctie_value *params, ctie_value **out,
                                   ctie_error_out error);

/**
 * The same with the pattern of a route that is known by its name, and with a query.
 *
 * @param bus the route's.
 * @param name as in the route's options.
 * @param params as for ctie_generate().
 * @param query a map of what the query shall hold, in its order: texts, integers, doubles, booleans, or lists of
 *   them for keys that stand there several times. NULL or null for none.
 * @param out receives the URL as a string value, owned by the caller.
 * @param error receives why it failed, owned by the caller; may be NULL.
 * Threads: any.
 * @return CTIE_OK; CTIE_E_NOT_FOUND (no route of that name); CTIE_E_PARAM, CTIE_E_TYPE, CTIE_E_FOREIGN (params,
 *   query); CTIE_E_LIMIT (also a URL that would be too long), CTIE_E_UTF8 (also in params) or CTIE_E_INVALID (name,
 *   no `out`); CTIE_E_HANDLE; CTIE_E_FORKED; CTIE_E_NO_MEMORY.
 * @since 0.1
 */
CTIE_API ctie_status ctie_generate_named(const ctie_bus *bus, ctie_str name, const ctie_value *params,
                                         const ctie_value *query, ctie_value **out, ctie_error_out error);

/** @} */

CTIE_END

#endif
