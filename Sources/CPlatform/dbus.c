#define _GNU_SOURCE
#include "platform_dbus.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

// The library's own declarations, so that nothing of it is needed to build.

struct dbus_error {
    const char *name, *message;
    unsigned bits;
    void *padding;
};

#define FUNCTIONS(X) \
    X(unsigned, dbus_threads_init_default, (void)) \
    X(void, dbus_error_init, (struct dbus_error *)) \
    X(void, dbus_error_free, (struct dbus_error *)) \
    X(void, dbus_connection_set_change_sigpipe, (unsigned)) \
    X(void *, dbus_connection_open_private, (const char *, struct dbus_error *)) \
    X(void, dbus_connection_set_exit_on_disconnect, (void *, unsigned)) \
    X(void, dbus_connection_close, (void *)) \
    X(void, dbus_connection_unref, (void *)) \
    X(unsigned, dbus_connection_get_unix_fd, (void *, int *)) \
    X(unsigned, dbus_connection_read_write, (void *, int)) \
    X(unsigned, dbus_connection_has_messages_to_send, (void *)) \
    X(unsigned, dbus_connection_send, (void *, void *, uint32_t *)) \
    X(void *, dbus_connection_pop_message, (void *)) \
    X(void *, dbus_message_new, (int)) \
    X(void *, dbus_message_new_method_call, (const char *, const char *, const char *, const char *)) \
    X(void, dbus_message_unref, (void *)) \
    X(unsigned, dbus_message_set_destination, (void *, const char *)) \
    X(unsigned, dbus_message_set_reply_serial, (void *, uint32_t)) \
    X(unsigned, dbus_message_set_error_name, (void *, const char *)) \
    X(void, dbus_message_set_no_reply, (void *, unsigned)) \
    X(int, dbus_message_get_type, (void *)) \
    X(uint32_t, dbus_message_get_serial, (void *)) \
    X(uint32_t, dbus_message_get_reply_serial, (void *)) \
    X(unsigned, dbus_message_get_no_reply, (void *)) \
    X(const char *, dbus_message_get_sender, (void *)) \
    X(const char *, dbus_message_get_path, (void *)) \
    X(const char *, dbus_message_get_interface, (void *)) \
    X(const char *, dbus_message_get_member, (void *)) \
    X(unsigned, dbus_message_has_signature, (void *, const char *)) \
    X(unsigned, dbus_message_iter_init, (void *, struct cp_dbus_reader *)) \
    X(void, dbus_message_iter_init_append, (void *, struct cp_dbus_reader *)) \
    X(unsigned, dbus_message_iter_append_basic, (struct cp_dbus_reader *, int, const void *)) \
    X(int, dbus_message_iter_get_arg_type, (struct cp_dbus_reader *)) \
    X(void, dbus_message_iter_get_basic, (struct cp_dbus_reader *, void *)) \
    X(void, dbus_message_iter_recurse, (struct cp_dbus_reader *, struct cp_dbus_reader *)) \
    X(unsigned, dbus_message_iter_next, (struct cp_dbus_reader *))

#define DECLARE(result, name, parameters) result(*name) parameters;
static struct { FUNCTIONS(DECLARE) } lib;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char failure[256];

