/**
 * @file convenience.h
 * Shorter forms of frequent code in C programs: values in one expression, readers with a default,
 * formatted answers, routes and opens without options.
 *
 * Include it separately; crosstie.h does not. It consists of inline functions and macros over the exported functions,
 * for C99 and later and for C++; C++17 programs find more in crosstie.hpp. The compiler checks every argument: the only
 * format strings are those of printf().
 */
#ifndef CROSSTIE_CONVENIENCE_H
#define CROSSTIE_CONVENIENCE_H

#include "base.h"
#include "call.h"
#include "convenience_value.h"
#include "request.h"
#include "route.h"
#include "status.h"
#include "value.h"

CTIE_BEGIN

/**
 * @defgroup convenience Shorter forms
 *
 * Text goes in as NUL-terminated UTF-8, and NULL is the empty text. A function whose name ends in `_text` returns
 * NUL-terminated text, one that ends in `_str` a ctie_str. A failure gives NULL, the default or a status, and never
 * ends the process.
 * @{
 */

/** Marks a parameter that its function does not use: `void *data CTIE_UNUSED`. @since 0.1 */
#if defined(__GNUC__)
#define CTIE_UNUSED __attribute__((unused))
#else
#define CTIE_UNUSED
#endif

/* ---- Routes and opens ---------------------------------------------------------------------------- */

/**
 * Registers a route that lives as long as the bus.
 *
 * @param flags CTIE_ROUTE_… or'ed together; 0 for none.
 * @return as ctie_route_add().
 * @since 0.1
 */
static inline ctie_status ctie_route_on(ctie_bus *bus, const char *pattern, ctie_handler handler, uint32_t flags) {
    ctie_route_options options = CTIE_ROUTE_OPTIONS_INIT;
    options.flags = flags;
    return ctie_route_add(bus, ctie_str_from(pattern), handler, &options, NULL, NULL);
}

/** Opens a URL of the program's own, of local origin, and drops the answer. @return as ctie_open(). @since 0.1 */
static inline ctie_status ctie_url_open(ctie_bus *bus, const char *url) {
    return ctie_open(bus, ctie_str_from(url), CTIE_ORIGIN_LOCAL, NULL, NULL, NULL);
}

/**
 * Opens a URL with user info, otherwise as ctie_url_open().
 *
 * @param user_info a map, taken, also on failure.
 * @return as ctie_open(); CTIE_E_INVALID if `user_info` is NULL because it could not be made.
 * @since 0.1
 */
static inline ctie_status ctie_url_open_with(ctie_bus *bus, const char *url, ctie_value *user_info) {
    ctie_request_options options = CTIE_REQUEST_OPTIONS_INIT;
    ctie_status status = CTIE_E_INVALID;
    options.user_info = user_info;
    if (user_info != NULL) status = ctie_open(bus, ctie_str_from(url), CTIE_ORIGIN_LOCAL, &options, NULL, NULL);
    ctie_value_release(user_info);
    return status;
}

/* ---- Parts of a request -------------------------------------------------------------------------- */

/** The URL in its normal form; empty when the request has none. It lives as long as the request. @since 0.1 */
static inline ctie_str ctie_url_str(const ctie_request *request) {
    ctie_str url;
    return ctie_request_url(request, CTIE_URL_WHOLE, &url) == CTIE_OK ? url : ctie_str_from(NULL);
}

/**
 * The user info, a map or the null value, borrowed from the request; NULL for a request that has ended. It is read by
 * path: ctie_get_int(ctie_user_info(request), "user.id", 0).
 *
 * @since 0.1
 */
static inline const ctie_value *CTIE_NULLABLE ctie_user_info(const ctie_request *request) {
    const ctie_value *info;
    return ctie_request_user_info(request, &info) == CTIE_OK ? info : NULL;
}

/**
 * The string under a key of the user info, such as CTIE_OPTION_…: the key is not a path, dots are part of it. It lives
 * as long as the request. The default is returned in the same cases as by ctie_value_text().
 *
 * @since 0.1
 */
static inline const char *CTIE_NULLABLE ctie_option_text(const ctie_request *request, const char *key,
                                                         const char *fallback) {
    return ctie_value_text(ctie_value_get(ctie_user_info(request), ctie_str_from(key)), fallback);
}

/* ---- Parameters with a default ------------------------------------------------------------------- */
/*
 * These functions read a parameter by its name, not by a path. They return the default for a parameter that is missing,
 * of another kind or malformed, and for a key that occurs twice in a URL's query. A number or boolean in a URL is read as
 * JSON, like a typed parameter of a pattern (docs/urls.md); in a request without a URL, a text is not a number.
 */

