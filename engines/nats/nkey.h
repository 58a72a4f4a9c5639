/* Nkeys: Ed25519 keys in base32, with a kind and a checksum. */
#ifndef NKEY_H
#define NKEY_H

#include <stdbool.h>

enum { NKEY_MOST = 64 };

/* The public key `U…` of a user's seed `SU…`. False: it is no such seed. */
bool nkey_public(const char *seed, char out[NKEY_MOST]);

#endif
