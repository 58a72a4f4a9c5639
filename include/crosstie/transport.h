/**
 * @file transport.h
 * A host's own transport: where a wormhole's messages are kept instead of in a directory of this machine.
 *
 * It keeps records: bytes under keys, ordered by key as memcmp() orders them, the shorter of two first. What the
 * records mean is the library's affair: messages, queues and durable names work on every transport alike.
 */
#ifndef CROSSTIE_TRANSPORT_H
#define CROSSTIE_TRANSPORT_H

#include "base.h"
#include "status.h"

CTIE_BEGIN

/** Bytes, borrowed. @since 0.1 */
typedef struct ctie_bytes {
    const void *CTIE_NULLABLE data;
    size_t size;
} ctie_bytes;

/** One change of a commit. @since 0.1 */
typedef struct ctie_transport_change {
    ctie_bytes key; /**< 1 to 511 bytes; empty: every record is removed, before the changes that follow */
    /** What is to stand under the key; with NULL data and size 0 the record is removed, if it is there. */
    ctie_bytes record;
} ctie_transport_change;

/** Takes a record that a transport has found. Answers false to end the search. @since 0.1 */
typedef bool (*ctie_transport_visit_fn)(ctie_bytes key, ctie_bytes record, void *CTIE_NULLABLE context);

/** Who has a group open. @since 0.1 */
typedef struct ctie_transport_member {
    uint64_t id; /**< the opening's own, never used again for another one; not 0 */
    int32_t pid;
    int64_t since; /**< nanoseconds since 1970-01-01 UTC */
    ctie_str name; /**< borrowed */
} ctie_transport_member;

/** Takes a member that a transport knows. @since 0.1 */
typedef void (*ctie_transport_member_fn)(const ctie_transport_member *CTIE_NONNULL member, void *CTIE_NULLABLE context);

/** Tells a wormhole that records have changed. Threads: any. @since 0.1 */
typedef void (*ctie_transport_notify_fn)(void *CTIE_NULLABLE context);

/**
 * What a transport does. Every function is called with `user_data` as its first argument, on any thread, several at a
 * time; what it is given is borrowed until it returns. `version`, `scan` and `commit` must be there, the others may be
 * NULL. Each opening of a wormhole has a transport of its own.
 *
 * A status that is not named here reaches the caller of the wormhole as it is; positive ones and unknown ones as
 * CTIE_E_SYSTEM.
 *
 * @since 0.1
 */
typedef struct ctie_transport {
    size_t size; /**< sizeof(ctie_transport) */
    /** The number of the newest commit; 0 before the first one. */
    ctie_status (*CTIE_NULLABLE version)(void *CTIE_NULLABLE user_data, uint64_t *CTIE_NONNULL out);
    /** Calls `visit` with the records from the first key that is not before `from` on, in the order of keys (`backward`:
        from the last key that is not behind it on, against the order) until it answers false. All are of one state. */
    ctie_status (*CTIE_NULLABLE scan)(void *CTIE_NULLABLE user_data, ctie_bytes from, bool backward,
                                      ctie_transport_visit_fn CTIE_NONNULL visit, void *CTIE_NULLABLE context);
    /** Makes all changes in one step, in their order, as commit number `version` + 1; CTIE_E_CONFLICT, and nothing is
        changed, if the newest one is not `version`. What was committed must not be lost when a process dies. */
    ctie_status (*CTIE_NULLABLE commit)(void *CTIE_NULLABLE user_data, uint64_t version,
                                        const ctie_transport_change *CTIE_NONNULL changes, size_t count);
    /** Has `notify` called with `context` after each commit, of whatever process, until `notify` is NULL; when that
        returns, none runs. NULL: the wormhole asks for the version, every 50 ms. */
    ctie_status (*CTIE_NULLABLE watch)(void *CTIE_NULLABLE user_data, ctie_transport_notify_fn CTIE_NULLABLE notify,
                                       void *CTIE_NULLABLE context);
    /** Enters this opening under a name among the members, until `destroy`. NULL together with `members`: the group is
        this process's alone, or at least nobody shares a durable name with another process. */
    ctie_status (*CTIE_NULLABLE join)(void *CTIE_NULLABLE user_data, ctie_str name, uint64_t *CTIE_NONNULL id);
    /** Calls `visit` with each member that lives. */
    ctie_status (*CTIE_NULLABLE members)(void *CTIE_NULLABLE user_data, ctie_transport_member_fn CTIE_NONNULL visit,
                                         void *CTIE_NULLABLE context);
    /** Lets go of `user_data`: the last call. */
    void (*CTIE_NULLABLE destroy)(void *CTIE_NULLABLE user_data);
} ctie_transport;

CTIE_END

#endif
