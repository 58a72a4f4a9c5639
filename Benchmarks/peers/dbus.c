/* Signals over a D-Bus daemon of our own. */
#include "carrier.h"

#include <dbus/dbus.h>

typedef struct side {
    DBusConnection *connection;
    int end;
} side;

static void *open_connection(const char *address, int end) {
    static side self;
    DBusError error = DBUS_ERROR_INIT;
    char rule[128];
    self = (side){dbus_connection_open_private(address, &error), end};
    require(self.connection != NULL && dbus_bus_register(self.connection, &error), "no D-Bus daemon");
    snprintf(rule, sizeof rule, "type='signal',interface='bench.pair',member='%s'", channel_in(end));
    dbus_bus_add_match(self.connection, rule, &error);
    require(!dbus_error_is_set(&error), "D-Bus refuses the match");
    return &self;
}

static void notify(void *data) {
    static const char bytes[MESSAGE_SIZE];
    const char *payload = bytes;
    side *self = data;
    DBusMessage *message = dbus_message_new_signal("/bench", "bench.pair", channel_out(self->end));
    dbus_message_append_args(message, DBUS_TYPE_ARRAY, DBUS_TYPE_BYTE, &payload, MESSAGE_SIZE, DBUS_TYPE_INVALID);
    dbus_connection_send(self->connection, message, NULL);
    dbus_connection_flush(self->connection);
    dbus_message_unref(message);
}

static void receive(void *data) {
    side *self = data;
    for (int found = 0; !found;) {
        DBusMessage *message = dbus_connection_pop_message(self->connection);
        if (message == NULL) {
            require(dbus_connection_read_write(self->connection, -1), "connection lost");
            continue;
        }
        found = dbus_message_is_signal(message, "bench.pair", channel_in(self->end));
        dbus_message_unref(message);
    }
}

int main(int argc, char **argv) {
    return carrier_main(argc, argv, &(carrier){"D-Bus", NULL, open_connection, notify, receive});
}
