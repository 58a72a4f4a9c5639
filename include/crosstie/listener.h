/**
 * @file listener.h
 * Listeners of a wormhole. A state listener gets the newest message of an identifier, a queue listener every message in
 * order.
 */
#ifndef CROSSTIE_LISTENER_H
#define CROSSTIE_LISTENER_H

#include "base.h"
#include "bus.h"
#include "loop.h"
#include "message.h"
#include "status.h"
#include "wormhole.h"

CTIE_BEGIN

/**
 * @defgroup listener Listeners
 *
 * Any thread may call these functions, also inside a listener. They return CTIE_OK, or one of CTIE_E_HANDLE (an invalid
 * or released handle), CTIE_E_FORKED (a handle from before a fork), CTIE_E_INVALID (an argument is NULL or malformed),
 * CTIE_E_ABI (options of a newer header), CTIE_E_NO_MEMORY, the errors of every function on a wormhole (wormhole.h),
 * and those that each lists. `options` is borrowed, and NULL means the defaults. `error` may be NULL; it receives an
 * error object owned by the caller.
 *
 * A function that removes a listener waits for its running call. Inside any callback, and when this thread's wait
 * function ends the wait (waiting.h), it returns CTIE_PENDING instead; the receiver's `destroy` then shows that the
 * call has ended. Messages in hand of a removed durable listener are redelivered to another one; the durable consumer
 * stays.
 * @{
 */

/** A listener bound to an identifier. A checked handle with one owner. @since 0.1 */
typedef struct ctie_listener ctie_listener;

/**
 * Receives the messages of an identifier. Calls of one listener never overlap. It may call any function of the library,
 * and may remove its listener and close the wormhole.
 *
 * @param message borrowed: valid until the function returns, or longer if it is retained.
 * @par Threads
 * The wormhole's own, where a receiver that blocks delays the other listeners; or, by the options, the thread that
 * dispatches a loop, or a worker of a dispatcher. No lock of the library is held.
 * @since 0.1
 */
typedef void (*ctie_receiver_fn)(const ctie_message *CTIE_NONNULL message, void *user_data);

/** A callback for messages. @since 0.1 */
typedef struct ctie_receiver {
    ctie_receiver_fn CTIE_NULLABLE fn;      /**< the function */
    void *CTIE_NULLABLE user_data;          /**< handed to it and to `destroy` */
    ctie_destroy_fn CTIE_NULLABLE destroy;  /**< called when `user_data` is no longer needed; may be NULL */
} ctie_receiver;

/** A ctie_receiver of a function and its data. @since 0.1 */
#define CTIE_RECEIVER(fn, data) CTIE_RECEIVER_OWNED(fn, data, NULL)
/** The same with a `destroy`. @since 0.1 */
#define CTIE_RECEIVER_OWNED(fn, data, destroy) CTIE_OF(ctie_receiver, fn, data, destroy)

/** Bits of ctie_listen_options.flags. @since 0.1 */
enum {
    /** State: only messages newer than the binding. */
    CTIE_LISTEN_NO_INITIAL_DELIVERY = 1,
    /** Every message, signal and notice of destruction, in order and once each, from the binding on. */
    CTIE_LISTEN_QUEUE = 2,
    /** Queue: begin with the oldest message that is still kept for any consumer; of a durable consumer, only when the
        binding makes it. */
    CTIE_LISTEN_FROM_OLDEST = 4,
    /**
     * Queue: the name, which must not be empty, is a durable consumer's. The store keeps it, with its progress, until
     * ctie_wormhole_forget(); messages wait for it while it has no listener. Its listeners, in any number of processes,
     * share the messages: each message is delivered to one of them, and redelivered to another if that one dies or
     * rejects it, until it is acknowledged.
     */
    CTIE_LISTEN_DURABLE = 8,
    /** Queue: the receiver's return does not acknowledge a message. The host must call ctie_message_acknowledge() or
        ctie_message_reject(). */
    CTIE_LISTEN_MANUAL = 16,
};

