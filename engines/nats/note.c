#include "note.h"

#include <stdlib.h>
#include <string.h>

static size_t size_of(const ctie_engine_message *from) {
    size_t size = sizeof(note) + from->header_count * sizeof(ctie_header) + from->identifier.size + from->value.size;
    for (size_t i = 0; i < from->header_count; i++) {
        size += from->headers[i].name.size + from->headers[i].value.size;
    }
    return size + from->sender_name.size;
}

static const char *put(char **at, const void *bytes, size_t size) {
    char *start = *at;
    if (size > 0) { memcpy(start, bytes, size); }
    *at += size;
    return start;
}

note *note_of(const ctie_engine_message *from, uint64_t in_stream) {
    size_t size = size_of(from);
    note *it = malloc(size);
    if (it == NULL) { return NULL; }
    *it = (note){.references = 1, .size = size, .in_stream = in_stream, .noted = clock_now(CLOCK_MONOTONIC)};
    char *at = (char *)(it->headers + from->header_count);
    ctie_engine_message *message = &it->message;
    message->size = sizeof *message, message->kind = from->kind;
    message->time = from->time, message->expires = from->expires, message->sender_pid = from->sender_pid;
    message->identifier = (ctie_str){put(&at, from->identifier.data, from->identifier.size), from->identifier.size};
    message->value = (ctie_bytes){(const void *)put(&at, from->value.data, from->value.size), from->value.size};
    message->sender_name = (ctie_str){put(&at, from->sender_name.data, from->sender_name.size), from->sender_name.size};
    message->headers = from->header_count > 0 ? it->headers : NULL, message->header_count = from->header_count;
    for (size_t i = 0; i < from->header_count; i++) {
        ctie_str name = from->headers[i].name, value = from->headers[i].value;
        it->headers[i].name = (ctie_str){put(&at, name.data, name.size), name.size};
        it->headers[i].value = (ctie_str){put(&at, value.data, value.size), value.size};
    }
    return it;
}
