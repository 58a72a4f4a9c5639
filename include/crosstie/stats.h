/**
 * @file stats.h
 * Statistics: the number of a bus's requests, and their duration.
 */
#ifndef CROSSTIE_STATS_H
#define CROSSTIE_STATS_H

#include "base.h"
#include "bus.h"
#include "status.h"
#include "value.h"

CTIE_BEGIN

/**
 * @defgroup stats Counts and times
 *
 * Any thread may call these functions. They return CTIE_OK, or one of CTIE_E_HANDLE, CTIE_E_FORKED, CTIE_E_INVALID (an
 * argument is NULL), CTIE_E_NO_MEMORY, and the errors that each lists. `error` may be NULL; it receives an error object
 * owned by the caller.
 * @{
 */

/**
 * Returns the statistics of a bus with CTIE_BUS_STATS, by kind and by name.
 *
 * @param out receives a list of maps, owned by the caller: one for each route, action or other handler that has been
 *   started. The keys are "kind" ("open", "call", "event", "perform"), "name" (a pattern, "component.action", a
 *   prefix), "count" (requests that have ended), "failures" (those of them that failed), "nanoseconds" (the sum of the
 *   times from the handler's start to the request's end) and "longest" (nanoseconds). One more map for each kind, with
 *   the name "", counts requests that ended before any handler was started. The list is ordered by kind, then by name.
 * @par Errors
 * CTIE_E_INVALID (a bus without CTIE_BUS_STATS); CTIE_E_LIMIT (more than a value holds).
 * @since 0.1
 */
CTIE_API ctie_status ctie_bus_stats(const ctie_bus *bus, ctie_value **out, ctie_error_out error);

/** @} */

CTIE_END

#endif
