/**
 * @file request.h
 * What a handler is given and how it answers. The same for every kind of request.
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
 * @{
 */

/** One request. A counted, checked handle; inside a handler it is borrowed. @since 0.1 */
typedef struct ctie_request ctie_request;

/**
 * Where a request comes from. Anything that is not CTIE_ORIGIN_LOCAL is remote.
 * A request made inside a handler is never more trusted than the request being handled.
 *
 * @since 0.1
 */
typedef int32_t ctie_origin;
enum {
    CTIE_ORIGIN_REMOTE = 0, /**< a browser, a push message, another application */
    CTIE_ORIGIN_LOCAL = 1,  /**< the host's own code */
};

/** The kind that a request came by. @since 0.1 */
typedef int32_t int32_t;
enum {
    CTIE_REQUEST_KIND_OPEN = 0,     /**< a URL was opened: route.h */
    CTIE_REQUEST_KIND_CALL = 1,     /**< a component was called: call.h */
    CTIE_REQUEST_KIND_EVENT = 2,    /**< an event was broadcast: component.h */
    CTIE_REQUEST_KIND_PERFORM = 3,  /**< a target was performed: performer.h */
    CTIE_REQUEST_KIND_SHARE = 4,    /**< a message was shared: handoff.h */
    CTIE_REQUEST_KIND_OAUTH = 5,    /**< a sign-in was asked for: handoff.h */
    CTIE_REQUEST_KIND_LAUNCH = 6,   /**< a program was launched: handoff.h */
    CTIE_REQUEST_KIND_ACTIVITY = 7, /**< a user activity came: handoff.h */
};

/**
 * The one kind of handler, for every kind of request.
 *
 * It ends the request with ctie_request_reply(), ctie_request_fail() or ctie_request_decline(); or
 * retains it and ends it later, from any thread. One that returns without having done either has succeeded with
 * null for a URL, for an event and for an activity; at the others the request ends with CTIE_E_NO_REPLY.
 *
 * @param request borrowed: valid until the handler returns, or longer if it is retained.
 * @param user_data as registered.
 * Threads: the caller's for a synchronous request, a worker's for an asynchronous one; several at a
 * time. No lock of the library is held; any function of the library may be called.
 * @since 0.1
 */
typedef void (*ctie_handler_fn)(ctie_request *CTIE_NONNULL request, void *user_data);

/** A handler, or an interceptor (interceptor.h); where several of these are given they run in their order. @since 0.1 */
typedef struct ctie_handler {
    ctie_handler_fn CTIE_NULLABLE fn;       /**< the function */
    void *CTIE_NULLABLE user_data;          /**< handed to it and to `destroy` */
    ctie_destroy_fn CTIE_NULLABLE destroy;  /**< told when that is not needed any more; may be NULL */
} ctie_handler;

/** A ctie_handler of a function and its data. @since 0.1 */
#define CTIE_HANDLER(fn, data) CTIE_HANDLER_OWNED(fn, data, NULL)
/** The same with what destroys the data. @since 0.1 */
#define CTIE_HANDLER_OWNED(fn, data, destroy) CTIE_OF(ctie_handler, fn, data, destroy)

/** Flags of a handler that stands under no pattern. @since 0.1 */
enum {
    CTIE_HANDLER_PUBLIC = 1 << 0,      /**< remote origins reach it; the default is local only */
    CTIE_HANDLER_WORKER_ONLY = 1 << 2, /**< it runs on a worker of the bus, also for a synchronous caller */
};

/** How such a handler shall be. Start from CTIE_HANDLER_OPTIONS_INIT; zero means default. @since 0.1 */
typedef struct ctie_handler_options {
    size_t size;                                        /**< sizeof(ctie_handler_options) */
    uint32_t flags;                                     /**< CTIE_HANDLER_… */
    const ctie_runtime *CTIE_NULLABLE runtime;          /**< the handler's runtime; NULL for none */
    const ctie_handler *CTIE_NULLABLE interceptors;     /**< of this handler alone; taken, also on failure */
    size_t interceptor_count;                           /**< at most 64 */
} ctie_handler_options;

