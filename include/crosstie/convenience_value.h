/**
 * @file convenience_value.h
 * The part of convenience.h for texts and values: printing texts, making values in one expression, and reading them with
 * a default.
 */
#ifndef CROSSTIE_CONVENIENCE_VALUE_H
#define CROSSTIE_CONVENIENCE_VALUE_H

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __cplusplus
#include <initializer_list>
#endif

#include "base.h"
#include "convenience_pairs.h"
#include "status.h"
#include "value.h"

CTIE_BEGIN

/**
 * @addtogroup convenience
 * @{
 */

/** Has the compiler check the arguments of a function that takes a printf() format. */
#if defined(__GNUC__)
#define CTIE_FORMAT_(at, first) __attribute__((format(printf, at, first)))
#else
#define CTIE_FORMAT_(at, first)
#endif

/* ---- Printing texts ---------------------------------------------------------------------------- */

/**
 * A ctie_str in a printf() format, and its argument:
 *
 *     printf("user " CTIE_FMT "\n", CTIE_ARG(id));
 *
 * printf() ends a text at its first NUL; ctie_print() writes all of it. `CTIE_ARG` evaluates its argument twice.
 *
 * @since 0.1
 */
#define CTIE_FMT "%.*s"
/** The argument that goes with CTIE_FMT. @since 0.1 */
#define CTIE_ARG(text) ctie_arg_size_(text), ctie_arg_data_(text)

static inline int ctie_arg_size_(ctie_str text) {
    return text.size > (size_t)INT_MAX ? INT_MAX : (int)text.size;
}

static inline const char *CTIE_NONNULL ctie_arg_data_(ctie_str text) {
    return text.data != NULL ? text.data : "";
}

/** Writes a text to a stream, NULs included. Returns false if the stream takes only a part of it. @since 0.1 */
static inline bool ctie_print(FILE *stream, ctie_str text) {
    if (text.size == 0) return true;
    return stream != NULL && text.data != NULL && fwrite(text.data, 1, text.size, stream) == text.size;
}

/** Whether a text has exactly these bytes; NULL means the empty text. @since 0.1 */
static inline bool ctie_str_is(ctie_str text, const char *expected) {
    ctie_str other = ctie_str_from(expected);
    if (text.size != other.size) return false;
    return text.size == 0 || (text.data != NULL && memcmp(text.data, other.data, text.size) == 0);
}

/* ---- Making values ------------------------------------------------------------------------------ */
/*
 * Each function returns a value, owned by the caller, or NULL if it cannot be made. A list or map takes its parts, also on
 * failure: if one of them is NULL, for whatever reason, the result is NULL, and the caller has nothing to release.
 *
 *     ctie_value *user = CTIE_MAP("name", ctie_text("Ada"), "age", ctie_int(36),
 *                                 "tags", CTIE_LIST(ctie_text("a"), ctie_text("b")));
 */

/** The null value. @since 0.1 */
static inline ctie_value *CTIE_NULLABLE ctie_null(void) { return ctie_value_null(); }

/** A boolean. @since 0.1 */
static inline ctie_value *CTIE_NULLABLE ctie_bool(bool value) { return ctie_value_bool(value); }

/** An integer. @since 0.1 */
static inline ctie_value *CTIE_NULLABLE ctie_int(int64_t value) { return ctie_value_int(value); }

/** A floating-point number. @since 0.1 */
static inline ctie_value *CTIE_NULLABLE ctie_double(double value) { return ctie_value_double(value); }

/** A copy of a NUL-terminated text; NULL gives the empty one. @since 0.1 */
static inline ctie_value *CTIE_NULLABLE ctie_text(const char *text) {
    return ctie_value_string(ctie_str_from(text));
}

/** A copy of `size` bytes. @since 0.1 */
static inline ctie_value *CTIE_NULLABLE ctie_bytes_of(const void *data, size_t size) {
    ctie_str bytes;
    bytes.data = (const char *)data;
    bytes.size = size;
    return ctie_value_bytes(bytes);
}

/** A list without items; CTIE_LIST() takes one at least. @since 0.1 */
static inline ctie_value *CTIE_NULLABLE ctie_empty_list(void) { return ctie_value_list(NULL, 0); }

/** A map without entries; CTIE_MAP() takes one at least. @since 0.1 */
static inline ctie_value *CTIE_NULLABLE ctie_empty_map(void) { return ctie_value_map(NULL, 0); }

static inline ctie_pair ctie_pair_(const char *key, ctie_value *value) {
    ctie_pair pair;
    pair.key = ctie_str_from(key);
    pair.value = value;
    return pair;
}

/**
 * A map of alternating keys and values, 1 to 32 of each; the keys are NUL-terminated. A repeated key gives NULL. The order
 * in which the values are made is unspecified.
 *
 * @since 0.1
 */
#define CTIE_MAP(...) CTIE_PAIRS_(CTIE_CHOOSE_(__VA_ARGS__, CTIE_CHOICES_), __VA_ARGS__)

/** A list of one or more values. The order in which they are made is unspecified. @since 0.1 */
#ifdef __cplusplus
#define CTIE_LIST(...) ctie_list_({__VA_ARGS__})
#else
#define CTIE_LIST(...) \
    ctie_value_list((ctie_value *const[]){__VA_ARGS__}, \
                    sizeof((ctie_value *const[]){__VA_ARGS__}) / sizeof(ctie_value *))
#endif

/* In C++ only an initializer list makes an array within an expression. */
#ifdef __cplusplus
static inline ctie_value *CTIE_NULLABLE ctie_list_(std::initializer_list<ctie_value *> items) {
    return ctie_value_list(items.begin(), items.size());
}

static inline ctie_value *CTIE_NULLABLE ctie_map_(std::initializer_list<ctie_pair> pairs) {
    return ctie_value_map(pairs.begin(), pairs.size());
}

