/**
 * @file provider_system.h
 * The system's provider: it shares by the mail composer, by the clipboard, or by opening a file with its application,
 * and launches the desktop's applications. It runs the desktop's tools, such as those of xdg-utils, without a shell, each
 * in its own session and with only stdout and stderr of the host's descriptors. See docs/providers-system.md.
 */
#ifndef CROSSTIE_PROVIDER_SYSTEM_H
#define CROSSTIE_PROVIDER_SYSTEM_H

#include "base.h"
#include "bus.h"
#include "status.h"

CTIE_BEGIN

/**
 * @defgroup provider_system The system's provider
 * @{
 */

/** Flags of the system's provider. @since 0.1 */
enum {
    CTIE_SYSTEM_KEEP_FILES = 1 << 0, /**< keeps shared files when the provider is removed */
};

/**
 * Options of the system's provider. Start from CTIE_SYSTEM_PROVIDER_OPTIONS_INIT; zero means default. Programs are
 * found on the PATH unless they have a '/'; texts are UTF-8, paths have at most 4,096 bytes.
 *
 * @since 0.1
 */
typedef struct ctie_system_provider_options {
    size_t size;        /**< sizeof(ctie_system_provider_options) */
    uint32_t flags;     /**< CTIE_SYSTEM_KEEP_FILES */
    ctie_str mail;      /**< composes mails; empty for "xdg-email"; called with its arguments */
    ctie_str opener;    /**< opens files; empty for "xdg-open"; called with its arguments */
    ctie_str clipboard; /**< copies its standard input; empty for the first one installed of "wl-copy" (under Wayland),
                             "xclip" and "xsel"; the first two copy images, too */
    ctie_str launcher;  /**< launches desktop entries; empty for "gio"; called with its arguments: "launch", the entry's
                             path, arguments */
    ctie_str directory; /**< an absolute path, where shared files are written; empty for $TMPDIR, else "/tmp" */
    ctie_str name;      /**< the provider's; empty for "system" */
} ctie_system_provider_options;

/** The struct with its size and the defaults. @since 0.1 */
#define CTIE_SYSTEM_PROVIDER_OPTIONS_INIT \
    {sizeof(ctie_system_provider_options), 0, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}}

/**
 * Adds the system's provider to a bus's list. It shares to CTIE_ENDPOINT_SYSTEM_ACTIVITY and launches programs of
 * CTIE_PLATFORM_SYSTEM. A bus may have several, of different names.
 *
 * It waits for the tools on the thread that handles the request; a tool that is still running when the request ends is
 * not stopped. Files that were written for them are deleted when the provider is removed or the bus closes.
 *
 * @param options borrowed; NULL for the defaults.
 * @param position, out as for ctie_provider_add().
 * @param error may be NULL; receives an error object owned by the caller.
 * @par Threads
 * Any.
 * @par Errors
 * CTIE_E_INVALID (a path with a NUL, a directory that is not absolute); CTIE_E_IDENTIFIER (name); CTIE_E_CONFLICT (the
 * name is taken); CTIE_E_LIMIT (also the 65th provider); CTIE_E_UTF8; CTIE_E_ABI (options of a newer header);
 * CTIE_E_HANDLE; CTIE_E_FORKED; CTIE_E_NO_MEMORY.
 * @since 0.1
 */
CTIE_API ctie_status ctie_provider_add_system(ctie_bus *bus, const ctie_system_provider_options *options,
                                              size_t position, ctie_registration **out, ctie_error_out error);

/** @} */

CTIE_END

#endif
