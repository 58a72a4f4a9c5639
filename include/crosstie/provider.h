/**
 * @file provider.h
 * Providers: connections to other applications and services. A provider shares messages, signs in, opens URLs and
 * activities, and launches programs.
 *
 * A bus has an ordered list of them. Each operation (handoff.h) goes to the first provider that can handle it; if that
 * one declines, the next is tried. See docs/providers.md.
 */
#ifndef CROSSTIE_PROVIDER_H
#define CROSSTIE_PROVIDER_H

#include "base.h"
#include "bus.h"
#include "request.h"
#include "status.h"
#include "value.h"

CTIE_BEGIN

/**
 * @defgroup provider Providers
 *
 * Any thread may call these functions. They return CTIE_OK, or one of CTIE_E_HANDLE,
 * CTIE_E_FORKED, CTIE_E_INVALID (an argument is NULL or malformed), CTIE_E_ABI (a struct of a newer header),
 * CTIE_E_NO_MEMORY, and the errors that each lists. `error` may be NULL; it receives an error object owned by the
 * caller.
 * @{
 */

/** The most providers of a bus, and the most endpoints of a provider. @since 0.1 */
#define CTIE_PROVIDERS_MAX 64

/** The position after the last provider. @since 0.1 */
#define CTIE_PROVIDER_LAST SIZE_MAX

/** Flags of a provider. @since 0.1 */
enum {
    CTIE_PROVIDER_PUBLIC = 1 << 0, /**< it gets URLs and activities of remote origin; the default is local only */
};

/** An endpoint that a provider shares to, and the kinds of messages. @since 0.1 */
typedef struct ctie_provider_endpoint {
    ctie_str endpoint;   /**< 1 to 128 bytes of UTF-8: CTIE_ENDPOINT_…, or the host's own */
    ctie_str_list kinds; /**< the kinds of messages that it accepts, at most 64; empty: those of docs/providers.md */
} ctie_provider_endpoint;

/**
 * Returns whether a provider's application is installed, or supported.
 *
 * @par Threads
 * Any, several at a time.
 * @since 0.1
 */
typedef bool (*ctie_provider_state_fn)(void *user_data);

/**
 * Decides whether a provider can handle a request. ctie_request_kind() gives the capability, so one function can decide
 * for several capabilities.
 *
 * @param request borrowed. Do not answer it here; answer in the capability's handler.
 * @par Threads
 * Any, several at a time.
 * @since 0.1
 */
typedef bool (*ctie_provider_can_fn)(ctie_request *CTIE_NONNULL request, void *user_data);

/**
 * A provider: its capabilities and their functions. Start from CTIE_PROVIDER_INIT. A provider lacks each capability
 * whose function is NULL; it must have at least one.
 *
 * Its functions are handlers as for every kind of request (request.h). They answer at once, or retain the request and
 * answer later. ctie_request_refuse() with CTIE_E_USER_CANCELLED reports that the user cancelled, with CTIE_E_UNKNOWN
 * that the service's answer could not be understood; ctie_request_decline() lets the next provider try.
 *
 * @since 0.1
 */
