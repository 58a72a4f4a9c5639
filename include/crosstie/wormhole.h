/**
 * @file wormhole.h
 * Wormholes: messages between the processes of one user. They are sent under an identifier to listeners in every
 * process that has the group open, the sender's own included, and are stored for a process that starts later.
 *
 * A group is a directory that its processes share; there is no daemon. Killing any of these processes at any time damages
 * nothing and loses no message whose ctie_wormhole_send() has returned.
 *
 * Identifiers and group names are 1 to 128 bytes: `[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*`.
 *
 * The listener chooses the delivery (listener.h). A *state* listener gets the newest message of its identifier, one
 * call at a time and never an older one after a newer one; messages in between may be skipped. A *queue* listener gets
 * every message in order; a durable consumer also gets those that were sent while it had no listener.
 */
#ifndef CROSSTIE_WORMHOLE_H
#define CROSSTIE_WORMHOLE_H

#include "base.h"
#include "bus.h"
#include "engine.h"
#include "message.h"
#include "status.h"
#include "transport.h"
#include "value.h"

CTIE_BEGIN

/**
 * @defgroup wormhole Wormholes
 *
 * Any thread may call these functions, also inside a listener. They return CTIE_OK, or one of
 * CTIE_E_HANDLE (an invalid or released handle), CTIE_E_FORKED (a handle from before a fork), CTIE_E_INVALID (an
 * argument is NULL or malformed), CTIE_E_ABI (options of a newer header), CTIE_E_NO_MEMORY, and the errors that each
 * lists. `options` is borrowed, and NULL means the defaults. `error` may be NULL; it receives an error object
 * owned by the caller. Nothing has changed after a failure other than CTIE_E_UNCERTAIN (see below), unless a function
 * says otherwise.
 *
 * *Errors of every function on a wormhole*, also in other headers: CTIE_E_CLOSED (another thread is closing it);
 * CTIE_E_DEADLOCK (inside a function of a host's transport or engine, on a wormhole with one: transport.h, engine.h).
 * Those that read or write the store may also return CTIE_E_TIMEOUT (a stopped process holds the store, or is growing
 * it; on a host's transport or engine the time has passed, or others have been changing the records all the time);
 * CTIE_E_BUSY (too many readers at once, or a stopped reader holds the free space); CTIE_E_UNSAFE (a file of the store
 * has been truncated); CTIE_E_CORRUPT (the store is damaged, or a transport or engine gave something impossible); and
 * CTIE_E_SYSTEM (a system call failed; the message says which).
 *
 * *On a host's transport or engine* they may also return the statuses of that; a positive or unknown one is
 * CTIE_E_SYSTEM. CTIE_E_UNAVAILABLE means that it cannot be reached and nothing has changed, CTIE_E_UNSUPPORTED that
 * an engine cannot do that (ctie_wormhole_abilities()), and CTIE_E_ABI that an engine gave a struct of a newer header
 * with unknown fields. After CTIE_E_UNCERTAIN, and only then, the change may have been made: its answer was lost, and
 * the caller's time ended before the library could find out. So a message may be stored after CTIE_E_UNCERTAIN of
 * ctie_wormhole_send(), ctie_wormhole_send_many() and ctie_wormhole_signal(); a durable consumer declared, moved or
 * forgotten; a dead letter resolved; a scheduled message cancelled. A message that was sent with a token
 * (ctie_send_options) can be sent again without sending it twice; all other changes can be read, and made again. No
 * call takes longer than timeout_ms of the options, unless a function of the transport or engine does; nor does
 * ctie_wormhole_release(), beside the time of running listeners.
 * @{
 */

/** An open group. A checked handle with one owner. @since 0.1 */
typedef struct ctie_wormhole ctie_wormhole;

/* ---- Opening ----------------------------------------------------------------------------------- */

