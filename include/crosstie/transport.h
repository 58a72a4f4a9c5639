/**
 * @file transport.h
 * Transports: a host's own place for a wormhole's messages, instead of a directory of this machine.
 *
 * A transport keeps records: bytes under keys, ordered by key as memcmp() orders them, the shorter of two first. What
 * the records mean is the library's affair: messages, queues and durable consumers work on every transport alike.
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
    const void *CTIE_NULLABLE data; /**< the first of them */
    size_t size;                    /**< how many */
} ctie_bytes;

/** One change of a commit. @since 0.1 */
typedef struct ctie_transport_change {
    ctie_bytes key; /**< 1 to 511 bytes; empty: every record is removed, before the changes that follow */
    /** The new record of the key; NULL data and size 0 remove the record, if there is one. */
    ctie_bytes record;
} ctie_transport_change;

/** Takes a record that a transport has found. Returns false to end the search. @since 0.1 */
typedef bool (*ctie_transport_visit_fn)(ctie_bytes key, ctie_bytes record, void *context);

/** Takes the number of a member that a transport knows. @since 0.1 */
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
 * What a transport does. Every function is called with `user_data` as its first argument, on any thread, several at a
 * time; what it is given is borrowed until it returns. `version`, `scan` and `commit` must be there; `join` and
 * `members` both or neither; the others may be NULL. Each opening of a wormhole has a transport of its own.
 *
 * A status that is not named here reaches the caller of the wormhole as it is; positive ones and unknown ones as
 * CTIE_E_SYSTEM. Whatever a transport shows is checked: records that are damaged or out of order are CTIE_E_CORRUPT.
 *
 * Inside a function of a transport, every function on a wormhole that has a transport answers CTIE_E_DEADLOCK and does
 * nothing; no function of a transport may wait for another thread to use the wormhole.
 *
 * @since 0.1
 */
typedef struct ctie_transport {
    size_t size; /**< sizeof(ctie_transport) */
    /** The number of the newest commit; 0 before the first one. It is asked often. */
    ctie_status (*CTIE_NULLABLE version)(void *user_data, uint64_t *CTIE_NONNULL out);
    /** Calls `visit`, on this thread, with the records from the first key that is not before `from` on, in the order of
        keys (`backward`: from the last key that is not behind it on, against the order) until it answers false. All are
        of one state; when the version differs afterwards, the reading begins anew. `from` has 0 to 512 bytes. */
    ctie_status (*CTIE_NULLABLE scan)(void *user_data, ctie_bytes from, bool backward,
                                      ctie_transport_visit_fn CTIE_NONNULL visit, void *context);
    /** Makes all changes in one step, in their order, as commit number `version` + 1; there may be none, and the number
        counts all the same. CTIE_E_CONFLICT, and nothing is changed, if the newest one is not `version`: the step is
        done again until timeout_ms have passed. What was committed must not be lost when a process dies. */
    ctie_status (*CTIE_NULLABLE commit)(void *user_data, uint64_t version,
                                        const ctie_transport_change *CTIE_NONNULL changes, size_t count);
    /** Has `notify` called with `context` after each commit, of whatever process, until `notify` is NULL; when that
        returns, none runs. NULL: the wormhole asks for the version, every 50 ms. */
    ctie_status (*CTIE_NULLABLE watch)(void *user_data, ctie_transport_notify_fn CTIE_NULLABLE notify, void *context);
    /** Enters this opening, of a name, among the members, until `destroy`, and gives it a number: not 0, and never used
        again for another one. NULL together with `members`: an opening lives as long as its process, and all processes
        of the group run on this machine. */
    ctie_status (*CTIE_NULLABLE join)(void *user_data, ctie_str name, uint64_t *CTIE_NONNULL id);
    /** Calls `visit`, on this thread, with the number of each member that lives. */
    ctie_status (*CTIE_NULLABLE members)(void *user_data, ctie_transport_member_fn CTIE_NONNULL visit, void *context);
    /** Releases `user_data`: the last call, also when the wormhole could not be opened, except for options of a size
        that no header has given them. */
    void (*CTIE_NULLABLE destroy)(void *user_data);
} ctie_transport;

/** @} */

CTIE_END

#endif
