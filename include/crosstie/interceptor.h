/**
 * @file interceptor.h
 * Interceptors: handlers that see a request on its way, and answer it, deny it, send it elsewhere or let it go on.
 *
 * A request passes its own interceptors (ctie_open_options), then its bus's, then is matched and judged by its
 * origin, then passes those of the route or rule that takes it, then reaches the handler. An interceptor is a
 * ctie_handler_fn. It may ask whatever a handler may ask; before a route is found there are no path parameters. It
 * ends the request as a handler does, or calls ctie_request_proceed() or ctie_request_rewrite(), once: inside itself,
 * or, if it has retained the request, later on any thread. One that returns without any of these and has not
 * retained the request ends it with CTIE_E_NO_REPLY. No interceptor can make a request more trusted than it is.
 */
#ifndef CROSSTIE_INTERCEPTOR_H
#define CROSSTIE_INTERCEPTOR_H

#include "base.h"
#include "bus.h"
#include "request.h"
#include "status.h"

CTIE_BEGIN

/** How an interceptor shall be. Start from CTIE_INTERCEPTOR_OPTIONS_INIT; zero means default. @since 0.1 */
typedef struct ctie_interceptor_options {
    size_t size;                               /**< sizeof(ctie_interceptor_options) */
    int32_t order;                             /**< lower ones see a request first; of equal ones, the elder */
    const ctie_runtime *CTIE_NULLABLE runtime; /**< the interceptor's runtime; NULL for none */
} ctie_interceptor_options;

#define CTIE_INTERCEPTOR_OPTIONS_INIT {sizeof(ctie_interceptor_options), 0, NULL}

/**
 * Registers an interceptor that sees every request of a bus.
 *
 * @param fn, user_data, destroy the interceptor; `destroy` may be NULL and runs once, also on failure.
 * @param options borrowed; NULL for defaults.
 * @param out receives the registration: ctie_registration_release() takes the interceptor away. NULL: it lives as
 *   long as the bus.
 * @param error receives why it failed, owned by the caller; may be NULL.
 * Threads: any.
 * @return CTIE_OK; CTIE_E_INVALID; CTIE_E_ABI (options of a newer header); CTIE_E_LIMIT (over 1,024); CTIE_E_HANDLE;
 *   CTIE_E_FORKED; CTIE_E_NO_MEMORY.
 * @since 0.1
 */
CTIE_API ctie_status ctie_interceptor_add(ctie_bus *CTIE_NULLABLE bus, ctie_handler_fn CTIE_NULLABLE fn,
                                          void *CTIE_NULLABLE user_data, ctie_destroy_fn CTIE_NULLABLE destroy,
                                          const ctie_interceptor_options *CTIE_NULLABLE options,
                                          ctie_registration *CTIE_NULLABLE *CTIE_NULLABLE out,
                                          ctie_error *CTIE_NULLABLE *CTIE_NULLABLE error);

/**
 * Lets a request go on. Inside the interceptor it goes on when that returns; called later, for a request that was
 * retained, it goes on inside this call.
 *
 * Threads: any.
 * @return CTIE_OK; CTIE_E_ALREADY (it goes on or has ended already); CTIE_E_INVALID (no interceptor has it);
 *   CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_proceed(ctie_request *CTIE_NULLABLE request);

/**
 * Lets a request go on with another URL, from the beginning: its own interceptors see it again, then the bus's. What
 * was asked of the URL before must not be used any more once this interceptor has returned. The origin stays, or is
 * lowered to the trust of what this thread is handling.
 *
 * @param url at most 8,192 bytes.
 * @param error receives why it failed, owned by the caller; may be NULL.
 * Threads: as ctie_request_proceed().
 * @return CTIE_OK; CTIE_E_URL, CTIE_E_PATH, CTIE_E_UTF8, CTIE_E_LIMIT (the URL is malformed, or this is the ninth
 *   rewrite; the request stays as it is); CTIE_E_INVALID (also when no interceptor has the request); CTIE_E_ALREADY;
 *   CTIE_E_HANDLE; CTIE_E_FORKED; CTIE_E_NO_MEMORY.
 * @since 0.1
 */
CTIE_API ctie_status ctie_request_rewrite(ctie_request *CTIE_NULLABLE request, ctie_str url,
                                          ctie_error *CTIE_NULLABLE *CTIE_NULLABLE error);

CTIE_END

#endif
