/* Crosstie's wormhole over a nats-server. */
#include "served.h"
#include "wormhole.h"

#include <semaphore.h>

static ctie_wormhole *open_served(const char *address, const char *group, int round) {
    char text[512];
    ctie_wormhole *wormhole = NULL;
    snprintf(text, sizeof text, "%s/bench.%s%d", address, group, round);
    check(ctie_wormhole_open(ctie_str_from(text), NULL, &wormhole, NULL));
    return wormhole;
}

static void *open_sending(const char *address) { return open_served(address, "sending", 0); }

static void send_one(void *wormhole) { pass_small(wormhole, CTIE_STR("ping")); }

static void send_each(ctie_wormhole *wormhole, const ctie_str *identifiers, size_t count) {
    ctie_outgoing messages[SERVED_BATCH];
    ctie_send_options options = CTIE_SEND_OPTIONS_INIT;
    options.flags = CTIE_SEND_NOT_ATOMIC;
    for (size_t i = 0; i < count; i++) messages[i] = (ctie_outgoing){identifiers[i], small_value()};
    check(ctie_wormhole_send_many(wormhole, messages, count, &options, NULL, NULL));
}

static void send_batch(void *wormhole) {
    static ctie_str identifiers[SERVED_BATCH];
    for (size_t i = 0; i < SERVED_BATCH; i++) identifiers[i] = CTIE_STR("ping");
    send_each(wormhole, identifiers, SERVED_BATCH);
}

/* ---- To and fro ------------------------------------------------------------------------------------ */

typedef struct trips {
    ctie_wormhole *wormhole;
    double *figures, begin;
    int done;
    sem_t over;
} trips;

static void answer(const ctie_message *message, void *wormhole) {
    (void)message;
    pass_small(wormhole, CTIE_STR("pong"));
}

static void count_trip(const ctie_message *message, void *user_data) {
    trips *self = user_data;
    double now = now_ns();
    (void)message;
    int round = self->done / SERVED_TRIPS;
    if (self->done % SERVED_TRIPS == 0 && round > 1) self->figures[round - 2] = (now - self->begin) / SERVED_TRIPS / 2;
    if (self->done % SERVED_TRIPS == 0) self->begin = now;
    if (self->done++ == (SERVED_ROUNDS + 1) * SERVED_TRIPS) sem_post(&self->over);
    else pass_small(self->wormhole, CTIE_STR("ping"));
}

static void trip(const char *address, int end, double *figures) {
    static trips self;
    self = (trips){.wormhole = open_served(address, "trip", 0), .figures = figures};
    sem_init(&self.over, 0, 0);
    listen_to(self.wormhole, end == 0 ? CTIE_STR("pong") : CTIE_STR("ping"), CTIE_LISTEN_NO_INITIAL_DELIVERY,
              end == 0 ? count_trip : answer, end == 0 ? (void *)&self : self.wormhole);
    if (end != 0) {
        for (say_ready();;) pause();
    }
    pass_small(self.wormhole, CTIE_STR("ping"));
    sem_wait(&self.over);
}

/* ---- Durable consumers ----------------------------------------------------------------------------- */

static const uint32_t WORKER = CTIE_LISTEN_QUEUE | CTIE_LISTEN_DURABLE | CTIE_LISTEN_FROM_OLDEST;

static void fill(const char *address, int round) {
    ctie_wormhole *wormhole = open_served(address, "work", round);
    static ctie_str identifiers[SERVED_BATCH];
    for (size_t i = 0; i < SERVED_BATCH; i++) identifiers[i] = CTIE_STR("job");
    for (int i = 0; i < SERVED_DONE; i += SERVED_BATCH) send_each(wormhole, identifiers, SERVED_BATCH);
}

static void take(const ctie_message *message, void *shared) {
    (void)message;
    queue_take(shared, 1);
}

static void work(const char *address, int round, queue *shared) {
    ctie_wormhole *wormhole = open_served(address, "work", round);
    say_ready();
    served_go(shared);
    listen_to(wormhole, CTIE_STR("job"), WORKER, take, shared);
    for (;;) pause();
}

/* ---- Stored values --------------------------------------------------------------------------------- */

static void *store(const char *address) {
    ctie_wormhole *wormhole = open_served(address, "values", 0);
    static char texts[SERVED_BATCH][16];
    ctie_str identifiers[SERVED_BATCH];
    for (int i = 0; i < SERVED_VALUES; i += SERVED_BATCH) {
        for (int j = 0; j < SERVED_BATCH; j++) {
            snprintf(texts[j], sizeof texts[j], "key.%d", i + j);
            identifiers[j] = ctie_str_from(texts[j]);
        }
        send_each(wormhole, identifiers, SERVED_BATCH);
    }
    return wormhole;
}

typedef struct reading {
    int left;
    sem_t over;
} reading;

static void count_value(const ctie_message *message, void *user_data) {
    reading *self = user_data;
    (void)message;
    if (--self->left == 0) sem_post(&self->over);
}

static void read_all(void *wormhole) {
    reading self = {.left = SERVED_VALUES};
    ctie_listener *listener = NULL;
    sem_init(&self.over, 0, 0);
    check(ctie_wormhole_listen(wormhole, CTIE_STR("key.*"), CTIE_RECEIVER(count_value, &self), NULL, &listener, NULL));
    sem_wait(&self.over);
    check(ctie_listener_release(listener));
}

int main(int argc, char **argv) {
    const served ours = {"crosstie", open_sending, send_one, send_batch, trip, fill, work, store, read_all};
    return served_main(argc, argv, &ours);
}
