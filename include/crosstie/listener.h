/**
 * @file listener.h
 * Listening to a wormhole: to the newest message of an identifier (state), or to every one (queue).
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
 * @{
 */

/** A listener bound to an identifier. A checked handle with one owner. @since 0.1 */
typedef struct ctie_listener ctie_listener;

/**
 * Told what happens under an identifier. Calls of one listener never overlap.
 *
 * It may call any function of the library, remove itself and close the wormhole included.
 *
 * @param message borrowed: valid until the function returns, or longer if it is retained.
 * Threads: the wormhole's own, where one that blocks keeps the others there waiting; or the one that dispatches
 *   the loop, or a worker of the dispatcher, that the options name. No lock of the library is held.
 * @since 0.1
 */
typedef void (*ctie_receiver_fn)(const ctie_message *CTIE_NONNULL message, void *user_data);

/** What receives messages. @since 0.1 */
typedef struct ctie_receiver {
    ctie_receiver_fn CTIE_NULLABLE fn;      /**< the function */
    void *CTIE_NULLABLE user_data;          /**< handed to it and to `destroy` */
    ctie_destroy_fn CTIE_NULLABLE destroy;  /**< told when that is not needed any more; may be NULL */
} ctie_receiver;

/** A ctie_receiver of a function and its data. @since 0.1 */
#define CTIE_RECEIVER(fn, data) CTIE_RECEIVER_OWNED(fn, data, NULL)
/** The same with what destroys the data. @since 0.1 */
#define CTIE_RECEIVER_OWNED(fn, data, destroy) CTIE_OF(ctie_receiver, fn, data, destroy)

/** Bits of ctie_listen_options.flags. @since 0.1 */
enum {
    /** State: tell only what is newer than the binding. */
    CTIE_LISTEN_NO_INITIAL_DELIVERY = 1,
    /** Every message, signal and destroying, in order and once each, from the binding on. */
    CTIE_LISTEN_QUEUE = 2,
    /** Queue: begin with the oldest message that is still kept, for whomever; a durable consumer when it is made. */
    CTIE_LISTEN_FROM_OLDEST = 4,
    /**
     * Queue: the name, which must not be empty, is durable. It is kept in the store together with what it
     * has acknowledged, until ctie_wormhole_forget(): it gets what comes while nobody listens, too. Listeners
     * of one durable consumer and identifier, in however many processes, share the messages: each goes to one of
     * them, to another when that dies or rejects it, and is done when it is acknowledged.
     */
    CTIE_LISTEN_DURABLE = 8,
    /** Queue: returning does not acknowledge; ctie_message_acknowledge() or ctie_message_reject() must. */
    CTIE_LISTEN_MANUAL = 16,
};

/** How a listener is bound. Start from CTIE_LISTEN_OPTIONS_INIT; zero means default. @since 0.1 */
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
        closed first, the listener hears nothing more. Not together with `loop`. */
    ctie_bus *CTIE_NULLABLE bus;
    ctie_str dispatcher; /**< of `bus`, by name; empty: its default one */
    /** Queue: begin with the message of this number, or the first one after it that is still kept, for whomever; a durable
        name when it is made. With one that has not been given yet it begins with the next message. 0: not so. */
    uint64_t from_sequence;
    /** Queue: the same with the first message that was not passed before this time: nanoseconds since 1970-01-01 UTC, by
        the senders' clocks. 0: not so. Only one of CTIE_LISTEN_FROM_OLDEST and these two. */
    int64_t from_time;
} ctie_listen_options;

/** The struct with its size and the defaults. @since 0.1 */
#define CTIE_LISTEN_OPTIONS_INIT {sizeof(ctie_listen_options), {NULL, 0}, 0, 0, NULL, NULL, {NULL, 0}, 0, 0}

