/**
 * @file provider.h
 * Providers: objects that share to an outside service, sign in with it, take its URLs and activities, launch its
 * programs.
 *
 * A bus has an ordered list of them. Each operation (handoff.h) asks those that have its capability in their order;
 * the first that can gets it, and one that declines leaves it to the next. See docs/providers.md.
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
 * What holds for all functions here: any thread may call them. They return CTIE_OK, or one of CTIE_E_HANDLE,
 * CTIE_E_FORKED, CTIE_E_INVALID (an argument is NULL or malformed), CTIE_E_ABI (a struct of a newer header),
 * CTIE_E_NO_MEMORY, and the errors that each lists. `error` may be NULL; it receives an error object owned by the
 * caller.
 * @{
 */

/** Most providers of a bus, and most endpoints of a provider. @since 0.1 */
#define CTIE_PROVIDERS_MAX 64

/** The position behind every provider. @since 0.1 */
#define CTIE_PROVIDER_LAST SIZE_MAX

/** Flags of a provider. @since 0.1 */
enum {
    CTIE_PROVIDER_PUBLIC = 1 << 0, /**< URLs and activities of remote origin reach it; the default is local only */
};

/** Where a provider shares to, and what. @since 0.1 */
typedef struct ctie_provider_endpoint {
    ctie_str endpoint;   /**< 1 to 128 bytes of UTF-8: CTIE_ENDPOINT_…, or the host's own */
    ctie_str_list kinds; /**< the kinds of message that go there, at most 64; empty: those of docs/providers.md */
} ctie_provider_endpoint;

/**
 * Answers a question about a provider.
 *
 * @par Threads
 * Any, several at a time.
 * @since 0.1
 */
typedef bool (*ctie_provider_state_fn)(void *user_data);

/**
 * Whether a provider can do what a request asks for; ctie_request_kind() gives the capability, so one function can
 * decide for several.
 *
 * @param request borrowed, and only to be read: the provider's function for the capability answers it.
 * @par Threads
 * Any, several at a time.
 * @since 0.1
 */
typedef bool (*ctie_provider_can_fn)(ctie_request *CTIE_NONNULL request, void *user_data);

/**
 * A provider: what it offers, and functions that do it. Start from CTIE_PROVIDER_INIT. A capability whose function is
 * NULL is one that it does not have; it must have one at least.
 *
 * Its functions are handlers as for every kind of request (request.h). They answer at once, or retain the request and
 * answer later. ctie_request_refuse() with CTIE_E_USER_CANCELLED reports that the user did not want to, with
 * CTIE_E_UNKNOWN that the service's answer could not be understood; ctie_request_decline() lets the next provider try.
 *
 * @since 0.1
 */
typedef struct ctie_provider {
    size_t size;                                   /**< sizeof(ctie_provider) */
    ctie_str name;                                 /**< unique on its bus: a letter or _, then letters, digits,
                                                        _ . or -; at most 128 bytes */
    uint32_t flags;                                /**< CTIE_PROVIDER_… */
    /** Shares a message: ctie_request_params(), to the endpoint ctie_request_target(). Replies null. */
    ctie_handler_fn CTIE_NULLABLE share;
    const ctie_provider_endpoint *CTIE_NULLABLE endpoints; /**< what `share` serves; copied */
    size_t endpoint_count;                         /**< at most CTIE_PROVIDERS_MAX */
    ctie_str platform;                             /**< what `oauth` and `launch` serve: CTIE_PLATFORM_…, or the
                                                        host's own; UTF-8, at most 128 bytes */
    /** Signs in, and replies a map of texts: empty ones are dropped, and if none is left it is CTIE_E_UNKNOWN. */
    ctie_handler_fn CTIE_NULLABLE oauth;
    ctie_handler_fn CTIE_NULLABLE launch;          /**< launches the program ctie_request_params() */
    ctie_str app_id;                               /**< the scheme of the URLs for `open_url`, in any case */
    ctie_handler_fn CTIE_NULLABLE open_url;        /**< takes a URL that no route and no rule takes */
    ctie_str universal_link;                       /**< an http or https URL: its origin, and its path or one below,
                                                        are those of the activities for `open_activity` */
    ctie_handler_fn CTIE_NULLABLE open_activity;   /**< takes up a user activity: ctie_request_params() */
    /* Each replaces the comparison of its own capability; NULL: that decides. */
    ctie_provider_can_fn CTIE_NULLABLE can_share;         /**< in place of `endpoints` */
    ctie_provider_can_fn CTIE_NULLABLE can_oauth;         /**< in place of `platform` */
    ctie_provider_can_fn CTIE_NULLABLE can_launch;        /**< in place of `platform` */
    ctie_provider_can_fn CTIE_NULLABLE can_open_url;      /**< in place of `app_id` */
    ctie_provider_can_fn CTIE_NULLABLE can_open_activity; /**< in place of `universal_link` */
    ctie_provider_state_fn CTIE_NULLABLE is_installed; /**< asked before it shares, signs in or launches; NULL: it is */
    ctie_provider_state_fn CTIE_NULLABLE is_supported; /**< likewise: what is installed is not too old; NULL: it is */
    const ctie_runtime *CTIE_NULLABLE runtime;     /**< of its functions; NULL for none */
    void *CTIE_NULLABLE user_data;                 /**< handed to all of them */
    ctie_destroy_fn CTIE_NULLABLE destroy;         /**< called once when `user_data` is no longer needed, also on
                                                        failure, but not for a struct that could not be read */
} ctie_provider;

