// Memory that is about to be filled.
#ifndef CPLATFORM_POPULATE_H
#define CPLATFORM_POPULATE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/// Populates all pages of a block of memory at once, if the middle one is not present yet. Faulting them in one by one,
/// as each is first written, takes twice as long.
static inline void cp_populate(void *start, size_t size) {
    const uintptr_t page = 4096;
    uintptr_t first = ((uintptr_t)start + page - 1) & ~(page - 1);
    uintptr_t end = ((uintptr_t)start + size) & ~(page - 1);
    unsigned char is_there = 1;
    if (first + 2 * page > end) return;
    uintptr_t middle = (first + (end - first) / 2) & ~(page - 1);
    // A system without this call, or with larger pages, populates them on access as before.
    if (mincore((void *)middle, page, &is_there) == 0 && (is_there & 1) == 0)
        (void)madvise((void *)first, end - first, MADV_POPULATE_WRITE);
}

/// Maps a part of a file for writing, with all its pages there. Returns null if it cannot be mapped.
static inline void *cp_map_pages(int file, int64_t start, size_t size) {
    void *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)start);
    if (base == MAP_FAILED) return NULL;
    (void)madvise(base, size, MADV_POPULATE_WRITE);
    return base;
}

#endif
