/**
 * @file foreign.h
 * Foreign values: a host's own objects (a C pointer, a Python object) as values. They pass through a call unchanged and
 * cannot leave the process.
 */
#ifndef CROSSTIE_FOREIGN_H
#define CROSSTIE_FOREIGN_H

#include "base.h"
#include "status.h"
#include "value.h"

CTIE_BEGIN

/**
 * @defgroup foreign Foreign values
 *
 * Any thread may call these functions. Those that return a status return CTIE_OK, or one of
 * CTIE_E_INVALID (an argument is NULL or malformed), CTIE_E_NO_MEMORY, and the errors that each lists; the others
 * return NULL on failure. `error` may be NULL; it receives an error object owned by the caller.
 * @{
 */

/** Most types of foreign objects in a process. @since 0.1 */
#define CTIE_FOREIGN_MAX_TYPES 1024

/**
 * The hooks for one type of a host's objects. Every hook may be called from any thread, with no lock held, and must
 * stay callable for the life of the process.
 *
 * @since 0.1
 */
typedef struct ctie_foreign_type {
    size_t size; /**< sizeof(ctie_foreign_type) */
    /** The type's name, such as "python": a letter or _, then letters, digits, _ . or -; at most 128 bytes. */
    ctie_str tag;
    /** Adds a reference to the object. Required. */
    void (*CTIE_NULLABLE retain)(void *CTIE_NONNULL object);
    /** Gives up a reference to the object. Required. */
    void (*CTIE_NULLABLE release)(void *CTIE_NONNULL object);
    /**
     * Makes a value with the object's content: sets `out` to an owned value and returns CTIE_OK. The value may hold
     * further foreign values, which are materialized in turn. On failure it returns an error, and may set `out` to an
     * owned text with the reason. The caller that reads the content gets CTIE_E_UTF8, CTIE_E_LIMIT and CTIE_E_NO_MEMORY
     * as they are, and CTIE_E_FOREIGN for any other status. May be NULL: objects of this type cannot be converted.
     */
    ctie_status (*CTIE_NULLABLE materialize)(void *CTIE_NONNULL object, ctie_value *CTIE_NULLABLE *CTIE_NONNULL out);
} ctie_foreign_type;

/** Initializes a ctie_foreign_type: {CTIE_FOREIGN_TYPE_INIT}, then set its fields. @since 0.1 */
#define CTIE_FOREIGN_TYPE_INIT sizeof(ctie_foreign_type), {NULL, 0}, NULL, NULL, NULL

/** The number of a registered type of foreign objects: never 0, and never removed. @since 0.1 */
typedef uint32_t ctie_foreign_id;

/**
 * Registers a type of foreign objects for the life of the process. Registering the same tag and hooks again gives the
 * same number.
 *
 * @param type copied.
 * @param out receives the type's number.
 * @par Errors
 * CTIE_E_INVALID (a required hook is NULL); CTIE_E_IDENTIFIER (a malformed tag); CTIE_E_CONFLICT (the tag has other
 * hooks); CTIE_E_LIMIT (there are CTIE_FOREIGN_MAX_TYPES already).
 * @since 0.1
 */
CTIE_API ctie_status ctie_foreign_register(const ctie_foreign_type *type, ctie_foreign_id *out, ctie_error_out error);

/**
 * Makes a value of a host's own object, which it retains through the type's hook. It passes through calls unchanged; a
 * handler of the same host gets the same object back.
 *
 * @return the value; NULL when the type is not registered, `object` is NULL, or there is no memory.
 * @since 0.1
 */
CTIE_API ctie_value *CTIE_NULLABLE ctie_value_foreign(ctie_foreign_id type, void *object);

/**
 * Returns the object of a foreign value.
 *
 * @param type the type that the caller understands.
 * @param out receives the object, which lives as long as the value.
 * @par Errors
 * CTIE_E_TYPE (the value is not foreign, or its object is of another type).
 * @since 0.1
 */
CTIE_API ctie_status ctie_value_foreign_object(const ctie_value *value, ctie_foreign_id type, void **out);

/**
 * Returns the tag of a foreign value's type.
 *
 * @param out receives static text.
 * @par Errors
 * CTIE_E_TYPE (the value is not foreign).
 * @since 0.1
 */
CTIE_API ctie_status ctie_value_foreign_tag(const ctie_value *value, ctie_str *out);

/**
 * Makes a value without foreign values: the same value if it has none, else a copy in which each is replaced by the
 * result of its type's `materialize` hook. A descriptor cannot be replaced: it has no plain form.
 *
 * @param value borrowed.
 * @param out receives a value, owned by the caller.
 * @param error its location is the path of the foreign value that cannot be converted ("$.user.avatar"); may be NULL.
 * @par Errors
 * CTIE_E_FOREIGN (a foreign value cannot be materialized); CTIE_E_UTF8 (a text in one is not UTF-8); CTIE_E_LIMIT (the
 * result would be too deep, or a hook returned this).
 * @since 0.1
 */
CTIE_API ctie_status ctie_value_materialize(const ctie_value *value, ctie_value **out, ctie_error_out error);

/** @} */

CTIE_END

#endif
