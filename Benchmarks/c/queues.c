/* Crosstie's wormhole as a queue: messages under 100 identifiers, and a durable listener in another process that
   acknowledges each by returning. */
#include "queue.h"
#include "wormhole.h"

static const char *directory, *kind;
static queue *shared;
static ctie_str identifier[QUEUE_IDENTIFIERS];

static void take(const ctie_message *message, void *user_data) {
    (void)message;
    queue_take(user_data, 1);
}

static void consume(void *context) {
    (void)context;
    ctie_wormhole *wormhole = open_group(directory, "queue", kind);
    listen_to(wormhole, CTIE_STR("work.*"), CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE, take, shared);
    for (say_ready();;) pause();
}

static void put(void *wormhole, size_t first, size_t count) {
    ctie_outgoing messages[QUEUE_BATCH];
    if (count == 1) return pass_small(wormhole, identifier[first]);
    for (size_t i = 0; i < count; i++) {
        messages[i] = (ctie_outgoing){identifier[(first + i) % QUEUE_IDENTIFIERS], small_value()};
    }
    check(ctie_wormhole_send_many(wormhole, messages, count, NULL, NULL, NULL));
}

int main(int argc, char **argv) {
    static char text[QUEUE_IDENTIFIERS][16];
    require(argc == 3, "usage: queues <directory> safe|fast");
    directory = argv[1], kind = argv[2];
    shared = shared_memory(sizeof *shared);
    for (int i = 0; i < QUEUE_IDENTIFIERS; i++) {
        snprintf(text[i], sizeof text[i], "work.%d", i);
        identifier[i] = ctie_str_from(text[i]);
    }
    pid_t child = start_process(ANY_CORE, consume, NULL);
    ctie_wormhole *wormhole = open_group(directory, "queue", kind);
    queue_measure_both(shared, name_of(kind), put, wormhole);
    end_process(child);
    ctie_wormhole_release(wormhole);
    return 0;
}
