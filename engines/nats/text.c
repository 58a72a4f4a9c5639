#include "text.h"

#include <stdlib.h>
#include <string.h>

/* The bytes of the character that begins here; 0 if it is none. */
static size_t character(const unsigned char *at, size_t left) {
    unsigned char first = at[0];
    if (first < 0x80) { return 1; }
    size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || size > left) { return 0; }
    for (size_t i = 1; i < size; i++) {
        if ((at[i] & 0xc0) != 0x80) { return 0; }
    }
    if (first == 0xe0 && at[1] < 0xa0) { return 0; }
    if (first == 0xed && at[1] > 0x9f) { return 0; }
    if (first == 0xf0 && at[1] < 0x90) { return 0; }
    if (first == 0xf4 && at[1] > 0x8f) { return 0; }
    return size;
}

bool text_is_utf8(const char *bytes, size_t size) {
    const unsigned char *at = (const unsigned char *)bytes;
    for (size_t i = 0, step; i < size; i += step) {
        step = character(at + i, size - i);
        if (step == 0) { return false; }
    }
    return true;
}

void text_copy(char *out, size_t room, ctie_str text) {
    size_t size = text.size < room ? text.size : room - 1;
    if (size < text.size) {
        while (size > 0 && ((unsigned char)text.data[size] & 0xc0) == 0x80) { size--; }
    }
    if (size > 0) { memcpy(out, text.data, size); }
    out[size] = 0;
}

char *text_new(ctie_str text) {
    char *out = malloc(text.size + 1);
    if (out == NULL) { return NULL; }
    if (text.size > 0) { memcpy(out, text.data, text.size); }
    out[text.size] = 0;
    return out;
}

char *text_encode(char *out, ctie_str text, const char *also) {
    static const char DIGITS[] = "0123456789ABCDEF";
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c > 0x20 && c < 0x7f && c != '%' && strchr(also, c) == NULL) {
            *out++ = (char)c;
        } else {
            *out++ = '%', *out++ = DIGITS[c >> 4], *out++ = DIGITS[c & 15];
        }
    }
    return out;
}

static int digit(char c) {
    if (c >= '0' && c <= '9') { return c - '0'; }
    if (c >= 'A' && c <= 'F') { return c - 'A' + 10; }
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

char *text_decode(char *out, const char *from, size_t size) {
    for (size_t i = 0; i < size; i++) {
        if (from[i] == '%' && size - i > 2 && digit(from[i + 1]) >= 0 && digit(from[i + 2]) >= 0) {
            *out++ = (char)(digit(from[i + 1]) << 4 | digit(from[i + 2]));
            i += 2;
        } else {
            *out++ = from[i];
        }
    }
    return out;
}

bool text_number(const char *text, size_t size, uint64_t most, uint64_t *out) {
    uint64_t number = 0;
    if (size == 0) { return false; }
    for (size_t i = 0; i < size; i++) {
        uint64_t add = (uint64_t)(unsigned char)text[i] - '0';
        if (text[i] < '0' || text[i] > '9' || number > (most - add) / 10 || add > most) { return false; }
        number = number * 10 + add;
    }
    *out = number;
    return true;
}
