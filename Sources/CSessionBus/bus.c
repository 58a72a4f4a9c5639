#include "CSessionBus.h"
#include "libdbus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APPLICATION "org.freedesktop.Application"

struct sb_bus {
    const struct libdbus *library;
    DBusConnection *connection;
};

struct sb_call {
    DBusMessage *message;
    uint8_t *arguments;
};

static void say(char *reason, size_t size, const DBusError *error) {
    snprintf(reason, size, "%s", error->message == NULL ? "no reason" : error->message);
}

sb_bus *sb_open(char *reason, size_t size) {
    const struct libdbus *library = sb_library();
    if (library == NULL) {
        snprintf(reason, size, "libdbus-1.so.3 cannot be loaded");
        return NULL;
    }
    sb_bus *bus = malloc(sizeof *bus);
    DBusError error;
    library->dbus_error_init(&error);
    if (bus == NULL) {
        snprintf(reason, size, "out of memory");
        return NULL;
    }
    *bus = (sb_bus){library, library->dbus_bus_get_private(SB_SESSION, &error)};
    if (bus->connection == NULL) {
        say(reason, size, &error);
        library->dbus_error_free(&error);
        free(bus);
        return NULL;
    }
    library->dbus_connection_set_exit_on_disconnect(bus->connection, false);
    return bus;
}

void sb_close(sb_bus *bus) {
    bus->library->dbus_connection_close(bus->connection);
    bus->library->dbus_connection_unref(bus->connection);
    free(bus);
}

int sb_own(sb_bus *bus, const char *name, char *reason, size_t size) {
    DBusError error;
    bus->library->dbus_error_init(&error);
    int got = bus->library->dbus_bus_request_name(bus->connection, name, SB_DO_NOT_QUEUE, &error);
    if (got == SB_PRIMARY_OWNER || got == SB_ALREADY_OWNER) return 1;
    if (got == SB_EXISTS) return 0;
    say(reason, size, &error);
    bus->library->dbus_error_free(&error);
    return -1;
}

bool sb_answers(sb_bus *bus, const char *name, int milliseconds) {
    const struct libdbus *library = bus->library;
    DBusError error;
    DBusMessage *ping = library->dbus_message_new_method_call(name, "/", "org.freedesktop.DBus.Peer", "Ping");
    if (ping == NULL) return false;
    library->dbus_message_set_auto_start(ping, false);
    library->dbus_error_init(&error);
    DBusMessage *reply = library->dbus_connection_send_with_reply_and_block(bus->connection, ping, milliseconds, &error);
    library->dbus_message_unref(ping);
    if (reply != NULL) {
        library->dbus_message_unref(reply);
        return true;
    }
    // An error is an answer, too, unless it says that there is none.
    bool is_answer = !library->dbus_error_has_name(&error, "org.freedesktop.DBus.Error.NoReply") &&
                     !library->dbus_error_has_name(&error, "org.freedesktop.DBus.Error.Timeout");
    library->dbus_error_free(&error);
    return is_answer;
}

int sb_descriptor(sb_bus *bus) {
    int file = -1;
    return bus->library->dbus_connection_get_unix_fd(bus->connection, &file) ? file : -1;
}

static void send_reply(sb_bus *bus, DBusMessage *message, DBusMessage *reply) {
    if (reply == NULL) return;
    if (!bus->library->dbus_message_get_no_reply(message))
        bus->library->dbus_connection_send(bus->connection, reply, NULL);
    bus->library->dbus_message_unref(reply);
    bus->library->dbus_connection_read_write(bus->connection, 0);
}

/// The member of a call of the application; NULL for another one.
static const char *member_of(sb_bus *bus, DBusMessage *message, const char *path) {
    static const char *const members[][2] = {
        {"Activate", "a{sv}"}, {"Open", "asa{sv}"}, {"ActivateAction", "sava{sv}"}};
    if (!bus->library->dbus_message_has_path(message, path)) return NULL;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        if (bus->library->dbus_message_is_method_call(message, APPLICATION, members[i][0]) &&
            bus->library->dbus_message_has_signature(message, members[i][1]))
            return members[i][0];
    }
    return NULL;
}

