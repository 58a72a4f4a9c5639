/**
 * @file loop.h
 * Loops: completions and listeners of wormholes run in the host's own event loop, on the thread that dispatches.
 *
 * A loop is a queue with a descriptor for an event loop (epoll, GLib, asyncio) to watch; when it is readable,
 * ctie_loop_dispatch() runs the callbacks that are due. Each bus and each wormhole has its own loop (ctie_bus_loop(),
 * ctie_wormhole_loop()). Requests and listeners name a loop in their options, so that several event loops on one bus
 * never take each other's work.
 */
#ifndef CROSSTIE_LOOP_H
#define CROSSTIE_LOOP_H

#include "base.h"
#include "bus.h"
#include "status.h"

CTIE_BEGIN

/**
 * @defgroup loop Loops
 *
 * Any thread may call these functions, also inside a callback. They return CTIE_OK, or one of
 * CTIE_E_HANDLE, CTIE_E_FORKED, CTIE_E_INVALID (no `out`), CTIE_E_NO_MEMORY, and the errors that each lists. `error`
 * may be NULL; it receives an error object owned by the caller.
 * @{
 */

/** A loop. A checked handle with one owner. @since 0.1 */
typedef struct ctie_loop ctie_loop;

/**
 * Makes a loop.
 *
 * @param out receives the loop, owned by the caller: end it with ctie_loop_release().
 * @par Errors
 * CTIE_E_SYSTEM (no descriptor).
 * @since 0.1
 */
CTIE_API ctie_status ctie_loop_new(ctie_loop **out, ctie_error_out error);

/**
 * Returns the loop's descriptor, which is readable while a callback is due. It belongs to the loop: watch it, but do
 * not read or close it.
 *
 * @since 0.1
 */
CTIE_API ctie_status ctie_loop_fd(const ctie_loop *loop, int32_t *out);

/**
 * Runs the callbacks that are due, in the order of their arrival, on this thread; never waits. Callbacks that become
 * due meanwhile are left to the next dispatch, so that other sources of the event loop get their turn.
 *
 * @param out receives the number of callbacks that ran; may be NULL.
 * @par Threads
 * Any; concurrent dispatches share the work.
 * @since 0.1
 */
CTIE_API ctie_status ctie_loop_dispatch(ctie_loop *loop, size_t *out);

/**
 * Ends a loop; NULL is allowed. Callbacks that are due run inside this call. Later, completions of requests that name
 * the loop run on workers, and listeners that name it on the thread of their wormhole. The handle is invalid
 * afterwards.
 *
 * @par Errors
 * CTIE_E_INVALID (the own loop of a bus or wormhole, which ends with its owner).
 * @since 0.1
 */
CTIE_API ctie_status ctie_loop_release(ctie_loop *loop);

/**
 * Returns the bus's own loop, which is made by the first call and ends with the bus. Callbacks that are due then run on
 * the thread that closes the bus.
 *
 * @param out receives the loop, borrowed.
 * @par Errors
 * CTIE_E_SYSTEM (no descriptor).
 * @since 0.1
 */
CTIE_API ctie_status ctie_bus_loop(ctie_bus *bus, ctie_loop **out);

/** @} */

CTIE_END

#endif
