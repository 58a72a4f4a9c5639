/* A 64-byte signal to another process and back over a private D-Bus daemon: half of a round trip. */
#include "../c/bench.h"
#include "../c/pair.h"

#include <dbus/dbus.h>

static DBusConnection *open_connection(const char *name) {
    DBusConnection *connection = dbus_bus_get_private(DBUS_BUS_SESSION, NULL);
    require(connection != NULL, "no session bus");
    char rule[128];
    snprintf(rule, sizeof rule, "type='signal',interface='bench.pair',member='%s'", name);
    dbus_bus_add_match(connection, rule, NULL);
    dbus_connection_flush(connection);
    return connection;
}

static void send(DBusConnection *connection, const char *name) {
    char bytes[PAIR_SIZE] = {0};
    const char *payload = bytes;
    DBusMessage *message = dbus_message_new_signal("/bench", "bench.pair", name);
    dbus_message_append_args(message, DBUS_TYPE_ARRAY, DBUS_TYPE_BYTE, &payload, PAIR_SIZE, DBUS_TYPE_INVALID);
    dbus_connection_send(connection, message, NULL);
    dbus_connection_flush(connection);
    dbus_message_unref(message);
}

static void hear(DBusConnection *connection, const char *name) {
    for (;;) {
        DBusMessage *message = dbus_connection_pop_message(connection);
        if (message == NULL) {
            require(dbus_connection_read_write(connection, -1), "connection lost");
            continue;
        }
        int found = dbus_message_is_signal(message, "bench.pair", name);
        dbus_message_unref(message);
        if (found) return;
    }
}

static void echo(void) {
    DBusConnection *connection = open_connection("ping");
    for (hear(connection, "ping");; hear(connection, "ping")) send(connection, "pong");
}

int main(void) {
    pid_t child = pair_fork(2);
    if (child == 0) echo();
    DBusConnection *connection = open_connection("pong");
    usleep(100000); /* until the other side listens */
    pair_rounds rounds = pair_begin();
    while (pair_next(&rounds)) {
        send(connection, "ping");
        hear(connection, "pong");
    }
    pair_end(&rounds, child, 2, "D-Bus");
    return 0;
}
