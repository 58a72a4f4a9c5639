// Byte classes of a URL as bit masks, 16 bytes at a step.
//
// Swift's own SIMD masks compile to a loop over the lanes; these inline into the parser.
#ifndef CPLATFORM_SCAN_H
#define CPLATFORM_SCAN_H

#include <stddef.h>
#include <stdint.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/// Bit masks for up to 64 bytes: bit k describes byte k.
typedef struct {
    uint64_t slash;
    uint64_t colon;
    uint64_t question;
    uint64_t hash;
    /// Bytes that the normal form does not hold as they are, and `%`.
    uint64_t odd;
} cp_url_masks;

/// True for bytes that are not in a normal form outside an escape.
static inline int cp_is_odd(uint8_t byte) {
    if (byte < 0x21 || byte >= 0x7F) return 1;
    switch (byte) {
    case '"': case '%': case '<': case '>': case '[': case '\\': case ']': case '^': case '`':
    case '{': case '|': case '}':
        return 1;
    default:
        return 0;
    }
}

/// True for lower-case letters, digits and `_`.
static inline int cp_is_name(uint8_t byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '_';
}

/// The value of a hexadecimal digit; a larger one than 15 for any other byte.
static inline uint8_t cp_hex_value(uint8_t byte) {
    // One more than the value, so that the bytes that are not named have none.
    static const uint8_t values[256] = {
        ['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6, ['6'] = 7, ['7'] = 8,
        ['8'] = 9, ['9'] = 10, ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
        ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
    };
    return (uint8_t)(values[byte] - 1);
}

#if defined(__SSE2__)

static inline uint64_t cp_equal(__m128i block, char byte) {
    return (uint64_t)_mm_movemask_epi8(_mm_cmpeq_epi8(block, _mm_set1_epi8(byte)));
}

/// All ones in the lanes whose unsigned byte is in `low ... low + span`.
static inline __m128i cp_in_range(__m128i block, char low, char span) {
    __m128i shifted = _mm_sub_epi8(block, _mm_set1_epi8(low));
    return _mm_cmpeq_epi8(_mm_min_epu8(shifted, _mm_set1_epi8(span)), shifted);
}

static inline uint64_t cp_odd(__m128i block) {
    // Signed, so that bytes from 0x80 count as below 0x21.
    __m128i odd = _mm_cmplt_epi8(block, _mm_set1_epi8(0x21));
    // `[ \ ]` and `{ | }` differ in one bit, `<` and `>` in another.
    odd = _mm_or_si128(odd, cp_in_range(_mm_or_si128(block, _mm_set1_epi8(0x20)), '{', 2));
    odd = _mm_or_si128(odd, _mm_cmpeq_epi8(_mm_or_si128(block, _mm_set1_epi8(2)), _mm_set1_epi8('>')));
    odd = _mm_or_si128(odd, _mm_cmpeq_epi8(block, _mm_set1_epi8('^')));
    odd = _mm_or_si128(odd, _mm_cmpeq_epi8(block, _mm_set1_epi8('`')));
    odd = _mm_or_si128(odd, _mm_cmpeq_epi8(block, _mm_set1_epi8('"')));
    odd = _mm_or_si128(odd, _mm_cmpeq_epi8(block, _mm_set1_epi8('%')));
    odd = _mm_or_si128(odd, _mm_cmpeq_epi8(block, _mm_set1_epi8(0x7F)));
    return (uint64_t)_mm_movemask_epi8(odd);
}

/// The masks of `size` bytes, at most 64. Reads up to 15 bytes past them.
static inline cp_url_masks cp_scan_url(const uint8_t *bytes, uint32_t size) {
    cp_url_masks masks = {0, 0, 0, 0, 0};
    for (uint32_t at = 0; at < size; at += 16) {
        __m128i block = _mm_loadu_si128((const __m128i *)(bytes + at));
        masks.slash |= cp_equal(block, '/') << at;
        masks.colon |= cp_equal(block, ':') << at;
        masks.question |= cp_equal(block, '?') << at;
        masks.hash |= cp_equal(block, '#') << at;
        masks.odd |= cp_odd(block) << at;
    }
    return masks;
}

/// Which of the 16 bytes are lower-case letters, digits or `_`.
static inline uint32_t cp_scan_name(const uint8_t *bytes) {
    __m128i block = _mm_loadu_si128((const __m128i *)bytes);
    __m128i name = _mm_or_si128(cp_in_range(block, 'a', 25), cp_in_range(block, '0', 9));
    name = _mm_or_si128(name, _mm_cmpeq_epi8(block, _mm_set1_epi8('_')));
    return (uint32_t)_mm_movemask_epi8(name);
}

#else

static inline cp_url_masks cp_scan_url(const uint8_t *bytes, uint32_t size) {
    cp_url_masks masks = {0, 0, 0, 0, 0};
    for (uint32_t at = 0; at < size; at++) {
        uint64_t bit = (uint64_t)1 << at;
        if (bytes[at] == '/') masks.slash |= bit;
        if (bytes[at] == ':') masks.colon |= bit;
        if (bytes[at] == '?') masks.question |= bit;
        if (bytes[at] == '#') masks.hash |= bit;
        if (cp_is_odd(bytes[at])) masks.odd |= bit;
    }
    return masks;
}

static inline uint32_t cp_scan_name(const uint8_t *bytes) {
    uint32_t name = 0;
    for (uint32_t at = 0; at < 16; at++) name |= (uint32_t)cp_is_name(bytes[at]) << at;
    return name;
}

#endif

/// Bit k: byte k of `size`, at most 64, is a delimiter, an escape's `%`, or not part of a normal form. Reads up to 15
/// bytes past them.
static inline uint64_t cp_scan_stops(
    const uint8_t *bytes, uint32_t size, uint8_t first, uint8_t second, uint8_t third) {
    uint64_t stops = 0;
#if defined(__SSE2__)
    for (uint32_t at = 0; at < size; at += 16) {
        __m128i block = _mm_loadu_si128((const __m128i *)(bytes + at));
        stops |= (cp_odd(block) | cp_equal(block, (char)first) | cp_equal(block, (char)second)
                  | cp_equal(block, (char)third)) << at;
    }
    return size < 64 ? stops & (((uint64_t)1 << size) - 1) : stops;
#else
    for (uint32_t at = 0; at < size; at++) {
        uint8_t byte = bytes[at];
        int stop = byte == first || byte == second || byte == third || cp_is_odd(byte);
        stops |= (uint64_t)stop << at;
    }
    return stops;
#endif
}

/// The number of bytes before the first odd one. Reads nothing past `count`.
static inline size_t cp_plain_run(const uint8_t *bytes, size_t count) {
    if (count > 0 && cp_is_odd(bytes[0])) return 0; // odd bytes come in rows: escapes, letters beyond ASCII
    size_t at = 0;
#if defined(__SSE2__)
    for (; count - at >= 16; at += 16) {
        uint64_t odd = cp_odd(_mm_loadu_si128((const __m128i *)(bytes + at)));
        if (odd != 0) return at + (size_t)__builtin_ctzll(odd);
    }
#endif
    while (at < count && !cp_is_odd(bytes[at])) at++;
    return at;
}
#endif
