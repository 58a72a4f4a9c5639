/**
 * @file request.h
 * What a handler is given and how it answers; what the caller gets back. The same at every door.
 */
#ifndef CROSSTIE_REQUEST_H
#define CROSSTIE_REQUEST_H

#include "base.h"
#include "bus.h"
#include "status.h"
#include "value.h"

CTIE_BEGIN

/** One request. A counted, checked handle; inside a handler it is borrowed. @since 0.1 */
typedef struct ctie_request ctie_request;
/** The answer to one request. A checked handle with one owner. @since 0.1 */
typedef struct ctie_response ctie_response;
/** An asynchronous request, seen from its caller. A checked handle with one owner. @since 0.1 */
typedef struct ctie_call ctie_call;

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

/**
 * The one kind of handler, for every door.
 *
 * It ends the request with ctie_request_reply(), ctie_request_fail() or ctie_request_decline(); or
 * retains it and ends it later, from any thread. At the open door a handler that returns without
 * having done either has succeeded with null.
 *
 * @param request borrowed: valid until the handler returns, or longer if it is retained.
 * @param user_data as registered.
 * Threads: the caller's for a synchronous request, a worker's for an asynchronous one; several at a
 * time. No lock of the library is held; any function of the library may be called.
 * @since 0.1
 */
typedef void (*ctie_handler_fn)(ctie_request *CTIE_NONNULL request, void *CTIE_NULLABLE user_data);

/**
 * Sees a request on its way to its handler, and lets it go on: see interceptor.h. Each is its own triple; where
 * several are given they run in their order.
 *
 * @since 0.1
 */
typedef struct ctie_interceptor {
    ctie_handler_fn CTIE_NULLABLE fn;      /**< NULL is refused */
    void *CTIE_NULLABLE user_data;         /**< handed to both */
    ctie_destroy_fn CTIE_NULLABLE destroy; /**< may be NULL */
} ctie_interceptor;

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
    const ctie_interceptor *CTIE_NULLABLE interceptors; /**< of this handler alone; taken, also on failure */
    size_t interceptor_count;                           /**< at most 64 */
} ctie_handler_options;

#define CTIE_HANDLER_OPTIONS_INIT {sizeof(ctie_handler_options), 0, NULL, NULL, 0}

/**
 * Told that an asynchronous request has ended, exactly once.
 *
 * @param response borrowed: valid until the callback returns.
 * Threads: a worker's; the closing thread for a request that its bus's closing ends; the ending thread
 * where no worker can be had.
 * @since 0.1
 */
typedef void (*ctie_completion_fn)(ctie_response *CTIE_NONNULL response, void *CTIE_NULLABLE user_data);

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
CTIE_API ctie_status ctie_request_reply(ctie_request *CTIE_NULLABLE request, ctie_value *CTIE_NULLABLE value);

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
CTIE_API ctie_status ctie_request_fail(ctie_request *CTIE_NULLABLE request, int32_t code,
                                       ctie_value *CTIE_NULLABLE value, ctie_str message);

/**
 * Ends a request with CTIE_E_DENIED: for handlers and interceptors that decide who may.
 *
 * @param message for people; UTF-8, at most 65,536 bytes; empty for the status's own.
 * Threads: any.
 * @return CTIE_OK; CTIE_E_INVALID, CTIE_E_UTF8, CTIE_E_LIMIT or CTIE_E_NO_MEMORY (message; the request
 *   stays open); CTIE_E_ALREADY; CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_deny(ctie_request *CTIE_NULLABLE request, ctie_str message);

/**
 * Hands a request on: the next best handler gets it; if there is none it ends with CTIE_E_NO_ROUTE, and with
 * CTIE_E_LIMIT when the 65th declines.
 * Takes effect when the handler returns, and only if the handler neither ended nor retained it.
 *
 * Threads: the one that runs the handler.
 * @return CTIE_OK; CTIE_E_ALREADY (ended or retained); CTIE_E_INVALID (not inside its handler);
 *   CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_decline(ctie_request *CTIE_NULLABLE request);

/**
 * Keeps a request beyond the handler's return, to end it later from any thread.
 *
 * Threads: any.
 * @return CTIE_OK; CTIE_E_LIMIT (over 65,535 references); CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_retain(ctie_request *CTIE_NULLABLE request);

/**
 * Lets go of a retained request. If it was the last reference and the request has not ended, it ends
 * with CTIE_E_NO_REPLY, inside its handler once that has returned.
 *
 * @param request NULL is fine.
 * Threads: any.
 * @return CTIE_OK; CTIE_E_HANDLE (also when nothing is retained); CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_release(ctie_request *CTIE_NULLABLE request);

/* Asking. Text and values are borrowed and live as long as the request. Threads: any. Each function
 * returns CTIE_OK, CTIE_E_INVALID (no `out`), CTIE_E_HANDLE, CTIE_E_FORKED, and what it says. */

