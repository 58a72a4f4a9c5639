/**
 * @file rules.h
 * Rule tables: the URLs that remote origins may open, and their targets. The document's form is in docs/rules.md.
 */
#ifndef CROSSTIE_RULES_H
#define CROSSTIE_RULES_H

#include "base.h"
#include "bus.h"
#include "request.h"
#include "status.h"
#include "value.h"

CTIE_BEGIN

/**
 * @defgroup rules Rule tables
 *
 * Any thread may call these functions. They return CTIE_OK, or one of CTIE_E_HANDLE,
 * CTIE_E_FORKED, CTIE_E_INVALID (an argument is NULL or malformed), CTIE_E_ABI (options of a newer header),
 * CTIE_E_NO_MEMORY, and the errors that each lists. `options` is borrowed, and NULL means the defaults. A
 * callback's `destroy` runs once, also on failure. `error` may be NULL; it receives an error object owned by the
 * caller.
 * @{
 */

/** Flags of loading rules. @since 0.1 */
enum {
    CTIE_RULES_ROLLBACK = 1 << 0, /**< the document may have a lower version than the loaded table */
};

/** Options of reading a document. Start from CTIE_RULES_OPTIONS_INIT; zero means default. @since 0.1 */
typedef struct ctie_rules_options {
    size_t size;                   /**< sizeof(ctie_rules_options) */
    uint32_t flags;                /**< CTIE_RULES_ROLLBACK */
    ctie_str platform;             /**< selects one of a rule's `targets`; empty for "linux"; at most 128 bytes */
    /** The list of public schemes, which a document of the older form does not have. For any other document this list and
        the next three are ignored. Each has at most 64 entries of at most 253 bytes. */
    ctie_str_list public_schemes;
    ctie_str_list private_schemes; /**< likewise, of private schemes */
    ctie_str_list route_hosts;     /**< likewise, of route hosts */
    ctie_str_list web_hosts;       /**< likewise, of web hosts */
} ctie_rules_options;

/** The struct with its size and the defaults. @since 0.1 */
#define CTIE_RULES_OPTIONS_INIT {sizeof(ctie_rules_options), 0, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}}

/**
 * Loads a rule table, which replaces the previous one as a whole: an open uses one table or the other. A document that is
 * refused changes nothing.
 *
 * @param json the document, UTF-8, at most 1 MiB.
 * @param error its location is a path in the document, such as "rules[3].path", or a line and column.
 * @par Errors
 * CTIE_E_FORMAT (malformed); CTIE_E_DUPLICATE (a key or an entry is repeated); CTIE_E_PATTERN (a rule's path);
 * CTIE_E_PARAM (a rule's parameters); CTIE_E_CONFLICT (two rules of one shape or id, or a rule and a route of one
 * shape; the message names both); CTIE_E_VERSION (lower than the loaded table's); CTIE_E_URL, CTIE_E_PATH,
 * CTIE_E_NO_ROUTE, CTIE_E_PARAM (a demo: the status that opening it would have); CTIE_E_LIMIT; CTIE_E_UTF8.
 * @since 0.1
 */
CTIE_API ctie_status ctie_rules_load(ctie_bus *bus, ctie_str json, const ctie_rules_options *options,
                                     ctie_error_out error);

/**
 * The same from a file.
 *
 * @param path of a regular file; not empty, without a NUL, at most 4,096 bytes. A FIFO, a device or a terminal is
 *   refused and not read; so is "/dev/stdin" unless it is a regular file.
 * @par Errors
 * Those of ctie_rules_load(); CTIE_E_SYSTEM (it cannot be read, or is not a regular file; the message names it and the
 * reason).
 * @since 0.1
 */
CTIE_API ctie_status ctie_rules_load_file(ctie_bus *bus, ctie_str path, const ctie_rules_options *options,
                                          ctie_error_out error);

/**
 * Removes the rule table. The bus no longer has the table's schemes and web hosts. Routes that handle its rules are open to
 * the origins that they were registered for. A table of any version may be loaded next. Handlers of rules stay.
 *
 * @par Errors
 * CTIE_E_NOT_FOUND (none is loaded).
 * @since 0.1
 */
CTIE_API ctie_status ctie_rules_unload(ctie_bus *bus, ctie_error_out error);

