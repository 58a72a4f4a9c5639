/* One message to listeners in so many processes, all of which sleep when it leaves: how long until the last has it. */
#include "futex.h"
#include "growing.h"
#include "processes.h"

enum { MOST = 200, WARMUP = 20, ROUNDS = 150, NAP_US = 300 };

static const int widths[] = {1, 2, 5, 10, 20, 50, 100, MOST};

static const char *directory;

static struct audience {
    uint32_t left, over;
    double received[MOST];
} *shared;

static void receive(const ctie_message *message, void *user_data) {
    (void)message;
    shared->received[*(int *)user_data] = now_ns();
    if (__atomic_sub_fetch(&shared->left, 1, __ATOMIC_SEQ_CST) == 0) wake_all(&shared->over);
}

static void listen_beside(void *number) {
    listen_to(open_group(directory, "audience", "safe"), CTIE_STR("news"), CTIE_LISTEN_NO_INITIAL_DELIVERY, receive, number);
    for (say_ready();;) pause();
}

static double notify(ctie_wormhole *wormhole, int width) {
    uint32_t seen = shared->over;
    double last = 0;
    __atomic_store_n(&shared->left, (uint32_t)width, __ATOMIC_SEQ_CST);
    nap_us(NAP_US + 20 * width); /* until all of them sleep again */
    double begin = now_ns();
    pass_small(wormhole, CTIE_STR("news"));
    wait_past(&shared->over, seen);
    for (int i = 0; i < width; i++) last = shared->received[i] > last ? shared->received[i] : last;
    return last - begin;
}

static void measure(int width) {
    double figures[ROUNDS];
    ctie_wormhole *wormhole = open_group(directory, "audience", "safe");
    for (int round = -WARMUP; round < ROUNDS; round++) {
        double span = notify(wormhole, width);
        if (round >= 0) figures[round] = span;
    }
    double last = median(figures, ROUNDS);
    report_at("last", width, "crosstie", last);
    report_at("each", width, "crosstie", last / width);
    ctie_wormhole_release(wormhole);
}

int main(int argc, char **argv) {
    static int number;
    pid_t children[MOST];
    require(argc == 2, "usage: audience <directory>");
    directory = argv[1];
    shared = shared_memory(sizeof *shared);
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        /* No process with the group open forks: the next ones come when it has been closed. */
        for (; number < widths[i]; number++) children[number] = start_process(ANY_CORE, listen_beside, &number);
        measure(widths[i]);
    }
    while (number > 0) end_process(children[--number]);
    return 0;
}
