/**
 * @file handoff.h
 * Handing off to other applications and services: sharing, signing in, launching, and delivering the URLs and user
 * activities that they claim. The caller need not know the provider (provider.h) that does it.
 *
 * Endpoints, platforms, kinds of message and the keys of options and answers are texts: those of handoff_names.h, or
 * the host's own.
 *
 * Before a provider runs, these checks are made in order. The first that fails ends the operation with its status: the
 * application is installed (CTIE_E_NOT_INSTALLED); it is supported (CTIE_E_UNSUPPORTED_APP); the endpoint takes
 * messages of this kind (CTIE_E_UNSUPPORTED_MESSAGE); the message has the fields of its kind (CTIE_E_PARAM).
 */
#ifndef CROSSTIE_HANDOFF_H
#define CROSSTIE_HANDOFF_H

#include "base.h"
#include "bus.h"
#include "call.h"
#include "handoff_names.h"
#include "request.h"
#include "status.h"
#include "value.h"

CTIE_BEGIN

/**
 * @defgroup handoff Handing off
 *
 * Any thread may call these functions. `options` is borrowed, and NULL means the defaults; their user_info holds
 * further options for the provider: CTIE_OPTION_…, or the host's own. The deadline of sharing and signing in is
 * CTIE_PERSON_TIMEOUT_MS by default. `error` may be NULL; it receives an error object owned by the caller. Every
 * function may return CTIE_E_HANDLE, CTIE_E_FORKED, CTIE_E_ABI (options of a newer header) and CTIE_E_NO_MEMORY.
 *
 * Each operation has two functions: one waits for its end, the other runs it on a worker. Concurrent operations are
 * independent, even of one provider.
 *
 * *Errors of every operation*: those of every request, or of starting a request (call.h); CTIE_E_NO_HANDLER (no
 * provider can, or all that can have declined; the bus logs it, too); CTIE_E_NOT_INSTALLED;
 * CTIE_E_UNSUPPORTED_APP; CTIE_E_PARAM (the message names the field); CTIE_E_FOREIGN (the message to share is another
 * language's object that cannot be converted); CTIE_E_USER_CANCELLED; CTIE_E_UNKNOWN (the service's answer could not
 * be understood, or a sign-in returned no text); any status that a provider refuses with; CTIE_E_UTF8, CTIE_E_LIMIT (an
 * endpoint or platform over 128 bytes); CTIE_E_TYPE (message, params or program is not a map); CTIE_E_INVALID (an
 * empty endpoint or platform).
 * @{
 */

/** The default deadline of sharing and signing in, in milliseconds: a person has to act. @since 0.1 */
#define CTIE_PERSON_TIMEOUT_MS 600000

/**
 * Shares a message.
 *
 * @param endpoint the endpoint: CTIE_ENDPOINT_…, or the host's own.
 * @param message a map, borrowed: its kind under "identifier", and that kind's fields (docs/providers.md). The fields
 *   of the host's own kinds are not checked.
 * @param response as for ctie_component_call().
 * @return the response's status.
 * @par Errors
 * Those of every operation; CTIE_E_UNSUPPORTED_MESSAGE.
 * @since 0.1
 */
CTIE_API ctie_status ctie_share(ctie_bus *bus, ctie_str endpoint, const ctie_value *message,
                                const ctie_request_options *options, ctie_response **response, ctie_error_out error);

/**
 * The same on a worker; returns at once.
 *
 * @param endpoint, message as for ctie_share().
 * @par Errors
 * Those of every operation; CTIE_E_UNSUPPORTED_MESSAGE.
 * @since 0.1
 */
CTIE_API ctie_status ctie_share_async(ctie_bus *bus, ctie_str endpoint, const ctie_value *message,
                                      ctie_completion completion, const ctie_request_options *options, ctie_call **out,
                                      ctie_error_out error);

