/**
 * @file value.h
 * Values: the data of requests, responses and messages.
 *
 * A value is immutable and counted; it may be shared between threads. Every function that makes one gives the caller a
 * reference. Give it up with ctie_value_release(), or to a function that *takes* the value. Functions that *borrow* a
 * value do not change the count. A `ctie_value *` is not always an address: never dereference it, compare it to
 * anything but NULL, or copy the bytes that it seems to point to.
 *
 * Functions that make a value are the exception to the rule that functions return a status: they return the value, or
 * NULL if it cannot be made, so that they can be nested. Every function that takes a value accepts NULL and returns an
 * error, so one check at the end is enough:
 *
 *     ctie_pair pairs[] = {
 *         {CTIE_STR("id"), ctie_value_int(42)},
 *         {CTIE_STR("name"), ctie_value_string(name)},
 *     };
 *     ctie_value *user = ctie_value_map(pairs, 2);
 *     if (user == NULL) { ... }
 *
 * Unless a function says otherwise it may be called from any thread.
 */
#ifndef CROSSTIE_VALUE_H
#define CROSSTIE_VALUE_H

#include "base.h"
#include "status.h"

CTIE_BEGIN

/**
 * @defgroup value Values
 *
 * Any thread may call these functions. A function that makes a value returns NULL when there
 * is no memory for it. A function that returns a status returns CTIE_OK, CTIE_E_INVALID (`out` or the value is NULL,
 * or a text is NULL with a size), CTIE_E_NO_MEMORY, and the errors that it lists. `error` may be NULL; it receives an
 * error object owned by the caller.
 * @{
 */

/** The most bytes in one string or bytes value, and in the keys of one map together. @since 0.1 */
#define CTIE_VALUE_MAX_SIZE (128 << 20)
/** The most entries in one list or map. @since 0.1 */
#define CTIE_VALUE_MAX_COUNT (16 << 20)
/** The deepest nesting of lists and maps; a list of numbers counts 1. @since 0.1 */
#define CTIE_VALUE_MAX_DEPTH 128
/** The most values inside one value; a shared one counts each time. @since 0.1 */
#define CTIE_VALUE_MAX_TOTAL (64 << 20)

/** An immutable, counted value; see the top of this file. @since 0.1 */
typedef struct ctie_value ctie_value;

/** The kinds of values, CTIE_KIND_... @since 0.1 */
typedef int32_t ctie_kind;

enum {
    CTIE_KIND_NONE = 0,   /**< no value: the kind of a NULL pointer */
    CTIE_KIND_NULL = 1,   /**< null */
    CTIE_KIND_BOOL = 2,   /**< true or false */
    CTIE_KIND_INT = 3,    /**< a signed 64-bit integer */
    CTIE_KIND_DOUBLE = 4, /**< a 64-bit floating-point number, NaN and infinities included */
    CTIE_KIND_STRING = 5, /**< valid UTF-8; NUL is a character like any other */
    CTIE_KIND_BYTES = 6,  /**< any bytes */
    CTIE_KIND_LIST = 7,   /**< values in order */
    CTIE_KIND_MAP = 8,    /**< values under strings, each once, in the order of insertion */
    CTIE_KIND_FOREIGN = 9, /**< a host's own object; see foreign.h */
    CTIE_KIND_DESCRIPTOR = 10 /**< an open file; see ctie_value_descriptor() */
};

/** One entry of a map to be made. @since 0.1 */
typedef struct ctie_pair {
    ctie_str key;                    /**< valid UTF-8, copied */
    ctie_value *CTIE_NULLABLE value; /**< taken; NULL makes the map fail */
} ctie_pair;

/* ---- Making ------------------------------------------------------------------------------------ */

/** The null value. @since 0.1 */
CTIE_API ctie_value *CTIE_NULLABLE ctie_value_null(void);

/** A boolean. @since 0.1 */
CTIE_API ctie_value *CTIE_NULLABLE ctie_value_bool(bool value);

/** An integer. @since 0.1 */
CTIE_API ctie_value *CTIE_NULLABLE ctie_value_int(int64_t value);

/** A floating-point number. @since 0.1 */
CTIE_API ctie_value *CTIE_NULLABLE ctie_value_double(double value);

/** A copy of `text`. NULL also when it is not UTF-8 or over CTIE_VALUE_MAX_SIZE. @since 0.1 */
CTIE_API ctie_value *CTIE_NULLABLE ctie_value_string(ctie_str text);