static void load(void) {
    void *handle = dlopen("libdbus-1.so.3", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
#define FIND(result, name, parameters) \
    if (handle != NULL) { \
        *(void **)&lib.name = dlsym(handle, #name); \
        if (lib.name == NULL) handle = NULL; \
    }
    FUNCTIONS(FIND)
    if (handle != NULL) {
        lib.dbus_threads_init_default();
        return;
    }
    const char *reason = dlerror();
    snprintf(failure, sizeof failure, "%s", reason != NULL ? reason : "libdbus-1.so.3 lacks a function");
}

const char *cp_dbus_load(void) {
    pthread_once(&once, load);
    return failure[0] == 0 ? NULL : failure;
}

bool cp_dbus_address(const char *path, char *out, size_t size) {
    static const char plain[] = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz/.";
    size_t used = (size_t)snprintf(out, size, "unix:path=");
    for (; *path != 0; path++) {
        if (used + 4 > size) return false;
        used += (size_t)snprintf(out + used, size - used, strchr(plain, *path) != NULL ? "%c" : "%%%02x", (unsigned char)*path);
    }
    return true;
}

void *cp_dbus_connect(const char *address, char *reason, size_t size) {
    struct dbus_error error;
    lib.dbus_error_init(&error);
    // It would ignore SIGPIPE in the whole process otherwise; its own writes raise none.
    lib.dbus_connection_set_change_sigpipe(0);
    void *connection = lib.dbus_connection_open_private(address, &error);
    if (connection != NULL) {
        lib.dbus_connection_set_exit_on_disconnect(connection, 0);
    } else {
        snprintf(reason, size, "%s", error.message != NULL ? error.message : "there is no memory");
        lib.dbus_error_free(&error);
    }
    return connection;
}

void cp_dbus_close(void *connection) {
    lib.dbus_connection_close(connection);
    lib.dbus_connection_unref(connection);
}

int cp_dbus_file(void *connection) {
    int file = -1;
    return lib.dbus_connection_get_unix_fd(connection, &file) ? file : -1;
}

bool cp_dbus_drive(void *connection, int milliseconds) {
    return lib.dbus_connection_read_write(connection, milliseconds);
}

bool cp_dbus_is_sending(void *connection) { return lib.dbus_connection_has_messages_to_send(connection); }

bool cp_dbus_next(void *connection, struct cp_dbus_message *out) {
    void *raw = lib.dbus_connection_pop_message(connection);
    if (raw == NULL) return false;
    *out = (struct cp_dbus_message){
        .raw = raw,
        .type = lib.dbus_message_get_type(raw),
        .serial = lib.dbus_message_get_serial(raw),
        .answered = lib.dbus_message_get_reply_serial(raw),
        .wants_answer = !lib.dbus_message_get_no_reply(raw),
        .sender = lib.dbus_message_get_sender(raw),
        .path = lib.dbus_message_get_path(raw),
        .interface = lib.dbus_message_get_interface(raw),
        .member = lib.dbus_message_get_member(raw),
    };
    return true;
}

void cp_dbus_release(const struct cp_dbus_message *message) { lib.dbus_message_unref(message->raw); }

/// Sends a message with what it has been possible to add, and lets it go. Its serial number; 0 without memory.
static uint32_t finish(void *connection, void *message, bool is_whole) {
    uint32_t serial = 0;
    if (is_whole && !lib.dbus_connection_send(connection, message, &serial)) serial = 0;
    lib.dbus_message_unref(message);
    return serial;
}

uint32_t cp_dbus_ask(void *connection, const char *member, const char *name, int64_t number) {
    void *call = lib.dbus_message_new_method_call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                                                  member);
    if (call == NULL) return 0;
    struct cp_dbus_reader reader;
    uint32_t flags = (uint32_t)number;
    lib.dbus_message_iter_init_append(call, &reader);
    bool is_whole = name == NULL || lib.dbus_message_iter_append_basic(&reader, 's', &name);
    if (number >= 0) is_whole = is_whole && lib.dbus_message_iter_append_basic(&reader, 'u', &flags);
    return finish(connection, call, is_whole);
}

bool cp_dbus_answer(void *connection, const char *to, uint32_t serial, const char *error, const char *text) {
    void *answer = lib.dbus_message_new(error != NULL ? CP_DBUS_ERROR : CP_DBUS_ANSWER);
    if (answer == NULL) return false;
    struct cp_dbus_reader reader;
    lib.dbus_message_iter_init_append(answer, &reader);
    lib.dbus_message_set_no_reply(answer, 1);
    bool is_whole = lib.dbus_message_set_reply_serial(answer, serial) &&
                    (to == NULL || lib.dbus_message_set_destination(answer, to)) &&
                    (error == NULL || lib.dbus_message_set_error_name(answer, error)) &&
                    (text == NULL || lib.dbus_message_iter_append_basic(&reader, 's', &text));
    return finish(connection, answer, is_whole) != 0;
}

bool cp_dbus_has_types(const struct cp_dbus_message *message, const char *signature) {
    return lib.dbus_message_has_signature(message->raw, signature);
}

struct cp_dbus_reader cp_dbus_arguments(const struct cp_dbus_message *message) {
    struct cp_dbus_reader reader = {{NULL}};
    lib.dbus_message_iter_init(message->raw, &reader);
    return reader;
}

struct cp_dbus_reader cp_dbus_inside(struct cp_dbus_reader *reader) {
    struct cp_dbus_reader inside = {{NULL}};
    lib.dbus_message_iter_recurse(reader, &inside);
    return inside;
}

int cp_dbus_type(struct cp_dbus_reader *reader) { return lib.dbus_message_iter_get_arg_type(reader); }

void cp_dbus_advance(struct cp_dbus_reader *reader) { lib.dbus_message_iter_next(reader); }

const char *cp_dbus_text(struct cp_dbus_reader *reader) {
    const char *text = NULL;
    if (cp_dbus_type(reader) == 's') lib.dbus_message_iter_get_basic(reader, &text);
    return text;
}

uint32_t cp_dbus_number(struct cp_dbus_reader *reader) {
    uint32_t number = 0;
    if (cp_dbus_type(reader) == 'u') lib.dbus_message_iter_get_basic(reader, &number);
    return number;
}
