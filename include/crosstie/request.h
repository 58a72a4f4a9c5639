/**
 * @file request.h
 * Requests from the handler's side: reading a request and answering it. The same for every kind of request.
 */
#ifndef CROSSTIE_REQUEST_H
#define CROSSTIE_REQUEST_H

#include "base.h"
#include "bus.h"
#include "status.h"
#include "value.h"

CTIE_BEGIN

/**
 * @defgroup request Requests from the handler's side
 *
 * Any thread may call these functions, also inside a callback. They return CTIE_OK, or one of CTIE_E_HANDLE (an invalid
 * or released handle), CTIE_E_FORKED (a handle from before a fork), CTIE_E_INVALID (an argument is NULL or malformed),
 * CTIE_E_NO_MEMORY, and the errors that each lists. Functions that end a request also return CTIE_E_ALREADY if it has
 * ended; nothing changes then.
 *
 * Functions that read put their result in `out`: text and values are borrowed, unless they say otherwise, and live as
 * long as the request. A read that fails leaves `out` unchanged, so that it may hold a default; a result that the
 * caller would own is set to NULL. For a request without a URL, reading a part of the URL or of its path returns
 * CTIE_E_NOT_FOUND.
 * @{
 */

/** One request. A counted, checked handle; inside a handler it is borrowed. @since 0.1 */
typedef struct ctie_request ctie_request;

/**
 * The origin of a request. Every number but CTIE_ORIGIN_LOCAL is remote. A request made inside a handler is never more
 * trusted than the request being handled.
 *
 * @since 0.1
 */
typedef int32_t ctie_origin;
enum {
    CTIE_ORIGIN_REMOTE = 0, /**< a browser, a push message, another application */
    CTIE_ORIGIN_LOCAL = 1,  /**< the host's own code */
};

/** Kinds of requests: ctie_request_kind(). @since 0.1 */
enum {
    CTIE_REQUEST_KIND_OPEN = 0,     /**< a URL was opened: route.h */
    CTIE_REQUEST_KIND_CALL = 1,     /**< a component was called: call.h */
    CTIE_REQUEST_KIND_EVENT = 2,    /**< an event was broadcast: component.h */
    CTIE_REQUEST_KIND_PERFORM = 3,  /**< a target was performed: performer.h */
    CTIE_REQUEST_KIND_SHARE = 4,    /**< a message was shared: handoff.h */
    CTIE_REQUEST_KIND_OAUTH = 5,    /**< a sign-in was requested: handoff.h */
    CTIE_REQUEST_KIND_LAUNCH = 6,   /**< a program was launched: handoff.h */
    CTIE_REQUEST_KIND_ACTIVITY = 7, /**< a user activity was opened: handoff.h */
};

/**
 * A handler. It has the same form for every kind of request.
 *
 * It ends the request with ctie_request_reply(), ctie_request_fail() or ctie_request_decline(); or it retains the
 * request and ends it later, from any thread. A handler that returns without doing so ends the request: with null for a
 * URL, an event or an activity; with CTIE_E_NO_REPLY for the other kinds.
 *
 * @param request borrowed: valid until the handler returns, or longer if it is retained.
 * @param user_data as registered.
 * @par Threads
 * The caller's for a synchronous request, a worker's for an asynchronous one; several at a time. No lock of the
 * library is held; any function of the library may be called.
 * @since 0.1
 */
typedef void (*ctie_handler_fn)(ctie_request *CTIE_NONNULL request, void *user_data);

/**
 * A callback for requests: a handler, or an interceptor (interceptor.h). Several of them run in the order of the array.
 *
 * @since 0.1
 */
typedef struct ctie_handler {
    ctie_handler_fn CTIE_NULLABLE fn;       /**< the function */
    void *CTIE_NULLABLE user_data;          /**< handed to it and to `destroy` */
    ctie_destroy_fn CTIE_NULLABLE destroy;  /**< called when `user_data` is no longer needed; may be NULL */
} ctie_handler;

/** A ctie_handler of a function and its data. @since 0.1 */
#define CTIE_HANDLER(fn, data) CTIE_HANDLER_OWNED(fn, data, NULL)
/** The same with a `destroy`. @since 0.1 */
#define CTIE_HANDLER_OWNED(fn, data, destroy) CTIE_OF(ctie_handler, fn, data, destroy)

