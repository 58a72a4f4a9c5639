/**
 * @file wormhole.h
 * Messages between the processes of one user: passed under an identifier, heard by listeners in every
 * process that has the group open, the sender's too, and still there for a process that starts later.
 *
 * A group is a directory that its processes share; there is no daemon. Killing any of them at any
 * instant tears nothing and loses no message whose ctie_wormhole_pass() has returned.
 *
 * Identifiers and group names are 1 to 128 bytes: `[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*`.
 *
 * Delivery is of *state*: a listener gets the newest message of its identifier, one call at a time and
 * never an older one after a newer one; what was passed over in between may be skipped.
 *
 * Every function on a wormhole also returns CTIE_E_CLOSED when another thread is just closing it.
 */
#ifndef CROSSTIE_WORMHOLE_H
#define CROSSTIE_WORMHOLE_H

#include "base.h"
#include "bus.h"
#include "status.h"
#include "value.h"

CTIE_BEGIN

/** An open group. A checked handle with one owner. @since 0.1 */
typedef struct ctie_wormhole ctie_wormhole;

/** A listener bound to an identifier. A checked handle with one owner. @since 0.1 */
typedef struct ctie_listener ctie_listener;

/**
 * What stands under an identifier, or what became of it. Immutable and counted, a plain pointer as a
 * value is.
 *
 * @since 0.1
 */
typedef struct ctie_message ctie_message;

/* ---- Opening ----------------------------------------------------------------------------------- */

/** Bits of ctie_wormhole_options.flags. @since 0.1 */
enum {
    /**
     * Every process writes into the mapped store itself: two to three times as fast, but a stray
     * pointer in one program can spoil what others read. The first opener of a directory decides.
     */
    CTIE_WORMHOLE_FAST = 1,
};

/** Largest encoded value that ctie_wormhole_options.max_value_size may allow. @since 0.1 */
#define CTIE_WORMHOLE_MAX_VALUE_SIZE ((uint64_t)64 << 20)

/** How a group is opened. Start from CTIE_WORMHOLE_OPTIONS_INIT; zero means default. @since 0.1 */
typedef struct ctie_wormhole_options {
    size_t size; /**< sizeof(ctie_wormhole_options) */
    /** The group's directory, made with mode 0700 if it is missing (its parent must exist); empty:
        `crosstie/<group>` in $XDG_RUNTIME_DIR, else in `crosstie-<uid>` in the temporary directory. */
    ctie_str directory;
    /** Who sends, for receivers and people: at most 64 bytes of UTF-8; default: the program's name. */
    ctie_str name;
    /** Bytes of the store, taken from the disk at once: 1 MiB to 64 GiB, default 16 MiB. The first opener
        of a directory decides. */
    uint64_t map_size;
    /** Bytes of the largest encoded value to pass: default 1 MiB, at most CTIE_WORMHOLE_MAX_VALUE_SIZE. */
    uint64_t max_value_size;
    uint32_t timeout_ms; /**< how long a call may wait for a stopped process: milliseconds, default 5,000 */
    uint32_t flags;      /**< CTIE_WORMHOLE_… or'ed together */
} ctie_wormhole_options;

#define CTIE_WORMHOLE_OPTIONS_INIT {sizeof(ctie_wormhole_options), {NULL, 0}, {NULL, 0}, 0, 0, 0, 0}

