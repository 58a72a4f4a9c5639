/* Crosstie's wormhole: half of a round trip to a listener in another process, from within both listeners; and one
   message to listeners in eight. */
#include "fan.h"
#include "pair.h"
#include "wormhole.h"

#include <semaphore.h>

static const char *directory, *work, *kind;

/* One side of the round trip: the messages it gets, and its answer. */
typedef struct side {
    ctie_wormhole *wormhole;
    pair_rounds rounds;
    sem_t done;
} side;

static void answer(const ctie_message *message, void *user_data) {
    (void)message;
    pass_small(user_data, CTIE_STR("pong"));
}

static void count(const ctie_message *message, void *user_data) {
    side *self = user_data;
    (void)message;
    if (pair_next(&self->rounds)) pass_small(self->wormhole, CTIE_STR("ping"));
    else sem_post(&self->done);
}

/* The other process: it answers until it is killed. */
static void echo(void *context) {
    (void)context;
    ctie_wormhole *wormhole = open_group(directory, work, kind);
    listen_to(wormhole, CTIE_STR("ping"), CTIE_LISTEN_NO_INITIAL_DELIVERY, answer, wormhole);
    for (say_ready();;) pause();
}

static void measure_pair(int cores) {
    pid_t child = start_process(cores - 1, echo, NULL);
    run_on_core(0); /* the wormhole's thread starts later, and there too */
    side self = {.wormhole = open_group(directory, work, kind), .rounds = pair_begin()};
    sem_init(&self.done, 0, 0);
    listen_to(self.wormhole, CTIE_STR("pong"), CTIE_LISTEN_NO_INITIAL_DELIVERY, count, &self);
    pass_small(self.wormhole, CTIE_STR("ping"));
    sem_wait(&self.done);
    pair_report(&self.rounds, cores, name_of(kind));
    end_process(child);
    ctie_wormhole_release(self.wormhole);
}

typedef struct receiver {
    fan *shared;
    int which;
} receiver;

static void receive(const ctie_message *message, void *user_data) {
    receiver *self = user_data;
    (void)message;
    fan_receive(self->shared, self->which);
}

static void listen_in_fan(void *context) {
    listen_to(open_group(directory, work, kind), CTIE_STR("ping"), CTIE_LISTEN_NO_INITIAL_DELIVERY, receive, context);
    for (say_ready();;) pause();
}

static void notify(void *wormhole) { pass_small(wormhole, CTIE_STR("ping")); }

static void measure_fan(const fan_kind *fanned) {
    pid_t child[FAN_WIDTH];
    fan *shared = fan_new(fanned);
    for (int i = 0; i < fanned->width; i++) {
        receiver other = {shared, i};
        child[i] = start_process(fanned->core, listen_in_fan, &other);
    }
    ctie_wormhole *wormhole = open_group(directory, work, kind);
    fan_measure(shared, name_of(kind), notify, wormhole);
    for (int i = 0; i < fanned->width; i++) end_process(child[i]);
    ctie_wormhole_release(wormhole);
}

int main(int argc, char **argv) {
    require(argc == 4, "usage: listeners <directory> one|two|<kind of fan> safe|fast");
    directory = argv[1], work = argv[2], kind = argv[3];
    const fan_kind *fanned = fan_of(work);
    if (fanned != NULL) measure_fan(fanned);
    else measure_pair(strcmp(work, "one") == 0 ? 1 : 2);
    return 0;
}
