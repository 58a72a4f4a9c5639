// Shared objects, each known by the address that it is mapped at.
#ifndef CPLATFORM_OBJECT_H
#define CPLATFORM_OBJECT_H

#include <stdint.h>

/// The object that an address lies in; 0 for none.
__attribute__((visibility("hidden"))) uintptr_t cp_object_of(const void *address);

/// The object that dlopen(3) gave; 0 if that is no handle of its.
__attribute__((visibility("hidden"))) uintptr_t cp_object_opened(void *handle);

#endif
