/**
 * @file loop.h
 * Loops: completions, and listeners of wormholes, in the host's own event loop, on the thread that dispatches.
 *
 * A loop is a queue with a descriptor that an event loop watches (epoll, GLib, asyncio); when it is readable,
 * ctie_loop_dispatch() runs what is due. Each bus has one of its own; a request may name another in its options, so
 * that several event loops on one bus never take each other's work.
 */
#ifndef CROSSTIE_LOOP_H
#define CROSSTIE_LOOP_H

#include "base.h"
#include "bus.h"
#include "status.h"

CTIE_BEGIN

/**
 * @defgroup loop Loops
 * @{
 */

/** A loop. A checked handle with one owner. @since 0.1 */
typedef struct ctie_loop ctie_loop;

/**
 * Makes a loop.
 *
 * @param out receives the loop, owned by the caller: end it with ctie_loop_release().
 * @param error receives why it failed, owned by the caller; may be NULL.
 * Threads: any.
 * @return CTIE_OK; CTIE_E_INVALID (no `out`); CTIE_E_SYSTEM (no descriptor); CTIE_E_NO_MEMORY.
 * @since 0.1
 */
CTIE_API ctie_status ctie_loop_new(ctie_loop **out, ctie_error_out error);

/**
 * The loop's descriptor: readable while something is due. The loop's own: to be watched, not read and not closed.
 *
 * @param out receives it.
 * Threads: any.
 * @return CTIE_OK; CTIE_E_INVALID (no `out`); CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_loop_fd(const ctie_loop *loop, int32_t *out);

/**
 * Runs what is due, in the order in which it came, on this thread; never waits. What becomes due meanwhile is left to
 * the next dispatch, so that other sources of the event loop get their turn.
 *
 * @param out receives how many callbacks ran; may be NULL.
 * Threads: any; also inside a callback. Two at once share the work.
 * @return CTIE_OK; CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_loop_dispatch(ctie_loop *loop, size_t *out);

/**
 * Ends a loop. What is due runs inside this call; completions of requests that name it and end later run on workers,
 * listeners that name it on the thread of their wormhole.
 *
 * @param loop NULL is fine. The handle is dead afterwards.
 * Threads: any, also inside a callback.
 * @return CTIE_OK; CTIE_E_INVALID (the own loop of a bus or a wormhole, which ends with that); CTIE_E_HANDLE;
 *   CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_loop_release(ctie_loop *loop);

/**
 * The bus's own loop, made when it is first asked for, to be named in the options of requests. It ends with the bus;
 * what is due then runs on the thread that closes it.
 *
 * @param out receives the loop, borrowed.
 * Threads: any.
 * @return CTIE_OK; CTIE_E_INVALID (no `out`); CTIE_E_SYSTEM (no descriptor); CTIE_E_HANDLE; CTIE_E_FORKED;
 *   CTIE_E_NO_MEMORY.
 * @since 0.1
 */
CTIE_API ctie_status ctie_bus_loop(ctie_bus *bus, ctie_loop **out);

/** @} */

CTIE_END

#endif
