/**
 * @file plugin.h
 * Plug-ins: shared objects whose components are added to a bus and removed while the program runs.
 *
 * A plug-in declares components as in declare.h and links only the library. It is never unmapped, because its code may
 * be running, or a `destroy` of it may be called later.
 */
#ifndef CROSSTIE_PLUGIN_H
#define CROSSTIE_PLUGIN_H

#include "base.h"
#include "bus.h"
#include "status.h"

CTIE_BEGIN

/**
 * @defgroup plugin Plug-ins
 *
 * Any thread may call these functions. They return CTIE_OK, or one of CTIE_E_HANDLE,
 * CTIE_E_FORKED, CTIE_E_NO_MEMORY, and the errors that each lists. `error` may be NULL; it receives an error object
 * owned by the caller.
 * @{
 */

/**
 * Opens a shared object and registers the components that it declares on a bus: all of them or none. Its constructors
 * run on this thread.
 *
 * @param path of the shared object, as for dlopen(3): a file if it has a slash, else a name that is searched for in the
 *   library path. At most 4,096 bytes.
 * @param out receives the number of its components; may be NULL.
 * @par Errors
 * CTIE_E_SYSTEM (it cannot be opened; the message says why); CTIE_E_ABI (a declaration of another form);
 * CTIE_E_NOT_COMPONENT (it declares nothing); CTIE_E_ALREADY (this bus has it); CTIE_E_INVALID, CTIE_E_LIMIT,
 * CTIE_E_UTF8 (path); those for which ctie_component_add() refuses a component.
 * @since 0.1
 */
CTIE_API ctie_status ctie_plugin_load(ctie_bus *bus, ctie_str path, size_t *out, ctie_error_out error);

/**
 * Removes the components of a plug-in from a bus, as ctie_component_remove() does; the shared object stays mapped.
 *
 * @param path the same text as for ctie_plugin_load().
 * @return CTIE_OK; CTIE_PENDING (inside a callback, while one of its actions runs).
 * @par Errors
 * CTIE_E_NOT_FOUND (this bus has no plug-in of that path); CTIE_E_INVALID, CTIE_E_LIMIT, CTIE_E_UTF8 (path).
 * @since 0.1
 */
CTIE_API ctie_status ctie_plugin_unload(ctie_bus *bus, ctie_str path, ctie_error_out error);

/** @} */

CTIE_END

#endif
