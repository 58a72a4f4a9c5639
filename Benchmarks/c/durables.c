/*
 * Costs that must hardly grow with the number of durable consumers in a group: sending and claiming, where each of the
 * others has a topic of its own, and where all of them want the same messages, which only one takes.
 */
#include "queuing.h"

static const char *directory;

static void measure(int count, const char *passing, const char *claiming, int is_shared) {
    ctie_wormhole *wormhole = open_large(directory, passing, count);
    for (int i = 0; i < count; i++) {
        name topic = name_of_number("topic", is_shared ? 0 : i), durable = name_of_number("name", i);
        keep_for(wormhole, ctie_str_from(topic.text), ctie_str_from(durable.text));
        pass_small(wormhole, ctie_str_from(topic.text));
    }
    queuing_measure(wormhole, CTIE_STR("topic.0"), CTIE_STR("name.0"), passing, claiming, count);
    end_large(wormhole, directory, passing, count);
}

int main(int argc, char **argv) {
    require(argc == 2, "usage: durables <directory>");
    directory = argv[1];
    for (int count = 1; count <= 256; count *= 4) {
        measure(count, "apart", "apart-claim", 0);
        measure(count, "shared", "shared-claim", 1);
    }
    return 0;
}
