/*
 * Interposing a function of another library: the program defines it under its own name, for all callers, and finds the
 * real one here.
 */
#ifndef INTERPOSE_H
#define INTERPOSE_H

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static inline void *next_function(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (found == NULL) abort();
    return found;
}

/** Sets `pointer`, to a function of any type, to the real function of a name, unless it is set. */
#define FIND_REAL(pointer, name) \
    do { \
        void *found_ = (pointer) == NULL ? next_function(name) : NULL; \
        if (found_ != NULL) memcpy(&(pointer), &found_, sizeof found_); \
    } while (0)

#endif
