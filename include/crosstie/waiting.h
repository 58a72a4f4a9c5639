/**
 * @file waiting.h
 * What a thread looks after while it waits inside the library: signals of a language runtime, a "stop" button, a
 * watchdog.
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
 * Asked by the thread that waits: about every 50 milliseconds, and at once where a signal interrupts a wait for a
 * request. No lock of the library is held, and the lock of the caller's ctie_runtime is let go of. It is a callback as
 * any other: it may call every function, and what it removes or closes is not waited for.
 *
 * @return whether the wait shall end:
 *   a synchronous request ends with CTIE_E_CANCELLED, as ctie_call_cancel() ends an asynchronous one;
 *   ctie_call_wait() returns CTIE_E_CANCELLED, and the call goes on;
 *   a function that removes something or closes a bus or a wormhole returns CTIE_PENDING, as inside a callback: what
 *   runs goes on, and `destroy` tells its end;
 *   sending to a durable consumer that is full ends with CTIE_E_CANCELLED, and nothing has been sent.
 *   Of several waits in one function (an event for many components) each asks for itself.
 * @since 0.1
 */
typedef bool (*ctie_wait_fn)(void *user_data);

/** What is asked. Nothing destroys its data. @since 0.1 */
typedef struct ctie_wait {
    ctie_wait_fn CTIE_NULLABLE fn;  /**< the function */
    void *CTIE_NULLABLE user_data;  /**< handed to it */
} ctie_wait;

/** A ctie_wait of a function and its data. @since 0.1 */
#define CTIE_WAIT(fn, data) CTIE_OF(ctie_wait, fn, data)

/**
 * Has a function asked while this thread waits inside the library, until the thread ends or another function takes its
 * place. A thread without one waits until what it waits for has come; that costs nothing.
 *
 * A handler that runs on the thread itself is no wait, and neither is the time that a store's lock takes.
 *
 * @param wait NULL for its `fn`: none. Its user_data has to stay valid until the thread has another function, or ends.
 * Threads: any; it concerns the calling thread alone. In a forked child the forking thread keeps its function.
 * @return CTIE_OK.
 * @since 0.1
 */
CTIE_API ctie_status ctie_thread_set_wait(ctie_wait wait);

/** @} */

CTIE_END

#endif
