/*
 * Costs that must not grow with the length of a queue: sending, claiming, declaring a durable consumer, and destroying
 * an identifier with few queued messages.
 */
#include "queuing.h"

enum { LONGEST = 1000000, BATCH = 10000, DECLARATIONS = 100 };

static const char *directory;

static void fill(ctie_wormhole *wormhole, int count) {
    static ctie_outgoing messages[BATCH];
    for (int done = 0; done < count;) {
        int some = count - done < BATCH ? count - done : BATCH;
        for (int i = 0; i < some; i++) messages[i] = (ctie_outgoing){CTIE_STR("job"), small_value()};
        check(ctie_wormhole_send_many(wormhole, messages, (size_t)some, NULL, NULL, NULL));
        done += some;
    }
}

static void measure_declaring(ctie_wormhole *wormhole, int length) {
    double figures[DECLARATIONS];
    for (int i = 0; i < DECLARATIONS; i++) {
        name other = name_of_number("other", i);
        double begin = now_ns();
        check(ctie_wormhole_declare(wormhole, CTIE_STR("job"), ctie_str_from(other.text), NULL, NULL));
        figures[i] = now_ns() - begin;
    }
    report_at("declare", length, "crosstie", median(figures, DECLARATIONS));
    for (int i = 0; i < DECLARATIONS; i++) {
        name other = name_of_number("other", i);
        check(ctie_wormhole_forget(wormhole, CTIE_STR("job"), ctie_str_from(other.text), NULL));
    }
}

static void measure(int length) {
    ctie_wormhole *wormhole = open_large(directory, "lengths", length);
    keep_for(wormhole, CTIE_STR("job"), CTIE_STR("worker"));
    fill(wormhole, length);
    measure_declaring(wormhole, length);
    queuing_measure(wormhole, CTIE_STR("job"), CTIE_STR("worker"), "queued", "claim", length);
    end_large(wormhole, directory, "lengths", length);
}

int main(int argc, char **argv) {
    require(argc == 2, "usage: lengths <directory>");
    directory = argv[1];
    for (int length = 1; length <= LONGEST; length *= 10) measure(length);
    return 0;
}