typedef struct ctie_provider {
    size_t size;                                   /**< sizeof(ctie_provider) */
    ctie_str name;                                 /**< unique on its bus: a letter or _, then letters, digits,
                                                        _ . or -; at most 128 bytes */
    uint32_t flags;                                /**< CTIE_PROVIDER_… */
    /** Shares the message ctie_request_params() to the endpoint ctie_request_target(). Replies with null. */
    ctie_handler_fn CTIE_NULLABLE share;
    const ctie_provider_endpoint *CTIE_NULLABLE endpoints; /**< the endpoints of `share`; copied */
    size_t endpoint_count;                         /**< at most CTIE_PROVIDERS_MAX */
    ctie_str platform;                             /**< the platform of `oauth` and `launch`: CTIE_PLATFORM_…, or the
                                                        host's own; UTF-8, at most 128 bytes */
    /** Signs in, and replies with a map of texts. Empty texts are dropped; if none is left, the status is
        CTIE_E_UNKNOWN. */
    ctie_handler_fn CTIE_NULLABLE oauth;
    ctie_handler_fn CTIE_NULLABLE launch;          /**< launches the program ctie_request_params() */
    ctie_str app_id;                               /**< the scheme of the URLs for `open_url`, in any case */
    ctie_handler_fn CTIE_NULLABLE open_url;        /**< opens a URL that no route and no rule takes */
    ctie_str universal_link;                       /**< an http or https URL: `open_activity` gets activities with its
                                                        origin, and its path or one below */
    ctie_handler_fn CTIE_NULLABLE open_activity;   /**< continues the user activity ctie_request_params() */
    /* Each replaces the comparison of its capability; NULL: the comparison decides. */
    ctie_provider_can_fn CTIE_NULLABLE can_share;         /**< in place of `endpoints` */
    ctie_provider_can_fn CTIE_NULLABLE can_oauth;         /**< in place of `platform` */
    ctie_provider_can_fn CTIE_NULLABLE can_launch;        /**< in place of `platform` */
    ctie_provider_can_fn CTIE_NULLABLE can_open_url;      /**< in place of `app_id` */
    ctie_provider_can_fn CTIE_NULLABLE can_open_activity; /**< in place of `universal_link` */
    ctie_provider_state_fn CTIE_NULLABLE is_installed; /**< called before it shares, signs in or launches; NULL: true */
    ctie_provider_state_fn CTIE_NULLABLE is_supported; /**< likewise: its version is not too old; NULL: true */
    const ctie_runtime *CTIE_NULLABLE runtime;     /**< of its functions; NULL for none */
    void *CTIE_NULLABLE user_data;                 /**< handed to all of them */
    ctie_destroy_fn CTIE_NULLABLE destroy;         /**< called once when `user_data` is no longer needed, also on
                                                        failure, unless the struct could not be read */
} ctie_provider;

/** The struct with its size and the defaults. @since 0.1 */
#define CTIE_PROVIDER_INIT \
    {sizeof(ctie_provider), {NULL, 0}, 0, NULL, NULL, 0, {NULL, 0}, NULL, NULL, {NULL, 0}, NULL, {NULL, 0}, NULL, \
     NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL}

/**
 * Adds a provider to a bus's list.
 *
 * @param provider copied.
 * @param position zero-based index of insertion; an index past the end, such as CTIE_PROVIDER_LAST, appends.
 * @param out receives the registration: ctie_registration_release() removes the provider. NULL: it lives as long as
 *   the bus, or until it is removed.
 * @par Errors
 * CTIE_E_INVALID (no capability, or a capability without the names that it serves and without a `can_…`); CTIE_E_IDENTIFIER
 * (name); CTIE_E_URL (app_id is no scheme, or universal_link no http URL); CTIE_E_CONFLICT (the name is taken, or an
 * endpoint is listed twice); CTIE_E_LIMIT (sizes, the 65th endpoint or provider); CTIE_E_UTF8.
 * @since 0.1
 */
CTIE_API ctie_status ctie_provider_add(ctie_bus *bus, const ctie_provider *provider, size_t position,
                                       ctie_registration **out, ctie_error_out error);

/**
 * Replaces all providers of a bus in one step: an operation uses either the old list or the new one.
 *
 * @param providers copied, in their order; if one of them is refused, the `destroy` of each runs, and nothing changes.
 * @param count at most CTIE_PROVIDERS_MAX; a longer array is not read.
 * @return CTIE_OK; CTIE_PENDING (inside a callback, while an old one runs).
 * @par Errors
 * Those of ctie_provider_add(); CTIE_E_CONFLICT (two of them have one name).
 * @since 0.1
 */
CTIE_API ctie_status ctie_provider_set_all(ctie_bus *bus, const ctie_provider *providers, size_t count,
                                           ctie_error_out error);

/**
 * Moves a provider to another position in the list.
 *
 * @param position its position afterwards, from 0; past the end means last.
 * @par Errors
 * CTIE_E_NOT_FOUND (no provider of that name); CTIE_E_INVALID, CTIE_E_UTF8, CTIE_E_LIMIT (name).
 * @since 0.1
 */
CTIE_API ctie_status ctie_provider_move(ctie_bus *bus, ctie_str name, size_t position, ctie_error_out error);