/** The text of a parameter, as ctie_request_param() gives it: it lives as long as the request. @since 0.1 */
static inline ctie_str ctie_param_str(const ctie_request *request, const char *name, ctie_str fallback) {
    ctie_str text = fallback;
    return ctie_request_param(request, ctie_str_from(name), &text) == CTIE_OK ? text : fallback;
}

/* Whether a text may be a JSON number or boolean without white space around it. Every double's digits fit in 400 bytes. */
static inline bool ctie_is_scalar_(ctie_str text) {
    if (text.size == 0 || text.size > 400 || memchr(text.data, '\0', text.size) != NULL) return false;
    return strchr("-0123456789tf", text.data[0]) != NULL && strchr("0123456789e", text.data[text.size - 1]) != NULL;
}

/** Returns a parameter, owned by the caller; a text of a URL is parsed as JSON. NULL when there is none. */
static inline ctie_value *CTIE_NULLABLE ctie_param_value_(const ctie_request *request, const char *name) {
    int32_t kind = CTIE_REQUEST_KIND_CALL;
    ctie_value *all = NULL;
    ctie_value *found = NULL;
    const ctie_value *value;
    ctie_str text;
    if (ctie_request_params(request, &all) != CTIE_OK || ctie_request_kind(request, &kind) != CTIE_OK) {
        ctie_value_release(all);
        return NULL;
    }
    value = ctie_value_get(all, ctie_str_from(name));
    if (kind != CTIE_REQUEST_KIND_OPEN || ctie_value_get_string(value, &text) != CTIE_OK) {
        found = ctie_value_retain(value);
    } else if (ctie_is_scalar_(text)) {
        (void)ctie_value_from_json(text, &found, NULL);
    }
    ctie_value_release(all);
    return found;
}

/** An integer parameter. @since 0.1 */
static inline int64_t ctie_param_int(const ctie_request *request, const char *name, int64_t fallback) {
    ctie_value *value = ctie_param_value_(request, name);
    int64_t number;
    if (ctie_value_get_int(value, &number) != CTIE_OK) number = fallback;
    ctie_value_release(value);
    return number;
}

/** A double parameter, or an integer that a double holds exactly. @since 0.1 */
static inline double ctie_param_double(const ctie_request *request, const char *name, double fallback) {
    ctie_value *value = ctie_param_value_(request, name);
    double number;
    if (ctie_value_get_double(value, &number) != CTIE_OK) number = fallback;
    ctie_value_release(value);
    return number;
}

/** A boolean parameter. @since 0.1 */
static inline bool ctie_param_bool(const ctie_request *request, const char *name, bool fallback) {
    ctie_value *value = ctie_param_value_(request, name);
    bool flag;
    if (ctie_value_get_bool(value, &flag) != CTIE_OK) flag = fallback;
    ctie_value_release(value);
    return flag;
}

/* ---- Formatted answers --------------------------------------------------------------------------- */

/**
 * Ends a request with success and a string made with a printf() format.
 *
 * @return as ctie_request_reply(); CTIE_E_INVALID if the string cannot be made; the request then stays open.
 * @since 0.1
 */
static inline ctie_status ctie_reply_format(ctie_request *request, const char *format, ...)
    CTIE_FORMAT_(2, 3);
static inline ctie_status ctie_reply_format(ctie_request *request, const char *format, ...) {
    ctie_value *value;
    va_list arguments;
    va_start(arguments, format);
    value = ctie_vformat(format, arguments);
    va_end(arguments);
    return ctie_request_reply(request, value);
}

/**
 * Ends a request with a failure: this code, and a message made with a printf() format.
 *
 * @return as ctie_request_fail(); CTIE_E_INVALID if the message cannot be made; the request then stays open.
 * @since 0.1
 */
static inline ctie_status ctie_fail_format(ctie_request *request, int32_t code,
                                           const char *format, ...) CTIE_FORMAT_(3, 4);
static inline ctie_status ctie_fail_format(ctie_request *request, int32_t code, const char *format, ...) {
    ctie_value *value;
    ctie_str message;
    ctie_status status = CTIE_E_INVALID;
    va_list arguments;
    va_start(arguments, format);
    value = ctie_vformat(format, arguments);
    va_end(arguments);
    if (ctie_value_get_string(value, &message) == CTIE_OK) status = ctie_request_fail(request, code, NULL, message);
    ctie_value_release(value);
    return status;
}

/** @} */

CTIE_END

#endif
