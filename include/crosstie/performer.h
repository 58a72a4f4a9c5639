/**
 * @file performer.h
 * The performer: calls of code that is not registered, by a target's name and a selector, as in CTMediator. A target's
 * name is `prefix:what`. Each prefix has a resolver that finds its targets; a target that the host has not allowed is
 * never found.
 *
 * The library itself resolves `c:symbol` and `c:library:symbol`: a ctie_handler_fn of the process or of a named shared
 * library, which reads the selector by ctie_request_action(). The Python package adds `python:package.module:Class`,
 * the Swift module `swift:Name`. See docs/calls.md.
 *
 * A rule (rules.h) may lead to a target: if the rule has no handler of its own, the target is allowed and its prefix
 * has a resolver, the resolver handles the request that opened the URL. ctie_request_target() gives it the rule's
 * target, ctie_request_action() "open", ctie_request_params() the parameters by the rule's types, and
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
 *
 * Any thread may call these functions. They return CTIE_OK, or one of CTIE_E_HANDLE,
 * CTIE_E_FORKED, CTIE_E_INVALID (an argument is NULL or malformed), CTIE_E_ABI (options of a newer header),
 * CTIE_E_NO_MEMORY, and the errors that each lists. `options` is borrowed, and NULL means the defaults. A
 * callback's `destroy` runs once, also on failure. `error` may be NULL; it receives an error object owned by the
 * caller.
 * @{
 */

/**
 * Calls a selector of a target and waits for the answer. A call made inside a request of remote origin is denied: a
 * remote request reaches a target by a rule only.
 *
 * @param target `name` is `prefix:what`, at most 1,024 bytes: a letter followed by letters and digits, at most 32
 *   bytes; a colon; UTF-8 without control characters. `action` is the selector: a method's name, or another text that
 *   the resolver understands; UTF-8, at most 128 bytes; may be empty.
 * @param params, response as for ctie_component_call().
 * @return the response's status.
 * @par Errors
 * Those of every request (call.h); CTIE_E_DENIED (the target is not on the allow-list, or the origin is remote);
 * CTIE_E_NO_TARGET (no resolver of that prefix, or it does not find the target, and no fallback takes the request);
 * CTIE_E_NO_ACTION (the same for the selector); CTIE_E_PARAM (`params` do not fit the selector's arguments; the message
 * names one); CTIE_E_IDENTIFIER (a malformed target); CTIE_E_LIMIT, CTIE_E_UTF8 (target, selector).
 * @since 0.1
 */
CTIE_API ctie_status ctie_perform(ctie_bus *bus, ctie_target target, const ctie_value *params,
                                  const ctie_request_options *options, ctie_response **response, ctie_error_out error);

/**
 * The same on a worker; returns at once.
 *
 * @param target, params as for ctie_perform().
 * @par Errors
 * Those of starting a request (call.h); CTIE_E_IDENTIFIER (a malformed target); CTIE_E_UTF8.
 * @since 0.1
 */
CTIE_API ctie_status ctie_perform_async(ctie_bus *bus, ctie_target target, const ctie_value *params,
                                        ctie_completion completion, const ctie_request_options *options,
                                        ctie_call **out, ctie_error_out error);

/**
 * Puts a target on a bus's allow-list, for as long as the bus lives. At first nothing is allowed.
 *
 * @param target the target: with `c:` one symbol, written as for ctie_perform(); with other prefixes also every target
 *   that begins with it and a colon, so that `python:shop.views` allows that module's classes.
 * @return CTIE_OK, also when it is on the list already.
 * @par Errors
 * CTIE_E_IDENTIFIER (malformed); CTIE_E_LIMIT (over 1,024 bytes, or 4,096 entries); CTIE_E_UTF8.
 * @since 0.1
 */
CTIE_API ctie_status ctie_performer_allow(ctie_bus *bus, ctie_str target, ctie_error_out error);

/**
 * Sets the resolver of a prefix: a handler that gets each allowed request for the prefix, reads target and selector,
 * and runs them. If it does not find them it calls ctie_request_refuse() with CTIE_E_NO_TARGET or CTIE_E_NO_ACTION. For
 * a request with CTIE_REQUEST_CACHED it keeps the target's instance; for one with an empty selector and
 * CTIE_REQUEST_RELEASE it releases that instance. It is a callback slot (docs/conventions.md).
 *
 * @param prefix without the colon: a letter, then letters and digits; at most 32 bytes. "c" and "swift" are the
 *   library's own.
 * @param handler NULL for its `fn` empties the slot.
 * @return CTIE_OK; CTIE_PENDING (the previous handler is still running).
 * @par Errors
 * CTIE_E_IDENTIFIER; CTIE_E_CONFLICT ("c", "swift"); CTIE_E_LIMIT (prefix, interceptors, or the 65th); CTIE_E_UTF8.
 * @since 0.1
 */
CTIE_API ctie_status ctie_performer_set_resolver(ctie_bus *bus, ctie_str prefix, ctie_handler handler,
                                                 const ctie_handler_options *options, ctie_error_out error);

/**
 * Sets the handler of requests whose target or selector was not found (CTMediator's notFound:). Targets that are not
 * allowed do not reach it. If it declines, the failure stays; if it refuses with CTIE_E_NO_TARGET or CTIE_E_NO_ACTION,
 * that status is the failure. It is a callback slot (docs/conventions.md).
 *
 * @param handler NULL for its `fn` empties the slot.
 * @return CTIE_OK; CTIE_PENDING (the previous handler is still running).
 * @par Errors
 * CTIE_E_LIMIT (interceptors).
 * @since 0.1
 */
CTIE_API ctie_status ctie_performer_set_fallback(ctie_bus *bus, ctie_handler handler,
                                                 const ctie_handler_options *options, ctie_error_out error);

/**
 * Releases a target's instance that a resolver keeps, by a request with CTIE_REQUEST_RELEASE.
 *
 * @param target as it was performed with CTIE_REQUEST_CACHED.
 * @return CTIE_OK, or the resolver's answer.
 * @par Errors
 * CTIE_E_NOT_FOUND (no instance is kept); CTIE_E_NO_TARGET (no such resolver); CTIE_E_DENIED; CTIE_E_IDENTIFIER,
 * CTIE_E_LIMIT, CTIE_E_UTF8, CTIE_E_INVALID (target).
 * @since 0.1
 */
CTIE_API ctie_status ctie_performer_release(ctie_bus *bus, ctie_str target, ctie_error_out error);

/** @} */

CTIE_END

#endif
