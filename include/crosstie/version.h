/**
 * @file version.h
 * The versions of the header and of the loaded library.
 */
#ifndef CROSSTIE_VERSION_H
#define CROSSTIE_VERSION_H

#include "base.h"

CTIE_BEGIN

/**
 * @defgroup version Versions
 *
 * Any thread may call these functions.
 * @{
 */

#define CTIE_VERSION_MAJOR 0 /**< another number: programs have to be adapted. @since 0.1 */
#define CTIE_VERSION_MINOR 1 /**< a higher number: more functions; before 1.0 it may break programs. @since 0.1 */
#define CTIE_VERSION_PATCH 0 /**< a higher number: corrections only. @since 0.1 */

/** The header's version as one number: major << 16 | minor << 8 | patch. @since 0.1 */
#define CTIE_VERSION ((uint32_t)(CTIE_VERSION_MAJOR << 16 | CTIE_VERSION_MINOR << 8 | CTIE_VERSION_PATCH))

/**
 * Returns the loaded library's version, in the form of CTIE_VERSION. A binding compares it when it is loaded: a
 * different major number, or a lower minor one, is incompatible.
 *
 * @par Threads
 * Any.
 * @since 0.1
 */
CTIE_API uint32_t ctie_version(void);

/** @} */

CTIE_END

#endif
