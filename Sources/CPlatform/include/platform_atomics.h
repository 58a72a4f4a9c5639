// Atomic access to words that Swift holds as plain memory.
#ifndef CPLATFORM_ATOMICS_H
#define CPLATFORM_ATOMICS_H

#include <stdint.h>

static inline uint32_t cp_load_relaxed_32(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }
static inline void cp_store_relaxed_32(uint32_t *word, uint32_t value) { __atomic_store_n(word, value, __ATOMIC_RELAXED); }

#endif