/** Bits of ctie_wormhole_options.flags. @since 0.1 */
enum {
    /**
     * Every process writes into the mapped store itself: two to three times as fast, but a stray pointer in one program
     * can corrupt the data of others. The process that creates the group decides.
     */
    CTIE_WORMHOLE_FAST = 1,
    /**
     * System durability: a message whose ctie_wormhole_send() has returned survives a power failure, too. Each send
     * waits for the disk; concurrent sends of several threads wait together. Without this flag messages survive the
     * death of any process, but not of the machine. Not together with CTIE_WORMHOLE_FAST.
     */
    CTIE_WORMHOLE_SYSTEM = 2,
    /** The messages are kept in this process's memory until its last wormhole of that group closes: for tests. A
        directory only tells groups apart: nothing is created there. Not together with CTIE_WORMHOLE_FAST or
        CTIE_WORMHOLE_SYSTEM, nor with a transport. */
    CTIE_WORMHOLE_MEMORY = 4,
    /**
     * Opens the group also on a file system on which processes are known not to see each other's writes and locks at
     * once (NFS, SMB, FUSE, 9P, virtiofs, cluster file systems; by the numbers of statfs(2)). Without this flag, opening it
     * there is CTIE_E_UNSAFE. Set it only if all processes run on one machine and the server stays available.
     */
    CTIE_WORMHOLE_ANY_FILESYSTEM = 8,
    /**
     * Opens the group only if it exists; otherwise opening is CTIE_E_NOT_FOUND, and nothing is created, set aside or
     * allocated. For programs that only read. A store that would be set aside without this flag counts as missing; a
     * store with damaged pages stays (CTIE_E_CORRUPT). With CTIE_WORMHOLE_MEMORY the group exists if a wormhole of this
     * process has it open; with a transport, if it has a record.
     */
    CTIE_WORMHOLE_EXISTING = 16,
    /** Only for a group with an address: opens it also while its server cannot be reached, which is connected to
        later. */
    CTIE_WORMHOLE_OFFLINE = 32,
};

/** The upper limit of ctie_wormhole_options.max_value_size. @since 0.1 */
#define CTIE_WORMHOLE_MAX_VALUE_SIZE ((uint64_t)64 << 20)

