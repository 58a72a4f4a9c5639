/**
 * @file bus.h
 * The bus: where handlers register and requests find them; its log; what every callback and
 * registration has in common.
 */
#ifndef CROSSTIE_BUS_H
#define CROSSTIE_BUS_H

#include "base.h"
#include "status.h"

CTIE_BEGIN

/**
 * @defgroup bus Buses
 * @{
 */

/** A bus. A counted, checked handle. @since 0.1 */
typedef struct ctie_bus ctie_bus;

/** Something registered on a bus: a route, for one. A checked handle with one owner. @since 0.1 */
typedef struct ctie_registration ctie_registration;

/**
 * Told that a callback's user_data is not needed any more: exactly once, after its last call, also
 * when registering failed; on any thread, with no lock of the library held.
 *
 * A callback is one value: a struct of the function `fn`, the `user_data` that is handed to it and to `destroy`, and
 * `destroy`, which may be NULL. For each kind ctie_<noun> there is a macro CTIE_<NOUN>(fn, data), and
 * CTIE_<NOUN>_OWNED(fn, data, destroy).
 *
 * @since 0.1
 */
typedef void (*ctie_destroy_fn)(void *user_data);

/**
 * A language runtime with a lock of its own (CPython's, for one). A caller that holds the lock names
 * its runtime in the options of a call, a handler that wants it in the options of its registration.
 * When both name the same struct, the handler is called with the lock held throughout; otherwise,
 * and whenever the caller has to wait, `leave` is called before and `enter` after, on the same thread.
 *
 * The struct must stay valid until the process ends.
 *
 * @since 0.1
 */
typedef struct ctie_runtime {
    size_t size; /**< sizeof(ctie_runtime) */
    /** Lets go of the runtime's lock; what it returns is handed to `enter`. */
    void *CTIE_NULLABLE (*CTIE_NULLABLE leave)(void);
    /** Takes the runtime's lock again. */
    void (*CTIE_NULLABLE enter)(void *token);
} ctie_runtime;

/** Flags of a bus. @since 0.1 */
enum {
    CTIE_BUS_COUNT_HITS = 1 << 0, /**< counts how often each route's handler was started, for ctie_route_list() */
    CTIE_BUS_STATIC = 1 << 1,     /**< has the process's static components: declare.h */
    CTIE_BUS_STATS = 1 << 2,      /**< counts and times requests, for ctie_bus_stats() */
};

/** How a URL has to match a pattern. @since 0.1 */
typedef int32_t ctie_match_mode;
enum {
    CTIE_MATCH_DEFAULT = 0, /**< as the bus has it */
    CTIE_MATCH_EXACT = 1,   /**< the whole URL */
    CTIE_MATCH_NEAREST = 2, /**< where no route takes the whole, the one that takes its longest leading part */
};

/** How a new bus shall be. Start from CTIE_BUS_OPTIONS_INIT; zero means default. @since 0.1 */
typedef struct ctie_bus_options {
    size_t size;             /**< sizeof(ctie_bus_options) */
    ctie_str name;           /**< for the log and for people; at most 128 bytes of UTF-8 */
    ctie_str default_scheme; /**< of patterns and URLs that begin with '/'; empty: such ones are refused */
    uint32_t max_workers;    /**< threads for asynchronous requests at most; default 64, at most 1,024 */
    uint32_t max_queued;     /**< asynchronous requests that may wait; default 65,536, at most 1,048,576 */
    uint32_t flags;          /**< CTIE_BUS_… */
    ctie_match_mode mode;    /**< of opens that name none; default CTIE_MATCH_EXACT */
} ctie_bus_options;

/** The struct with its size and the defaults. @since 0.1 */
#define CTIE_BUS_OPTIONS_INIT {sizeof(ctie_bus_options), {NULL, 0}, {NULL, 0}, 0, 0, 0, CTIE_MATCH_DEFAULT}

/**
 * Makes a bus.
 *
 * @param options borrowed; NULL for defaults.
 * @param out receives the bus, owned by the caller: end it with ctie_bus_release().
 * @param error receives why it failed, owned by the caller; may be NULL.
 * Threads: any. No thread is started before the first asynchronous request.
 * @return CTIE_OK; CTIE_E_INVALID (no `out`, a short or misaligned struct, a number over its limit, an unknown flag
 *   or mode); CTIE_E_ABI (options of a newer header); CTIE_E_UTF8 or CTIE_E_LIMIT (name, default scheme); CTIE_E_URL
 *   (default scheme); CTIE_E_NO_MEMORY.
 * @since 0.1
 */
CTIE_API ctie_status ctie_bus_new(const ctie_bus_options *options, ctie_bus **out, ctie_error_out error);

