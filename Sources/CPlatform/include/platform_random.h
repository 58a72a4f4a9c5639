// The kernel's random numbers: glibc's header for them is not in Swift's module of it.
#ifndef CPLATFORM_RANDOM_H
#define CPLATFORM_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Fills up to 256 bytes. False where the kernel refuses; the bytes are then as they were.
static inline bool cp_random_bytes(void *bytes, size_t size) {
    return syscall(SYS_getrandom, bytes, size, 0) == (long)size;
}

#endif