/** Options of opening a group. Start from CTIE_WORMHOLE_OPTIONS_INIT; zero means default. @since 0.1 */
typedef struct ctie_wormhole_options {
    size_t size; /**< sizeof(ctie_wormhole_options) */
    /** The group's directory, created with mode 0700 if it is missing (its parent must exist); empty:
        `crosstie/<group>` in $XDG_RUNTIME_DIR, else in `crosstie-<uid>` in the temporary directory; with
        CTIE_WORMHOLE_SYSTEM in $XDG_STATE_HOME, else in `.local/state` in $HOME. */
    ctie_str directory;
    /** The sender's name, for receivers and people: at most 64 bytes of UTF-8; default: the program's name. */
    ctie_str name;
    /** The initial size of the store, allocated on the disk at once: 1 MiB to 64 GiB, default 16 MiB. The process that
        creates the group decides this, max_map_size, max_queued and max_queued_size. */
    uint64_t map_size;
    /** The most bytes of an encoded value to send: default 1 MiB, at most CTIE_WORMHOLE_MAX_VALUE_SIZE. */
    uint64_t max_value_size;
    /** The longest wait for a stopped process, or on a host's transport or engine the time of a call: milliseconds,
        default 5,000. */
    uint32_t timeout_ms;
    uint32_t flags;      /**< CTIE_WORMHOLE_… or'ed together */
    /** The size to which the store may grow as it fills: at least map_size, at most 64 GiB; default 1 GiB, or map_size
        if that is larger. */
    uint64_t max_map_size;
    /** The most messages kept for queues that have not consumed them yet (for a moment an eighth more, or 31): default
        1,048,576. Beyond it the oldest are dropped, and each listener that needed them gets a CTIE_MESSAGE_MISSED.
        Messages that every queue has consumed do not count. */
    uint64_t max_queued;
    /** The most bytes of these messages; default a quarter of max_map_size. A server keeps so many messages and bytes
        of a group with an address, whether or not they are consumed; there the defaults are the server's. */
    uint64_t max_queued_size;
    /** The host's own transport; copied. NULL: a directory. Not together with a directory or a flag. Its `destroy` runs
        once, also when opening fails. The limits are then those of each wormhole. */
    const ctie_transport *CTIE_NULLABLE transport;
    void *CTIE_NULLABLE transport_data; /**< the user_data of its functions */
    /**
     * Receives the wormhole's log, for example that a store has been set aside and a new one created. Its `fn` may be
     * NULL. It is called on the thread that opens the wormhole, also when that fails and there is no handle; later on
     * any thread, several at a time, where it may use the wormhole. No lock of the library is held. Lines about the
     * group as a whole are logged by each wormhole of the process, with its next call or, if it has listeners, within a
     * second. Its `destroy` runs once, also when opening fails, and before ctie_wormhole_release() returns CTIE_OK.
     */
    ctie_logger log;
    /**
     * Retains messages also while no queue needs them, for queues that begin with the oldest message: this many
     * milliseconds, messages and bytes, whichever limit is reached first. 0 in all three: only messages that a queue
     * still needs are kept. Otherwise 0 means any age, max_queued, and an eighth of max_map_size. Retained messages do
     * not count for max_queued and max_queued_size, and are dropped when the store is full. The process that creates
     * the group decides.
     */
    uint64_t retain_ms;
    uint64_t retain_count; /**< see retain_ms */
    uint64_t retain_size;  /**< see retain_ms */
    /** Milliseconds after which the group's messages expire, unless their own options say otherwise. 0: never. See
        sending.h. The process that creates the group decides this and the next one. */
    uint64_t expires_ms;
    /** Milliseconds that the group's messages wait before they are sent, likewise: at most 100 years. 0: none. */
    uint64_t delay_ms;
    /** The host's own engine (engine.h); copied. NULL: none. Not together with a directory, a flag or a transport. The
        store's size, the limits of queues and retain_ms, retain_count and retain_size are the engine's: setting one is
        CTIE_E_UNSUPPORTED. expires_ms and delay_ms are those of each wormhole. Its `close` runs once, also when opening
        fails. */
    const ctie_engine *CTIE_NULLABLE engine;
    void *CTIE_NULLABLE engine_data; /**< the user_data of its functions */
    /**
     * This field and those after it are for a group with an address; for any other one, setting one is CTIE_E_INVALID.
     * So are several log-ins, here or in the address: of `credentials`, `nkey_seed`, `token`, and `user` with `password`
     * at most one is given. Each text has at most 4,095 bytes of UTF-8 and no control character.
     *
     * The path of a credentials file: a signed token of the user, and the seed of its key.
     */
    ctie_str credentials;
    ctie_str nkey_seed; /**< the seed of a key, `SU…` */
    ctie_str token;     /**< a token */
    ctie_str user;      /**< the name of a user */
    ctie_str password;  /**< its password */
    /** The path of a file of trusted certificates, with `tls://`; empty: those of the system. */
    ctie_str tls_ca;
    ctie_str tls_certificate; /**< the path of this program's own certificate, with `tls://` */
    ctie_str tls_key;         /**< the path of its key */
    /** Milliseconds that the server keeps a message: at most 100 years. 0: as long as there is room. The process that
        creates the group decides this and the next one. */
    uint64_t max_age_ms;
    uint32_t replicas; /**< the copies of the group that the servers of a cluster keep: 1 to 5; 0: 1 */
    uint32_t reserved; /**< 0 */
} ctie_wormhole_options;

/** The struct with its size and the defaults. @since 0.1 */
#define CTIE_WORMHOLE_OPTIONS_INIT \
    {sizeof(ctie_wormhole_options), {NULL, 0}, {NULL, 0}, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, {NULL, NULL, NULL}, 0, 0, \
     0, 0, 0, NULL, NULL, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, 0, \
     0, 0}

