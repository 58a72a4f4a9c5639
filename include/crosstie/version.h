/**
 * @file version.h
 * Versions: of the header, and of the library that was loaded.
 */
#ifndef CROSSTIE_VERSION_H
#define CROSSTIE_VERSION_H

#include "base.h"

CTIE_BEGIN

/**
 * @defgroup version Versions
 *
 * What holds for all functions here: any thread may call them.
 * @{
 */

#define CTIE_VERSION_MAJOR 0 /**< other ones break programs. @since 0.1 */
#define CTIE_VERSION_MINOR 1 /**< higher ones have more; before 1.0 they may break programs. @since 0.1 */
#define CTIE_VERSION_PATCH 0 /**< higher ones have fewer mistakes. @since 0.1 */

/** The header's version as one number: major << 16 | minor << 8 | patch. @since 0.1 */
#define CTIE_VERSION ((uint32_t)(CTIE_VERSION_MAJOR << 16 | CTIE_VERSION_MINOR << 8 | CTIE_VERSION_PATCH))

/**
 * The loaded library's version, in the form of CTIE_VERSION. A binding compares it at load: another major number, or a
 * lower minor one, does not fit.
 *
 * @par Threads
 * Any.
 * @since 0.1
 */
CTIE_API uint32_t ctie_version(void);

/** @} */

CTIE_END

#endif
