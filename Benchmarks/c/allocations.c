/* The number of allocations of an open, counted by interposing the C library's allocator. */
#include "routes.h"

#include <errno.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static long allocations;

void *malloc(size_t size) {
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
    allocations++;
    return __libc_realloc(block, size);
}

int posix_memalign(void **out, size_t alignment, size_t size) {
    allocations++;
    *out = __libc_memalign(alignment, size);
    return *out == NULL ? ENOMEM : 0;
}

void *aligned_alloc(size_t alignment, size_t size) {
    allocations++;
    return __libc_memalign(alignment, size);
}

static void measure(ctie_bus *bus, urls all, const char *work) {
    open_all(bus, all); /* what a thread or a bus sets up once is no cost of an open */
    long before = allocations;
    open_all(bus, all);
    report(work, "crosstie", (double)(allocations - before) / (double)all.count);
}

int main(int argc, char **argv) {
    require(argc == 2, "usage: allocations <data>");
    urls patterns = read_urls(argv[1], "github", "routes");
    long before = allocations;
    ctie_bus *bus = build(patterns);
    require(allocations - before > (long)patterns.count, "the library's allocations are not seen");
    measure(bus, read_urls(argv[1], "github", "paths"), "allocations.github");
    measure(bus, read_urls(argv[1], "github", "escaped"), "allocations.escaped");
    ctie_bus_release(bus);
    return 0;
}