/** The struct with its size and the defaults. @since 0.1 */
#define CTIE_HANDLER_OPTIONS_INIT {sizeof(ctie_handler_options), 0, NULL, NULL, 0}

/* Answering */

/**
 * Ends a request with success and a value.
 *
 * @param value taken, also when this fails.
 * Threads: any.
 * @return CTIE_OK; CTIE_E_INVALID (NULL value: a constructor of values failed; the request stays
 *   open); CTIE_E_ALREADY (it has ended; nothing changes); CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_reply(ctie_request *request, ctie_value *value);

/**
 * Ends a request with a failure: the response has the status CTIE_E_HANDLER and this code.
 *
 * @param code the application's number; by custom -1 when there is none.
 * @param value taken, also when this fails; NULL for null.
 * @param message for people; UTF-8, at most 65,536 bytes.
 * Threads: any.
 * @return CTIE_OK; CTIE_E_INVALID, CTIE_E_UTF8, CTIE_E_LIMIT or CTIE_E_NO_MEMORY (message; the request
 *   stays open); CTIE_E_ALREADY; CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_fail(ctie_request *request, int32_t code, ctie_value *value, ctie_str message);

/**
 * Ends a request with CTIE_E_DENIED: for handlers and interceptors that decide who may.
 *
 * @param message for people; UTF-8, at most 65,536 bytes; empty for the status's own.
 * Threads: any.
 * @return CTIE_OK; CTIE_E_INVALID, CTIE_E_UTF8, CTIE_E_LIMIT or CTIE_E_NO_MEMORY (message; the request
 *   stays open); CTIE_E_ALREADY; CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_deny(ctie_request *request, ctie_str message);

/**
 * Ends a request with a status of the library: for handlers that stand for others, and for resolvers (performer.h). A
 * resolver that refuses with CTIE_E_NO_TARGET or CTIE_E_NO_ACTION inside itself leaves the request to the performer's
 * fallback handler.
 *
 * @param status an error of the list in status.h. The code is that of ctie_status_code().
 * @param message for people; UTF-8, at most 65,536 bytes; empty for the status's own.
 * Threads: any.
 * @return CTIE_OK; CTIE_E_INVALID (no error of the list; also message), CTIE_E_UTF8, CTIE_E_LIMIT or CTIE_E_NO_MEMORY
 *   (message; the request stays open); CTIE_E_ALREADY; CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_refuse(ctie_request *request, ctie_status status, ctie_str message);

/**
 * Tells the caller how far the request has come, if it wants to know. Any number of times before the ending.
 *
 * @param value taken, also when this fails.
 * Threads: any. The caller's callback runs inside this call, unless it named a loop. Progress that two threads tell
 * at once may come in either order.
 * @return CTIE_OK, also when nobody listens; CTIE_E_INVALID (NULL value); CTIE_E_ALREADY (it has ended); CTIE_E_HANDLE;
 *   CTIE_E_FORKED; CTIE_E_NO_MEMORY.
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_progress(ctie_request *request, ctie_value *value);

/** Told something without arguments of its own. @since 0.1 */
typedef void (*ctie_notice_fn)(void *user_data);

/** What is told so. @since 0.1 */
typedef struct ctie_notice {
    ctie_notice_fn CTIE_NULLABLE fn;        /**< the function */
    void *CTIE_NULLABLE user_data;          /**< handed to it and to `destroy` */
    ctie_destroy_fn CTIE_NULLABLE destroy;  /**< told when that is not needed any more; may be NULL */
} ctie_notice;

/** A ctie_notice of a function and its data. @since 0.1 */
#define CTIE_NOTICE(fn, data) CTIE_NOTICE_OWNED(fn, data, NULL)
/** The same with what destroys the data. @since 0.1 */
#define CTIE_NOTICE_OWNED(fn, data, destroy) CTIE_OF(ctie_notice, fn, data, destroy)

