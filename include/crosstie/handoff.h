/**
 * @file handoff.h
 * Handing off to outside applications and services: sharing, signing in, launching, and giving them the URLs and the
 * user activities that are theirs. The caller need not know which provider (provider.h) does it.
 *
 * Endpoints, platforms, kinds of message and the keys of options and answers are texts: those of handoff_names.h, or
 * the host's own.
 *
 * A provider that has been found is checked before it runs, in this order, each with its status: it is installed
 * (CTIE_E_NOT_INSTALLED), it is supported (CTIE_E_UNSUPPORTED_APP), the message is of a kind that goes to that
 * endpoint (CTIE_E_UNSUPPORTED_MESSAGE), and has the fields of its kind (CTIE_E_PARAM). Then the provider answers.
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
 * What holds for all functions here: any thread may call them. `options` is borrowed, and NULL stands for the
 * defaults; their user_info has what the provider gets beside: CTIE_OPTION_…, or the host's own. The deadline of
 * sharing and signing in is CTIE_PERSON_TIMEOUT_MS by default. `error` may be NULL; it receives an error object owned
 * by the caller.
 *
 * Each operation has two functions, one that waits for its end, and one that runs it on a worker. Two operations at
 * once, also of one provider, are independent. They return the response's status: CTIE_OK; the errors of every
 * request, or of starting a request (call.h); CTIE_E_NO_HANDLER (no provider can, or all that could have declined; the
 * bus's log has it, too); CTIE_E_NOT_INSTALLED; CTIE_E_UNSUPPORTED_APP; CTIE_E_PARAM (the message names the field);
 * CTIE_E_FOREIGN (the message to share is another language's object that cannot be read); CTIE_E_USER_CANCELLED;
 * CTIE_E_UNKNOWN (the service's answer could not be understood, or a sign-in gave nothing); any other status that a
 * provider refuses with; CTIE_E_UTF8, CTIE_E_LIMIT (an endpoint or platform over 128 bytes); CTIE_E_TYPE (message,
 * params or program is no map); CTIE_E_INVALID (an empty endpoint or platform); CTIE_E_ABI; CTIE_E_HANDLE;
 * CTIE_E_FORKED; CTIE_E_NO_MEMORY.
 * @{
 */

/** The deadline of sharing and signing in that names none, in milliseconds: a person is at work. @since 0.1 */
#define CTIE_PERSON_TIMEOUT_MS 600000

/**
 * Shares a message.
 *
 * @param endpoint where to: CTIE_ENDPOINT_…, or the host's own.
 * @param message a map, borrowed: its kind under "identifier", and the fields of that (docs/providers.md). The fields
 *   of a kind of the host's own are not checked.
 * @param response as for ctie_component_call().
 * @return the response's status; CTIE_E_UNSUPPORTED_MESSAGE.
 * @since 0.1
 */
CTIE_API ctie_status ctie_share(ctie_bus *bus, ctie_str endpoint, const ctie_value *message,
                                const ctie_request_options *options, ctie_response **response, ctie_error_out error);

/**
 * The same on a worker; returns at once.
 *
 * @param endpoint, message as for ctie_share().
 * @since 0.1
 */
CTIE_API ctie_status ctie_share_async(ctie_bus *bus, ctie_str endpoint, const ctie_value *message,
                                      ctie_completion completion, const ctie_request_options *options, ctie_call **out,
                                      ctie_error_out error);

/**
 * Signs in. A provider answers with a map of texts, of which none is empty: CTIE_INFO_…, or its own. An interceptor's
 * answer reaches the caller as it is.
 *
 * @param platform with what: CTIE_PLATFORM_…, or the host's own.
 * @param params what the provider is asked for, a map, borrowed; NULL for null.
 * @param response as for ctie_component_call().
 * @return the response's status.
 * @since 0.1
 */
CTIE_API ctie_status ctie_oauth(ctie_bus *bus, ctie_str platform, const ctie_value *params,
                                const ctie_request_options *options, ctie_response **response, ctie_error_out error);

/**
 * The same on a worker; returns at once.
 *
 * @param platform, params as for ctie_oauth().
 * @since 0.1
 */
CTIE_API ctie_status ctie_oauth_async(ctie_bus *bus, ctie_str platform, const ctie_value *params,
                                      ctie_completion completion, const ctie_request_options *options, ctie_call **out,
                                      ctie_error_out error);

/**
 * Launches a program: a mini program of an app, an application of the desktop.
 *
 * @param platform whose: CTIE_PLATFORM_…, or the host's own.
 * @param program a map that the provider understands (docs/providers.md), borrowed; NULL for null.
 * @param response as for ctie_component_call().
 * @return the response's status.
 * @since 0.1
 */
CTIE_API ctie_status ctie_launch(ctie_bus *bus, ctie_str platform, const ctie_value *program,
                                 const ctie_request_options *options, ctie_response **response, ctie_error_out error);

/**
 * The same on a worker; returns at once.
 *
 * @param platform, program as for ctie_launch().
 * @since 0.1
 */
CTIE_API ctie_status ctie_launch_async(ctie_bus *bus, ctie_str platform, const ctie_value *program,
                                       ctie_completion completion, const ctie_request_options *options, ctie_call **out,
                                       ctie_error_out error);

/* ---- What comes back from outside ---------------------------------------------------------------- */

/**
 * Gives a URL to the first provider that claims it, past routes, rules and system opener; ctie_open() asks all of
 * them. That no provider claims it is an answer, not an error, so that programs can ask others next.
 *
 * @param origin CTIE_ORIGIN_REMOTE for one that came from outside: only providers with CTIE_PROVIDER_PUBLIC get it.
 * @param out receives false where no provider claims it, or one refuses it with CTIE_E_NO_HANDLER; true where one has
 *   got it, whatever came of that, or an interceptor has answered it.
 * @return CTIE_OK, also when no provider claims it or it is malformed; what the provider answered.
 * @par Errors
 * CTIE_E_DENIED (by an interceptor, or a private scheme of a rule table from a remote origin); CTIE_E_TIMEOUT;
 * CTIE_E_CANCELLED (this thread's wait is not wanted: waiting.h); CTIE_E_BUSY; CTIE_E_DEPTH; CTIE_E_CLOSED;
 * CTIE_E_INVALID (url); CTIE_E_TYPE; CTIE_E_ABI; CTIE_E_HANDLE; CTIE_E_FORKED; CTIE_E_NO_MEMORY.
 * @since 0.1
 */
CTIE_API ctie_status ctie_provider_open_url(ctie_bus *bus, ctie_str url, ctie_origin origin,
                                            const ctie_request_options *options, bool *out, ctie_error_out error);

/**
 * Gives a user activity to the first provider that claims it: by default one of the type CTIE_ACTIVITY_BROWSING_WEB
 * whose "webpageURL" has the origin of the provider's universal link, and its path or one below.
 *
 * @param activity a map, borrowed: its type under "activityType", a web page's URL under "webpageURL", and what else
 *   the application has to say.
 * @param origin, out as for ctie_provider_open_url().
 * @return as ctie_provider_open_url().
 * @par Errors
 * Those of ctie_provider_open_url(); CTIE_E_TYPE (no map).
 * @since 0.1
 */
CTIE_API ctie_status ctie_provider_open_activity(ctie_bus *bus, const ctie_value *activity, ctie_origin origin,
                                                 const ctie_request_options *options, bool *out, ctie_error_out error);

/** @} */

CTIE_END

#endif
