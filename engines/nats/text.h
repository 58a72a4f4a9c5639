/* Texts: UTF-8, percent-encoding, decimal numbers. */
#ifndef TEXT_H
#define TEXT_H

#include <crosstie.h>

/* Whether bytes are UTF-8 as the library has it: no surrogates, nothing overlong, nothing above U+10FFFF. */
bool text_is_utf8(const char *bytes, size_t size);

/* Copies a text and ends it with a NUL; cuts what has no room, at the begin of a character. */
void text_copy(char *out, size_t room, ctie_str text);
/* The text in memory of its own; NULL without memory. Its user frees it. */
char *text_new(ctie_str text);

/* Percent-encodes everything but printable ASCII; also '%', the space and the characters of `also`. Returns the end of
   what it wrote, which has no NUL: at most three bytes for each one. */
char *text_encode(char *out, ctie_str text, const char *also);
/* Decodes; a '%' without two digits stands for itself. Returns the end; never writes more than it reads. */
char *text_decode(char *out, const char *from, size_t size);

/* A decimal number without sign, of digits alone. False: it is none, or above `most`. */
bool text_number(const char *text, size_t size, uint64_t most, uint64_t *out);

#endif
