/**
 * @file bus.h
 * Buses: handlers register on a bus, and requests find them there. Also a bus's log, and the common rules of callbacks
 * and registrations.
 */
#ifndef CROSSTIE_BUS_H
#define CROSSTIE_BUS_H

#include "base.h"
#include "status.h"

CTIE_BEGIN

/**
 * @defgroup bus Buses
 *
 * Any thread may call these functions, also inside a callback. They return CTIE_OK, or one of
 * CTIE_E_HANDLE (an invalid or released handle), CTIE_E_FORKED (a handle from before a fork), CTIE_E_INVALID (an
 * argument is NULL or malformed), CTIE_E_ABI (options of a newer header), CTIE_E_NO_MEMORY, and the errors that each
 * lists. `options` is borrowed, and NULL means the defaults. `error` may be NULL; it receives an error object with the
 * reason of the failure, owned by the caller.
 *
 * A function that closes or removes an object waits for the object's running callbacks. Where it must not wait, inside
 * a callback or when this thread's wait function ends the wait (waiting.h), it returns CTIE_PENDING and finishes
 * without the caller. The call of the callback's `destroy` then marks the end.
 * @{
 */

/** A bus. A counted, checked handle. @since 0.1 */
typedef struct ctie_bus ctie_bus;

/** The registration of a route, an interceptor or a component on a bus. A checked handle with one owner. @since 0.1 */
typedef struct ctie_registration ctie_registration;

/**
 * Called exactly once when a callback's `user_data` is no longer needed: after the callback's last call, also when
 * registering it failed.
 *
 * A callback is one value: a struct of the function `fn`, the `user_data` that `fn` and `destroy` are called with, and
 * `destroy`, which may be NULL. Each kind ctie_<noun> has a macro CTIE_<NOUN>(fn, data), and another one
 * CTIE_<NOUN>_OWNED(fn, data, destroy).
 *
 * @par Threads
 * Any. No lock of the library is held.
 * @since 0.1
 */
typedef void (*ctie_destroy_fn)(void *user_data);

/**
 * A language runtime with a lock of its own, such as CPython's. A caller that holds the lock names its runtime in the
 * options of a call; a handler that needs the lock names it in the options of its registration. When both name the
 * same struct, the handler runs with the lock held throughout. Otherwise, and whenever the caller has to wait, the
 * library calls `leave` before and `enter` after, on the same thread.
 *
 * The struct must stay valid until the process ends.
 *
 * @since 0.1
 */
typedef struct ctie_runtime {
    size_t size; /**< sizeof(ctie_runtime) */
    /** Releases the runtime's lock; its result is handed to `enter`. */
    void *CTIE_NULLABLE (*CTIE_NULLABLE leave)(void);
    /** Takes the runtime's lock again. */
    void (*CTIE_NULLABLE enter)(void *token);
} ctie_runtime;

/** Flags of a bus. @since 0.1 */
enum {
    CTIE_BUS_COUNT_HITS = 1 << 0, /**< counts the starts of each route's handler, for ctie_route_list() */
    CTIE_BUS_STATIC = 1 << 1,     /**< registers the process's static components: declare.h */
    CTIE_BUS_STATS = 1 << 2,      /**< counts and times requests, for ctie_bus_stats() */
};

/** The way a URL has to match a pattern. @since 0.1 */
typedef int32_t ctie_match_mode;
enum {
    CTIE_MATCH_DEFAULT = 0, /**< the bus's own mode */
    CTIE_MATCH_EXACT = 1,   /**< the whole URL */
    CTIE_MATCH_NEAREST = 2, /**< if no route matches the whole URL, the one that matches its longest leading part */
};

/** Options of a new bus. Start from CTIE_BUS_OPTIONS_INIT; zero means default. @since 0.1 */
typedef struct ctie_bus_options {
    size_t size;             /**< sizeof(ctie_bus_options) */
    ctie_str name;           /**< for the log and for people; at most 128 bytes of UTF-8 */
    ctie_str default_scheme; /**< of patterns and URLs that begin with '/'; if empty, those are refused */
    uint32_t max_workers;    /**< threads for asynchronous requests at most; default 64, at most 1,024 */
    uint32_t max_queued;     /**< asynchronous requests that may wait; default 65,536, at most 1,048,576 */
    uint32_t flags;          /**< CTIE_BUS_… */
    ctie_match_mode mode;    /**< for opens that name no mode; default CTIE_MATCH_EXACT */
} ctie_bus_options;

/** The struct with its size and the defaults. @since 0.1 */
#define CTIE_BUS_OPTIONS_INIT {sizeof(ctie_bus_options), {NULL, 0}, {NULL, 0}, 0, 0, 0, CTIE_MATCH_DEFAULT}

