// Libraries that extend this one, loaded when they are first needed.
#ifndef CPLATFORM_LIBRARY_H
#define CPLATFORM_LIBRARY_H

#include <stddef.h>

/// Loads a library for the rest of the process, and finds an object in it. A directory in $CROSSTIE_ENGINES is searched
/// first, then the directory of this library, then those of the dynamic linker. NULL with a reason.
__attribute__((visibility("hidden"))) const void *cp_library_object(
    const char *library, const char *name, char *reason, size_t size);

#endif
