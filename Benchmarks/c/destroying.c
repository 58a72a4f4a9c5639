/* The cost of destroying in a long queue, and of other calls meanwhile. */
#include "growing.h"
#include "processes.h"

#include <stdatomic.h>

enum { BATCH = 512, SIZE = 1000, LONGEST = 300000 };

static const char *directory;

static struct { _Atomic int count, is_over; double longest; } *rival;

/* Messages that wait for a durable consumer; each of so many is under the identifier that is to be destroyed. */
static void fill(ctie_wormhole *wormhole, int count, int every) {
    static const char bytes[SIZE];
    ctie_outgoing messages[BATCH];
    keep_for(wormhole, CTIE_STR("*"), CTIE_STR("bench"));
    for (int done = 0; done < count;) {
        int some = 0;
        for (; some < BATCH && done < count; some++, done++) {
            messages[some].identifier = done % every == 0 ? CTIE_STR("gone") : CTIE_STR("stay");
            messages[some].value = ctie_value_bytes((ctie_str){bytes, sizeof bytes});
        }
        check(ctie_wormhole_send_many(wormhole, messages, (size_t)some, NULL, NULL, NULL));
    }
}

/* Passes again and again, and notes what took longest. */
static void pass_beside(void *context) {
    ctie_wormhole *wormhole = open_large(directory, "destroy", *(int *)context);
    for (say_ready(); !rival->is_over; rival->count++) {
        double begin = now_ns();
        pass_small(wormhole, CTIE_STR("tick"));
        double span = now_ns() - begin;
        if (rival->count > 100 && span > rival->longest) rival->longest = span;
        nap_us(20);
    }
    ctie_wormhole_release(wormhole);
}

/* Destroys an identifier with one of `every` messages in a queue of so many. */
static void measure(int length, int every, const char *curve, const char *beside) {
    static int number;
    int wanted = length / every, own = number++;
    ctie_wormhole *wormhole = open_large(directory, "destroy", own);
    fill(wormhole, length, every);
    rival->count = rival->is_over = 0;
    rival->longest = 0;
    pid_t child = start_process(ANY_CORE, pass_beside, &own);
    while (rival->count < 200) nap_us(100);
    double begin = now_ns();
    check(ctie_wormhole_destroy(wormhole, CTIE_STR("gone"), NULL, NULL, NULL));
    double span = now_ns() - begin;
    rival->is_over = 1;
    waitpid(child, NULL, 0);
    /* By what is destroyed, or by what lies around it. */
    int place = every == 1 ? wanted : length;
    report_at(curve, place, "crosstie", span);
    report_at(beside, place, "crosstie", rival->longest);
    end_large(wormhole, directory, "destroy", own);
}

int main(int argc, char **argv) {
    require(argc == 2, "usage: destroying <directory>");
    directory = argv[1];
    rival = shared_memory(sizeof *rival);
    for (int length = 1000; length <= LONGEST; length = length * 10 <= LONGEST ? length * 10 : length * 3) {
        measure(length, 1, "destroy", "beside");
        measure(length, length / 100, "pick", "beside-pick");
    }
    return 0;
}
