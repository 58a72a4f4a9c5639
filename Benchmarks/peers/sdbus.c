/* Method calls of sd-bus with 64 bytes there and back: over a socket of the two processes, or by a daemon. */
#include "../c/processes.h"

#include <errno.h>
#include <sys/socket.h>
#include <systemd/sd-bus.h>

enum { CALL_WARMUP = 200, CALLS = 500, CALL_BATCHES = 15 };

static const char *address; /* the daemon's; NULL for none */
static int ends[2];

static int answer(sd_bus_message *message, void *data, sd_bus_error *error) {
    const void *bytes;
    size_t size;
    sd_bus_message *reply = NULL;
    (void)data, (void)error;
    if (sd_bus_message_read_array(message, 'y', &bytes, &size) < 0) return -EINVAL;
    if (sd_bus_message_new_method_return(message, &reply) < 0) return -ENOMEM;
    sd_bus_message_append_array(reply, 'y', bytes, size);
    int sent = sd_bus_send(NULL, reply, NULL);
    sd_bus_message_unref(reply);
    return sent;
}

static const sd_bus_vtable methods[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD("Greet", "ay", "ay", answer, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_VTABLE_END,
};

static sd_bus *open_end(int end) {
    sd_bus *bus = NULL;
    require(sd_bus_new(&bus) >= 0, "sd-bus");
    if (address != NULL) {
        require(sd_bus_set_address(bus, address) >= 0 && sd_bus_set_bus_client(bus, 1) >= 0, "address");
    } else {
        sd_id128_t id = SD_ID128_MAKE(1, 2, 3, 4, 5, 6, 7, 8, 9, a, b, c, d, e, f, 10);
        require(sd_bus_set_fd(bus, ends[end], ends[end]) >= 0, "descriptor");
        require(end == 0 || sd_bus_set_server(bus, 1, id) >= 0, "server");
    }
    require(sd_bus_start(bus) >= 0, "no start");
    return bus;
}

static void serve(void *context) {
    (void)context;
    sd_bus *bus = open_end(1);
    require(sd_bus_add_object_vtable(bus, NULL, "/bench", "bench.Greeter", methods, NULL) >= 0, "vtable");
    if (address != NULL) require(sd_bus_request_name(bus, "bench.greeter", 0) >= 0, "name");
    for (say_ready();;) {
        int done = sd_bus_process(bus, NULL);
        if (done < 0 || (done == 0 && sd_bus_wait(bus, UINT64_MAX) < 0)) return;
    }
}

static void call(sd_bus *bus) {
    static const char bytes[MESSAGE_SIZE];
    sd_bus_message *message = NULL, *reply = NULL;
    const char *name = address != NULL ? "bench.greeter" : NULL;
    require(sd_bus_message_new_method_call(bus, &message, name, "/bench", "bench.Greeter", "Greet") >= 0, "message");
    sd_bus_message_append_array(message, 'y', bytes, sizeof bytes);
    require(sd_bus_call(bus, message, 0, NULL, &reply) >= 0, "no answer");
    sd_bus_message_unref(message);
    sd_bus_message_unref(reply);
}

int main(int argc, char **argv) {
    double figures[CALL_BATCHES];
    address = argc > 1 ? argv[1] : NULL;
    require(address != NULL || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "socketpair");
    pid_t child = start_process(1, serve, NULL);
    run_on_core(0);
    sd_bus *bus = open_end(0);
    for (int i = 0; i < CALL_WARMUP; i++) call(bus);
    for (int batch = 0; batch < CALL_BATCHES; batch++) {
        double begin = now_ns();
        for (int i = 0; i < CALLS; i++) call(bus);
        figures[batch] = (now_ns() - begin) / CALLS;
    }
    report("join.call", address != NULL ? "sd-bus, by its daemon" : "sd-bus, direct", median(figures, CALL_BATCHES));
    end_process(child);
    return 0;
}
