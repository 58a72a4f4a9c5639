/**
 * @file loop.h
 * Loops: completions, and listeners of wormholes, in the host's own event loop, on the thread that dispatches.
 *
 * A loop is a queue with a descriptor that an event loop watches (epoll, GLib, asyncio); when it is readable,
 * ctie_loop_dispatch() runs what is due. Each bus and each wormhole has one of its own (ctie_bus_loop(),
 * ctie_wormhole_loop()); requests and listeners name a loop in their options, so that several event loops on one bus
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
 * What holds for all functions here: any thread may call them, also inside a callback. They return CTIE_OK, or one of
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
 * The loop's descriptor, readable while something is due. It belongs to the loop: watch it, but do not read or close
 * it.
 *
 * @since 0.1
 */
CTIE_API ctie_status ctie_loop_fd(const ctie_loop *loop, int32_t *out);

/**
 * Runs what is due, in the order in which it came, on this thread; never waits. What becomes due meanwhile is left to
 * the next dispatch, so that other sources of the event loop get their turn.
 *
 * @param out receives how many callbacks ran; may be NULL.
 * @par Threads
 * Two dispatches at once share the work.
 * @since 0.1
 */
CTIE_API ctie_status ctie_loop_dispatch(ctie_loop *loop, size_t *out);

/**
 * Ends a loop; NULL is allowed. What is due runs inside this call. Later completions of requests that name the loop
 * run on workers, listeners that name it on the thread of their wormhole. The handle is dead afterwards.
 *
 * @par Errors
 * CTIE_E_INVALID (the own loop of a bus or a wormhole, which ends with that).
 * @since 0.1
 */
CTIE_API ctie_status ctie_loop_release(ctie_loop *loop);

/**
 * The bus's own loop, made when it is first asked for. It ends with the bus; what is due then runs on the thread that
 * closes the bus.
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
