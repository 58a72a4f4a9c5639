/* ZeroMQ: push and pull over ipc. Nothing is kept or acknowledged; it makes its own batches. */
#include "../c/queue.h"

#include <zmq.h>

static char endpoint[4096];
static queue *shared;

static void put(void *socket, size_t first, size_t count) {
    static const char message[MESSAGE_SIZE];
    (void)first;
    for (size_t i = 0; i < count; i++) require(zmq_send(socket, message, sizeof message, 0) > 0, "zmq_send");
}

static void consume(void *context) {
    char message[MESSAGE_SIZE];
    (void)context;
    void *socket = zmq_socket(zmq_ctx_new(), ZMQ_PULL);
    require(zmq_bind(socket, endpoint) == 0, endpoint);
    for (say_ready(); zmq_recv(socket, message, sizeof message, 0) > 0;) queue_take(shared, 1);
}

int main(int argc, char **argv) {
    require(argc == 2, "usage: zeromq_queue <directory>");
    snprintf(endpoint, sizeof endpoint, "ipc://%s/zeromq-queue", argv[1]);
    shared = shared_memory(sizeof *shared);
    pid_t child = start_process(ANY_CORE, consume, NULL);
    void *socket = zmq_socket(zmq_ctx_new(), ZMQ_PUSH);
    require(zmq_connect(socket, endpoint) == 0, endpoint);
    queue_measure_both(shared, "ZeroMQ, not kept", put, socket);
    end_process(child);
    return 0;
}