/**
 * The text of a parameter: the path's, else the query's, of that name.
 *
 * @return CTIE_E_NOT_FOUND; CTIE_E_DUPLICATE (not in the path, and several times in the query);
 *   CTIE_E_INVALID also for a name that is NULL with a size. On failure `out` is the empty text.
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_param(ctie_request *CTIE_NULLABLE request, ctie_str name,
                                        ctie_str *CTIE_NULLABLE out);

/**
 * A parameter captured from the path, by its position in the pattern, from 0.
 *
 * @param name receives its name; may be NULL. @param out receives its text.
 * @return CTIE_E_NOT_FOUND (no such position).
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_path_param_at(ctie_request *CTIE_NULLABLE request, size_t index,
                                                ctie_str *CTIE_NULLABLE name, ctie_str *CTIE_NULLABLE out);

/**
 * A pair of the query, decoded, in the URL's order, from 0; keys that stand there twice come twice.
 *
 * @param key receives the key; may be NULL. @param out receives the text.
 * @return CTIE_E_NOT_FOUND (no such position).
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_query_at(ctie_request *CTIE_NULLABLE request, size_t index,
                                           ctie_str *CTIE_NULLABLE key, ctie_str *CTIE_NULLABLE out);

/**
 * All texts of a key of the query, in the URL's order.
 *
 * @param out receives a list of strings, owned by the caller; an empty one where the key is not there.
 * @return CTIE_E_INVALID also for a key that is NULL with a size; CTIE_E_NO_MEMORY.
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_query_all(ctie_request *CTIE_NULLABLE request, ctie_str key,
                                            ctie_value *CTIE_NULLABLE *CTIE_NULLABLE out);

/**
 * All parameters by name: those of the path, then those of the query that the path does not have; of a key that
 * stands there several times a list. What the pattern or a rule gives a type is converted: `int` and `uint` to
 * an integer (a `uint` of the path over 9,223,372,036,854,775,807 stays text), `float` to a double, `bool` to a
 * boolean; a rule's defaults stand in for what is missing. The rest is text.
 *
 * @param out receives a map, owned by the caller.
 * @return CTIE_E_NO_MEMORY.
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_params(ctie_request *CTIE_NULLABLE request,
                                         ctie_value *CTIE_NULLABLE *CTIE_NULLABLE out);

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
 * A part of the URL in its normal form.
 *
 * @return CTIE_E_INVALID also for an unknown part; CTIE_E_NOT_FOUND (no query or no fragment).
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_url(ctie_request *CTIE_NULLABLE request, ctie_url_part part,
                                      ctie_str *CTIE_NULLABLE out);

/** The pattern that matched, as registered. @since 0.1 */
CTIE_API ctie_status ctie_request_pattern(ctie_request *CTIE_NULLABLE request, ctie_str *CTIE_NULLABLE out);

/**
 * What of the URL's path the route did not match, in nearest mode: from its slash on, percent-encoded; empty where
 * the route took the whole.
 *
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_unmatched(ctie_request *CTIE_NULLABLE request, ctie_str *CTIE_NULLABLE out);

/**
 * The rule by which the request came: a map as in the document, with the target of this platform.
 *
 * @return CTIE_E_NOT_FOUND (it came by no rule).
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_rule(ctie_request *CTIE_NULLABLE request,
                                       const ctie_value *CTIE_NULLABLE *CTIE_NULLABLE out);

/** The origin in force: the caller's, or the lower one of the request it was made in. @since 0.1 */
CTIE_API ctie_status ctie_request_origin(ctie_request *CTIE_NULLABLE request, ctie_origin *CTIE_NULLABLE out);