/**
 * Opens a group, and creates it if it does not exist, unless CTIE_WORMHOLE_EXISTING is set. A process may open a group
 * several times. The first listener starts the first thread.
 *
 * The directory and its files must be the user's own, not symbolic links, and not writable by other users. If a store
 * was not closed in order before the machine restarted, it is set aside as `….stale-<time>` and a new one created. If
 * files of an open group are removed, the processes that have it open recreate them and nothing is lost; a process that
 * opens the group meanwhile waits for that. The library cannot withstand truncation of an open group's files.
 *
 * @par Addresses
 * `nats://[user:password@|token@]host[:port][,host2[:port]…]/group` is a group on a nats-server with JetStream; `tls://`
 * is the same, only by TLS. The port is 4222 by default; an IPv6 address is in brackets; a user, password or token has
 * `%XX` for every character but letters, digits and `-._~!$&'()*+,;=:`. The library loads `libcrosstie-nats.so.0` for it:
 * from the directory in $CROSSTIE_ENGINES, which is ignored in a set-user-ID program, else from that of libcrosstie.so,
 * else as dlopen() finds it. Beside an address, a directory, a transport, an engine or another flag than
 * CTIE_WORMHOLE_OFFLINE is CTIE_E_INVALID; the size of a store and retention are CTIE_E_UNSUPPORTED.
 *
 * @param group its name, or an address of at most 4,096 bytes; with options.directory only a label.
 * @param out receives the wormhole, owned by the caller: end it with ctie_wormhole_release().
 * @par Errors
 * CTIE_E_INVALID (options that exclude each other, a directory with a NUL, a transport or engine without a needed
 * function, a malformed address, several log-ins, one without an address); CTIE_E_IDENTIFIER (group); CTIE_E_UTF8;
 * CTIE_E_LIMIT (a size or length over its limit, a max_value_size that the transport or server cannot take, or 256
 * wormholes in the group already); CTIE_E_NOT_FOUND (CTIE_WORMHOLE_EXISTING, and no such group); CTIE_E_CONFLICT
 * (CTIE_WORMHOLE_SYSTEM, but the group has process durability); CTIE_E_UNSAFE (another user could tamper with the
 * directory or a file, or processes cannot share files there; a server that is not trusted); CTIE_E_CORRUPT (a damaged
 * store; one with damaged pages has been set aside, and the next open creates a new one; or an engine that claims
 * abilities which it cannot have); CTIE_E_VERSION (a store of another format); CTIE_E_NO_SPACE; CTIE_E_TIMEOUT (a
 * stopped process is opening the group, too; or files of the group were removed, and no process that has it open has
 * noticed yet); CTIE_E_UNSUPPORTED (an address of an unknown scheme, an option that is the engine's or that it does not
 * have); CTIE_E_ABI (the library of the engine is of another release); CTIE_E_UNAVAILABLE (it is not installed, or the
 * server cannot be reached); CTIE_E_DENIED (the server refuses the log-in); the statuses of the host's transport or
 * engine.
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_open(ctie_str group, const ctie_wormhole_options *options, ctie_wormhole **out,
                                        ctie_error_out error);

/**
 * Closes a wormhole; NULL is allowed. It removes the listeners, waits for running calls and ends the thread. The handle
 * is invalid afterwards, and so are its listeners' handles.
 *
 * @return CTIE_OK; CTIE_PENDING (inside a callback, or this thread's wait function ended the wait, see waiting.h: the
 *   closing goes on without the caller).
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_release(ctie_wormhole *wormhole);

/**
 * Returns the abilities of a wormhole. A group in a directory has all of them; CTIE_ENGINE_SURVIVES_POWER only if it was
 * created with CTIE_WORMHOLE_SYSTEM. One in memory, or on a transport, also lacks CTIE_ENGINE_JOINS_BUSES.
 *
 * @param out receives bits CTIE_ENGINE_… of engine.h.
 * @par Errors
 * None but those of every function on a wormhole.
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_abilities(const ctie_wormhole *wormhole, uint32_t *out, ctie_error_out error);

/* ---- Sending ----------------------------------------------------------------------------------- */

