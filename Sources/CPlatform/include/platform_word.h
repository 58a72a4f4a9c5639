// Single words that one writer changes while readers look at them.
#ifndef CPLATFORM_WORD_H
#define CPLATFORM_WORD_H

#include <stdint.h>

/// What the writer stored before the word is visible to who loads it so.
static inline uint32_t cp_word_acquire(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
static inline uint32_t cp_word_relaxed(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }

/// Publishes everything stored before it.
static inline void cp_word_release(uint32_t *word, uint32_t value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }

static inline void *cp_pointer_acquire(void *const *pointer) { return __atomic_load_n(pointer, __ATOMIC_ACQUIRE); }
static inline void cp_pointer_release(void **pointer, void *value) {
    __atomic_store_n(pointer, value, __ATOMIC_RELEASE);
}

#endif