/**
 * Signs in. A provider answers with a map of texts, none of them empty: CTIE_INFO_…, or its own. An interceptor's
 * answer is returned unchanged.
 *
 * @param platform the platform: CTIE_PLATFORM_…, or the host's own.
 * @param params the provider's parameters, a map, borrowed; NULL for null.
 * @param response as for ctie_component_call().
 * @return the response's status.
 * @par Errors
 * Those of every operation.
 * @since 0.1
 */
CTIE_API ctie_status ctie_oauth(ctie_bus *bus, ctie_str platform, const ctie_value *params,
                                const ctie_request_options *options, ctie_response **response, ctie_error_out error);

/**
 * The same on a worker; returns at once.
 *
 * @param platform, params as for ctie_oauth().
 * @par Errors
 * Those of every operation.
 * @since 0.1
 */
CTIE_API ctie_status ctie_oauth_async(ctie_bus *bus, ctie_str platform, const ctie_value *params,
                                      ctie_completion completion, const ctie_request_options *options, ctie_call **out,
                                      ctie_error_out error);

/**
 * Launches a program: a mini program of an app, an application of the desktop.
 *
 * @param platform the platform: CTIE_PLATFORM_…, or the host's own.
 * @param program a map that the provider understands (docs/providers.md), borrowed; NULL for null.
 * @param response as for ctie_component_call().
 * @return the response's status.
 * @par Errors
 * Those of every operation.
 * @since 0.1
 */
CTIE_API ctie_status ctie_launch(ctie_bus *bus, ctie_str platform, const ctie_value *program,
                                 const ctie_request_options *options, ctie_response **response, ctie_error_out error);

/**
 * The same on a worker; returns at once.
 *
 * @param platform, program as for ctie_launch().
 * @par Errors
 * Those of every operation.
 * @since 0.1
 */
CTIE_API ctie_status ctie_launch_async(ctie_bus *bus, ctie_str platform, const ctie_value *program,
                                       ctie_completion completion, const ctie_request_options *options, ctie_call **out,
                                       ctie_error_out error);

/* ---- URLs and activities from outside ---------------------------------------------------------------- */

/**
 * Delivers a URL to the first provider that claims it, without trying routes, rules and system opener as ctie_open()
 * does. A URL that no provider claims is not an error, so that a program can try other handlers next.
 *
 * @param origin CTIE_ORIGIN_REMOTE for one that came from outside: only providers with CTIE_PROVIDER_PUBLIC get it.
 * @param out receives true if a provider got the URL, with any result, or an interceptor answered; false if no provider
 *   claims it, or one refuses it with CTIE_E_NO_HANDLER.
 * @return CTIE_OK, also when no provider claims it or it is malformed; otherwise the response's status.
 * @par Errors
 * CTIE_E_DENIED (by an interceptor, or a private scheme of a rule table from a remote origin); CTIE_E_TIMEOUT;
 * CTIE_E_CANCELLED (by this thread's wait function: waiting.h); CTIE_E_BUSY; CTIE_E_DEPTH; CTIE_E_CLOSED;
 * CTIE_E_INVALID (url); CTIE_E_TYPE.
 * @since 0.1
 */
CTIE_API ctie_status ctie_provider_open_url(ctie_bus *bus, ctie_str url, ctie_origin origin,
                                            const ctie_request_options *options, bool *out, ctie_error_out error);

/**
 * Delivers a user activity to the first provider that claims it: by default one of the type CTIE_ACTIVITY_BROWSING_WEB
 * whose "webpageURL" has the origin of the provider's universal link, and its path or one below.
 *
 * @param activity a map, borrowed: its type under "activityType", a web page's URL under "webpageURL", and further
 *   entries of the application.
 * @param origin, out as for ctie_provider_open_url().
 * @return as ctie_provider_open_url().
 * @par Errors
 * Those of ctie_provider_open_url(); CTIE_E_TYPE (not a map).
 * @since 0.1
 */
CTIE_API ctie_status ctie_provider_open_activity(ctie_bus *bus, const ctie_value *activity, ctie_origin origin,
                                                 const ctie_request_options *options, bool *out, ctie_error_out error);

/** @} */

CTIE_END

#endif