/** Flags of a handler that has no pattern. @since 0.1 */
enum {
    CTIE_HANDLER_PUBLIC = 1 << 0,      /**< it gets requests of remote origin; the default is local only */
    CTIE_HANDLER_WORKER_ONLY = 1 << 2, /**< it runs on a worker of the bus, also for a synchronous caller */
};

/** Options of a handler that has no pattern. Start from CTIE_HANDLER_OPTIONS_INIT; zero means default. @since 0.1 */
typedef struct ctie_handler_options {
    size_t size;                                        /**< sizeof(ctie_handler_options) */
    uint32_t flags;                                     /**< CTIE_HANDLER_… */
    const ctie_runtime *CTIE_NULLABLE runtime;          /**< the handler's runtime; NULL for none */
    const ctie_handler *CTIE_NULLABLE interceptors;     /**< of this handler alone; taken, also on failure */
    size_t interceptor_count;                           /**< at most 64 */
} ctie_handler_options;

/** The struct with its size and the defaults. @since 0.1 */
#define CTIE_HANDLER_OPTIONS_INIT {sizeof(ctie_handler_options), 0, NULL, NULL, 0}

/* ---- Answering ---------------------------------------------------------------------------------- */

/**
 * Ends a request with success and a value.
 *
 * @param value taken, also on failure.
 * @par Errors
 * CTIE_E_INVALID (NULL value: a constructor of values failed; the request stays open).
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_reply(ctie_request *request, ctie_value *value);

/**
 * Ends a request with a failure: the response has the status CTIE_E_HANDLER and this code.
 *
 * @param code the application's number; by custom -1 when there is none.
 * @param value taken, also on failure; NULL for null.
 * @param message for people; UTF-8, at most 65,536 bytes.
 * @par Errors
 * CTIE_E_INVALID, CTIE_E_UTF8, CTIE_E_LIMIT, CTIE_E_NO_MEMORY (message; the request stays open).
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_fail(ctie_request *request, int32_t code, ctie_value *value, ctie_str message);

/**
 * Ends a request with CTIE_E_DENIED: for handlers and interceptors that check permissions.
 *
 * @param message for people; UTF-8, at most 65,536 bytes; empty for the status's own.
 * @par Errors
 * CTIE_E_INVALID, CTIE_E_UTF8, CTIE_E_LIMIT, CTIE_E_NO_MEMORY (message; the request stays open).
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_deny(ctie_request *request, ctie_str message);

/**
 * Ends a request with a status of the library: for handlers that act on behalf of others, and for resolvers (performer.h). A
 * resolver that refuses with CTIE_E_NO_TARGET or CTIE_E_NO_ACTION before it returns leaves the request to the
 * performer's fallback.
 *
 * @param status an error of the list in status.h; the code is that of ctie_status_code().
 * @param message as for ctie_request_deny().
 * @par Errors
 * Those of ctie_request_deny(); CTIE_E_INVALID (a status that is not an error of the list).
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_refuse(ctie_request *request, ctie_status status, ctie_str message);

/**
 * Reports progress to the caller; any number of times before the request's end.
 *
 * @param value taken, also on failure.
 * @return CTIE_OK, also when the caller has no callback for it.
 * @par Threads
 * The caller's callback runs inside this call, unless the request names a loop. Progress from two threads at once is
 * reported in either order.
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_progress(ctie_request *request, ctie_value *value);

/** A function whose only argument is its user_data. @since 0.1 */
typedef void (*ctie_notice_fn)(void *user_data);

/** A callback for an occasion, such as the cancellation of a request. @since 0.1 */
typedef struct ctie_notice {
    ctie_notice_fn CTIE_NULLABLE fn;        /**< the function */
    void *CTIE_NULLABLE user_data;          /**< handed to it and to `destroy` */
    ctie_destroy_fn CTIE_NULLABLE destroy;  /**< called when `user_data` is no longer needed; may be NULL */
} ctie_notice;

/** A ctie_notice of a function and its data. @since 0.1 */
#define CTIE_NOTICE(fn, data) CTIE_NOTICE_OWNED(fn, data, NULL)
/** The same with a `destroy`. @since 0.1 */
#define CTIE_NOTICE_OWNED(fn, data, destroy) CTIE_OF(ctie_notice, fn, data, destroy)