/**
 * Removes a provider. When the call returns CTIE_OK, the provider is not running and its `destroy` has been called;
 * requests that it has retained may still be answered.
 *
 * @return CTIE_OK; CTIE_PENDING (inside a callback, while it runs).
 * @par Errors
 * CTIE_E_NOT_FOUND; CTIE_E_INVALID, CTIE_E_UTF8, CTIE_E_LIMIT (name).
 * @since 0.1
 */
CTIE_API ctie_status ctie_provider_remove(ctie_bus *bus, ctie_str name, ctie_error_out error);

/**
 * Lists the providers, in their order.
 *
 * @param out receives a list of maps, owned by the caller, with the keys "name", "public", "capabilities" (a list of
 *   "share", "oauth", "open", "activity", "launch"), "endpoints" (a map from each to a list of kinds), "platform",
 *   "app_id" and "universal_link".
 * @since 0.1
 */
CTIE_API ctie_status ctie_provider_list(const ctie_bus *bus, ctie_value **out);

/* ---- A provider's log -------------------------------------------------------------------------- */

/**
 * Receives the lines that a provider logs. The texts live until the callback returns.
 *
 * @param message UTF-8.
 * @param file, function, line the source location; each may be empty, or 0.
 * @par Threads
 * Any, several at a time. No lock of the library is held.
 * @since 0.1
 */
typedef void (*ctie_provider_logger_fn)(ctie_str message, ctie_str file, ctie_str function, int32_t line,
                                        void *user_data);

/** A callback for a provider's log lines. @since 0.1 */
typedef struct ctie_provider_logger {
    ctie_provider_logger_fn CTIE_NULLABLE fn; /**< the function */
    void *CTIE_NULLABLE user_data;          /**< handed to it and to `destroy` */
    ctie_destroy_fn CTIE_NULLABLE destroy;  /**< called when `user_data` is no longer needed; may be NULL */
} ctie_provider_logger;

/** A ctie_provider_logger of a function and its data. @since 0.1 */
#define CTIE_PROVIDER_LOGGER(fn, data) CTIE_PROVIDER_LOGGER_OWNED(fn, data, NULL)
/** The same with a `destroy`. @since 0.1 */
#define CTIE_PROVIDER_LOGGER_OWNED(fn, data, destroy) CTIE_OF(ctie_provider_logger, fn, data, destroy)

/**
 * Logs a line for a provider: to the logger of ctie_provider_set_log(), else as CTIE_LOG_INFO to the bus's log,
 * prefixed with the provider's name. See CTIE_PROVIDER_LOG().
 *
 * @param provider its name.
 * @param message UTF-8, at most 65,536 bytes.
 * @param file NUL-terminated, borrowed; NULL for empty.
 * @param function NUL-terminated, borrowed; NULL for empty.
 * @return CTIE_OK, also without a logger.
 * @par Errors
 * CTIE_E_NOT_FOUND; CTIE_E_INVALID, CTIE_E_UTF8, CTIE_E_LIMIT (provider, message).
 * @since 0.1
 */
CTIE_API ctie_status ctie_provider_log(ctie_bus *bus, ctie_str provider, ctie_str message, const char *file,
                                       const char *function, int32_t line, ctie_error_out error);

/** Logs a message with its source location. @since 0.1 */
#define CTIE_PROVIDER_LOG(bus, provider, message) \
    ctie_provider_log((bus), (provider), (message), __FILE__, __func__, __LINE__, NULL)

/**
 * Sets a provider's logger; without one the lines go to the bus's log. It is a callback slot (docs/conventions.md).
 *
 * @param provider its name.
 * @param logger NULL for its `fn` empties the slot. Its `destroy` runs once, also on failure.
 * @return CTIE_OK; CTIE_PENDING (the previous callback is still running).
 * @par Errors
 * CTIE_E_NOT_FOUND; CTIE_E_INVALID, CTIE_E_UTF8, CTIE_E_LIMIT (provider).
 * @since 0.1
 */
CTIE_API ctie_status ctie_provider_set_log(ctie_bus *bus, ctie_str provider, ctie_provider_logger logger,
                                           ctie_error_out error);

/** @} */

CTIE_END

#endif
