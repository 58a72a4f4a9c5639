/**
 * @file instance.h
 * The single instance of an application: the application's first process opens the URLs that later ones hand to it
 * (docs/instance.md).
 */
#ifndef CROSSTIE_INSTANCE_H
#define CROSSTIE_INSTANCE_H

#include "base.h"
#include "bus.h"
#include "status.h"
#include "value.h"

CTIE_BEGIN

/**
 * @defgroup instance The single instance
 *
 * A process claims an application, hands its URLs over, and ends unless it is the first instance:
 *
 * 1. ctie_instance_claim();
 * 2. ctie_instance_hand() with the URLs of the command line;
 * 3. unless ctie_instance_is_first(): the end of the program;
 * 4. ctie_instance_ready(), once its routes are registered.
 *
 * Any thread may call these functions. They return CTIE_OK, or one of CTIE_E_HANDLE (an invalid or released handle),
 * CTIE_E_FORKED (a handle from before a fork), CTIE_E_INVALID (an argument is NULL or malformed), CTIE_E_ABI (options of
 * a newer header), CTIE_E_NO_MEMORY, and the errors that each lists. `options` is borrowed, and NULL means the defaults.
 * `error` may be NULL; it receives an error object owned by the caller.
 *
 * *Answers* are a list of maps, one for each URL, in the order of the URLs. Each has the strings `url` (empty for an
 * activation without URLs) and `message` (empty for success), the integers `status` and `code` of the response, and its
 * `value`.
 * @{
 */

/** A process's claim on an application. A checked handle with one owner. @since 0.1 */
typedef struct ctie_instance ctie_instance;

/** The milliseconds that ctie_instance_hand() waits by default. @since 0.1 */
#define CTIE_INSTANCE_TIMEOUT_MS 10000

/** The flags of a claim. @since 0.1 */
enum {
    /** The first instance stays away from the session bus. */
    CTIE_INSTANCE_NO_DBUS = 1 << 0,
};

/** Options of a claim. Start from CTIE_INSTANCE_OPTIONS_INIT; zero means default. @since 0.1 */
typedef struct ctie_instance_options {
    size_t size; /**< sizeof(ctie_instance_options) */
    /** An absolute path below which the processes of the application meet, made if it is missing; default: the
        directory of groups (docs/wormhole.md). */
    ctie_str directory;
    /** The dispatcher of the bus that opens the URLs of other processes; empty: its default one. */
    ctie_str dispatcher;
    uint32_t flags; /**< CTIE_INSTANCE_… */
} ctie_instance_options;

/** The struct with its size and the defaults. @since 0.1 */
#define CTIE_INSTANCE_OPTIONS_INIT {sizeof(ctie_instance_options), {NULL, 0}, {NULL, 0}, 0}

/**
 * Claims an application, without waiting. The process is the first instance if no other process of this user is. The
 * kernel ends the claim with the process, in whatever way the process ends.
 *
 * The bus opens the URLs that other processes hand over. The claim ends when the bus closes.
 *
 * Unless CTIE_INSTANCE_NO_DBUS is set, the first instance also asks for the application's name on the session bus, and
 * answers org.freedesktop.Application there: ctie_instance_dbus_status().
 *
 * @param application at most 200 bytes of letters, digits, '.', '-' and '_', beginning with a letter or a digit; by
 *   custom the reversed name of a domain ("com.example.app").
 * @param out receives the instance, owned by the caller.
 * @par Errors
 * CTIE_E_IDENTIFIER (the application); CTIE_E_LIMIT and CTIE_E_UTF8 (a text); CTIE_E_INVALID (the directory);
 * CTIE_E_NOT_FOUND (the dispatcher); CTIE_E_CLOSED (the bus closes meanwhile); CTIE_E_UNSAFE (another user could change
 * the directory or its files); CTIE_E_SYSTEM (a file, a socket or a thread).
 * @since 0.1
 */
CTIE_API ctie_status ctie_instance_claim(ctie_bus *bus, ctie_str application, const ctie_instance_options *options,
                                         ctie_instance **out, ctie_error_out error);

/**
 * Whether this process is the first instance. ctie_instance_hand() can make it the first, when the previous one has ended.
 *
 * @since 0.1
 */
CTIE_API ctie_status ctie_instance_is_first(const ctie_instance *instance, bool *out);