/**
 * What the caller gave beside the URL: a map, or null. No URL can forge it. If the caller gave an object of
 * its own language, this is the object's plain form.
 *
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_user_info(ctie_request *CTIE_NULLABLE request,
                                            const ctie_value *CTIE_NULLABLE *CTIE_NULLABLE out);

/** The same as it was given, foreign values and all: for bindings. @since 0.1 */
CTIE_API ctie_status ctie_request_raw_user_info(ctie_request *CTIE_NULLABLE request,
                                                const ctie_value *CTIE_NULLABLE *CTIE_NULLABLE out);

/** The bus that the request runs on, borrowed. @since 0.1 */
CTIE_API ctie_status ctie_request_bus(ctie_request *CTIE_NULLABLE request, ctie_bus *CTIE_NULLABLE *CTIE_NULLABLE out);

/** Whether the request has ended: by an answer, its deadline, a cancel or its bus's closing. @since 0.1 */
CTIE_API ctie_status ctie_request_is_ended(ctie_request *CTIE_NULLABLE request, bool *CTIE_NULLABLE out);

/* The response. Text and values are borrowed and live as long as the response. Threads: any. */

/**
 * How a request ended: CTIE_OK, CTIE_E_HANDLER, or the status of what kept it from its handler.
 *
 * @return that status; CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_response_status(ctie_response *CTIE_NULLABLE response);

/** The code: 1 for success, the handler's own on failure, else ctie_status_code(). 0 for a dead handle. @since 0.1 */
CTIE_API int32_t ctie_response_code(ctie_response *CTIE_NULLABLE response);

/**
 * The value, null where there is none, borrowed; NULL for a dead handle. If the handler answered with an
 * object of its own language, this is the object's plain form; an object that has none comes as it is.
 *
 * @since 0.1
 */
CTIE_API const ctie_value *CTIE_NULLABLE ctie_response_value(ctie_response *CTIE_NULLABLE response);

/** The same as the handler gave it, foreign values and all: for bindings. @since 0.1 */
CTIE_API const ctie_value *CTIE_NULLABLE ctie_response_raw_value(ctie_response *CTIE_NULLABLE response);

/** The message of a failure, else empty. @since 0.1 */
CTIE_API ctie_str ctie_response_message(ctie_response *CTIE_NULLABLE response);

/**
 * Releases a response; NULL is fine.
 *
 * @return CTIE_OK; CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_response_release(ctie_response *CTIE_NULLABLE response);

/* The call: an asynchronous request from its caller's side. Threads: any. */

/**
 * Waits until a call has ended. Its completion may still be running then.
 *
 * @param timeout_ms milliseconds; negative waits without end.
 * @param response receives the response, owned by the caller; may be NULL.
 * @return CTIE_OK (it has ended, whatever its status); CTIE_E_TIMEOUT; CTIE_E_DEADLOCK (inside the
 *   handler of this very call, which nobody else could end); CTIE_E_LIMIT (65,535 responses of it are
 *   out); CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_call_wait(ctie_call *CTIE_NULLABLE call, int64_t timeout_ms,
                                    ctie_response *CTIE_NULLABLE *CTIE_NULLABLE response);

/**
 * Cancels a call: it ends with CTIE_E_CANCELLED at once; a handler that waits in the queue never
 * starts, one that runs or is just being started is not interrupted and what it answers is dropped.
 *
 * @return CTIE_OK; CTIE_E_ALREADY (it has ended); CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_call_cancel(ctie_call *CTIE_NULLABLE call);

/**
 * Lets go of a call, which goes on by itself; NULL is fine.
 *
 * @return CTIE_OK; CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_call_release(ctie_call *CTIE_NULLABLE call);

CTIE_END

#endif