/** Options of a listener. Start from CTIE_LISTEN_OPTIONS_INIT; zero means default. @since 0.1 */
typedef struct ctie_listen_options {
    size_t size; /**< sizeof(ctie_listen_options) */
    /** At most 128 bytes of UTF-8; empty: none. Binding a name again on the same identifier replaces the listener. */
    ctie_str name;
    uint32_t flags; /**< CTIE_LISTEN_… or'ed together */
    /** Queue: the most messages that are delivered and not acknowledged. A listener that returns quickly gets many at a
        time, a slow one a single one; with CTIE_LISTEN_MANUAL this number is delivered at once. Default 512, with
        CTIE_LISTEN_MANUAL 1; at most 1,024. */
    uint32_t max_unacknowledged;
    /** The loop on whose dispatching thread the receiver is called, for example ctie_wormhole_loop(). Borrowed; if it
        is released before the listener, the wormhole's thread calls the receiver from then on. NULL: the wormhole's
        thread. */
    ctie_loop *CTIE_NULLABLE loop;
    /** The bus on whose workers the receiver is called, those of the dispatcher below; borrowed. When the bus is closed
        first, the listener gets no more messages. Not together with `loop`. */
    ctie_bus *CTIE_NULLABLE bus;
    ctie_str dispatcher; /**< the name of a dispatcher of `bus`; empty: its default one */
    /** Queue: begin with the message of this number, or the first one after it that is still kept for any consumer; of a
        durable consumer, only when the binding makes it. A number in the future begins with the next message. 0: no
        number. */
    uint64_t from_sequence;
    /** Queue: likewise, begin with the first message that was not sent before this time: nanoseconds since 1970-01-01 UTC,
        by the senders' clocks. 0: no time. Only one of CTIE_LISTEN_FROM_OLDEST and these two. */
    int64_t from_time;
} ctie_listen_options;

/** The struct with its size and the defaults. @since 0.1 */
#define CTIE_LISTEN_OPTIONS_INIT {sizeof(ctie_listen_options), {NULL, 0}, 0, 0, NULL, NULL, {NULL, 0}, 0, 0}

/**
 * Binds a listener to an identifier, or to every identifier below a prefix.
 *
 * *State*: the initial delivery is the stored message, or CTIE_MESSAGE_NONE; with a prefix it is one call for each stored
 * message, in the order of identifiers. Then the listener gets every newer message, in the order of numbers, also across
 * the identifiers of a prefix; a slow listener skips messages. A message sent during the initial delivery is delivered
 * after it, in place of the stored one if that has not been delivered yet.
 *
 * *Queue*: the listener gets each message, signal and notice of destruction from the binding on, in the order of numbers.
 * The group's max_queued and max_queued_size limit the messages kept for it. A CTIE_MESSAGE_MISSED reports the number of
 * messages that it has lost because it fell behind further, or because they were destroyed.
 *
 * A listener of the same name on the same identifier is replaced, as by ctie_listener_release().
 *
 * @param identifier an identifier; or one followed by `.*`, for all that begin with it and a dot; or `*` for all.
 * @param receiver its `destroy` runs once, also on failure.
 * @param out receives the listener, owned by the caller: ctie_listener_release(). It is set before the first call.
 *   NULL: the listener lives as long as the wormhole, or until it is removed by its identifier.
 * @return CTIE_OK; CTIE_PENDING (bound; a call of the replaced listener is still running).
 * @par Threads
 * The first listener starts the wormhole's thread.
 * @par Errors
 * CTIE_E_INVALID (flags or a start position of queues without CTIE_LISTEN_QUEUE, several start positions, a time below
 * 0, CTIE_LISTEN_DURABLE without a name, a loop and a bus, a dispatcher without a bus); CTIE_E_IDENTIFIER; CTIE_E_UTF8,
 * CTIE_E_LIMIT (a name; over 1,024 unacknowledged; over 65,536 listeners, or 256 durable consumers in the group);
 * CTIE_E_NOT_FOUND (no such dispatcher); CTIE_E_NO_SPACE, CTIE_E_TIMEOUT, CTIE_E_CORRUPT (the store); CTIE_E_SYSTEM (no
 * thread).
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_listen(ctie_wormhole *wormhole, ctie_str identifier, ctie_receiver receiver,
                                          const ctie_listen_options *options, ctie_listener **out,
                                          ctie_error_out error);

/**
 * Binds a listener to the members of the group, the wormholes that have it open. First it gets a CTIE_MESSAGE_JOINED
 * for each member, this wormhole included. Then it gets one for each new member and a CTIE_MESSAGE_LEFT for each that
 * leaves or dies, within two seconds. A member that joins and leaves at once may be skipped.
 *
 * @param receiver its `destroy` runs once, also on failure.
 * @param options NULL for the defaults. The only flag allowed is CTIE_LISTEN_NO_INITIAL_DELIVERY; no start position is.
 * @param out receives the listener, owned by the caller: ctie_listener_release(). NULL: it lives as long as the
 *   wormhole.
 * @return as ctie_wormhole_listen().
 * @par Errors
 * Those of ctie_wormhole_listen().
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_listen_members(ctie_wormhole *wormhole, ctie_receiver receiver,
                                                  const ctie_listen_options *options, ctie_listener **out,
                                                  ctie_error_out error);

/**
 * Removes a listener and releases it; NULL is allowed. The handle is invalid afterwards. When the call returns CTIE_OK
 * the callback is not running and will never be called again.
 *
 * @return CTIE_OK; CTIE_PENDING.
 * @par Errors
 * CTIE_E_HANDLE (also when it was replaced or removed by name, or its wormhole has closed).
 * @since 0.1
 */
