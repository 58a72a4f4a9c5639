/* Redis over a Unix socket: SET of 64 bytes, and PUBLISH to a subscriber in another process and back. */
#include "../c/bench.h"
#include "../c/pair.h"

#include <sys/socket.h>
#include <sys/un.h>

enum { ROUNDS = 15, SETS = 1000 };

#define SUBSCRIBE(channel) "*2\r\n$9\r\nSUBSCRIBE\r\n$4\r\n" channel "\r\n"
#define BYTES_64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define PUBLISH(channel) "*3\r\n$7\r\nPUBLISH\r\n$4\r\n" channel "\r\n$64\r\n" BYTES_64 "\r\n"
#define SET "*3\r\n$3\r\nSET\r\n$4\r\nping\r\n$64\r\n" BYTES_64 "\r\n"

static int open_socket(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    int server = socket(AF_UNIX, SOCK_STREAM, 0);
    require(connect(server, (struct sockaddr *)&address, sizeof address) == 0, path);
    return server;
}

/* Sends a command and reads one answer; answers are small and come whole. */
static void ask(int server, const char *command) {
    char answer[512];
    require(write(server, command, strlen(command)) > 0, "write");
    require(read(server, answer, sizeof answer) > 0, "read");
}

static void hear(int subscription) {
    char message[512];
    require(read(subscription, message, sizeof message) > 0, "read");
}

static void echo(const char *path) {
    int sender = open_socket(path), subscription = open_socket(path);
    for (ask(subscription, SUBSCRIBE("ping"));; ask(sender, PUBLISH("pong"))) hear(subscription);
}

static void measure_set(const char *path) {
    int server = open_socket(path);
    double figures[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now_ns();
        for (int i = 0; i < SETS; i++) ask(server, SET);
        figures[round] = (now_ns() - begin) / SETS;
    }
    report("pass.safe", "Redis SET", lowest(figures, ROUNDS));
    close(server);
}

int main(int argc, char **argv) {
    require(argc == 2, "usage: redis <socket>");
    measure_set(argv[1]);
    pid_t child = pair_fork(2);
    if (child == 0) echo(argv[1]);
    int sender = open_socket(argv[1]), subscription = open_socket(argv[1]);
    ask(subscription, SUBSCRIBE("pong"));
    usleep(100000); /* until the other side has subscribed: a message to nobody would never come back */
    pair_rounds rounds = pair_begin();
    while (pair_next(&rounds)) {
        ask(sender, PUBLISH("ping"));
        hear(subscription);
    }
    pair_end(&rounds, child, 2, "Redis publish");
    return 0;
}