/**
 * Sends a signal to the listeners of an identifier; the stored message stays.
 *
 * @param sequence, listeners as for ctie_wormhole_send().
 * @par Errors
 * Those of ctie_wormhole_send().
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_signal(ctie_wormhole *wormhole, ctie_str identifier, uint64_t *sequence,
                                          uint32_t *listeners, ctie_error_out error);

/**
 * Removes the current message of an identifier and all its queued messages; its listeners get CTIE_MESSAGE_DESTROYED.
 * It succeeds also if the identifier has no messages.
 *
 * The change itself is one short step. Messages queued before it are then removed in further steps, between which other
 * processes send and read; a listener may get some of them before CTIE_MESSAGE_DESTROYED. When this returns CTIE_OK,
 * none of them is left. Later messages are not touched.
 *
 * After a failure some of the queued messages may have been removed, before or after the change; destroying again
 * removes the rest.
 *
 * @param sequence receives the number of the change; may be NULL.
 * @param listeners as for ctie_wormhole_send().
 * @par Errors
 * CTIE_E_IDENTIFIER; CTIE_E_NO_SPACE; CTIE_E_BUSY (as for ctie_wormhole_send()).
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_destroy(ctie_wormhole *wormhole, ctie_str identifier, uint64_t *sequence,
                                           uint32_t *listeners, ctie_error_out error);

/**
 * Removes every message of the group. Each listener gets CTIE_MESSAGE_DESTROYED once, under the identifier or prefix
 * it is bound to.
 *
 * Many queued messages are removed first, in steps between which other processes send and read; the last step removes
 * the rest. After a failure some of the queued messages may have been removed, and nothing else.
 *
 * @param sequence receives the number of the change; may be NULL.
 * @param listeners receives the number of living processes that were woken: all that have the group open; may be NULL.
 * @par Errors
 * CTIE_E_NO_SPACE; CTIE_E_BUSY (as for ctie_wormhole_send()).
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_destroy_all(ctie_wormhole *wormhole, uint64_t *sequence, uint32_t *listeners,
                                               ctie_error_out error);

/* ---- Reading ----------------------------------------------------------------------------------- */

/**
 * Reads the current message of an identifier.
 *
 * @param out receives the message, owned by the caller: ctie_message_release(). NULL after a failure.
 * @par Errors
 * CTIE_E_NOT_FOUND (it has none); CTIE_E_IDENTIFIER; CTIE_E_CORRUPT (the stored record cannot be decoded).
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_message(const ctie_wormhole *wormhole, ctie_str identifier, ctie_message **out,
                                           ctie_error_out error);

/**
 * Lists the identifiers that have a message. They are read in several steps, so concurrent changes may show in part.
 *
 * @param identifier an identifier, one followed by `.*`, or `*` for all, as for a listener.
 * @param out receives a list of strings in the order of their bytes, owned by the caller. NULL after a failure.
 * @par Errors
 * CTIE_E_IDENTIFIER; CTIE_E_LIMIT (over CTIE_VALUE_MAX_COUNT).
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_identifiers(const ctie_wormhole *wormhole, ctie_str identifier, ctie_value **out,
                                               ctie_error_out error);

/**
 * Lists the members of the group: the wormholes that have it open now, in all processes. The list is exact, in whatever
 * way other processes have ended.
 *
 * @param out receives a list in the order in which they joined, owned by the caller. Each is a map of `pid` and
 *   `since` (integers; nanoseconds since 1970-01-01 UTC), `name` (string) and `self` (bool: it is this wormhole). NULL
 *   after a failure.
 * @par Errors
 * None but those of every function here.
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_members(const ctie_wormhole *wormhole, ctie_value **out, ctie_error_out error);

/** @} */

CTIE_END

#endif
