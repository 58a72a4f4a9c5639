/**
 * @file call.h
 * Requests from the caller's side: their options, calls, which are the caller's handles of asynchronous requests, and
 * calling components (docs/calls.md).
 */
#ifndef CROSSTIE_CALL_H
#define CROSSTIE_CALL_H

#include "base.h"
#include "bus.h"
#include "loop.h"
#include "request.h"
#include "response.h"
#include "status.h"
#include "value.h"

CTIE_BEGIN

/**
 * @defgroup call Requests from the caller's side
 *
 * Any thread may call these functions, also inside a callback. They return CTIE_OK, or one of
 * CTIE_E_HANDLE (an invalid or released handle), CTIE_E_FORKED (a handle from before a fork), CTIE_E_INVALID (an
 * argument is NULL or malformed), CTIE_E_ABI (options of a newer header), CTIE_E_NO_MEMORY, and the errors that each
 * lists. `options` is borrowed, and NULL means the defaults. `error` may be NULL; it receives an error object
 * owned by the caller.
 *
 * *Errors of every request*, of any kind, are the response's status: CTIE_E_HANDLER (the handler failed; code and
 * message in the response); CTIE_E_DENIED (an interceptor or the handler denied it); CTIE_E_TIMEOUT; CTIE_E_CANCELLED
 * (also by this thread's wait function: waiting.h); CTIE_E_NO_REPLY (the handler returned without an answer);
 * CTIE_E_BUSY (the handler is worker-only, and there is no worker); CTIE_E_DEADLOCK (only this thread could end the
 * wait); CTIE_E_DEPTH (over 64 requests nested on this thread, or too little of its stack left); CTIE_E_CLOSED;
 * CTIE_E_NOT_FOUND (no dispatcher of the name in the options); CTIE_E_TYPE (parameters or user info are not a map);
 * CTIE_E_LIMIT (interceptors).
 *
 * *Errors of starting a request* on a worker: CTIE_E_BUSY (the queue is full, or all workers and 256 more are
 * waiting); CTIE_E_NOT_FOUND (no dispatcher of the name in the options); CTIE_E_TYPE, CTIE_E_LIMIT (arguments);
 * CTIE_E_SYSTEM (no thread could be started). All other errors come with the response.
 *
 * `out` of a function that starts a request receives the call, owned by the caller; it may be NULL. `completion` runs
 * exactly once if the function succeeds, and never if it fails; its `fn` may be NULL.
 * @{
 */

/** The caller's handle of an asynchronous request. A checked handle with one owner. @since 0.1 */
typedef struct ctie_call ctie_call;

/** The deadline of a synchronous request that names none, in milliseconds (CBus's default). @since 0.1 */
#define CTIE_SYNC_TIMEOUT_MS 2500
/** The deadline of an asynchronous request that names none, in milliseconds (CBus's default). @since 0.1 */
#define CTIE_ASYNC_TIMEOUT_MS 60000

/**
 * Called with a request's progress, any number of times before its end and never after.
 *
 * @param value borrowed: it lives until the callback returns. Foreign values are not converted:
 *   ctie_value_materialize() does that.
 * @par Threads
 * The thread that called ctie_request_progress(), or the one that dispatches the request's loop.
 * @since 0.1
 */
typedef void (*ctie_progress_fn)(const ctie_value *CTIE_NONNULL value, void *user_data);

/** A callback for progress. @since 0.1 */
typedef struct ctie_progress {
    ctie_progress_fn CTIE_NULLABLE fn;      /**< the function */
    void *CTIE_NULLABLE user_data;          /**< handed to it and to `destroy` */
    ctie_destroy_fn CTIE_NULLABLE destroy;  /**< called when `user_data` is no longer needed; may be NULL */
} ctie_progress;