/**
 * Converts a document of either form to the current one, without loading it.
 *
 * @param json as for ctie_rules_load().
 * @param out receives the document's JSON text as a string value, owned by the caller.
 * @param error as for ctie_rules_load().
 * @par Errors
 * Those for which ctie_rules_load() refuses a document.
 * @since 0.1
 */
CTIE_API ctie_status ctie_rules_convert(ctie_str json, const ctie_rules_options *options, ctie_value **out,
                                        ctie_error_out error);

/**
 * The same from a file.
 *
 * @param path as for ctie_rules_load_file().
 * @param out, error as for ctie_rules_convert().
 * @par Errors
 * Those of ctie_rules_convert(); CTIE_E_SYSTEM as for ctie_rules_load_file().
 * @since 0.1
 */
CTIE_API ctie_status ctie_rules_convert_file(ctie_str path, const ctie_rules_options *options, ctie_value **out,
                                             ctie_error_out error);

/**
 * Returns the loaded table.
 *
 * @param out receives the document as a map, owned by the caller.
 * @par Errors
 * CTIE_E_NOT_FOUND (none is loaded).
 * @since 0.1
 */
CTIE_API ctie_status ctie_rules_document(const ctie_bus *bus, ctie_value **out);

/**
 * Registers the handler of the rule with an id, in the current table and any later one. The rule decides which URLs
 * reach the handler and which origins may open them; while no table has such a rule, no URL reaches it. A route can
 * handle a rule, too (route.h).
 *
 * @param id the rule's, of the form of a route's name.
 * @param options CTIE_HANDLER_PUBLIC is refused: the rule decides that. NULL for defaults.
 * @param out receives the registration; may be NULL, as for ctie_route_add().
 * @par Errors
 * CTIE_E_CONFLICT (the rule has a handler, or a route handles it); CTIE_E_IDENTIFIER (id); CTIE_E_UTF8, CTIE_E_LIMIT
 * (id, interceptors).
 * @since 0.1
 */
CTIE_API ctie_status ctie_rules_handle(ctie_bus *bus, ctie_str id, ctie_handler handler,
                                       const ctie_handler_options *options, ctie_registration **out,
                                       ctie_error_out error);

/**
 * Sets the handler of every rule that has neither a handler of its own nor a target for the performer (performer.h).
 * ctie_request_rule() gives it the rule's target and presentation, ctie_request_params() the parameters. It is a
 * callback slot (docs/conventions.md).
 *
 * @param handler NULL for its `fn` empties the slot.
 * @param options CTIE_HANDLER_PUBLIC is refused: the rule decides that. NULL for defaults.
 * @return CTIE_OK; CTIE_PENDING (the previous handler is still running).
 * @par Errors
 * CTIE_E_LIMIT (interceptors).
 * @since 0.1
 */
CTIE_API ctie_status ctie_rules_set_navigator(ctie_bus *bus, ctie_handler handler, const ctie_handler_options *options,
                                              ctie_error_out error);

/** The way in which a rule's URL is generated. @since 0.1 */
enum {
    CTIE_RULES_WEB = 1 << 0,       /**< an https URL on the first web host, instead of the first public scheme */
    CTIE_RULES_BY_TARGET = 1 << 1, /**< `name` is a target: that of the first rule that has it */
    CTIE_RULES_PRIVATE = 1 << 2,   /**< the first private scheme, which remote origins may not use */
};

/**
 * Makes a URL that reaches a rule with these parameters.
 *
 * @param name the rule's id, or its target; at most 8,192 bytes.
 * @param params a map: parameters of the path and declared ones by their types; others become text in the query. NULL
 *   or null for none.
 * @param flags CTIE_RULES_….
 * @param out receives the URL as a string value, owned by the caller.
 * @par Errors
 * CTIE_E_NOT_FOUND (no table, no such rule or scheme, or no web link leads to it); CTIE_E_PARAM (a parameter is missing
 * or not allowed at its position; the location names it); CTIE_E_TYPE (`params` is not a map); CTIE_E_FOREIGN (`params`
 * cannot be converted); CTIE_E_LIMIT (name, or the URL would be too long); CTIE_E_UTF8 (name, `params`).
 * @since 0.1
 */
CTIE_API ctie_status ctie_rules_generate(const ctie_bus *bus, ctie_str name, const ctie_value *params, uint32_t flags,
                                         ctie_value **out, ctie_error_out error);

/** @} */

CTIE_END

#endif
