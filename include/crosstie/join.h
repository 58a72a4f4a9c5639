/**
 * @file join.h
 * Joined buses: requests between processes. Each process joins its bus to a group and exports components, URLs and events:
 * to a local group, whose processes are those of one user, or to one that a server or another engine keeps. It reaches those
 * of the other processes by name, with deadline, cancel, progress, errors and origin, as if they were its own (docs/join.md).
 */
#ifndef CROSSTIE_JOIN_H
#define CROSSTIE_JOIN_H

#include "base.h"
#include "bus.h"
#include "request.h"
#include "status.h"
#include "value.h"
#include "wormhole.h"

CTIE_BEGIN

/**
 * @defgroup join Joined buses
 *
 * Any thread may call these functions. They return CTIE_OK, or one of CTIE_E_HANDLE (an invalid or released handle),
 * CTIE_E_FORKED (a handle from before a fork), CTIE_E_INVALID (an argument is NULL or malformed), CTIE_E_ABI (options of
 * a newer header), CTIE_E_NO_MEMORY, and the errors that each lists. `options` is borrowed, and NULL means the defaults.
 * `error` may be NULL; it receives an error object owned by the caller.
 *
 * A call whose component the bus does not have goes to a peer that exports it, if the join's imports name it. So does a
 * URL for which the bus has no route, rule and provider: the peer opens it, by default with a remote origin. An event goes
 * to all peers that export it, too (component.h). The *errors* of such requests are those of every request (call.h), as the
 * peer reports them, and CTIE_E_NO_COMPONENT (no peer exports it; for a URL CTIE_E_NO_ROUTE), CTIE_E_NO_ACTION,
 * CTIE_E_PEER_GONE (the peer ended the connection before it answered: the action may have run; the call of a
 * CTIE_ACTION_IDEMPOTENT action goes to another peer first, once),
 * CTIE_E_BUSY (the peer does not read, or has `max_calls` calls), CTIE_E_FOREIGN (a parameter has no plain form),
 * CTIE_E_LIMIT (the call or its answer is over `max_frame_size`), CTIE_E_DEPTH (the 65th nested request, counted
 * through all processes), CTIE_E_VERSION (only peers with another format export it) and CTIE_E_CORRUPT (the peer broke
 * the format, and is cut off).
 * @{
 */

/** A bus's membership in a group of joined buses. A checked handle with one owner. @since 0.1 */
typedef struct ctie_join ctie_join;

/** Bits of ctie_join_options.flags. @since 0.1 */
enum {
    /**
     * Requests of peers keep the origin that they have in the peer; without this flag all of them are remote. In a local
     * group the kernel has proved, with or without it, that a peer is a process of this user. Over a server nothing proves
     * that: each client that the server lets into the group then counts as this program itself.
     */
    CTIE_JOIN_TRUSTED = 1 << 0,
    /** Frames travel by sockets alone. Without this flag they travel by memory that two processes share, if the system
        allows that. */
    CTIE_JOIN_NO_SHARED_MEMORY = 1 << 1,
};

/**
 * Decides whether a process may become a peer.
 *
 * @param peer a map like those of ctie_join_peers(), borrowed: it lives until the callback returns.
 * @return false to end the connection.
 * @par Threads
 * A thread of the join, which receives nothing until this returns.
 * @since 0.1
 */
typedef bool (*ctie_admit_fn)(const ctie_value *CTIE_NONNULL peer, void *user_data);

/** A callback that decides about peers. @since 0.1 */
typedef struct ctie_admit {
    ctie_admit_fn CTIE_NULLABLE fn;         /**< the function; NULL admits everyone */
    void *CTIE_NULLABLE user_data;          /**< handed to it and to `destroy` */
    ctie_destroy_fn CTIE_NULLABLE destroy;  /**< called when `user_data` is no longer needed; may be NULL */
} ctie_admit;

