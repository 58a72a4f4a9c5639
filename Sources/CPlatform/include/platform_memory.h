// Memory that may fail, and the reserve behind memory that may not.
#ifndef CPLATFORM_MEMORY_H
#define CPLATFORM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/// Allocates bytes aligned to 16; NULL without memory. It does not use the reserve.
__attribute__((visibility("hidden"))) void *cp_allocate(size_t size);
/// The same, all zero.
__attribute__((visibility("hidden"))) void *cp_allocate_zeroed(size_t size);
/// The same at a multiple of `alignment`, which is a power of two.
__attribute__((visibility("hidden"))) void *cp_allocate_aligned(size_t alignment, size_t size);
/// Moves memory of these functions to another size; NULL, with the memory as it was, when there is none.
__attribute__((visibility("hidden"))) void *cp_reallocate(void *memory, size_t size);
/// Frees memory of these functions, and what any library got from malloc.
__attribute__((visibility("hidden"))) void cp_free(void *memory);

/// Whether so much of the reserve is in use that no operation that needs it should start.
__attribute__((visibility("hidden"))) bool cp_reserve_is_low(void);

#endif