/**
 * Opens a group, and makes it if nobody has.
 *
 * The directory and its files have to be the user's own, real, and writable by nobody else. A store
 * that was not closed in order before the machine started anew is set aside as `….stale-<time>` and a
 * new one begun. Truncating the files of an open group is outside what the library can withstand.
 *
 * @param group its name; with options.directory only a label.
 * @param options borrowed; NULL for defaults.
 * @param out receives the wormhole, owned by the caller: end it with ctie_wormhole_release().
 * @param error receives why it failed, owned by the caller; may be NULL.
 * Threads: any. One group may be opened several times in a process. No thread starts before the
 * first listener.
 * @return CTIE_OK; CTIE_E_INVALID (no `out`, a short or misaligned struct, an unknown flag, a directory
 *   with a NUL); CTIE_E_ABI (options of a newer header); CTIE_E_IDENTIFIER (group); CTIE_E_UTF8;
 *   CTIE_E_LIMIT (a size or length over its limit, or 256 wormholes in the group already);
 *   CTIE_E_UNSAFE (somebody could tamper with the directory or a file); CTIE_E_CORRUPT (a damaged
 *   store); CTIE_E_VERSION (one of a newer format);
 *   CTIE_E_NO_SPACE; CTIE_E_TIMEOUT (a stopped process is opening the group too); CTIE_E_NO_MEMORY;
 *   CTIE_E_SYSTEM (a system call failed; the message says which).
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_open(ctie_str group, const ctie_wormhole_options *CTIE_NULLABLE options,
                                        ctie_wormhole *CTIE_NULLABLE *CTIE_NULLABLE out,
                                        ctie_error *CTIE_NULLABLE *CTIE_NULLABLE error);

/**
 * Closes a wormhole: its listeners are removed, running calls waited for, its thread ended.
 *
 * @param wormhole NULL is fine. The handle is dead afterwards, and so are its listeners' handles.
 * Threads: any. Inside any callback it never waits: the closing ends once the running call returns.
 * @return CTIE_OK; CTIE_PENDING (inside a callback); CTIE_E_HANDLE; CTIE_E_FORKED (nothing is done).
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_release(ctie_wormhole *CTIE_NULLABLE wormhole);

/* ---- Passing ----------------------------------------------------------------------------------- */

/**
 * Stores a value as the identifier's current message and wakes its listeners.
 *
 * @param value taken, also when this fails. It may hold anything but foreign objects that cannot be
 *   turned into values.
 * @param sequence receives the message's number: the group's own count, never going back; may be NULL.
 * @param listeners receives how many living processes were rung because they listen to the identifier,
 *   the caller's included (rarely, one that listens to another identifier with the same hash is among
 *   them); costs a system call for each; may be NULL.
 * @param error receives why it failed, owned by the caller; may be NULL.
 * Threads: any, also inside a listener.
 * @return CTIE_OK; CTIE_E_INVALID (NULL value: a constructor of values failed); CTIE_E_IDENTIFIER;
 *   CTIE_E_FOREIGN (the message says where in the value); CTIE_E_LIMIT (the encoded value is over
 *   max_value_size); CTIE_E_NO_SPACE (what is stored stays readable, and destroying makes room);
 *   CTIE_E_TIMEOUT (a stopped process holds the group); CTIE_E_CORRUPT; CTIE_E_NO_MEMORY;
 *   CTIE_E_SYSTEM; CTIE_E_HANDLE; CTIE_E_FORKED. Nothing has changed after a failure.
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_pass(ctie_wormhole *CTIE_NULLABLE wormhole, ctie_str identifier,
                                        ctie_value *CTIE_NULLABLE value, uint64_t *CTIE_NULLABLE sequence,
                                        uint32_t *CTIE_NULLABLE listeners,
                                        ctie_error *CTIE_NULLABLE *CTIE_NULLABLE error);

/**
 * Wakes the listeners of an identifier with a signal; the stored message stays.
 *
 * Parameters, threads and statuses as for ctie_wormhole_pass().
 *
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_signal(ctie_wormhole *CTIE_NULLABLE wormhole, ctie_str identifier,
                                          uint64_t *CTIE_NULLABLE sequence, uint32_t *CTIE_NULLABLE listeners,
                                          ctie_error *CTIE_NULLABLE *CTIE_NULLABLE error);

/**
 * Removes the message of an identifier; its listeners hear CTIE_MESSAGE_DESTROYED. Nothing being there
 * is a success too.
 *
 * Threads: any, also inside a listener.
 * @return CTIE_OK; CTIE_E_IDENTIFIER; CTIE_E_NO_SPACE; CTIE_E_TIMEOUT; CTIE_E_CORRUPT; CTIE_E_SYSTEM;
 *   CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_destroy(ctie_wormhole *CTIE_NULLABLE wormhole, ctie_str identifier,
                                           ctie_error *CTIE_NULLABLE *CTIE_NULLABLE error);

/**
 * Removes every message of the group. Each listener hears CTIE_MESSAGE_DESTROYED once, under the
 * identifier or prefix it is bound to.
 *
 * Threads: any, also inside a listener.
 * @return CTIE_OK; CTIE_E_NO_SPACE; CTIE_E_TIMEOUT; CTIE_E_CORRUPT; CTIE_E_SYSTEM; CTIE_E_HANDLE;
 *   CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_destroy_all(ctie_wormhole *CTIE_NULLABLE wormhole,
                                               ctie_error *CTIE_NULLABLE *CTIE_NULLABLE error);

/* ---- Reading ----------------------------------------------------------------------------------- */

