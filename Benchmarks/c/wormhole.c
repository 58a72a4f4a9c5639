/* Crosstie's wormhole from C: a 64-byte pass, and half of a round trip to a listener in another process. */
#include "bench.h"
#include "pair.h"

#include <crosstie.h>
#include <semaphore.h>
#include <sys/stat.h>

enum { ROUNDS = 15, PASSES = 4000 };

static ctie_wormhole *open_group(const char *directory, const char *kind) {
    char path[4096];
    snprintf(path, sizeof path, "%s/crosstie-%s", directory, kind);
    ctie_wormhole *wormhole = NULL;
    ctie_wormhole_options options = CTIE_WORMHOLE_OPTIONS_INIT;
    options.directory = ctie_str_from(path);
    options.flags = strcmp(kind, "fast") == 0 ? CTIE_WORMHOLE_FAST : 0;
    ctie_status status = ctie_wormhole_open(CTIE_STR("bench"), &options, &wormhole, NULL);
    require(status == CTIE_OK, ctie_status_message(status));
    return wormhole;
}

static void pass(ctie_wormhole *wormhole, ctie_str identifier) {
    static const char bytes[PAIR_SIZE];
    ctie_value *value = ctie_value_bytes((ctie_str){bytes, sizeof bytes});
    ctie_status status = ctie_wormhole_pass(wormhole, identifier, value, NULL, NULL, NULL);
    require(status == CTIE_OK, ctie_status_message(status));
}

static void measure_pass(const char *directory, const char *kind) {
    char work[64];
    double figures[ROUNDS];
    ctie_wormhole *wormhole = open_group(directory, kind);
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now_ns();
        for (int i = 0; i < PASSES; i++) pass(wormhole, CTIE_STR("alone"));
        figures[round] = (now_ns() - begin) / PASSES;
    }
    snprintf(work, sizeof work, "pass.%s", kind);
    report(work, "crosstie", lowest(figures, ROUNDS));
    ctie_wormhole_release(wormhole);
}

/* One side of the to and fro: what it hears, and what it does then. */
typedef struct side {
    ctie_wormhole *wormhole;
    pair_rounds rounds;
    sem_t done;
} side;

static void answer(const ctie_message *message, void *user_data) {
    (void)message;
    pass(((side *)user_data)->wormhole, CTIE_STR("pong"));
}

static void count(const ctie_message *message, void *user_data) {
    side *self = user_data;
    (void)message;
    if (pair_next(&self->rounds)) pass(self->wormhole, CTIE_STR("ping"));
    else sem_post(&self->done);
}

static void listen_to(side *self, ctie_str identifier, ctie_listener_fn fn) {
    ctie_listen_options options = CTIE_LISTEN_OPTIONS_INIT;
    options.flags = CTIE_LISTEN_NO_FIRST_FIRE;
    ctie_status status = ctie_wormhole_listen(self->wormhole, identifier, fn, self, NULL, &options, NULL, NULL);
    require(status == CTIE_OK, ctie_status_message(status));
}

/* The other process: tells that it listens, then answers until it is killed. */
static void echo(const char *directory, const char *kind, int ready) {
    side self = {.wormhole = open_group(directory, kind)};
    listen_to(&self, CTIE_STR("ping"), answer);
    require(write(ready, "", 1) == 1, "write");
    for (;;) pause();
}

static void measure_pair(const char *directory, const char *kind, int cores) {
    int ready[2];
    char byte;
    require(pipe(ready) == 0, "pipe");
    pid_t child = pair_fork(cores);
    if (child == 0) echo(directory, kind, ready[1]);
    require(read(ready[0], &byte, 1) == 1, "the other process did not start");
    side self = {.wormhole = open_group(directory, kind), .rounds = pair_begin()};
    sem_init(&self.done, 0, 0);
    listen_to(&self, CTIE_STR("pong"), count);
    pass(self.wormhole, CTIE_STR("ping"));
    sem_wait(&self.done);
    char who[64];
    snprintf(who, sizeof who, strcmp(kind, "fast") == 0 ? "crosstie, fast" : "crosstie");
    pair_end(&self.rounds, child, cores, who);
    ctie_wormhole_release(self.wormhole);
}

int main(int argc, char **argv) {
    require(argc == 2, "usage: wormhole <directory>");
    const char *kinds[] = {"safe", "fast"};
    for (int i = 0; i < 2; i++) {
        for (int cores = 2; cores >= 1; cores--) measure_pair(argv[1], kinds[i], cores);
        measure_pass(argv[1], kinds[i]);
    }
    return 0;
}