/**
 * Asks to be told when the request ends by a cancel, its deadline or its bus's closing, so that work for it can stop.
 * The one asked for first runs first. At most 64 for a request.
 *
 * @param notice runs at most once, its `destroy` exactly once, after it or when the request has ended in another way,
 *   also on failure.
 * Threads: any. It runs on the thread that ends the request; inside this call if it has been cancelled already.
 * @return CTIE_OK; CTIE_E_ALREADY (the request has ended in another way); CTIE_E_INVALID (no `fn`); CTIE_E_LIMIT;
 *   CTIE_E_HANDLE; CTIE_E_FORKED; CTIE_E_NO_MEMORY.
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_on_cancel(ctie_request *request, ctie_notice notice);

/**
 * Hands a request on: the next best handler gets it; if there is none it ends with CTIE_E_NO_ROUTE for a URL,
 * CTIE_E_NO_ACTION, CTIE_E_NO_TARGET or CTIE_E_NO_HANDLER at the others, and with CTIE_E_LIMIT when the 65th declines.
 * Takes effect when the handler returns, and only if the handler neither ended nor retained it.
 *
 * Threads: the one that runs the handler.
 * @return CTIE_OK; CTIE_E_ALREADY (ended or retained); CTIE_E_INVALID (not inside its handler);
 *   CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_decline(ctie_request *request);

/**
 * Keeps a request beyond the handler's return, to end it later from any thread.
 *
 * Threads: any.
 * @return CTIE_OK; CTIE_E_LIMIT (over 65,535 references); CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_retain(ctie_request *request);

/**
 * Lets go of a retained request. If it was the last reference and the request has not ended, it ends
 * with CTIE_E_NO_REPLY, inside its handler once that has returned.
 *
 * @param request NULL is fine.
 * Threads: any.
 * @return CTIE_OK; CTIE_E_HANDLE (also when nothing is retained); CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_release(ctie_request *request);

/* Asking. For requests without a URL its parts and the path's parameters are CTIE_E_NOT_FOUND. Text and values are
 * borrowed and live as long as the request. A function that fails leaves `out` as it is, so that it may hold a default;
 * what the caller would own is NULL then. Threads: any. Each function returns CTIE_OK, CTIE_E_INVALID (no `out`),
 * CTIE_E_HANDLE, CTIE_E_FORKED, and what it says. */

/** The kind by which the request came: CTIE_REQUEST_KIND_…. @since 0.1 */
CTIE_API ctie_status ctie_request_kind(const ctie_request *request, int32_t *out);

/**
 * Whom the request is for: the component's name, the performer's target, an endpoint or a platform; for a URL the
 * target of the rule by which it came; empty for an activity.
 *
 * @return CTIE_E_NOT_FOUND (for a URL, by no rule that has one).
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_target(const ctie_request *request, ctie_str *out);

/**
 * What it is for: the action's or the event's name, or the performer's selector; "open" for the target of a rule;
 * empty where a provider is asked.
 *
 * @return CTIE_E_NOT_FOUND (for a URL, by no rule that has a target).
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_action(const ctie_request *request, ctie_str *out);

/** The flags that the caller gave: CTIE_REQUEST_…. @since 0.1 */
CTIE_API ctie_status ctie_request_flags(const ctie_request *request, uint32_t *out);

