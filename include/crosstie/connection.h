/**
 * @file connection.h
 * The connection of a wormhole to the server of its group.
 */
#ifndef CROSSTIE_CONNECTION_H
#define CROSSTIE_CONNECTION_H

#include "base.h"
#include "listener.h"
#include "status.h"
#include "value.h"
#include "wormhole.h"

CTIE_BEGIN

/**
 * @addtogroup wormhole
 * @{
 */

/**
 * Returns the connection to the server of a group with an address, or with an engine that has one.
 *
 * @param out receives a map, owned by the caller; NULL after a failure. Its `state` is a string: `connected` (the server
 *   answers), `reconnecting` (it does not; the wormhole tries again by itself) or `closed` (for good: the server refused
 *   the log-in). Its `since` is the time of that: an integer, nanoseconds since 1970-01-01 UTC. The strings `server` (a
 *   name or address), `version` and `reason` (why it is not connected) are empty if unknown.
 * @par Errors
 * CTIE_E_UNSUPPORTED (a group on this machine, a transport, or an engine without a connection).
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_connection(const ctie_wormhole *wormhole, ctie_value **out, ctie_error_out error);

/**
 * Binds a listener to the connection. First it gets a CTIE_MESSAGE_CONNECTION with the present state, then one for each
 * change. A state that ends before the listener is called is skipped. An empty identifier of
 * ctie_wormhole_remove_listener() and ctie_wormhole_remove_listeners() means these listeners, too.
 *
 * @param receiver its `destroy` runs once, also on failure.
 * @param options NULL for the defaults. The only flag allowed is CTIE_LISTEN_NO_INITIAL_DELIVERY; no start position is.
 * @param out receives the listener, owned by the caller: ctie_listener_release(). NULL: it lives as long as the
 *   wormhole.
 * @return as ctie_wormhole_listen().
 * @par Errors
 * Those of ctie_wormhole_listen() and of ctie_wormhole_connection().
 * @since 0.1
 */
CTIE_API ctie_status ctie_wormhole_listen_connection(ctie_wormhole *wormhole, ctie_receiver receiver,
                                                     const ctie_listen_options *options, ctie_listener **out,
                                                     ctie_error_out error);

/** @} */

CTIE_END

#endif
