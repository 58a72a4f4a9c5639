/* ZeroMQ over ipc: a pair of sockets, and a publisher with eight subscribers. */
#include "carrier.h"

#include <zmq.h>

static int width;
static char endpoint[4096];

static void prepare(const char *place, int receivers) {
    width = receivers;
    snprintf(endpoint, sizeof endpoint, "ipc://%s/zeromq", place);
}

/* Each of them tells that it has subscribed; left to itself the socket would pass on the first one alone. */
static void await_subscribers(void *socket) {
    char subscription[16];
    for (int i = 0; i < width; i++) require(zmq_recv(socket, subscription, sizeof subscription, 0) > 0, "zmq_recv");
}

/* The receivers connect before there is anybody: this process binds last. */
static void *open_socket(const char *place, int end) {
    (void)place;
    void *socket = zmq_socket(zmq_ctx_new(), width == 1 ? ZMQ_PAIR : end == 0 ? ZMQ_XPUB : ZMQ_SUB);
    if (width > 1 && end == 0) zmq_setsockopt(socket, ZMQ_XPUB_VERBOSE, &(int){1}, sizeof(int));
    if (width > 1 && end > 0) zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "", 0);
    int failed = end == 0 ? zmq_bind(socket, endpoint) : zmq_connect(socket, endpoint);
    require(!failed, zmq_strerror(zmq_errno()));
    if (width > 1 && end == 0) await_subscribers(socket);
    return socket;
}

static void notify(void *socket) {
    static const char message[MESSAGE_SIZE];
    require(zmq_send(socket, message, sizeof message, 0) > 0, "zmq_send");
}

static void receive(void *socket) {
    char message[MESSAGE_SIZE];
    require(zmq_recv(socket, message, sizeof message, 0) > 0, "zmq_recv");
}

int main(int argc, char **argv) {
    return carrier_main(argc, argv, &(carrier){"ZeroMQ ipc", prepare, open_socket, notify, receive});
}