/** The struct with its size and the defaults. @since 0.1 */
#define CTIE_PROVIDER_INIT \
    {sizeof(ctie_provider), {NULL, 0}, 0, NULL, NULL, 0, {NULL, 0}, NULL, NULL, {NULL, 0}, NULL, {NULL, 0}, NULL, \
     NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL}

/**
 * Adds a provider to a bus's list.
 *
 * @param provider copied.
 * @param position before which it is put, from 0; one beyond the list, such as CTIE_PROVIDER_LAST: at the end.
 * @param out receives the registration: ctie_registration_release() removes the provider. NULL: it lives as long as
 *   the bus, or until it is removed.
 * @par Errors
 * CTIE_E_INVALID (no capability, or a capability without what it serves and without a `can_…`); CTIE_E_IDENTIFIER
 * (name); CTIE_E_URL (app_id is no scheme, or universal_link no http URL); CTIE_E_CONFLICT (there is one of that name,
 * or an endpoint twice); CTIE_E_LIMIT (sizes, the 65th endpoint or provider); CTIE_E_UTF8.
 * @since 0.1
 */
CTIE_API ctie_status ctie_provider_add(ctie_bus *bus, const ctie_provider *provider, size_t position,
                                       ctie_registration **out, ctie_error_out error);

/**
 * Replaces all providers that a bus has, in one step: an operation asks either the old ones or the new ones.
 *
 * @param providers copied, in their order; if one of them is refused each is destroyed, and nothing changes.
 * @param count at most CTIE_PROVIDERS_MAX; of a longer array none is looked at.
 * @return CTIE_OK; CTIE_PENDING (inside a callback, while an old one runs).
 * @par Errors
 * Those of ctie_provider_add(); CTIE_E_CONFLICT (two of them have one name).
 * @since 0.1
 */
CTIE_API ctie_status ctie_provider_set_all(ctie_bus *bus, const ctie_provider *providers, size_t count,
                                           ctie_error_out error);

/**
 * Moves a provider to another place in the list.
 *
 * @param position its position afterwards, from 0; one beyond the list: the last one.
 * @par Errors
 * CTIE_E_NOT_FOUND (no provider of that name); CTIE_E_INVALID, CTIE_E_UTF8, CTIE_E_LIMIT (name).
 * @since 0.1
 */
CTIE_API ctie_status ctie_provider_move(ctie_bus *bus, ctie_str name, size_t position);

/**
 * Removes a provider. When the call returns CTIE_OK it is not running, and its `destroy` has been called; it may still
 * answer the requests that it has retained.
 *
 * @return CTIE_OK; CTIE_PENDING (inside a callback, while it runs).
 * @par Errors
 * CTIE_E_NOT_FOUND; CTIE_E_INVALID, CTIE_E_UTF8, CTIE_E_LIMIT (name).
 * @since 0.1
 */
CTIE_API ctie_status ctie_provider_remove(ctie_bus *bus, ctie_str name);

/**
 * Lists the providers, in their order.
 *
 * @param out receives a list of maps, owned by the caller, with the keys "name", "public", "capabilities" (a list of
 *   "share", "oauth", "open", "activity", "launch"), "endpoints" (a map from each to a list of kinds), "platform",
 *   "app_id" and "universal_link".
 * @since 0.1
 */
CTIE_API ctie_status ctie_provider_list(const ctie_bus *bus, ctie_value **out);

/* ---- What a provider logs ------------------------------------------------------------------------ */

/**
 * Receives the lines that a provider logs. The texts live until the callback returns.
 *
 * @param message UTF-8.
 * @param file, function, line the place in its source; each may be empty, or 0.
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
 * Logs for a provider: to the receiver of ctie_provider_set_log(), else as CTIE_LOG_INFO to the bus's log, with the
 * provider's name before it. See CTIE_PROVIDER_LOG().
 *
 * @param provider its name.
 * @param message UTF-8, at most 65,536 bytes.
 * @param file NUL-terminated, borrowed; NULL for empty.
 * @param function NUL-terminated, borrowed; NULL for empty.
 * @return CTIE_OK, also when there is no receiver.
 * @par Errors
 * CTIE_E_NOT_FOUND; CTIE_E_INVALID, CTIE_E_UTF8, CTIE_E_LIMIT (provider, message).
 * @since 0.1
 */
CTIE_API ctie_status ctie_provider_log(ctie_bus *bus, ctie_str provider, ctie_str message, const char *file,
                                       const char *function, int32_t line);

/** Logs a message, with its place in the source. @since 0.1 */
#define CTIE_PROVIDER_LOG(bus, provider, message) \
    ctie_provider_log((bus), (provider), (message), __FILE__, __func__, __LINE__)

/**
 * Sets the receiver of a provider's log; without one the lines go to the bus's log. It is a callback slot
 * (docs/conventions.md).
 *
 * @param provider its name.
 * @param logger NULL for its `fn` empties the slot. Its `destroy` runs once, also on failure.
 * @return CTIE_OK; CTIE_PENDING (the callback before is still running).
 * @par Errors
 * CTIE_E_NOT_FOUND; CTIE_E_INVALID, CTIE_E_UTF8, CTIE_E_LIMIT (provider).
 * @since 0.1
 */
CTIE_API ctie_status ctie_provider_set_log(ctie_bus *bus, ctie_str provider, ctie_provider_logger logger,
                                           ctie_error_out error);

/** @} */

CTIE_END

#endif
