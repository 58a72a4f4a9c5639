/**
 * @file base.h
 * The definitions that every other header of Crosstie uses: visibility, nullability, text.
 *
 * Every pointer that goes into Crosstie may be NULL, and so may a callback's `fn`. Where NULL has a meaning, the
 * function's documentation gives it; elsewhere the function returns CTIE_E_INVALID, or CTIE_E_HANDLE for a handle. So
 * parameters of functions have no annotations; results, fields, and the pointers passed to a callback have them.
 */
#ifndef CROSSTIE_BASE_H
#define CROSSTIE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* These enclose each header's declarations: C linkage, and no warnings about nullability. */
/** @cond */
#ifdef __cplusplus
#define CTIE_EXTERN_BEGIN extern "C" {
#define CTIE_EXTERN_END }
#else
#define CTIE_EXTERN_BEGIN
#define CTIE_EXTERN_END
#endif
#ifdef __clang__
#define CTIE_BEGIN \
    CTIE_EXTERN_BEGIN _Pragma("clang diagnostic push") \
        _Pragma("clang diagnostic ignored \"-Wnullability-extension\"") \
            _Pragma("clang diagnostic ignored \"-Wnullability-completeness\"")
#define CTIE_END _Pragma("clang diagnostic pop") CTIE_EXTERN_END
#else
#define CTIE_BEGIN CTIE_EXTERN_BEGIN
#define CTIE_END CTIE_EXTERN_END
#endif
/** @endcond */

/** Marks an exported function. */
#if defined(__GNUC__)
#define CTIE_API __attribute__((visibility("default")))
#else
#define CTIE_API
#endif

/** Marks a result or a field that may be NULL. */
#ifdef __clang__
#define CTIE_NULLABLE _Nullable
#else
#define CTIE_NULLABLE
#endif

/** Marks a pointer that is never NULL. */
#ifdef __clang__
#define CTIE_NONNULL _Nonnull
#else
#define CTIE_NONNULL
#endif

/** A struct value as an expression: a compound literal in C, a brace initializer in C++. */
#ifdef __cplusplus
#define CTIE_OF(type, ...) (type{__VA_ARGS__})
#else
#define CTIE_OF(type, ...) ((type){__VA_ARGS__})
#endif

CTIE_BEGIN

/**
 * @defgroup base Texts
 *
 * The conventions for every function of Crosstie are in docs/conventions.md. Each header states the common rules of its
 * functions in one paragraph; a function's own documentation adds its particulars.
 * @{
 */

/**
 * Text or bytes by pointer and length: not NUL-terminated, not owned.
 *
 * Text passed in is copied before the call returns. The documentation of a function that returns text states the text's
 * lifetime. `data` may be NULL when `size` is 0.
 *
 * @since 0.1
 */
typedef struct ctie_str {
    const char *CTIE_NULLABLE data; /**< first byte */
    size_t size;                    /**< bytes */
} ctie_str;

/** A ctie_str of a string literal. @since 0.1 */
#define CTIE_STR(literal) CTIE_OF(ctie_str, "" literal, sizeof(literal) - 1)

/** A ctie_str of a NUL-terminated string; NULL gives the empty text. @since 0.1 */
static inline ctie_str ctie_str_from(const char *text) {
    ctie_str result;
    result.data = text;
    result.size = text == NULL ? 0 : strlen(text);
    return result;
}

/** Several texts; `items` may be NULL when `count` is 0. Borrowed like a ctie_str. @since 0.1 */
typedef struct ctie_str_list {
    const ctie_str *CTIE_NULLABLE items; /**< the first text */
    size_t count;                        /**< the number of texts */
} ctie_str_list;

/** @} */

CTIE_END

#endif
