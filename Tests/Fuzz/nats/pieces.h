/* An input is made of pieces, which the bytes FE FF separate. The first byte of one says what it is: something to do
   (target.c), or the answer to a request (`=`). */
#ifndef PIECES_H
#define PIECES_H

#include <nats/nats.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct piece {
    const uint8_t *bytes;
    size_t size;
} piece;

void pieces_begin(const uint8_t *bytes, size_t size);
/* The next piece, which is taken. False at the end. */
bool pieces_take(piece *out);
/* Likewise, if it is an answer; without its first byte. */
bool pieces_take_answer(piece *out);

/* Takes a byte from the begin of a piece; 0 if there is none. */
uint8_t piece_byte(piece *from);

/* The message that a piece has: `<subject> <reply>`, a line `<name>:<value>` for each header, an empty line, the body.
   Any of them may be missing; without a subject it is `subject`. NULL if libnats takes none of that. */
natsMsg *piece_message(piece from, const char *subject);

#endif