/**
 * Gets the process's bus of a name, or makes it: how parts in several languages meet. It has the process's static
 * components, as one with CTIE_BUS_STATIC. While another thread is making it, it is waited for, at most five seconds: a
 * factory of such a component must not wait for somebody who asks for the bus.
 *
 * Each success adds a reference; the bus closes with the last ctie_bus_release().
 *
 * @param name 1 to 128 bytes of UTF-8.
 * @param out receives the bus, with a reference owned by the caller.
 * @param error receives why it failed, owned by the caller; may be NULL.
 * Threads: any.
 * @return CTIE_OK; CTIE_E_INVALID (no `out`, empty name); CTIE_E_UTF8 or CTIE_E_LIMIT (name);
 *   CTIE_E_NO_MEMORY.
 * @since 0.1
 */
CTIE_API ctie_status ctie_bus_shared(ctie_str name, ctie_bus **out, ctie_error_out error);

/**
 * Adds a reference to a bus.
 *
 * Threads: any.
 * @return CTIE_OK; CTIE_E_LIMIT (over 4,294,967,295 references); CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_bus_retain(ctie_bus *bus);

/**
 * Lets go of a reference; with the last one the bus closes as by ctie_bus_close().
 *
 * @param bus NULL is fine.
 * Threads: any, also inside a callback.
 * @return CTIE_OK; CTIE_PENDING (inside a callback: the bus closes once that has returned; or as ctie_bus_close());
 *   CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_bus_release(ctie_bus *bus);

/**
 * Closes a bus, whatever its references: nothing new starts, what runs is waited for, requests that
 * are still open end with CTIE_E_CLOSED, every registration is removed and its `destroy` called,
 * worker threads are joined. When it returns every completion has run, on whichever thread; that of a request which
 * names a loop of the host's lies in that loop, to run where it is dispatched or released. The handle is dead
 * afterwards; further releases do nothing.
 *
 * Threads: any. Inside a callback it returns at once and the closing happens after the callback.
 * @return CTIE_OK; CTIE_PENDING (inside a callback, or this thread's wait is not wanted, see waiting.h: the closing
 *   goes on without it); CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_bus_close(ctie_bus *bus);

/**
 * The name of a bus.
 *
 * @param out receives text that lives until the bus closes.
 * Threads: any.
 * @return CTIE_OK; CTIE_E_INVALID (no `out`); CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_bus_name(const ctie_bus *bus, ctie_str *out);

/** How much a log line matters. @since 0.1 */
enum {
    CTIE_LOG_DEBUG = 0,
    CTIE_LOG_INFO = 1,
    CTIE_LOG_WARNING = 2,
    CTIE_LOG_ERROR = 3,
};

/**
 * Receives what a bus logs.
 *
 * @param level one of CTIE_LOG_….
 * @param message UTF-8; it lives until the callback returns.
 * Threads: any, several at a time. No lock of the library is held.
 * @since 0.1
 */
typedef void (*ctie_logger_fn)(int32_t level, ctie_str message, void *user_data);

/** What receives a log. @since 0.1 */
typedef struct ctie_logger {
    ctie_logger_fn CTIE_NULLABLE fn;        /**< the function */
    void *CTIE_NULLABLE user_data;          /**< handed to it and to `destroy` */
    ctie_destroy_fn CTIE_NULLABLE destroy;  /**< told when that is not needed any more; may be NULL */
} ctie_logger;

/** A ctie_logger of a function and its data. @since 0.1 */
#define CTIE_LOGGER(fn, data) CTIE_LOGGER_OWNED(fn, data, NULL)
/** The same with what destroys the data. @since 0.1 */
#define CTIE_LOGGER_OWNED(fn, data, destroy) CTIE_OF(ctie_logger, fn, data, destroy)

/**
 * Sets where a bus logs: replies that came too late, and failures of asynchronous
 * requests that have neither a completion nor a call.
 * Without it a bus is silent.
 *
 * The callback before it is destroyed as any registration is.
 *
 * @param logger receives the lines; NULL for its `fn` makes the bus silent.
 * Threads: any.
 * @return CTIE_OK; CTIE_PENDING (the callback before is running still; its destroy tells the end);
 *   CTIE_E_HANDLE; CTIE_E_FORKED; CTIE_E_NO_MEMORY.
 * @since 0.1
 */
CTIE_API ctie_status ctie_bus_set_log(ctie_bus *bus, ctie_logger logger, ctie_error_out error);

/**
 * Unregisters and lets go of a registration.
 *
 * When it returns CTIE_OK the callback is not running and never will. Inside any callback it never
 * waits for one that runs: then it keeps new calls from starting, returns CTIE_PENDING, and `destroy`
 * tells the end. So it is where this thread's wait is not wanted (waiting.h).
 *
 * @param registration NULL is fine. The handle is dead afterwards.
 * Threads: any.
 * @return CTIE_OK; CTIE_PENDING; CTIE_E_HANDLE (also when its bus has closed); CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_registration_release(ctie_registration *registration);

/** @} */

CTIE_END

#endif
