// Shared objects, each known by the address that it is mapped at.
#ifndef CPLATFORM_OBJECT_H
#define CPLATFORM_OBJECT_H

#include <stdint.h>

/// The object that contains an address; 0 for none.
__attribute__((visibility("hidden"))) uintptr_t cp_object_of(const void *address);

/// The object of a dlopen(3) handle; 0 if it is not one.
__attribute__((visibility("hidden"))) uintptr_t cp_object_opened(void *handle);

#endif
