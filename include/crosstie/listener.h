/**
 * @file listener.h
 * Listeners of a wormhole: to the newest message of an identifier (state), or to every message in order (queue).
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
 * What holds for all functions here: any thread may call them, also inside a listener. They return CTIE_OK, or one of
 * CTIE_E_HANDLE (an invalid or released handle), CTIE_E_FORKED (a handle from before a fork), CTIE_E_INVALID (an
 * argument is NULL or malformed), CTIE_E_ABI (options of a newer header), CTIE_E_NO_MEMORY, those of every function on
 * a wormhole (wormhole.h), and the errors that each lists. `options` is borrowed, and NULL stands for the defaults.
 * `error` may be NULL; it receives an error object owned by the caller.
 *
 * What removes a listener waits for a running call of it. Inside any callback, and where this thread's wait is not
 * wanted (waiting.h), it returns CTIE_PENDING instead; the receiver's `destroy` is then the sign that the call has
 * ended. What a removed durable listener was given and has not acknowledged goes to another one; the durable consumer
 * stays.
 * @{
 */

/** A listener bound to an identifier. A checked handle with one owner. @since 0.1 */
typedef struct ctie_listener ctie_listener;

/**
 * Called with what happens under an identifier. Calls of one listener never overlap. It may call any function of the
 * library, and may remove itself and close the wormhole.
 *
 * @param message borrowed: valid until the function returns, or longer if it is retained.
 * @par Threads
 * The wormhole's own, where a receiver that blocks delays the other listeners there; or the one that dispatches the
 * loop, or a worker of the dispatcher, that the options name. No lock of the library is held.
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
    /** State: only what is newer than the binding. */
    CTIE_LISTEN_NO_INITIAL_DELIVERY = 1,
    /** Every message, signal and destroying, in order and once each, from the binding on. */
    CTIE_LISTEN_QUEUE = 2,
    /** Queue: begin with the oldest message that is still kept for any consumer; a durable consumer when it is made. */
    CTIE_LISTEN_FROM_OLDEST = 4,
    /**
     * Queue: the name, which must not be empty, is a durable consumer's. The store keeps it, and what it has
     * acknowledged, until ctie_wormhole_forget(); messages wait for it while it has no listener. Its listeners, in
     * any number of processes, share the messages: each goes to one of them, to another one if that dies or
     * rejects it, and is done when it is acknowledged.
     */
    CTIE_LISTEN_DURABLE = 8,
    /** Queue: returning does not acknowledge; ctie_message_acknowledge() or ctie_message_reject() must. */
    CTIE_LISTEN_MANUAL = 16,
};

/** Options of a listener. Start from CTIE_LISTEN_OPTIONS_INIT; zero means default. @since 0.1 */
typedef struct ctie_listen_options {
    size_t size; /**< sizeof(ctie_listen_options) */
    /** At most 128 bytes of UTF-8; empty: none. Binding a name again on the same identifier replaces. */
    ctie_str name;
    uint32_t flags; /**< CTIE_LISTEN_… or'ed together */
    /** Queue: messages handed out and not acknowledged at most. A listener that returns quickly is given many
        at a time, a slow one a single one; with CTIE_LISTEN_MANUAL this many are handed out at once. Default
        512, with CTIE_LISTEN_MANUAL 1; at most 1,024. */
    uint32_t max_unacknowledged;
    /** Calls come where this loop is dispatched, ctie_wormhole_loop() for one; borrowed, and to outlive the
        listener, whose calls come on the wormhole's thread otherwise. NULL: on the wormhole's thread. */
    ctie_loop *CTIE_NULLABLE loop;
    /** Calls come on workers of this bus, of the dispatcher below (empty: its default one); borrowed. When the bus is
        closed first, the listener gets no more messages. Not together with `loop`. */
    ctie_bus *CTIE_NULLABLE bus;
    ctie_str dispatcher; /**< of `bus`, by name; empty: its default one */
    /** Queue: begin with the message of this number, or the first one after it that is still kept for any consumer; a
        durable consumer when it is made. A number in the future begins with the next message. 0: not so. */
    uint64_t from_sequence;
    /** Queue: the same with the first message that was not sent before this time: nanoseconds since 1970-01-01 UTC, by
        the senders' clocks. 0: not so. Only one of CTIE_LISTEN_FROM_OLDEST and these two. */
    int64_t from_time;
} ctie_listen_options;

