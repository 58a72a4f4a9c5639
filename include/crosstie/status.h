/**
 * @file status.h
 * The statuses that functions return, and the error object with the details.
 */
#ifndef CROSSTIE_STATUS_H
#define CROSSTIE_STATUS_H

#include "base.h"

CTIE_BEGIN

/**
 * @defgroup status Statuses and errors
 *
 * Any thread may call these functions. They never fail.
 * @{
 */

/**
 * The list of all statuses: X(name, number, message). The enumeration below, ctie_status_name(), ctie_status_message()
 * and the names in Swift and Python are made from it. A number is never changed or reused.
 */
#define CTIE_STATUS_LIST(X) \
    X(CTIE_PENDING, 1, "accepted, not finished yet") \
    X(CTIE_OK, 0, "success") \
    X(CTIE_E_INVALID, -1, "invalid argument") \
    X(CTIE_E_HANDLE, -2, "invalid or released handle") \
    X(CTIE_E_FORKED, -3, "made before this process was forked") \
    X(CTIE_E_CLOSED, -4, "the bus, wormhole or loop is closed") \
    X(CTIE_E_UTF8, -5, "invalid UTF-8") \
    X(CTIE_E_LIMIT, -6, "limit exceeded") \
    X(CTIE_E_NO_MEMORY, -7, "out of memory") \
    X(CTIE_E_TYPE, -8, "wrong type of value") \
    X(CTIE_E_ABI, -9, "header and library do not match") \
    X(CTIE_E_CONFLICT, -10, "already in use") \
    X(CTIE_E_NO_ROUTE, -11, "no route matches") \
    X(CTIE_E_DENIED, -12, "access denied") \
    X(CTIE_E_BLOCKED, -13, "nothing may open this URL") \
    X(CTIE_E_URL, -14, "malformed URL") \
    X(CTIE_E_PATH, -15, "the URL's path cannot be routed") \
    X(CTIE_E_PATTERN, -16, "malformed pattern") \
    X(CTIE_E_PARAM, -17, "missing, unknown or malformed parameter") \
    X(CTIE_E_DUPLICATE, -18, "duplicate key") \
    X(CTIE_E_NOT_FOUND, -19, "not found") \
    X(CTIE_E_ALREADY, -20, "already done") \
    X(CTIE_E_NO_REPLY, -21, "handler finished without replying") \
    X(CTIE_E_TIMEOUT, -22, "deadline exceeded") \
    X(CTIE_E_CANCELLED, -23, "cancelled") \
    X(CTIE_E_HANDLER, -24, "handler failed") \
    X(CTIE_E_DEADLOCK, -25, "waiting here would deadlock") \
    X(CTIE_E_DEPTH, -26, "requests nested too deeply") \
    X(CTIE_E_BUSY, -27, "queue full or resource in use") \
    X(CTIE_E_FORMAT, -28, "malformed document or message") \
    X(CTIE_E_FOREIGN, -29, "a foreign value cannot leave its process") \
    X(CTIE_E_IDENTIFIER, -30, "malformed name or identifier") \
    X(CTIE_E_NO_SPACE, -31, "disk or store full") \
    X(CTIE_E_UNSAFE, -32, "file or directory open to tampering") \
    X(CTIE_E_CORRUPT, -33, "corrupt data") \
    X(CTIE_E_VERSION, -34, "incompatible version") \
    X(CTIE_E_SYSTEM, -35, "system call failed") \
    X(CTIE_E_NO_TARGET, -36, "no handler for the target") \
    X(CTIE_E_NO_COMPONENT, -37, "no such component") \
    X(CTIE_E_NO_ACTION, -38, "no such action") \
    X(CTIE_E_NO_NAME, -39, "empty name") \
    X(CTIE_E_NOT_COMPONENT, -40, "not a component") \
    X(CTIE_E_NO_HANDLER, -41, "no provider for this") \
    X(CTIE_E_NOT_INSTALLED, -42, "not installed") \
    X(CTIE_E_UNSUPPORTED_APP, -43, "the installed version is too old") \
    X(CTIE_E_UNSUPPORTED_MESSAGE, -44, "message kind not supported") \
    X(CTIE_E_USER_CANCELLED, -45, "cancelled by the user") \
    X(CTIE_E_UNKNOWN, -46, "answer not understood") \
    X(CTIE_E_FULL, -47, "queue full") \
    X(CTIE_E_PEER_GONE, -48, "the peer process ended or left") \
    X(CTIE_E_UNAVAILABLE, -49, "it cannot be reached") \
    X(CTIE_E_UNCERTAIN, -50, "it may have been done") \
    X(CTIE_E_UNSUPPORTED, -51, "not supported by the store or server below")

/**
 * The result of a function: 0 for success, negative for an error, positive for an operation that has not finished yet.
 *
 * @since 0.1
 */
typedef int32_t ctie_status;

/** The statuses by name. @since 0.1 */
enum {
/** Turns an entry of the list into an enumerator. */
#define CTIE_STATUS_ENUM(name, number, message) name = number,
    CTIE_STATUS_LIST(CTIE_STATUS_ENUM)
#undef CTIE_STATUS_ENUM
    CTIE_STATUS_LAST_ = -51 /**< the lowest number in use; it moves as the list grows */
};

/**
 * Returns the name of a status, as in C.
 *
 * @param status any number.
 * @return static NUL-terminated text; "CTIE_UNLISTED" for a number that is not in the list.
 * @since 0.1
 */
CTIE_API const char *CTIE_NONNULL ctie_status_name(ctie_status status);

/**
 * Returns a short description of a status.
 *
 * @param status any number.
 * @return static NUL-terminated text; "unknown status" for a number that is not in the list.
 * @since 0.1
 */
CTIE_API const char *CTIE_NONNULL ctie_status_message(ctie_status status);

/**
 * Returns the integer code of a response with this status. Applications add codes of their own. CTIE_OK is 1,
 * CTIE_E_UNKNOWN -1, CTIE_E_HANDLE 10001, CTIE_E_TIMEOUT 10002, CTIE_E_ALREADY 10003, CTIE_E_CANCELLED 10004,
 * CTIE_E_NO_COMPONENT 20001, CTIE_E_NO_NAME 20002, CTIE_E_NOT_COMPONENT 30001, CTIE_E_NO_ACTION 30002; these numbers
 * are those of the CBus component bus. Any other status is 40000 - status.
 *
 * @param status any number.
 * @since 0.1
 */
CTIE_API int32_t ctie_status_code(ctie_status status);

/**
 * The reason for a failure: a status, a message for people, and the location in the input. Immutable; owned by the
 * caller of the function that failed.
 *
 * @since 0.1
 */
typedef struct ctie_error ctie_error;

/**
 * The last argument of a function that may fail: receives the error, owned by the caller, or NULL after a success. NULL
 * if only the status matters. @since 0.1
 */
typedef ctie_error **ctie_error_out;

/** Returns the status of an error; CTIE_E_INVALID for NULL. @since 0.1 */
CTIE_API ctie_status ctie_error_status(const ctie_error *error);

/** Returns the message of an error, which lives as long as the error; empty for NULL. @since 0.1 */
CTIE_API ctie_str ctie_error_message(const ctie_error *error);

/**
 * Returns the location of the error in the input ("byte 12", "rules[3].path"), or empty text. It lives as long as the
 * error.
 *
 * @since 0.1
 */
CTIE_API ctie_str ctie_error_location(const ctie_error *error);

/** Releases an error; NULL is allowed. @since 0.1 */
CTIE_API void ctie_error_release(ctie_error *error);

/** @} */

CTIE_END

#endif
