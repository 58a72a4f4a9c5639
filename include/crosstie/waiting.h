/**
 * @file waiting.h
 * Waiting: a function that a thread calls while it waits inside the library, to handle signals of a language runtime, a
 * "stop" button or a watchdog.
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
 * A wait function. The waiting thread calls it about every 50 milliseconds, and at once when a signal interrupts the
 * wait for a request. Neither a lock of the library nor the lock of the caller's ctie_runtime is held. It may call
 * every function, as any callback may; removing or closing an object does not wait.
 *
 * When it returns true the wait ends. A synchronous request ends with CTIE_E_CANCELLED, as ctie_call_cancel() ends an
 * asynchronous one. ctie_call_wait() returns CTIE_E_CANCELLED, and the call goes on. A function that removes an object
 * or closes a bus or a wormhole returns CTIE_PENDING, as inside a callback. Sending to a full durable consumer ends
 * with CTIE_E_CANCELLED, and the message is not sent. If a function waits several times (an event for many components),
 * each wait is ended separately.
 *
 * @return true to end the wait.
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
 * Sets this thread's wait function, until the thread ends or another one replaces it. A thread without one simply
 * waits, at no cost. Running a handler on the thread itself does not count as waiting, nor does taking a store's lock.
 *
 * @param wait NULL for its `fn` removes it. Its user_data has to stay valid until the thread has another one, or ends.
 * @return CTIE_OK.
 * @par Threads
 * Any; it concerns the calling thread alone. In a forked child the forking thread keeps its function.
 * @since 0.1
 */
CTIE_API ctie_status ctie_thread_set_wait(ctie_wait wait);

/** @} */

CTIE_END

#endif