/** A ctie_admit of a function and its data. @since 0.1 */
#define CTIE_ADMIT(fn, data) CTIE_ADMIT_OWNED(fn, data, NULL)
/** The same with a `destroy`. @since 0.1 */
#define CTIE_ADMIT_OWNED(fn, data, destroy) CTIE_OF(ctie_admit, fn, data, destroy)

/** A change among the peers of a join. @since 0.1 */
typedef int32_t ctie_peer_event;
enum {
    CTIE_PEER_JOINED = 1,  /**< the peer has joined */
    CTIE_PEER_LEFT = 2,    /**< it has left, or its process has ended */
    CTIE_PEER_CHANGED = 3, /**< its exports have changed */
};

/**
 * Called when a peer joins, leaves, or changes its exports. Calls never overlap.
 *
 * @param event CTIE_PEER_….
 * @param peer a map like those of ctie_join_peers(), borrowed: it lives until the callback returns.
 * @par Threads
 * A thread of the join. The progress of calls to peers waits until this returns.
 * @since 0.1
 */
typedef void (*ctie_peer_listener_fn)(ctie_peer_event event, const ctie_value *CTIE_NONNULL peer, void *user_data);

/** A callback for changes among the peers. @since 0.1 */
typedef struct ctie_peer_listener {
    ctie_peer_listener_fn CTIE_NULLABLE fn; /**< the function; NULL for none */
    void *CTIE_NULLABLE user_data;          /**< handed to it and to `destroy` */
    ctie_destroy_fn CTIE_NULLABLE destroy;  /**< called when `user_data` is no longer needed; may be NULL */
} ctie_peer_listener;

/** A ctie_peer_listener of a function and its data. @since 0.1 */
#define CTIE_PEER_LISTENER(fn, data) CTIE_PEER_LISTENER_OWNED(fn, data, NULL)
/** The same with a `destroy`. @since 0.1 */
#define CTIE_PEER_LISTENER_OWNED(fn, data, destroy) CTIE_OF(ctie_peer_listener, fn, data, destroy)

/** The upper limit of ctie_join_options.max_frame_size. @since 0.1 */
#define CTIE_JOIN_MAX_FRAME_SIZE ((uint64_t)64 << 20)
/** The most descriptors in a request to a peer, and in its answer (ctie_value_descriptor()). @since 0.1 */
#define CTIE_JOIN_MAX_DESCRIPTORS 16

/** Options of joining. Start from CTIE_JOIN_OPTIONS_INIT; zero means default. @since 0.1 */
typedef struct ctie_join_options {
    size_t size;               /**< sizeof(ctie_join_options) */
    ctie_str name;             /**< for peers and people: at most 64 bytes of UTF-8; default: the wormhole's name */
    /** The names that peers may use: a component (`stock`), one action of it (`stock.count`), an event (`event:saved`), the
        URLs of a scheme (`app://`), one URL (`app://items/new`), or those below it (`app://items/` with `*` behind it). At
        most 1,024 names of at most 257 bytes; none: peers may use nothing. */
    ctie_str_list exports;
    /** The names that this bus may use in peers, of the same form, or `*` for all; none: it may use nothing. */
    ctie_str_list imports;
    ctie_str dispatcher;       /**< runs the requests of peers; empty: the component's, else the bus's default one */
    uint32_t flags;            /**< CTIE_JOIN_… */
    uint32_t max_calls;        /**< requests of all peers at a time, 1 to 1,048,576; default 1,024 */
    uint64_t max_frame_size;   /**< bytes of one request or answer: 4 KiB to CTIE_JOIN_MAX_FRAME_SIZE; default 1 MiB */
    /** Decides about each peer. Its `destroy` runs once: when the join has ended, or when joining failed. */
    ctie_admit admit;
} ctie_join_options;

