/* SHA-256 (FIPS 180-4), for names on the server that have to be short. */
#ifndef SHA256_H
#define SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_SIZE = 32 };

void sha256(const void *bytes, size_t size, uint8_t out[SHA256_SIZE]);

#endif