/**
 * The state of the application's name on the session bus, by which the desktop reaches the first instance: its calls open
 * URLs as those of ctie_instance_hand() do. libdbus-1 is loaded for it, and a thread receives. Without them, without a bus
 * or without the name the instance works by its own socket alone; the bus's log says so, too.
 *
 * The process waits for a name that another one has for at most 2 seconds, and does not take it away.
 *
 * @return CTIE_OK (this process has the name); CTIE_PENDING (it asks for it).
 * @par Errors
 * CTIE_E_NOT_FOUND (no session bus, CTIE_INSTANCE_NO_DBUS, or not the first instance); CTIE_E_IDENTIFIER (the
 * application's name is not one of D-Bus: parts with dots between, none with a digit first); CTIE_E_NOT_INSTALLED
 * (libdbus-1 cannot be loaded); CTIE_E_CONFLICT (another process has the name); CTIE_E_TIMEOUT (the bus does not answer);
 * CTIE_E_DENIED (the bus refuses); CTIE_E_PEER_GONE (the bus has ended); CTIE_E_SYSTEM (the bus cannot be reached, or
 * there is no thread).
 * @since 0.1
 */
CTIE_API ctie_status ctie_instance_dbus_status(const ctie_instance *instance, ctie_error_out error);

/**
 * Hands URLs to the first instance, one after the other, and waits until it has opened them. Without URLs it only
 * activates that instance. The first instance opens them with ctie_open() as requests of remote origin, the activation
 * under `activation` in their user info; for no URLs it broadcasts CTIE_EVENT_ACTIVATE with that user info.
 *
 * The call waits for a first instance that is not ready. If that one ends before it takes a URL, this process or another
 * one that waits becomes the first. If this process is the first instance, its URLs are kept for ctie_instance_ready(), or
 * opened on this thread if it is ready.
 *
 * A URL is opened at most once: the first instance reports that it takes a URL before it opens it. Each URL that may not
 * have been opened has an answer with the status CTIE_E_TIMEOUT (not taken, or no answer yet; the message says which) or
 * CTIE_E_PEER_GONE (the first instance took the URL and ended before it answered; the URL is not opened again). After such
 * an answer, and after CTIE_E_CANCELLED, the remaining URLs are not handed over, and have the same status.
 *
 * @param urls of at most 8,192 bytes each, at most 1,024.
 * @param activation a map, borrowed: the data that the desktop gave to this start. NULL: `activation-token` and
 *   `desktop-startup-id` from the environment (XDG_ACTIVATION_TOKEN, DESKTOP_STARTUP_ID), `cwd`, and `arguments`. At most
 *   64 KiB in MessagePack.
 * @param timeout_ms milliseconds for the whole call; 0: CTIE_INSTANCE_TIMEOUT_MS; negative: without a limit.
 * @param answers receives the answers, owned by the caller, also when some are failures; may be NULL.
 * @return CTIE_OK (every URL was opened); CTIE_PENDING (this process is the first: the answers with that status wait
 *   for ctie_instance_ready()); otherwise the status of the first answer that is a failure.
 * @par Errors
 * Those of every request and of ctie_open(); CTIE_E_TIMEOUT; CTIE_E_PEER_GONE; CTIE_E_CANCELLED (by this thread's wait
 * function: waiting.h); CTIE_E_TYPE (the activation is not a map); CTIE_E_FOREIGN; CTIE_E_UTF8; CTIE_E_LIMIT;
 * CTIE_E_CLOSED (the bus has closed); CTIE_E_CORRUPT (the other process does not keep to the protocol); CTIE_E_VERSION;
 * CTIE_E_UNSAFE; CTIE_E_SYSTEM.
 * @since 0.1
 */
CTIE_API ctie_status ctie_instance_hand(ctie_instance *instance, ctie_str_list urls, const ctie_value *activation,
                                        int64_t timeout_ms, ctie_value **answers, ctie_error_out error);

/**
 * Opens the URLs that this process has handed to itself, and from now on those that others hand over. Those of one process
 * are opened in order, each when the previous one has ended. The call does not wait; the bus's log has the failures of this
 * process's own URLs.
 *
 * @par Threads
 * Handlers run on workers of the bus.
 * @par Errors
 * CTIE_E_INVALID (this process is not the first instance); CTIE_E_CLOSED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_instance_ready(ctie_instance *instance, ctie_error_out error);

/**
 * Ends a claim; NULL is allowed. Another process can then be the first. URLs that were taken are still answered; the
 * others go to the next first instance. If this process was never ready, the bus's log names its own URLs, which were not
 * opened.
 *
 * @return CTIE_OK; CTIE_PENDING inside a callback: the claim ends soon after.
 * @since 0.1
 */
CTIE_API ctie_status ctie_instance_release(ctie_instance *instance);

/** @} */

CTIE_END

#endif
