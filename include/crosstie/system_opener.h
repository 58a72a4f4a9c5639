/**
 * @file system_opener.h
 * The system opener: the handler of URLs that belong to other programs.
 *
 * The system opener gets a URL that no route and no rule takes, if it is an http or https URL, or if the options allow
 * its scheme and no route and no rule table uses that scheme. It gets URLs of remote origin only with
 * CTIE_SYSTEM_OPENER_REMOTE. By default the system opener is `xdg-open`, started with the URL's normal form as its only
 * argument, without a shell, in its own session and with only stdout and stderr of the host's descriptors. It may get a
 * malformed URL of a scheme that the bus does not know, unchanged: docs/urls.md.
 */
#ifndef CROSSTIE_SYSTEM_OPENER_H
#define CROSSTIE_SYSTEM_OPENER_H

#include "base.h"
#include "bus.h"
#include "request.h"
#include "status.h"

CTIE_BEGIN

/**
 * @defgroup system_opener The system opener
 *
 * Any thread may call these functions. They return CTIE_OK, or one of CTIE_E_HANDLE, CTIE_E_FORKED, CTIE_E_INVALID (an
 * argument is malformed), CTIE_E_ABI (options of a newer header), CTIE_E_NO_MEMORY, and the errors that each lists.
 * `options` is borrowed, and NULL means the defaults. `error` may be NULL; it receives an error object owned by the
 * caller.
 * @{
 */

/** Flags of the system opener. @since 0.1 */
enum {
    CTIE_SYSTEM_OPENER_REMOTE = 1 << 0, /**< it opens URLs of remote origin, too */
    CTIE_SYSTEM_OPENER_OFF = 1 << 1,    /**< it opens nothing */
};

/** Options of a bus's system opener. Start from CTIE_SYSTEM_OPENER_OPTIONS_INIT; zero means default. @since 0.1 */
typedef struct ctie_system_opener_options {
    size_t size;                               /**< sizeof(ctie_system_opener_options) */
    uint32_t flags;                            /**< CTIE_SYSTEM_OPENER_REMOTE, CTIE_SYSTEM_OPENER_OFF */
    ctie_str_list schemes;                     /**< schemes that it opens besides http and https; at most 64 */
    ctie_str program;                          /**< the program; empty for "xdg-open"; found on the PATH unless it has a
                                                    '/'; UTF-8, at most 4,096 bytes */
    const ctie_runtime *CTIE_NULLABLE runtime; /**< of the handler; NULL for none */
} ctie_system_opener_options;

/** The struct with its size and the defaults. @since 0.1 */
#define CTIE_SYSTEM_OPENER_OPTIONS_INIT {sizeof(ctie_system_opener_options), 0, {NULL, 0}, {NULL, 0}, NULL}

/**
 * Sets a bus's system opener and its schemes. It is a callback slot (docs/conventions.md).
 *
 * @param handler opens URLs in place of the program, and replies as any handler does; if it declines, the URL is not
 *   opened. NULL for its `fn`: the program opens them.
 * @return CTIE_OK; CTIE_PENDING (the previous handler is still running).
 * @par Errors
 * CTIE_E_INVALID (a program with a NUL, an unknown flag); CTIE_E_URL (a malformed scheme; also file, javascript,
 * vbscript, data, blob, about and view-source); CTIE_E_LIMIT; CTIE_E_UTF8.
 * @since 0.1
 */
CTIE_API ctie_status ctie_bus_set_system_opener(ctie_bus *bus, ctie_handler handler,
                                                const ctie_system_opener_options *options, ctie_error_out error);

/** @} */

CTIE_END

#endif
