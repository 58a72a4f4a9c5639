/**
 * @file call.h
 * Making requests: what a caller may say of every request, the call as the caller's handle of an asynchronous request,
 * and calling components. Components are in docs/calls.md.
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
 * What holds for all functions here: any thread may call them, also inside a callback. They return CTIE_OK, or one of
 * CTIE_E_HANDLE (an invalid or released handle), CTIE_E_FORKED (a handle from before a fork), CTIE_E_INVALID (an
 * argument is NULL or malformed), CTIE_E_ABI (options of a newer header), CTIE_E_NO_MEMORY, and the errors that each
 * lists. `options` is borrowed, and NULL stands for the defaults. `error` may be NULL; it receives an error object
 * owned by the caller.
 *
 * *Errors of every request*, whatever its kind, are the response's status: CTIE_E_HANDLER (the handler failed; code
 * and message in the response); CTIE_E_DENIED (an interceptor or the handler denied it); CTIE_E_TIMEOUT;
 * CTIE_E_CANCELLED (also when this thread's wait is not wanted: waiting.h); CTIE_E_NO_REPLY (the handler returned
 * without an answer); CTIE_E_BUSY (the handler is worker-only, and there is no worker); CTIE_E_DEADLOCK (only this
 * thread could end the wait); CTIE_E_DEPTH (over 64 requests nested on this thread, or too little of its stack left);
 * CTIE_E_CLOSED; CTIE_E_NOT_FOUND (no dispatcher of the name in the options); CTIE_E_TYPE (parameters or user info are
 * no map); CTIE_E_LIMIT (interceptors).
 *
 * *Errors of starting a request* on a worker: CTIE_E_BUSY (the queue is full, or all workers and 256 more are
 * waiting); CTIE_E_NOT_FOUND (no dispatcher of the name in the options); CTIE_E_TYPE, CTIE_E_LIMIT (arguments);
 * CTIE_E_SYSTEM (no thread could be started). All other errors come with the response.
 *
 * The last parameter but one of a function that starts a request, `out`, receives the call, owned by the caller; it
 * may be NULL. `completion` runs exactly once if the function succeeds, and never if it fails; its `fn` may be NULL.
 * @{
 */

/** An asynchronous request, seen from its caller. A checked handle with one owner. @since 0.1 */
typedef struct ctie_call ctie_call;

/** The deadline of a synchronous request that names none, in milliseconds (CBus's default). @since 0.1 */
#define CTIE_SYNC_TIMEOUT_MS 2500
/** The deadline of an asynchronous request that names none, in milliseconds (CBus's default). @since 0.1 */
#define CTIE_ASYNC_TIMEOUT_MS 60000

/**
 * Called with a request's progress, any number of times before its end and never after.
 *
 * @param value borrowed: it lives until the callback returns. Foreign values come as they are:
 *   ctie_value_materialize().
 * @par Threads
 * The one that called ctie_request_progress(), or the one that dispatches the loop which the request names.
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

/** What a request is addressed to: an action of a component, or a selector of a performer's target. @since 0.1 */
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
    CTIE_REQUEST_REMOTE = 1 << 0, /**< it is made for something that came from outside: its origin is remote */
    CTIE_REQUEST_CACHED = 1 << 1, /**< for a performed target: the target's instance is kept, see performer.h */
    CTIE_REQUEST_RELEASE = 1 << 2, /**< set by ctie_performer_release(); refused in options */
    CTIE_REQUEST_CLAIM = 1 << 3,   /**< set by ctie_provider_open_url(); refused in options */
};

