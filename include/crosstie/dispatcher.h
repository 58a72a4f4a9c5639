/**
 * @file dispatcher.h
 * Dispatchers: the threads that run asynchronous requests. Traffic that must not wait behind other traffic gets a
 * dispatcher of its own.
 *
 * Every bus has a default one, with the limits in the options of ctie_bus_new(). A request goes to the dispatcher that
 * its options name, else to its component's, else to the default one. Threads are started on demand and end when idle.
 * Threads whose handler waits inside the library do not count towards the limit, up to 256 of them.
 */
#ifndef CROSSTIE_DISPATCHER_H
#define CROSSTIE_DISPATCHER_H

#include "base.h"
#include "bus.h"
#include "status.h"

CTIE_BEGIN

/**
 * @defgroup dispatcher Dispatchers
 *
 * Any thread may call these functions. They return CTIE_OK, or one of CTIE_E_HANDLE,
 * CTIE_E_FORKED, CTIE_E_INVALID (an argument is NULL or malformed), CTIE_E_ABI (options of a newer header),
 * CTIE_E_NO_MEMORY, and the errors that each lists. `options` is borrowed, and NULL means the defaults. `error`
 * may be NULL; it receives an error object owned by the caller.
 * @{
 */

/** Options of a dispatcher. Start from CTIE_DISPATCHER_OPTIONS_INIT; zero means default. @since 0.1 */
typedef struct ctie_dispatcher_options {
    size_t size;          /**< sizeof(ctie_dispatcher_options) */
    uint32_t max_workers; /**< the most threads; default 64, at most 1,024 */
    uint32_t max_queued;  /**< requests that may wait; default 65,536, at most 1,048,576 */
} ctie_dispatcher_options;

/** The struct with its size and the defaults. @since 0.1 */
#define CTIE_DISPATCHER_OPTIONS_INIT {sizeof(ctie_dispatcher_options), 0, 0}

/**
 * Adds a dispatcher to a bus, for as long as the bus lives; a bus has at most 63. Its first request starts its first
 * thread.
 *
 * @param name a letter or '_', then letters, digits, `_ . -`; at most 128 bytes.
 * @par Errors
 * CTIE_E_CONFLICT (the name is taken); CTIE_E_IDENTIFIER; CTIE_E_LIMIT (name, or the 64th); CTIE_E_UTF8; CTIE_E_INVALID
 * (name, or a number over its limit).
 * @since 0.1
 */
CTIE_API ctie_status ctie_dispatcher_add(ctie_bus *bus, ctie_str name, const ctie_dispatcher_options *options,
                                         ctie_error_out error);

/**
 * Cancels every asynchronous request of a dispatcher that has not ended, queued or running, as ctie_call_cancel()
 * does.
 *
 * @param name empty for the default one.
 * @param out receives the number of cancelled requests; may be NULL.
 * @par Errors
 * CTIE_E_NOT_FOUND; CTIE_E_INVALID, CTIE_E_UTF8, CTIE_E_LIMIT (name).
 * @since 0.1
 */
CTIE_API ctie_status ctie_dispatcher_cancel_all(ctie_bus *bus, ctie_str name, size_t *out, ctie_error_out error);

/** @} */

CTIE_END

#endif
