/* A message as a file: a preamble, then the identifier, the sender's name, the headers and the value. */
#define _GNU_SOURCE
#include "directory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct preamble {
    uint32_t mark;      /* MARK */
    uint32_t destroyed; /* 1: its identifier was destroyed afterwards */
    int32_t kind, pid;
    uint64_t number;
    int64_t time, expires;
    uint32_t id_size, name_size, header_count, reserved;
    uint64_t value_size;
} preamble;

enum { MARK = 0x31676d63, SIZE_MOST = 1 << 28 };

/* ---- Writing ------------------------------------------------------------------------------------- */

static char *put(char *at, const void *bytes, size_t size) {
    if (size > 0) memcpy(at, bytes, size);
    return at + size;
}

static size_t size_of(const ctie_engine_message *message) {
    size_t size = sizeof(preamble) + message->identifier.size + message->sender_name.size + message->value.size;
    for (size_t i = 0; i < message->header_count; i++) {
        size += 2 * sizeof(uint32_t) + message->headers[i].name.size + message->headers[i].value.size;
    }
    return size; /* the library has checked the sizes of what it sends */
}

ctie_status message_write(const directory *it, uint64_t number, const ctie_engine_message *message) {
    preamble begin = {MARK, 0, message->kind, message->sender_pid, number, message->time, message->expires,
                      (uint32_t)message->identifier.size, (uint32_t)message->sender_name.size,
                      (uint32_t)message->header_count, 0, message->value.size};
    size_t size = size_of(message);
    if (message->identifier.size >= ID_MOST || size > SIZE_MOST) return CTIE_E_LIMIT; /* it could not be read */
    char name[NUMBER_MOST], *bytes = (char *)malloc(size), *at = bytes;
    if (bytes == NULL) return CTIE_E_NO_MEMORY;
    at = put(at, &begin, sizeof begin);
    at = put(at, message->identifier.data, message->identifier.size);
    at = put(at, message->sender_name.data, message->sender_name.size);
    for (size_t i = 0; i < message->header_count; i++) {
        const ctie_header *header = &message->headers[i];
        uint32_t sizes[2] = {(uint32_t)header->name.size, (uint32_t)header->value.size};
        at = put(at, sizes, sizeof sizes);
        at = put(at, header->name.data, sizes[0]);
        at = put(at, header->value.data, sizes[1]);
    }
    put(at, message->value.data, message->value.size);
    name_of(number, name);
    ctie_status status = directory_replace(it, "messages", name, bytes, size);
    free(bytes);
    return status;
}

ctie_status message_mark_destroyed(const directory *it, uint64_t number) {
    const uint32_t destroyed = 1;
    char name[NUMBER_MOST];
    name_of(number, name);
    int file = directory_file(it, "messages", name, O_WRONLY);
    if (file < 0) return status_of_errno();
    ssize_t size = pwrite(file, &destroyed, sizeof destroyed, offsetof(preamble, destroyed));
    ctie_status status = size < 0 ? status_of_errno() : size == (ssize_t)sizeof destroyed ? CTIE_OK : CTIE_E_SYSTEM;
    if (close(file) != 0 && status == CTIE_OK) status = status_of_errno();
    return status;
}

/* ---- Reading ------------------------------------------------------------------------------------- */

/* The rest of a file: its sizes are checked, not believed. */
typedef struct rest {
    char *at;
    size_t size;
} rest;

static bool take(rest *from, uint64_t size, char **out) {
    if (size > from->size) return false;
    *out = from->at;
    from->at += size, from->size -= (size_t)size;
    return true;
}

static bool take_text(rest *from, uint32_t size, ctie_str *out) {
    char *bytes = NULL;
    bool is_there = take(from, size, &bytes);
    *out = (ctie_str){bytes, is_there ? size : 0};
    return is_there;
}

static bool take_header(rest *from, ctie_header *out) {
    char *bytes = NULL;
    uint32_t sizes[2];
    if (!take(from, sizeof sizes, &bytes)) return false;
    memcpy(sizes, bytes, sizeof sizes);
    return take_text(from, sizes[0], &out->name) && take_text(from, sizes[1], &out->value);
}

static ctie_status take_apart(stored *out, rest all) {
    ctie_engine_message *message = &out->message;
    preamble begin;
    char *bytes = NULL;
    if (!take(&all, sizeof begin, &bytes)) return CTIE_E_CORRUPT;
    memcpy(&begin, bytes, sizeof begin);
    message->size = sizeof *message, message->kind = begin.kind, message->sequence = begin.number;
    message->time = begin.time, message->expires = begin.expires, message->sender_pid = begin.pid;
    out->is_destroyed = begin.destroyed != 0;
    if (begin.mark != MARK || begin.id_size >= ID_MOST || begin.header_count > all.size ||
        !take_text(&all, begin.id_size, &message->identifier) ||
        !take_text(&all, begin.name_size, &message->sender_name)) return CTIE_E_CORRUPT;
    if (begin.header_count > 0) {
        out->headers = (ctie_header *)calloc(begin.header_count, sizeof *out->headers);
        if (out->headers == NULL) return CTIE_E_NO_MEMORY;
    }
    for (size_t i = 0; i < begin.header_count; i++) {
        if (!take_header(&all, &out->headers[i])) return CTIE_E_CORRUPT;
    }
    message->headers = out->headers, message->header_count = begin.header_count;
    if (begin.value_size != all.size) return CTIE_E_CORRUPT;
    message->value = (ctie_bytes){all.size > 0 ? all.at : NULL, all.size};
    return CTIE_OK;
}

ctie_status message_read(const directory *it, const char *folder, const char *name, stored *out) {
    struct stat about = {0};
    memset(out, 0, sizeof *out);
    int file = directory_file(it, folder, name, O_RDONLY);
    if (file < 0) return status_of_errno();
    ctie_status status = fstat(file, &about) == 0 ? CTIE_OK : status_of_errno();
    size_t size = (size_t)about.st_size;
    if (status == CTIE_OK && size > SIZE_MOST) status = CTIE_E_CORRUPT;
    if (status == CTIE_OK && (out->bytes = (char *)malloc(size + 1)) == NULL) status = CTIE_E_NO_MEMORY;
    ssize_t count = status == CTIE_OK ? read_whole(file, out->bytes, size) : 0;
    if (count < 0) status = status_of_errno();
    if (status == CTIE_OK && (size_t)count != size) status = CTIE_E_CORRUPT;
    close(file);
    if (status == CTIE_OK) status = take_apart(out, (rest){out->bytes, size});
    if (status != CTIE_OK) message_free(out);
    return status;
}

ctie_status message_at(const directory *it, uint64_t number, stored *out) {
    char name[NUMBER_MOST];
    name_of(number, name);
    ctie_status status = message_read(it, "messages", name, out);
    /* The name is the number, whatever the file says. */
    if (status == CTIE_OK) out->message.sequence = number;
    return status;
}

void message_free(stored *it) {
    free(it->headers);
    free(it->bytes);
    it->headers = NULL, it->bytes = NULL;
}

/* ---- Topics and times ------------------------------------------------------------------------------ */

bool topic_covers(const char *topic, ctie_str id) {
    size_t size = strlen(topic);
    if (id.size == 0 || size == 0) return id.size == 0;
    if (topic[size - 1] != '*') return size == id.size && memcmp(topic, id.data, size) == 0;
    return id.size >= size - 1 && memcmp(topic, id.data, size - 1) == 0;
}

bool has_expired(const stored *it) { return it->message.expires != 0 && it->message.expires <= now_ns(); }
