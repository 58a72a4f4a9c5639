/**
 * @file waiting.h
 * Waiting: what a thread looks after while it waits inside the library, such as signals of a language runtime, a
 * "stop" button, or a watchdog.
 */
#ifndef CROSSTIE_WAITING_H
#define CROSSTIE_WAITING_H

#include "base.h"
#include "status.h"

CTIE_BEGIN

/**
 * @defgroup waiting Waiting
 * @{
 */

/**
 * Called by the thread that waits: about every 50 milliseconds, and at once where a signal interrupts a wait for a
 * request. No lock of the library is held, nor the lock of the caller's ctie_runtime. It is a callback as any other:
 * it may call every function, and what it removes or closes is not waited for.
 *
 * When it returns true the wait ends: a synchronous request ends with CTIE_E_CANCELLED, as ctie_call_cancel() ends an
 * asynchronous one; ctie_call_wait() returns CTIE_E_CANCELLED, and the call goes on; a function that removes something
 * or closes a bus or a wormhole returns CTIE_PENDING, as inside a callback; sending to a durable consumer that is full
 * ends with CTIE_E_CANCELLED, and the message is not sent. Of several waits in one function (an event for many
 * components) each is asked for by itself.
 *
 * @return whether the wait shall end.
 * @since 0.1
 */
typedef bool (*ctie_wait_fn)(void *user_data);

/** A callback for waits. Its data is never destroyed. @since 0.1 */
typedef struct ctie_wait {
    ctie_wait_fn CTIE_NULLABLE fn;  /**< the function */
    void *CTIE_NULLABLE user_data;  /**< handed to it */
} ctie_wait;

/** A ctie_wait of a function and its data. @since 0.1 */
#define CTIE_WAIT(fn, data) CTIE_OF(ctie_wait, fn, data)

/**
 * Sets what is called while this thread waits inside the library, until the thread ends or another function replaces
 * it. A thread without one waits until the end; that costs nothing. A handler that runs on the thread itself is no
 * wait, and neither is the time that a store's lock takes.
 *
 * @param wait NULL for its `fn`: none. Its user_data has to stay valid until the thread has another function, or ends.
 * @return CTIE_OK.
 * @par Threads
 * Any; it concerns the calling thread alone. In a forked child the forking thread keeps its function.
 * @since 0.1
 */
CTIE_API ctie_status ctie_thread_set_wait(ctie_wait wait);

/** @} */

CTIE_END

#endif