/**
 * Binds a listener to an identifier, or to every identifier below a prefix.
 *
 * State: first it is called once with the stored message, or with CTIE_MESSAGE_NONE; bound to a prefix,
 * once for each stored message in the order of identifiers (and not at all when there is none). Then it
 * hears whatever is newer than the binding, in the order of numbers, all below a prefix in one; what it was
 * too slow for is passed over. A message that comes while the first calls are made comes after them, in place of the
 * stored one unless that has been told.
 *
 * Queue: it is called with each message, signal and destroying from the binding on, in the order of their
 * numbers. Whatever is kept for it is bounded by the group's max_queued and max_queued_size: a listener
 * that falls behind further is told by CTIE_MESSAGE_MISSED how many it has lost. So it is of messages that were
 * destroyed before it came to them.
 *
 * A listener of the same name on the same identifier is replaced: it is not called again, and a running
 * call of it is waited for (outside callbacks).
 *
 * @param identifier an identifier; or one followed by `.*`, for all that begin with it and a dot; or
 *   `*` for all.
 * @param receiver the callback; its `destroy` runs once, also on failure.
 * @param options borrowed; NULL for defaults.
 * @param out receives the listener, owned by the caller: ctie_listener_release(). It is set before the
 *   first call. NULL: the listener lives as long as the wormhole, or until it is removed by its identifier.
 * @param error receives why it failed, owned by the caller; may be NULL.
 * Threads: any, also inside a listener. The first listener starts the wormhole's thread.
 * @return CTIE_OK; CTIE_PENDING (bound; the replaced one is running still, and its destroy tells the
 *   end); CTIE_E_INVALID (no `fn`, a short or misaligned struct, an unknown flag, flags or a beginning of queues without
 *   CTIE_LISTEN_QUEUE, several beginnings, a time below 0, a durable one without a name, a loop and a bus, a dispatcher
 *   without a bus); CTIE_E_ABI;
 *   CTIE_E_IDENTIFIER; CTIE_E_UTF8 or CTIE_E_LIMIT (a name; over 1,024 unacknowledged; over 65,536 listeners, or 256
 *   durable consumers in the group); CTIE_E_NOT_FOUND (no such dispatcher); CTIE_E_NO_SPACE, CTIE_E_TIMEOUT, CTIE_E_CORRUPT
 *   (the store); CTIE_E_NO_MEMORY; CTIE_E_SYSTEM (no thread); CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_listen(ctie_wormhole *wormhole, ctie_str identifier, ctie_receiver receiver,
                                          const ctie_listen_options *options, ctie_listener **out,
                                          ctie_error_out error);

/**
 * Binds a listener to who has the group open: first a CTIE_MESSAGE_JOINED for each one that is there, this
 * wormhole too, then one for each that comes and a CTIE_MESSAGE_LEFT for each that goes, by whatever death,
 * within two seconds. Who comes and goes at once may be passed over.
 *
 * @param receiver the callback; its `destroy` runs once, also on failure.
 * @param options borrowed; NULL for defaults; of its flags CTIE_LISTEN_NO_INITIAL_DELIVERY alone, and no beginning.
 * @param out receives the listener, owned by the caller: ctie_listener_release(). NULL: it lives as long as the
 *   wormhole.
 * @param error receives why it failed, owned by the caller; may be NULL.
 * Other parameters, threads and statuses as for ctie_wormhole_listen().
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_listen_members(ctie_wormhole *wormhole, ctie_receiver receiver,
                                                  const ctie_listen_options *options, ctie_listener **out,
                                                  ctie_error_out error);

/**
 * Removes a listener and lets go of it. When it returns CTIE_OK the callback is not running and never
 * will. Inside any callback, and where this thread's wait is not wanted (waiting.h), it does not wait for one that
 * runs: it returns CTIE_PENDING, and `destroy` tells the end. What a durable listener was given and has not
 * acknowledged goes to others; the durable consumer stays.
 *
 * @param listener NULL is fine. The handle is dead afterwards.
 * Threads: any.
 * @return CTIE_OK; CTIE_PENDING; CTIE_E_HANDLE (also when it was replaced or removed by name, or its
 *   wormhole has closed); CTIE_E_FORKED (nothing is done).
 * @since 0.1
 */