/** Options of a request of any kind. Start from CTIE_REQUEST_OPTIONS_INIT; zero means default. @since 0.1 */
typedef struct ctie_request_options {
    size_t size;                               /**< sizeof(ctie_request_options) */
    const ctie_value *CTIE_NULLABLE user_info; /**< handed to the handler: a map, or a foreign value that stands
                                                    for one; borrowed */
    /**
     * Milliseconds from now after which the request ends with CTIE_E_TIMEOUT; 0 for CTIE_SYNC_TIMEOUT_MS or
     * CTIE_ASYNC_TIMEOUT_MS, negative for no deadline. A request made inside another ends with that one's
     * deadline at the latest. A handler is never interrupted: one that runs on the synchronous caller's own
     * thread makes the answer come late, as a timeout still.
     */
    int64_t timeout_ms;
    /** The request that this one is made for; NULL for the one that this thread is handling. */
    ctie_request *CTIE_NULLABLE parent;
    const ctie_runtime *CTIE_NULLABLE runtime; /**< the runtime whose lock the caller holds; NULL for none */
    ctie_match_mode mode;                      /**< CTIE_MATCH_…; for a URL alone */
    uint32_t flags;                            /**< CTIE_REQUEST_… */
    /** Interceptors of this request alone, before the bus's; taken, also on failure. They are called with `runtime`. */
    const ctie_handler *CTIE_NULLABLE interceptors;
    size_t interceptor_count;                  /**< at most 64 */
    /** The dispatcher by name (dispatcher.h); empty: the component's, else the bus's default one. */
    ctie_str dispatcher;
    int32_t priority;                          /**< CTIE_PRIORITY_…; of asynchronous requests */
    /** Where completion and progress are called (loop.h), of asynchronous requests; NULL for a worker. */
    ctie_loop *CTIE_NULLABLE loop;
    /** Called with the progress; no `fn` for none. Its `destroy` runs when the request has ended or fails. */
    ctie_progress progress;
} ctie_request_options;

/** The struct with its size and the defaults. @since 0.1 */
#define CTIE_REQUEST_OPTIONS_INIT \
    {sizeof(ctie_request_options), NULL, 0, NULL, NULL, CTIE_MATCH_DEFAULT, 0, NULL, 0, {NULL, 0}, 0, NULL, \
     {NULL, NULL, NULL}}

/**
 * Calls an action of a component and waits for the answer. The action runs on this thread, unless it is marked
 * worker-only.
 *
 * Any code that has a bus may call its components: they are known by names, which no URL can hold. An action sees the
 * origin of the request in which it is called, and that origin decides what it may open or perform in turn.
 *
 * @param target the names of the component and of its action: bytes that are compared as they are.
 * @param params a map, or a foreign value that stands for one, borrowed; NULL for null.
 * @param response receives the response, owned by the caller; NULL if only the status matters. Every request that was
 *   begun gives one, also a failed one; where none was begun (an argument was refused, CTIE_E_HANDLE, CTIE_E_DEPTH,
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
 * The same on a worker; returns at once. A component or action that is missing is reported with the response.
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
 * @param timeout_ms milliseconds; negative waits without end.
 * @param response receives the response, owned by the caller; may be NULL.
 * @return CTIE_OK (it has ended, whatever its status).
 * @par Errors
 * CTIE_E_TIMEOUT; CTIE_E_CANCELLED (this thread's wait is not wanted: waiting.h; the call goes on); CTIE_E_DEADLOCK
 * (inside the handler of this very call, or on the last worker that could run it; what others have queued there then
 * ends with CTIE_E_BUSY); CTIE_E_LIMIT (65,535 responses of it are out).
 * @since 0.1
 */
CTIE_API ctie_status ctie_call_wait(ctie_call *call, int64_t timeout_ms, ctie_response **response);

/**
 * Cancels a call: it ends with CTIE_E_CANCELLED at once. A handler that waits in the queue never starts; one that runs
 * or is being started is not interrupted, and its answer is dropped.
 *
 * @par Errors
 * CTIE_E_ALREADY (it has ended).
 * @since 0.1
 */
CTIE_API ctie_status ctie_call_cancel(ctie_call *call);

/** Releases a call, which goes on by itself; NULL is allowed. @since 0.1 */
CTIE_API ctie_status ctie_call_release(ctie_call *call);

/**
 * The state of a call, without waiting.
 *
 * @param out receives CTIE_PENDING while the call has not ended, then the response's status.
 * @since 0.1
 */
CTIE_API ctie_status ctie_call_state(const ctie_call *call, ctie_status *out);

/** @} */

CTIE_END

#endif