#define CTIE_MAP_OF_(count, ...) ctie_map_({__VA_ARGS__})
#else
#define CTIE_MAP_OF_(count, ...) ctie_value_map((const ctie_pair[]){__VA_ARGS__}, count)
#endif

/* ---- Reading with a default ---------------------------------------------------------------------- */
/*
 * A path consists of keys of maps and indices of lists, separated by dots: "user.tags.0". An index has no leading zero. No
 * path reaches an empty key or one with a dot; ctie_value_get() does. A path that is malformed, or leads nowhere or to a
 * value of another kind, gives the default. A foreign value is always of another kind.
 */

/** Returns the index that a part of a path names; SIZE_MAX if it names none. */
static inline size_t ctie_path_index_(ctie_str part) {
    size_t index = 0;
    size_t i;
    if (part.size == 0 || part.size > 9 || (part.size > 1 && part.data[0] == '0')) return SIZE_MAX;
    for (i = 0; i < part.size; i++) {
        if (part.data[i] < '0' || part.data[i] > '9') return SIZE_MAX;
        index = index * 10 + (size_t)(part.data[i] - '0');
    }
    return index;
}

static inline const ctie_value *CTIE_NULLABLE ctie_path_step_(const ctie_value *value, ctie_str part) {
    switch (ctie_value_kind(value)) {
    case CTIE_KIND_MAP: return part.size == 0 ? NULL : ctie_value_get(value, part);
    case CTIE_KIND_LIST: return ctie_value_at(value, ctie_path_index_(part));
    default: return NULL;
    }
}

/** The value at a path, borrowed from `value`; NULL when there is none. @since 0.1 */
static inline const ctie_value *CTIE_NULLABLE ctie_get(const ctie_value *value, const char *path) {
    ctie_str part;
    if (path == NULL) return NULL;
    for (;;) {
        part.data = path;
        part.size = strcspn(path, ".");
        value = ctie_path_step_(value, part);
        if (value == NULL || path[part.size] == '\0') return value;
        path += part.size + 1;
    }
}

/**
 * The string of a value, NUL-terminated; it lives as long as the value. A string with a NUL inside gives the default, so
 * that no text is cut short; so do NULL and a value of another kind.
 *
 * @since 0.1
 */
static inline const char *CTIE_NULLABLE ctie_value_text(const ctie_value *value, const char *fallback) {
    ctie_str text;
    if (ctie_value_get_string(value, &text) != CTIE_OK) return fallback;
    if (text.size == 0) return "";
    return memchr(text.data, '\0', text.size) == NULL ? text.data : fallback;
}

/** The string at a path: it lives as long as `value`. @since 0.1 */
static inline ctie_str ctie_get_str(const ctie_value *value, const char *path, ctie_str fallback) {
    ctie_str text;
    return ctie_value_get_string(ctie_get(value, path), &text) == CTIE_OK ? text : fallback;
}

/** The string at a path, as ctie_value_text() gives it. @since 0.1 */
static inline const char *CTIE_NULLABLE ctie_get_text(const ctie_value *value, const char *path, const char *fallback) {
    return ctie_value_text(ctie_get(value, path), fallback);
}

/** The integer at a path. @since 0.1 */
static inline int64_t ctie_get_int(const ctie_value *value, const char *path, int64_t fallback) {
    int64_t number;
    return ctie_value_get_int(ctie_get(value, path), &number) == CTIE_OK ? number : fallback;
}

/** The double at a path, or the integer that a double holds exactly. @since 0.1 */
static inline double ctie_get_double(const ctie_value *value, const char *path, double fallback) {
    double number;
    return ctie_value_get_double(ctie_get(value, path), &number) == CTIE_OK ? number : fallback;
}

/** The boolean at a path. @since 0.1 */
static inline bool ctie_get_bool(const ctie_value *value, const char *path, bool fallback) {
    bool flag;
    return ctie_value_get_bool(ctie_get(value, path), &flag) == CTIE_OK ? flag : fallback;
}

/* ---- Formatted texts ------------------------------------------------------------------------------ */

/** Makes a string with a printf() format; NULL if it is not UTF-8 or cannot be formatted, or there is no memory for it.
 * @since 0.1 */
static inline ctie_value *CTIE_NULLABLE ctie_vformat(const char *format, va_list arguments)
    CTIE_FORMAT_(1, 0);
static inline ctie_value *CTIE_NULLABLE ctie_vformat(const char *format, va_list arguments) {
    char room[256];
    char *text = room;
    ctie_value *value = NULL;
    va_list again;
    int size;
    if (format == NULL) return NULL;
    va_copy(again, arguments);
    size = vsnprintf(room, sizeof room, format, arguments);
    if (size >= (int)sizeof room) {
        text = (char *)malloc((size_t)size + 1);
        if (text != NULL) size = vsnprintf(text, (size_t)size + 1, format, again);
    }
    va_end(again);
    if (size >= 0 && text != NULL) {
        ctie_str formatted;
        formatted.data = text;
        formatted.size = (size_t)size;
        value = ctie_value_string(formatted);
    }
    if (text != room) free(text);
    return value;
}

/** As ctie_vformat(), with the arguments themselves: ctie_format("user " CTIE_FMT, CTIE_ARG(id)). @since 0.1 */
static inline ctie_value *CTIE_NULLABLE ctie_format(const char *format, ...) CTIE_FORMAT_(1, 2);
static inline ctie_value *CTIE_NULLABLE ctie_format(const char *format, ...) {
    ctie_value *value;
    va_list arguments;
    va_start(arguments, format);
    value = ctie_vformat(format, arguments);
    va_end(arguments);
    return value;
}

/** @} */

CTIE_END

#endif
