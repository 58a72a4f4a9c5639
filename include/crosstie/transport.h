/**
 * @file transport.h
 * Transports: a host's own storage for a wormhole's messages, in place of a directory on this machine.
 *
 * A transport keeps records: bytes under keys, in the order in which memcmp() compares the keys; a key comes before every
 * longer key that begins with it. Only the library interprets the records: messages, queues and durable consumers work the
 * same on every transport.
 */
#ifndef CROSSTIE_TRANSPORT_H
#define CROSSTIE_TRANSPORT_H

#include "base.h"
#include "status.h"

CTIE_BEGIN

/**
 * @defgroup transport Transports
 * @{
 */

/** Bytes, borrowed. @since 0.1 */
typedef struct ctie_bytes {
    const void *CTIE_NULLABLE data; /**< the first byte */
    size_t size;                    /**< the number of bytes */
} ctie_bytes;

/** One change of a commit. @since 0.1 */
typedef struct ctie_transport_change {
    ctie_bytes key; /**< 1 to 511 bytes; empty: removes every record, before the changes that follow */
    /** The new record of the key; NULL data and size 0 remove the record, if there is one. */
    ctie_bytes record;
} ctie_transport_change;

/** Receives a record of a scan. Returns false to end the scan. @since 0.1 */
typedef bool (*ctie_transport_visit_fn)(ctie_bytes key, ctie_bytes record, void *context);

/** Receives the number of a member. @since 0.1 */
typedef void (*ctie_transport_member_fn)(uint64_t id, void *context);

/**
 * Wakes a wormhole, because records have changed.
 *
 * @par Threads
 * Any.
 * @since 0.1
 */
typedef void (*ctie_transport_notify_fn)(void *context);

/** Bits of ctie_transport.flags. @since 0.1 */
enum {
    /** Every record is near, for example in this process: reads are cheap, so the library reads no record in advance. */
    CTIE_TRANSPORT_REPLICATED = 1,
};

/** The limits of a transport. @since 0.1 */
typedef struct ctie_transport_limits {
    size_t size; /**< sizeof(ctie_transport_limits); set by the library */
    /** The most bytes of all keys and records of a commit; 0: no limit. */
    uint64_t max_commit_size;
} ctie_transport_limits;

/** The number of bytes of a commit's token. @since 0.1 */
#define CTIE_TRANSPORT_TOKEN_SIZE ((size_t)16)

/**
 * The functions of a transport. Each is called with `user_data` as its first argument, on any thread, several at a
 * time; its arguments are borrowed until it returns. `version`, `scan` and `commit` are required; `join` and `members`
 * must both be set or both be NULL; the others may be NULL. Each wormhole has its own transport.
 *
 * @par Time
 * `timeout_ms` is what is left of the time of the caller of the wormhole, in milliseconds: at least 1. No function may
 * take longer; where it would, it returns CTIE_E_UNAVAILABLE if nothing was done, and CTIE_E_UNCERTAIN if something may
 * have been. The library calls no function when no time is left. `watch`, `limits` and `destroy` have no time and may not
 * wait for a server.
 *
 * @par Statuses
 * A function returns CTIE_OK or an error. The caller of the wormhole gets the error unchanged, except the statuses of
 * `commit` below; a positive or unknown status becomes CTIE_E_SYSTEM. The library checks the results of a transport:
 * damaged records and records out of order are CTIE_E_CORRUPT.
 *
 * @par Lost answers
 * A commit may have been done although its answer was lost. After CTIE_E_UNCERTAIN, CTIE_E_TIMEOUT, CTIE_E_PEER_GONE and
 * CTIE_E_CANCELLED of `commit` the library reads the version and the token's record (see there) until it knows, and makes
 * the same commit again if it was not done; only if the caller's time ends before, the caller gets CTIE_E_UNCERTAIN. The
 * same holds for CTIE_E_CONFLICT: the version that `version` returns may lag behind that of `commit`, as long as the records
 * that `scan` and `get` show belong to it. After CTIE_E_SYSTEM it reads them once. After any other status it believes that
 * nothing was done, nor will be: a transport that cannot be sure must not return one.
 *
 * Inside a function of a transport, every function on a wormhole with a transport or an engine returns CTIE_E_DEADLOCK
 * and does nothing. No function of a transport may wait for another thread to use the wormhole.
 *
 * @since 0.1
 */