/**
 * Adds a callback for the request's end by a cancel, its deadline or its bus's closing, so that work for it can stop.
 * Callbacks run in the order in which they were added.
 *
 * @param notice runs at most once; its `destroy` runs exactly once, after it or when the request has ended in another
 *   way, also on failure.
 * @par Threads
 * The callback runs on the thread that ends the request; inside this call if the request has been cancelled already.
 * @par Errors
 * CTIE_E_ALREADY (the request has ended in another way); CTIE_E_LIMIT (the 65th for one request).
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_on_cancel(ctie_request *request, ctie_notice notice);

/**
 * Declines a request: the next best handler is tried. Without one it ends with CTIE_E_NO_ROUTE for a URL, else with
 * CTIE_E_NO_ACTION, CTIE_E_NO_TARGET or CTIE_E_NO_HANDLER; when the 65th declines, with CTIE_E_LIMIT. Declining takes
 * effect when the handler returns, and only if the handler neither ended nor retained the request.
 *
 * @par Threads
 * The one that runs the handler.
 * @par Errors
 * CTIE_E_ALREADY (ended or retained); CTIE_E_INVALID (not inside its handler).
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_decline(ctie_request *request);

/**
 * Retains a request beyond the handler's return, to end it later from any thread.
 *
 * @par Errors
 * CTIE_E_LIMIT (over 65,535 references).
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_retain(ctie_request *request);

/**
 * Releases a retained request; NULL is allowed. If that was the last reference and the request has not ended, it ends
 * with CTIE_E_NO_REPLY: at once, or inside its handler when that returns.
 *
 * @par Errors
 * CTIE_E_HANDLE (also when nothing is retained).
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_release(ctie_request *request);

/* ---- Reading ------------------------------------------------------------------------------------ */

/** The kind of the request: CTIE_REQUEST_KIND_…. @since 0.1 */
CTIE_API ctie_status ctie_request_kind(const ctie_request *request, int32_t *out);

/**
 * The name that the request is addressed to: a component, a performer's target, an endpoint or a platform; for a URL
 * the target of the matching rule; empty for an activity.
 *
 * @par Errors
 * CTIE_E_NOT_FOUND (a URL that matched no rule with a target).
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_target(const ctie_request *request, ctie_str *out);

/**
 * The name of the action or event, or the performer's selector; "open" for the target of a rule; empty for a provider's
 * request.
 *
 * @par Errors
 * CTIE_E_NOT_FOUND (a URL that matched no rule with a target).
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_action(const ctie_request *request, ctie_str *out);

/** The flags that the caller gave: CTIE_REQUEST_…. @since 0.1 */
CTIE_API ctie_status ctie_request_flags(const ctie_request *request, uint32_t *out);

/**
 * The text of a parameter: for a URL from the path, else from the query; for another request the string under the name.
 *
 * @par Errors
 * CTIE_E_NOT_FOUND; CTIE_E_DUPLICATE (not in the path, and several times in the query); CTIE_E_TYPE (not a string).
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_param(const ctie_request *request, ctie_str name, ctie_str *out);

/**
 * A parameter captured from the path, by its position in the pattern, from 0.
 *
 * @param name receives its name; may be NULL.
 * @param out receives its text.
 * @par Errors
 * CTIE_E_NOT_FOUND (no such position).
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_path_param_at(const ctie_request *request, size_t index, ctie_str *name,
                                                ctie_str *out);

/**
 * A pair of the query, decoded, in the URL's order, from 0. Repeated keys are listed several times.
 *
 * @param key receives the key; may be NULL.
 * @param out receives the text.
 * @par Errors
 * CTIE_E_NOT_FOUND (no such position).
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_query_at(const ctie_request *request, size_t index, ctie_str *key, ctie_str *out);

/**
 * All texts of a key of the query, in the URL's order.
 *
 * @param out receives a list of strings, owned by the caller; an empty list where the key is missing.
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_query_all(const ctie_request *request, ctie_str key, ctie_value **out);

/**
 * All parameters by name: those of the path, then those of the query that the path does not have; a repeated key gives
 * a list. The types of the pattern or rule apply: `int` and `uint` give an integer, `float` a double, `bool` a boolean,
 * all others are texts; missing ones get the rule's defaults. Without a URL: the caller's arguments as a plain
 * value.
 *
 * @param out receives a map (or null, for a request without a URL), owned by the caller.
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_params(const ctie_request *request, ctie_value **out);

/**
 * A function that ctie_request_each_param() calls with one parameter of a request. Name, text and value are borrowed, and
 * live until it returns; ctie_value_retain() keeps the value longer.
 *
 * @param name the parameter's name.
 * @param text its text, if `value` is NULL; else empty.
 * @param value its value, which is no text; NULL for a text.
 * @param user_data as given.
 * @return whether to go on.
 * @par Threads
 * That of the call, inside it. No lock of the library is held. The function may neither end nor release the request, nor
 * send it on.
 * @since 0.1
 */
