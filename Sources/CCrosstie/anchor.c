// Makes the public header a C target with dependency tracking, and pins the layouts that are ABI.
#include <crosstie.h>

_Static_assert(sizeof(ctie_str) == 2 * sizeof(void *), "ctie_str is a pointer and a length");
_Static_assert(offsetof(ctie_str, size) == sizeof(void *), "the length follows the pointer");
_Static_assert(sizeof(void *) == 8, "values and handles are 64-bit words");
_Static_assert(sizeof(ctie_pair) == 3 * sizeof(void *), "ctie_pair is a text and a value");
_Static_assert(offsetof(ctie_pair, value) == sizeof(ctie_str), "the value follows the key");
