// Connections to a message bus of D-Bus, by libdbus-1, which is loaded when it is first needed.
#ifndef CPLATFORM_DBUS_H
#define CPLATFORM_DBUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CP_HIDDEN __attribute__((visibility("hidden")))

/// The types of messages.
enum { CP_DBUS_CALL = 1, CP_DBUS_ANSWER = 2, CP_DBUS_ERROR = 3, CP_DBUS_SIGNAL = 4 };

/// A message, with the parts of its head. Texts are borrowed from it, and NULL where it has none.
struct cp_dbus_message {
    void *raw;
    int type;
    uint32_t serial;
    uint32_t answered; ///< the serial number of the call that an answer or an error belongs to
    bool wants_answer;
    const char *sender, *path, *interface, *member;
};

/// An iterator over arguments of a message. It is larger than the library's own.
struct cp_dbus_reader {
    void *words[24];
};

/// Loads the library for the rest of the process. NULL, or the dynamic linker's reason, which is kept.
CP_HIDDEN const char *cp_dbus_load(void);

/// The address of a socket, by its path. False if it has no room.
CP_HIDDEN bool cp_dbus_address(const char *path, char *out, size_t size);

/// A private connection to the bus of an address, which never ends the process; NULL with a reason. Only where the library
/// has been loaded.
CP_HIDDEN void *cp_dbus_connect(const char *address, char *reason, size_t size);
CP_HIDDEN void cp_dbus_close(void *connection);
/// Its descriptor, which it keeps; -1 for none.
CP_HIDDEN int cp_dbus_file(void *connection);

/// Receives and sends, and waits for that at most so many milliseconds. False when the connection has ended.
CP_HIDDEN bool cp_dbus_drive(void *connection, int milliseconds);
/// Whether something waits for room in the socket.
CP_HIDDEN bool cp_dbus_is_sending(void *connection);

/// Takes the next message that has been received. False if there is none.
CP_HIDDEN bool cp_dbus_next(void *connection, struct cp_dbus_message *out);
CP_HIDDEN void cp_dbus_release(const struct cp_dbus_message *message);

/// Calls the bus itself: with a name and, unless it is negative, a number. The call's serial number; 0 without memory.
CP_HIDDEN uint32_t cp_dbus_ask(void *connection, const char *member, const char *name, int64_t number);
/// Sends an answer to a call or, with a name, an error, and a text unless that is NULL. False without memory.
CP_HIDDEN bool cp_dbus_answer(void *connection, const char *to, uint32_t serial, const char *error, const char *text);

/// Whether the arguments have these types.
CP_HIDDEN bool cp_dbus_has_types(const struct cp_dbus_message *message, const char *signature);
/// At the first argument.
CP_HIDDEN struct cp_dbus_reader cp_dbus_arguments(const struct cp_dbus_message *message);
/// At the first item of the container that a reader is at.
CP_HIDDEN struct cp_dbus_reader cp_dbus_inside(struct cp_dbus_reader *reader);
/// The type's letter; 0 after the last.
CP_HIDDEN int cp_dbus_type(struct cp_dbus_reader *reader);
CP_HIDDEN void cp_dbus_advance(struct cp_dbus_reader *reader);
/// The text, borrowed from the message; NULL for another type.
CP_HIDDEN const char *cp_dbus_text(struct cp_dbus_reader *reader);
/// The number without a sign; 0 for another type.
CP_HIDDEN uint32_t cp_dbus_number(struct cp_dbus_reader *reader);

#endif