/** A ctie_progress of a function and its data. @since 0.1 */
#define CTIE_PROGRESS(fn, data) CTIE_PROGRESS_OWNED(fn, data, NULL)
/** The same with a `destroy`. @since 0.1 */
#define CTIE_PROGRESS_OWNED(fn, data, destroy) CTIE_OF(ctie_progress, fn, data, destroy)

/** The address of a request: an action of a component, or a selector of a performer's target. @since 0.1 */
typedef struct ctie_target {
    ctie_str name;   /**< the component's, or the target's */
    ctie_str action; /**< the action's, or the selector */
} ctie_target;

/** A ctie_target of two string literals. @since 0.1 */
#define CTIE_TARGET(name, action) \
    CTIE_OF(ctie_target, {"" name, sizeof(name) - 1}, {"" action, sizeof(action) - 1})

/** The order of the queued requests of a dispatcher; of equal ones, those submitted first run first. @since 0.1 */
enum {
    CTIE_PRIORITY_LOW = -1,
    CTIE_PRIORITY_NORMAL = 0,
    CTIE_PRIORITY_HIGH = 1,
};

/** Flags of a request. @since 0.1 */
enum {
    CTIE_REQUEST_REMOTE = 1 << 0, /**< the request comes from outside: its origin is remote */
    CTIE_REQUEST_CACHED = 1 << 1, /**< for a performed target: keeps the target's instance, see performer.h */
    CTIE_REQUEST_RELEASE = 1 << 2, /**< set by ctie_performer_release(); refused in options */
    CTIE_REQUEST_CLAIM = 1 << 3,   /**< set by ctie_provider_open_url(); refused in options */
    CTIE_REQUEST_HERE = 1 << 4,    /**< the request never goes to a peer: join.h */
    CTIE_REQUEST_ELSEWHERE = 1 << 5, /**< a call, event or URL that never stays on its own bus: join.h */
};

/** Options of a request of any kind. Start from CTIE_REQUEST_OPTIONS_INIT; zero means default. @since 0.1 */
typedef struct ctie_request_options {
    size_t size;                               /**< sizeof(ctie_request_options) */
    const ctie_value *CTIE_NULLABLE user_info; /**< handed to the handler: a map, or a foreign value with the content of
                                                    a map; borrowed */
    /**
     * Milliseconds from now after which the request ends with CTIE_E_TIMEOUT; 0 for CTIE_SYNC_TIMEOUT_MS or
     * CTIE_ASYNC_TIMEOUT_MS, negative for no deadline. A request made inside another one ends by the outer one's
     * deadline at the latest. A handler is never interrupted: if it runs on the synchronous caller's own thread, the
     * caller gets its CTIE_E_TIMEOUT only when the handler returns.
     */
    int64_t timeout_ms;
    /** The request on whose behalf this one is made; NULL for the one that this thread is handling. */
    ctie_request *CTIE_NULLABLE parent;
    const ctie_runtime *CTIE_NULLABLE runtime; /**< the runtime whose lock the caller holds; NULL for none */
    ctie_match_mode mode;                      /**< CTIE_MATCH_…; for URLs only */
    uint32_t flags;                            /**< CTIE_REQUEST_… */
    /** Interceptors of this request alone, before the bus's; taken, also on failure. They are called with `runtime`. */
    const ctie_handler *CTIE_NULLABLE interceptors;
    size_t interceptor_count;                  /**< at most 64 */
    /** The dispatcher by name (dispatcher.h); empty: the component's, else the bus's default one. */
    ctie_str dispatcher;
    int32_t priority;                          /**< CTIE_PRIORITY_…; of asynchronous requests */
    /** The loop that calls completion and progress of an asynchronous request (loop.h); NULL: a worker does. */
    ctie_loop *CTIE_NULLABLE loop;
    /** Called with the request's progress; its `fn` may be NULL. Its `destroy` runs when the request has ended or could
        not be started. */
    ctie_progress progress;
    /** The peer that a call, an event or a URL goes to, by its name or its number in decimal (join.h); it implies
        CTIE_REQUEST_ELSEWHERE. Empty: any peer, and only if the bus itself has no handler; for an event all peers. */
    ctie_str peer;
} ctie_request_options;