/** The struct with its size and the defaults. @since 0.1 */
#define CTIE_LISTEN_OPTIONS_INIT {sizeof(ctie_listen_options), {NULL, 0}, 0, 0, NULL, NULL, {NULL, 0}, 0, 0}

/**
 * Binds a listener to an identifier, or to every identifier below a prefix.
 *
 * *State*: the first call has the stored message, or CTIE_MESSAGE_NONE; bound to a prefix there is one call for each
 * stored message, in the order of identifiers. Then it gets whatever is newer than the binding, in the order of
 * numbers, all below a prefix in one order; messages that it is too slow for are skipped. A message that comes while
 * the first calls are made comes after them, in place of the stored one unless that has been delivered.
 *
 * *Queue*: it gets each message, signal and destroying from the binding on, in the order of numbers. The group's
 * max_queued and max_queued_size bound what is kept for it. A CTIE_MESSAGE_MISSED says how many messages it has lost,
 * because it fell behind further or because they were destroyed.
 *
 * A listener of the same name on the same identifier is replaced, as by ctie_listener_release().
 *
 * @param identifier an identifier; or one followed by `.*`, for all that begin with it and a dot; or `*` for all.
 * @param receiver its `destroy` runs once, also on failure.
 * @param out receives the listener, owned by the caller: ctie_listener_release(). It is set before the first call.
 *   NULL: the listener lives as long as the wormhole, or until it is removed by its identifier.
 * @return CTIE_OK; CTIE_PENDING (bound; a call of the replaced one is still running).
 * @par Threads
 * The first listener starts the wormhole's thread.
 * @par Errors
 * CTIE_E_INVALID (flags or a beginning of queues without CTIE_LISTEN_QUEUE, several beginnings, a time below 0, a
 * durable one without a name, a loop and a bus, a dispatcher without a bus); CTIE_E_IDENTIFIER; CTIE_E_UTF8,
 * CTIE_E_LIMIT (a name; over 1,024 unacknowledged; over 65,536 listeners, or 256 durable consumers in the group);
 * CTIE_E_NOT_FOUND (no such dispatcher); CTIE_E_NO_SPACE, CTIE_E_TIMEOUT, CTIE_E_CORRUPT (the store); CTIE_E_SYSTEM
 * (no thread).
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_listen(ctie_wormhole *wormhole, ctie_str identifier, ctie_receiver receiver,
                                          const ctie_listen_options *options, ctie_listener **out,
                                          ctie_error_out error);

/**
 * Binds a listener to the members of the group, the wormholes that have it open: first it gets a CTIE_MESSAGE_JOINED
 * for each member, this wormhole included, then one for each that joins and a CTIE_MESSAGE_LEFT for each that leaves
 * or dies, within two seconds. A member that joins and leaves at once may be skipped.
 *
 * @param receiver its `destroy` runs once, also on failure.
 * @param options NULL for the defaults; of its flags CTIE_LISTEN_NO_INITIAL_DELIVERY alone, and no beginning.
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
 * Removes a listener and releases it; NULL is allowed. The handle is dead afterwards. When the call returns CTIE_OK
 * the callback is not running and never will.
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
CTIE_API ctie_status ctie_wormhole_remove_listener(ctie_wormhole *wormhole, ctie_str identifier, ctie_str name);

/**
 * Removes the listeners of this wormhole to an identifier, all at once, with a name or without, as
 * ctie_listener_release() does of each.
 *
 * @param identifier as it was bound: those of `chat.*` are not those of `chat.a`. Empty for
 *   ctie_wormhole_listen_members().
 * @return CTIE_OK; CTIE_PENDING.
 * @par Errors
 * CTIE_E_NOT_FOUND (there was none).
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_remove_listeners(ctie_wormhole *wormhole, ctie_str identifier);

/**
 * Removes all listeners of this wormhole, as ctie_listener_release() does of each.
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
 *   "executor" ("wormhole", "loop" or "dispatcher") and for the last of these "dispatcher", its name. NULL after a
 *   failure.
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_listeners(const ctie_wormhole *wormhole, ctie_value **out, ctie_error_out error);

/**
 * Removes a durable consumer from the group, with what is kept for it alone. Its listeners, in any process, get no
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
 * The wormhole's own loop, made when it is first asked for, to be named in the options of listeners. It ends with the
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
