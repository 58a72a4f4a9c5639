/* What destroying costs in a long queue, and others meanwhile; and what a value costs by its size. */
#include "processes.h"
#include "wormhole.h"

#include <stdatomic.h>

enum { BATCH = 512, SIZE = 1000, LARGEST = 60 << 20 };

static const char *directory;

static struct { _Atomic int count, is_over; double longest; } *rival;

static ctie_wormhole *open_large(const char *work, int count) {
    char path[4096];
    snprintf(path, sizeof path, "%s/crosstie-%s-%d", directory, work, count);
    ctie_wormhole *wormhole = NULL;
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    options.directory = ctie_str_from(path);
    options.max_map_size = UINT64_C(2) << 30;
    options.max_queued = 10000000;
    options.max_queued_size = UINT64_C(1) << 30;
    options.max_value_size = 64 << 20;
    check(ctie_wormhole_open(CTIE_STR("bench"), &options, &wormhole, NULL));
    return wormhole;
}

static void nothing(const ctie_message *message, void *unused) { (void)message, (void)unused; }

/* Messages that wait for a durable name; each of so many is under the identifier that is to be destroyed. */
static void fill(ctie_wormhole *wormhole, int count, int every) {
    static const char bytes[SIZE];
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    ctie_listener *listener = NULL;
    ctie_passing messages[BATCH];
    options.name = CTIE_STR("bench");
    options.flags = CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE;
    check(ctie_wormhole_listen(wormhole, CTIE_STR("*"), nothing, NULL, NULL, &options, &listener, NULL));
    check(ctie_listener_release(listener));
    for (int done = 0; done < count;) {
        int some = 0;
        for (; some < BATCH && done < count; some++, done++) {
            messages[some].identifier = done % every == 0 ? CTIE_STR("gone") : CTIE_STR("stay");
            messages[some].value = ctie_value_bytes((ctie_str){bytes, sizeof bytes});
        }
        check(ctie_wormhole_pass_many(wormhole, messages, (size_t)some, NULL, NULL));
    }
}

static void pass_beside(void *context) {
    ctie_wormhole *wormhole = open_large("destroy", *(int *)context);
    for (say_ready(); !rival->is_over; rival->count++) {
        double begin = now_ns();
        pass_small(wormhole, CTIE_STR("tick"));
        double span = now_ns() - begin;
        if (rival->count > 100 && span > rival->longest) rival->longest = span;
        nap_us(20);
    }
    ctie_wormhole_release(wormhole);
}

static void measure_destroying(int count, int every, int number) {
    ctie_wormhole *wormhole = open_large("destroy", number);
    char title[64];
    fill(wormhole, count, every);
    rival->count = rival->is_over = 0;
    rival->longest = 0;
    pid_t child = start_process(ANY_CORE, pass_beside, &number);
    while (rival->count < 200) nap_us(100);
    double begin = now_ns();
    check(ctie_wormhole_destroy(wormhole, CTIE_STR("gone"), NULL, NULL, NULL));
    double span = now_ns() - begin;
    rival->is_over = 1;
    waitpid(child, NULL, 0);
    snprintf(title, sizeof title, "growth.destroy.%d.of.%d", count / every, count);
    report(title, "crosstie", span);
    snprintf(title, sizeof title, "growth.beside.%d.of.%d", count / every, count);
    report(title, "crosstie", rival->longest);
    check(ctie_wormhole_destroy_all(wormhole, NULL, NULL, NULL));
    ctie_wormhole_release(wormhole);
}

static void measure_size(ctie_wormhole *wormhole, char *bytes, size_t size) {
    enum { ROUNDS = 25 };
    double figures[ROUNDS];
    char title[64];
    for (int round = -5; round < ROUNDS; round++) {
        ctie_value *value = ctie_value_bytes((ctie_str){bytes, size});
        double begin = now_ns();
        check(ctie_wormhole_pass(wormhole, CTIE_STR("large"), value, NULL, NULL, NULL));
        if (round >= 0) figures[round] = now_ns() - begin;
    }
    snprintf(title, sizeof title, "growth.size.%zu", size);
    report(title, "crosstie", median(figures, ROUNDS));
}

int main(int argc, char **argv) {
    require(argc == 2, "usage: destroying <directory>");
    directory = argv[1];
    rival = shared_memory(sizeof *rival);
    int number = 0;
    for (int count = 1000; count <= 200000; count = count < 100000 ? count * 10 : count * 2) {
        measure_destroying(count, 1, number++);
        measure_destroying(count, count / 100, number++);
    }
    char *bytes = calloc(1, LARGEST);
    require(bytes != NULL, "calloc");
    ctie_wormhole *wormhole = open_large("sizes", 0);
    for (size_t size = 64; size < LARGEST; size *= 4) measure_size(wormhole, bytes, size);
    measure_size(wormhole, bytes, LARGEST);
    measure_size(wormhole, bytes, 64);
    ctie_wormhole_release(wormhole);
    free(bytes);
    return 0;
}
