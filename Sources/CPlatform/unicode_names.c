#include <stdint.h>

/* Replaces the Swift library's function that spells the names of Unicode scalars (by `--wrap` in the Makefile): nothing
here uses a name, and its tables are 8 % of the library. Without a name
 * `Unicode.Scalar.Properties.name` is nil. */
intptr_t __wrap__swift_stdlib_getScalarName(uint32_t scalar, uint8_t *buffer, intptr_t capacity);

intptr_t __wrap__swift_stdlib_getScalarName(uint32_t scalar, uint8_t *buffer, intptr_t capacity) {
    (void)scalar, (void)buffer, (void)capacity;
    return 0;
}
