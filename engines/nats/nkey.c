#define _GNU_SOURCE
#include "nkey.h"

#include <openssl/evp.h>
#include <stdint.h>
#include <string.h>

enum {
    KEY_SIZE = 32,
    SUM_SIZE = 2,
    SEED_SIZE = 2 + KEY_SIZE + SUM_SIZE, /* two bytes of kinds */
    SEED_DIGITS = 58,
    KIND_SEED = 18 << 3,
    KIND_USER = 20 << 3,
};

static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/* CRC-16 with the polynomial 0x1021, as XMODEM has it. */
static uint16_t checksum(const uint8_t *bytes, size_t size) {
    uint16_t sum = 0;
    for (size_t i = 0; i < size; i++) {
        sum ^= (uint16_t)(bytes[i] << 8);
        for (int bit = 0; bit < 8; bit++) { sum = (uint16_t)(sum & 0x8000 ? sum << 1 ^ 0x1021 : sum << 1); }
    }
    return sum;
}

static bool decode(const char *text, uint8_t *out, size_t size) {
    uint32_t bits = 0;
    int count = 0;
    for (; *text != 0; text++) {
        const char *digit = strchr(DIGITS, *text);
        if (digit == NULL) { return false; }
        bits = (bits & 0xff) << 5 | (uint32_t)(digit - DIGITS);
        count += 5;
        if (count < 8) { continue; }
        if (size == 0) { return false; }
        count -= 8;
        *out++ = (uint8_t)(bits >> count);
        size--;
    }
    return size == 0;
}

static void encode(const uint8_t *bytes, size_t size, char *out) {
    uint32_t bits = 0;
    int count = 0;
    for (size_t i = 0; i < size; i++) {
        bits = (bits & 0xff) << 8 | bytes[i];
        for (count += 8; count >= 5; count -= 5) { *out++ = DIGITS[bits >> (count - 5) & 31]; }
    }
    if (count > 0) { *out++ = DIGITS[bits << (5 - count) & 31]; }
    *out = 0;
}

static bool derive(const uint8_t seed[KEY_SIZE], uint8_t out[KEY_SIZE]) {
    size_t size = KEY_SIZE;
    EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, KEY_SIZE);
    bool is_derived = key != NULL && EVP_PKEY_get_raw_public_key(key, out, &size) == 1 && size == KEY_SIZE;
    EVP_PKEY_free(key);
    return is_derived;
}

bool nkey_public(const char *seed, char out[NKEY_MOST]) {
    uint8_t raw[SEED_SIZE], key[1 + KEY_SIZE + SUM_SIZE] = {KIND_USER};
    bool is_seed = strnlen(seed, SEED_DIGITS + 1) == SEED_DIGITS && decode(seed, raw, sizeof raw) &&
                   checksum(raw, SEED_SIZE - SUM_SIZE) == (raw[SEED_SIZE - 2] | raw[SEED_SIZE - 1] << 8);
    /* The kind of a seed, and the kind of its key across both bytes. */
    is_seed = is_seed && (raw[0] & 0xf8) == KIND_SEED && ((raw[0] & 7) << 5 | (raw[1] & 0xf8) >> 3) == KIND_USER;
    is_seed = is_seed && derive(raw + 2, key + 1);
    explicit_bzero(raw, sizeof raw);
    if (!is_seed) { return false; }
    uint16_t sum = checksum(key, 1 + KEY_SIZE);
    key[1 + KEY_SIZE] = (uint8_t)sum, key[2 + KEY_SIZE] = (uint8_t)(sum >> 8);
    encode(key, sizeof key, out);
    return true;
}
