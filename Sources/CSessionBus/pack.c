// Arguments of calls as MessagePack.
#include "libdbus.h"

#include <stdlib.h>
#include <string.h>

#define MOST_BYTES (1u << 20)
#define MOST_DEPTH 32

struct writer {
    const struct libdbus *library;
    uint8_t *bytes;
    size_t size, room;
    bool has_failed;
};

static void put(struct writer *writer, const void *bytes, size_t size) {
    if (writer->has_failed) return;
    if (size > MOST_BYTES - writer->size) {
        writer->has_failed = true;
        return;
    }
    if (writer->size + size > writer->room) {
        size_t room = (writer->size + size) * 2;
        uint8_t *grown = realloc(writer->bytes, room);
        if (grown == NULL) {
            writer->has_failed = true;
            return;
        }
        writer->bytes = grown;
        writer->room = room;
    }
    if (size != 0) memcpy(writer->bytes + writer->size, bytes, size);
    writer->size += size;
}

static void put_head(struct writer *writer, uint8_t lead, uint64_t number, int bytes) {
    uint8_t head[9] = {lead};
    for (int i = 0; i < bytes; i++) head[bytes - i] = (uint8_t)(number >> (8 * i));
    put(writer, head, (size_t)bytes + 1);
}

static void put_text(struct writer *writer, const char *text) {
    size_t size = strlen(text);
    put_head(writer, 0xDB, size, 4);
    put(writer, text, size);
}

static void put_value(struct writer *writer, DBusMessageIter *at, int depth);

/// The items of a container; of a map keys and values.
static void put_items(struct writer *writer, DBusMessageIter *at, int depth) {
    const struct libdbus *library = writer->library;
    DBusMessageIter items;
    library->dbus_message_iter_recurse(at, &items);
    bool is_map = library->dbus_message_iter_get_arg_type(&items) == 'e';
    uint32_t count = 0;
    size_t head = writer->size;
    put_head(writer, is_map ? 0xDF : 0xDD, 0, 4);
    for (; library->dbus_message_iter_get_arg_type(&items) != 0; library->dbus_message_iter_next(&items), count++) {
        if (!is_map) {
            put_value(writer, &items, depth + 1);
            continue;
        }
        DBusMessageIter entry;
        library->dbus_message_iter_recurse(&items, &entry);
        put_value(writer, &entry, depth + 1);
        library->dbus_message_iter_next(&entry);
        put_value(writer, &entry, depth + 1);
    }
    if (writer->has_failed) return;
    for (int i = 0; i < 4; i++) writer->bytes[head + 4 - (size_t)i] = (uint8_t)(count >> (8 * i));
}

static void put_number(struct writer *writer, DBusMessageIter *at, int type) {
    union {
        uint8_t byte;
        int16_t int16;
        uint16_t uint16;
        int32_t int32;
        uint32_t uint32;
        int64_t int64;
        uint64_t uint64;
    } value = {.uint64 = 0};
    writer->library->dbus_message_iter_get_basic(at, &value);
    switch (type) {
    case 'y': put_head(writer, 0xCF, value.byte, 8); return;
    case 'n': put_head(writer, 0xD3, (uint64_t)(int64_t)value.int16, 8); return;
    case 'q': put_head(writer, 0xCF, value.uint16, 8); return;
    case 'i': put_head(writer, 0xD3, (uint64_t)(int64_t)value.int32, 8); return;
    case 'u': put_head(writer, 0xCF, value.uint32, 8); return;
    case 'x': put_head(writer, 0xD3, (uint64_t)value.int64, 8); return;
    case 't': put_head(writer, 0xD3, value.uint64 > INT64_MAX ? INT64_MAX : value.uint64, 8); return;
    case 'd': put_head(writer, 0xCB, value.uint64, 8); return;
    default: put_head(writer, value.uint32 != 0 ? 0xC3 : 0xC2, 0, 0); return; // 'b'
    }
}

static void put_value(struct writer *writer, DBusMessageIter *at, int depth) {
    const struct libdbus *library = writer->library;
    int type = library->dbus_message_iter_get_arg_type(at);
    if (depth > MOST_DEPTH) writer->has_failed = true;
    if (writer->has_failed) return;
    if (type == 's' || type == 'o' || type == 'g') {
        const char *text = "";
        library->dbus_message_iter_get_basic(at, &text);
        put_text(writer, text);
    } else if (type == 'v') {
        DBusMessageIter inside;
        library->dbus_message_iter_recurse(at, &inside);
        put_value(writer, &inside, depth + 1);
    } else if (type == 'a' || type == 'r') {
        put_items(writer, at, depth);
    } else if (type != 0 && strchr("ynqiuxtdb", type) != NULL) {
        put_number(writer, at, type);
    } else {
        put_head(writer, 0xC0, 0, 0);
    }
}

uint8_t *sb_pack(const struct libdbus *library, DBusMessage *message, size_t *size) {
    struct writer writer = {.library = library};
    DBusMessageIter at;
    uint8_t count = 0;
    put_head(&writer, 0x90, 0, 0);
    if (library->dbus_message_iter_init(message, &at)) {
        do {
            put_value(&writer, &at, 0);
            count++;
        } while (count < 15 && library->dbus_message_iter_next(&at));
    }
    if (writer.has_failed) {
        free(writer.bytes);
        return NULL;
    }
    writer.bytes[0] = 0x90 | count;
    *size = writer.size;
    return writer.bytes;
}
