/**
 * @file performer.h
 * Performing: calling by name what was never registered, as CTMediator does. A target is `prefix:what`; each prefix has
 * a resolver that finds it, and nothing is found that the host has not allowed.
 *
 * The library has the resolver of `c:symbol` and `c:library:symbol`: a ctie_handler_fn of the process or of a named
 * shared library, which gets the selector by ctie_request_action(). The Python package adds
 * `python:package.module:Class`, the Swift module `swift:Name`. Docs: docs/calls.md.
 *
 * A rule (rules.h) leads to its target here: where the rule has no handler of its own, and the target is allowed and
 * its prefix has a resolver, the resolver handles the request that opened the URL. ctie_request_target() gives it the
 * rule's target, ctie_request_action() "open", ctie_request_params() the parameters by the rule's types, and
 * ctie_request_rule() how to show them.
 */
#ifndef CROSSTIE_PERFORMER_H
#define CROSSTIE_PERFORMER_H

#include "base.h"
#include "bus.h"
#include "call.h"
#include "request.h"
#include "status.h"
#include "value.h"

CTIE_BEGIN

/**
 * @defgroup performer Performing
 * @{
 */

/**
 * Calls a selector of a target and waits for the answer.
 *
 * What came from outside gets here by a rule alone: made inside a request of remote origin it is denied.
 *
 * @param target `name` is `prefix:what`, at most 1,024 bytes: a letter with letters and digits behind it, at most 32
 *   bytes; a colon; UTF-8 without control characters. A malformed one is refused before a request is begun. `action` is
 *   the selector: a method's name, or whatever the resolver takes for one; UTF-8, at most 128 bytes; may be empty.
 * @param params as for ctie_component_call(). @param options as for it; borrowed, NULL for defaults.
 * @param response, error as for ctie_component_call().
 * Threads: any.
 * @return the response's status: as ctie_component_call(), without those about components, and CTIE_E_DENIED (the
 *   target is not on the allow-list, or the origin is remote); CTIE_E_NO_TARGET (no resolver of that prefix, or it
 *   finds nothing, and there is no fallback or it declines, too); CTIE_E_NO_ACTION (the same of the selector);
 *   CTIE_E_PARAM (params do not fit the selector's arguments; the message names one); CTIE_E_IDENTIFIER (a malformed
 *   target); CTIE_E_LIMIT (target, selector); CTIE_E_UTF8 (target, selector).
 * @since 0.1
 */
CTIE_API ctie_status ctie_perform(ctie_bus *bus, ctie_target target, const ctie_value *params,
                                  const ctie_request_options *options, ctie_response **response, ctie_error_out error);

/**
 * Calls a selector of a target on a worker and returns at once.
 *
 * @param target as for ctie_perform().
 * @param params as for ctie_component_call().
 * @param completion, options, out, error as for ctie_component_call_async().
 * @return as ctie_component_call_async(), with CTIE_E_IDENTIFIER for a malformed target, and CTIE_E_UTF8.
 * @since 0.1
 */
CTIE_API ctie_status ctie_perform_async(ctie_bus *bus, ctie_target target, const ctie_value *params,
                                        ctie_completion completion, const ctie_request_options *options,
                                        ctie_call **out, ctie_error_out error);

/**
 * Puts a target on a bus's allow-list, for as long as the bus lives. At first nothing is allowed.
 *
 * @param target what is allowed: of `c:` each symbol by itself, just as it is performed; of others also everything
 *   behind it and a colon, so that `python:shop.views` allows that module's classes.
 * @param error receives why it failed, owned by the caller; may be NULL.
 * Threads: any.
 * @return CTIE_OK, also when it is there already; CTIE_E_IDENTIFIER (malformed); CTIE_E_LIMIT (over 1,024 bytes, or
 *   4,096 entries); CTIE_E_UTF8; CTIE_E_INVALID; CTIE_E_HANDLE; CTIE_E_FORKED; CTIE_E_NO_MEMORY.
 * @since 0.1
 */
CTIE_API ctie_status ctie_performer_allow(ctie_bus *bus, ctie_str target, ctie_error_out error);

/**
 * Sets the resolver of a prefix: a handler that gets each allowed request of it, reads target and selector, and runs
 * them. It refuses what it does not find with ctie_request_refuse() and CTIE_E_NO_TARGET or CTIE_E_NO_ACTION. A
 * request with CTIE_REQUEST_CACHED asks it to keep the instance; one with an empty selector and CTIE_REQUEST_RELEASE
 * to let go of it.
 *
 * The one before it is destroyed as any registration is.
 *
 * @param prefix without the colon: a letter, then letters and digits; at most 32 bytes. "c" and "swift" are the
 *   library's own.
 * @param handler answers; its `destroy` runs once, also on failure. NULL for its `fn` takes the one before away.
 * @param options borrowed; NULL for defaults.
 * @param error receives why it failed, owned by the caller; may be NULL.
 * Threads: any.
 * @return CTIE_OK; CTIE_PENDING (the one before is running still; its destroy tells the end); CTIE_E_IDENTIFIER or
 *   CTIE_E_CONFLICT ("c", "swift"); CTIE_E_LIMIT (prefix, interceptors, or the 65th); CTIE_E_UTF8; CTIE_E_INVALID;
 *   CTIE_E_ABI; CTIE_E_HANDLE; CTIE_E_FORKED; CTIE_E_NO_MEMORY.
 * @since 0.1
 */
CTIE_API ctie_status ctie_performer_set_resolver(ctie_bus *bus, ctie_str prefix, ctie_handler handler,
                                                 const ctie_handler_options *options, ctie_error_out error);

/**
 * Sets the handler that gets a request whose target or selector was not found (CTMediator's notFound:), before it
 * fails. What is not allowed does not come here. One that declines, too, leaves the failure as it was; one that refuses
 * with CTIE_E_NO_TARGET or CTIE_E_NO_ACTION gives it its own.
 *
 * The one before it is destroyed as any registration is.
 *
 * @param handler answers; its `destroy` runs once, also on failure. NULL for its `fn` takes the one before away.
 * @param options borrowed; NULL for defaults.
 * @param error receives why it failed, owned by the caller; may be NULL.
 * Threads: any.
 * @return CTIE_OK; CTIE_PENDING (the one before is running still; its destroy tells the end); CTIE_E_INVALID;
 *   CTIE_E_ABI; CTIE_E_LIMIT (interceptors); CTIE_E_HANDLE; CTIE_E_FORKED; CTIE_E_NO_MEMORY.
 * @since 0.1
 */
CTIE_API ctie_status ctie_performer_set_fallback(ctie_bus *bus, ctie_handler handler,
                                                 const ctie_handler_options *options, ctie_error_out error);

/**
 * Lets go of the instance that a resolver keeps of a target, by a request with CTIE_REQUEST_RELEASE.
 *
 * @param target as it was performed with CTIE_REQUEST_CACHED.
 * Threads: any.
 * @return CTIE_OK; CTIE_E_NOT_FOUND (none is kept); CTIE_E_NO_TARGET (no such resolver); CTIE_E_DENIED; what the
 *   resolver answers; CTIE_E_IDENTIFIER, CTIE_E_LIMIT, CTIE_E_UTF8 or CTIE_E_INVALID (target); CTIE_E_HANDLE;
 *   CTIE_E_FORKED; CTIE_E_NO_MEMORY.
 * @since 0.1
 */
CTIE_API ctie_status ctie_performer_release(ctie_bus *bus, ctie_str target);

/** @} */

CTIE_END

#endif
