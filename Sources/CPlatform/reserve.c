/* The Swift runtime ends the process when malloc() fails. So the shipped library is linked (`--wrap` in the Makefile)
so that the runtimes inside it allocate here: from malloc(), and if that fails, from a reserve that is loaded with the
library. The library's own records use cp_allocate(), which does not touch the reserve and may fail. Long before the
reserve is exhausted cp_reserve_is_low() reports it, and functions that would need more of it return CTIE_E_NO_MEMORY.
 *
 * The reserve consists of zeroed pages that take no memory until they are written. It is divided into blocks of a few
 * sizes, each size with a bit map whose bits are set and cleared one at a time: there is no lock that a fork could
 * leave taken. */
#define _GNU_SOURCE
#include "platform_memory.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define HIDDEN __attribute__((visibility("hidden")))
#define REAL extern __attribute__((weak))

/* The C library's own functions; NULL in a build that is not linked with `--wrap`. */
REAL void *__real_malloc(size_t size);
REAL void *__real_calloc(size_t count, size_t size);
REAL void *__real_realloc(void *memory, size_t size);
REAL int __real_posix_memalign(void **out, size_t alignment, size_t size);
REAL void *__real_aligned_alloc(size_t alignment, size_t size);
REAL void __real_free(void *memory);
REAL size_t __real_malloc_usable_size(void *memory);

HIDDEN void *__wrap_malloc(size_t size);
HIDDEN void *__wrap_calloc(size_t count, size_t size);
HIDDEN void *__wrap_realloc(void *memory, size_t size);
HIDDEN int __wrap_posix_memalign(void **out, size_t alignment, size_t size);
HIDDEN void *__wrap_aligned_alloc(size_t alignment, size_t size);
HIDDEN void __wrap_free(void *memory);
HIDDEN size_t __wrap_malloc_usable_size(void *memory);

/* ---- What may fail ------------------------------------------------------------------------------- */

void *cp_allocate(size_t size) {
    if (size == 0) size = 1;
    return __real_malloc != NULL ? __real_malloc(size) : malloc(size);
}

void *cp_allocate_zeroed(size_t size) {
    if (size == 0) size = 1;
    return __real_calloc != NULL ? __real_calloc(1, size) : calloc(1, size);
}

void *cp_allocate_aligned(size_t alignment, size_t size) {
    size = (size + alignment - 1) & ~(alignment - 1);
    return __real_aligned_alloc != NULL ? __real_aligned_alloc(alignment, size) : aligned_alloc(alignment, size);
}

void *cp_reallocate(void *memory, size_t size) {
    if (size == 0) size = 1;
    return __real_realloc != NULL ? __real_realloc(memory, size) : realloc(memory, size);
}

void cp_free(void *memory) { free(memory); }

/* ---- The reserve --------------------------------------------------------------------------------- */

/* Each size has the same number of bytes. */
#define AREA ((size_t)256 << 10)
#define SIZES 6
#define WORDS (AREA / 64 / 64)

static const size_t block_sizes[SIZES] = {64, 256, 1024, 4096, 16384, 131072};
static _Alignas(4096) unsigned char reserve[SIZES][AREA];
static _Atomic uint64_t taken[SIZES][WORDS];
static _Atomic size_t used;

static bool is_reserved(const void *memory) {
    return (uintptr_t)memory - (uintptr_t)reserve < sizeof reserve;
}

static size_t kind_of(const void *memory) { return ((uintptr_t)memory - (uintptr_t)reserve) / AREA; }

/* A block of one size; NULL when all are taken. */
static void *take_block(size_t kind) {
    size_t count = AREA / block_sizes[kind];
    for (size_t first = 0; first < count; first += 64) {
        _Atomic uint64_t *word = &taken[kind][first / 64];
        uint64_t some = count - first < 64 ? ((uint64_t)1 << (count - first)) - 1 : ~(uint64_t)0;
        uint64_t seen = atomic_load_explicit(word, memory_order_relaxed);
        while ((~seen & some) != 0) {
            int bit = __builtin_ctzll(~seen & some);
            if (!atomic_compare_exchange_weak_explicit(
                    word, &seen, seen | (uint64_t)1 << bit, memory_order_acquire, memory_order_relaxed))
                continue;
            atomic_fetch_add_explicit(&used, block_sizes[kind], memory_order_relaxed);
            return reserve[kind] + (first + (size_t)bit) * block_sizes[kind];
        }
    }
    return NULL;
}

/* The blocks of a size begin at its multiples, or at those of a page. */
static void *take(size_t alignment, size_t size) {
    if (alignment > 4096) return NULL;
    for (size_t kind = 0; kind < SIZES; kind++) {
        if (block_sizes[kind] < size || block_sizes[kind] < alignment) continue;
        void *block = take_block(kind);
        if (block != NULL) return block;
    }
    return NULL;
}

static void give(void *block) {
    size_t kind = kind_of(block);
    size_t number = ((uintptr_t)block - (uintptr_t)reserve[kind]) / block_sizes[kind];
    atomic_fetch_sub_explicit(&used, block_sizes[kind], memory_order_relaxed);
    atomic_fetch_and_explicit(&taken[kind][number / 64], ~((uint64_t)1 << number % 64), memory_order_release);
}

/* Small blocks are the most frequent and lose more to rounding up: one area's worth counts as low. */
bool cp_reserve_is_low(void) { return atomic_load_explicit(&used, memory_order_relaxed) > AREA; }

/* ---- What the runtimes ask for ------------------------------------------------------------------- */

void *__wrap_malloc(size_t size) {
    void *memory = __real_malloc(size);
    return __builtin_expect(memory != NULL, 1) ? memory : take(16, size);
}

void *__wrap_calloc(size_t count, size_t size) {
    void *memory = __real_calloc(count, size);
    size_t bytes;
    if (memory != NULL || __builtin_mul_overflow(count, size, &bytes)) return memory;
    memory = take(16, bytes);
    return memory != NULL ? memset(memory, 0, bytes) : NULL;
}

void *__wrap_realloc(void *memory, size_t size) {
    if (memory == NULL) return __wrap_malloc(size);
    if (size == 0) size = 1; /* NULL shall mean one thing */
    bool was_reserved = is_reserved(memory);
    void *moved = was_reserved ? __real_malloc(size) : __real_realloc(memory, size);
    if (moved != NULL && !was_reserved) return moved;
    size_t old = __wrap_malloc_usable_size(memory);
    if (moved == NULL) {
        if (was_reserved && size <= old) return memory;
        moved = take(16, size);
    }
    if (moved == NULL) return NULL;
    memcpy(moved, memory, old < size ? old : size);
    __wrap_free(memory);
    return moved;
}

int __wrap_posix_memalign(void **out, size_t alignment, size_t size) {
    int failure = __real_posix_memalign(out, alignment, size);
    if (failure != ENOMEM) return failure;
    void *memory = take(alignment, size);
    if (memory == NULL) return failure;
    *out = memory;
    return 0;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    void *memory = __real_aligned_alloc(alignment, size);
    return memory != NULL ? memory : take(alignment, size);
}

void __wrap_free(void *memory) {
    if (__builtin_expect(is_reserved(memory), 0)) give(memory);
    else __real_free(memory);
}

size_t __wrap_malloc_usable_size(void *memory) {
    return is_reserved(memory) ? block_sizes[kind_of(memory)] : __real_malloc_usable_size(memory);
}