/** A copy of `bytes`. NULL also when they are over CTIE_VALUE_MAX_SIZE. @since 0.1 */
CTIE_API ctie_value *CTIE_NULLABLE ctie_value_bytes(ctie_str bytes);

/**
 * An open file: a duplicate of `file` with FD_CLOEXEC, closed with the last reference to the value. The value passes through
 * the calls of this process unchanged and travels to joined buses of this machine, in requests and answers, at most
 * CTIE_JOIN_MAX_DESCRIPTORS at a time. It has no plain form, so JSON, MessagePack, URLs and messages refuse it with
 * CTIE_E_FOREIGN.
 *
 * @param file stays the caller's.
 * @return the value; NULL also when `file` is not open, or the process may open no more files.
 * @since 0.1
 */
CTIE_API ctie_value *CTIE_NULLABLE ctie_value_descriptor(int file);

/**
 * A list.
 *
 * @param items `count` values, each taken, also on failure; the array itself stays the caller's. May be NULL when
 *   `count` is 0.
 * @param count at most CTIE_VALUE_MAX_COUNT; over it `items` is not read and no value is taken.
 * @return the list; NULL also when an item is NULL, `count` is over the limit, or the list would pass
 *   CTIE_VALUE_MAX_DEPTH or CTIE_VALUE_MAX_TOTAL.
 * @since 0.1
 */
CTIE_API ctie_value *CTIE_NULLABLE ctie_value_list(ctie_value *const *items, size_t count);

/**
 * A map.
 *
 * @param pairs `count` entries; the keys are copied and the values taken, also on failure; the array itself stays the
 *   caller's. May be NULL when `count` is 0.
 * @param count at most CTIE_VALUE_MAX_COUNT; over it `pairs` is not read and no value is taken.
 * @return the map; NULL also when a value is NULL, a key is not UTF-8 or comes twice, the keys are over
 *   CTIE_VALUE_MAX_SIZE, `count` is over the limit, or the map would pass CTIE_VALUE_MAX_DEPTH or
 *   CTIE_VALUE_MAX_TOTAL.
 * @since 0.1
 */
CTIE_API ctie_value *CTIE_NULLABLE ctie_value_map(const ctie_pair *pairs, size_t count);

/** Adds a reference, also to a borrowed value, and returns `value`, now owned by the caller; NULL gives NULL. @since 0.1 */
CTIE_API ctie_value *CTIE_NULLABLE ctie_value_retain(const ctie_value *value);

/** Gives up a reference; NULL is allowed. The last one frees the value. @since 0.1 */
CTIE_API void ctie_value_release(ctie_value *value);

/* ---- Reading -------------------------------------------------------------------------------- */
/*
 * The ctie_value_get_ functions set `out` only when they return CTIE_OK. They return CTIE_E_TYPE when the value is of
 * another kind. A foreign value always is: convert it with ctie_value_materialize() first.
 */

/** The kind of a value, CTIE_KIND_NONE for NULL. @since 0.1 */
CTIE_API ctie_kind ctie_value_kind(const ctie_value *value);

/** Reads a boolean. @since 0.1 */
CTIE_API ctie_status ctie_value_get_bool(const ctie_value *value, bool *out);

/** Reads an integer. @since 0.1 */
CTIE_API ctie_status ctie_value_get_int(const ctie_value *value, int64_t *out);

/**
 * Reads a descriptor, which is borrowed and open as long as the value lives. Never close it; to keep it, duplicate it with
 * `fcntl(file, F_DUPFD_CLOEXEC, 3)`. @since 0.1
 */
CTIE_API ctie_status ctie_value_get_descriptor(const ctie_value *value, int *out);

/** Reads a double, or an integer that a double holds exactly. @since 0.1 */
CTIE_API ctie_status ctie_value_get_double(const ctie_value *value, double *out);

/** Reads a string. The text lives as long as the value, and a NUL that is not counted follows it. @since 0.1 */
CTIE_API ctie_status ctie_value_get_string(const ctie_value *value, ctie_str *out);

/** Reads bytes. They live as long as the value. @since 0.1 */
CTIE_API ctie_status ctie_value_get_bytes(const ctie_value *value, ctie_str *out);

/** Entries in a list or map, bytes in a string or bytes value, 0 for everything else. @since 0.1 */
CTIE_API size_t ctie_value_count(const ctie_value *value);

/** The item at `index` of a list, borrowed from it; NULL beyond its end. @since 0.1 */
CTIE_API const ctie_value *CTIE_NULLABLE ctie_value_at(const ctie_value *list, size_t index);

