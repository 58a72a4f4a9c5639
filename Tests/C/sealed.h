/* Numbered values of any size that tell whether a byte of them is wrong. */
#ifndef SEALED_H
#define SEALED_H

#include <crosstie.h>
#include <stdint.h>
#include <stdlib.h>

#define SEALED_MAX_WORDS 8192

/* The words of a sealed value: its number, how many there are, a filling that follows from these, the sum of all. */
static inline void seal(uint64_t *words, size_t count, int64_t number) {
    uint64_t sum = 0;
    words[0] = (uint64_t)number;
    words[1] = count;
    for (size_t i = 2; i + 1 < count; i++) words[i] = (words[i - 1] ^ (uint64_t)number) * 0x9E3779B97F4A7C15u + i;
    for (size_t i = 0; i + 1 < count; i++) sum = sum * 31 + words[i];
    words[count - 1] = sum;
}

/** A value of `count` words, 3 to SEALED_MAX_WORDS, that carries a number. */
static inline ctie_value *sealed(int64_t number, size_t count) {
    uint64_t words[SEALED_MAX_WORDS];
    seal(words, count, number);
    return ctie_value_bytes((ctie_str){(const char *)words, count * sizeof *words});
}

/** The number that a value carries; -1 if there is none, -2 if the value is torn. */
static inline int64_t unsealed(const ctie_value *value) {
    uint64_t words[SEALED_MAX_WORDS], again[SEALED_MAX_WORDS];
    ctie_str bytes;
    if (value == NULL) return -1;
    if (ctie_value_get_bytes(value, &bytes) != CTIE_OK) return -2;
    size_t count = bytes.size / sizeof *words;
    if (bytes.size % sizeof *words != 0 || count < 3 || count > SEALED_MAX_WORDS) return -2;
    memcpy(words, bytes.data, bytes.size);
    seal(again, count, (int64_t)words[0]);
    return memcmp(words, again, bytes.size) == 0 ? (int64_t)words[0] : -2;
}

#endif
