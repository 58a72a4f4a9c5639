// A short text as two words.
#ifndef CPLATFORM_SEGMENT_H
#define CPLATFORM_SEGMENT_H

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

typedef struct {
    uint64_t low;
    uint64_t high;
} cp_words;

#if defined(__SSE2__)

/// Up to 16 bytes with zeros behind them, the first one lowest. Reads all 16 without a branch, because lengths are
/// random.
static inline cp_words cp_segment_words(const void *bytes, uint32_t length) {
    static const uint8_t ones[32] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
    __m128i mask = _mm_loadu_si128((const __m128i *)(ones + 16 - length));
    __m128i text = _mm_and_si128(_mm_loadu_si128((const __m128i *)bytes), mask);
    cp_words words = {(uint64_t)_mm_cvtsi128_si64(text), (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(text, text))};
    return words;
}

#else

static inline cp_words cp_segment_words(const void *bytes, uint32_t length) {
    cp_words words;
    memcpy(&words, bytes, sizeof words);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    words.low = __builtin_bswap64(words.low);
    words.high = __builtin_bswap64(words.high);
#endif
    words.low &= length < 8 ? ((uint64_t)1 << length * 8) - 1 : UINT64_MAX;
    words.high &= length < 8 ? 0 : length < 16 ? ((uint64_t)1 << (length - 8) * 8) - 1 : UINT64_MAX;
    return words;
}

#endif
#endif