/** The value under `key` in a map, borrowed from it; NULL without one. @since 0.1 */
CTIE_API const ctie_value *CTIE_NULLABLE ctie_value_get(const ctie_value *map, ctie_str key);

/**
 * The entry at an index of a map, in the order of insertion.
 *
 * @param key receives the key, which lives as long as the map; may be NULL.
 * @param out receives the value, borrowed from the map; may be NULL.
 * @par Errors
 * CTIE_E_TYPE (not a map); CTIE_E_NOT_FOUND (`index` is not less than the count).
 * @since 0.1
 */
CTIE_API ctie_status ctie_value_entry_at(const ctie_value *map, size_t index, ctie_str *key, const ctie_value **out);

/**
 * Whether two values are equal: of one kind and with the same content. Maps are equal whatever their order, NaN equals
 * nothing, an integer never equals a double, and a foreign value or a descriptor equals only itself. NULL
 * equals nothing.
 *
 * @since 0.1
 */
CTIE_API bool ctie_value_equal(const ctie_value *left, const ctie_value *right);

/* ---- JSON and MessagePack ---------------------------------------------------------------------- */

/** Flags of ctie_value_to_json(). @since 0.1 */
enum {
    CTIE_JSON_PRETTY = 1 /**< a line for each entry, indented by two spaces; else no spaces at all */
};

/**
 * Reads a JSON text (RFC 8259) of any kind, and keeps the order of keys. Integers beyond 64 bits, numbers beyond a
 * double, keys that are repeated or hold NUL, lone surrogates and invalid UTF-8 are errors.
 *
 * @param text at most CTIE_VALUE_MAX_SIZE bytes. Reading a text of empty lists can take some 70 times its size in memory:
 *   limit the size of texts that come from outside.
 * @param out receives a value, owned by the caller.
 * @param error its location is a line and column.
 * @par Errors
 * CTIE_E_UTF8; CTIE_E_FORMAT; CTIE_E_DUPLICATE; CTIE_E_LIMIT (too long, too deep or too many).
 * @since 0.1
 */
CTIE_API ctie_status ctie_value_from_json(ctie_str text, ctie_value **out, ctie_error_out error);

/**
 * Writes a value as JSON. Foreign values are materialized; bytes, NaN and infinities have no JSON form. A double reads
 * back as the same double.
 *
 * @param value borrowed.
 * @param flags CTIE_JSON_… or 0.
 * @param out receives a string value, owned by the caller.
 * @param error its location is a path ("$.items[3]").
 * @par Errors
 * CTIE_E_INVALID (an unknown flag); CTIE_E_TYPE (a part has no JSON form); CTIE_E_FOREIGN, CTIE_E_UTF8 as of
 * ctie_value_materialize(); CTIE_E_LIMIT (the text is over CTIE_VALUE_MAX_SIZE).
 * @since 0.1
 */
CTIE_API ctie_status ctie_value_to_json(const ctie_value *value, uint32_t flags, ctie_value **out,
                                        ctie_error_out error);

/**
 * Reads a MessagePack message of one value, in the standard types. Extension types, integers beyond a signed 64-bit
 * one, keys that are not strings or come twice, invalid UTF-8 and bytes after the value are errors. A 32-bit float
 * becomes a double.
 *
 * @param message at most CTIE_VALUE_MAX_SIZE bytes. The value of a message of empty lists can take some 70 times its size
 *   in memory: limit the size of messages that come from outside.
 * @param out receives a value, owned by the caller.
 * @param error its location is an offset ("byte 12").
 * @par Errors
 * CTIE_E_UTF8; CTIE_E_FORMAT; CTIE_E_DUPLICATE; CTIE_E_LIMIT (too long, too deep or too many).
 * @since 0.1
 */
CTIE_API ctie_status ctie_value_from_msgpack(ctie_str message, ctie_value **out, ctie_error_out error);

/**
 * Writes a value as MessagePack, each part in its shortest form. Foreign values are materialized.
 *
 * @param value borrowed.
 * @param out receives a bytes value, owned by the caller.
 * @param error its location is a path ("$.items[3]").
 * @par Errors
 * CTIE_E_FOREIGN, CTIE_E_UTF8 as of ctie_value_materialize(); CTIE_E_LIMIT (the message is over CTIE_VALUE_MAX_SIZE).
 * @since 0.1
 */
CTIE_API ctie_status ctie_value_to_msgpack(const ctie_value *value, ctie_value **out, ctie_error_out error);

/** @} */

CTIE_END

#endif
