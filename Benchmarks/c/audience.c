/*
 * One message to listeners in so many processes, all of which sleep when it leaves: how long until the last has it.
 * Beside it the least that this costs: the same processes, each of which sleeps on a word of its own, and no message.
 */
#include "futex.h"
#include "growing.h"
#include "processes.h"

enum { MOST = 200, WARMUP = 20, ROUNDS = 150, NAP_US = 300 };

static const int widths[] = {1, 2, 5, 10, 20, 50, 100, MOST};

static const char *directory;

static struct audience {
    uint32_t left, over;
    double received[MOST];
    struct {
        _Alignas(64) uint32_t word;
    } bare[MOST];
} *shared;

static void note_received(int number) {
    shared->received[number] = now_ns();
    if (__atomic_sub_fetch(&shared->left, 1, __ATOMIC_SEQ_CST) == 0) wake_all(&shared->over);
}

static void receive(const ctie_message *message, void *number) {
    (void)message;
    note_received(*(int *)number);
}

static void listen_beside(void *number) {
    listen_to(open_group(directory, "audience", "safe"), CTIE_STR("news"), CTIE_LISTEN_NO_INITIAL_DELIVERY, receive, number);
    for (say_ready();;) pause();
}

static void sleep_beside(void *data) {
    int number = *(int *)data;
    uint32_t *word = &shared->bare[number].word, seen = 0;
    for (say_ready();; note_received(number)) seen = wait_past(word, seen);
}

/* A way to reach all of them: a message, or a wake-up of each. */
typedef void (*call_fn)(void *context, int width);

static void pass_message(void *wormhole, int width) {
    (void)width;
    pass_small(wormhole, CTIE_STR("news"));
}

static void wake_each(void *unused, int width) {
    (void)unused;
    for (int i = 0; i < width; i++) wake_all(&shared->bare[i].word);
}

static double notify(call_fn call, void *context, int width) {
    uint32_t seen = shared->over;
    double last = 0;
    __atomic_store_n(&shared->left, (uint32_t)width, __ATOMIC_SEQ_CST);
    nap_us(NAP_US + 20 * width); /* until all of them sleep again */
    double begin = now_ns();
    call(context, width);
    wait_past(&shared->over, seen);
    for (int i = 0; i < width; i++) last = shared->received[i] > last ? shared->received[i] : last;
    return last - begin;
}

static double typical(call_fn call, void *context, int width) {
    double figures[ROUNDS];
    for (int round = -WARMUP; round < ROUNDS; round++) {
        double span = notify(call, context, width);
        if (round >= 0) figures[round] = span;
    }
    return median(figures, ROUNDS);
}

static void measure(int width) {
    ctie_wormhole *wormhole = open_group(directory, "audience", "safe");
    double last = typical(pass_message, wormhole, width);
    report_at("last", width, "crosstie", last);
    report_at("each", width, "crosstie", last / width);
    ctie_wormhole_release(wormhole);
}

static void measure_bare(int width) {
    report_at("each", width, "bare futex", typical(wake_each, NULL, width) / width);
}

/* Starts more and more processes, and measures each number of them. */
static void measure_all(void (*begin)(void *), void (*measure_some)(int)) {
    static int number;
    pid_t children[MOST];
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        /* No process with the group open forks: the next ones come when it has been closed. */
        for (; number < widths[i]; number++) children[number] = start_process(ANY_CORE, begin, &number);
        measure_some(widths[i]);
    }
    while (number > 0) end_process(children[--number]);
}

int main(int argc, char **argv) {
    require(argc == 2, "usage: audience <directory>");
    directory = argv[1];
    shared = shared_memory(sizeof *shared);
    measure_all(listen_beside, measure);
    measure_all(sleep_beside, measure_bare);
    return 0;
}