/**
 * Reads the current message of an identifier.
 *
 * @param out receives the message, owned by the caller: ctie_message_release(). NULL after a failure.
 * @param error receives why it failed, owned by the caller; may be NULL.
 * Threads: any, also inside a listener.
 * @return CTIE_OK; CTIE_E_NOT_FOUND (nothing is stored); CTIE_E_INVALID (no `out`); CTIE_E_IDENTIFIER;
 *   CTIE_E_CORRUPT (the stored record cannot be decoded); CTIE_E_BUSY (too many readers at once);
 *   CTIE_E_NO_MEMORY; CTIE_E_SYSTEM; CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_message(ctie_wormhole *CTIE_NULLABLE wormhole, ctie_str identifier,
                                           ctie_message *CTIE_NULLABLE *CTIE_NULLABLE out,
                                           ctie_error *CTIE_NULLABLE *CTIE_NULLABLE error);

/** What a message tells. @since 0.1 */
enum {
    CTIE_MESSAGE_NONE = 0,      /**< first fire: nothing is stored; also the kind of a NULL pointer */
    CTIE_MESSAGE_VALUE = 1,     /**< a value was passed */
    CTIE_MESSAGE_SIGNAL = 2,    /**< the listeners were signalled; no value */
    CTIE_MESSAGE_DESTROYED = 3, /**< the message was removed */
};

/* Asking. Threads: any. What is borrowed lives as long as the message. */

/** The kind, CTIE_MESSAGE_…. @since 0.1 */
CTIE_API int32_t ctie_message_kind(const ctie_message *CTIE_NULLABLE message);

/**
 * Whether the message could be read: CTIE_OK, or CTIE_E_CORRUPT for a stored record that cannot be
 * decoded, which has no value then. CTIE_E_INVALID for NULL.
 *
 * @since 0.1
 */
CTIE_API ctie_status ctie_message_status(const ctie_message *CTIE_NULLABLE message);

/** The identifier it was passed under, borrowed; empty for NULL. @since 0.1 */
CTIE_API ctie_str ctie_message_identifier(const ctie_message *CTIE_NULLABLE message);

/** The value, borrowed; NULL for every kind but CTIE_MESSAGE_VALUE. @since 0.1 */
CTIE_API const ctie_value *CTIE_NULLABLE ctie_message_value(const ctie_message *CTIE_NULLABLE message);

/** Its number in the group, from 1; 0 for CTIE_MESSAGE_NONE. @since 0.1 */
CTIE_API uint64_t ctie_message_sequence(const ctie_message *CTIE_NULLABLE message);

/** When it was passed: nanoseconds since 1970-01-01 UTC by the sender's clock; 0 if unknown. @since 0.1 */
CTIE_API int64_t ctie_message_time(const ctie_message *CTIE_NULLABLE message);

/** The process that passed it; 0 if unknown. @since 0.1 */
CTIE_API int32_t ctie_message_sender_pid(const ctie_message *CTIE_NULLABLE message);

/** The name of the wormhole that passed it, borrowed; empty if unknown. @since 0.1 */
CTIE_API ctie_str ctie_message_sender_name(const ctie_message *CTIE_NULLABLE message);

/** Adds a reference and returns `message`; NULL gives NULL. @since 0.1 */
CTIE_API ctie_message *CTIE_NULLABLE ctie_message_retain(const ctie_message *CTIE_NULLABLE message);

/** Gives up a reference; NULL is fine. @since 0.1 */
CTIE_API void ctie_message_release(ctie_message *CTIE_NULLABLE message);

/* ---- Listening --------------------------------------------------------------------------------- */

/**
 * Told what happens under an identifier. Calls of one listener never overlap.
 *
 * It may call any function of the library, remove itself and close the wormhole included.
 *
 * @param message borrowed: valid until the function returns, or longer if it is retained.
 * Threads: the wormhole's own. No lock of the library is held.
 * @since 0.1
 */