/** The struct with its size and the defaults. @since 0.1 */
#define CTIE_REQUEST_OPTIONS_INIT \
    {sizeof(ctie_request_options), NULL, 0, NULL, NULL, CTIE_MATCH_DEFAULT, 0, NULL, 0, {NULL, 0}, 0, NULL, \
     {NULL, NULL, NULL}, {NULL, 0}}

/**
 * Calls an action of a component and waits for the answer. The action runs on this thread, unless it is marked
 * worker-only.
 *
 * Any code with a handle of the bus may call its components; no URL can reach them. An action has the origin of the
 * request in which it is called, and that origin decides what the action may open or perform in turn.
 *
 * @param target the names of the component and of its action, compared byte by byte.
 * @param params a map, or a foreign value with the content of a map, borrowed; NULL for null.
 * @param response receives the response, owned by the caller; NULL if only the status matters. Every request that was
 *   started has a response, also one that failed. If none was started (an argument was refused, CTIE_E_HANDLE,
 *   CTIE_E_NO_MEMORY) it is set to NULL.
 * @return the response's status.
 * @par Errors
 * Those of every request; CTIE_E_NO_NAME (the component's name is empty); CTIE_E_NO_COMPONENT; CTIE_E_NO_ACTION;
 * CTIE_E_NOT_COMPONENT (its factory made no instance); CTIE_E_LIMIT (names over 128 bytes).
 * @since 0.1
 */
CTIE_API ctie_status ctie_component_call(ctie_bus *bus, ctie_target target, const ctie_value *params,
                                         const ctie_request_options *options, ctie_response **response,
                                         ctie_error_out error);

/**
 * Calls an action on a worker, and returns at once. A missing component or action is reported in the response.
 *
 * @param target, params as for ctie_component_call().
 * @par Errors
 * Those of starting a request.
 * @since 0.1
 */
CTIE_API ctie_status ctie_component_call_async(ctie_bus *bus, ctie_target target, const ctie_value *params,
                                               ctie_completion completion, const ctie_request_options *options,
                                               ctie_call **out, ctie_error_out error);

/**
 * Waits until a call has ended. Its completion may still be running then.
 *
 * @param timeout_ms milliseconds; negative: without a limit.
 * @param response receives the response, owned by the caller; may be NULL.
 * @return CTIE_OK (it has ended, with any status).
 * @par Errors
 * CTIE_E_TIMEOUT; CTIE_E_CANCELLED (by this thread's wait function: waiting.h; the call goes on); CTIE_E_DEADLOCK
 * (inside the handler of this very call, or on the last worker that could run it; requests of others that are queued
 * there then end with CTIE_E_BUSY); CTIE_E_LIMIT (65,535 of its responses are not released).
 * @since 0.1
 */
CTIE_API ctie_status ctie_call_wait(ctie_call *call, int64_t timeout_ms, ctie_response **response);

/**
 * Cancels a call: it ends with CTIE_E_CANCELLED at once. A queued handler never starts; a handler that runs or is being
 * started is not interrupted, and its answer is dropped.
 *
 * @par Errors
 * CTIE_E_ALREADY (it has ended).
 * @since 0.1
 */
CTIE_API ctie_status ctie_call_cancel(ctie_call *call);

/** Releases a call; NULL is allowed. The request goes on without it. @since 0.1 */
CTIE_API ctie_status ctie_call_release(ctie_call *call);

/**
 * Returns the state of a call without waiting.
 *
 * @param out receives CTIE_PENDING while the call has not ended, then the response's status.
 * @since 0.1
 */
CTIE_API ctie_status ctie_call_state(const ctie_call *call, ctie_status *out);

/** @} */

CTIE_END

#endif
