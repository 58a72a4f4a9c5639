/*
 * Costs that must not grow with the stored messages: a message to a listener on a prefix with this many identifiers
 * below it, beside the same message to listeners on these identifiers, and one to a neighbor in the same process; and
 * binding many listeners.
 */
#include "growing.h"

#include <semaphore.h>
#include <stdbool.h>

enum { ROUNDS = 400, MOST_IDENTIFIERS = 100000, MOST_LISTENERS = 65536 };

static sem_t received;

static void receive(const ctie_message *message, void *user_data) {
    (void)message, (void)user_data;
    sem_post(&received);
}

/* Another one in each round. */
static int which_of(int round, int count) { return (int)((unsigned)round * 7919u % (unsigned)count); }

static void fill(ctie_wormhole *wormhole, int count) {
    for (int i = 0; i < count; i++) pass_small(wormhole, ctie_str_from(name_of_number("k", i).text));
}

/* Reports the median of so many messages, each from the sender's call to its return, or to the listener's call. */
static void measure(const char *work, int count, ctie_wormhole *wormhole, bool waits, bool is_neighbour) {
    double figures[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        name own = is_neighbour ? (name){"tick"} : name_of_number("k", which_of(round, count));
        double begin = now_ns();
        pass_small(wormhole, ctie_str_from(own.text));
        if (waits) sem_wait(&received);
        figures[round] = now_ns() - begin;
    }
    report_at(work, count, "crosstie", median(figures, ROUNDS));
}

static void measure_prefix(ctie_wormhole *wormhole, int count) {
    listen_to(wormhole, CTIE_STR("k.*"), CTIE_LISTEN_NO_INITIAL_DELIVERY, receive, NULL);
    measure("prefix", count, wormhole, true, false);
    listen_to(wormhole, CTIE_STR("k.*"), CTIE_LISTEN_NO_INITIAL_DELIVERY, nothing, NULL); /* in its place */
    listen_to(wormhole, CTIE_STR("tick"), CTIE_LISTEN_NO_INITIAL_DELIVERY, receive, NULL);
    measure("neighbour", count, wormhole, true, true);
    check(ctie_wormhole_remove_all_listeners(wormhole));
}

static void measure_exact(ctie_wormhole *wormhole, int count) {
    for (int round = 0; round < ROUNDS; round++) {
        name own = name_of_number("k", which_of(round, count));
        listen_to(wormhole, ctie_str_from(own.text), CTIE_LISTEN_NO_INITIAL_DELIVERY, receive, NULL);
    }
    measure("exact", count, wormhole, true, false);
}

/* So many identifiers below a prefix. */
static void measure_identifiers(const char *directory, int count) {
    ctie_wormhole *wormhole = open_large(directory, "growth", count);
    fill(wormhole, count);
    measure("pass", count, wormhole, false, false);
    measure_prefix(wormhole, count);
    measure_exact(wormhole, count);
    end_large(wormhole, directory, "growth", count);
}

/* So many named listeners on one identifier: each, and its removal. */
static void measure_binding(const char *directory, int count) {
    ctie_wormhole *wormhole = open_large(directory, "bind", count);
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.flags = CTIE_LISTEN_NO_INITIAL_DELIVERY;
    double begin = now_ns();
    for (int i = 0; i < count; i++) {
        name own = name_of_number("k", i);
        options.name = ctie_str_from(own.text);
        check(ctie_wormhole_listen(wormhole, CTIE_STR("one"), CTIE_RECEIVER(nothing, NULL), &options, NULL, NULL));
    }
    double middle = now_ns();
    for (int i = 0; i < count; i++) {
        name own = name_of_number("k", i);
        check(ctie_wormhole_remove_listener(wormhole, CTIE_STR("one"), ctie_str_from(own.text), NULL));
    }
    double end = now_ns();
    report_at("bind", count, "crosstie", (middle - begin) / count);
    report_at("remove", count, "crosstie", (end - middle) / count);
    end_large(wormhole, directory, "bind", count);
}

int main(int argc, char **argv) {
    require(argc == 2, "usage: growth <directory>");
    sem_init(&received, 0, 0);
    for (int count = 1; count <= MOST_IDENTIFIERS; count *= 10) measure_identifiers(argv[1], count);
    for (int count = 64; count <= MOST_LISTENERS; count *= 32) measure_binding(argv[1], count);
    return 0;
}
