#include "pieces.h"

#include "simulated.h"

#include <string.h>

enum { TEXT_MOST = 512 };

static piece rest;
static bool is_at_end;

void pieces_begin(const uint8_t *bytes, size_t size) {
    rest = (piece){bytes, size};
    is_at_end = false;
}

static size_t next_size(void) {
    for (size_t i = 0; i + 1 < rest.size; i++) {
        if (rest.bytes[i] == 0xFE && rest.bytes[i + 1] == 0xFF) { return i; }
    }
    return rest.size;
}

bool pieces_take(piece *out) {
    if (is_at_end) { return false; }
    size_t size = next_size();
    *out = (piece){rest.bytes, size};
    is_at_end = size == rest.size;
    if (!is_at_end) { rest.bytes += size + 2, rest.size -= size + 2; }
    return true;
}

bool pieces_take_answer(piece *out) {
    if (is_at_end || rest.size == 0 || rest.bytes[0] != '=' || !pieces_take(out)) { return false; }
    out->bytes++, out->size--;
    return true;
}

uint8_t piece_byte(piece *from) {
    if (from->size == 0) { return 0; }
    from->size--;
    return *from->bytes++;
}

/* ---- Messages -------------------------------------------------------------------------------------- */

/* Takes a text up to `end`, or the whole line, without what the protocol of NATS cannot have in one. */
static void take_text(piece *from, char end, const char *without, char out[TEXT_MOST]) {
    size_t size = 0;
    while (from->size > 0 && *from->bytes != '\n') {
        uint8_t byte = piece_byte(from);
        if (byte == (uint8_t)end) { break; }
        bool is_kept = byte != 0 && strchr(without, byte) == NULL;
        if (is_kept && size + 1 < TEXT_MOST) { out[size++] = (char)byte; }
    }
    out[size] = 0;
}

static void take_line_end(piece *from) {
    if (from->size > 0 && *from->bytes == '\n') { piece_byte(from); }
}

natsMsg *piece_message(piece from, const char *subject) {
    char own[TEXT_MOST], reply[TEXT_MOST], name[TEXT_MOST], value[TEXT_MOST];
    struct { char name[TEXT_MOST], value[TEXT_MOST]; } headers[8];
    size_t count = 0;
    natsMsg *made = NULL;
    take_text(&from, ' ', "\t\r", own);
    take_text(&from, '\n', " \t\r", reply);
    take_line_end(&from);
    while (from.size > 0 && *from.bytes != '\n') {
        take_text(&from, ':', "\r", name);
        take_text(&from, '\n', "\r", value);
        take_line_end(&from);
        if (count == sizeof headers / sizeof *headers) { continue; }
        memcpy(headers[count].name, name, sizeof name);
        memcpy(headers[count++].value, value, sizeof value);
    }
    take_line_end(&from);
    const char *to = own[0] != 0 ? own : subject, *body = (const char *)from.bytes;
    if (natsMsg_Create(&made, to, reply[0] != 0 ? reply : NULL, body, (int)from.size) != NATS_OK) { return NULL; }
    for (size_t i = 0; i < count; i++) { natsMsgHeader_Add(made, headers[i].name, headers[i].value); }
    return made;
}
