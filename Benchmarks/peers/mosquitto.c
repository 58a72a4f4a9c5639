/* MQTT over a mosquitto broker's Unix socket, at most once (QoS 0). */
#include "carrier.h"

#include <mosquitto.h>

typedef struct side {
    struct mosquitto *client;
    int end, subscribed, received;
} side;

static void on_connect(struct mosquitto *client, void *data, int failed) {
    require(!failed, "mosquitto refuses the connection");
    mosquitto_subscribe(client, NULL, channel_in(((side *)data)->end), 0);
}

static void on_subscribe(struct mosquitto *client, void *data, int message, int count, const int *granted) {
    (void)client, (void)message, (void)count, (void)granted;
    ((side *)data)->subscribed = 1;
}

static void on_message(struct mosquitto *client, void *data, const struct mosquitto_message *message) {
    (void)client, (void)message;
    ((side *)data)->received++;
}

static void run_loop(side *self) { require(mosquitto_loop(self->client, -1, 1) == MOSQ_ERR_SUCCESS, "mosquitto_loop"); }

static void *open_client(const char *path, int end) {
    static side self;
    mosquitto_lib_init();
    self = (side){.client = mosquitto_new(NULL, 1, &self), .end = end};
    mosquitto_connect_callback_set(self.client, on_connect);
    mosquitto_subscribe_callback_set(self.client, on_subscribe);
    mosquitto_message_callback_set(self.client, on_message);
    require(mosquitto_connect(self.client, path, 0, 60) == MOSQ_ERR_SUCCESS, "no mosquitto broker");
    while (!self.subscribed) run_loop(&self);
    return &self;
}

static void notify(void *data) {
    static const char bytes[MESSAGE_SIZE];
    side *self = data;
    int status = mosquitto_publish(self->client, NULL, channel_out(self->end), sizeof bytes, bytes, 0, 0);
    require(status == MOSQ_ERR_SUCCESS, mosquitto_strerror(status));
}

static void receive(void *data) {
    side *self = data;
    while (self->received == 0) run_loop(self);
    self->received--;
}

int main(int argc, char **argv) {
    return carrier_main(argc, argv, &(carrier){"mosquitto", NULL, open_client, notify, receive});
}
