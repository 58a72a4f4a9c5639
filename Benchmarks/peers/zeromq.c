/* A 64-byte message to another process and back through ZeroMQ's ipc: half of a round trip. */
#include "../c/bench.h"
#include "../c/pair.h"

#include <zmq.h>

static void *open_socket(const char *endpoint, int serves) {
    void *socket = zmq_socket(zmq_ctx_new(), ZMQ_PAIR);
    require((serves ? zmq_bind(socket, endpoint) : zmq_connect(socket, endpoint)) == 0, zmq_strerror(zmq_errno()));
    return socket;
}

static void echo(const char *endpoint) {
    char message[PAIR_SIZE];
    void *socket = open_socket(endpoint, 0);
    for (;;) {
        if (zmq_recv(socket, message, sizeof message, 0) < 0) return;
        zmq_send(socket, message, sizeof message, 0);
    }
}

int main(int argc, char **argv) {
    require(argc == 2, "usage: zeromq <directory>");
    char endpoint[4096], message[PAIR_SIZE] = {0};
    snprintf(endpoint, sizeof endpoint, "ipc://%s/zeromq", argv[1]);
    for (int cores = 2; cores >= 1; cores--) {
        pid_t child = pair_fork(cores);
        if (child == 0) echo(endpoint);
        void *socket = open_socket(endpoint, 1);
        pair_rounds rounds = pair_begin();
        while (pair_next(&rounds)) {
            zmq_send(socket, message, sizeof message, 0);
            zmq_recv(socket, message, sizeof message, 0);
        }
        pair_end(&rounds, child, cores, "ZeroMQ ipc");
        zmq_close(socket);
    }
    return 0;
}
