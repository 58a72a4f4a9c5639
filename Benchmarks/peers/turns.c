/* The floors of a call to another process, there and back with 64 bytes: a futex in shared memory, a socket that keeps
   packets, and a megabyte by a stream socket. */
#include "../c/futex.h"
#include "../c/processes.h"

#include <sys/socket.h>

enum { TURN_WARMUP = 200, TURNS = 500, TURN_BATCHES = 15, LARGE = 1 << 20 };

typedef struct words {
    uint32_t ping, pong;
    char there[MESSAGE_SIZE], back[MESSAGE_SIZE];
} words;

static words *shared;
static int ends[2];
static char large[LARGE];

static void answer_words(void *context) {
    char bytes[MESSAGE_SIZE];
    (void)context;
    say_ready();
    for (uint32_t seen = 0;;) {
        seen = wait_past(&shared->ping, seen);
        memcpy(bytes, shared->there, sizeof bytes);
        memcpy(shared->back, bytes, sizeof bytes);
        wake_all(&shared->pong);
    }
}

static uint32_t answered;

static void turn_words(void) {
    char bytes[MESSAGE_SIZE] = {0};
    memcpy(shared->there, bytes, sizeof bytes);
    wake_all(&shared->ping);
    answered = wait_past(&shared->pong, answered);
    memcpy(bytes, shared->back, sizeof bytes);
}

static void answer_packets(void *context) {
    char bytes[MESSAGE_SIZE];
    (void)context;
    for (say_ready(); recv(ends[1], bytes, sizeof bytes, 0) > 0;) {
        if (send(ends[1], bytes, sizeof bytes, 0) < 0) return;
    }
}

static void turn_packets(void) {
    char bytes[MESSAGE_SIZE] = {0};
    require(send(ends[0], bytes, sizeof bytes, 0) > 0, "send");
    require(recv(ends[0], bytes, sizeof bytes, 0) > 0, "recv");
}

static int move_all(int file, ssize_t (*move)(int, void *, size_t)) {
    for (size_t at = 0; at < LARGE;) {
        ssize_t moved = move(file, large + at, LARGE - at);
        if (moved <= 0) return 0;
        at += (size_t)moved;
    }
    return 1;
}

static ssize_t write_some(int file, void *bytes, size_t size) { return write(file, bytes, size); }

static void answer_stream(void *context) {
    (void)context;
    for (say_ready(); move_all(ends[1], read) && move_all(ends[1], write_some);) continue;
}

static void turn_stream(void) { require(move_all(ends[0], write_some) && move_all(ends[0], read), "stream"); }

static void measure(const char *work, const char *who, void (*other)(void *), void (*turn)(void), int turns) {
    double figures[TURN_BATCHES];
    pid_t child = start_process(1, other, NULL);
    run_on_core(0);
    for (int i = 0; i < TURN_WARMUP && i < turns; i++) turn();
    for (int batch = 0; batch < TURN_BATCHES; batch++) {
        double begin = now_ns();
        for (int i = 0; i < turns; i++) turn();
        figures[batch] = (now_ns() - begin) / turns;
    }
    report(work, who, median(figures, TURN_BATCHES));
    end_process(child);
}

int main(void) {
    shared = shared_memory(sizeof *shared);
    measure("join.call", "bare futex", answer_words, turn_words, TURNS);
    require(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0, "socketpair");
    measure("join.call", "bare SEQPACKET", answer_packets, turn_packets, TURNS);
    require(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "socketpair");
    measure("join.large", "stream socket", answer_stream, turn_stream, 20);
    return 0;
}
