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

/**
 * The functions of a transport. Each is called with `user_data` as its first argument, on any thread, several at a
 * time; its arguments are borrowed until it returns. `version`, `scan` and `commit` are required; `join` and `members`
 * must both be set or both be NULL; the others may be NULL. Each wormhole has its own transport.
 *
 * A function returns CTIE_OK or an error. The caller of the wormhole gets the error unchanged, except the CTIE_E_CONFLICT of
 * `commit`; a positive or unknown status becomes CTIE_E_SYSTEM. The library checks the results of a transport: damaged
 * records and records out of order are CTIE_E_CORRUPT.
 *
 * Inside a function of a transport, every function on a wormhole with a transport returns CTIE_E_DEADLOCK and does
 * nothing. No function of a transport may wait for another thread to use the wormhole.
 *
 * @since 0.1
 */
typedef struct ctie_transport {
    size_t size; /**< sizeof(ctie_transport) */
    /** Returns the number of the newest commit; 0 before the first one. It is called often. */
    ctie_status (*CTIE_NULLABLE version)(void *user_data, uint64_t *CTIE_NONNULL out);
    /** Calls `visit` on this thread with the records in the order of keys, beginning with the first key not less than
        `from` (`backward`: in reverse order, beginning with the last key not greater than it), until it returns false.
        All records belong to one version; if the version differs afterwards, the library repeats the scan. `from` has 0
        to 512 bytes. */
    ctie_status (*CTIE_NULLABLE scan)(void *user_data, ctie_bytes from, bool backward,
                                      ctie_transport_visit_fn CTIE_NONNULL visit, void *context);
    /** Makes all changes in one step, in their order, as commit number `version` + 1, also if `count` is 0. If the
        newest commit is not `version` it changes nothing and returns CTIE_E_CONFLICT; the library retries until
        timeout_ms have passed. A commit must survive the death of a process. */
    ctie_status (*CTIE_NULLABLE commit)(void *user_data, uint64_t version,
                                        const ctie_transport_change *CTIE_NONNULL changes, size_t count);
    /** Registers `notify` to be called with `context` after each commit of any process. A NULL `notify` ends that;
        after the call returns, none runs. If `watch` is NULL, the wormhole polls the version every 50 ms. */
    ctie_status (*CTIE_NULLABLE watch)(void *user_data, ctie_transport_notify_fn CTIE_NULLABLE notify, void *context);
    /** Adds this wormhole, with its name, to the members until `destroy`, and returns its number: not 0, and never
        reused. If `join` and `members` are NULL, a member lives as long as its process, and all processes of the group
        run on this machine. */
    ctie_status (*CTIE_NULLABLE join)(void *user_data, ctie_str name, uint64_t *CTIE_NONNULL id);
    /** Calls `visit` on this thread with the number of each living member. */
    ctie_status (*CTIE_NULLABLE members)(void *user_data, ctie_transport_member_fn CTIE_NONNULL visit, void *context);
    /** Releases `user_data`. This is the last call. The library makes it also if the wormhole could not be opened, unless
        the options have a size that no header gives them. */
    void (*CTIE_NULLABLE destroy)(void *user_data);
} ctie_transport;

/** @} */

CTIE_END

#endif