/**
 * Makes a bus.
 *
 * @param out receives the bus, owned by the caller: end it with ctie_bus_release().
 * @par Threads
 * The first asynchronous request starts the first thread.
 * @par Errors
 * CTIE_E_INVALID (a number over its limit, an unknown mode); CTIE_E_UTF8, CTIE_E_LIMIT (name, default scheme);
 * CTIE_E_URL (default scheme).
 * @since 0.1
 */
CTIE_API ctie_status ctie_bus_new(const ctie_bus_options *options, ctie_bus **out, ctie_error_out error);

/**
 * Returns the process's bus of a name, and makes it if there is none, so that code in several languages shares it. The
 * bus has the process's static components, as with CTIE_BUS_STATIC.
 *
 * Each success adds a reference; the bus closes with the last ctie_bus_release(). While another thread is making the
 * bus, this call waits for it, for at most five seconds. A static component's factory must therefore not wait for a
 * thread that gets the bus.
 *
 * @param name 1 to 128 bytes of UTF-8.
 * @param out receives the bus, with a reference owned by the caller.
 * @par Errors
 * CTIE_E_INVALID (empty name); CTIE_E_UTF8, CTIE_E_LIMIT (name).
 * @since 0.1
 */
CTIE_API ctie_status ctie_bus_shared(ctie_str name, ctie_bus **out, ctie_error_out error);

/**
 * Adds a reference to a bus.
 *
 * @par Errors
 * CTIE_E_LIMIT (over 4,294,967,295 references).
 * @since 0.1
 */
CTIE_API ctie_status ctie_bus_retain(ctie_bus *bus);

/**
 * Gives up a reference; NULL is allowed. The last release closes the bus, as ctie_bus_close() does.
 *
 * @return CTIE_OK; CTIE_PENDING as ctie_bus_close().
 * @since 0.1
 */
CTIE_API ctie_status ctie_bus_release(ctie_bus *bus);

/**
 * Closes a bus, whatever the number of its references. No new request starts. The call waits for running handlers; requests
 * that are still open end with CTIE_E_CLOSED. Every registration is removed and its `destroy` called, and the worker
 * threads are joined. When the call returns CTIE_OK, every completion has run, except those for a loop of the host: they
 * run when that loop is dispatched or released. The handle is invalid afterwards; further releases do nothing.
 *
 * @return CTIE_OK; CTIE_PENDING (the closing goes on without the caller).
 * @since 0.1
 */
CTIE_API ctie_status ctie_bus_close(ctie_bus *bus);

/**
 * The name of a bus.
 *
 * @param out receives text that lives until the bus closes.
 * @since 0.1
 */
CTIE_API ctie_status ctie_bus_name(const ctie_bus *bus, ctie_str *out);

/** Levels of log lines. @since 0.1 */
enum {
    CTIE_LOG_DEBUG = 0,
    CTIE_LOG_INFO = 1,
    CTIE_LOG_WARNING = 2,
    CTIE_LOG_ERROR = 3,
};

/**
 * Receives the lines that a bus logs.
 *
 * @param level one of CTIE_LOG_….
 * @param message UTF-8; it lives until the callback returns.
 * @par Threads
 * Any, several at a time. No lock of the library is held.
 * @since 0.1
 */
typedef void (*ctie_logger_fn)(int32_t level, ctie_str message, void *user_data);

/** A callback for log lines. @since 0.1 */
typedef struct ctie_logger {
    ctie_logger_fn CTIE_NULLABLE fn;        /**< the function */
    void *CTIE_NULLABLE user_data;          /**< handed to it and to `destroy` */
    ctie_destroy_fn CTIE_NULLABLE destroy;  /**< called when `user_data` is no longer needed; may be NULL */
} ctie_logger;

/** A ctie_logger of a function and its data. @since 0.1 */
#define CTIE_LOGGER(fn, data) CTIE_LOGGER_OWNED(fn, data, NULL)
/** The same with a `destroy`. @since 0.1 */
#define CTIE_LOGGER_OWNED(fn, data, destroy) CTIE_OF(ctie_logger, fn, data, destroy)

/**
 * Sets the receiver of a bus's log: replies that came too late, and failures of asynchronous requests that have
 * neither a completion nor a call. A bus without one logs nothing. It is a callback slot (docs/conventions.md).
 *
 * @param logger NULL for its `fn` empties the slot.
 * @return CTIE_OK; CTIE_PENDING (the previous callback is still running).
 * @par Errors
 * None but those of every function here.
 * @since 0.1
 */
CTIE_API ctie_status ctie_bus_set_log(ctie_bus *bus, ctie_logger logger, ctie_error_out error);

/**
 * Removes the registered object; NULL is allowed. The handle is invalid afterwards. When the call returns CTIE_OK the
 * callback is not running and will never be called again.
 *
 * @return CTIE_OK; CTIE_PENDING (a call of it is still running; no new one starts).
 * @par Errors
 * CTIE_E_HANDLE (also when its bus has closed).
 * @since 0.1
 */
CTIE_API ctie_status ctie_registration_release(ctie_registration *registration);

/** @} */

CTIE_END

#endif
