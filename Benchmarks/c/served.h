/* Messages over a nats-server, by Crosstie and by libnats alone: 64 bytes, stored in a file on the server, and confirmed by
   it. */
#ifndef BENCH_SERVED_H
#define BENCH_SERVED_H

#include "queue.h"

#include <pthread.h>

enum {
    SERVED_ROUNDS = 5,
    SERVED_SENDS = 1500, SERVED_THREADS = 32, SERVED_EACH = 100,
    SERVED_BATCH = 1000, SERVED_BATCHES = 10,
    SERVED_TRIPS = 500,
    SERVED_DONE = 20000, SERVED_WORKERS = 4,
    SERVED_VALUES = 10000,
    SERVED_REST_US = 20000, /* so that the server is done with a batch before the next one */
};

/* A message system over a server. `self` is what its `open` has made. */
typedef struct served {
    const char *name;
    void *(*open)(const char *address);
    void (*send)(void *self);                            /* returns when the server has stored it */
    void (*send_batch)(void *self);                      /* SERVED_BATCH messages, likewise */
    void (*trip)(const char *address, int end, double *figures); /* end 0 measures; end 1 answers, after say_ready() */
    void (*fill)(const char *address, int round);        /* SERVED_DONE messages for a durable consumer */
    void (*work)(const char *address, int round, queue *shared); /* takes and acknowledges them; say_ready(), served_go() */
    void *(*store)(const char *address);                 /* SERVED_VALUES identifiers with a value */
    void (*read)(void *self);                            /* gets all of them as a new listener does */
} served;

/* ---- Sending --------------------------------------------------------------------------------------- */

static inline void served_send(const served *by, void *self) {
    double figures[SERVED_ROUNDS + 1];
    for (int round = 0; round <= SERVED_ROUNDS; round++) {
        double begin = now_ns();
        for (int i = 0; i < SERVED_SENDS; i++) by->send(self);
        figures[round] = (now_ns() - begin) / SERVED_SENDS;
    }
    report("server.send", by->name, median(figures + 1, SERVED_ROUNDS)); /* the first one warms up */
}

typedef struct served_thread {
    const served *by;
    void *self;
} served_thread;

static inline void *served_send_some(void *context) {
    served_thread *it = context;
    for (int i = 0; i < SERVED_EACH; i++) it->by->send(it->self);
    return NULL;
}

static inline void served_send_together(const served *by, void *self) {
    double figures[SERVED_ROUNDS + 1];
    served_thread each = {by, self};
    for (int round = 0; round <= SERVED_ROUNDS; round++) {
        pthread_t threads[SERVED_THREADS];
        double begin = now_ns();
        for (int i = 0; i < SERVED_THREADS; i++) pthread_create(&threads[i], NULL, served_send_some, &each);
        for (int i = 0; i < SERVED_THREADS; i++) pthread_join(threads[i], NULL);
        figures[round] = (now_ns() - begin) / (SERVED_THREADS * SERVED_EACH);
    }
    report("server.threads", by->name, median(figures + 1, SERVED_ROUNDS));
}

static inline void served_send_batches(const served *by, void *self) {
    double figures[SERVED_BATCHES + 1];
    for (int round = 0; round <= SERVED_BATCHES; round++) {
        nap_us(SERVED_REST_US);
        double begin = now_ns();
        by->send_batch(self);
        figures[round] = (now_ns() - begin) / SERVED_BATCH;
    }
    report("server.batch", by->name, median(figures + 1, SERVED_BATCHES));
}

/* ---- To and fro ------------------------------------------------------------------------------------ */

typedef struct served_end {
    const served *by;
    const char *address;
} served_end;

static inline void served_answer(void *context) {
    served_end *it = context;
    it->by->trip(it->address, 1, NULL);
}

static inline void served_trips(const served *by, const char *address) {
    double figures[SERVED_ROUNDS];
    served_end other = {by, address};
    pid_t child = start_process(ANY_CORE, served_answer, &other);
    by->trip(address, 0, figures);
    end_process(child);
    report("server.trip", by->name, median(figures, SERVED_ROUNDS));
}

/* ---- Durable consumers ----------------------------------------------------------------------------- */

enum { SERVED_DURABLE_ROUNDS = 3 };

typedef struct served_worker {
    const served *by;
    const char *address;
    int round;
    queue *shared;
} served_worker;

/* A worker waits for all others. */
static inline void served_go(queue *shared) {
    while (__atomic_load_n(&shared->has_begun, __ATOMIC_ACQUIRE) == 0) nap_us(QUEUE_NAP_US);
}

static inline void served_run_worker(void *context) {
    served_worker *it = context;
    it->by->work(it->address, it->round, it->shared);
}

static inline double served_durable_round(const served *by, const char *address, int workers, int round) {
    pid_t child[SERVED_WORKERS];
    queue *shared = shared_memory(sizeof *shared);
    served_worker each = {by, address, round, shared};
    for (int i = 0; i < workers; i++) child[i] = start_process(ANY_CORE, served_run_worker, &each);
    double begin = now_ns();
    __atomic_store_n(&shared->has_begun, 1, __ATOMIC_RELEASE);
    while (__atomic_load_n(&shared->taken, __ATOMIC_ACQUIRE) < SERVED_DONE) nap_us(QUEUE_NAP_US);
    double took = (now_ns() - begin) / SERVED_DONE;
    for (int i = 0; i < workers; i++) end_process(child[i]);
    munmap(shared, sizeof *shared);
    return took;
}

/* Libraries of a server do not survive a fork: another process fills the queue. */
static inline void served_fill(void *context) {
    served_worker *it = context;
    it->by->fill(it->address, it->round);
    for (say_ready();;) pause();
}

static inline void served_durable(const served *by, const char *address, int workers) {
    double figures[SERVED_DURABLE_ROUNDS];
    for (int i = 0; i < SERVED_DURABLE_ROUNDS; i++) {
        served_worker filler = {by, address, (int)getpid() * 10 + i, NULL};
        end_process(start_process(ANY_CORE, served_fill, &filler));
        figures[i] = served_durable_round(by, address, workers, filler.round);
    }
    report(workers == 1 ? "server.durable.1" : "server.durable.4", by->name, median(figures, SERVED_DURABLE_ROUNDS));
}

/* ---- Stored values --------------------------------------------------------------------------------- */

static inline void served_values(const served *by, const char *address) {
    double figures[SERVED_ROUNDS];
    void *self = by->store(address);
    for (int i = 0; i < SERVED_ROUNDS; i++) {
        double begin = now_ns();
        by->read(self);
        figures[i] = now_ns() - begin;
    }
    report("server.values", by->name, median(figures, SERVED_ROUNDS));
}

/* The program: `<program> <address> send|trip|durable|values`. */
static inline int served_main(int argc, char **argv, const served *by) {
    require(argc == 3, "usage: <program> <address> send|trip|durable|values");
    if (strcmp(argv[2], "send") == 0) {
        void *self = by->open(argv[1]);
        served_send(by, self);
        served_send_together(by, self);
        served_send_batches(by, self);
    } else if (strcmp(argv[2], "trip") == 0) {
        served_trips(by, argv[1]);
    } else if (strcmp(argv[2], "durable") == 0) {
        served_durable(by, argv[1], 1);
        served_durable(by, argv[1], SERVED_WORKERS);
    } else {
        served_values(by, argv[1]);
    }
    return 0;
}

#endif
