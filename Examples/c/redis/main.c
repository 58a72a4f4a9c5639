/*
 * Messages through a Redis server that is killed twice and started again: none is lost, and none comes twice.
 * Needs redis-server on the path. It starts its own one, in a temporary directory.
 */
#define _GNU_SOURCE
#include "redis_transport.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MESSAGES = 600, FIRST_KILL = 200, SECOND_KILL = 400, PATIENCE = 3000 };

static void nap(void) { nanosleep(&(struct timespec){0, 10000000}, NULL); }

/* ---- The server ------------------------------------------------------------------------------------- */

static struct {
    char directory[64], socket[96];
    pid_t pid; /* 0: it does not run */
} server;

static bool server_answers(void) {
    struct sockaddr_un address = {AF_UNIX, {0}};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", server.socket);
    int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool answers = file >= 0 && connect(file, (const struct sockaddr *)&address, sizeof address) == 0;
    if (file >= 0) close(file);
    return answers;
}

/* With `appendfsync always` it writes a commit to its file before it answers. */
static void server_run(void) {
    int nothing = open("/dev/null", O_RDWR);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (nothing >= 0 && dup2(nothing, STDOUT_FILENO) >= 0) {
        execlp("redis-server", "redis-server", "--port", "0", "--unixsocket", server.socket, "--dir", server.directory,
               "--appendonly", "yes", "--appendfsync", "always", "--save", "", (char *)NULL);
    }
    _exit(127);
}

/* A number of 0 or below is no server: kill() takes it for a group of processes, or for all of them. */
static void server_kill(void) {
    if (server.pid > 0) {
        kill(server.pid, SIGKILL);
        while (waitpid(server.pid, NULL, 0) < 0 && errno == EINTR) continue;
    }
    server.pid = 0;
    unlink(server.socket);
}

static bool server_start(void) {
    server.pid = fork();
    if (server.pid == 0) server_run();
    for (int i = 0; i < PATIENCE && server.pid > 0; i++) {
        if (server_answers()) return true;
        if (waitpid(server.pid, NULL, WNOHANG) != 0) server.pid = 0; /* it has ended */
        nap();
    }
    server_kill();
    return false;
}

/* ---- Sending and receiving ------------------------------------------------------------------------------ */

static _Atomic int received[MESSAGES + 1];
static _Atomic bool gives_up; /* the server cannot be started again */
static sem_t is_time;

static ctie_status try_to_send(ctie_wormhole *wormhole, int64_t number) {
    char token[CTIE_TRANSPORT_TOKEN_SIZE] = {0};
    ctie_send_options options = CTIE_SEND_OPTIONS_INIT;
    memcpy(token, &number, sizeof number);
    options.token = (ctie_bytes){token, sizeof token};
    return ctie_wormhole_send(wormhole, CTIE_STR("count"), ctie_value_int(number), &options, NULL, NULL, NULL);
}

/* [again] */
/* With its token a message may be sent again after any failure: it is stored once. */
static ctie_status send_at_last(ctie_wormhole *wormhole, int64_t number) {
    ctie_status status = try_to_send(wormhole, number);
    for (int i = 0; i < PATIENCE && !gives_up && (status == CTIE_E_UNAVAILABLE || status == CTIE_E_UNCERTAIN); i++) {
        nap();
        status = try_to_send(wormhole, number);
    }
    return status;
}
/* [end] */

static void receive(const ctie_message *message, void *data) {
    int64_t number = 0;
    (void)data;
    if (ctie_message_kind(message) != CTIE_MESSAGE_VALUE) return;
    if (ctie_value_get_int(ctie_message_value(message), &number) != CTIE_OK) return;
    if (number >= 1 && number <= MESSAGES) received[number]++;
}

/* Sends everything, and says when it is time to kill the server. */
static void *send_all(void *data) {
    ctie_wormhole *sender = (ctie_wormhole *)data;
    for (int i = 1; i <= MESSAGES && !gives_up; i++) {
        if (i == FIRST_KILL || i == SECOND_KILL) sem_post(&is_time);
        ctie_status status = send_at_last(sender, i);
        if (status != CTIE_OK) printf("%d: %s\n", i, ctie_status_message(status));
    }
    return NULL;
}

static int received_once(void) {
    int once = 0;
    for (int i = 1; i <= MESSAGES; i++) once += received[i] == 1;
    return once;
}

/* NULL after a failure, which it prints. */
static ctie_wormhole *open_wormhole(const char *name) {
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    ctie_wormhole *wormhole = NULL;
    options.name = ctie_str_from(name);
    options.transport = &REDIS_TRANSPORT;
    options.transport_data = redis_transport(server.socket, "example");
    if (options.transport_data == NULL) return puts("no transport"), NULL;
    ctie_status status = ctie_wormhole_open(CTIE_STR("example"), &options, &wormhole, NULL);
    if (status != CTIE_OK) puts(ctie_status_message(status));
    return wormhole;
}

static bool begin_to_receive(ctie_wormhole *reader) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.flags = CTIE_LISTEN_QUEUE;
    ctie_status status = ctie_wormhole_listen(reader, CTIE_STR("count"), CTIE_RECEIVER(receive, NULL), &options, NULL,
                                              NULL);
    if (status != CTIE_OK) puts(ctie_status_message(status));
    return status == CTIE_OK;
}

/* Kills the server twice while messages are being sent. */
static bool kill_twice(ctie_wormhole *reader) {
    for (int i = 0; i < 2; i++) {
        while (sem_wait(&is_time) != 0 && errno == EINTR) continue;
        server_kill();
        if (i == 0) printf("without the server: %s\n", ctie_status_message(try_to_send(reader, MESSAGES + 1)));
        if (!server_start()) return puts("the server does not start again"), false;
    }
    return true;
}

/* Returns how many messages have come once. */
static int send_and_receive(ctie_wormhole *sender, ctie_wormhole *reader) {
    pthread_t thread;
    if (sem_init(&is_time, 0, 0) != 0 || !begin_to_receive(reader)) return 0;
    if (pthread_create(&thread, NULL, send_all, sender) != 0) return 0;
    bool is_done = kill_twice(reader);
    gives_up = !is_done;
    pthread_join(thread, NULL);
    if (is_done) puts("the server was killed twice");
    for (int i = 0; is_done && i < PATIENCE && received_once() < MESSAGES; i++) nap();
    return received_once();
}

static int run(void) {
    ctie_wormhole *sender = open_wormhole("sender"), *reader = open_wormhole("reader");
    int once = sender != NULL && reader != NULL ? send_and_receive(sender, reader) : 0;
    ctie_wormhole_release(reader);
    ctie_wormhole_release(sender);
    printf("%d of %d messages have come, each once\n", once, MESSAGES);
    return once == MESSAGES ? 0 : 1;
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *where) {
    (void)about, (void)kind, (void)where;
    return remove(path);
}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    snprintf(server.directory, sizeof server.directory, "/tmp/crosstie-redis-XXXXXX");
    if (mkdtemp(server.directory) == NULL) return 1;
    snprintf(server.socket, sizeof server.socket, "%s/socket", server.directory);
    setvbuf(stdout, NULL, _IOLBF, 0);
    int result = server_start() ? run() : (puts("redis-server does not start"), 1);
    server_kill();
    nftw(server.directory, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    return result;
}
