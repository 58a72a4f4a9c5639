/**
 * @file response.h
 * How a request ended: what its caller gets, and what an interceptor may change on the way back.
 */
#ifndef CROSSTIE_RESPONSE_H
#define CROSSTIE_RESPONSE_H

#include "base.h"
#include "bus.h"
#include "status.h"
#include "value.h"

CTIE_BEGIN

/**
 * @defgroup response Responses
 * @{
 */

/** The answer to one request. A checked handle with one owner. @since 0.1 */
typedef struct ctie_response ctie_response;

/**
 * Told that an asynchronous request has ended, exactly once.
 *
 * @param response borrowed: valid until the callback returns.
 * Threads: a worker's; the one that dispatches the request's loop if it names one; the closing or the ending thread
 * for a request that ends while its bus closes, or where no worker can be had.
 * @since 0.1
 */
typedef void (*ctie_completion_fn)(ctie_response *CTIE_NONNULL response, void *user_data);

/** What is told the end of a request. @since 0.1 */
typedef struct ctie_completion {
    ctie_completion_fn CTIE_NULLABLE fn;    /**< the function */
    void *CTIE_NULLABLE user_data;          /**< handed to it and to `destroy` */
    ctie_destroy_fn CTIE_NULLABLE destroy;  /**< told when that is not needed any more; may be NULL */
} ctie_completion;

/** A ctie_completion of a function and its data. @since 0.1 */
#define CTIE_COMPLETION(fn, data) CTIE_COMPLETION_OWNED(fn, data, NULL)
/** The same with what destroys the data. @since 0.1 */
#define CTIE_COMPLETION_OWNED(fn, data, destroy) CTIE_OF(ctie_completion, fn, data, destroy)

/* The response. Text and values are borrowed and live as long as the response. Threads: any. */

/**
 * How a request ended: CTIE_OK, CTIE_E_HANDLER, or the status of what kept it from its handler.
 *
 * @return that status; CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_response_status(const ctie_response *response);

/** The code: 1 for success, the handler's own on failure, else ctie_status_code(). 0 for a dead handle. @since 0.1 */
CTIE_API int32_t ctie_response_code(const ctie_response *response);

/**
 * The value, null where there is none, borrowed; NULL for a dead handle. If the handler answered with an
 * object of its own language, this is the object's plain form; an object that has none comes as it is.
 *
 * @since 0.1
 */
CTIE_API const ctie_value *CTIE_NULLABLE ctie_response_value(const ctie_response *response);

/** The same as the handler gave it, foreign values and all: for bindings. @since 0.1 */
CTIE_API const ctie_value *CTIE_NULLABLE ctie_response_raw_value(const ctie_response *response);

/** The message of a failure, else empty. @since 0.1 */
CTIE_API ctie_str ctie_response_message(const ctie_response *response);

/**
 * Releases a response; NULL is fine.
 *
 * @return CTIE_OK; CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_response_release(ctie_response *response);

/* On the way back */

/**
 * Makes a response one of success with another value. Only inside a callback that ctie_request_on_return() has set.
 *
 * @param value taken, also when this fails.
 * Threads: the callback's.
 * @return CTIE_OK; CTIE_E_INVALID (NULL value, or not inside such a callback); CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_response_replace(ctie_response *response, ctie_value *value);

/**
 * Makes a response one of failure: the status CTIE_E_HANDLER and this code. Only inside a callback that
 * ctie_request_on_return() has set.
 *
 * @param code the application's number; by custom -1 when there is none.
 * @param value taken, also when this fails; NULL for null.
 * @param message for people; UTF-8, at most 65,536 bytes.
 * Threads: the callback's.
 * @return CTIE_OK; CTIE_E_INVALID (message, or not inside such a callback); CTIE_E_UTF8, CTIE_E_LIMIT or
 *   CTIE_E_NO_MEMORY (message); CTIE_E_HANDLE; CTIE_E_FORKED.
 * @since 0.1
 */
CTIE_API ctie_status ctie_response_fail(ctie_response *response, int32_t code, ctie_value *value, ctie_str message);

/** @} */

CTIE_END

#endif