CTIE_API ctie_status ctie_listener_release(ctie_listener *listener);

/**
 * Removes a listener of this wormhole by its name, as ctie_listener_release() does.
 *
 * @param identifier as it was bound; empty for ctie_wormhole_listen_members(). @param name as it was bound, not empty.
 * Threads: any.
 * @return CTIE_OK; CTIE_PENDING; CTIE_E_NOT_FOUND; CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_remove_listener(ctie_wormhole *wormhole, ctie_str identifier, ctie_str name);

/**
 * Removes the listeners of this wormhole to an identifier, all at once, with a name or without, as
 * ctie_listener_release() does of each.
 *
 * @param identifier as it was bound: those of `chat.*` are not those of `chat.a`. Empty for
 *   ctie_wormhole_listen_members().
 * Threads: any.
 * @return CTIE_OK; CTIE_PENDING (one of them is running still); CTIE_E_NOT_FOUND (there was none); CTIE_E_HANDLE;
 *   CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_remove_listeners(ctie_wormhole *wormhole, ctie_str identifier);

/**
 * Removes all listeners of this wormhole, as ctie_listener_release() does of each.
 *
 * Threads: any.
 * @return CTIE_OK (also when there is none); CTIE_PENDING; CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_remove_all_listeners(ctie_wormhole *wormhole);

/**
 * Lists the listeners of this wormhole, in the order in which they were bound.
 *
 * @param out receives a list of maps, owned by the caller: ctie_value_release(). Their keys are "identifier" (as it was
 *   bound; null for ctie_wormhole_listen_members()), "name" (empty for none), "delivery" ("state", "queue", "durable" or
 *   "members"), "executor" ("wormhole", "loop" or "dispatcher") and for the last of these "dispatcher", its name. NULL
 *   after a failure.
 * @param error receives why it failed, owned by the caller; may be NULL.
 * Threads: any, also inside a listener.
 * @return CTIE_OK; CTIE_E_INVALID (no `out`); CTIE_E_NO_MEMORY; CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_listeners(const ctie_wormhole *wormhole, ctie_value **out, ctie_error_out error);

/**
 * Removes a durable consumer from the group, with what is kept for it alone. Listeners of it, in any process, hear
 * nothing more.
 *
 * @param identifier as it was bound. @param name as it was bound, not empty.
 * @param error receives why it failed, owned by the caller; may be NULL.
 * Threads: any, also inside a listener.
 * @return CTIE_OK; CTIE_E_NOT_FOUND; CTIE_E_NO_SPACE; CTIE_E_TIMEOUT; CTIE_E_CORRUPT; CTIE_E_NO_MEMORY;
 *   CTIE_E_SYSTEM; CTIE_E_HANDLE; CTIE_E_FORKED.
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
 * Threads: any.
 * @return CTIE_OK; CTIE_E_INVALID (no `out`); CTIE_E_SYSTEM (no descriptor); CTIE_E_HANDLE; CTIE_E_FORKED;
 *   CTIE_E_NO_MEMORY.
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_loop(ctie_wormhole *wormhole, ctie_loop **out);

/** ctie_loop_fd() of the wormhole's own loop. Threads: any. @return as ctie_wormhole_loop(). @since 0.1 */
CTIE_API ctie_status ctie_wormhole_fd(ctie_wormhole *wormhole, int32_t *out);

/**
 * ctie_loop_dispatch() of the wormhole's own loop.
 *
 * @param out receives how many listeners were looked after; may be NULL.
 * Threads: any.
 * @return as ctie_wormhole_loop().
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_dispatch(ctie_wormhole *wormhole, size_t *out);

/** @} */

CTIE_END

#endif
