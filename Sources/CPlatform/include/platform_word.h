// Single words that one writer changes while readers look at them.
#ifndef CPLATFORM_WORD_H
#define CPLATFORM_WORD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/// Acquires: everything that the writer stored before the word is visible after this load.
static inline uint32_t cp_word_acquire(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
static inline uint32_t cp_word_relaxed(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }

/// Publishes everything stored before it.
static inline void cp_word_release(uint32_t *word, uint32_t value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }

/// Exchanges, replaces if it is as expected, and orders all accesses around: for words that other processes change, too.
static inline uint32_t cp_word_exchange(uint32_t *word, uint32_t value) {
    return __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST);
}
static inline bool cp_word_replace(uint32_t *word, uint32_t expected, uint32_t value) {
    return __atomic_compare_exchange_n(word, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
static inline uint32_t cp_word_in_order(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_SEQ_CST); }

static inline void *cp_pointer_acquire(void *const *pointer) { return __atomic_load_n(pointer, __ATOMIC_ACQUIRE); }
static inline void cp_pointer_release(void **pointer, void *value) {
    __atomic_store_n(pointer, value, __ATOMIC_RELEASE);
}

/// 1 to 7 bytes as a word with zeros behind them, the first one lowest. Reads no byte beyond.
__attribute__((always_inline)) static inline uint64_t cp_short_word(const void *bytes, uint32_t size) {
    const uint8_t *first = (const uint8_t *)bytes;
    if (size >= 4) {
        uint32_t low, high;
        memcpy(&low, first, 4);
        memcpy(&high, first + size - 4, 4);
        return low | (uint64_t)high << (size - 4) * 8;
    }
    return first[0] | (uint64_t)first[size / 2] << size / 2 * 8 | (uint64_t)first[size - 1] << (size - 1) * 8;
}

#endif