static void refuse(sb_bus *bus, DBusMessage *message) {
    bool is_ping = bus->library->dbus_message_is_method_call(message, "org.freedesktop.DBus.Peer", "Ping");
    send_reply(bus, message,
               is_ping ? bus->library->dbus_message_new_method_return(message)
                       : bus->library->dbus_message_new_error(message, "org.freedesktop.DBus.Error.UnknownMethod",
                                                              "the application has no such method"));
}

bool sb_next(sb_bus *bus, const char *path, sb_request *out) {
    const struct libdbus *library = bus->library;
    library->dbus_connection_read_write(bus->connection, 0);
    for (DBusMessage *message; (message = library->dbus_connection_pop_message(bus->connection)) != NULL;) {
        const char *member = member_of(bus, message, path);
        sb_call *call = member == NULL ? NULL : malloc(sizeof *call);
        uint8_t *arguments = call == NULL ? NULL : sb_pack(library, message, &out->size);
        if (arguments != NULL) {
            *call = (sb_call){message, arguments};
            out->call = call;
            out->member = member;
            out->arguments = arguments;
            return true;
        }
        free(call);
        if (library->dbus_message_get_type(message) == 1 /* a method call */) refuse(bus, message);
        library->dbus_message_unref(message);
    }
    return false;
}

bool sb_has_output(sb_bus *bus) { return bus->library->dbus_connection_has_messages_to_send(bus->connection); }

void sb_answer(sb_bus *bus, sb_call *call, const char *error) {
    send_reply(bus, call->message,
               error == NULL ? bus->library->dbus_message_new_method_return(call->message)
                             : bus->library->dbus_message_new_error(call->message,
                                                                    "org.freedesktop.DBus.Error.Failed", error));
    bus->library->dbus_message_unref(call->message);
    free(call->arguments);
    free(call);
}

static bool append_urls(const struct libdbus *library, DBusMessageIter *at, const char *const *urls, size_t count) {
    DBusMessageIter list;
    if (!library->dbus_message_iter_open_container(at, 'a', "s", &list)) return false;
    for (size_t i = 0; i < count; i++) {
        if (!library->dbus_message_iter_append_basic(&list, 's', &urls[i])) return false;
    }
    return library->dbus_message_iter_close_container(at, &list);
}

static bool append_entry(const struct libdbus *library, DBusMessageIter *map, const char *key, const char *text) {
    DBusMessageIter entry, variant;
    return library->dbus_message_iter_open_container(map, 'e', NULL, &entry) &&
           library->dbus_message_iter_append_basic(&entry, 's', &key) &&
           library->dbus_message_iter_open_container(&entry, 'v', "s", &variant) &&
           library->dbus_message_iter_append_basic(&variant, 's', &text) &&
           library->dbus_message_iter_close_container(&entry, &variant) &&
           library->dbus_message_iter_close_container(map, &entry);
}

int sb_hand(sb_bus *bus, const char *name, const char *path, const char *const *urls, size_t count,
            const char *const *platform, size_t entries, int milliseconds, char *reason, size_t size) {
    const struct libdbus *library = bus->library;
    DBusMessage *call = library->dbus_message_new_method_call(name, path, APPLICATION, count == 0 ? "Activate" : "Open");
    DBusMessageIter at, map;
    snprintf(reason, size, "out of memory");
    if (call == NULL) return -1;
    library->dbus_message_set_auto_start(call, false);
    library->dbus_message_iter_init_append(call, &at);
    bool is_whole = (count == 0 || append_urls(library, &at, urls, count)) &&
                    library->dbus_message_iter_open_container(&at, 'a', "{sv}", &map);
    for (size_t i = 0; is_whole && i < entries; i++)
        is_whole = append_entry(library, &map, platform[2 * i], platform[2 * i + 1]);
    int result = -1;
    if (is_whole && library->dbus_message_iter_close_container(&at, &map)) {
        DBusError error;
        library->dbus_error_init(&error);
        DBusMessage *reply =
            library->dbus_connection_send_with_reply_and_block(bus->connection, call, milliseconds, &error);
        if (reply != NULL) {
            result = 0;
            library->dbus_message_unref(reply);
        } else {
            say(reason, size, &error);
            result = library->dbus_error_has_name(&error, "org.freedesktop.DBus.Error.NoReply") ||
                             library->dbus_error_has_name(&error, "org.freedesktop.DBus.Error.Timeout")
                         ? 1 : -1;
            library->dbus_error_free(&error);
        }
    }
    library->dbus_message_unref(call);
    return result;
}