CTIE_API ctie_status ctie_listener_release(ctie_listener *listener);

/**
 * Removes a listener of this wormhole by its name, as ctie_listener_release() does.
 *
 * @param identifier as it was bound; empty for ctie_wormhole_listen_members().
 * @param name as it was bound, not empty.
 * @return CTIE_OK; CTIE_PENDING.
 * @par Errors
 * CTIE_E_NOT_FOUND.
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_remove_listener(ctie_wormhole *wormhole, ctie_str identifier, ctie_str name,
                                                   ctie_error_out error);

/**
 * Removes all listeners of this wormhole to an identifier in one step, named or not, each as ctie_listener_release()
 * does.
 *
 * @param identifier as bound: listeners to `chat.*` are not listeners to `chat.a`. Empty for
 *   ctie_wormhole_listen_members().
 * @return CTIE_OK; CTIE_PENDING.
 * @par Errors
 * CTIE_E_NOT_FOUND (there was none).
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_remove_listeners(ctie_wormhole *wormhole, ctie_str identifier,
                                                    ctie_error_out error);

/**
 * Removes all listeners of this wormhole, each as ctie_listener_release() does.
 *
 * @return CTIE_OK, also when there is none; CTIE_PENDING.
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_remove_all_listeners(ctie_wormhole *wormhole);

/**
 * Lists the listeners of this wormhole, in the order in which they were bound.
 *
 * @param out receives a list of maps, owned by the caller. Their keys are "identifier" (as it was bound; null for
 *   ctie_wormhole_listen_members()), "name" (empty for none), "delivery" ("state", "queue", "durable" or "members"),
 *   "executor" ("wormhole", "loop" or "dispatcher") and with the last one "dispatcher", its name. NULL after a failure.
 * @par Errors
 * None but those of every function here.
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_listeners(const ctie_wormhole *wormhole, ctie_value **out, ctie_error_out error);

/**
 * Removes a durable consumer from the group, with the messages kept for it alone. Its listeners, in any process, get no
 * more messages.
 *
 * @param identifier as it was bound.
 * @param name as it was bound, not empty.
 * @par Errors
 * CTIE_E_NOT_FOUND; CTIE_E_NO_SPACE; CTIE_E_TIMEOUT; CTIE_E_CORRUPT; CTIE_E_SYSTEM.
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_forget(ctie_wormhole *wormhole, ctie_str identifier, ctie_str name,
                                          ctie_error_out error);

/* ---- In the host's loop -------------------------------------------------------------------------- */

/**
 * Returns the wormhole's own loop, for the options of listeners. It is made by the first call and ends with the
 * wormhole.
 *
 * @param out receives the loop, borrowed.
 * @par Errors
 * CTIE_E_SYSTEM (no descriptor).
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_loop(ctie_wormhole *wormhole, ctie_loop **out);

/** @} */

CTIE_END

#endif