/** The struct with its size and the defaults. @since 0.1 */
#define CTIE_JOIN_OPTIONS_INIT \
    {sizeof(ctie_join_options), {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, 0, 0, 0, {NULL, NULL, NULL}}

/**
 * Joins a bus to the group that a wormhole has open. When the call returns, the present peers are known; others connect
 * when they join. A bus may join several groups, and several buses of a process the same one.
 *
 * @param wormhole open in a directory, at the address of a server, or with another engine that joins buses
 *   (CTIE_ENGINE_JOINS_BUSES): not in memory, nor by a host's transport. Release it after the join.
 * @param out receives the join, owned by the caller.
 * @par Errors
 * CTIE_E_INVALID (the kind of wormhole, an option); CTIE_E_IDENTIFIER (an export or import); CTIE_E_LIMIT;
 * CTIE_E_UTF8; CTIE_E_NOT_FOUND (the dispatcher); CTIE_E_UNSAFE (another user could change the directory of sockets);
 * CTIE_E_CLOSED; CTIE_E_SYSTEM (a socket or a thread). Over an engine: CTIE_E_UNSUPPORTED (it joins no buses); CTIE_E_UNAVAILABLE
 * (its server is not there); CTIE_E_DENIED, CTIE_E_DEADLOCK, and what the engine returns.
 * @since 0.1
 */
CTIE_API ctie_status ctie_bus_join(ctie_bus *bus, ctie_wormhole *wormhole, const ctie_join_options *options,
                                   ctie_join **out, ctie_error_out error);

/**
 * Leaves the group; NULL is allowed. The call first sends the answers that were given, also those of handlers that have
 * not returned, and waits for a peer that does not read for two seconds at most. The other calls of peers end with
 * CTIE_E_PEER_GONE there and are cancelled here; calls to peers end with CTIE_E_CLOSED.
 *
 * @return CTIE_OK; CTIE_PENDING inside a callback: the join's threads end by themselves.
 * @since 0.1
 */
CTIE_API ctie_status ctie_join_release(ctie_join *join);

/**
 * Lists the peers, as maps. Each has the string `name`, `exports`, a list of strings, and the integers `member` (the number
 * of its open group), `pid`, `uid` and `since` (the time of its connection: nanoseconds since 1970). `pid` is the number
 * that this process's PID namespace has for it; 0 for a peer outside, such as the host of a container. Over a server `pid` is
 * 0 and `uid` -1, because no kernel knows the peer. `calls` is the number of this bus's calls that it has in hand, and
 * `compatible` is false for a peer with another format.
 *
 * @param out receives the list, owned by the caller.
 * @par Errors
 * None but those of every function here.
 * @since 0.1
 */
CTIE_API ctie_status ctie_join_peers(const ctie_join *join, ctie_value **out, ctie_error_out error);

/**
 * Replaces the exported names, for calls that arrive from now on.
 *
 * @param exports as in ctie_join_options.
 * @par Errors
 * CTIE_E_IDENTIFIER; CTIE_E_LIMIT; CTIE_E_UTF8; CTIE_E_CLOSED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_join_set_exports(ctie_join *join, ctie_str_list exports, ctie_error_out error);

/**
 * Sets the callback for peers that join, leave, or change their exports. It is called at once for each present peer, with
 * CTIE_PEER_JOINED.
 *
 * @param listener NULL for its `fn` removes the callback. It replaces the previous one, whose `destroy` runs after its last
 *   call, possibly after this function returns. Its own `destroy` runs once: when it is replaced, when the join has ended,
 *   or when this function fails.
 * @par Errors
 * CTIE_E_CLOSED; CTIE_E_SYSTEM (a thread).
 * @since 0.1
 */
CTIE_API ctie_status ctie_join_set_listener(ctie_join *join, ctie_peer_listener listener, ctie_error_out error);

/**
 * The peer that made a request: a map with its `member`, `name`, `pid` and `uid`. The map is borrowed, and lives as long
 * as the request.
 *
 * @par Errors
 * CTIE_E_NOT_FOUND (a request of this process).
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_peer(const ctie_request *request, const ctie_value **out);

/**
 * Whether a request will go to a peer, by its present names and the present imports: for interceptors. For an event, this
 * is true of each request to a peer.
 *
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_is_leaving(const ctie_request *request, bool *out);

/** @} */

CTIE_END

#endif
