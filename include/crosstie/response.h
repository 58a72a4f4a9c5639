/**
 * @file response.h
 * Responses: the results of requests. Each caller gets one; interceptors may change it first.
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
 *
 * Any thread may call these functions. Text and values are borrowed and live as long as the response. For an invalid
 * handle, a function that returns a status returns CTIE_E_HANDLE or CTIE_E_FORKED; the others document their result.
 * @{
 */

/** The result of a request. A checked handle with one owner. @since 0.1 */
typedef struct ctie_response ctie_response;

/**
 * Called exactly once when an asynchronous request has ended.
 *
 * @param response borrowed: valid until the callback returns.
 * @par Threads
 * A worker, or the thread that dispatches the request's loop. If the bus is closing, or there is no worker, the thread
 * that closes the bus or ends the request.
 * @since 0.1
 */
typedef void (*ctie_completion_fn)(ctie_response *CTIE_NONNULL response, void *user_data);

/**
 * A callback for the end of a request. A function that takes one runs it exactly once if the function succeeds, and
 * never if it fails; `destroy` runs once in any case. `fn` may be NULL.
 *
 * @since 0.1
 */
typedef struct ctie_completion {
    ctie_completion_fn CTIE_NULLABLE fn;    /**< the function */
    void *CTIE_NULLABLE user_data;          /**< handed to it and to `destroy` */
    ctie_destroy_fn CTIE_NULLABLE destroy;  /**< called when `user_data` is no longer needed; may be NULL */
} ctie_completion;

/** A ctie_completion of a function and its data. @since 0.1 */
#define CTIE_COMPLETION(fn, data) CTIE_COMPLETION_OWNED(fn, data, NULL)
/** The same with a `destroy`. @since 0.1 */
#define CTIE_COMPLETION_OWNED(fn, data, destroy) CTIE_OF(ctie_completion, fn, data, destroy)

/**
 * Returns the status of the request's end: CTIE_OK, CTIE_E_HANDLER, or the status with which the library or an interceptor
 * ended it. CTIE_E_HANDLE for an invalid handle.
 *
 * @since 0.1
 */
CTIE_API ctie_status ctie_response_status(const ctie_response *response);

/**
 * Returns the code: 1 for success, the handler's own on failure, else ctie_status_code(). 0 for an invalid handle.
 *
 * @since 0.1
 */
CTIE_API int32_t ctie_response_code(const ctie_response *response);

/**
 * Returns the value, or the null value; NULL for an invalid handle. If the handler replied with an object of its own
 * language, this is its plain value, or the object itself if it cannot be converted.
 *
 * @since 0.1
 */
CTIE_API const ctie_value *CTIE_NULLABLE ctie_response_value(const ctie_response *response);

/** Returns the value as the handler gave it, foreign values included: for bindings. @since 0.1 */
CTIE_API const ctie_value *CTIE_NULLABLE ctie_response_raw_value(const ctie_response *response);

/** Returns the message of a failure, else empty text. @since 0.1 */
CTIE_API ctie_str ctie_response_message(const ctie_response *response);

/** Releases a response; NULL is allowed. @since 0.1 */
CTIE_API ctie_status ctie_response_release(ctie_response *response);

/* Changing a response */

/**
 * Turns a response into a success with this value. Only inside a callback of ctie_request_on_return().
 *
 * @param value taken, also on failure.
 * @par Errors
 * CTIE_E_INVALID (NULL value, or not inside such a callback).
 * @since 0.1
 */
CTIE_API ctie_status ctie_response_replace(ctie_response *response, ctie_value *value);

/**
 * Turns a response into a failure: the status CTIE_E_HANDLER and this code. Only inside a callback of
 * ctie_request_on_return().
 *
 * @param code the application's number; by custom -1 when there is none.
 * @param value taken, also on failure; NULL for null.
 * @param message for people; UTF-8, at most 65,536 bytes.
 * @par Errors
 * CTIE_E_INVALID (message, or not inside such a callback); CTIE_E_UTF8, CTIE_E_LIMIT, CTIE_E_NO_MEMORY (message).
 * @since 0.1
 */
CTIE_API ctie_status ctie_response_fail(ctie_response *response, int32_t code, ctie_value *value, ctie_str message);

/** @} */

CTIE_END

#endif