/**
 * The text of a parameter: for a URL the path's, else the query's, of that name; at the others the string of
 * that name.
 *
 * @return CTIE_E_NOT_FOUND; CTIE_E_DUPLICATE (not in the path, and several times in the query); CTIE_E_TYPE (it is no
 *   string); CTIE_E_INVALID also for a name that is NULL with a size. `out` keeps what it holds then: a default.
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_param(const ctie_request *request, ctie_str name, ctie_str *out);

/**
 * A parameter captured from the path, by its position in the pattern, from 0.
 *
 * @param name receives its name; may be NULL. @param out receives its text.
 * @return CTIE_E_NOT_FOUND (no such position).
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_path_param_at(const ctie_request *request, size_t index, ctie_str *name,
                                                ctie_str *out);

/**
 * A pair of the query, decoded, in the URL's order, from 0; keys that stand there twice come twice.
 *
 * @param key receives the key; may be NULL. @param out receives the text.
 * @return CTIE_E_NOT_FOUND (no such position).
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_query_at(const ctie_request *request, size_t index, ctie_str *key, ctie_str *out);

/**
 * All texts of a key of the query, in the URL's order.
 *
 * @param out receives a list of strings, owned by the caller; an empty one where the key is not there.
 * @return CTIE_E_INVALID also for a key that is NULL with a size; CTIE_E_NO_MEMORY.
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_query_all(const ctie_request *request, ctie_str key, ctie_value **out);

/**
 * All parameters by name: those of the path, then those of the query that the path does not have; of a key that
 * stands there several times a list. What the pattern or a rule gives a type is converted: `int` and `uint` to an
 * integer, `float` to a double, `bool` to a boolean; a rule's defaults stand in for what is missing. The rest is text. For requests without a URL: what the caller gave,
 * in its plain form.
 *
 * @param out receives a map (without a URL maybe null), owned by the caller.
 * @return CTIE_E_NO_MEMORY.
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_params(const ctie_request *request, ctie_value **out);

/**
 * What the caller gave as parameters, foreign values and all: for bindings.
 *
 * @return CTIE_E_NOT_FOUND (for a URL, unless an interceptor has set them).
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
 * A part of the URL in its normal form; of a malformed one that is none of the bus's (docs/urls.md) as it was given,
 * but for scheme and host.
 *
 * @return CTIE_E_INVALID also for an unknown part; CTIE_E_NOT_FOUND (no query or no fragment).
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_url(const ctie_request *request, ctie_url_part part, ctie_str *out);

/** The pattern that matched, as registered. @since 0.1 */
CTIE_API ctie_status ctie_request_pattern(const ctie_request *request, ctie_str *out);

/**
 * What of the URL's path the route did not match, in nearest mode: from its slash on, percent-encoded; empty where
 * the route took the whole.
 *
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_unmatched(const ctie_request *request, ctie_str *out);

/**
 * The rule by which the request came: a map as in the document, with the target of this platform.
 *
 * @return CTIE_E_NOT_FOUND (it came by no rule).
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_rule(const ctie_request *request, const ctie_value **out);

/**
 * The origin in force: the caller's, or the lower one of the request it was made in. Who decides by it begins with
 * CTIE_ORIGIN_REMOTE in `out`.
 *
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_origin(const ctie_request *request, ctie_origin *out);

/**
 * What the caller gave beside the parameters: a map, or null. No URL can forge it. If the caller gave an object of
 * its own language, this is the object's plain form.
 *
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_user_info(const ctie_request *request, const ctie_value **out);

/** The same as it was given, foreign values and all: for bindings. @since 0.1 */
CTIE_API ctie_status ctie_request_raw_user_info(const ctie_request *request, const ctie_value **out);

/** The bus that the request runs on, borrowed. @since 0.1 */
CTIE_API ctie_status ctie_request_bus(const ctie_request *request, ctie_bus **out);

/** Whether the request has ended: by an answer, its deadline, a cancel or its bus's closing. @since 0.1 */
CTIE_API ctie_status ctie_request_is_ended(const ctie_request *request, bool *out);

/**
 * Whether the request has ended by a cancel, its deadline or its bus's closing: what it is answered now is dropped.
 *
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_is_cancelled(const ctie_request *request, bool *out);

/**
 * Milliseconds until the request's deadline; 0 when it has passed, -1 when there is none.
 *
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_time_left(const ctie_request *request, int64_t *out);

/** @} */

CTIE_END

#endif