typedef void (*ctie_listener_fn)(const ctie_message *CTIE_NONNULL message, void *CTIE_NULLABLE user_data);

/** Bits of ctie_listen_options.flags. @since 0.1 */
enum {
    CTIE_LISTEN_NO_FIRST_FIRE = 1, /**< tell only what is newer than the binding */
};

/** How a listener is bound. Start from CTIE_LISTEN_OPTIONS_INIT; zero means default. @since 0.1 */
typedef struct ctie_listen_options {
    size_t size; /**< sizeof(ctie_listen_options) */
    /** At most 128 bytes of UTF-8; empty: none. Binding a name again on the same identifier replaces. */
    ctie_str name;
    uint32_t flags; /**< CTIE_LISTEN_… or'ed together */
} ctie_listen_options;

#define CTIE_LISTEN_OPTIONS_INIT {sizeof(ctie_listen_options), {NULL, 0}, 0}

/**
 * Binds a listener to an identifier, or to every identifier below a prefix.
 *
 * First it is called once with the stored message, or with CTIE_MESSAGE_NONE; bound to a prefix, once
 * for each stored message in the order of identifiers (and not at all when there is none). Then it
 * hears whatever is newer than the binding. A listener of the same name on the same identifier is
 * replaced: it is not called again, and a running call of it is waited for (outside callbacks).
 *
 * @param identifier an identifier; or one followed by `.*`, for all that begin with it and a dot; or
 *   `*` for all.
 * @param fn, user_data, destroy the callback; `destroy` may be NULL.
 * @param options borrowed; NULL for defaults.
 * @param out receives the listener, owned by the caller: ctie_listener_release(). It is set before the
 *   first call. NULL: the listener lives as long as the wormhole.
 * @param error receives why it failed, owned by the caller; may be NULL.
 * Threads: any, also inside a listener. The first listener starts the wormhole's thread.
 * @return CTIE_OK; CTIE_PENDING (bound; the replaced one is running still, and its destroy tells the
 *   end); CTIE_E_INVALID (no `fn`, a short or misaligned struct, an unknown flag); CTIE_E_ABI;
 *   CTIE_E_IDENTIFIER; CTIE_E_UTF8 or CTIE_E_LIMIT (name; also over 65,536 listeners); CTIE_E_NO_MEMORY; CTIE_E_SYSTEM
 *   (no thread); CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_listen(ctie_wormhole *CTIE_NULLABLE wormhole, ctie_str identifier,
                                          ctie_listener_fn CTIE_NULLABLE fn, void *CTIE_NULLABLE user_data,
                                          ctie_destroy_fn CTIE_NULLABLE destroy,
                                          const ctie_listen_options *CTIE_NULLABLE options,
                                          ctie_listener *CTIE_NULLABLE *CTIE_NULLABLE out,
                                          ctie_error *CTIE_NULLABLE *CTIE_NULLABLE error);

/**
 * Removes a listener and lets go of it. When it returns CTIE_OK the callback is not running and never
 * will. Inside any callback it never waits for one that runs: it returns CTIE_PENDING, and `destroy`
 * tells the end.
 *
 * @param listener NULL is fine. The handle is dead afterwards.
 * Threads: any.
 * @return CTIE_OK; CTIE_PENDING; CTIE_E_HANDLE (also when it was replaced or removed by name, or its
 *   wormhole has closed); CTIE_E_FORKED (nothing is done).
 * @since 0.1
 */
CTIE_API ctie_status ctie_listener_release(ctie_listener *CTIE_NULLABLE listener);

/**
 * Removes a listener of this wormhole by its name, as ctie_listener_release() does.
 *
 * @param identifier as it was bound. @param name as it was bound, not empty.
 * Threads: any.
 * @return CTIE_OK; CTIE_PENDING; CTIE_E_NOT_FOUND; CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_remove_listener(ctie_wormhole *CTIE_NULLABLE wormhole, ctie_str identifier,
                                                   ctie_str name);

/**
 * Removes all listeners of this wormhole, as ctie_listener_release() does.
 *
 * Threads: any.
 * @return CTIE_OK; CTIE_PENDING; CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_remove_listeners(ctie_wormhole *CTIE_NULLABLE wormhole);

CTIE_END

#endif
