/* NATS alone: requests and replies of 64 bytes between two processes, one at a time and 16 in flight; and a megabyte there and
   back. Each sends at once what it is given, and both wait in the same way as the joined buses beside them. */
#include "../c/processes.h"
#include "nats.h"

#include <semaphore.h>

enum { WARMUP = 200, CALLS = 500, BATCHES = 15, IN_FLIGHT = 16, FLIGHT_CALLS = 5000, LARGE = 1 << 20, PATIENCE_MS = 60000 };

static const char *address;
static natsConnection *connection;
static char bytes[LARGE];

static void reply(natsConnection *to, natsSubscription *subscription, natsMsg *message, void *context) {
    (void)subscription, (void)context;
    int size = natsMsg_GetDataLength(message);
    nats_require(natsConnection_Publish(to, natsMsg_GetReply(message), natsMsg_GetData(message), size));
    natsMsg_Destroy(message);
}

static void serve(void *context) {
    natsSubscription *subscription = NULL;
    (void)context;
    connection = nats_open(address, true);
    nats_require(natsConnection_Subscribe(&subscription, connection, "bench.request", reply, NULL));
    nats_require(natsConnection_Flush(connection));
    for (say_ready();; pause()) continue;
}

static void measure_requests(const char *work, int size, int count) {
    double figures[BATCHES];
    for (int i = -WARMUP; i < 0; i += size == LARGE ? WARMUP : 1) {
        natsMsg *answer = NULL;
        nats_require(natsConnection_Request(&answer, connection, "bench.request", bytes, size, PATIENCE_MS));
        natsMsg_Destroy(answer);
    }
    for (int batch = 0; batch < BATCHES; batch++) {
        double begin = now_ns();
        for (int i = 0; i < count; i++) {
            natsMsg *answer = NULL;
            nats_require(natsConnection_Request(&answer, connection, "bench.request", bytes, size, PATIENCE_MS));
            natsMsg_Destroy(answer);
        }
        figures[batch] = (now_ns() - begin) / count;
    }
    report(work, "bare request", median(figures, BATCHES));
}

static sem_t room;

static void note_answer(natsConnection *from, natsSubscription *subscription, natsMsg *message, void *context) {
    (void)from, (void)subscription, (void)context;
    natsMsg_Destroy(message);
    sem_post(&room);
}

static void measure_flight(void) {
    double figures[BATCHES];
    natsInbox *inbox = NULL;
    natsSubscription *subscription = NULL;
    nats_require(natsInbox_Create(&inbox));
    nats_require(natsConnection_Subscribe(&subscription, connection, inbox, note_answer, NULL));
    sem_init(&room, 0, IN_FLIGHT);
    for (int batch = 0; batch < BATCHES; batch++) {
        double begin = now_ns();
        for (int i = 0; i < FLIGHT_CALLS; i++) {
            while (sem_wait(&room) != 0) continue;
            nats_require(natsConnection_PublishRequest(connection, "bench.request", inbox, bytes, MESSAGE_SIZE));
        }
        figures[batch] = (now_ns() - begin) / FLIGHT_CALLS;
    }
    for (int i = 0; i < IN_FLIGHT; i++) while (sem_wait(&room) != 0) continue;
    report("server.flight", "bare request", median(figures, BATCHES));
}

int main(int argc, char **argv) {
    require(argc == 2, "usage: nats_request <address>");
    address = argv[1];
    pid_t child = start_process(ANY_CORE, serve, NULL);
    connection = nats_open(address, true);
    measure_requests("server.call", MESSAGE_SIZE, CALLS);
    measure_requests("server.large", LARGE, 20);
    measure_flight();
    end_process(child);
    return 0;
}
