// The functions of libdbus-1 that are used, by pointers from dlsym(3): the library need not be there.
#ifndef CSESSIONBUS_LIBDBUS_H
#define CSESSIONBUS_LIBDBUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct DBusConnection DBusConnection;
typedef struct DBusMessage DBusMessage;
typedef uint32_t dbus_bool_t;

/// As dbus-errors.h has it.
typedef struct DBusError {
    const char *name, *message;
    unsigned int bits;
    void *padding;
} DBusError;

/// As dbus-message.h has it.
typedef struct DBusMessageIter {
    void *pointers[2];
    uint32_t word;
    int numbers[9];
    int pad;
    void *more[2];
} DBusMessageIter;

enum {
    SB_SESSION = 0,         // DBUS_BUS_SESSION
    SB_DO_NOT_QUEUE = 4,    // DBUS_NAME_FLAG_DO_NOT_QUEUE
    SB_PRIMARY_OWNER = 1,   // DBUS_REQUEST_NAME_REPLY_…
    SB_EXISTS = 3,
    SB_ALREADY_OWNER = 4,
};

#define LIBDBUS_FUNCTIONS(X) \
    X(dbus_bool_t, dbus_threads_init_default, (void)) \
    X(void, dbus_error_init, (DBusError *)) \
    X(void, dbus_error_free, (DBusError *)) \
    X(dbus_bool_t, dbus_error_has_name, (const DBusError *, const char *)) \
    X(DBusConnection *, dbus_bus_get_private, (int, DBusError *)) \
    X(int, dbus_bus_request_name, (DBusConnection *, const char *, unsigned, DBusError *)) \
    X(void, dbus_connection_set_exit_on_disconnect, (DBusConnection *, dbus_bool_t)) \
    X(void, dbus_connection_close, (DBusConnection *)) \
    X(void, dbus_connection_unref, (DBusConnection *)) \
    X(dbus_bool_t, dbus_connection_get_unix_fd, (DBusConnection *, int *)) \
    X(dbus_bool_t, dbus_connection_read_write, (DBusConnection *, int)) \
    X(DBusMessage *, dbus_connection_pop_message, (DBusConnection *)) \
    X(dbus_bool_t, dbus_connection_send, (DBusConnection *, DBusMessage *, uint32_t *)) \
    X(dbus_bool_t, dbus_connection_has_messages_to_send, (DBusConnection *)) \
    X(DBusMessage *, dbus_connection_send_with_reply_and_block, (DBusConnection *, DBusMessage *, int, DBusError *)) \
    X(DBusMessage *, dbus_message_new_method_call, (const char *, const char *, const char *, const char *)) \
    X(DBusMessage *, dbus_message_new_method_return, (DBusMessage *)) \
    X(DBusMessage *, dbus_message_new_error, (DBusMessage *, const char *, const char *)) \
    X(void, dbus_message_unref, (DBusMessage *)) \
    X(int, dbus_message_get_type, (DBusMessage *)) \
    X(dbus_bool_t, dbus_message_get_no_reply, (DBusMessage *)) \
    X(dbus_bool_t, dbus_message_is_method_call, (DBusMessage *, const char *, const char *)) \
    X(dbus_bool_t, dbus_message_has_path, (DBusMessage *, const char *)) \
    X(dbus_bool_t, dbus_message_has_signature, (DBusMessage *, const char *)) \
    X(void, dbus_message_set_auto_start, (DBusMessage *, dbus_bool_t)) \
    X(dbus_bool_t, dbus_message_iter_init, (DBusMessage *, DBusMessageIter *)) \
    X(int, dbus_message_iter_get_arg_type, (DBusMessageIter *)) \
    X(void, dbus_message_iter_get_basic, (DBusMessageIter *, void *)) \
    X(void, dbus_message_iter_recurse, (DBusMessageIter *, DBusMessageIter *)) \
    X(dbus_bool_t, dbus_message_iter_next, (DBusMessageIter *)) \
    X(void, dbus_message_iter_init_append, (DBusMessage *, DBusMessageIter *)) \
    X(dbus_bool_t, dbus_message_iter_append_basic, (DBusMessageIter *, int, const void *)) \
    X(dbus_bool_t, dbus_message_iter_open_container, (DBusMessageIter *, int, const char *, DBusMessageIter *)) \
    X(dbus_bool_t, dbus_message_iter_close_container, (DBusMessageIter *, DBusMessageIter *))

struct libdbus {
#define POINTER(result, name, arguments) result(*name) arguments;
    LIBDBUS_FUNCTIONS(POINTER)
#undef POINTER
};

/// NULL where the library cannot be loaded.
const struct libdbus *sb_library(void);

/// A call's arguments as MessagePack: a list. NULL for lack of memory, or for arguments over a limit. The caller frees it.
uint8_t *sb_pack(const struct libdbus *library, DBusMessage *message, size_t *size);

#endif