typedef struct ctie_transport {
    size_t size; /**< sizeof(ctie_transport) */
    /** Returns the number of the newest commit; 0 before the first one. It is called often. */
    ctie_status (*CTIE_NULLABLE version)(void *user_data, uint64_t *CTIE_NONNULL out, int64_t timeout_ms);
    /** Calls `visit` on this thread with the records in the order of keys, beginning with the first key not less than
        `from` (`backward`: in reverse order, beginning with the last key not greater than it), until it returns false.
        All records belong to one version; if the version differs afterwards, the library repeats the scan. `from` has 0
        to 512 bytes. */
    ctie_status (*CTIE_NULLABLE scan)(void *user_data, ctie_bytes from, bool backward,
                                      ctie_transport_visit_fn CTIE_NONNULL visit, void *context, int64_t timeout_ms);
    /**
     * Makes all changes in one step, in their order, as commit number `version` + 1, also if `count` is 0. If the
     * newest commit is not `version` it changes nothing and returns CTIE_E_CONFLICT; the library retries until
     * the caller's time has passed. A commit must survive the death of a process.
     *
     * `token` is CTIE_TRANSPORT_TOKEN_SIZE random bytes, new for each step, and the same when the library repeats it. A
     * transport that remembers the tokens of commits returns CTIE_OK for one that it has committed, whatever the newest
     * version is. It need not: the changes themselves store the token under a key of the wormhole's own, which the
     * library reads before it repeats a step.
     *
     * `out` receives the number of the commit; the library sets it to `version` + 1 before the call.
     */
    ctie_status (*CTIE_NULLABLE commit)(void *user_data, uint64_t version, const uint8_t *CTIE_NONNULL token,
                                        const ctie_transport_change *CTIE_NONNULL changes, size_t count,
                                        uint64_t *CTIE_NONNULL out, int64_t timeout_ms);
    /** Registers `notify` to be called with `context` after each commit of any process. A NULL `notify` ends that;
        after the call returns, none runs. If `watch` is NULL, the wormhole polls the version every 50 ms. */
    ctie_status (*CTIE_NULLABLE watch)(void *user_data, ctie_transport_notify_fn CTIE_NULLABLE notify, void *context);
    /** Adds this wormhole, with its name, to the members until `destroy`, and returns its number: not 0, and never
        reused. If `join` and `members` are NULL, a member lives as long as its process, and all processes of the group
        run on this machine. */
    ctie_status (*CTIE_NULLABLE join)(void *user_data, ctie_str name, uint64_t *CTIE_NONNULL id, int64_t timeout_ms);
    /** Calls `visit` on this thread with the number of each living member. */
    ctie_status (*CTIE_NULLABLE members)(void *user_data, ctie_transport_member_fn CTIE_NONNULL visit, void *context,
                                         int64_t timeout_ms);
    /** Releases `user_data`. This is the last call. The library makes it also if the wormhole could not be opened, unless
        the options have a size that no header gives them. */
    void (*CTIE_NULLABLE destroy)(void *user_data);
    /** Fills in what the transport can take; called once, when the wormhole is opened, and may not wait. A max_value_size
        that could not be stored in one commit, where it takes twice its size and 16 KiB, is then CTIE_E_LIMIT of
        ctie_wormhole_open(). A step that is too large all the same is CTIE_E_LIMIT, and `commit` is not called. */
    ctie_status (*CTIE_NULLABLE limits)(void *user_data, ctie_transport_limits *CTIE_NONNULL out);
    /** Calls `visit` on this thread with the record of each of `count` keys that has one, in any order, until it returns
        false: in one round trip, where `scan` would take several. All records belong to one version; if the version
        differs afterwards, the library repeats it. */
    ctie_status (*CTIE_NULLABLE get)(void *user_data, const ctie_bytes *CTIE_NONNULL keys, size_t count,
                                     ctie_transport_visit_fn CTIE_NONNULL visit, void *context, int64_t timeout_ms);
    uint32_t flags;    /**< CTIE_TRANSPORT_… or'ed together */
    uint32_t reserved; /**< 0 */
} ctie_transport;

/** @} */

CTIE_END

#endif