typedef bool (*ctie_param_visit_fn)(ctie_str name, ctie_str text, const ctie_value *CTIE_NULLABLE value, void *user_data);

/**
 * Calls a function with each parameter: with the names and values of ctie_request_params(), in the same order. For a URL
 * whose names all differ, and which no rule with types of its own describes, no map is made, and a text is that of the URL
 * itself.
 *
 * @param visit called until it returns false.
 * @param user_data handed to it; may be NULL.
 * @return CTIE_OK, also when `visit` has returned false. After an error, `visit` may have been called for some parameters.
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_each_param(const ctie_request *request, ctie_param_visit_fn visit, void *user_data);

/**
 * The arguments as the caller gave them, foreign values included: for bindings.
 *
 * @par Errors
 * CTIE_E_NOT_FOUND (a URL, unless an interceptor has set them).
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_arguments(const ctie_request *request, const ctie_value **out);

/** A part of the URL of an open request. @since 0.1 */
typedef int32_t ctie_url_part;
enum {
    CTIE_URL_WHOLE = 0,    /**< the whole URL in normal form */
    CTIE_URL_SCHEME = 1,   /**< lower case */
    CTIE_URL_HOST = 2,     /**< lower case; empty when there is none */
    CTIE_URL_PATH = 3,     /**< percent-encoded, as in the normal form */
    CTIE_URL_QUERY = 4,    /**< percent-encoded, without '?' */
    CTIE_URL_FRAGMENT = 5, /**< percent-encoded, without '#' */
};

/**
 * A part of the URL in its normal form. A malformed URL of a scheme that the bus does not know (docs/urls.md) has only
 * its scheme and host normalized.
 *
 * @par Errors
 * CTIE_E_INVALID (an unknown part); CTIE_E_NOT_FOUND (no query or no fragment).
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_url(const ctie_request *request, ctie_url_part part, ctie_str *out);

/** The pattern that matched, as registered. @since 0.1 */
CTIE_API ctie_status ctie_request_pattern(const ctie_request *request, ctie_str *out);

/**
 * The rest of the URL's path that the route did not match, in nearest mode: from its slash on, percent-encoded; empty
 * if the route matched the whole path.
 *
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_unmatched(const ctie_request *request, ctie_str *out);

/**
 * The rule that matched: a map as in the document, with the target of this platform.
 *
 * @par Errors
 * CTIE_E_NOT_FOUND (no rule matched).
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_rule(const ctie_request *request, const ctie_value **out);

/**
 * The effective origin: the caller's, or the less trusted one of the request it was made in. A handler that checks it
 * should set `out` to CTIE_ORIGIN_REMOTE before the call.
 *
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_origin(const ctie_request *request, ctie_origin *out);

/**
 * The user info that the caller gave beside the parameters: a map, or null. No URL can forge it. If the caller gave an
 * object of its own language, this is its plain value.
 *
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_user_info(const ctie_request *request, const ctie_value **out);

/** The user info as the caller gave it, foreign values included: for bindings. @since 0.1 */
CTIE_API ctie_status ctie_request_raw_user_info(const ctie_request *request, const ctie_value **out);

/** The bus that the request runs on, borrowed. @since 0.1 */
CTIE_API ctie_status ctie_request_bus(const ctie_request *request, ctie_bus **out);

/** Whether the request has ended: by an answer, its deadline, a cancel or its bus's closing. @since 0.1 */
CTIE_API ctie_status ctie_request_is_ended(const ctie_request *request, bool *out);

/**
 * Whether the request has ended by a cancel, its deadline or its bus's closing: answers are dropped from then on.
 *
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_is_cancelled(const ctie_request *request, bool *out);

/** Milliseconds until the request's deadline; 0 when it has passed, -1 when there is none. @since 0.1 */
CTIE_API ctie_status ctie_request_time_left(const ctie_request *request, int64_t *out);

/** @} */

CTIE_END

#endif
